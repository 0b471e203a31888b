//! The DBX transform: words to deltas to bit planes to differences between neighbouring planes, and back.
//!
//! ```text
//! delta(j) = word(j) - word(j-1)          one bit wider than the words, both sign-extended
//! DBP(b)   = bit b of delta(1), delta(2), …         lowest delta in the lowest bit of the plane
//! DBX(b)   = DBP(b) xor DBP(b+1),  DBX(top) = DBP(top)
//! ```
//!
//! Within one delta the last step is the Gray code, `delta xor (delta >> 1)`, so it is done before the planes are
//! gathered: planes of the Gray-coded deltas *are* the DBX planes. The top plane holds the deltas' signs.

use super::code_map::EncodeTable;
use super::symbol::{Classes, sign_symbol};
use super::word::Word;

/// The most planes a block can have: 64-bit words and the sign plane.
pub const MAX_PLANES: usize = 65;

/// The DBX planes of a block, plane `b` at index `b`.
pub type Planes<W> = [<W as Word>::Plane; MAX_PLANES];

/// How the transform is computed: portably or with vector instructions. Both give the same bits.
pub trait Kernel<W: Word>: Copy {
    /// Counts the ones of every plane as far as the code map wants to know.
    fn tally(self, block: &[u8]) -> Tally<W>;

    /// The DBX planes of a block.
    fn planes(self, block: &[u8], planes: &mut Planes<W>);

    /// Makes the codes of all planes at once. False if this kernel does not do that.
    #[inline(always)]
    fn make_codes(
        self,
        _block: &[u8],
        _table: &EncodeTable,
        _full_plane: u32,
        _codes: &mut PlaneCodes,
    ) -> bool {
        false
    }

    /// The block whose base word and DBX planes these are. False if the sign plane contradicts the words.
    fn rebuild(self, base: W, planes: &Planes<W>, block: &mut [u8]) -> bool;
}

/// The codes of the planes of a block, of which four are joined in a group.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaneCodes {
    /// The sign plane and its symbol.
    pub sign_plane: (u32, usize),
    /// The other planes, lowest group first, each left-aligned with its top plane first.
    pub groups: [u64; 16],
    /// The bits of each group.
    pub group_bits: [u64; 16],
}

/// What is known of every plane without gathering it: bit `b` of each field speaks of plane `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally<W> {
    /// DBX planes with at least one, two, three ones.
    pub at_least: [W; 3],
    /// DBX planes of ones only.
    pub all: W,
    /// DBX planes with two ones side by side.
    pub adjacent: W,
    /// Delta planes with a one.
    pub any_delta: W,
    /// The top plane itself: the signs of the deltas.
    pub signs: u32,
}

impl<W: Word> Tally<W> {
    /// Sorts the planes by symbol; the first row of the code map that fits wins.
    #[inline(always)]
    pub fn classes(&self, full_plane: u32) -> Classes {
        let [one, two, three] = self.at_least.map(W::to_u64);
        let low_planes = (!W::ZERO).to_u64();
        let (all, any_delta, adjacent) = (self.all.to_u64(), self.any_delta.to_u64(), self.adjacent.to_u64());
        let rest = one & !all;
        let dbp_zero = rest & !any_delta;
        let rest = rest & any_delta;
        let zero = !one & low_planes;
        let mut classes = Classes {
            top: None,
            all: low_planes,
            zero,
            all_ones: all,
            dbp_zero,
            two_ones: rest & two & !three & adjacent,
            single_one: rest & !two,
        };
        let signs = self.signs;
        if W::BITS == 64 {
            classes.top = Some(sign_symbol(signs, full_plane, zero));
            return classes;
        }
        let ones = signs.count_ones();
        let add = |set: &mut u64, has_sign_plane: bool| *set |= u64::from(has_sign_plane) << W::BITS;
        add(&mut classes.all, true);
        add(&mut classes.zero, signs == 0);
        add(&mut classes.all_ones, signs == full_plane);
        add(&mut classes.two_ones, ones == 2 && signs & signs >> 1 != 0);
        add(&mut classes.single_one, ones == 1);
        classes
    }
}

/// The kernel for any machine.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl<W: Word> Kernel<W> for Portable {
    #[inline(always)]
    fn tally(self, block: &[u8]) -> Tally<W> {
        tally(block)
    }

    #[inline(always)]
    fn planes(self, block: &[u8], planes: &mut Planes<W>) {
        gather::<W>(block, planes);
    }

    #[inline(always)]
    fn rebuild(self, base: W, planes: &Planes<W>, block: &mut [u8]) -> bool {
        scatter(base, planes, block)
    }
}

/// One delta, Gray-coded, with its sign.
#[inline(always)]
fn gray_delta<W: Word>(previous: W, word: W) -> (W, W, bool) {
    let delta = word.minus(previous);
    let is_negative = word.is_less(previous);
    let sign = if is_negative { W::TOP_BIT } else { W::ZERO };
    (delta, delta ^ (delta >> 1) ^ sign, is_negative)
}

/// [`Kernel::tally`] in portable code.
#[inline(always)]
pub fn tally<W: Word>(block: &[u8]) -> Tally<W> {
    let [mut one, mut two, mut three] = [W::ZERO; 3];
    let [mut adjacent, mut any_delta] = [W::ZERO; 2];
    let mut all = !W::ZERO;
    let mut signs = 0;
    let mut previous = W::load(block, 0);
    let mut previous_dbx = W::ZERO;
    for index in 1..words::<W>(block) {
        let word = W::load(block, index);
        let (delta, dbx, is_negative) = gray_delta(previous, word);
        three |= two & dbx;
        two |= one & dbx;
        one |= dbx;
        all &= dbx;
        adjacent |= dbx & previous_dbx;
        any_delta |= delta;
        signs |= u32::from(is_negative) << (index - 1);
        previous = word;
        previous_dbx = dbx;
    }
    Tally { at_least: [one, two, three], all, adjacent, any_delta, signs }
}

/// [`Kernel::planes`] in portable code.
#[inline(always)]
fn gather<W: Word>(block: &[u8], planes: &mut Planes<W>) {
    let halves = W::BITS as usize / 32;
    let mut rows = [[0; 32]; 2];
    let mut signs = 0;
    for index in 1..words::<W>(block) {
        let (_, dbx, is_negative) = gray_delta(W::load(block, index - 1), W::load(block, index));
        rows[0][index - 1] = dbx.to_u64() as u32;
        rows[1][index - 1] = (dbx.to_u64() >> 32) as u32;
        signs |= u32::from(is_negative) << (index - 1);
    }
    for (half, matrix) in rows.iter_mut().take(halves).enumerate() {
        transpose(matrix);
        for (plane, &row) in planes[32 * half..].iter_mut().zip(&*matrix) {
            *plane = W::plane(row.into());
        }
    }
    planes[32 * halves] = W::plane(signs.into());
}

/// [`Kernel::rebuild`] in portable code.
#[inline(always)]
fn scatter<W: Word>(base: W, planes: &Planes<W>, block: &mut [u8]) -> bool {
    let halves = W::BITS as usize / 32;
    let mut rows = [[0; 32]; 2];
    for (half, matrix) in rows.iter_mut().take(halves).enumerate() {
        for (row, &plane) in matrix.iter_mut().zip(&planes[32 * half..]) {
            *row = plane.into();
        }
        transpose(matrix);
    }
    let signs: u32 = planes[32 * halves].into();
    let mut word = base;
    word.store(block, 0);
    let mut are_signs_right = true;
    for index in 1..words::<W>(block) {
        let dbx = W::from_u64(u64::from(rows[1][index - 1]) << 32 | u64::from(rows[0][index - 1]));
        let is_negative = signs >> (index - 1) & 1 == 1;
        let next = word.plus(ungray(dbx, is_negative));
        are_signs_right &= next.is_less(word) == is_negative;
        next.store(block, index);
        word = next;
    }
    are_signs_right
}

/// Undoes the Gray code: every bit becomes the parity of itself and all higher bits, the sign included.
#[inline(always)]
fn ungray<W: Word>(dbx: W, is_negative: bool) -> W {
    let mut delta = dbx;
    let mut shift = 1;
    while shift < W::BITS {
        delta = delta ^ (delta >> shift);
        shift *= 2;
    }
    if is_negative { !delta } else { delta }
}

#[inline(always)]
fn words<W: Word>(block: &[u8]) -> usize {
    block.len() * 8 / W::BITS as usize
}

/// 32 rows of 32 bits.
pub type Matrix = [u32; 32];

/// Transposes in place: bit `i` of row `j` changes places with bit `j` of row `i`.
///
/// The off-diagonal quarters are exchanged, then those of every quarter, down to single bits.
pub fn transpose(matrix: &mut Matrix) {
    let mut size = 16;
    let mut low_halves = 0x0000_ffff_u32;
    while size > 0 {
        for row in (0..32).filter(|row| row & size == 0) {
            let exchanged = (matrix[row] >> size ^ matrix[row + size]) & low_halves;
            matrix[row] ^= exchanged << size;
            matrix[row + size] ^= exchanged;
        }
        size /= 2;
        low_halves ^= low_halves << size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_moves_bit_i_of_row_j_to_bit_j_of_row_i() {
        let mut matrix: Matrix = std::array::from_fn(|row| 0x9e37_79b9_u32.wrapping_mul(row as u32 + 1));
        let before = matrix;
        transpose(&mut matrix);
        for (row, after) in matrix.iter().enumerate() {
            for (bit, source) in before.iter().enumerate() {
                assert_eq!(after >> bit & 1, source >> row & 1);
            }
        }
    }

    #[test]
    fn a_falling_sequence_has_ones_in_the_sign_plane_only_until_the_last_bit() {
        // Each delta is -1: all 33 delta bits are one, so only the top DBX plane is not zero.
        let block: Vec<u8> = (0..32u32).flat_map(|index| (100 - index).to_le_bytes()).collect();
        let mut planes = [0; MAX_PLANES];
        Kernel::<u32>::planes(Portable, &block, &mut planes);
        assert_eq!(planes[32], 0x7fff_ffff);
        assert_eq!(planes[..32], [0; 32]);
    }

    #[test]
    fn the_delta_from_int_max_to_int_min_is_33_bits_wide() {
        // -2^31 - (2^31 - 1) = -(2^32 - 1): the sign is one, bits 31..1 are zero, bit 0 is one.
        let mut block = [0; 128];
        0x7fff_ffff_u32.store(&mut block, 0);
        0x8000_0000_u32.store(&mut block, 1);
        for index in 2..32 {
            0x8000_0000_u32.store(&mut block, index);
        }
        let mut planes = [0; MAX_PLANES];
        Kernel::<u32>::planes(Portable, &block, &mut planes);
        let ones: Vec<usize> = (0..33).filter(|&plane| planes[plane] != 0).collect();
        assert_eq!(ones, [0, 31, 32]);
    }
}
