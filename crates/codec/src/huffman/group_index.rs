//! From narrow values to their encodings, escapes included: one look-up for as many values as a table can have at its index.

use crate::bits::BlockWriter;
use crate::huffman::ValueCode;
use crate::huffman::encodings::put_steps;
use crate::huffman::stream::Word;

/// The most bits that index the table: 32 KiB.
const MOST_INDEX_BITS: u32 = 12;

/// The widest values that have such a table; wider ones would be alone in it, with twice the bytes of
/// [`crate::huffman::direct_index`] for each.
const WIDEST_BITS: u32 = 8;

/// The tables of a code over values of `VALUE_BITS` bits.
#[derive(Clone, Debug)]
pub struct GroupIndex<const VALUE_BITS: u32> {
    /// The encodings of a group, one after the other. Its length is fixed so that a masked index needs no check.
    forward: Box<Table>,
    /// The same bits in opposite order.
    backward: Box<Table>,
    /// The most bits of a group.
    longest_bits: u32,
}

type Table = [GroupEncoding; 1 << MOST_INDEX_BITS];

/// Bits from the highest on, and how many they are in the lowest byte.
#[derive(Clone, Copy, Debug, Default)]
struct GroupEncoding(u64);

impl GroupEncoding {
    const COUNT: u64 = 0xff;

    #[inline(always)]
    fn aligned(self) -> (u64, u32) {
        (self.0 & !Self::COUNT, self.count())
    }

    #[inline(always)]
    fn count(self) -> u32 {
        (self.0 & Self::COUNT) as u32
    }
}

impl<const VALUE_BITS: u32> GroupIndex<VALUE_BITS> {
    /// Values of a group: a power of two, which divides the values of every block.
    const VALUES: usize =
        if VALUE_BITS > WIDEST_BITS { 1 } else { 1 << (MOST_INDEX_BITS / VALUE_BITS).ilog2() };

    /// The tables for a code; none if its values are too wide, or the encodings of a group too long for one store.
    #[expect(
        clippy::large_stack_arrays,
        reason = "boxed at once; a fixed length spares each look-up its bounds check"
    )]
    pub fn new(code: &ValueCode) -> Option<Self> {
        let longest_bits = Self::VALUES as u32 * code.longest_bits();
        if VALUE_BITS > WIDEST_BITS || longest_bits > BlockWriter::MAX_BITS {
            return None;
        }
        let mut index = Self {
            forward: Box::new([GroupEncoding::default(); 1 << MOST_INDEX_BITS]),
            backward: Box::new([GroupEncoding::default(); 1 << MOST_INDEX_BITS]),
            longest_bits,
        };
        let tables = index.forward.iter_mut().zip(index.backward.iter_mut());
        for (group, (forward, backward)) in (0..1u32 << (Self::VALUES as u32 * VALUE_BITS)).zip(tables) {
            let (mut bits, mut count) = (0, 0);
            for place in 0..Self::VALUES as u32 {
                let value = group >> (place * VALUE_BITS) & ((1 << VALUE_BITS) - 1);
                let symbol = code.values().binary_search(&value).unwrap_or(code.escape());
                let (value_bits, value_count) = code.packed(symbol).bits(value, VALUE_BITS);
                bits = bits << value_count | value_bits;
                count += value_count;
            }
            // In two steps, because a shift by 64 (an empty encoding) must give 0.
            let aligned = bits << (64 - BlockWriter::MAX_BITS) << (BlockWriter::MAX_BITS - count);
            *forward = GroupEncoding(aligned | u64::from(count));
            *backward = GroupEncoding(bits.reverse_bits() | u64::from(count));
        }
        Some(index)
    }

    /// How many bits encode the values of a block.
    #[inline(always)]
    pub fn len_bits(&self, values: &[Word]) -> u32 {
        groups::<VALUE_BITS>(values).map(|group| self.forward[group].count()).sum()
    }

    /// Appends the values of a block.
    #[inline(always)]
    pub fn put(&self, values: &[Word], out: &mut BlockWriter<'_>) {
        let one = |group: usize| self.forward[index_of::<VALUE_BITS>(values, group)].aligned();
        put_steps(self.longest_bits, values.len() / Self::VALUES, one, out);
    }

    /// Appends the values of a block, the last one first, and the bits of each in opposite order.
    #[inline(always)]
    pub fn put_backward(&self, values: &[Word], out: &mut BlockWriter<'_>) {
        let count = values.len() / Self::VALUES;
        let one = |group: usize| self.backward[index_of::<VALUE_BITS>(values, count - 1 - group)].aligned();
        put_steps(self.longest_bits, count, one, out);
    }
}

/// Where the encodings of all groups of some values are.
#[inline(always)]
fn groups<const VALUE_BITS: u32>(values: &[Word]) -> impl Iterator<Item = usize> {
    let count = values.len() / GroupIndex::<VALUE_BITS>::VALUES;
    (0..count).map(|group| index_of::<VALUE_BITS>(values, group))
}

/// Where the encodings of a group are.
#[inline(always)]
fn index_of<const VALUE_BITS: u32>(values: &[Word], group: usize) -> usize {
    let count = GroupIndex::<VALUE_BITS>::VALUES;
    let values = &values[group * count..(group + 1) * count];
    let add =
        |sum: u32, (place, value): (u32, &Word)| sum | u32::from_le_bytes(*value) << (place * VALUE_BITS);
    (0..).zip(values).fold(0, add) as usize % (1 << MOST_INDEX_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitWriter;
    use crate::huffman::FrequentValues;
    use crate::huffman::value_code::ValueCodeSpec;

    const SPEC: ValueCodeSpec = ValueCodeSpec { value_bits: 3, most_values: 8, limit_bits: 12 };

    /// A code in which 0 is most frequent, 5 less, and the others are escapes.
    fn code() -> ValueCode {
        let mut sample = FrequentValues::with_capacity(8);
        sample.add(0, 6);
        sample.add(5, 2);
        ValueCode::from_frequent(SPEC, sample.top(8), 9)
    }

    fn encoding(code: &ValueCode, value: u32) -> (u64, u32) {
        let symbol = code.values().binary_search(&value).unwrap_or(code.escape());
        code.packed(symbol).bits(value, SPEC.value_bits)
    }

    #[test]
    fn a_group_is_the_encodings_of_its_values() {
        let code = code();
        let index = GroupIndex::<3>::new(&code).unwrap();
        assert_eq!(GroupIndex::<3>::VALUES, 4);
        let values: Vec<u32> = (0..64).map(|place| [0, 5, 7, 0, 3, 0, 0, 1][place % 8]).collect();
        let words: Vec<Word> = values.iter().map(|value| value.to_le_bytes()).collect();
        let [mut grouped, mut single] = [BitWriter::new(), BitWriter::new()];
        let mut out = grouped.begin_block();
        index.put(&words, &mut out);
        index.put_backward(&words, &mut out);
        out.end();
        for &value in &values {
            let (bits, count) = encoding(&code, value);
            single.put(bits, count);
        }
        assert_eq!(index.len_bits(&words) as usize, single.len_bits());
        for &value in values.iter().rev() {
            let (bits, count) = encoding(&code, value);
            single.put(bits.reverse_bits() >> (64 - count), count);
        }
        assert_eq!(grouped.len_bits(), single.len_bits());
        assert_eq!(grouped.pad_to_bytes(), single.pad_to_bytes());
    }

    #[test]
    fn wide_values_have_no_groups() {
        let sample = FrequentValues::with_capacity(8);
        let spec = ValueCodeSpec { value_bits: 11, ..SPEC };
        assert!(GroupIndex::<11>::new(&ValueCode::train(spec, &sample)).is_none());
    }
}
