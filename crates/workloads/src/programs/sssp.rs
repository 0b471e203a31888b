//! Single-source shortest paths over a random graph: every node in every round.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::lonestar::{self, EdgeLength, FAR};
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::graph::{self, Csr};
use crate::input::network;
use crate::workload::{Class, DataSet, InputKind, Paper, Workload};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "sssp",
    summary: "single-source shortest paths, topology-driven",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "L.SSSP"), (Paper::E2mc, "SSSP")],
    is_cache_sensitive: false,
    buffers: &lonestar::BUFFERS,
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new(
            "random",
            "as LonestarGPU's uniform random graphs: four edges per node, weights 1 to 100",
        )
        .revised(3),
        DataSet::new("roads", "as LonestarGPU's road graphs: a grid of crossings with 70 % of its streets")
            .revised(3),
    ],
    ptx: include_str!("../../kernels/sssp.ptx"),
    run,
};

const DEGREE: usize = 4;
const MAX_WEIGHT: u32 = 100;
const STREETS: f64 = 0.70;
const SOURCE: usize = 0;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let nodes = host.size(host.scale().pick(400, 16_384, 1 << 18), 1..=1 << 22)?;
    let graph = match (host.input_text()?, host.data()) {
        (Some(text), _) => graph::parse(text)?,
        (None, "random") => network::regular(nodes, DEGREE, MAX_WEIGHT, &mut host.rng(1)),
        (None, _) => network::roads(nodes.isqrt(), STREETS, MAX_WEIGHT, &mut host.rng(1)),
    };
    let distance = lonestar::relax_all(host, &graph, EdgeLength::Weight)?;
    host.check("distance", distance, &dijkstra(&graph, SOURCE), Tolerance::Exact)
}

/// Distances by Dijkstra's algorithm; [`FAR`] where no path leads.
fn dijkstra(graph: &Csr, start: usize) -> Vec<u32> {
    let mut distance = vec![FAR; graph.nodes()];
    distance[start] = 0;
    let mut queue = BinaryHeap::from([(Reverse(0), start)]);
    while let Some((Reverse(here), node)) = queue.pop() {
        if here > distance[node] {
            continue;
        }
        for edge in graph.out_edges(node) {
            let (other, way) = (graph.col[edge] as usize, here + graph.weight[edge] as u32);
            if way < distance[other] {
                distance[other] = way;
                queue.push((Reverse(way), other));
            }
        }
    }
    distance
}
