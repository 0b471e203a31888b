//! Graph colouring: neighbours get different colours.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Scale, Workload, exact};

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
        exact("value", ElementType::I32),
        exact("color", ElementType::I32),
        exact("largest", ElementType::I32),
        exact("is_left", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/coloring.ptx"),
    run,
};

const THREADS: u32 = 256;
const MESH_SIDE: usize = 1000;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => landscape(host),
    };
    let graph = graph.symmetric();
    let nodes = graph.nodes();
    let mut value: Vec<i32> = (0..nodes as i32).collect();
    host.rng(2).shuffle(&mut value);

    let row = host.upload("row", &graph.row)?;
    let col = host.upload("col", &graph.col)?;
    let values = host.upload("value", &value)?;
    let color = host.upload("color", &vec![-1i32; nodes])?;
    let largest = host.zeros::<i32>("largest", nodes)?;
    let is_left = host.zeros::<i32>("is_left", 1)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    for round in 0i32.. {
        host.write(is_left, &[0])?;
        host.launch("find_maxima", grid, block, args![row, col, values, color, largest, is_left, nodes])?;
        if host.download(is_left)? == [0] {
            break;
        }
        host.launch("take_color", grid, block, args![values, largest, color, round, nodes])?;
    }
    host.check("color", color, &reference(&graph, &value), Tolerance::Exact)
}

/// A power-law graph; at paper scale a mesh of a million cells, as the landscapes of the ecology collection are.
fn landscape(host: &Host<'_>) -> Csr {
    let mut rng = host.rng(1);
    match host.scale() {
        Scale::Paper => graph::road(MESH_SIDE, MESH_SIDE, 0.0, 10, &mut rng),
        Scale::Tiny => graph::rmat(8, 8, 10, &mut rng),
        Scale::Small => graph::rmat(12, 8, 10, &mut rng),
    }
}

/// The same greedy rule seen from the other side: a node's colour is one past the latest colour among its neighbours
/// of larger value, where colours are rounds.
fn reference(graph: &Csr, value: &[i32]) -> Vec<i32> {
    let mut order: Vec<usize> = (0..graph.nodes()).collect();
    order.sort_by_key(|&node| -value[node]);
    let mut color = vec![-1i32; graph.nodes()];
    for node in order {
        let larger = graph.neighbours(node).iter().filter(|&&other| value[other as usize] > value[node]);
        color[node] = larger.map(|&other| color[other as usize] + 1).max().unwrap_or(0);
    }
    color
}
