//! Global alignment of two protein sequences by dynamic programming, as Rodinia's nw.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "needleman-wunsch",
    summary: "sequence alignment",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "R.NW"), (Paper::Latte, "NW")],
    is_cache_sensitive: false,
    buffers: &[exact("similarity", ElementType::I32), exact("score", ElementType::I32)],
    input: None,
    data_sets: &[
        DataSet::new("random", "Rodinia: two random sequences of ten amino acids, rewards of BLOSUM62"),
        DataSet::new(
            "mutated",
            "the second sequence is a copy with one letter in four changed: generator of this suite",
        ),
    ],
    ptx: include_str!("../../kernels/needleman-wunsch.ptx"),
    run,
};

const TILE: usize = 16;
const PENALTY: i32 = 10;
const LETTERS: usize = 10;
/// Rewards of BLOSUM62 (Henikoff & Henikoff, 1992) for the amino acids R N D C Q E G H I L.
const REWARDS: [[i32; LETTERS]; LETTERS] = [
    [5, 0, -2, -3, 1, 0, -2, 0, -3, -2],
    [0, 6, 1, -3, 0, 0, 0, 1, -3, -3],
    [-2, 1, 6, -3, 0, 2, -1, -1, -3, -4],
    [-3, -3, -3, 9, -3, -4, -3, -3, -1, -1],
    [1, 0, 0, -3, 5, 2, -2, 0, -3, -2],
    [0, 0, 2, -4, 2, 5, -2, 0, -3, -3],
    [-2, 0, -1, -3, -2, -2, 6, -2, -4, -4],
    [0, 1, -1, -3, 0, 0, -2, 8, -3, -3],
    [-3, -3, -3, -1, -3, -3, -4, -3, 4, 2],
    [-2, -3, -4, -1, -2, -3, -4, -3, 2, 4],
];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let length: usize = host.size(host.scale().pick(64, 512, 1024), 1..=16_384)?.next_multiple_of(TILE);
    let columns = length + 1;
    let mut rng = host.rng(1);
    let is_copy = host.data() == "mutated";
    let mut letter = || rng.below(LETTERS as u32) as usize;
    let first: Vec<usize> = (0..columns).map(|_| letter()).collect();
    let second: Vec<usize> =
        first.iter().map(|&own| if is_copy && letter() * 4 >= LETTERS { own } else { letter() }).collect();
    let mut similarity = vec![0i32; columns * columns];
    for y in 1..columns {
        for x in 1..columns {
            similarity[y * columns + x] = REWARDS[first[y]][second[x]];
        }
    }
    let mut score = vec![0i32; columns * columns];
    for i in 1..columns {
        score[i] = -(i as i32) * PENALTY;
        score[i * columns] = -(i as i32) * PENALTY;
    }

    let similarity_buffer = host.upload("similarity", &similarity)?;
    let score_buffer = host.upload("score", &score)?;
    let tiles = length / TILE;
    let (block, buffers) = ([TILE as u32, 1, 1], [similarity_buffer, score_buffer]);
    // Anti-diagonals of tiles: up to the longest, and from there on.
    let kernels = (1..=tiles).map(|count| ("align_upper", count));
    for (kernel, count) in kernels.chain((1..tiles).rev().map(|count| ("align_lower", count))) {
        let arguments = args![buffers[0], buffers[1], columns, PENALTY, count, tiles];
        host.launch(kernel, [count as u32, 1, 1], block, arguments)?;
    }
    for y in 1..columns {
        for x in 1..columns {
            let matched = score[(y - 1) * columns + x - 1] + similarity[y * columns + x];
            let gap = score[y * columns + x - 1].max(score[(y - 1) * columns + x]) - PENALTY;
            score[y * columns + x] = matched.max(gap);
        }
    }
    host.check("score", score_buffer, &score, Tolerance::Exact)
}
