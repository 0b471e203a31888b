//! Dynamic programming over a grid, as Rodinia's pathfinder: the cheapest path from the top row to each cell of the bottom row.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "pathfinder",
    summary: "dynamic programming over a grid",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "R.PATH"), (Paper::Latte, "PTH")],
    is_cache_sensitive: false,
    buffers: &[
        exact("from", ElementType::I32),
        exact("to", ElementType::I32),
        exact("wall", ElementType::I32),
    ],
    input: None,
    data_sets: &[DataSet::new("uniform", "Rodinia: whole numbers below 10")],
    ptx: include_str!("../../kernels/pathfinder.ptx"),
    run,
};

const WIDTH: usize = 256;
const ROWS_PER_LAUNCH: usize = 20;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let columns: usize = host.size(host.scale().pick(600, 40_000, 100_000), 1..=1 << 21)?;
    let rows: usize = host.scale().pick(25, 41, 101);
    let mut rng = host.rng(1);
    let wall: Vec<i32> = (0..rows * columns).map(|_| rng.below(10) as i32).collect();

    let mut from = host.upload("from", &wall[..columns])?;
    let mut to = host.zeros::<i32>("to", columns)?;
    let wall_buffer = host.upload("wall", &wall[columns..])?;
    for first_row in (0..rows - 1).step_by(ROWS_PER_LAUNCH) {
        let steps = ROWS_PER_LAUNCH.min(rows - 1 - first_row);
        let blocks = columns.div_ceil(WIDTH - 2 * steps) as u32;
        let arguments = args![steps, wall_buffer, from, to, columns, first_row, steps];
        host.launch("pathfinder", [blocks, 1, 1], [WIDTH as u32, 1, 1], arguments)?;
        std::mem::swap(&mut from, &mut to);
    }
    host.check("to", from, &reference(&wall, columns), Tolerance::Exact)
}

fn reference(wall: &[i32], columns: usize) -> Vec<i32> {
    let mut cost = wall[..columns].to_vec();
    for row in wall.chunks_exact(columns).skip(1) {
        let cheapest =
            |x: usize| cost[x.saturating_sub(1)..(x + 2).min(columns)].iter().min().copied().unwrap_or(0);
        cost = row.iter().enumerate().map(|(x, &cell)| cell + cheapest(x)).collect();
    }
    cost
}
