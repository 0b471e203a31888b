//! Single-source shortest paths over a random graph: every node in every round.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::lonestar::{self, FAR, THREADS};
use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::input::network;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "sssp",
    summary: "single-source shortest paths, topology-driven",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "L.SSSP"), (Paper::E2mc, "SSSP")],
    is_cache_sensitive: false,
    buffers: &BUFFERS,
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new(
            "random",
            "as LonestarGPU's uniform random graphs: four edges from a node, weights 1 to 100",
        ),
        DataSet::new("roads", "as LonestarGPU's road graphs: a grid of crossings with 70 % of its streets"),
    ],
    ptx: include_str!("../../kernels/sssp.ptx"),
    run,
};

const GRAPH: [BufferInfo; 6] = lonestar::graph_buffers();
const BUFFERS: [BufferInfo; 9] = [
    GRAPH[0],
    GRAPH[1],
    GRAPH[2],
    GRAPH[3],
    GRAPH[4],
    GRAPH[5],
    exact("distance", ElementType::U32),
    exact("changed", ElementType::U8),
    exact("wrong", ElementType::U32),
];

const DEGREE: usize = 4;
const MAX_WEIGHT: u32 = 100;
const STREETS: f64 = 0.70;
const SOURCE: usize = 0;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let nodes = host.size(host.scale().pick(400, 16_384, 1 << 20));
    let graph = match (host.input_text()?, host.data()) {
        (Some(text), _) => graph::parse(text)?,
        (None, "random") => network::regular(nodes, DEGREE, MAX_WEIGHT, &mut host.rng(1)),
        (None, _) => network::roads(nodes.isqrt(), STREETS, MAX_WEIGHT, &mut host.rng(1)),
    };
    let (nodes, edges) = (graph.nodes(), graph.edges());
    let device_graph = lonestar::upload(host, &graph)?;
    let lonestar::Graph { out_degree, place, first_edge, head, weight } = device_graph;
    let distance = host.zeros::<u32>("distance", nodes)?;
    let changed = host.zeros::<u8>("changed", 1)?;
    let wrong = host.zeros::<u32>("wrong", 1)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    host.launch("start", grid, block, args![distance, nodes])?;
    host.write(distance, &[0u32])?;
    loop {
        host.write(changed, &[0u8])?;
        let arguments = args![distance, nodes, edges, out_degree, place, first_edge, head, weight, changed];
        host.launch("relax", grid, block, arguments)?;
        if host.download(changed)? == [0] {
            break;
        }
    }
    let arguments = args![distance, nodes, edges, out_degree, place, first_edge, head, weight, wrong];
    host.launch("verify", grid, block, arguments)?;
    host.check("wrong", wrong, &[0], Tolerance::Exact)?;
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
