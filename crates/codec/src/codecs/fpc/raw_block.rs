//! Blocks in which no word has a pattern: noise, and most floating point.
//!
//! All codes are raw ones then, so every bit has a fixed place. Eight codes are 35 bytes, and the groups of eight do
//! not wait for each other.

use super::pattern::{Pattern, has_pattern};
use super::{MAX_CODE_BITS, PREFIX_BITS};
use crate::bits::{Ahead, Burst};

/// The words whose codes fill whole bytes.
const GROUP_WORDS: usize = 8;

/// The bits of a block of raw words, which no other block has.
pub(super) const fn raw_block_bits<const BYTES: usize>() -> usize {
    BYTES / 4 * MAX_CODE_BITS as usize
}

/// Whether every word is raw. Looks at all words, because eight at a time are faster than one and a branch.
#[inline(always)]
pub(super) fn is_raw_block<const BYTES: usize>(block: &[u8; BYTES]) -> bool {
    let words = block.as_chunks().0.iter();
    !words.fold(false, |seen, &word| seen | has_pattern(u32::from_le_bytes(word)))
}

/// Writes a raw code for every word.
#[inline(always)]
pub(super) fn put_raw_block<const BYTES: usize>(block: &[u8; BYTES], burst: &mut Burst<'_>) {
    for group in block.as_chunks::<4>().0.as_chunks::<GROUP_WORDS>().0 {
        let [a, b, c, d, e, f, g, h] =
            group.map(|word| (Pattern::Raw as u64) << 32 | u64::from(u32::from_le_bytes(word)));
        burst.put64(a << 29 | b >> 6);
        burst.put64(b << 58 | c << 23 | d >> 12);
        burst.put64(d << 52 | e << 17 | f >> 18);
        burst.put64(f << 46 | g << 11 | h >> 24);
        burst.put(h & 0xff_ffff, 24);
    }
}

/// Reads a block of raw codes; false, and the block in any state, if one of the codes is another.
#[inline(always)]
pub(super) fn take_raw_block<const BYTES: usize>(ahead: Ahead<'_>, block: &mut [u8; BYTES]) -> bool {
    let mut prefixes = u64::MAX;
    for (index, word) in block.as_chunks_mut().0.iter_mut().enumerate() {
        let window = ahead.peek64(index * MAX_CODE_BITS as usize);
        prefixes &= window;
        *word = ((window >> (32 - PREFIX_BITS)) as u32).to_le_bytes();
    }
    prefixes >> (64 - PREFIX_BITS) == Pattern::Raw as u64
}
