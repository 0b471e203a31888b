//! A maximal independent set of a graph's nodes.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Scale, Workload, exact};

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
        exact("value", ElementType::F32),
        exact("state", ElementType::I32),
        exact("next", ElementType::I32),
        exact("least", ElementType::F32),
        exact("is_left", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/mis.ptx"),
    run,
};

const THREADS: u32 = 256;
const MESH_SIDE: usize = 1000;
const JOINED: i32 = 1;
const LEFT: i32 = 2;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => landscape(host),
    };
    let graph = graph.symmetric();
    let nodes = graph.nodes();
    // Distinct values, so that the outcome does not depend on ties.
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    host.rng(2).shuffle(&mut order);
    let value: Vec<f32> = order.iter().map(|&rank| rank as f32 / nodes as f32).collect();

    let row = host.upload("row", &graph.row)?;
    let col = host.upload("col", &graph.col)?;
    let values = host.upload("value", &value)?;
    let state = host.zeros::<i32>("state", nodes)?;
    let next = host.zeros::<i32>("next", nodes)?;
    let least = host.zeros::<f32>("least", nodes)?;
    let is_left = host.zeros::<i32>("is_left", 1)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    loop {
        host.write(is_left, &[0])?;
        host.launch("find_minima", grid, block, args![row, col, values, state, least, is_left, nodes])?;
        if host.download(is_left)? == [0] {
            break;
        }
        host.launch("join", grid, block, args![values, least, state, next, nodes])?;
        host.launch("leave", grid, block, args![row, col, state, next, nodes])?;
        host.launch("settle", grid, block, args![state, next, nodes])?;
    }
    host.check("state", state, &reference(&graph, &value), Tolerance::Exact)
}

/// A power-law graph; at paper scale a mesh of a million cells, as the landscapes of the ecology collection are.
fn landscape(host: &Host<'_>) -> Csr {
    let mut rng = host.rng(1);
    match host.scale() {
        Scale::Paper => graph::road(MESH_SIDE, MESH_SIDE, 0.0, 10, &mut rng),
        Scale::Tiny => graph::rmat(8, 8, 10, &mut rng),
        Scale::Small => graph::rmat(14, 8, 10, &mut rng),
    }
}

/// Luby's rounds with fixed values give the greedy set in order of value.
fn reference(graph: &Csr, value: &[f32]) -> Vec<i32> {
    let mut order: Vec<usize> = (0..graph.nodes()).collect();
    order.sort_by(|&a, &b| value[a].total_cmp(&value[b]));
    let mut state = vec![0i32; graph.nodes()];
    for node in order {
        let is_blocked = graph.neighbours(node).iter().any(|&other| state[other as usize] == JOINED);
        state[node] = if is_blocked { LEFT } else { JOINED };
    }
    state
}
