//! Blocks in which no word has a pattern: noise, and most floating point.
//!
//! All codes are raw ones then, so every bit has a fixed place. Eight codes are 35 bytes, and the groups of eight do
//! not wait for each other.

use super::pattern::{Pattern, has_pattern};
use super::{MAX_CODE_BITS, PREFIX_BITS};
use crate::bits::{Ahead, BlockWriter};

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
pub(super) fn put_raw_block<const BYTES: usize>(block: &[u8; BYTES], out: &mut BlockWriter<'_>) {
    for group in block.as_chunks::<4>().0.as_chunks::<GROUP_WORDS>().0 {
        let [a, b, c, d, e, f, g, h] =
            group.map(|word| (Pattern::Raw as u64) << 32 | u64::from(u32::from_le_bytes(word)));
        out.put64(a << 29 | b >> 6);
        out.put64(b << 58 | c << 23 | d >> 12);
        out.put64(d << 52 | e << 17 | f >> 18);
        out.put64(f << 46 | g << 11 | h >> 24);
        out.put(h & 0xff_ffff, 24);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitReader, BitWriter, Spare};

    #[test]
    fn every_word_follows_the_raw_prefix_wherever_the_stream_stands() {
        let mut block = [0; 128];
        for (index, word) in block.as_chunks_mut().0.iter_mut().enumerate() {
            *word = (0x8123_4567 + index as u32 * 0x0301_0205).to_le_bytes();
        }
        assert!(is_raw_block(&block));
        for start in 0..8 {
            let (mut at_once, mut one_by_one) = (BitWriter::new(), BitWriter::new());
            at_once.put(0, start);
            one_by_one.put(0, start);
            let mut block_writer = at_once.begin_block();
            put_raw_block(&block, &mut block_writer);
            block_writer.end();
            for &word in block.as_chunks().0 {
                one_by_one.put(0b111, 3);
                one_by_one.put(u32::from_le_bytes(word).into(), 32);
            }
            let mut bytes = at_once.pad_to_bytes().to_vec();
            assert_eq!(bytes, one_by_one.pad_to_bytes());

            let mut back = [0; 128];
            let take = |bytes: &[u8], back: &mut [u8; 128]| {
                let mut spare = Spare::new();
                take_raw_block(
                    BitReader::at(bytes, start as usize, raw_block_bits::<128>()).ahead(&mut spare),
                    back,
                )
            };
            assert!(take(&bytes, &mut back));
            assert_eq!(back, block);
            let last_prefix = start as usize + 31 * 35;
            bytes[last_prefix / 8] ^= 0x80 >> (last_prefix % 8);
            assert!(!take(&bytes, &mut back));
        }
    }

    #[test]
    fn one_word_with_a_pattern_makes_another_block() {
        let mut block = [0x12, 0x34, 0x56, 0x78].repeat(8);
        block[28..].copy_from_slice(&[0, 0, 0x56, 0x78]);
        assert!(!is_raw_block(crate::block::exact::<32>(&block)));
    }
}
