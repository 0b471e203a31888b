//! The graph of the LonestarGPU programs on the device: degrees, rows, and edges that are numbered from 1.

use crate::error::Failure;
use crate::host::{Buffer, Host};
use crate::input::graph::Csr;
use crate::workload::{BufferInfo, ElementType, exact};

/// Threads of a block: as many as a block may have.
pub(crate) const THREADS: u32 = 1024;
/// Distance of a node that no path reaches.
pub(crate) const FAR: u32 = 1_000_000_000;

/// The buffers of the graph.
pub(crate) const fn graph_buffers() -> [BufferInfo; 6] {
    [
        exact("out_degree", ElementType::U32),
        exact("in_degree", ElementType::U32),
        exact("place", ElementType::U32),
        exact("first_edge", ElementType::U32),
        exact("head", ElementType::U32),
        exact("weight", ElementType::U32),
    ]
}

/// The graph on the device. The programs of this suite do not read `in_degree`; the originals have it, too.
pub(crate) struct Graph {
    pub out_degree: Buffer<u32>,
    pub place: Buffer<u32>,
    pub first_edge: Buffer<u32>,
    pub head: Buffer<u32>,
    pub weight: Buffer<u32>,
}

pub(crate) fn upload(host: &mut Host<'_>, graph: &Csr) -> Result<Graph, Failure> {
    let nodes = graph.nodes();
    let out_degree: Vec<u32> = (0..nodes).map(|node| graph.out_edges(node).len() as u32).collect();
    let mut in_degree = vec![0u32; nodes];
    graph.col.iter().for_each(|&head| in_degree[head as usize] += 1);
    let place: Vec<u32> = (0..nodes as u32).collect();
    let first_edge: Vec<u32> = graph.row[..nodes].iter().map(|&edge| edge as u32 + 1).collect();
    let from_one = |numbers: &[i32]| -> Vec<u32> {
        std::iter::once(0).chain(numbers.iter().map(|&number| number as u32)).collect()
    };
    let out_degree = host.upload("out_degree", &out_degree)?;
    host.upload("in_degree", &in_degree)?;
    Ok(Graph {
        out_degree,
        place: host.upload("place", &place)?,
        first_edge: host.upload("first_edge", &first_edge)?,
        head: host.upload("head", &from_one(&graph.col))?,
        weight: host.upload("weight", &from_one(&graph.weight))?,
    })
}
