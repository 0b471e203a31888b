//! From a 32-bit value to its codeword: a perfect hash table, so that every look-up is one comparison and no branch.
//!
//! Values are hashed into small buckets, and each bucket has a displacement that sends its values to slots of their own
//! (hash and displace: Belazzougui, Botelho & Dietzfelbinger, ESA 2009). A slot without a value repeats the value and
//! codeword of another slot, so that a match there is still right. Values that find no slot, which only a hostile choice
//! of values brings about, are in a list that is searched last.

use crate::huffman::ValueCode;
use crate::huffman::stream::Word;
use crate::huffman::value_code::PackedCodeword;

/// Slots for each value: 1,024 values in 16 KiB, a part of the first-level cache.
const SLOTS_PER_VALUE: usize = 2;

/// Enough slots for the largest table. The arrays have this length whatever they hold, so that a masked index needs no
/// check; what is not used never enters a cache.
const MOST_SLOTS: usize = 1 << 14;

/// The words of the largest block: as many are looked up together.
pub const MOST_WORDS: usize = 32;

/// How many hash functions are tried before values that share bucket and slot are given up on. About one in five fails
/// for an ordinary choice of values.
const HASHES: u32 = 8;

/// The table.
#[derive(Clone, Debug)]
pub struct ValueIndex {
    /// By bucket: what is added to the hash of its values.
    displacements: Box<[u16; MOST_SLOTS / 2]>,
    /// Value in the high half, packed codeword in the low one.
    slots: Box<[u64; MOST_SLOTS]>,
    hash: Hash,
    homeless: Vec<u64>,
    escape: PackedCodeword,
}

impl ValueIndex {
    /// The table for a code.
    #[expect(
        clippy::large_stack_arrays,
        reason = "boxed at once; a fixed length spares each look-up its bounds check"
    )]
    pub fn new(code: &ValueCode) -> Self {
        let slots = (code.values().len() * SLOTS_PER_VALUE).clamp(4, MOST_SLOTS).next_power_of_two();
        let entry = |symbol: usize| u64::from(code.values()[symbol]) << 32 | u64::from(code.packed(symbol).0);
        let escape = code.packed(code.escape());
        let filler = if code.values().is_empty() { u64::from(escape.0) } else { entry(0) };

        let placement = Placement::best(code.values(), slots.trailing_zeros());
        let mut index = Self {
            displacements: Box::new([0; MOST_SLOTS / 2]),
            slots: Box::new([filler; MOST_SLOTS]),
            hash: placement.hash,
            homeless: placement.homeless.into_iter().map(entry).collect(),
            escape,
        };
        index.displacements[..slots / 2].copy_from_slice(&placement.displacements);
        for (slot, symbol) in index.slots.iter_mut().zip(placement.slots) {
            *slot = symbol.map_or(filler, entry);
        }
        index
    }

    /// The codeword of a value, or the escape.
    #[inline(always)]
    pub fn look_up(&self, value: u32) -> PackedCodeword {
        if !self.homeless.is_empty() {
            return self.look_up_homeless(value);
        }
        self.choose(value, self.slot(self.hash.bucket(value), self.hash.home(value)))
    }

    /// The codewords of up to [`MOST_WORDS`] words. The loops for hashes and comparisons become vector instructions.
    #[inline(always)]
    pub fn look_up_words<'a>(
        &self,
        words: &[Word],
        codewords: &'a mut [PackedCodeword; MOST_WORDS],
    ) -> &'a [PackedCodeword] {
        let count = words.len().min(MOST_WORDS);
        let (words, codewords) = (&words[..count], &mut codewords[..count]);
        if !self.homeless.is_empty() {
            self.look_up_all_homeless(words, codewords);
            return codewords;
        }
        let (mut buckets, mut homes, mut slots) = ([0; MOST_WORDS], [0; MOST_WORDS], [0; MOST_WORDS]);
        for ((bucket, home), word) in buckets[..count].iter_mut().zip(&mut homes[..count]).zip(words) {
            let value = u32::from_le_bytes(*word);
            (*bucket, *home) = (self.hash.bucket(value), self.hash.home(value));
        }
        for ((slot, bucket), home) in slots[..count].iter_mut().zip(&buckets[..count]).zip(&homes[..count]) {
            *slot = self.slot(*bucket, *home);
        }
        for ((codeword, slot), word) in codewords.iter_mut().zip(&slots[..count]).zip(words) {
            *codeword = self.choose(u32::from_le_bytes(*word), *slot);
        }
        codewords
    }

    #[cold]
    fn look_up_all_homeless(&self, words: &[Word], codewords: &mut [PackedCodeword]) {
        for (codeword, word) in codewords.iter_mut().zip(words) {
            *codeword = self.look_up_homeless(u32::from_le_bytes(*word));
        }
    }

    #[inline(always)]
    fn slot(&self, bucket: u32, home: u32) -> u64 {
        let displacement = self.displacements[bucket as usize % (MOST_SLOTS / 2)];
        self.slots[(home ^ u32::from(displacement)) as usize % MOST_SLOTS]
    }

    #[inline(always)]
    fn choose(&self, value: u32, slot: u64) -> PackedCodeword {
        PackedCodeword(if (slot >> 32) as u32 == value { slot as u32 } else { self.escape.0 })
    }

    #[cold]
    fn look_up_homeless(&self, value: u32) -> PackedCodeword {
        let slot = self.slot(self.hash.bucket(value), self.hash.home(value));
        let mut entries = self.homeless.iter().chain([&slot]);
        let found = entries.find(|&&entry| (entry >> 32) as u32 == value);
        found.map_or(self.escape, |&entry| PackedCodeword(entry as u32))
    }
}

/// A hash function: the top bits of two products, which depend on all bits of the value.
#[derive(Clone, Copy, Debug)]
struct Hash {
    bucket_multiplier: u32,
    home_multiplier: u32,
    slot_bits: u32,
}

impl Hash {
    /// One of several functions. Odd multipliers with well-mixed bits: 2³² over the golden ratio and over √2.
    fn number(number: u32, slot_bits: u32) -> Self {
        let odd = 4 * number + 1;
        Self {
            bucket_multiplier: 0x9e37_79b9_u32.wrapping_mul(odd),
            home_multiplier: 0xb504_f333_u32.wrapping_mul(odd),
            slot_bits,
        }
    }

    /// A value's bucket, of half as many as slots.
    #[inline(always)]
    fn bucket(self, value: u32) -> u32 {
        value.wrapping_mul(self.bucket_multiplier) >> (33 - self.slot_bits)
    }

    /// A value's slot before displacement.
    #[inline(always)]
    fn home(self, value: u32) -> u32 {
        value.wrapping_mul(self.home_multiplier) >> (32 - self.slot_bits)
    }
}

/// Where each value, by symbol, went.
struct Placement {
    hash: Hash,
    displacements: Vec<u16>,
    slots: Vec<Option<usize>>,
    homeless: Vec<usize>,
}

impl Placement {
    /// The first placement that leaves no value without a slot, or else the last.
    fn best(values: &[u32], slot_bits: u32) -> Self {
        let mut placement = Self::new(values, Hash::number(0, slot_bits));
        for number in 1..HASHES {
            if placement.homeless.is_empty() {
                break;
            }
            placement = Self::new(values, Hash::number(number, slot_bits));
        }
        placement
    }

    fn new(values: &[u32], hash: Hash) -> Self {
        let slots = 1usize << hash.slot_bits;
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); slots / 2];
        for (symbol, &value) in values.iter().enumerate() {
            buckets[hash.bucket(value) as usize].push(symbol);
        }
        let mut largest_first: Vec<usize> = (0..buckets.len()).collect();
        largest_first.sort_by_key(|&bucket| std::cmp::Reverse(buckets[bucket].len()));

        let mut placement =
            Self { hash, displacements: vec![0; slots / 2], slots: vec![None; slots], homeless: Vec::new() };
        for bucket in largest_first {
            let symbols = &buckets[bucket];
            let homes: Vec<usize> =
                symbols.iter().map(|&symbol| hash.home(values[symbol]) as usize).collect();
            placement.place(bucket, symbols, &homes);
        }
        placement
    }

    fn place(&mut self, bucket: usize, symbols: &[usize], homes: &[usize]) {
        let mut sorted = homes.to_vec();
        sorted.sort_unstable();
        let is_distinct = sorted.windows(2).all(|pair| pair[0] != pair[1]);
        let fits = |displacement: &usize| homes.iter().all(|home| self.slots[home ^ displacement].is_none());
        match (0..self.slots.len()).find(fits).filter(|_| is_distinct) {
            Some(displacement) => {
                self.displacements[bucket] = displacement as u16;
                for (&symbol, home) in symbols.iter().zip(homes) {
                    self.slots[home ^ displacement] = Some(symbol);
                }
            }
            None => self.homeless.extend(symbols),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::huffman::FrequentValues;
    use crate::huffman::value_code::ValueCodeSpec;
    use proptest::prelude::*;

    const SPEC: ValueCodeSpec = ValueCodeSpec { value_bits: 32, most_values: 8192, limit_bits: 20 };

    fn code_over(values: &[u32]) -> ValueCode {
        let mut sample = FrequentValues::with_capacity(1 << 20);
        for &value in values {
            sample.add(value, 1);
        }
        ValueCode::train(SPEC, &sample)
    }

    fn check(values: &[u32], others: &[u32]) {
        let code = code_over(values);
        let index = ValueIndex::new(&code);
        for value in values.iter().chain(others) {
            let symbol = code.values().binary_search(value).unwrap_or(code.escape());
            assert_eq!(index.look_up(*value), code.packed(symbol), "{value:#x} of {} values", values.len());
            let words = [value.to_le_bytes(); 9];
            let mut codewords = [PackedCodeword::default(); MOST_WORDS];
            assert_eq!(index.look_up_words(&words, &mut codewords), [code.packed(symbol); 9]);
        }
    }

    #[test]
    fn an_empty_table_escapes_everything() {
        check(&[], &[0, 1, u32::MAX]);
    }

    #[test]
    fn eight_thousand_values_find_slots_of_their_own() {
        let values: Vec<u32> = (0..8192u32).map(|i| i.wrapping_mul(0x0101_0401)).collect();
        assert!(ValueIndex::new(&code_over(&values)).homeless.is_empty());
        check(&values, &[]);
    }

    #[test]
    fn values_that_hash_alike_are_still_found() {
        // Two values are homeless together when bucket and slot agree for every hash function.
        let hashes: Vec<Hash> = (0..HASHES).map(|number| Hash::number(number, 2)).collect();
        let is_first_everywhere =
            |value: &u32| hashes.iter().all(|hash| hash.bucket(*value) == 0 && hash.home(*value) == 0);
        let twins: Vec<u32> = (0..u32::MAX).filter(is_first_everywhere).take(2).collect();
        assert_eq!(ValueIndex::new(&code_over(&twins)).homeless.len(), 2);
        check(&twins, &[1, 2, 3]);
    }

    proptest! {
        #[test]
        fn every_value_is_found_and_no_other(
            values in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..300], 0..1500),
            others in prop::collection::vec(any::<u32>(), 100),
        ) {
            check(&values, &others);
        }
    }
}
