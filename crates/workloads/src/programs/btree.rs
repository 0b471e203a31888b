//! Point and range queries on a B+tree of order 256, as Rodinia's b+tree.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

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
        exact("current", ElementType::U64),
        exact("next", ElementType::U64),
        exact("wanted", ElementType::I32),
        exact("answers", ElementType::I32),
        exact("left", ElementType::U64),
        exact("next_left", ElementType::U64),
        exact("right", ElementType::U64),
        exact("next_right", ElementType::U64),
        exact("first", ElementType::I32),
        exact("last", ElementType::I32),
        exact("starts", ElementType::I32),
        exact("lengths", ElementType::I32),
    ],
    input: None,
    data_sets: &[
        DataSet::new(
            "mil",
            "Rodinia: a million consecutive keys at paper scale, each the value of its own record",
        )
        .revised(2),
        DataSet::new("gaps", "keys with random gaps, records with random values: generator of this suite")
            .revised(2),
    ],
    ptx: include_str!("../../kernels/btree.ptx"),
    run,
};

const ORDER: usize = 256;
/// Keys of a node: keys inserted in order leave the nodes half full.
const FILLED: usize = ORDER / 2;
/// Words of a node: location, children, keys, whether it is a leaf, and how many keys it has.
const NODE_WORDS: usize = 2 * (ORDER + 1) + 3;
/// Records that a range has at most.
const MOST_RANGE: u32 = 3000;
/// Keys that no record has, so that an unused slot matches nothing.
const ABOVE_ALL: i32 = i32::MAX;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let record_count: usize = host.size(host.scale().pick(2_000, 100_000, 1_000_000), 512..=1 << 22)?;
    let queries: usize = host.scale().pick(16, 2_000, 10_000);
    let ranges: usize = host.scale().pick(12, 1_200, 6_000);
    let has_gaps = host.data() == "gaps";
    let mut rng = host.rng(1);
    let keys: Vec<i32> = (0..record_count)
        .scan(0i32, |key, _| {
            *key += 1 + if has_gaps { rng.below(7) as i32 } else { 0 };
            Some(*key)
        })
        .collect();
    let records: Vec<i32> =
        keys.iter().map(|&key| if has_gaps { rng.below(1 << 20) as i32 } else { key }).collect();
    let (nodes, height) = tree(&keys);
    let picks: Vec<usize> = (0..queries).map(|_| rng.below(record_count as u32) as usize).collect();
    let begins: Vec<usize> = (0..ranges).map(|_| rng.below(record_count as u32) as usize).collect();
    let ends: Vec<usize> =
        begins.iter().map(|&start| (start + rng.below(MOST_RANGE) as usize).min(record_count - 1)).collect();
    let key_of =
        |positions: &[usize]| -> Vec<i32> { positions.iter().map(|&position| keys[position]).collect() };

    let node_buffer = host.upload("nodes", &nodes)?;
    let record_buffer = host.upload("records", &records)?;
    let (height, node_count) = (height as u64, (nodes.len() / NODE_WORDS) as u64);
    let current = host.zeros::<u64>("current", queries)?;
    let next = host.zeros::<u64>("next", queries)?;
    let wanted = host.upload("wanted", &key_of(&picks))?;
    let answers = host.zeros::<i32>("answers", queries)?;
    let block = [ORDER as u32, 1, 1];
    let arguments = args![height, node_buffer, node_count, record_buffer, current, next, wanted, answers];
    host.launch("find_k", [queries as u32, 1, 1], block, arguments)?;

    let left = host.zeros::<u64>("left", ranges)?;
    let next_left = host.zeros::<u64>("next_left", ranges)?;
    let right = host.zeros::<u64>("right", ranges)?;
    let next_right = host.zeros::<u64>("next_right", ranges)?;
    let first = host.upload("first", &key_of(&begins))?;
    let last = host.upload("last", &key_of(&ends))?;
    let starts = host.zeros::<i32>("starts", ranges)?;
    let lengths = host.zeros::<i32>("lengths", ranges)?;
    let arguments = args![
        height,
        node_buffer,
        node_count,
        left,
        next_left,
        right,
        next_right,
        first,
        last,
        starts,
        lengths
    ];
    host.launch("find_range", [ranges as u32, 1, 1], block, arguments)?;

    let found: Vec<i32> = picks.iter().map(|&position| records[position]).collect();
    let positions: Vec<i32> = begins.iter().map(|&position| position as i32).collect();
    let spans: Vec<i32> = begins.iter().zip(&ends).map(|(&start, &end)| (end - start + 1) as i32).collect();
    host.check("answers", answers, &found, Tolerance::Exact)?;
    host.check("starts", starts, &positions, Tolerance::Exact)?;
    host.check("lengths", lengths, &spans, Tolerance::Exact)
}

/// The nodes, root first, and how many levels lie above the leaves.
fn tree(keys: &[i32]) -> (Vec<i32>, usize) {
    // Levels of (first key, child number) pairs, leaves first; a leaf's children are record numbers.
    let mut levels: Vec<Vec<(i32, usize)>> = vec![keys.iter().copied().zip(0..).collect()];
    while levels.last().is_some_and(|level| level.len() > FILLED) {
        let below = &levels[levels.len() - 1];
        let above = below.chunks(FILLED).enumerate().map(|(number, node)| (node[0].0, number)).collect();
        levels.push(above);
    }
    let height = levels.len() - 1;
    let mut nodes = Vec::new();
    let mut first_below = 0;
    for (depth, level) in levels.iter().rev().enumerate() {
        let is_leaf = depth == height;
        first_below += level.len().div_ceil(FILLED);
        for (number, node) in level.chunks(FILLED).enumerate() {
            let location = nodes.len();
            let mut children = [0; ORDER + 1];
            let mut own_keys = [ABOVE_ALL; ORDER + 1];
            for (slot, &(key, child)) in node.iter().enumerate() {
                // The first key of an inner level also takes what is smaller.
                own_keys[slot] = if !is_leaf && number == 0 && slot == 0 { i32::MIN } else { key };
                children[slot] = if is_leaf { child } else { first_below + child } as i32;
            }
            nodes.push((location / NODE_WORDS) as i32);
            nodes.extend(children);
            nodes.extend(own_keys);
            nodes.extend([i32::from(is_leaf), node.len() as i32]);
        }
    }
    (nodes, height)
}
