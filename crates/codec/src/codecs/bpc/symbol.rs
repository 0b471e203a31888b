//! What a plane or a base word is coded as: the rows of the code map.

use super::word::Word;

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

/// The planes of a block, sorted by symbol; bit `b` of a set is plane `b`. The sets are disjoint; what is in none of them is raw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The symbol of the sign plane of 64-bit words, which has no bit in the sets; a zero run goes on below it.
    pub top: Option<usize>,
    /// All other planes of the block.
    pub all: u64,
    /// Zero planes, in runs.
    pub zero: u64,
    /// [`PlaneSymbol::AllOnes`].
    pub all_ones: u64,
    /// [`PlaneSymbol::DbpZero`].
    pub dbp_zero: u64,
    /// [`PlaneSymbol::TwoOnes`].
    pub two_ones: u64,
    /// [`PlaneSymbol::SingleOne`].
    pub single_one: u64,
}

/// The symbol of a sign plane above 64 planes, of which `zero_below` are zero.
#[inline(always)]
pub fn sign_symbol(signs: u32, full_plane: u32, zero_below: u64) -> usize {
    // The top DBX plane is its own delta plane: never zero when the other is not.
    let pattern = match signs.count_ones() {
        0 => return ZERO_RUNS + zero_below.leading_ones() as usize,
        _ if signs == full_plane => PlaneSymbol::AllOnes,
        1 => PlaneSymbol::SingleOne,
        2 if signs & signs >> 1 != 0 => PlaneSymbol::TwoOnes,
        _ => PlaneSymbol::Raw,
    };
    pattern as usize
}

/// The top plane of every run of zero planes; with `is_zero_above`, a run that plane 63 belongs to started above it.
#[inline(always)]
pub fn run_starts(zero: u64, is_zero_above: bool) -> u64 {
    zero & !(zero >> 1 | u64::from(is_zero_above) << 63)
}

impl Classes {
    /// The planes that follow as they are.
    #[inline(always)]
    pub fn raw(&self) -> u64 {
        self.all & !(self.zero | self.all_ones | self.dbp_zero | self.two_ones | self.single_one)
    }

    /// The top plane of every zero run that starts in the sets.
    #[inline(always)]
    pub fn run_starts(&self) -> u64 {
        run_starts(self.zero, self.top.is_some_and(|symbol| symbol >= ZERO_RUNS))
    }

    /// The top planes of the zero runs of length 1.
    #[inline(always)]
    pub fn single_zeros(&self) -> u64 {
        self.run_starts() & !(self.zero << 1)
    }

    /// The highest plane of every symbol in the sets.
    #[inline(always)]
    pub fn symbol_starts(&self) -> u64 {
        (self.all & !self.zero) | self.run_starts()
    }

    /// The symbol that starts at `plane`.
    #[inline(always)]
    pub fn symbol_at(&self, plane: u32) -> usize {
        let zero_planes = run_down_from(plane, self.zero) as usize;
        // The numbers of PlaneSymbol, bit by bit.
        let bit0 = (self.all_ones | self.two_ones) >> plane & 1;
        let bit1 = (self.dbp_zero | self.two_ones) >> plane & 1;
        let bit2 = self.single_one >> plane & 1;
        let pattern = (bit0 | bit1 << 1 | bit2 << 2) as usize;
        if zero_planes == 0 { pattern } else { ZERO_RUNS + zero_planes - 1 }
    }

    /// Calls `see(symbol)` for each symbol that starts in `starts`, top plane first.
    #[inline(always)]
    pub fn for_each_symbol(&self, starts: u64, mut see: impl FnMut(usize)) {
        let mut rest = starts;
        while rest != 0 {
            let plane = highest(rest);
            rest = below(plane, rest);
            see(self.symbol_at(plane));
        }
    }
}

/// The highest plane of a set that is not empty.
#[inline(always)]
pub fn highest(set: u64) -> u32 {
    63 ^ set.leading_zeros()
}

/// The planes of a set that are lower than `plane`.
#[inline(always)]
pub fn below(plane: u32, set: u64) -> u64 {
    set & ((1 << plane) - 1)
}

/// How many planes in a row are in a set, from `plane` downwards.
#[inline(always)]
pub fn run_down_from(plane: u32, set: u64) -> u32 {
    (set << (63 - plane)).leading_ones()
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
        let classes = Classes {
            top: None,
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
