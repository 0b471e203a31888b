//! Which set a line belongs to, and the hashes that spread addresses over sets and slices.

use serde::{Deserialize, Serialize};

/// Which set a line belongs to. The line number is the address divided by the bytes of a line.
///
/// `Hashed` is the index of Fermi's L1D that Nugteren et al. found ("A Detailed GPU Cache Model Based on Reuse Distance
/// Theory", HPCA 2014), for 32 and 64 sets of 128-byte lines:
///
/// | set bit      | 0      | 1      | 2      | 3       | 4       | 5 (64 sets) |
/// |--------------|--------|--------|--------|---------|---------|-------------|
/// | address bits | 7 ^ 13 | 8 ^ 14 | 9 ^ 15 | 10 ^ 17 | 11 ^ 19 | 12          |
///
/// Our extension to other numbers of sets: the hashed line number modulo the number of sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetIndex {
    /// The line number modulo the number of sets.
    Linear,
    /// The low five bits of the line number are combined with higher bits of the address first.
    Hashed,
    /// The line number's remainder by a polynomial ([`ipoly`]), for 16, 32 or 64 sets.
    Ipoly,
}

impl SetIndex {
    /// The set of the line at `address`, of `sets` sets of `line_bytes`, a power of two.
    #[inline]
    pub fn set_of(self, address: u64, line_bytes: usize, sets: usize) -> usize {
        // A line is a power of two of bytes; a division would cost as much as the whole look-up.
        let line_number = (address >> line_bytes.trailing_zeros()) as usize;
        let number = match self {
            Self::Linear => line_number,
            Self::Hashed => line_number ^ fermi_hash(address),
            Self::Ipoly => ipoly(line_number as u64, sets),
        };
        if sets.is_power_of_two() { number & (sets - 1) } else { number % sets }
    }
}

/// What the hash adds to the line number: bits 13, 14, 15, 17 and 19 of the address as a number of five bits.
fn fermi_hash(address: u64) -> usize {
    let bit = |position: u32, place: u32| (address >> position & 1) << place;
    (bit(13, 0) | bit(14, 1) | bit(15, 2) | bit(17, 3) | bit(19, 4)) as usize
}

/// The numbers of bins that [`ipoly`] knows a polynomial for.
pub const IPOLY_BINS: [usize; 3] = [16, 32, 64];

/// A number's bin of 16, 32 or 64, by division of polynomials over GF(2): Rau, "Pseudo-Randomly Interleaved Memory", ISCA
/// 1991. Numbers that differ by a power of two never meet as long as there are bins.
///
/// | bins | what each bit of the bin adds up, above its own bit, of the number divided by the bins        |
/// |------|------------------------------------------------------------------------------------------------|
/// | 16   | 11 10 9 8 6 4 3 0; 12 8 7 6 5 3 1 0; 9 8 7 6 4 2 1; 10 9 8 7 5 3 2                              |
/// | 32   | 13 12 11 10 9 6 5 3 0; 14 13 12 11 10 7 6 4 1; 14 10 9 8 7 6 3 2 0; 11 10 9 8 7 4 3 1; 12 11 10 9 8 5 4 2 |
/// | 64   | 18 17 16 15 12 10 6 5 0; 15 13 12 11 10 7 5 1 0; 16 14 13 12 11 8 6 2 1; 17 15 14 13 12 9 7 3 2; 18 16 15 14 13 10 8 4 3; 17 16 15 14 11 9 5 4 |
///
/// The rows are those of the reference simulator, GPGPU-Sim 4.2. Our extension to odd multiples of these bins, as the 80 slices of an
/// A100 are: the remainder by the odd factor chooses one of as many groups of bins, and the quotient is hashed within the group. Other
/// numbers of bins: the number itself.
#[inline]
pub fn ipoly(number: u64, bins: usize) -> usize {
    let group = 1 << bins.trailing_zeros();
    if bins > group && IPOLY_BINS.contains(&group) {
        let odd = (bins / group) as u64;
        return (number % odd) as usize * group + ipoly(number / odd, group);
    }
    let sums = match bins {
        16 => &SUMS_16,
        32 => &SUMS_32,
        64 => &SUMS_64,
        _ => return number as usize,
    };
    let high = (number >> bins.trailing_zeros()) as usize;
    let sum = sums[0][high & 0xff] ^ sums[1][high >> 8 & 0xff] ^ sums[2][high >> 16 & 0xff];
    number as usize & (bins - 1) ^ usize::from(sum)
}

/// What each value of three bytes adds to the bin: the rows are linear, so that a table for each byte is enough.
type Sums = [[u8; 256]; 3];

static SUMS_16: Sums = sums_of(&[0x0f59, 0x11eb, 0x03d6, 0x07ac]);
static SUMS_32: Sums = sums_of(&[0x3e69, 0x7cd2, 0x47cd, 0x0f9a, 0x1f34]);
static SUMS_64: Sums = sums_of(&[0x79461, 0x0bca3, 0x17946, 0x2f28c, 0x5e518, 0x3ca30]);

/// A row for each bit of the bin, as the bits that it adds up.
const fn sums_of(rows: &[u32]) -> Sums {
    let mut sums = [[0; 256]; 3];
    let mut byte = 0;
    while byte < 3 {
        let mut value = 0;
        while value < 256 {
            let mut bit = 0;
            while bit < rows.len() {
                let parity = (((value as u32) << (8 * byte)) & rows[bit]).count_ones() & 1;
                sums[byte][value] |= (parity as u8) << bit;
                bit += 1;
            }
            value += 1;
        }
        byte += 1;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_a_power_of_two_apart_fill_all_bins() {
        for bins in IPOLY_BINS {
            for shift in 0..=4 {
                let mut found: Vec<_> = (0..bins as u64).map(|index| ipoly(index << shift, bins)).collect();
                found.sort_unstable();
                assert!(found.iter().copied().eq(0..bins), "{bins} bins, stride {}", 1 << shift);
            }
        }
    }

    #[test]
    fn eighty_slices_share_a_buffer_equally_whatever_the_stride() {
        for stride in [1_u64, 2, 4, 16, 80, 96, 1024] {
            let mut lines = [0; 80];
            for number in 0..80 * 256 {
                lines[ipoly(number * stride, 80)] += 1;
            }
            // A stride that 5 divides keeps to one of five groups, in which it is spread.
            let groups = if stride % 5 == 0 { 1 } else { 5 };
            let (used, most) = (lines.iter().filter(|lines| **lines > 0).count(), lines.iter().max());
            assert_eq!(used, 16 * groups, "stride {stride}");
            assert!(most.is_some_and(|most| *most <= 2 * 80 * 256 / used), "stride {stride}: {lines:?}");
        }
    }

    #[test]
    fn the_rows_are_those_of_the_table() {
        let bits = |places: &[u32]| places.iter().fold(0_u64, |sum, place| sum | 1 << place);
        // The parity of a row's own bits is that of their number.
        assert_eq!(ipoly(bits(&[13, 12, 11, 10, 9, 6, 5, 3, 0]) << 5, 32) & 1, 1);
        assert_eq!(ipoly(1 << 5, 32), 0b00101, "bit 0 is in rows 0 and 2");
        assert_eq!(ipoly(1 << 6, 64), 0b000011);
        assert_eq!(ipoly(1 << 4, 16), 0b0011);
        assert_eq!(ipoly(5, 12), 5);
    }
}
