//! Graph colouring: neighbours get different colours, unless their values are the same.

use super::ecology::{self, DeviceGraph, Landscape};
use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::Csr;
use crate::workload::{BufferInfo, Class, ElementType, InputKind, Paper, Workload, exact, joined};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "coloring",
    summary: "graph colouring",
    class: Class::Integer,
    papers: &[(Paper::Latte, "CLR")],
    is_cache_sensitive: true,
    buffers: &BUFFERS,
    input: Some(InputKind::Graph),
    data_sets: ecology::DATA_SETS,
    ptx: include_str!("../../kernels/coloring.ptx"),
    run,
};

const BUFFERS: [BufferInfo; 6] = joined(&[
    ecology::GRAPH,
    &[exact("color", ElementType::I32), exact("value", ElementType::I32), exact("largest", ElementType::I32)],
]);

const THREADS: u32 = 256;
const NONE: i32 = -1;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let landscape = Landscape::of(host, 216)?;
    let DeviceGraph { row, col, is_left } = landscape.upload(host)?;
    let Landscape { graph, value } = landscape;
    let (nodes, edges) = (graph.nodes(), graph.edges());
    let color = host.upload("color", &vec![NONE; nodes])?;
    let values = host.upload("value", &value)?;
    let largest = host.zeros::<i32>("largest", nodes)?;
    let (grid, block) = (grid_for(nodes, THREADS), [THREADS, 1, 1]);
    let mut rounds = 0i32;
    host.launch_until_unchanged(is_left, |host| {
        rounds += 1;
        let arguments = args![row, col, values, color, is_left, largest, rounds, nodes, edges];
        host.launch("find_maxima", grid, block, arguments)?;
        host.launch("take_color", grid, block, args![values, color, largest, rounds, nodes, edges])
    })?;
    host.check("color", color, &reference(&graph, &value, rounds), Tolerance::Exact)
}

/// Round by round over all nodes at once. A node with a single neighbour does not look at it.
fn reference(graph: &Csr, value: &[i32], rounds: i32) -> Vec<i32> {
    let mut color = vec![NONE; graph.nodes()];
    for round in 1..=rounds {
        let is_highest = |&node: &usize| {
            let neighbours = graph.neighbours(node);
            let open = neighbours.iter().filter(|&&other| color[other as usize] == NONE);
            color[node] == NONE
                && (neighbours.len() == 1
                    || open.map(|&other| value[other as usize]).max() <= Some(value[node]))
        };
        let highest: Vec<usize> = (0..graph.nodes()).filter(is_highest).collect();
        for node in highest {
            color[node] = round;
        }
    }
    color
}
