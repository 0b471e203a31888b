//! Single-source shortest paths by min-plus products with an ELL matrix.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::input::network;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

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
        exact("changed", ElementType::I32),
        exact("distance", ElementType::I32),
        exact("next", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new(
            "roads",
            "as New York's roads: a grid of crossings with 70 % of its streets, numbered by rows",
        ),
        DataSet::new(
            "roads-by-street",
            "the same roads, numbered as in the DIMACS files: by county, as its streets name the crossings",
        )
        .of(&[Paper::Latte]),
    ],
    ptx: include_str!("../../kernels/dijkstra-ell.ptx"),
    run,
};

const THREADS: u32 = 64;
/// No path; also the weight of padding. Twice this still fits.
const FAR: i32 = 99_999_999;
const SOURCE: usize = 0;
/// Share of the streets of a grid that New York has, and the length of its longest blocks.
const STREETS: f64 = 0.70;
const MAX_WEIGHT: u32 = 5000;
/// Crossings of a county: about two dozen counties lie in the square degree of New York's 264,346.
const COUNTY: usize = 12_000;
const MAX_PADDED: usize = 1 << 27;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // Streets lead both ways and are equally long, so the generated graph is its own reverse.
    let incoming = match host.input_text()? {
        Some(text) => graph::parse(text)?.reversed(),
        None => roads(host)?,
    };
    // Every round is like the other; the original goes on for as many as the longest path has streets.
    let max_rounds: usize = host.scale().pick(usize::MAX, 8, 40);
    let nodes = incoming.nodes();
    let height = incoming.out_edges(incoming.hub()).len();
    if nodes * height > MAX_PADDED {
        let what = format!("ELL pads every row to {height} entries: {nodes} rows are too many");
        return Err(InputFileError::at(0, what).into());
    }
    let (col, weight) = padded(&incoming, height);

    let col_buffer = host.upload("col", &col)?;
    let weight_buffer = host.upload("weight", &weight)?;
    let changed = host.zeros::<i32>("changed", 1)?;
    let distance = host.zeros::<i32>("distance", nodes)?;
    let next = host.zeros::<i32>("next", nodes)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    host.launch("start_at", grid, block, args![distance, next, SOURCE, nodes])?;
    let mut rounds = 0;
    while rounds < max_rounds {
        host.write(changed, &[0])?;
        host.launch("copy", grid, block, args![distance, next, nodes])?;
        let arguments = args![nodes, height, col_buffer, weight_buffer, distance, next];
        host.launch("min_plus", grid, block, arguments)?;
        host.launch("compare", grid, block, args![distance, next, changed, nodes])?;
        rounds += 1;
        if host.download(changed)? == [0] {
            break;
        }
    }
    host.check("next", next, &reference(&incoming, rounds), Tolerance::Exact)
}

fn roads(host: &Host<'_>) -> Result<Csr, InputFileError> {
    let side = host.size(host.scale().pick(16, 200, 512), 1..=4096)?;
    let roads = network::roads(side, STREETS, MAX_WEIGHT, &mut host.rng(1));
    Ok(match host.data() {
        "roads-by-street" => network::in_order_of_streets(&roads, side, COUNTY, &mut host.rng(2)),
        _ => roads,
    })
}

/// Column-major rows of equal height; padding repeats the last neighbour, far away.
fn padded(graph: &Csr, height: usize) -> (Vec<i32>, Vec<i32>) {
    let nodes = graph.nodes();
    let (mut col, mut weight) = (vec![0; nodes * height], vec![FAR; nodes * height]);
    for node in 0..nodes {
        let mut last = 0;
        let mut edges = graph.out_edges(node);
        for k in 0..height {
            if let Some(edge) = edges.next() {
                (last, weight[k * nodes + node]) = (graph.col[edge], graph.weight[edge]);
            }
            col[k * nodes + node] = last;
        }
    }
    (col, weight)
}

/// The shortest paths of at most `rounds` edges.
fn reference(incoming: &Csr, rounds: usize) -> Vec<i32> {
    let mut distance = vec![FAR; incoming.nodes()];
    distance[SOURCE] = 0;
    for _ in 0..rounds {
        let shortest = |node: usize| {
            let over = incoming
                .out_edges(node)
                .map(|edge| distance[incoming.col[edge] as usize] + incoming.weight[edge]);
            over.min().unwrap_or(FAR).min(distance[node])
        };
        distance = (0..incoming.nodes()).map(shortest).collect();
    }
    distance
}
