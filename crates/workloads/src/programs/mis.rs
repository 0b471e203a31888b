//! A maximal independent set of a graph's nodes.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "mis",
    summary: "maximal independent set",
    class: Class::Integer,
    papers: &[(Paper::Latte, "MIS")],
    is_cache_sensitive: true,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("is_left", ElementType::I32),
        exact("least", ElementType::I32),
        exact("state", ElementType::I32),
        exact("mark", ElementType::I32),
        exact("member", ElementType::I32),
        exact("value", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: &[DataSet::new(
        "mesh",
        "as ecology1: cells of a square mesh and their four neighbours; values rand() % 2048",
    )],
    ptx: include_str!("../../kernels/mis.ptx"),
    run,
};

const THREADS: u32 = 128;
/// Values of nodes are below this, so that some neighbours have the same.
const VALUES: i32 = 2048;
/// What the original calls `srand` with.
const SEED: u32 = 7;
const MEMBER: i32 = 2;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?.symmetric(),
        None => mesh(host),
    };
    let (nodes, edges) = (graph.nodes(), graph.edges());
    let mut rand = host.c_rand(SEED);
    let value: Vec<i32> = (0..nodes).map(|_| rand.rand() % VALUES).collect();

    let row = host.upload("row", &graph.row[..nodes])?;
    let col = host.upload("col", &graph.col)?;
    let is_left = host.zeros::<i32>("is_left", 1)?;
    let least = host.zeros::<i32>("least", nodes)?;
    let state = host.zeros::<i32>("state", nodes)?;
    let mark = host.zeros::<i32>("mark", nodes)?;
    let member = host.zeros::<i32>("member", nodes)?;
    let values = host.upload("value", &value)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    host.launch("start", grid, block, args![member, state, mark, nodes, edges])?;
    loop {
        host.write(is_left, &[0])?;
        let arguments = args![row, col, values, state, least, is_left, nodes, edges];
        host.launch("find_minima", grid, block, arguments)?;
        let arguments = args![row, col, values, member, state, mark, least, nodes, edges];
        host.launch("join", grid, block, arguments)?;
        host.launch("settle", grid, block, args![mark, state, nodes])?;
        if host.download(is_left)? == [0] {
            break;
        }
    }
    host.check("member", member, &reference(&graph, &value), Tolerance::Exact)
}

/// A mesh of cells with their four neighbours, as the landscapes of the ecology collection are.
fn mesh(host: &Host<'_>) -> Csr {
    let side = host.size(host.scale().pick(20, 184, 1000));
    graph::road(side, side, 0.0, 1, &mut host.rng(1))
}

/// Rounds over all nodes at once. Neighbours that have the same value and no smaller neighbour are members both.
fn reference(graph: &Csr, value: &[i32]) -> Vec<i32> {
    let mut is_decided = vec![false; graph.nodes()];
    let mut member = vec![0i32; graph.nodes()];
    while is_decided.contains(&false) {
        let joins = |&node: &usize| {
            let mut open = graph.neighbours(node).iter().filter(|&&other| !is_decided[other as usize]);
            !is_decided[node] && open.all(|&other| value[other as usize] >= value[node])
        };
        let joined: Vec<usize> = (0..graph.nodes()).filter(joins).collect();
        for node in joined {
            (member[node], is_decided[node]) = (MEMBER, true);
            graph.neighbours(node).iter().for_each(|&other| is_decided[other as usize] = true);
        }
    }
    member
}
