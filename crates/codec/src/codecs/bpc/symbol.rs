//! What a plane or a base word is coded as: the rows of the code map.

use super::word::{PlaneSet, Word};

/// Plane symbols other than zero runs; the discriminant is the symbol's number in a code map. A run of `n` zero
/// planes is symbol `ZERO_RUNS + n - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneSymbol {
    /// None of the patterns: the plane follows.
    Raw = 0,
    /// Every bit is one.
    AllOnes = 1,
    /// The plane is not zero, but the delta plane it was made from is.
    DbpZero = 2,
    /// Exactly two ones, side by side: the position of the lower one follows.
    TwoOnes = 3,
    /// Exactly one one: its position follows.
    SingleOne = 4,
}

/// The symbol number of a single zero plane; longer runs follow in order.
pub const ZERO_RUNS: usize = 5;

/// How many symbols the planes of a block can be coded with.
pub const fn plane_symbols(planes: usize) -> usize {
    ZERO_RUNS + planes
}

/// The payload widths of the base word's classes: zero, then signed integers of 4, 8, … bits, then the whole word.
pub const BASE_PAYLOAD_BITS: [u32; 6] = [0, 4, 8, 16, 32, 64];

/// How many classes a base word of `word_bits` bits has.
pub const fn base_classes(word_bits: u32) -> usize {
    if word_bits == 32 { 5 } else { 6 }
}

/// The class of a base word: the narrowest that holds it.
#[inline(always)]
pub fn base_class<W: Word>(base: W) -> usize {
    if base == W::ZERO {
        return 0;
    }
    // 1..=4 bits are class 1, 5..=8 class 2, 9..=16 class 3, …: the logarithm, rounded up.
    let log = (base.signed_bits() - 1).checked_ilog2().map_or(0, |log| log as usize + 1);
    log.max(2) - 1
}

/// The planes of a block, sorted by symbol. The sets are disjoint; what is in none of them is raw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes<S> {
    /// All planes of the block.
    pub all: S,
    /// Zero planes, in runs.
    pub zero: S,
    /// [`PlaneSymbol::AllOnes`].
    pub all_ones: S,
    /// [`PlaneSymbol::DbpZero`].
    pub dbp_zero: S,
    /// [`PlaneSymbol::TwoOnes`].
    pub two_ones: S,
    /// [`PlaneSymbol::SingleOne`].
    pub single_one: S,
}

impl<S: PlaneSet> Classes<S> {
    /// The planes that follow as they are.
    #[inline(always)]
    pub fn raw(&self) -> S {
        self.all & !(self.zero | self.all_ones | self.dbp_zero | self.two_ones | self.single_one)
    }

    /// The top plane of every zero run.
    #[inline(always)]
    pub fn run_starts(&self) -> S {
        self.zero & !(self.zero >> 1)
    }

    /// The top planes of the zero runs of length 1.
    #[inline(always)]
    pub fn single_zeros(&self) -> S {
        self.run_starts() & !(self.zero << 1)
    }

    /// The highest plane of every symbol.
    #[inline(always)]
    pub fn symbol_starts(&self) -> S {
        (self.all & !self.zero) | self.run_starts()
    }

    /// The symbol that starts at `plane`.
    #[inline(always)]
    pub fn symbol_at(&self, plane: u32) -> usize {
        let zero_planes = self.zero.run_down_from(plane) as usize;
        // The numbers of PlaneSymbol, bit by bit.
        let bit0 = (self.all_ones | self.two_ones).bit(plane);
        let bit1 = (self.dbp_zero | self.two_ones).bit(plane);
        let bit2 = self.single_one.bit(plane);
        let pattern = (bit0 | bit1 << 1 | bit2 << 2) as usize;
        if zero_planes == 0 { pattern } else { ZERO_RUNS + zero_planes - 1 }
    }

    /// The same for the planes below 64.
    #[inline(always)]
    pub fn low_planes(&self) -> Classes<u64> {
        Classes {
            all: self.all.low_planes(),
            zero: self.zero.low_planes(),
            all_ones: self.all_ones.low_planes(),
            dbp_zero: self.dbp_zero.low_planes(),
            two_ones: self.two_ones.low_planes(),
            single_one: self.single_one.low_planes(),
        }
    }

    /// Calls `see(symbol)` for each symbol that starts in `starts`, top plane first.
    #[inline(always)]
    pub fn for_each_symbol(&self, starts: S, mut see: impl FnMut(usize)) {
        let mut rest = starts;
        while !rest.is_empty() {
            let plane = rest.highest();
            rest = rest.below(plane);
            see(self.symbol_at(plane));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_classes_change_where_a_signed_integer_stops_fitting() {
        let expected = [
            (0, 0),
            (1, 1),
            (-1, 1),
            (7, 1),
            (8, 2),
            (-8, 1),
            (-9, 2),
            (127, 2),
            (128, 3),
            (-128, 2),
            (-129, 3),
            (32767, 3),
            (32768, 4),
            (-32768, 3),
            (-32769, 4),
            (i32::MAX, 4),
            (i32::MIN, 4),
        ];
        for (value, class) in expected {
            assert_eq!(base_class(value as u32), class, "{value}");
            assert_eq!(base_class(i64::from(value) as u64), class, "{value}");
        }
        assert_eq!(base_class(1u64 << 31), 5);
        assert_eq!(base_class(i64::MIN as u64), 5);
    }

    #[test]
    fn symbols_come_top_plane_first_with_runs_gathered() {
        // Planes 6..0: zero zero ones two zero raw one.
        let classes = Classes::<u64> {
            all: 0b1111111,
            zero: 0b1100100,
            all_ones: 0b0010000,
            dbp_zero: 0,
            two_ones: 0b0001000,
            single_one: 0b0000001,
        };
        let mut seen = Vec::new();
        classes.for_each_symbol(classes.symbol_starts(), |symbol| seen.push(symbol));
        let expected = [
            ZERO_RUNS + 1,
            PlaneSymbol::AllOnes as usize,
            PlaneSymbol::TwoOnes as usize,
            ZERO_RUNS,
            PlaneSymbol::Raw as usize,
            PlaneSymbol::SingleOne as usize,
        ];
        assert_eq!(seen, expected);
        assert_eq!(classes.symbol_starts(), 0b1011111);
        assert_eq!(classes.raw(), 0b10);
        assert_eq!(classes.single_zeros(), 0b100);
    }
}
