//! From a 32-bit value to its codeword: a perfect hash table, so that every look-up is one comparison and no branch.
//!
//! Values are hashed into small buckets, and each bucket has a displacement that sends its values to slots of their own
//! (hash and displace: Belazzougui, Botelho & Dietzfelbinger, ESA 2009). A slot without a value repeats the value and
//! codeword of another slot, so that a match there is still right. Values that find no slot, which only a hostile choice
//! of values brings about, stand in a list that is searched last.

use crate::huffman::ValueCode;
use crate::huffman::value_code::PackedCodeword;

/// Slots for each value: 1,024 values in 16 KiB, a part of the first-level cache.
const SLOTS_PER_VALUE: usize = 2;

/// An odd multiplier with well-mixed bits (2⁶⁴ over the golden ratio).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The table.
#[derive(Clone, Debug)]
pub struct ValueIndex {
    /// By bucket: what is added to the hash of its values.
    displacements: Vec<u16>,
    /// Value in the high half, packed codeword in the low one.
    slots: Vec<u64>,
    slot_bits: u32,
    homeless: Vec<u64>,
    escape: PackedCodeword,
}

impl ValueIndex {
    /// The table for a code.
    pub fn new(code: &ValueCode) -> Self {
        let slots = (code.values().len() * SLOTS_PER_VALUE).max(4).next_power_of_two();
        let slot_bits = slots.trailing_zeros();
        let entry = |symbol: usize| u64::from(code.values()[symbol]) << 32 | u64::from(code.packed(symbol).0);
        let escape = code.packed(code.escape());
        let filler = if code.values().is_empty() { u64::from(escape.0) } else { entry(0) };

        let placement = Placement::new(code.values(), slot_bits);
        Self {
            slots: placement.slots.iter().map(|symbol| symbol.map_or(filler, entry)).collect(),
            displacements: placement.displacements,
            homeless: placement.homeless.into_iter().map(entry).collect(),
            slot_bits,
            escape,
        }
    }

    /// The codeword of a value, or the escape.
    #[inline(always)]
    pub fn look_up(&self, value: u32) -> PackedCodeword {
        let (bucket, hash) = hash(value, self.slot_bits);
        // Both indices are in range by construction; the defaults are never seen.
        let displacement = usize::from(self.displacements.get(bucket).copied().unwrap_or(0));
        let slot = self.slots.get(hash ^ displacement).copied().unwrap_or(0);
        if !self.homeless.is_empty() {
            return self.look_up_homeless(value, slot);
        }
        PackedCodeword(if (slot >> 32) as u32 == value { slot as u32 } else { self.escape.0 })
    }

    #[cold]
    fn look_up_homeless(&self, value: u32, slot: u64) -> PackedCodeword {
        let mut entries = self.homeless.iter().chain([&slot]);
        let found = entries.find(|&&entry| (entry >> 32) as u32 == value);
        found.map_or(self.escape, |&entry| PackedCodeword(entry as u32))
    }
}

/// A value's bucket (of half as many as slots) and its slot before displacement.
#[inline(always)]
fn hash(value: u32, slot_bits: u32) -> (usize, usize) {
    let product = u64::from(value).wrapping_mul(MULTIPLIER);
    let slot = product << 16 >> (64 - slot_bits);
    ((product >> (65 - slot_bits)) as usize, slot as usize)
}

/// Where each value, by symbol, went.
struct Placement {
    displacements: Vec<u16>,
    slots: Vec<Option<usize>>,
    homeless: Vec<usize>,
}

impl Placement {
    fn new(values: &[u32], slot_bits: u32) -> Self {
        let slots = 1usize << slot_bits;
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); slots / 2];
        for (symbol, &value) in values.iter().enumerate() {
            buckets[hash(value, slot_bits).0].push(symbol);
        }
        let mut largest_first: Vec<usize> = (0..buckets.len()).collect();
        largest_first.sort_by_key(|&bucket| std::cmp::Reverse(buckets[bucket].len()));

        let mut placement =
            Self { displacements: vec![0; slots / 2], slots: vec![None; slots], homeless: Vec::new() };
        for bucket in largest_first {
            let symbols = &buckets[bucket];
            let homes: Vec<usize> = symbols.iter().map(|&symbol| hash(values[symbol], slot_bits).1).collect();
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
        // Two values are homeless together when bucket and slot agree; search a few millions for such a pair.
        let slot_bits = 2;
        let twins: Vec<u32> =
            (0..u32::MAX).filter(|&value| hash(value, slot_bits) == (0, 0)).take(2).collect();
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
