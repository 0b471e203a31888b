//! What the LonestarGPU programs share: the graph on the device (degrees, rows, and edges that are numbered from 1), and
//! the rounds that relax its edges.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Arg, Buffer, Host, grid_for};
use crate::input::graph::Csr;
use crate::workload::{BufferInfo, ElementType, exact, joined};

/// Threads of a thread block: as many as a thread block may have.
pub(crate) const THREADS: u32 = 1024;
/// Distance of a node that no path reaches.
pub(crate) const FAR: u32 = 1_000_000_000;

/// The buffers of a graph.
pub(crate) const GRAPH: &[BufferInfo] = &[
    exact("out_degree", ElementType::U32),
    exact("in_degree", ElementType::U32),
    exact("place", ElementType::U32),
    exact("first_edge", ElementType::U32),
    exact("head", ElementType::U32),
    exact("weight", ElementType::U32),
    exact("largest", ElementType::U32),
];

/// The buffers of a program that relaxes edges.
pub(crate) const BUFFERS: [BufferInfo; 10] = joined(&[
    GRAPH,
    &[
        exact("distance", ElementType::U32),
        exact("changed", ElementType::U8),
        exact("wrong", ElementType::U32),
    ],
]);

/// What an edge adds to a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeLength {
    /// One, so that distances are levels.
    One,
    /// Its weight, which the kernels take as an argument.
    Weight,
}

/// In which order the parts of a graph are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As the originals do.
    EdgesFirst,
    /// As the breadth-first search of this suite does.
    NodesFirst,
}

/// Relaxes the edges of every node, round after round, until a round changes nothing; a last launch looks for a distance
/// that could be shorter. Returns the distances from node 0.
pub(crate) fn relax_all(
    host: &mut Host<'_>,
    graph: &Csr,
    length: EdgeLength,
) -> Result<Buffer<u32>, Failure> {
    let (nodes, edges) = (graph.nodes(), graph.edges());
    let order = if length == EdgeLength::Weight { Order::EdgesFirst } else { Order::NodesFirst };
    let Graph { out_degree, place, first_edge, head, weight } = upload(host, graph, order)?;
    let (distance, changed, wrong) = match order {
        Order::NodesFirst => (
            host.zeros::<u32>("distance", nodes)?,
            host.zeros::<u8>("changed", 1)?,
            host.zeros::<u32>("wrong", 1)?,
        ),
        Order::EdgesFirst => {
            let wrong = host.zeros("wrong", 1)?;
            let distance = host.zeros("distance", nodes)?;
            (distance, host.zeros("changed", 1)?, wrong)
        }
    };
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    let arguments = |result: Arg| -> Vec<Arg> {
        let mut arguments = args![distance, nodes, edges, out_degree, place, first_edge, head].to_vec();
        arguments.extend((length == EdgeLength::Weight).then_some(Arg::from(weight)));
        arguments.push(result);
        arguments
    };
    host.launch("start", grid, block, args![distance, nodes])?;
    host.write(distance, &[0u32])?;
    host.launch_until_unchanged(changed, |host| {
        host.launch("relax", grid, block, &arguments(changed.into()))
    })?;
    host.launch("verify", grid, block, &arguments(wrong.into()))?;
    host.check("wrong", wrong, &[0], Tolerance::Exact)?;
    Ok(distance)
}

/// The graph on the device. The programs of this suite do not read `in_degree`; the originals have it, too.
pub(crate) struct Graph {
    pub out_degree: Buffer<u32>,
    pub place: Buffer<u32>,
    pub first_edge: Buffer<u32>,
    pub head: Buffer<u32>,
    pub weight: Buffer<u32>,
}

/// Copies a graph to the device: edges before nodes, as the originals do, or nodes before edges.
pub(crate) fn upload(host: &mut Host<'_>, graph: &Csr, order: Order) -> Result<Graph, Failure> {
    let nodes = graph.nodes();
    let out_degree: Vec<u32> = (0..nodes).map(|node| graph.out_edges(node).len() as u32).collect();
    let mut in_degree = vec![0u32; nodes];
    graph.col.iter().for_each(|&head| in_degree[head as usize] += 1);
    let place: Vec<u32> = (0..nodes as u32).collect();
    let mut first_edge: Vec<u32> = graph.row[..nodes].iter().map(|&edge| edge as u32 + 1).collect();
    let from_one = |numbers: &[i32]| -> Vec<u32> {
        std::iter::once(0).chain(numbers.iter().map(|&number| number as u32)).collect()
    };
    let (heads, weights) = (from_one(&graph.col), from_one(&graph.weight));
    if order == Order::NodesFirst {
        let out_degree = host.upload("out_degree", &out_degree)?;
        host.upload("in_degree", &in_degree)?;
        return Ok(Graph {
            out_degree,
            place: host.upload("place", &place)?,
            first_edge: host.upload("first_edge", &first_edge)?,
            head: host.upload("head", &heads)?,
            weight: host.upload("weight", &weights)?,
        });
    }
    let head = host.upload("head", &heads)?;
    let weight = host.upload("weight", &weights)?;
    first_edge.push(0);
    let first_edge = host.upload("first_edge", &first_edge)?;
    let out_degree = host.upload("out_degree", &out_degree)?;
    host.upload("in_degree", &in_degree)?;
    let place = host.upload("place", &place)?;
    // The largest degrees, which these programs do not use.
    host.zeros::<u32>("largest", 1)?;
    host.zeros::<u32>("largest", 1)?;
    Ok(Graph { out_degree, place, first_edge, head, weight })
}
