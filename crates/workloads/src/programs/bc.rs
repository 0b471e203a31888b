//! Betweenness centrality from a few sources.

use std::collections::VecDeque;

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::input::network;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "bc",
    summary: "betweenness centrality",
    class: Class::Mixed,
    papers: &[(Paper::Latte, "BC")],
    is_cache_sensitive: true,
    buffers: &[
        approximable("centrality", ElementType::F32),
        exact("level", ElementType::I32),
        approximable("dependency", ElementType::F32),
        approximable("paths", ElementType::F32),
        exact("is_active", ElementType::I32),
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("row_transposed", ElementType::I32),
        exact("col_transposed", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new("uniform", "as Pannotia's 1k_128k.gr: random arcs, 128 per node on average").revised(2)
    ],
    ptx: include_str!("../../kernels/bc.ptx"),
    run,
};

const THREADS: u32 = 128;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => generated(host)?,
    };
    let transposed = network::transposed(&graph);
    let (nodes, edges) = (graph.nodes(), graph.edges());
    // Each source is like the others.
    let sources = 0..host.scale().pick(2, 2, 64).min(nodes);

    let centrality = host.zeros::<f32>("centrality", nodes)?;
    let level = host.zeros::<i32>("level", nodes)?;
    let dependency = host.zeros::<f32>("dependency", nodes)?;
    let paths = host.zeros::<f32>("paths", nodes)?;
    let is_active = host.zeros::<i32>("is_active", 1)?;
    let row = host.upload("row", &graph.row)?;
    let col = host.upload("col", &graph.col)?;
    let row_transposed = host.upload("row_transposed", &transposed.row)?;
    let col_transposed = host.upload("col_transposed", &transposed.col)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    host.launch("clear_centrality", grid, block, args![centrality, nodes])?;
    for source in sources.clone() {
        host.launch("start_at", grid, block, args![source, level, dependency, paths, nodes])?;
        let mut depth = 0i32;
        host.launch_until_unchanged(is_active, |host| {
            let arguments = args![row, col, level, paths, is_active, nodes, edges, depth];
            depth += 1;
            host.launch("search", grid, block, arguments)
        })?;
        for depth in (1..=depth).rev() {
            let arguments = args![
                row_transposed,
                col_transposed,
                level,
                paths,
                dependency,
                nodes,
                edges,
                depth,
                source,
                centrality
            ];
            host.launch("sweep", grid, block, arguments)?;
        }
    }
    let mut expected = vec![0.0f64; nodes];
    for source in sources {
        brandes(&graph, source, &mut expected);
    }
    let expected: Vec<f32> = expected.iter().map(|&value| value as f32).collect();
    host.check("centrality", centrality, &expected, Tolerance::relative(1e-3))
}

/// Random arcs, as in Pannotia's `1k_128k.gr`.
fn generated(host: &Host<'_>) -> Result<Csr, InputFileError> {
    let nodes = host.size(host.scale().pick(96, 1024, 1024), 1..=65_536)?;
    Ok(network::uniform(nodes, nodes * host.scale().pick(12, 128, 128), 100, &mut host.rng(1)))
}

/// Adds the dependencies of one source (Brandes, 2001).
fn brandes(graph: &Csr, source: usize, centrality: &mut [f64]) {
    let nodes = graph.nodes();
    let (mut level, mut paths, mut dependency) =
        (vec![usize::MAX; nodes], vec![0.0f64; nodes], vec![0.0f64; nodes]);
    (level[source], paths[source]) = (0, 1.0);
    let mut order = Vec::new();
    let mut queue = VecDeque::from([source]);
    while let Some(node) = queue.pop_front() {
        order.push(node);
        for &other in graph.neighbours(node) {
            let other = other as usize;
            if level[other] == usize::MAX {
                level[other] = level[node] + 1;
                queue.push_back(other);
            }
            if level[other] == level[node] + 1 {
                paths[other] += paths[node];
            }
        }
    }
    for &node in order.iter().rev() {
        let after = graph.neighbours(node).iter().filter(|&&other| level[other as usize] == level[node] + 1);
        dependency[node] =
            after.map(|&o| paths[node] / paths[o as usize] * (1.0 + dependency[o as usize])).sum();
        if node != source {
            centrality[node] += dependency[node];
        }
    }
}
