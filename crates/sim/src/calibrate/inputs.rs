//! Inputs of the calibration cases, by the formulas of the reference's host programs.

/// Contents of a buffer of 32-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// `i mod 1000 / 2` as a float.
    Ramp(usize),
    /// `7 i mod 1001`.
    Integers(usize),
    /// A linear congruential generator, its upper 24 bits.
    Random(usize),
    /// Zeros.
    Zeros(usize),
    /// `(1237 i + 40503) mod n`: one long cycle.
    PermutationStep(usize),
    /// `random mod 4096 + 1`.
    Collatz(usize),
    /// Row starts of a graph with 16,384 nodes of degree 8.
    BfsRows,
    /// Its random neighbours.
    BfsColumns,
    /// Distances: 3 for every fourth node, -1 elsewhere.
    BfsDistances,
}

const BFS_NODES: usize = 16_384;
const BFS_DEGREE: usize = 8;

impl Input {
    /// The buffer, little-endian.
    pub(super) fn bytes(self) -> Vec<u8> {
        let words: Vec<u32> = match self {
            Input::Ramp(n) => (0..n).map(|i| ((i % 1000) as f32 * 0.5).to_bits()).collect(),
            Input::Integers(n) => (0..n).map(|i| (i * 7 % 1001) as u32).collect(),
            Input::Random(n) => random().take(n).collect(),
            Input::Zeros(n) => vec![0; n],
            Input::PermutationStep(n) => (0..n).map(|i| ((i * 1237 + 40_503) % n) as u32).collect(),
            Input::Collatz(n) => random().take(n).map(|value| value % 4096 + 1).collect(),
            Input::BfsRows => (0..=BFS_NODES).map(|i| (i * BFS_DEGREE) as u32).collect(),
            Input::BfsColumns => {
                random().take(BFS_NODES * BFS_DEGREE).map(|value| value % BFS_NODES as u32).collect()
            }
            Input::BfsDistances => (0..BFS_NODES).map(|i| if i % 4 == 0 { 3 } else { u32::MAX }).collect(),
        };
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

fn random() -> impl Iterator<Item = u32> {
    let mut state = 12_345u32;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    })
}
