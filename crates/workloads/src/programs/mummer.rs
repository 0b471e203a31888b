//! Exact matching of DNA reads against the suffix tree of a reference sequence.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::workload::{Class, ElementType, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "mummer",
    summary: "exact matching of DNA reads against a suffix tree",
    class: Class::Integer,
    papers: &[(Paper::E2mc, "MUM")],
    is_cache_sensitive: false,
    buffers: &[
        exact("reference", ElementType::U8),
        exact("nodes", ElementType::I32),
        exact("reads", ElementType::U8),
        exact("read_start", ElementType::I32),
        exact("lengths", ElementType::I32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/mummer.ptx"),
    run,
};

const THREADS: u32 = 128;
const SHORTEST_MATCH: usize = 8;
const READ_LETTERS: usize = 25;
/// A letter after the last one, so that every suffix ends in a leaf.
const END: u8 = 4;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let letters: usize = host.scale().pick(2_000, 40_000, 400_000);
    let read_count: usize = host.scale().pick(100, 4_000, 50_000);
    let mut rng = host.rng(1);
    // Genomes repeat themselves: now and then a stretch is copied from before.
    let mut reference: Vec<u8> = Vec::with_capacity(letters + 1);
    while reference.len() < letters {
        if reference.len() > 200 && rng.below(40) == 0 {
            let from = rng.below(reference.len() as u32 - 100) as usize;
            let copy = reference[from..from + 60].to_vec();
            reference.extend_from_slice(&copy);
        } else {
            reference.extend((0..20).map(|_| rng.below(4) as u8));
        }
    }
    reference.truncate(letters);
    reference.push(END);
    let mut reads = Vec::new();
    for _ in 0..read_count {
        let from = rng.below((letters - READ_LETTERS) as u32) as usize;
        // Sequencing errors: one letter in thirty.
        let read = reference[from..from + READ_LETTERS].to_vec();
        reads.extend(
            read.into_iter().map(|letter| if rng.below(30) == 0 { rng.below(4) as u8 } else { letter }),
        );
    }
    let starts: Vec<i32> = (0..=read_count).map(|read| (read * READ_LETTERS) as i32).collect();
    let suffixes = suffix_array(&reference);

    let reference_buffer = host.upload("reference", &reference)?;
    let nodes = host.upload("nodes", &suffix_tree(&reference, &suffixes))?;
    let read_buffer = host.upload("reads", &reads)?;
    let start_buffer = host.upload("read_start", &starts)?;
    let lengths = host.zeros::<i32>("lengths", reads.len())?;
    let arguments =
        args![reference_buffer, nodes, read_buffer, start_buffer, lengths, read_count, SHORTEST_MATCH];
    host.launch("match_reads", grid_for(read_count, THREADS), [THREADS, 1, 1], arguments)?;

    let expected: Vec<i32> = (0..reads.len())
        .map(|start| {
            let end = (start / READ_LETTERS + 1) * READ_LETTERS;
            let longest = longest_match(&reference, &suffixes, &reads[start..end]);
            if longest >= SHORTEST_MATCH { longest as i32 } else { 0 }
        })
        .collect();
    host.check("lengths", lengths, &expected, Tolerance::Exact)
}

fn suffix_array(text: &[u8]) -> Vec<usize> {
    let mut suffixes: Vec<usize> = (0..text.len()).collect();
    suffixes.sort_by(|&a, &b| text[a..].cmp(&text[b..]));
    suffixes
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// The longest prefix of `read` anywhere in the text: it is shared with a neighbour in suffix order.
fn longest_match(text: &[u8], suffixes: &[usize], read: &[u8]) -> usize {
    let place = suffixes.partition_point(|&suffix| text[suffix..] < *read);
    let around = place.saturating_sub(1)..(place + 1).min(suffixes.len());
    suffixes[around].iter().map(|&suffix| common_prefix(&text[suffix..], read)).max().unwrap_or(0)
}

/// A node while the tree is built: its edge's letters in the text, and the letters from the root to its end.
struct Building {
    start: usize,
    end: usize,
    depth: usize,
    children: [i32; 4],
}

/// The suffix tree from the suffix array: suffixes are added in order, the open path kept on a stack. Words of a node:
/// start, end, four children.
fn suffix_tree(text: &[u8], suffixes: &[usize]) -> Vec<i32> {
    let mut nodes = vec![Building { start: 0, end: 0, depth: 0, children: [0; 4] }];
    let mut path = vec![0usize];
    let mut before: Option<usize> = None;
    for &suffix in suffixes.iter().filter(|&&suffix| text[suffix] != END) {
        let shared = before.map_or(0, |other| common_prefix(&text[other..], &text[suffix..]));
        let mut below = None;
        while nodes[path[path.len() - 1]].depth > shared {
            below = path.pop();
        }
        let top = path[path.len() - 1];
        if nodes[top].depth < shared {
            // The edge to `below` is split where the new suffix leaves it.
            let below = below.unwrap_or(top);
            let cut = nodes[below].start + shared - nodes[top].depth;
            let middle = nodes.len();
            let start = nodes[below].start;
            nodes.push(Building { start, end: cut, depth: shared, children: [0; 4] });
            nodes[below].start = cut;
            nodes[middle].children[usize::from(text[cut] % 4)] =
                if text[cut] == END { 0 } else { below as i32 };
            nodes[top].children[usize::from(text[start])] = middle as i32;
            path.push(middle);
        }
        let parent = path[path.len() - 1];
        let leaf = nodes.len();
        let start = suffix + shared;
        nodes.push(Building { start, end: text.len(), depth: text.len() - suffix, children: [0; 4] });
        if text[start] != END {
            nodes[parent].children[usize::from(text[start])] = leaf as i32;
        }
        path.push(leaf);
        before = Some(suffix);
    }
    nodes
        .iter()
        .flat_map(|node| {
            let [a, c, g, t] = node.children;
            [node.start as i32, node.end as i32, a, c, g, t]
        })
        .collect()
}
