//! Exact matching of DNA reads against the suffix tree of a reference sequence.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::genome::{self, END, Node};
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "mummer",
    summary: "exact matching of DNA reads against a suffix tree",
    class: Class::Integer,
    papers: &[(Paper::E2mc, "MUM")],
    is_cache_sensitive: false,
    buffers: &[
        exact("reads", ElementType::U8),
        exact("read_start", ElementType::I32),
        exact("read_length", ElementType::I32),
        exact("reference", ElementType::U8),
        exact("nodes", ElementType::U32),
        exact("children", ElementType::U32),
        exact("matches", ElementType::U32),
    ],
    input: None,
    data_sets: &[DataSet::new(
        "bacterium",
        "ISPASS-2009: part of a genome, and reads of 25 letters of the whole",
    )],
    ptx: include_str!("../../kernels/mummer.ptx"),
    run,
};

const THREADS: u32 = 256;
const SHORTEST_MATCH: usize = 20;
const READ_LETTERS: usize = 25;
/// The reference is the first 1.4 of the genome's 5.2 million letters, the reads come from all of it.
const PERCENT_INSIDE: u32 = 27;
/// Texels of a row of the tree's planes, and rows that hold one run of nodes.
const TREE_WIDTH: usize = 4096;
const TREE_BAND: usize = 32;
/// The same of the reference's plane.
const TEXT_WIDTH: usize = 65536;
const TEXT_BAND: usize = 4;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let letters: usize = host.scale().pick(2_000, 60_000, 1_400_000);
    let read_count = host.size(host.scale().pick(100, 12_288, 50_000), 1..=1 << 20)?;
    let mut rng = host.rng(1);
    let genome = genome::genome(letters, &mut rng);
    let reads = genome::reads(&genome, read_count, READ_LETTERS, PERCENT_INSIDE, &mut rng);
    // A letter in front, so that positions begin with 1.
    let text: Vec<u8> = [b"s", &genome[..], &[END]].concat();
    let tree = genome::suffix_tree(&text);
    // Every read has a letter in front and a zero behind.
    let packed: Vec<u8> = reads.iter().flat_map(|read| [b"q", &read[..], &[0]].concat()).collect();
    let starts: Vec<i32> = (0..read_count).map(|read| (read * (READ_LETTERS + 2)) as i32).collect();

    let read_buffer = host.upload("reads", &packed)?;
    let read_start = host.upload("read_start", &starts)?;
    let read_length = host.upload("read_length", &vec![READ_LETTERS as i32; read_count])?;
    let text_buffer = host.upload("reference", &plane_of_letters(&text))?;
    let (nodes, children) = planes_of_nodes(&tree);
    let node_buffer = host.upload("nodes", &nodes)?;
    let child_buffer = host.upload("children", &children)?;
    let starts_of_read = READ_LETTERS - SHORTEST_MATCH + 1;
    let matches = host.zeros::<u32>("matches", read_count * starts_of_read * 2)?;
    let node_texture = host.texture_plane(node_buffer, 4, TREE_WIDTH)?;
    let child_texture = host.texture_plane(child_buffer, 4, TREE_WIDTH)?;
    let text_texture = host.texture_plane(text_buffer, 1, TEXT_WIDTH)?;
    let arguments = args![
        matches,
        read_buffer,
        read_start,
        read_length,
        read_count,
        SHORTEST_MATCH,
        node_texture,
        child_texture,
        text_texture
    ];
    let threads = THREADS.min(read_count as u32);
    host.launch("match_reads", grid_for(read_count, threads), [threads, 1, 1], arguments)?;

    let suffixes = genome::suffix_array(&genome);
    let expected: Vec<u32> = reads
        .iter()
        .flat_map(|read| (0..starts_of_read).map(|start| &read[start..]))
        .map(|rest| match longest_match(&genome, &suffixes, rest) {
            longest if longest >= SHORTEST_MATCH => longest as u32,
            _ => 0,
        })
        .collect();
    let found = host.download(matches)?;
    let got: Vec<u32> = found.chunks_exact(2).map(|found| match_letters(&tree, found[0], found[1])).collect();
    host.check_values("matches", &got, &expected, Tolerance::Exact)
}

/// Letters from the root to a match: a node, and the letters on the edge into it; 0 letters are the whole edge.
fn match_letters(tree: &[Node], node: u32, on_edge: u32) -> u32 {
    let Some(found) = tree.get(node as usize).filter(|_| node != 0) else { return 0 };
    match on_edge {
        0 => found.depth,
        letters => tree[found.parent as usize].depth + letters,
    }
}

/// The longest prefix of `read` anywhere in the text: it is shared with a neighbour in suffix order.
fn longest_match(text: &[u8], suffixes: &[u32], read: &[u8]) -> usize {
    let place = suffixes.partition_point(|&suffix| text[suffix as usize..] < *read);
    let around = place.saturating_sub(1)..(place + 1).min(suffixes.len());
    let shared = |&suffix: &u32| text[suffix as usize..].iter().zip(read).take_while(|(a, b)| a == b).count();
    suffixes[around].iter().map(shared).max().unwrap_or(0)
}

/// Four letters that follow each other lie in four rows, one below the other.
fn plane_of_letters(text: &[u8]) -> Vec<u8> {
    let rows = text.len().div_ceil(TEXT_WIDTH) + TEXT_BAND;
    let mut plane = vec![b'Z'; rows * TEXT_WIDTH];
    for (position, &letter) in text.iter().enumerate() {
        let (band, inside) = (position / (TEXT_BAND * TEXT_WIDTH), position % (TEXT_BAND * TEXT_WIDTH));
        plane[(band * TEXT_BAND + inside % TEXT_BAND) * TEXT_WIDTH + inside / TEXT_BAND] = letter;
    }
    plane
}

/// Column and row of a node: 32 nodes that follow each other lie in 32 rows.
fn place_of(node: u32) -> (usize, usize) {
    let (band, inside) = (node as usize / (TREE_BAND * TREE_WIDTH), node as usize % (TREE_BAND * TREE_WIDTH));
    (inside / TREE_BAND, band * TREE_BAND + inside % TREE_BAND)
}

/// A node as the kernel names it.
fn packed_place(node: u32) -> u32 {
    let (x, y) = place_of(node);
    x as u32 | (y as u32) << 16
}

/// The tree's two planes: edge, link for the end of the text and suffix link; and the links by letter.
fn planes_of_nodes(tree: &[Node]) -> (Vec<u32>, Vec<u32>) {
    let rows = tree.len().div_ceil(TREE_WIDTH) + TREE_BAND;
    let (mut nodes, mut children) = (vec![0; 4 * rows * TREE_WIDTH], vec![0; 4 * rows * TREE_WIDTH]);
    for (number, node) in tree.iter().enumerate().skip(1) {
        let (x, y) = place_of(number as u32);
        let at = 4 * (y * TREE_WIDTH + x);
        let [a, c, g, t, end] = node.children.map(packed_place);
        nodes[at..at + 4].copy_from_slice(&[node.start, node.end, end, packed_place(node.suffix)]);
        children[at..at + 4].copy_from_slice(&[a, c, g, t]);
    }
    (nodes, children)
}
