//! How long the runs of zero bits in a block are.

/// Runs are sorted by the logarithm of their length: 1, 2..=3, 4..=7, …, 512..=1023, 1024 and more.
pub const RUN_CLASSES: usize = 11;

/// The zero bits of many blocks, by the length of the run they lie in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZeroRuns {
    /// Zero bits that lie in runs of each class.
    pub bits_by_class: [u64; RUN_CLASSES],
    /// All bits, ones included.
    pub total_bits: u64,
    run_bits: u64,
}

impl ZeroRuns {
    /// Appends the low `count` bits of `symbol` to the block, highest first. `count` is 1..=64.
    pub fn push(&mut self, symbol: u64, count: u32) {
        self.total_bits += u64::from(count);
        let mut rest = symbol << (64 - count);
        let mut left = count;
        loop {
            let zeros = rest.leading_zeros().min(left);
            self.run_bits += u64::from(zeros);
            left -= zeros;
            if left == 0 {
                return;
            }
            self.end_run();
            rest = rest << zeros << 1;
            left -= 1;
        }
    }

    /// Ends the block: no run crosses into the next.
    pub fn end_block(&mut self) {
        self.end_run();
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.total_bits += other.total_bits;
        for (bits, more) in self.bits_by_class.iter_mut().zip(other.bits_by_class) {
            *bits += more;
        }
    }

    fn end_run(&mut self) {
        if let Some(log) = self.run_bits.checked_ilog2() {
            self.bits_by_class[(log as usize).min(RUN_CLASSES - 1)] += self.run_bits;
            self.run_bits = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cross_symbols_but_not_blocks() {
        let mut runs = ZeroRuns::default();
        runs.push(0b01000, 5);
        runs.push(0b001, 3);
        runs.push(0, 64);
        runs.end_block();
        runs.push(0, 2);
        runs.end_block();
        // Runs of 1, 3 + 2, 64, and in the next block 2.
        let mut expected = [0; RUN_CLASSES];
        expected[0] = 1;
        expected[1] = 2;
        expected[2] = 5;
        expected[6] = 64;
        assert_eq!(runs.bits_by_class, expected);
        assert_eq!(runs.total_bits, 5 + 3 + 64 + 2);
    }

    #[test]
    fn a_run_longer_than_the_last_class_stays_in_it() {
        let mut runs = ZeroRuns::default();
        for _ in 0..33 {
            runs.push(0, 64);
        }
        runs.end_block();
        assert_eq!(runs.bits_by_class[RUN_CLASSES - 1], 33 * 64);
    }
}
