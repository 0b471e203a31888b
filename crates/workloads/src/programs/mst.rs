//! Minimum spanning tree (forest) by Borůvka's rounds, with components as a forest of links.

use super::lonestar::{self, Order, THREADS};
use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Arg, Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::input::network;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, InputKind, Paper, Workload, exact, joined};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "mst",
    summary: "minimum spanning tree (Borůvka)",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "L.MST")],
    is_cache_sensitive: false,
    buffers: &BUFFERS,
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new("grid", "as LonestarGPU's 2d-2e20: a grid of nodes with random weights").revised(2),
        DataSet::new("roads", "as LonestarGPU's road graphs: a grid of crossings with 70 % of its streets")
            .revised(2),
        DataSet::new("rmat", "as LonestarGPU's rmat12: a power-law graph").revised(2),
    ],
    ptx: include_str!("../../kernels/mst.ptx"),
    run,
};

const BUFFERS: [BufferInfo; 20] = joined(&[
    lonestar::GRAPH,
    &[
        exact("link", ElementType::U32),
        exact("size", ElementType::U32),
        exact("count", ElementType::U32),
        exact("tree_weight", ElementType::U32),
        exact("own_lightest", ElementType::U32),
        exact("lightest", ElementType::U32),
        exact("partner", ElementType::U32),
        exact("locks", ElementType::U32),
        exact("is_chosen", ElementType::U8),
        exact("chosen", ElementType::U32),
        exact("is_repeated", ElementType::U8),
        exact("tree_edges", ElementType::U32),
        exact("arrived", ElementType::U32),
    ],
]);

/// Threads of a thread block that joins components.
const JOIN_THREADS: u32 = 384;
const MAX_WEIGHT: u32 = 1000;
const STREETS: f64 = 0.70;
/// Edges that R-MAT draws for a node.
const DEGREE: usize = 8;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let nodes = host.size(host.scale().pick(400, 128 * 128, 512 * 512), 1..=1 << 22)?;
    let rng = &mut host.rng(1);
    let graph = match (host.input_text()?, host.data()) {
        (Some(text), _) => graph::parse(text)?.symmetric(),
        (None, "grid") => graph::road(nodes.isqrt(), nodes.isqrt(), 0.0, MAX_WEIGHT, rng),
        (None, "roads") => network::roads(nodes.isqrt(), STREETS, MAX_WEIGHT, rng),
        (None, _) => graph::rmat(nodes.max(2).ilog2(), DEGREE, MAX_WEIGHT, rng).symmetric(),
    };
    let (nodes, edges) = (graph.nodes(), graph.edges());
    let lonestar::Graph { out_degree, place, first_edge, head, weight } =
        lonestar::upload(host, &graph, Order::EdgesFirst)?;
    let count = host.upload("count", &[nodes as u32])?;
    let size = host.zeros::<u32>("size", nodes)?;
    let link = host.zeros::<u32>("link", nodes)?;
    let tree_weight = host.zeros::<u32>("tree_weight", 1)?;
    let own_lightest = host.zeros::<u32>("own_lightest", nodes)?;
    let lightest = host.zeros::<u32>("lightest", nodes)?;
    let partner = host.zeros::<u32>("partner", nodes)?;
    let locks = host.zeros::<u32>("locks", nodes)?;
    let is_chosen = host.zeros::<u8>("is_chosen", nodes)?;
    let chosen = host.zeros::<u32>("chosen", nodes)?;
    let is_repeated = host.zeros::<u8>("is_repeated", 1)?;
    let tree_edges = host.zeros::<u32>("tree_edges", 1)?;
    let join_blocks = host.resident_blocks("join_components", JOIN_THREADS)?;
    let arrived = host.zeros::<u32>("arrived", join_blocks as usize)?;

    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    let with_graph = |more: &[Arg]| -> Vec<Arg> {
        // The fourth from the end is a node that all threads would take, were it one.
        let graph =
            args![nodes, edges, out_degree, place, first_edge, head, weight, nodes, link, size, count];
        [graph, more].concat()
    };
    host.launch("start_components", grid, block, args![link, size, nodes])?;
    let mut components = nodes as u32;
    loop {
        let arguments = args![own_lightest, lightest, partner, locks, is_chosen, chosen, nodes, nodes];
        host.launch("start_round", grid, block, arguments)?;
        host.launch("find_lightest", grid, block, &with_graph(args![own_lightest, lightest, partner]))?;
        let arguments = with_graph(args![own_lightest, lightest, partner, chosen]);
        host.launch("choose_node", grid, block, &arguments)?;
        let arguments = with_graph(args![lightest, partner, is_chosen, chosen]);
        host.launch("verify_choice", grid, block, &arguments)?;
        host.launch_until_unchanged(is_repeated, |host| {
            let arguments = args![
                nodes,
                link,
                size,
                count,
                own_lightest,
                partner,
                is_chosen,
                arrived,
                is_repeated,
                tree_weight,
                tree_edges
            ];
            host.launch("join_components", [join_blocks, 1, 1], [JOIN_THREADS, 1, 1], arguments)
        })?;
        let before = components;
        components = host.download(count)?[0];
        if components == before {
            break;
        }
    }

    let forest = kruskal(&graph);
    host.check("tree_weight", tree_weight, &[forest.weight], Tolerance::Exact)?;
    host.check("tree_edges", tree_edges, &[forest.edges], Tolerance::Exact)?;
    let links = host.download(link)?;
    host.check_values("link", &smallest_members(&links), &forest.components, Tolerance::Exact)
}

/// A minimum spanning forest. Equal weights leave a choice of edges, but not of their sum.
struct Forest {
    weight: u32,
    edges: u32,
    /// The smallest node of each node's component.
    components: Vec<u32>,
}

fn kruskal(graph: &Csr) -> Forest {
    let mut edges: Vec<(i32, usize, usize)> = (0..graph.nodes())
        .flat_map(|node| {
            graph.out_edges(node).map(move |edge| (graph.weight[edge], node, graph.col[edge] as usize))
        })
        .filter(|&(_, tail, head)| tail < head)
        .collect();
    edges.sort_unstable();
    let mut links: Vec<u32> = (0..graph.nodes() as u32).collect();
    let (mut weight, mut count) = (0, 0);
    for (edge_weight, tail, head) in edges {
        let (a, b) = (find(&mut links, tail), find(&mut links, head));
        if a != b {
            links[a.max(b)] = a.min(b) as u32;
            weight += edge_weight as u32;
            count += 1;
        }
    }
    Forest { weight, edges: count, components: smallest_members(&links) }
}

/// The smallest node among those that links lead to the same place.
fn smallest_members(links: &[u32]) -> Vec<u32> {
    let mut links = links.to_vec();
    let tops: Vec<usize> = (0..links.len()).map(|node| find(&mut links, node)).collect();
    let mut smallest = vec![u32::MAX; links.len()];
    for (node, &top) in tops.iter().enumerate() {
        smallest[top] = smallest[top].min(node as u32);
    }
    tops.iter().map(|&top| smallest[top]).collect()
}

/// Where a node's links lead; paths are halved on the way.
fn find(links: &mut [u32], node: usize) -> usize {
    let mut top = node;
    while links[top] as usize != top {
        links[top] = links[links[top] as usize];
        top = links[top] as usize;
    }
    top
}
