//! How many ones the bit planes of blocks have, at the three stages of BPC's transform.
//!
//! | stage    | planes of a block                                              |
//! |----------|----------------------------------------------------------------|
//! | original | 32, one bit for each word                                      |
//! | delta    | 33, one bit for each difference of neighbouring words (DBP)    |
//! | DBX      | 33, each the one above it xored with its own delta plane       |

use crate::block::{BlockBytes, word32};
use crate::codecs::bpc::transform::{MAX_PLANES, Matrix, Planes};
use crate::codecs::bpc::{transposed_words, word_planes};
use crate::simd::accelerated;

const WORD_BITS: u32 = 32;
/// The planes of deltas, which are one bit wider than words.
pub(super) const PLANES: usize = WORD_BITS as usize + 1;
/// A plane of the largest block has 0..=32 ones.
const ONES_CLASSES: usize = 33;

/// How many blocks had how many ones in a plane: `histogram[plane][ones]`. The original words have no plane 32.
pub type OnesHistogram = Vec<[u64; ONES_CLASSES]>;

/// A stage of the transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The words as they are.
    Original,
    /// The differences between neighbouring words.
    Delta,
    /// The bit planes of the differences, neighbours xored.
    Dbx,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 3] = [Self::Original, Self::Delta, Self::Dbx];
}

/// The ones of many blocks. Parts counted apart and merged in any order give the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaneOnes {
    block: BlockBytes,
    blocks: u64,
    /// Of the first word of each block, which has no delta.
    base_ones: u64,
    histograms: [OnesHistogram; 3],
}

/// The planes of one block at each stage.
pub(super) struct StagePlanes {
    pub(super) words: Matrix,
    pub(super) deltas: [u32; PLANES],
    pub(super) dbx: [u32; PLANES],
}

impl PlaneOnes {
    /// No blocks yet.
    pub fn new(block: BlockBytes) -> Self {
        let histograms = [PLANES - 1, PLANES, PLANES].map(|planes| vec![[0; ONES_CLASSES]; planes]);
        Self { block, blocks: 0, base_ones: 0, histograms }
    }

    /// Adds whole blocks.
    pub fn observe(&mut self, blocks: &[u8]) {
        let ones = self;
        accelerated!(observe as fn[; WIDE](ones: &mut PlaneOnes, blocks: &[u8]) -> ());
    }

    /// Adds one block.
    #[inline(always)]
    pub(super) fn count(&mut self, block: &[u8], planes: &StagePlanes) {
        self.blocks += 1;
        self.base_ones += u64::from(word32(block, 0).count_ones());
        let stages: [&[u32]; 3] = [&planes.words, &planes.deltas, &planes.dbx];
        for (histogram, planes) in self.histograms.iter_mut().zip(stages) {
            for (counts, plane) in histogram.iter_mut().zip(planes) {
                counts[plane.count_ones() as usize] += 1;
            }
        }
    }

    /// Adds what `other` has seen; both must have the same block size.
    pub fn merge(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.base_ones += other.base_ones;
        for (histogram, more) in self.histograms.iter_mut().zip(&other.histograms) {
            for (count, more) in histogram.as_flattened_mut().iter_mut().zip(more.as_flattened()) {
                *count += more;
            }
        }
    }

    /// The blocks seen.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// How many blocks had how many ones in each plane of a stage.
    pub fn histogram(&self, stage: Stage) -> &OnesHistogram {
        &self.histograms[stage as usize]
    }

    /// Zero bits as a share of all bits of a stage. Deltas and DBX planes come with the first word of their block.
    pub fn zero_bit_share(&self, stage: Stage) -> f64 {
        let words = u64::from(self.block.bits() / WORD_BITS);
        let (block_bits, base_ones) = match stage {
            Stage::Original => (u64::from(self.block.bits()), 0),
            Stage::Delta | Stage::Dbx => (u64::from(WORD_BITS) + (words - 1) * PLANES as u64, self.base_ones),
        };
        let of_plane = |counts: &[u64; ONES_CLASSES]| -> u64 {
            (0..).zip(counts).map(|(ones, count)| ones * count).sum()
        };
        let ones = base_ones + self.histogram(stage).iter().map(of_plane).sum::<u64>();
        let total_bits = self.blocks * block_bits;
        if total_bits == 0 { 0.0 } else { (total_bits - ones) as f64 / total_bits as f64 }
    }
}

#[inline(always)]
fn observe<const WIDE: bool>(ones: &mut PlaneOnes, blocks: &[u8]) {
    for block in blocks.chunks_exact(ones.block.bytes()) {
        ones.count(block, &StagePlanes::of::<WIDE>(block));
    }
}

impl StagePlanes {
    /// The planes of a block; `WIDE` only in code compiled for AVX2.
    #[inline(always)]
    pub(super) fn of<const WIDE: bool>(block: &[u8]) -> Self {
        let mut planes: Planes<u32> = [0; MAX_PLANES];
        word_planes::<WIDE>(block, &mut planes);
        let mut dbx = [0; PLANES];
        dbx.copy_from_slice(&planes[..PLANES]);
        let mut deltas = dbx;
        for plane in (0..PLANES - 1).rev() {
            deltas[plane] ^= deltas[plane + 1];
        }
        Self { words: transposed_words::<WIDE>(block), deltas, dbx }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vector_instructions_count_what_portable_code_counts(words: [u32; 64], shift in 0u32..32) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| (word >> shift).to_le_bytes()).collect();
            for block in BlockBytes::ALL {
                let (mut fast, mut portable) = (PlaneOnes::new(block), PlaneOnes::new(block));
                fast.observe(&bytes);
                observe::<false>(&mut portable, &bytes);
                prop_assert_eq!(fast, portable);
            }
        }
    }
}
