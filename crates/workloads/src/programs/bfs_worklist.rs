//! Breadth-first search in the two forms that the papers ran: Parboil's worklist over roads, and LonestarGPU's, which takes
//! every node of a random graph in every round.

use super::lonestar::{self, EdgeLength, FAR};
use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::input::network;
use crate::programs::bfs;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, InputKind, Paper, Workload, exact, joined};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "bfs-worklist",
    summary: "breadth-first search on a worklist",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "P.BFS"), (Paper::Dsm, "P-BFS"), (Paper::E2mc, "BFS2")],
    is_cache_sensitive: false,
    buffers: &BUFFERS,
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new("roads", "Parboil's program on roads: a grid of crossings with 70 % of its streets"),
        DataSet::new(
            "lonestar",
            "LonestarGPU's program, variant 0, on a uniform random graph: four edges per node",
        )
        .revised(2)
        .of(&[Paper::E2mc]),
    ],
    ptx: include_str!("../../kernels/bfs-worklist.ptx"),
    run,
};

const WORKLIST: &[BufferInfo] = &[
    exact("row", ElementType::I32),
    exact("col", ElementType::I32),
    exact("level", ElementType::I32),
    exact("frontier", ElementType::I32),
    exact("next", ElementType::I32),
    exact("next_count", ElementType::I32),
];
const BUFFERS: [BufferInfo; 16] = joined(&[WORKLIST, &lonestar::BUFFERS]);

const THREADS: u32 = 512;
const STREETS: f64 = 0.70;
const DEGREE: usize = 4;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    if host.data() == "lonestar" {
        return every_node(host);
    }
    let nodes: usize = host.size(host.scale().pick(576, 1 << 16, 1 << 20), 1..=1 << 22)?;
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => network::roads(nodes.isqrt(), STREETS, 10, &mut host.rng(1)),
    };
    worklist(host, &graph)
}

fn worklist(host: &mut Host<'_>, graph: &Csr) -> Result<(), Failure> {
    let (nodes, start) = (graph.nodes(), graph.hub());
    let mut levels = vec![-1i32; nodes];
    levels[start] = 0;

    let row = host.upload("row", &graph.row)?;
    let col = host.upload("col", &graph.col)?;
    let level = host.upload("level", &levels)?;
    let mut frontier = host.zeros::<i32>("frontier", nodes)?;
    let mut next = host.zeros::<i32>("next", nodes)?;
    let next_count = host.zeros::<i32>("next_count", 1)?;
    host.write(frontier, &[start as i32])?;
    let (mut count, mut depth) = (1usize, 1i32);
    while count > 0 {
        host.write(next_count, &[0])?;
        let arguments = args![row, col, level, frontier, count, next, next_count, depth];
        host.launch("bfs_worklist", grid_for(count, THREADS), [THREADS, 1, 1], arguments)?;
        count = host.download(next_count)?[0] as usize;
        depth += 1;
        std::mem::swap(&mut frontier, &mut next);
    }
    host.check("level", level, &bfs::reference(graph, start), Tolerance::Exact)
}

fn every_node(host: &mut Host<'_>) -> Result<(), Failure> {
    let nodes = host.size(host.scale().pick(600, 24_576, 1 << 19), 1..=1 << 22)?;
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => network::regular(nodes, DEGREE, 100, &mut host.rng(1)),
    };
    let distance = lonestar::relax_all(host, &graph, EdgeLength::One)?;
    let levels = bfs::reference(&graph, 0);
    let expected: Vec<u32> = levels.iter().map(|&level| u32::try_from(level).unwrap_or(FAR)).collect();
    host.check("distance", distance, &expected, Tolerance::Exact)
}
