//! All-pairs shortest paths of a dense distance matrix.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::input::graph::{self, Csr};
use crate::input::network;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "floyd-warshall",
    summary: "all-pairs shortest paths",
    class: Class::Integer,
    papers: &[(Paper::Latte, "FW")],
    is_cache_sensitive: true,
    buffers: &[exact("distance", ElementType::I32), exact("next", ElementType::I32)],
    input: Some(InputKind::Graph),
    data_sets: &[DataSet::new(
        "uniform",
        "as Pannotia's 256_16384.gr: one pair in four has an edge, weights 0 to 100",
    )],
    ptx: include_str!("../../kernels/floyd-warshall.ptx"),
    run,
};

const TILE: u32 = 16;
/// No path; twice this still fits.
const FAR: i32 = 999_999;
const MAX_NODES: usize = 4096;
/// One pair in four has an edge, of weight 0 to 100.
const SHARE_OF_EDGES: usize = 4;
const MAX_WEIGHT: u32 = 100;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => generated(host)?,
    };
    let nodes = graph.nodes();
    if nodes > MAX_NODES {
        return Err(InputFileError::at(
            0,
            format!("the graph has {nodes} nodes; a dense matrix takes up to {MAX_NODES}"),
        )
        .into());
    }
    let mut distance = vec![FAR; nodes * nodes];
    for from in 0..nodes {
        for edge in graph.out_edges(from) {
            distance[from * nodes + graph.col[edge] as usize] = graph.weight[edge];
        }
        distance[from * nodes + from] = 0;
    }
    let mut next = vec![0i32; nodes * nodes];
    let buffer = host.upload("distance", &distance)?;
    let next_buffer = host.zeros::<i32>("next", nodes * nodes)?;
    let tiles = (nodes as u32).div_ceil(TILE);
    // The original begins with the second node. At small scale the first 16 launches represent all: each is like the other.
    let last = host.scale().pick(nodes, 9, nodes).min(nodes);
    let (grid, block) = ([tiles, tiles, 1], [TILE, TILE, 1]);
    for via in 1..last {
        host.launch("floyd_warshall", grid, block, args![buffer, next_buffer, nodes, via])?;
    }
    for via in 1..last {
        for from in 0..nodes {
            for to in 0..nodes {
                let detour = distance[from * nodes + via] + distance[via * nodes + to];
                if detour < distance[from * nodes + to] {
                    distance[from * nodes + to] = detour;
                    next[from * nodes + to] = via as i32;
                }
            }
        }
    }
    host.check("distance", buffer, &distance, Tolerance::Exact)?;
    host.check("next", next_buffer, &next, Tolerance::Exact)
}

/// Random edges, as in Pannotia's `256_16384.gr`.
fn generated(host: &Host<'_>) -> Result<Csr, InputFileError> {
    let nodes = host.size(host.scale().pick(24, 256, 256), 1..=4096)?;
    Ok(network::uniform(nodes, nodes * nodes / SHARE_OF_EDGES, MAX_WEIGHT, &mut host.rng(1)))
}
