//! All-pairs shortest paths of a dense distance matrix.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputError};
use crate::host::Host;
use crate::input::graph::{self, Csr};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Scale, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "floyd-warshall",
    summary: "all-pairs shortest paths",
    class: Class::Integer,
    papers: &[(Paper::Latte, "FW")],
    is_cache_sensitive: true,
    buffers: &[exact("distance", ElementType::I32)],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/floyd-warshall.ptx"),
    run,
};

const TILE: u32 = 16;
/// No path; twice this still fits.
const FAR: i32 = 1 << 28;
const MAX_NODES: usize = 4096;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => generated(host),
    };
    let nodes = graph.nodes();
    if nodes > MAX_NODES {
        return Err(InputError::at(
            0,
            format!("the graph has {nodes} nodes; a dense matrix takes up to {MAX_NODES}"),
        )
        .into());
    }
    let mut distance = vec![FAR; nodes * nodes];
    for from in 0..nodes {
        distance[from * nodes + from] = 0;
        for edge in graph.out_edges(from) {
            distance[from * nodes + graph.col[edge] as usize] = graph.weight[edge];
        }
    }
    let buffer = host.upload("distance", &distance)?;
    let tiles = (nodes as u32).div_ceil(TILE);
    for via in 0..nodes {
        host.launch("floyd_warshall", [tiles, tiles, 1], [TILE, TILE, 1], args![buffer, nodes, via])?;
    }
    for via in 0..nodes {
        for from in 0..nodes {
            let first = distance[from * nodes + via];
            for to in 0..nodes {
                let detour = first + distance[via * nodes + to];
                let known = &mut distance[from * nodes + to];
                *known = detour.min(*known);
            }
        }
    }
    host.check("distance", buffer, &distance, Tolerance::Exact)
}

/// Roads; at paper scale 256 nodes with 64 edges each.
fn generated(host: &Host<'_>) -> Csr {
    let mut rng = host.rng(1);
    match host.scale() {
        Scale::Paper => graph::rmat(8, 64, 100, &mut rng),
        Scale::Tiny => graph::road(5, 5, 0.05, 100, &mut rng),
        Scale::Small => graph::road(10, 10, 0.05, 100, &mut rng),
    }
}
