//! From a 32-bit value to its codeword: a hash table that looks at the same few slots for every value.
//!
//! A loop that ends where the value is found would be mispredicted on mixed data. Here every look-up examines exactly
//! [`ValueIndex::probes`] neighbouring slots, chosen when the table is built, and needs no branch. A slot without a value
//! of its own repeats another slot's value and codeword, so that a match there is still right.

use crate::huffman::ValueCode;
use crate::huffman::value_code::PackedCodeword;

/// Slots for each value: few enough values meet in one place, and 1,024 values still fit the first-level cache.
const SLOTS_PER_VALUE: usize = 4;

/// How many hash functions are tried for the one with the fewest probes.
const TRIES: u64 = 24;

/// An odd multiplier with well-mixed bits (2⁶⁴ over the golden ratio); the tries step through its odd multiples.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The table.
#[derive(Clone, Debug)]
pub struct ValueIndex {
    /// Value in the high half, packed codeword in the low one; `probes - 1` extra slots stand at the end.
    slots: Vec<u64>,
    multiplier: u64,
    shift: u32,
    probes: usize,
    escape: PackedCodeword,
}

impl ValueIndex {
    /// The table for a code.
    pub fn new(code: &ValueCode) -> Self {
        let escape = code.packed(code.escape());
        let slot_bits = (code.values().len() * SLOTS_PER_VALUE).max(2).next_power_of_two().trailing_zeros();
        let shift = 64 - slot_bits;
        let candidates = (0..TRIES).map(|attempt| MULTIPLIER.wrapping_mul(2 * attempt + 1));
        let placed = candidates.map(|multiplier| (place(code.values(), multiplier, shift), multiplier));
        let best = placed.min_by_key(|((_, probes), multiplier)| (*probes, *multiplier));
        let ((places, probes), multiplier) = best.unwrap_or_default();

        let slot = |symbol: usize| u64::from(code.values()[symbol]) << 32 | u64::from(code.packed(symbol).0);
        let filler = if code.values().is_empty() { u64::from(escape.0) } else { slot(0) };
        let slots = places.into_iter().map(|symbol| symbol.map_or(filler, slot)).collect();
        Self { slots, multiplier, shift, probes, escape }
    }

    /// The codeword of a value, or the escape.
    #[inline(always)]
    pub fn look_up(&self, value: u32) -> PackedCodeword {
        let home = slot_of(value, self.multiplier, self.shift);
        let mut found = self.escape.0;
        for &slot in self.slots.get(home..home + self.probes).unwrap_or_default() {
            if (slot >> 32) as u32 == value {
                found = slot as u32;
            }
        }
        PackedCodeword(found)
    }

    /// How many slots every look-up examines.
    pub fn probes(&self) -> usize {
        self.probes
    }
}

#[inline(always)]
fn slot_of(value: u32, multiplier: u64, shift: u32) -> usize {
    (u64::from(value).wrapping_mul(multiplier) >> shift) as usize
}

/// Puts each value into the first free slot from its home on; gives the slots and the longest way, in slots.
fn place(values: &[u32], multiplier: u64, shift: u32) -> (Vec<Option<usize>>, usize) {
    let homes = 1usize << (64 - shift);
    let mut slots: Vec<Option<usize>> = vec![None; homes + values.len()];
    let mut probes = 1;
    for (symbol, &value) in values.iter().enumerate() {
        let home = slot_of(value, multiplier, shift);
        let free = slots[home..].iter().position(Option::is_none).unwrap_or(0);
        slots[home + free] = Some(symbol);
        probes = probes.max(free + 1);
    }
    slots.truncate(homes + probes - 1);
    (slots, probes)
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

    #[test]
    fn an_empty_table_escapes_everything() {
        let code = code_over(&[]);
        let index = ValueIndex::new(&code);
        assert_eq!(index.look_up(0), code.packed(0));
        assert_eq!(index.look_up(u32::MAX), code.packed(0));
    }

    #[test]
    fn a_thousand_spread_values_need_few_probes() {
        let values: Vec<u32> = (0..1024u32).map(|i| i.wrapping_mul(0x0101_0401)).collect();
        assert!(ValueIndex::new(&code_over(&values)).probes() <= 4);
    }

    proptest! {
        #[test]
        fn every_value_is_found_and_no_other(
            values in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..300], 0..1500),
            others in prop::collection::vec(any::<u32>(), 100),
        ) {
            let code = code_over(&values);
            let index = ValueIndex::new(&code);
            for value in values.iter().chain(&others) {
                let symbol = code.values().binary_search(value).unwrap_or(code.escape());
                prop_assert_eq!(index.look_up(*value), code.packed(symbol));
            }
        }
    }
}
