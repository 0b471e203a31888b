//! PageRank by power iteration over a power-law graph.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph;
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "pagerank",
    summary: "PageRank as sparse matrix-vector products",
    class: Class::Mixed,
    papers: &[(Paper::Latte, "PRK")],
    is_cache_sensitive: true,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("out_degree", ElementType::I32),
        approximable("rank", ElementType::F32),
        approximable("share", ElementType::F32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/pagerank.ptx"),
    run,
};

const THREADS: u32 = 256;
const DAMPING: f32 = 0.85;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let rounds: usize = host.scale().pick(3, 4, 10);
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => graph::rmat(host.scale().pick(9, 14, 18), host.scale().pick(12, 12, 8), 10, &mut host.rng(1)),
    };
    let nodes = graph.nodes();
    // Ranks flow along edges: a node gathers from its predecessors. A given graph may be directed.
    let incoming = graph.reversed();
    let out_degree: Vec<i32> = (0..nodes).map(|node| graph.out_edges(node).len() as i32).collect();
    let mut rank = vec![1.0 / nodes as f32; nodes];

    let row = host.upload("row", &incoming.row)?;
    let col = host.upload("col", &incoming.col)?;
    let degrees = host.upload("out_degree", &out_degree)?;
    let rank_buffer = host.upload("rank", &rank)?;
    let share = host.zeros::<f32>("share", nodes)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    for _ in 0..rounds {
        host.launch("spread", grid, block, args![rank_buffer, degrees, share, nodes])?;
        host.launch("gather_ranks", grid, block, args![row, col, share, rank_buffer, DAMPING, nodes])?;
    }
    for _ in 0..rounds {
        let shared: Vec<f64> = rank
            .iter()
            .zip(&out_degree)
            .map(|(&rank, &degree)| f64::from(rank) / f64::from(degree.max(1)))
            .collect();
        let gathered = |node: usize| -> f64 {
            incoming.neighbours(node).iter().map(|&from| shared[from as usize]).sum()
        };
        let base = f64::from(1.0 - DAMPING) / nodes as f64;
        rank = (0..nodes).map(|node| (base + f64::from(DAMPING) * gathered(node)) as f32).collect();
    }
    host.check("rank", rank_buffer, &rank, Tolerance::Relative { relative: 1e-4, floor: 1e-9 })
}
