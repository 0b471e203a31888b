//! Point and range queries on a B+tree of order 256.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "btree",
    summary: "B+tree point and range queries",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "R.B+T"), (Paper::Dsm, "R-BTR"), (Paper::Latte, "BT")],
    is_cache_sensitive: false,
    buffers: &[
        exact("nodes", ElementType::I32),
        exact("records", ElementType::I32),
        exact("wanted", ElementType::I32),
        exact("answers", ElementType::I32),
        exact("first", ElementType::I32),
        exact("last", ElementType::I32),
        exact("starts", ElementType::I32),
        exact("lengths", ElementType::I32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/btree.ptx"),
    run,
};

const ORDER: usize = 256;
/// Keys that no record has, so that an unused slot matches nothing.
const ABOVE_ALL: i32 = i32::MAX;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let record_count: usize = host.scale().pick(2_000, 60_000, 1_000_000);
    let queries: usize = host.scale().pick(16, 400, 10_000);
    let mut rng = host.rng(1);
    // Keys rise with random gaps; record contents are other numbers.
    let keys: Vec<i32> = (0..record_count)
        .scan(0i32, |key, _| {
            *key += 1 + rng.below(7) as i32;
            Some(*key)
        })
        .collect();
    let records: Vec<i32> = (0..record_count).map(|_| rng.below(1 << 20) as i32).collect();
    let (nodes, height) = tree(&keys);
    let picks: Vec<usize> = (0..queries).map(|_| rng.below(record_count as u32) as usize).collect();
    let ends: Vec<usize> =
        picks.iter().map(|&start| (start + rng.below(1000) as usize).min(record_count - 1)).collect();
    let key_of =
        |positions: &[usize]| -> Vec<i32> { positions.iter().map(|&position| keys[position]).collect() };

    let node_buffer = host.upload("nodes", &nodes)?;
    let record_buffer = host.upload("records", &records)?;
    let wanted = host.upload("wanted", &key_of(&picks))?;
    let answers = host.zeros::<i32>("answers", queries)?;
    let (grid, block) = ([queries as u32, 1, 1], [ORDER as u32, 1, 1]);
    host.launch("find_k", grid, block, args![height, node_buffer, record_buffer, wanted, answers])?;
    let first = host.upload("first", &key_of(&picks))?;
    let last = host.upload("last", &key_of(&ends))?;
    let starts = host.zeros::<i32>("starts", queries)?;
    let lengths = host.zeros::<i32>("lengths", queries)?;
    host.launch("find_range", grid, block, args![height, node_buffer, first, last, starts, lengths])?;

    let found: Vec<i32> = picks.iter().map(|&position| records[position]).collect();
    let positions: Vec<i32> = picks.iter().map(|&position| position as i32).collect();
    let spans: Vec<i32> = picks.iter().zip(&ends).map(|(&start, &end)| (end - start + 1) as i32).collect();
    host.check("answers", answers, &found, Tolerance::Exact)?;
    host.check("starts", starts, &positions, Tolerance::Exact)?;
    host.check("lengths", lengths, &spans, Tolerance::Exact)
}

/// The nodes, root first, `ORDER + 1` keys then `ORDER + 1` children each, and how many levels lie above the leaves.
fn tree(keys: &[i32]) -> (Vec<i32>, usize) {
    // Levels of (first key, child number) pairs, leaves first; a leaf's children are record numbers.
    let mut levels: Vec<Vec<(i32, usize)>> = vec![keys.iter().copied().zip(0..).collect()];
    while levels.last().is_some_and(|level| level.len() > ORDER) {
        let below = &levels[levels.len() - 1];
        let above = below.chunks(ORDER).enumerate().map(|(number, node)| (node[0].0, number)).collect();
        levels.push(above);
    }
    let height = levels.len() - 1;
    let mut nodes = Vec::new();
    let mut first_below = 0;
    for (depth, level) in levels.iter().rev().enumerate() {
        let is_leaf = depth == height;
        first_below += level.len().div_ceil(ORDER);
        for (number, node) in level.chunks(ORDER).enumerate() {
            let base = nodes.len();
            nodes.resize(base + 2 * (ORDER + 1), ABOVE_ALL);
            nodes[base + ORDER + 1..].fill(0);
            for (slot, &(key, child)) in node.iter().enumerate() {
                // The first key of an inner level also takes what is smaller.
                nodes[base + slot] = if !is_leaf && number == 0 && slot == 0 { i32::MIN } else { key };
                nodes[base + ORDER + 1 + slot] = if is_leaf { child } else { first_below + child } as i32;
            }
        }
    }
    (nodes, height)
}
