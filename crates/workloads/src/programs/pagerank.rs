//! PageRank by power iteration over a graph of co-authors.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::{graph, network};
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable, exact};

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
        approximable("entry", ElementType::F32),
        approximable("rank", ElementType::F32),
        approximable("gathered", ElementType::F32),
        exact("out_degree", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: &[DataSet::new(
        "coauthors",
        "as coAuthorsDBLP: authors of common papers are neighbours, 6.3 on average",
    )],
    ptx: include_str!("../../kernels/pagerank.ptx"),
    run,
};

const THREADS: u32 = 64;
const DAMPING: f64 = 0.85;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let rounds: usize = host.scale().pick(3, 2, 20);
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => network::coauthors(
            host.size(host.scale().pick(400, 24_000, 299_067), 1..=1 << 22)?,
            &mut host.rng(1),
        ),
    };
    let nodes = graph.nodes();
    // Ranks flow along edges: a node gathers from its predecessors. A given graph may be directed.
    let incoming = graph.reversed();
    let out_degree: Vec<i32> = (0..nodes).map(|node| graph.out_edges(node).len() as i32).collect();

    let row = host.upload("row", &incoming.row)?;
    let col = host.upload("col", &incoming.col)?;
    let entry = host.zeros::<f32>("entry", incoming.edges())?;
    let rank_buffer = host.zeros::<f32>("rank", nodes)?;
    let gathered = host.zeros::<f32>("gathered", nodes)?;
    let degrees = host.upload("out_degree", &out_degree)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    host.launch("start_ranks", grid, block, args![rank_buffer, gathered, nodes])?;
    let edges = incoming.edges();
    host.launch("fill_matrix", grid, block, args![row, col, entry, degrees, nodes, edges])?;
    for _ in 0..rounds {
        host.launch("gather_ranks", grid, block, args![nodes, row, col, entry, rank_buffer, gathered])?;
        host.launch("damp", grid, block, args![rank_buffer, gathered, nodes])?;
    }
    let mut rank = vec![1.0 / nodes as f64; nodes];
    for _ in 0..rounds {
        let shared: Vec<f64> =
            rank.iter().zip(&out_degree).map(|(rank, &degree)| rank / f64::from(degree.max(1))).collect();
        let of_node = |node: usize| -> f64 {
            incoming.neighbours(node).iter().map(|&from| shared[from as usize]).sum()
        };
        rank = (0..nodes).map(|node| (1.0 - DAMPING) / nodes as f64 + DAMPING * of_node(node)).collect();
    }
    let expected: Vec<f32> = rank.iter().map(|&rank| rank as f32).collect();
    host.check("rank", rank_buffer, &expected, Tolerance::Relative { relative: 1e-4, floor: 1e-9 })
}
