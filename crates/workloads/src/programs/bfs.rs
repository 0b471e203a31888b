//! Breadth-first search, level by level, as Rodinia's bfs.

use std::collections::VecDeque;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::input::graphgen;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "bfs",
    summary: "level-synchronous breadth-first search, boolean frontier",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "R.BFS"), (Paper::E2mc, "BFS1"), (Paper::Dsm, "R-BFS"), (Paper::Latte, "BFS")],
    is_cache_sensitive: true,
    buffers: &[
        exact("nodes", ElementType::I32),
        exact("edges", ElementType::I32),
        exact("frontier", ElementType::U8),
        exact("updating", ElementType::U8),
        exact("visited", ElementType::U8),
        exact("cost", ElementType::I32),
        exact("is_active", ElementType::U8),
    ],
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new("graph1M", "Rodinia's graph generator, 1,048,576 nodes at paper scale"),
        DataSet::new("graph65536", "Rodinia's graph generator, 65,536 nodes at paper scale (LATTE-CC)")
            .of(&[Paper::Latte]),
        DataSet::new(
            "rmat",
            "power-law graph (R-MAT) of 8 edges per node, from its hub: generator of this suite",
        ),
    ],
    ptx: include_str!("../../kernels/bfs.ptx"),
    run,
};

const THREADS: u32 = 512;
const UNREACHED: i32 = -1;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (graph, start) = graph_of(host)?;
    let count = graph.nodes();
    let only_start = |mark: u8| {
        let mut flags = vec![0u8; count];
        flags[start] = mark;
        flags
    };
    let mut first_cost = vec![UNREACHED; count];
    first_cost[start] = 0;
    // A node is where its edges start and how many they are.
    let node_pairs: Vec<i32> = graph.row.windows(2).flat_map(|pair| [pair[0], pair[1] - pair[0]]).collect();

    let nodes = host.upload("nodes", &node_pairs)?;
    let edges = host.upload("edges", &graph.col)?;
    let frontier = host.upload("frontier", &only_start(1))?;
    let updating = host.zeros::<u8>("updating", count)?;
    let visited = host.upload("visited", &only_start(1))?;
    let cost = host.upload("cost", &first_cost)?;
    let is_active = host.zeros::<u8>("is_active", 1)?;

    let (grid, block) = (grid_for(count, THREADS), [THREADS.min(count as u32), 1, 1]);
    host.launch_until_unchanged(is_active, |host| {
        let arguments = args![nodes, edges, frontier, updating, visited, cost, count];
        host.launch("bfs_expand", grid, block, arguments)?;
        host.launch("bfs_advance", grid, block, args![frontier, updating, visited, is_active, count])
    })?;
    host.check("cost", cost, &reference(&graph, start), Tolerance::Exact)
}

/// The graph, and the node to start from.
fn graph_of(host: &Host<'_>) -> Result<(Csr, usize), Failure> {
    if let Some(text) = host.input_text()? {
        let graph = graph::parse(text)?;
        let hub = graph.hub();
        return Ok((graph, hub));
    }
    let mut rng = host.rng(1);
    let (tiny, small) = (1024, 46_080);
    Ok(match host.data() {
        "rmat" => {
            let nodes = host.size(host.scale().pick(tiny, small, 1 << 20), 1..=1 << 23)?;
            let graph = graph::rmat(nodes.max(2).ilog2(), 8, 10, &mut rng);
            let hub = graph.hub();
            (graph, hub)
        }
        "graph65536" => {
            (graphgen::uniform(host.size(host.scale().pick(tiny, small, 65_536), 1..=1 << 23)?, &mut rng), 0)
        }
        _ => {
            (graphgen::uniform(host.size(host.scale().pick(tiny, small, 1 << 20), 1..=1 << 23)?, &mut rng), 0)
        }
    })
}

/// Levels by an ordinary queue; -1 where no path leads.
pub(crate) fn reference(graph: &Csr, start: usize) -> Vec<i32> {
    let mut cost = vec![UNREACHED; graph.nodes()];
    cost[start] = 0;
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &other in graph.neighbours(node) {
            if cost[other as usize] == UNREACHED {
                cost[other as usize] = cost[node] + 1;
                queue.push_back(other as usize);
            }
        }
    }
    cost
}
