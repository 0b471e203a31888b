//! Betweenness centrality from a few sources.

use std::collections::VecDeque;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "bc",
    summary: "betweenness centrality",
    class: Class::Mixed,
    papers: &[(Paper::Latte, "BC")],
    is_cache_sensitive: true,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("level", ElementType::I32),
        approximable("paths", ElementType::F32),
        approximable("dependency", ElementType::F32),
        approximable("centrality", ElementType::F32),
        exact("is_active", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/bc.ptx"),
    run,
};

const THREADS: u32 = 256;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => graph::rmat(host.scale().pick(8, 12, 10), host.scale().pick(8, 8, 128), 10, &mut host.rng(1)),
    };
    let graph = graph.symmetric();
    let nodes = graph.nodes();
    let mut by_degree: Vec<usize> = (0..nodes).collect();
    by_degree.sort_by_key(|&node| (usize::MAX - graph.out_edges(node).len(), node));
    let sources = &by_degree[..host.scale().pick(2, 4, 512).min(nodes)];

    let row = host.upload("row", &graph.row)?;
    let col = host.upload("col", &graph.col)?;
    let level = host.zeros::<i32>("level", nodes)?;
    let paths = host.zeros::<f32>("paths", nodes)?;
    let dependency = host.zeros::<f32>("dependency", nodes)?;
    let centrality = host.zeros::<f32>("centrality", nodes)?;
    let is_active = host.zeros::<i32>("is_active", 1)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    for &source in sources {
        let (mut first_level, mut first_paths) = (vec![-1i32; nodes], vec![0.0f32; nodes]);
        (first_level[source], first_paths[source]) = (0, 1.0);
        host.write(level, &first_level)?;
        host.write(paths, &first_paths)?;
        host.write(dependency, &vec![0.0f32; nodes])?;
        let mut depth = 0i32;
        loop {
            host.write(is_active, &[0])?;
            host.launch("bc_forward", grid, block, args![row, col, level, paths, is_active, depth, nodes])?;
            if host.download(is_active)? == [0] {
                break;
            }
            depth += 1;
        }
        for depth in (0..depth).rev() {
            host.launch("bc_backward", grid, block, args![row, col, level, paths, dependency, depth, nodes])?;
        }
        host.launch("bc_accumulate", grid, block, args![dependency, centrality, source, nodes])?;
    }
    let mut expected = vec![0.0f64; nodes];
    for &source in sources {
        brandes(&graph, source, &mut expected);
    }
    let expected: Vec<f32> = expected.iter().map(|&value| value as f32).collect();
    host.check("centrality", centrality, &expected, Tolerance::relative(1e-3))
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
