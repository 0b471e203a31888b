//! Minimum spanning tree (forest) by Borůvka's rounds.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph;
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "mst",
    summary: "minimum spanning tree (Borůvka)",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "L.MST")],
    is_cache_sensitive: false,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        exact("weight", ElementType::I32),
        exact("number", ElementType::I32),
        exact("tail", ElementType::I32),
        exact("head", ElementType::I32),
        exact("component", ElementType::I32),
        exact("parent", ElementType::I32),
        exact("cheapest_weight", ElementType::I32),
        exact("cheapest_number", ElementType::I32),
        exact("in_tree", ElementType::I32),
        exact("is_changed", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/mst.ptx"),
    run,
};

const THREADS: u32 = 256;
const NONE: i32 = i32::MAX;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let side = host.scale().pick(16, 96, 512);
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => graph::road(side, side, 0.05, 1000, &mut host.rng(1)),
    };
    let graph = graph.symmetric();
    let nodes = graph.nodes();
    let (number, edges) = undirected(&graph);
    let tails: Vec<i32> = edges.iter().map(|edge| edge.1).collect();
    let heads: Vec<i32> = edges.iter().map(|edge| edge.2).collect();
    let labels: Vec<i32> = (0..nodes as i32).collect();

    let row = host.upload("row", &graph.row)?;
    let col = host.upload("col", &graph.col)?;
    let weight = host.upload("weight", &graph.weight)?;
    let numbers = host.upload("number", &number)?;
    let tail = host.upload("tail", &tails)?;
    let head = host.upload("head", &heads)?;
    let component = host.upload("component", &labels)?;
    let parent = host.upload("parent", &labels)?;
    let cheapest = host.zeros::<i32>("cheapest_weight", nodes)?;
    let chosen = host.zeros::<i32>("cheapest_number", nodes)?;
    let in_tree = host.zeros::<i32>("in_tree", edges.len())?;
    let is_changed = host.zeros::<i32>("is_changed", 1)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    loop {
        host.write(cheapest, &vec![NONE; nodes])?;
        host.write(chosen, &vec![NONE; nodes])?;
        host.write(is_changed, &[0])?;
        host.launch(
            "find_cheapest",
            grid,
            block,
            args![row, col, weight, numbers, component, cheapest, nodes],
        )?;
        host.launch(
            "find_number",
            grid,
            block,
            args![row, col, weight, numbers, component, cheapest, chosen, nodes],
        )?;
        host.launch(
            "connect",
            grid,
            block,
            args![tail, head, component, chosen, parent, in_tree, is_changed, nodes],
        )?;
        if host.download(is_changed)? == [0] {
            break;
        }
        host.launch("compress", grid, block, args![component, parent, nodes])?;
    }
    host.check("in_tree", in_tree, &kruskal(nodes, &edges), Tolerance::Exact)
}

/// The number of each directed edge's undirected twin, and `(weight, tail, head)` by number.
fn undirected(graph: &graph::Csr) -> (Vec<i32>, Vec<(i32, i32, i32)>) {
    let mut edges = Vec::new();
    let mut number = vec![0i32; graph.edges()];
    for node in 0..graph.nodes() {
        for edge in graph.out_edges(node) {
            let other = graph.col[edge] as usize;
            if node < other {
                number[edge] = edges.len() as i32;
                edges.push((graph.weight[edge], node as i32, other as i32));
            } else {
                let at = graph.neighbours(other).partition_point(|&third| (third as usize) < node);
                number[edge] = number[graph.out_edges(other).start + at];
            }
        }
    }
    (number, edges)
}

/// Which edges are in the forest; ties by number, as on the device, make it unique.
fn kruskal(nodes: usize, edges: &[(i32, i32, i32)]) -> Vec<i32> {
    let mut root: Vec<usize> = (0..nodes).collect();
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|&number| (edges[number].0, number));
    let mut in_tree = vec![0; edges.len()];
    for number in order {
        let (_, tail, head) = edges[number];
        let (a, b) = (find(&mut root, tail as usize), find(&mut root, head as usize));
        if a != b {
            root[a] = b;
            in_tree[number] = 1;
        }
    }
    in_tree
}

/// The root of a node's tree; paths are halved on the way.
fn find(root: &mut [usize], node: usize) -> usize {
    let mut top = node;
    while root[top] != top {
        root[top] = root[root[top]];
        top = root[top];
    }
    top
}
