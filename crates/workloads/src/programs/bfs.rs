//! Breadth-first search, level by level, over a power-law graph in compressed sparse rows.

use std::collections::VecDeque;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "bfs",
    summary: "level-synchronous breadth-first search, boolean frontier",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "R.BFS"), (Paper::E2mc, "BFS1"), (Paper::Dsm, "R-BFS"), (Paper::Latte, "BFS")],
    is_cache_sensitive: true,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("frontier", ElementType::U8),
        exact("updating", ElementType::U8),
        exact("visited", ElementType::U8),
        exact("cost", ElementType::I32),
        exact("is_active", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/bfs.ptx"),
    run,
};

const THREADS: u32 = 256;
const UNREACHED: i32 = -1;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => graph::rmat(host.scale().pick(10, 16, 20), 8, 10, &mut host.rng(1)),
    };
    let (nodes, start) = (graph.nodes(), graph.hub());
    let only_start = |mark: u8| {
        let mut flags = vec![0u8; nodes];
        flags[start] = mark;
        flags
    };
    let mut first_cost = vec![UNREACHED; nodes];
    first_cost[start] = 0;

    let row = host.upload("row", &graph.row)?;
    let col = host.upload("col", &graph.col)?;
    let frontier = host.upload("frontier", &only_start(1))?;
    let updating = host.zeros::<u8>("updating", nodes)?;
    let visited = host.upload("visited", &only_start(1))?;
    let cost = host.upload("cost", &first_cost)?;
    let is_active = host.zeros::<i32>("is_active", 1)?;

    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    loop {
        host.write(is_active, &[0])?;
        host.launch("bfs_expand", grid, block, args![row, col, frontier, updating, visited, cost, nodes])?;
        host.launch("bfs_advance", grid, block, args![frontier, updating, visited, is_active, nodes])?;
        if host.download(is_active)? == [0] {
            break;
        }
    }
    host.check("cost", cost, &reference(&graph, start), Tolerance::Exact)
}

/// Levels by an ordinary queue; -1 where no path leads.
pub(crate) fn reference(graph: &Csr, start: usize) -> Vec<i32> {
    let mut cost = vec![UNREACHED; graph.nodes()];
    cost[start] = 0;
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &other in graph.neighbours(node) {
            if cost[other as usize] == UNREACHED {
                cost[other as usize] = cost[node] + 1;
                queue.push_back(other as usize);
            }
        }
    }
    cost
}
