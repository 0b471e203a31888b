//! Graph colouring: neighbours get different colours, unless their values are the same.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "coloring",
    summary: "graph colouring",
    class: Class::Integer,
    papers: &[(Paper::Latte, "CLR")],
    is_cache_sensitive: true,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("is_left", ElementType::I32),
        exact("color", ElementType::I32),
        exact("value", ElementType::I32),
        exact("largest", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: &[DataSet::new(
        "mesh",
        "as ecology1: cells of a square mesh and their four neighbours; values rand() % 2048",
    )],
    ptx: include_str!("../../kernels/coloring.ptx"),
    run,
};

const THREADS: u32 = 256;
/// Values of nodes are below this, so that some neighbours have the same.
const VALUES: i32 = 2048;
/// What the original calls `srand` with.
const SEED: u32 = 7;
const NONE: i32 = -1;

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
    let color = host.upload("color", &vec![NONE; nodes])?;
    let values = host.upload("value", &value)?;
    let largest = host.zeros::<i32>("largest", nodes)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    let mut rounds = 1i32;
    loop {
        host.write(is_left, &[0])?;
        let arguments = args![row, col, values, color, is_left, largest, rounds, nodes, edges];
        host.launch("find_maxima", grid, block, arguments)?;
        host.launch("take_color", grid, block, args![values, color, largest, rounds, nodes, edges])?;
        if host.download(is_left)? == [0] {
            break;
        }
        rounds += 1;
    }
    host.check("color", color, &reference(&graph, &value, rounds), Tolerance::Exact)
}

/// A mesh of cells with their four neighbours, as the landscapes of the ecology collection are.
fn mesh(host: &Host<'_>) -> Csr {
    let side = host.size(host.scale().pick(20, 216, 1000));
    graph::road(side, side, 0.0, 1, &mut host.rng(1))
}

/// Round by round over all nodes at once. A node with a single neighbour does not look at it.
fn reference(graph: &Csr, value: &[i32], rounds: i32) -> Vec<i32> {
    let mut color = vec![NONE; graph.nodes()];
    for round in 1..=rounds {
        let is_highest = |&node: &usize| {
            let neighbours = graph.neighbours(node);
            let open = neighbours.iter().filter(|&&other| color[other as usize] == NONE);
            color[node] == NONE
                && (neighbours.len() == 1
                    || open.map(|&other| value[other as usize]).max() <= Some(value[node]))
        };
        let highest: Vec<usize> = (0..graph.nodes()).filter(is_highest).collect();
        for node in highest {
            color[node] = round;
        }
    }
    color
}
