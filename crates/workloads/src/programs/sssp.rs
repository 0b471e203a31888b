//! Single-source shortest paths on a worklist over a road-like graph.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "sssp",
    summary: "single-source shortest paths, worklist",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "L.SSSP"), (Paper::E2mc, "SSSP")],
    is_cache_sensitive: false,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("weight", ElementType::I32),
        exact("distance", ElementType::I32),
        exact("list", ElementType::I32),
        exact("next", ElementType::I32),
        exact("next_count", ElementType::I32),
        exact("queued_in", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/sssp.ptx"),
    run,
};

const THREADS: u32 = 256;
/// No path; adding a weight to it does not overflow.
pub(crate) const FAR: i32 = 1 << 30;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let side = host.scale().pick(20, 112, 512);
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => graph::road(side, side, 0.1, 100, &mut host.rng(1)),
    };
    let (nodes, start) = (graph.nodes(), graph.hub());
    let mut first = vec![FAR; nodes];
    first[start] = 0;

    let row = host.upload("row", &graph.row)?;
    let col = host.upload("col", &graph.col)?;
    let weight = host.upload("weight", &graph.weight)?;
    let distance = host.upload("distance", &first)?;
    let mut list = host.zeros::<i32>("list", nodes)?;
    let mut next = host.zeros::<i32>("next", nodes)?;
    let next_count = host.zeros::<i32>("next_count", 1)?;
    let queued_in = host.zeros::<i32>("queued_in", nodes)?;
    host.write(list, &[start as i32])?;
    let (mut count, mut round) = (1usize, 1i32);
    while count > 0 {
        host.write(next_count, &[0])?;
        let arguments = args![row, col, weight, distance, list, count, next, next_count, queued_in, round];
        host.launch("relax", grid_for(count, THREADS), [THREADS, 1, 1], arguments)?;
        count = host.download(next_count)?[0] as usize;
        round += 1;
        std::mem::swap(&mut list, &mut next);
    }
    host.check("distance", distance, &dijkstra(&graph, start), Tolerance::Exact)
}

/// Distances by Dijkstra's algorithm; [`FAR`] where no path leads.
pub(crate) fn dijkstra(graph: &Csr, start: usize) -> Vec<i32> {
    let mut distance = vec![FAR; graph.nodes()];
    distance[start] = 0;
    let mut queue = BinaryHeap::from([(Reverse(0), start)]);
    while let Some((Reverse(here), node)) = queue.pop() {
        if here > distance[node] {
            continue;
        }
        for edge in graph.out_edges(node) {
            let (other, way) = (graph.col[edge] as usize, here + graph.weight[edge]);
            if way < distance[other] {
                distance[other] = way;
                queue.push((Reverse(way), other));
            }
        }
    }
    distance
}
