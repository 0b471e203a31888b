//! What the DBX transform of BPC does to data: the statistics behind figures 2b, 2c and 2d of the paper.
//!
//! Each block is seen at three stages:
//!
//! | stage    | symbols of a block                 | their bits, 128 B block | planes of the histogram     |
//! |----------|------------------------------------|-------------------------|-----------------------------|
//! | original | n words                            | 32                      | 32 of n bits                |
//! | delta    | base word, n-1 deltas              | 32, 33                  | 33 of n-1 bits (DBP)        |
//! | DBX      | base word, 33 planes, top first    | 32, 31                  | 33 of n-1 bits              |
//!
//! Our interpretation where the paper is silent: symbols of one kind are counted together whatever their place; the
//! bound is the block's bits over the sum of its symbols' entropies (figure 2c's "weighted average"); runs of zero bits
//! go through the symbols in the order above, highest bit first, and end with the block.

use crate::analysis::plane_ones::{PLANES, PlaneOnes, StagePlanes};
use crate::analysis::symbol_entropy::{SymbolCounts, SymbolEntropy};
use crate::analysis::zero_runs::{RUN_CLASSES, ZeroRuns};
use crate::block::{BlockBytes, word32};

pub use crate::analysis::plane_ones::{OnesHistogram, Stage};

/// Entropies are counted over at most this many blocks, spread evenly: what bounds their memory.
pub const MAX_ENTROPY_BLOCKS: u64 = 1 << 14;

const WORD_BITS: u32 = 32;

/// What one stage looks like over all blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct StageReport {
    /// The stage.
    pub stage: Stage,
    /// How many blocks had how many ones in each plane.
    pub ones: OnesHistogram,
    /// Zero bits as a share of all bits.
    pub zero_bit_share: f64,
    /// Bits that are zero and lie in a run of each class, as a share of all bits. Class `c` holds runs of 2^c bits to
    /// twice that, the last class all longer ones.
    pub zero_run_shares: [f64; RUN_CLASSES],
    /// The entropy of the stage's symbols, the base word apart.
    pub entropy: SymbolEntropy,
    /// The ratio no code with one codeword for each symbol can pass; none where the symbols carry no information.
    pub ratio_bound: Option<f64>,
}

/// What the statistics say.
#[derive(Clone, Debug, PartialEq)]
pub struct DbxReport {
    /// The blocks seen.
    pub blocks: u64,
    /// The blocks whose symbols were counted for the entropies.
    pub entropy_blocks: u64,
    /// The stages in order.
    pub stages: [StageReport; 3],
}

/// Collects the statistics. Parts collected apart and merged in any order give the same report.
#[derive(Clone, Debug)]
pub struct DbxStatistics {
    block: BlockBytes,
    /// One block in this many is counted for the entropies.
    entropy_stride: u64,
    entropy_blocks: u64,
    ones: PlaneOnes,
    zero_runs: [ZeroRuns; 3],
    symbols: [SymbolCounts; 3],
    bases: SymbolCounts,
}

/// One block at its three stages.
struct Transformed {
    words: [u32; 32],
    /// 33-bit numbers; the first is not used.
    deltas: [u64; 32],
    planes: StagePlanes,
}

impl DbxStatistics {
    /// Statistics over about `total_blocks` blocks (0 if that is not known: entropies then come from the first).
    pub fn new(block: BlockBytes, total_blocks: u64) -> Self {
        Self {
            block,
            entropy_stride: total_blocks.div_ceil(MAX_ENTROPY_BLOCKS).max(1),
            entropy_blocks: 0,
            ones: PlaneOnes::new(block),
            zero_runs: Default::default(),
            symbols: Default::default(),
            bases: SymbolCounts::default(),
        }
    }

    /// Adds whole blocks, of which the first is block number `first_block` of the data.
    pub fn observe(&mut self, first_block: u64, blocks: &[u8]) {
        for (number, block) in (first_block..).zip(blocks.chunks_exact(self.block.bytes())) {
            let transformed = Transformed::of(block);
            self.ones.count(block, &transformed.planes);
            self.count_zero_runs(&transformed);
            let is_sampled = number.is_multiple_of(self.entropy_stride);
            if is_sampled && number / self.entropy_stride < MAX_ENTROPY_BLOCKS {
                self.count_symbols(&transformed);
                self.entropy_blocks += 1;
            }
        }
    }

    /// Adds what `other` has seen; both must have been made with the same arguments.
    pub fn merge(&mut self, other: Self) {
        self.entropy_blocks += other.entropy_blocks;
        self.ones.merge(&other.ones);
        for (runs, more) in self.zero_runs.iter_mut().zip(&other.zero_runs) {
            runs.merge(more);
        }
        for (counts, more) in self.symbols.iter_mut().zip(other.symbols) {
            counts.merge(more);
        }
        self.bases.merge(other.bases);
    }

    /// What has been seen so far.
    pub fn report(&self) -> DbxReport {
        let base_bits = self.bases.entropy().bits;
        DbxReport {
            blocks: self.ones.blocks(),
            entropy_blocks: self.entropy_blocks,
            stages: Stage::ALL.map(|stage| self.stage_report(stage, base_bits)),
        }
    }

    fn stage_report(&self, stage: Stage, base_bits: f64) -> StageReport {
        let index = stage as usize;
        let runs = &self.zero_runs[index];
        let share = |bits: u64| if runs.total_bits == 0 { 0.0 } else { bits as f64 / runs.total_bits as f64 };
        let entropy = self.symbols[index].entropy();
        let words = f64::from(self.words());
        let block_entropy_bits = match stage {
            Stage::Original => words * entropy.bits,
            Stage::Delta => base_bits + (words - 1.0) * entropy.bits,
            Stage::Dbx => base_bits + PLANES as f64 * entropy.bits,
        };
        StageReport {
            stage,
            ones: self.ones.histogram(stage).clone(),
            zero_bit_share: self.ones.zero_bit_share(stage),
            zero_run_shares: runs.bits_by_class.map(share),
            entropy,
            ratio_bound: (block_entropy_bits > 0.0)
                .then(|| f64::from(self.block.bits()) / block_entropy_bits),
        }
    }

    fn words(&self) -> u32 {
        self.block.bits() / WORD_BITS
    }

    fn count_zero_runs(&mut self, block: &Transformed) {
        let words = self.words();
        let [original, delta, dbx] = &mut self.zero_runs;
        for &word in &block.words[..words as usize] {
            original.push(u64::from(word), WORD_BITS);
        }
        delta.push(u64::from(block.words[0]), WORD_BITS);
        for &symbol in &block.deltas[1..words as usize] {
            delta.push(symbol, WORD_BITS + 1);
        }
        dbx.push(u64::from(block.words[0]), WORD_BITS);
        for &plane in block.planes.dbx.iter().rev() {
            dbx.push(u64::from(plane), words - 1);
        }
        self.zero_runs.iter_mut().for_each(ZeroRuns::end_block);
    }

    fn count_symbols(&mut self, block: &Transformed) {
        let words = self.words() as usize;
        let [original, delta, dbx] = &mut self.symbols;
        block.words[..words].iter().for_each(|&word| original.add(u64::from(word)));
        block.deltas[1..words].iter().for_each(|&symbol| delta.add(symbol));
        block.planes.dbx.iter().for_each(|&plane| dbx.add(u64::from(plane)));
        self.bases.add(u64::from(block.words[0]));
    }
}

impl Transformed {
    fn of(block: &[u8]) -> Self {
        let count = block.len() / 4;
        let mut words = [0; 32];
        let mut deltas = [0; 32];
        for index in 0..count {
            words[index] = word32(block, index);
            if index > 0 {
                let difference = i64::from(words[index] as i32) - i64::from(words[index - 1] as i32);
                deltas[index] = difference as u64 & ((1 << PLANES) - 1);
            }
        }
        Self { words, deltas, planes: StagePlanes::of::<false>(block) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: impl IntoIterator<Item = i32>) -> Vec<u8> {
        words.into_iter().flat_map(i32::to_le_bytes).collect()
    }

    fn statistics(data: &[u8]) -> DbxReport {
        let mut statistics = DbxStatistics::new(BlockBytes::B128, 0);
        statistics.observe(0, data);
        statistics.report()
    }

    #[test]
    fn a_rising_sequence_has_one_plane_of_ones() {
        // Words 0..=31, deltas all 1: plane 0 of the deltas and of DBX is all ones, everything else zero.
        let report = statistics(&bytes(0..32));
        let [original, delta, dbx] = &report.stages;
        assert_eq!(original.ones[0][16], 1, "every other number is odd");
        assert_eq!(original.ones[5][0], 1);
        for stage in [delta, dbx] {
            assert_eq!(stage.ones[0][31], 1);
            assert!((1..33).all(|plane| stage.ones[plane][0] == 1));
            assert_eq!(stage.zero_bit_share, 1024.0 / 1055.0);
        }
        // Each of the five low bits is one in half of the words.
        assert_eq!(original.zero_bit_share, 1.0 - 5.0 * 16.0 / 1024.0);
        // The zeros of a delta lie in 31 runs: base and first delta together, 32 each in the others.
        assert_eq!(delta.zero_run_shares[5], 30.0 * 32.0 / 1055.0);
        assert_eq!(delta.zero_run_shares[6], 64.0 / 1055.0);
        // In the planes they are one run.
        assert_eq!(dbx.zero_run_shares[10], 1024.0 / 1055.0);
    }

    #[test]
    fn entropies_follow_from_the_symbols() {
        let report = statistics(&bytes(0..32));
        let [original, delta, dbx] = &report.stages;
        assert_eq!(original.entropy.bits, 5.0);
        assert_eq!(original.ratio_bound, Some(32.0 / 5.0));
        assert_eq!((delta.entropy.bits, delta.entropy.distinct), (0.0, 1));
        assert_eq!(delta.ratio_bound, None, "one block has one base and one delta");
        // One plane of 33 differs.
        let expected = (33f64).log2() / 33.0 + 32.0 / 33.0 * (33f64 / 32.0).log2();
        assert!((dbx.entropy.bits - expected).abs() < 1e-12);
    }

    #[test]
    fn negative_deltas_fill_the_sign_plane() {
        let report = statistics(&bytes((0..32).map(|word| -word)));
        let [_, delta, dbx] = &report.stages;
        assert!((0..33).all(|plane| delta.ones[plane][31] == 1));
        assert_eq!(dbx.ones[32][31], 1);
        assert!((0..32).all(|plane| dbx.ones[plane][0] == 1));
    }

    #[test]
    fn parts_merged_in_any_order_give_the_same_report() {
        let data =
            bytes((0..64 * 32).map(|word: i32| word.wrapping_mul(0x9e37_79b9_u32 as i32) >> (word % 32)));
        let part = |first: usize, blocks: usize| {
            let mut statistics = DbxStatistics::new(BlockBytes::B128, 64);
            statistics.observe(first as u64, &data[128 * first..][..128 * blocks]);
            statistics
        };
        let mut forwards = part(0, 20);
        forwards.merge(part(20, 44));
        let mut backwards = part(20, 44);
        backwards.merge(part(0, 20));
        assert_eq!(forwards.report(), part(0, 64).report());
        assert_eq!(backwards.report(), part(0, 64).report());
    }

    #[test]
    fn entropies_of_long_data_come_from_blocks_spread_over_it() {
        let mut statistics = DbxStatistics::new(BlockBytes::B32, 4 * MAX_ENTROPY_BLOCKS);
        statistics.observe(0, &[0; 32 * 10]);
        let report = statistics.report();
        assert_eq!((report.blocks, report.entropy_blocks), (10, 3), "blocks 0, 4 and 8");
    }
}
