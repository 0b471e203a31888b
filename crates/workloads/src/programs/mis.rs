//! A maximal independent set of a graph's nodes.

use super::ecology::{self, DeviceGraph, Landscape};
use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::Csr;
use crate::workload::{BufferInfo, Class, ElementType, InputKind, Paper, Workload, exact, joined};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "mis",
    summary: "maximal independent set",
    class: Class::Integer,
    papers: &[(Paper::Latte, "MIS")],
    is_cache_sensitive: true,
    buffers: &BUFFERS,
    input: Some(InputKind::Graph),
    data_sets: ecology::DATA_SETS,
    ptx: include_str!("../../kernels/mis.ptx"),
    run,
};

const BUFFERS: [BufferInfo; 8] = joined(&[
    ecology::GRAPH,
    &[
        exact("least", ElementType::I32),
        exact("state", ElementType::I32),
        exact("mark", ElementType::I32),
        exact("member", ElementType::I32),
        exact("value", ElementType::I32),
    ],
]);

const THREADS: u32 = 128;
const MEMBER: i32 = 2;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let landscape = Landscape::of(host, 184)?;
    let DeviceGraph { row, col, is_left } = landscape.upload(host)?;
    let Landscape { graph, value } = landscape;
    let (nodes, edges) = (graph.nodes(), graph.edges());
    let least = host.zeros::<i32>("least", nodes)?;
    let state = host.zeros::<i32>("state", nodes)?;
    let mark = host.zeros::<i32>("mark", nodes)?;
    let member = host.zeros::<i32>("member", nodes)?;
    let values = host.upload("value", &value)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    host.launch("start", grid, block, args![member, state, mark, nodes, edges])?;
    host.launch_until_unchanged(is_left, |host| {
        let arguments = args![row, col, values, state, least, is_left, nodes, edges];
        host.launch("find_minima", grid, block, arguments)?;
        let arguments = args![row, col, values, member, state, mark, least, nodes, edges];
        host.launch("join", grid, block, arguments)?;
        host.launch("settle", grid, block, args![mark, state, nodes])
    })?;
    host.check("member", member, &reference(&graph, &value), Tolerance::Exact)
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
