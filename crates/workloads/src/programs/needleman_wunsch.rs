//! Global alignment of two protein sequences by dynamic programming.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "needleman-wunsch",
    summary: "sequence alignment",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "R.NW"), (Paper::Latte, "NW")],
    is_cache_sensitive: false,
    buffers: &[exact("similarity", ElementType::I32), exact("score", ElementType::I32)],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/needleman-wunsch.ptx"),
    run,
};

const TILE: usize = 16;
const PENALTY: i32 = 10;
const LETTERS: u32 = 20;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let length: usize = host.scale().pick(64, 512, 1024);
    let columns = length + 1;
    let mut rng = host.rng(1);
    let first: Vec<u32> = (0..columns).map(|_| rng.below(LETTERS)).collect();
    // The second sequence is a mutated copy: one letter in four differs.
    let second: Vec<u32> =
        first.iter().map(|&own| if rng.below(4) == 0 { rng.below(LETTERS) } else { own }).collect();
    let rewards = substitution_rewards(&mut rng);
    let mut similarity = vec![0i32; columns * columns];
    for y in 1..columns {
        for x in 1..columns {
            similarity[y * columns + x] = rewards[(first[y] * LETTERS + second[x]) as usize];
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
    for diagonal in 0..2 * tiles - 1 {
        let first_x = diagonal.saturating_sub(tiles - 1);
        let last_y = diagonal - first_x;
        let blocks = (last_y + 1).min(tiles - first_x) as u32;
        let arguments = args![similarity_buffer, score_buffer, columns, PENALTY, first_x, last_y];
        host.launch("align", [blocks, 1, 1], [TILE as u32, 1, 1], arguments)?;
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

/// Rewards in the range of amino-acid substitution matrices: −4 to 11, high on the diagonal, symmetric.
fn substitution_rewards(rng: &mut crate::input::Rng) -> Vec<i32> {
    let letters = LETTERS as usize;
    let mut rewards = vec![0i32; letters * letters];
    for a in 0..letters {
        rewards[a * letters + a] = 4 + rng.below(8) as i32;
        for b in 0..a {
            let reward = rng.below(6) as i32 - 4;
            rewards[a * letters + b] = reward;
            rewards[b * letters + a] = reward;
        }
    }
    rewards
}
