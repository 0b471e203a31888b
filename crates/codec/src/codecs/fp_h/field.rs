//! One field's codebook, for encoding and decoding.

use super::sample::FieldSample;
use crate::bits::{Ahead, BlockWriter};
use crate::codecs::sc;
use crate::error::TableError;
use crate::huffman::direct_index::{DirectIndex, WIDEST_BITS};
use crate::huffman::encodings::Encodings;
use crate::huffman::group_index::GroupIndex;
use crate::huffman::lane_decoder::{LaneDecoder, lanes};
use crate::huffman::narrow_decoder::NarrowDecoder;
use crate::huffman::stream::Word;
use crate::huffman::table_bytes::TableReader;
use crate::huffman::value_code::{PackedCodeword, ValueCode, ValueCodeSpec};
use crate::huffman::value_decoder::ValueDecoder;
use crate::huffman::value_index::{MOST_WORDS, ValueIndex};

/// Every codebook has the size of SC's, and its limit, which bf16's short fields do not need: 64 floats of a block with
/// codewords that long would not fit the longest encoding.
const fn spec(field_bits: u32) -> ValueCodeSpec {
    let limit_bits = if field_bits < 8 { 12 } else { sc::CODE.limit_bits };
    ValueCodeSpec { value_bits: field_bits, limit_bits, ..sc::CODE }
}

/// The codebook of a field of `BITS` bits.
#[derive(Clone, Debug)]
pub struct FieldCode<const BITS: u32> {
    code: ValueCode,
    groups: Option<GroupIndex<BITS>>,
    index: Index,
    decoder: ValueDecoder<BITS>,
    narrow: Option<NarrowDecoder>,
    lanes: Option<LaneDecoder>,
}

/// Where the codeword of a value is found.
#[derive(Clone, Debug)]
enum Index {
    Direct(DirectIndex),
    Hashed(ValueIndex),
}

impl Index {
    #[inline(always)]
    fn look_up_words<'a>(
        &self,
        values: &[Word],
        codewords: &'a mut [PackedCodeword; MOST_WORDS],
    ) -> &'a [PackedCodeword] {
        match self {
            Self::Direct(index) => index.look_up_words(values, codewords),
            Self::Hashed(index) => index.look_up_words(values, codewords),
        }
    }
}

impl<const BITS: u32> FieldCode<BITS> {
    /// The best codebook for a sample of the field.
    pub(super) fn train(sample: &FieldSample<BITS>) -> Self {
        let spec = spec(BITS);
        Self::new(ValueCode::from_frequent(spec, sample.top(spec.most_values), sample.total()))
    }

    /// Reads what [`FieldCode::write`] wrote.
    pub fn read(tables: &mut TableReader<'_>) -> Result<Self, TableError> {
        Ok(Self::new(ValueCode::read(spec(BITS), tables)?))
    }

    fn new(code: ValueCode) -> Self {
        let index = match BITS {
            0..=WIDEST_BITS => Index::Direct(DirectIndex::new(&code)),
            _ => Index::Hashed(ValueIndex::new(&code)),
        };
        Self {
            groups: GroupIndex::new(&code),
            index,
            decoder: ValueDecoder::new(&code),
            narrow: NarrowDecoder::new(&code),
            lanes: LaneDecoder::new(&code),
            code,
        }
    }

    /// Appends the codebook as bytes.
    pub fn write(&self, tables: &mut Vec<u8>) {
        self.code.write(tables);
    }

    /// How many bits encode the values of a block.
    #[inline(always)]
    pub fn len_bits(&self, values: &[Word]) -> u32 {
        if let Some(groups) = &self.groups {
            return groups.len_bits(values);
        }
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        let mut sum = 0;
        for values in values.chunks(MOST_WORDS) {
            let codewords = self.index.look_up_words(values, &mut codewords);
            sum += codewords.iter().map(|codeword| codeword.len_bits()).sum::<u32>();
        }
        sum
    }

    /// Appends the values of a block.
    #[inline(always)]
    pub fn put(&self, values: &[Word], out: &mut BlockWriter<'_>) {
        if let Some(groups) = &self.groups {
            return groups.put(values, out);
        }
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        for values in values.chunks(MOST_WORDS) {
            let codewords = self.index.look_up_words(values, &mut codewords);
            Encodings::of(codewords, values, BITS).put(self.code.longest_bits(), out);
        }
    }

    /// Appends the values of a block, the last one first, and the bits of each in opposite order.
    #[inline(always)]
    pub fn put_backward(&self, values: &[Word], out: &mut BlockWriter<'_>) {
        if let Some(groups) = &self.groups {
            return groups.put_backward(values, out);
        }
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        for values in values.rchunks(MOST_WORDS) {
            let codewords = self.index.look_up_words(values, &mut codewords);
            Encodings::reversed(codewords, values, BITS).put_backward(self.code.longest_bits(), out);
        }
    }

    /// Reads four values of at most 16 bits after `position` bits, which moves on, each into a lane of 16 bits.
    #[inline(always)]
    pub fn take_lanes(&self, ahead: Ahead<'_>, position: &mut usize) -> u64 {
        if let Some(lanes) = &self.lanes
            && let Some(values) = lanes.take_four(ahead, position)
        {
            return values;
        }
        // By value: a position whose address is known elsewhere would not stay in a register.
        let (values, next_position) = self.take_wide(ahead, *position);
        *position = next_position;
        lanes(values)
    }

    /// Reads four values after `position` bits, which moves on.
    #[inline(always)]
    pub fn take_four(&self, ahead: Ahead<'_>, position: &mut usize) -> [u64; 4] {
        if BITS <= WIDEST_BITS
            && let Some(narrow) = &self.narrow
            && let Some(values) = narrow.take_four(ahead, position)
        {
            return values.map(u64::from);
        }
        let [first, second] = self.decoder.take_two(ahead, position);
        let [third, fourth] = self.decoder.take_two(ahead, position);
        [first, second, third, fourth].map(u64::from)
    }

    /// The same for values with encodings of all lengths.
    #[inline(never)]
    fn take_wide(&self, ahead: Ahead<'_>, mut position: usize) -> ([u64; 4], usize) {
        let [first, second] = self.decoder.take_two(ahead, &mut position);
        let [third, fourth] = self.decoder.take_two(ahead, &mut position);
        ([first, second, third, fourth].map(u64::from), position)
    }
}
