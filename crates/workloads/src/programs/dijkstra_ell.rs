//! Single-source shortest paths by min-plus products with an ELL matrix.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputError};
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::programs::sssp::{FAR, dijkstra};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Scale, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "dijkstra-ell",
    summary: "single-source shortest paths, ELL layout",
    class: Class::Integer,
    papers: &[(Paper::Latte, "DJK")],
    is_cache_sensitive: true,
    buffers: &[
        exact("col", ElementType::I32),
        exact("weight", ElementType::I32),
        exact("distance", ElementType::I32),
        exact("next", ElementType::I32),
        exact("changed", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/dijkstra-ell.ptx"),
    run,
};

const THREADS: u32 = 256;
const ROAD_SIDE: usize = 160;
const MAX_PADDED: usize = 1 << 27;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => roads(host),
    };
    let (nodes, start) = (graph.nodes(), graph.hub());
    let incoming = graph.reversed();
    let width = incoming.out_edges(incoming.hub()).len();
    if nodes * width > MAX_PADDED {
        let what = format!("ELL pads every row to {width} entries: {nodes} rows are too many");
        return Err(InputError::at(0, what).into());
    }
    let (col, weight) = padded(&incoming, width);
    let mut first = vec![FAR; nodes];
    first[start] = 0;

    let col_buffer = host.upload("col", &col)?;
    let weight_buffer = host.upload("weight", &weight)?;
    let mut distance = host.upload("distance", &first)?;
    let mut next = host.zeros::<i32>("next", nodes)?;
    let changed = host.zeros::<i32>("changed", 1)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    loop {
        host.write(changed, &[0])?;
        host.launch("min_plus", grid, block, args![col_buffer, weight_buffer, distance, next, width, nodes])?;
        host.launch("compare", grid, block, args![distance, next, changed, nodes])?;
        std::mem::swap(&mut distance, &mut next);
        if host.download(changed)? == [0] {
            break;
        }
    }
    host.check("distance", distance, &dijkstra(&graph, start), Tolerance::Exact)
}

/// A power-law graph; at paper scale roads.
fn roads(host: &Host<'_>) -> Csr {
    let mut rng = host.rng(1);
    match host.scale() {
        Scale::Paper => graph::road(ROAD_SIDE, ROAD_SIDE, 0.1, 50, &mut rng),
        Scale::Tiny => graph::rmat(8, 8, 50, &mut rng),
        Scale::Small => graph::rmat(12, 8, 50, &mut rng),
    }
}

/// Column-major rows of equal width; -1 marks the padding.
fn padded(graph: &Csr, width: usize) -> (Vec<i32>, Vec<i32>) {
    let nodes = graph.nodes();
    let (mut col, mut weight) = (vec![-1; nodes * width], vec![0; nodes * width]);
    for node in 0..nodes {
        for (k, edge) in graph.out_edges(node).enumerate() {
            col[k * nodes + node] = graph.col[edge];
            weight[k * nodes + node] = graph.weight[edge];
        }
    }
    (col, weight)
}
