//! Shared-memory bank conflicts: how many cycles one warp access occupies the banks.
//!
//! Words lie across the banks in turn. Lanes that touch the same word share one access; a bank that must serve
//! several different words serves one per cycle, so the access takes as many cycles as the busiest bank has words.
//! Our choice for accesses wider than a word: the bank of the first word decides, as in GPGPU-Sim.

use shrinkwarp_emu::{LANES, LaneMask};

const WORD_BYTES: u64 = 4;

/// The end of a chain of lanes.
const NO_LANE: u8 = u8::MAX;

/// Cycles the access takes, at least 1.
pub fn conflict_cycles(addresses: &[u64; LANES], lanes: LaneMask, banks: u32) -> u32 {
    if is_free_of_conflicts(addresses, lanes, banks) {
        return 1;
    }
    let banks = u64::from(banks.max(1));
    // Per row, a chain of the lanes whose words it serves; folding the banks onto 32 rows keeps the table small, and with at
    // most 32 banks each bank has its own row.
    let mut first_of_row = [NO_LANE; LANES];
    let mut next_of_lane = [NO_LANE; LANES];
    let mut worst = 1;
    let mut rest = lanes;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let word = addresses[lane] / WORD_BYTES;
        let bank = if banks.is_power_of_two() { word & (banks - 1) } else { word % banks };
        let mut link = &mut first_of_row[bank as usize % LANES];
        let mut words = 1;
        while *link != NO_LANE && addresses[usize::from(*link) % LANES] / WORD_BYTES != word {
            link = &mut next_of_lane[usize::from(*link) % LANES];
            words += 1;
        }
        *link = if *link == NO_LANE { lane as u8 } else { *link };
        worst = worst.max(words);
    }
    worst
}

/// Cycles of an access whose lanes each move a row of 16 bytes of an 8 x 8 matrix, eight lanes a matrix: the matrices follow each
/// other, and each takes as many cycles as the busiest bank has words of it.
pub fn row_conflict_cycles(addresses: &[u64; LANES], lanes: LaneMask, banks: u32) -> u32 {
    const ROWS: usize = 8;
    const ROW_WORDS: u64 = 4;
    let mut cycles = 0;
    for (matrix, rows) in addresses.chunks_exact(ROWS).enumerate() {
        let here = lanes >> (matrix * ROWS) & 0xff;
        let moved = (0..ROWS).filter(|row| here >> row & 1 == 1).map(|row| rows[row] / WORD_BYTES);
        let mut words: Vec<u64> = moved.flat_map(|first| first..first + ROW_WORDS).collect();
        words.sort_unstable();
        words.dedup();
        let in_bank = |bank| words.iter().filter(|&&word| word % u64::from(banks.max(1)) == bank).count();
        cycles += (0..u64::from(banks)).map(in_bank).max().unwrap_or(0) as u32;
    }
    cycles.max(1)
}

/// Whether 32 banks have one word each to serve, at most; the usual case, found with a look at each lane.
#[inline]
fn is_free_of_conflicts(addresses: &[u64; LANES], lanes: LaneMask, banks: u32) -> bool {
    if banks as usize != LANES {
        return false;
    }
    let (mut word_of_bank, mut used) = ([0; LANES], 0_u32);
    let mut rest = lanes;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let word = addresses[lane % LANES] / WORD_BYTES;
        let bank = word as usize % LANES;
        if used >> bank & 1 == 1 && word_of_bank[bank] != word {
            return false;
        }
        word_of_bank[bank] = word;
        used |= 1 << bank;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_whose_rows_lie_together_takes_a_cycle_and_one_with_rows_in_the_same_banks_eight() {
        let together: [u64; LANES] = std::array::from_fn(|lane| 16 * lane as u64);
        let spread: [u64; LANES] = std::array::from_fn(|lane| 128 * lane as u64);
        let padded: [u64; LANES] = std::array::from_fn(|lane| 144 * lane as u64);
        for (lanes, matrices) in [(0xff, 1), (0xffff, 2), (u32::MAX, 4)] {
            assert_eq!(row_conflict_cycles(&together, lanes, 32), matrices);
            assert_eq!(row_conflict_cycles(&spread, lanes, 32), 8 * matrices);
            assert_eq!(row_conflict_cycles(&padded, lanes, 32), matrices);
        }
    }

    fn stride(words: u64) -> [u64; LANES] {
        std::array::from_fn(|lane| lane as u64 * words * WORD_BYTES)
    }

    #[test]
    fn consecutive_words_take_one_cycle() {
        assert_eq!(conflict_cycles(&stride(1), !0, 32), 1);
    }

    #[test]
    fn one_word_for_all_lanes_is_broadcast() {
        assert_eq!(conflict_cycles(&[64; LANES], !0, 32), 1);
    }

    #[test]
    fn a_stride_of_two_words_conflicts_twice_and_of_32_in_every_lane() {
        assert_eq!(conflict_cycles(&stride(2), !0, 32), 2);
        assert_eq!(conflict_cycles(&stride(32), !0, 32), 32);
    }

    #[test]
    fn a_padded_column_is_free_of_conflicts() {
        assert_eq!(conflict_cycles(&stride(33), !0, 32), 1);
    }

    #[test]
    fn only_active_lanes_count() {
        assert_eq!(conflict_cycles(&stride(32), 0b111, 32), 3);
    }

    #[test]
    fn sixteen_banks_make_a_full_warp_take_two_cycles() {
        assert_eq!(conflict_cycles(&stride(1), !0, 16), 2);
    }
}
