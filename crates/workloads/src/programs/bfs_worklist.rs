//! Breadth-first search on a worklist over a road-like graph: many small frontiers.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph;
use crate::programs::bfs;
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "bfs-worklist",
    summary: "breadth-first search on a worklist",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "P.BFS"), (Paper::Dsm, "P-BFS"), (Paper::E2mc, "BFS2")],
    is_cache_sensitive: false,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("level", ElementType::I32),
        exact("frontier", ElementType::I32),
        exact("next", ElementType::I32),
        exact("next_count", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/bfs-worklist.ptx"),
    run,
};

const THREADS: u32 = 256;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let side = host.scale().pick(24, 256, 1024);
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => graph::road(side, side, 0.1, 10, &mut host.rng(1)),
    };
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
    host.check("level", level, &bfs::reference(&graph, start), Tolerance::Exact)
}
