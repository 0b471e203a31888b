//! Breadth-first search in the two forms that the papers ran: Parboil's worklist over roads, and LonestarGPU's, which takes
//! every node of a random graph in every round.

use super::lonestar::{self, EdgeLength, FAR};
use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::input::graph::{self, Csr};
use crate::input::network;
use crate::programs::bfs;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, InputKind, Paper, Workload, exact, joined};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "bfs-worklist",
    summary: "breadth-first search on a worklist",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "P.BFS"), (Paper::Dsm, "P-BFS"), (Paper::E2mc, "BFS2")],
    is_cache_sensitive: false,
    buffers: &BUFFERS,
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new("roads", "Parboil's program on roads: a grid of crossings with 70 % of its streets")
            .revised(2),
        DataSet::new(
            "lonestar",
            "LonestarGPU's program, variant 0, on a uniform random graph: four edges per node",
        )
        .revised(2)
        .of(&[Paper::E2mc]),
    ],
    ptx: include_str!("../../kernels/bfs-worklist.ptx"),
    run,
};

const WORKLIST: &[BufferInfo] = &[
    exact("nodes", ElementType::I32),
    exact("edges", ElementType::I32),
    exact("colour", ElementType::I32),
    exact("cost", ElementType::I32),
    exact("worklist", ElementType::I32),
    exact("next_count", ElementType::I32),
    exact("is_turned", ElementType::I32),
    exact("barriers", ElementType::I32),
    exact("has_overflowed", ElementType::I32),
];
const BUFFERS: [BufferInfo; 19] = joined(&[WORKLIST, &lonestar::BUFFERS]);

const THREADS: usize = 512;
/// Thread blocks that wait for each other: the original's constant, and not more than there are SMs.
const WAITING_BLOCKS: u32 = 14;
/// Colour of a node that has not been in the worklist.
const WHITE: i32 = 16_677_217;
/// Colours of nodes that come into the worklist, by turns.
const GREY: [i32; 2] = [16_677_219, 16_677_220];
const UNREACHED: i32 = i32::MAX;
const STREETS: f64 = 0.70;
const DEGREE: usize = 4;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    if host.data() == "lonestar" {
        return every_node(host);
    }
    // Even at tiny some levels have more nodes than a thread block has threads, so that every kernel is tested.
    let nodes: usize = host.size(host.scale().pick(10_000, 1 << 16, 1 << 20), 1..=1 << 22)?;
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => network::roads(nodes.isqrt(), STREETS, 10, &mut host.rng(1)),
    };
    worklist(host, &graph)
}

fn worklist(host: &mut Host<'_>, graph: &Csr) -> Result<(), Failure> {
    let (count, start) = (graph.nodes(), graph.hub());
    let mut first_cost = vec![UNREACHED; count];
    first_cost[start] = 0;
    // A node is where its edges start and how many they are; an edge is where it leads and that it is one long.
    let node_pairs: Vec<i32> = graph.row.windows(2).flat_map(|pair| [pair[0], pair[1] - pair[0]]).collect();
    let edge_pairs: Vec<i32> = graph.col.iter().flat_map(|&head| [head, 1]).collect();

    let nodes = host.upload("nodes", &node_pairs)?;
    let edges = host.upload("edges", &edge_pairs)?;
    let colour = host.upload("colour", &vec![WHITE; count])?;
    let cost = host.upload("cost", &first_cost)?;
    let worklists = [host.zeros::<i32>("worklist", count)?, host.zeros::<i32>("worklist", count)?];
    host.write(worklists[0], &[start as i32])?;
    let next_count = host.upload("next_count", &[1i32])?;
    let is_turned = host.zeros::<i32>("is_turned", 1)?;
    let barriers = host.zeros::<i32>("barriers", 1)?;
    let has_overflowed = host.zeros::<i32>("has_overflowed", 1)?;
    let (nodes, edges) = (host.texture(nodes, 2)?, host.texture(edges, 2)?);
    host.write_symbol("arrivals", &[0i32])?;

    let waiting_blocks = WAITING_BLOCKS.min(host.sm_count());
    let block = [THREADS as u32, 1, 1];
    let mut turn = 0;
    loop {
        let size = host.download(next_count)?[0];
        host.write(next_count, &[0])?;
        if size == 0 {
            break;
        }
        let (level, next, grey) = (worklists[turn], worklists[1 - turn], GREY[turn]);
        let blocks = (size as usize).div_ceil(THREADS) as u32;
        if (2..=waiting_blocks).contains(&blocks) {
            host.write_symbol("level_count", &[size])?;
            let arguments = args![
                level,
                next,
                nodes,
                edges,
                colour,
                cost,
                next_count,
                grey,
                is_turned,
                barriers,
                has_overflowed
            ];
            host.launch("bfs_among_blocks", [waiting_blocks, 1, 1], block, arguments)?;
            turn ^= host.download(is_turned)?[0] as usize;
        } else {
            let kernel = if blocks == 1 { "bfs_in_block" } else { "bfs_level" };
            let arguments =
                args![level, next, nodes, edges, colour, cost, size, next_count, grey, has_overflowed];
            host.launch(kernel, [blocks, 1, 1], block, arguments)?;
            turn = 1 - turn;
        }
        if host.download(has_overflowed)? != [0] {
            return Err(queue_overflow());
        }
    }
    let levels = bfs::reference(graph, start);
    let expected: Vec<i32> = levels.iter().map(|&level| if level < 0 { UNREACHED } else { level }).collect();
    host.check("cost", cost, &expected, Tolerance::Exact)
}

fn queue_overflow() -> Failure {
    let what = "graph: 64 nodes have more than 400 new neighbours in all, which Parboil's queues in shared memory do \
                not hold; --data lonestar takes any graph";
    InputFileError::at(0, what).into()
}

fn every_node(host: &mut Host<'_>) -> Result<(), Failure> {
    let nodes = host.size(host.scale().pick(600, 24_576, 1 << 19), 1..=1 << 22)?;
    let graph = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => network::regular(nodes, DEGREE, 100, &mut host.rng(1)),
    };
    let distance = lonestar::relax_all(host, &graph, EdgeLength::One)?;
    let levels = bfs::reference(&graph, 0);
    let expected: Vec<u32> = levels.iter().map(|&level| u32::try_from(level).unwrap_or(FAR)).collect();
    host.check("distance", distance, &expected, Tolerance::Exact)
}
