//! The codes of the words of a block, made all at once and written two by two.

use super::BlockWriter;

/// The 32-bit words of the longest block.
pub(crate) const MAX_WORDS: usize = 32;

/// The codes of up to [`MAX_WORDS`] words, each of at most 32 bits, or a raw word after a prefix.
///
/// Codes stay in 32 bits, so that eight are made in one instruction; the prefix of a raw word comes when they are
/// widened to be joined.
pub(crate) struct WordCodes<const RAW_PREFIX: u32, const RAW_PREFIX_BITS: u32> {
    /// The word alone where it is raw.
    pub(crate) codes: [u32; MAX_WORDS],
    /// With the prefix of a raw word. No other code is as long.
    pub(crate) bits: [u32; MAX_WORDS],
}

impl<const RAW_PREFIX: u32, const RAW_PREFIX_BITS: u32> WordCodes<RAW_PREFIX, RAW_PREFIX_BITS> {
    const RAW_BITS: u64 = RAW_PREFIX_BITS as u64 + 32;

    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { codes: [0; MAX_WORDS], bits: [0; MAX_WORDS] }
    }

    /// Writes the first `words` codes, an even number.
    #[inline(always)]
    pub(crate) fn put(&self, words: usize, out: &mut BlockWriter<'_>) {
        let (aligned, bits) = self.pairs();
        for pair in 0..words / 2 {
            if bits[pair] <= u64::from(BlockWriter::MAX_BITS) {
                out.put_aligned(aligned[pair], bits[pair] as u32);
                continue;
            }
            for index in [2 * pair, 2 * pair + 1] {
                let (code, bits) = self.whole_code(index);
                out.put(code, bits as u32);
            }
        }
    }

    /// Two neighbours each: their codes joined and left-aligned, of any value where they do not fit, and their bits.
    #[inline(always)]
    fn pairs(&self) -> ([u64; MAX_WORDS / 2], [u64; MAX_WORDS / 2]) {
        let (mut aligned, mut bits) = ([0; MAX_WORDS / 2], [0; MAX_WORDS / 2]);
        for pair in 0..MAX_WORDS / 2 {
            let (first, first_bits) = self.whole_code(2 * pair);
            let (second, second_bits) = self.whole_code(2 * pair + 1);
            bits[pair] = first_bits + second_bits;
            // In two steps, because a shift by 64 (no bits) must give 0.
            let left = 63u64.wrapping_sub(bits[pair]) % 64;
            aligned[pair] = ((first << second_bits | second) << 1) << left;
        }
        (aligned, bits)
    }

    #[inline(always)]
    fn whole_code(&self, index: usize) -> (u64, u64) {
        let bits = u64::from(self.bits[index]);
        let prefix = if bits == Self::RAW_BITS { u64::from(RAW_PREFIX) << 32 } else { 0 };
        (prefix | u64::from(self.codes[index]), bits)
    }
}

#[cfg(test)]
mod tests {
    use crate::bits::BitWriter;

    use super::*;

    #[test]
    fn short_codes_raw_words_and_nothing_follow_each_other() {
        let mut codes = WordCodes::<0b101, 3>::new();
        let fields =
            [(0b1, 1), (0b01, 2), (0xdead_beef, 35), (0x1234_5678, 35), (0, 0), (0, 0), (0xffff, 16)];
        for (index, (code, bits)) in fields.into_iter().enumerate() {
            (codes.codes[index], codes.bits[index]) = (code, bits);
        }
        let (mut joined, mut one_by_one) = (BitWriter::new(), BitWriter::new());
        let mut block = joined.begin_block();
        codes.put(8, &mut block);
        block.end();
        for (code, bits) in fields {
            let prefix = if bits == 35 { 0b101 << 32 } else { 0 };
            one_by_one.put(prefix | u64::from(code), bits);
        }
        assert_eq!(joined.len_bits(), one_by_one.len_bits());
        assert_eq!(joined.pad_to_bytes(), one_by_one.pad_to_bytes());
    }
}
