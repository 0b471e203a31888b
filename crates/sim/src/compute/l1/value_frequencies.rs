//! The value frequency table (VFT) of SC inside a cache: how often the words of arriving blocks have which value.
//!
//! LATTE-CC gives it 1,024 entries with 12-bit saturating counters. Its organisation is ours: sets of 16 entries, chosen by a
//! multiplicative hash; a value without an entry takes a free one or that of the rarest value of its set, the first of
//! equals, and starts at 1.

use shrinkwarp_codec::codecs::sc;
use shrinkwarp_codec::{BlockBytes, BlockCodec};

/// Entries of a set.
pub const WAYS: usize = 16;

/// 2^32 divided by the golden ratio: spreads neighbouring values over the sets.
const HASH_FACTOR: u32 = 0x9e37_79b1;

/// The table.
#[derive(Clone, Debug)]
pub struct ValueFrequencies {
    /// (value, count); a count of 0 is a free entry.
    entries: Vec<(u32, u16)>,
    most_count: u16,
    /// Words counted, those whose entry was taken since included.
    words: u64,
}

impl ValueFrequencies {
    /// An empty table; `entries` is a power of two and at least one set, counters have up to 16 bits.
    pub fn new(entries: usize, counter_bits: u32) -> Self {
        let most_count = (1u32 << counter_bits.min(16)).wrapping_sub(1) as u16;
        Self { entries: vec![(0, 0); entries.max(WAYS)], most_count, words: 0 }
    }

    /// Counts the words of a block.
    pub fn observe(&mut self, block: &[u8]) {
        for word in block.as_chunks::<4>().0 {
            self.count(u32::from_le_bytes(*word));
        }
    }

    /// The code for what was counted.
    pub fn codec(&self) -> Box<dyn BlockCodec> {
        let mut counts: Vec<(u32, u64)> = self
            .entries
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|&(value, count)| (value, u64::from(count)))
            .collect();
        counts.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
        Box::new(sc::Sc::from_counts(BlockBytes::B128, counts, self.words))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.fill((0, 0));
        self.words = 0;
    }

    fn count(&mut self, value: u32) {
        self.words += 1;
        let sets = self.entries.len() / WAYS;
        let set = (value.wrapping_mul(HASH_FACTOR) >> 16) as usize % sets;
        let entries = &mut self.entries[set * WAYS..(set + 1) * WAYS];
        if let Some((_, count)) = entries.iter_mut().find(|(known, count)| *known == value && *count > 0) {
            *count = (*count + 1).min(self.most_count);
        } else if let Some(rarest) = entries.iter_mut().min_by_key(|(_, count)| *count) {
            *rarest = (value, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(words: [u32; 32]) -> [u8; 128] {
        let mut bytes = [0; 128];
        for (slot, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *slot = word.to_le_bytes();
        }
        bytes
    }

    #[test]
    fn frequent_values_get_short_codewords() {
        let mut table = ValueFrequencies::new(1024, 12);
        // Half zeros, a quarter sevens, the rest all different: codewords of 1 and 2 bits.
        let words: [u32; 32] = std::array::from_fn(|index| match index {
            0..16 => 0,
            16..24 => 7,
            _ => 1000 + index as u32,
        });
        table.observe(&block(words));
        let codec = table.codec();
        assert_eq!(codec.size_bits(&block([0; 32])), 32);
        assert_eq!(codec.size_bits(&block([7; 32])), 64);
    }

    #[test]
    fn counters_saturate() {
        let mut table = ValueFrequencies::new(1024, 12);
        for _ in 0..200 {
            table.observe(&block([5; 32]));
        }
        // 6,400 words, but 12 bits.
        assert_eq!(table.entries.iter().map(|entry| entry.1).max(), Some(4095));
    }

    #[test]
    fn the_rarest_value_of_a_full_set_makes_room() {
        let mut table = ValueFrequencies::new(WAYS, 12);
        for value in 0..16 {
            table.count(value);
            if value != 3 {
                table.count(value);
            }
        }
        table.count(99);
        let has = |wanted: u32| table.entries.iter().any(|(value, _)| *value == wanted);
        assert!(has(99) && !has(3) && has(4));
    }

    #[test]
    fn a_cleared_table_knows_no_value() {
        let mut table = ValueFrequencies::new(1024, 12);
        table.observe(&block([5; 32]));
        table.clear();
        // Nothing but the escape: every word is raw.
        assert!(table.codec().size_bits(&block([5; 32])) >= 1024);
    }
}
