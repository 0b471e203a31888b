//! The encodings of a block's values, made together and written up to four at a time where they fit one store.

use crate::bits::BlockWriter;
use crate::huffman::stream::Word;
use crate::huffman::value_code::PackedCodeword;
use crate::huffman::value_index::MOST_WORDS;

/// Up to [`MOST_WORDS`] encodings, left-aligned in 64 bits. The loop that makes them becomes vector instructions.
#[derive(Debug)]
pub struct Encodings {
    bits: [u64; MOST_WORDS],
    counts: [u32; MOST_WORDS],
    len: usize,
}

impl Encodings {
    /// The encodings of `values`, whose codewords were looked up.
    #[inline(always)]
    pub fn of(codewords: &[PackedCodeword], values: &[Word], value_bits: u32) -> Self {
        Self::each(codewords, values, value_bits, |bits, count| {
            // In two steps, because a shift by 64 (an empty encoding) must give 0.
            bits << (64 - BlockWriter::MAX_BITS) << (BlockWriter::MAX_BITS - count)
        })
    }

    /// The same with the bits of each in opposite order, for [`Encodings::put_backward`].
    #[inline(always)]
    pub fn reversed(codewords: &[PackedCodeword], values: &[Word], value_bits: u32) -> Self {
        Self::each(codewords, values, value_bits, |bits, _| bits.reverse_bits())
    }

    #[inline(always)]
    fn each(
        codewords: &[PackedCodeword],
        values: &[Word],
        value_bits: u32,
        align: impl Fn(u64, u32) -> u64,
    ) -> Self {
        let len = codewords.len().min(values.len()).min(MOST_WORDS);
        let mut encodings = Self { bits: [0; MOST_WORDS], counts: [0; MOST_WORDS], len };
        for index in 0..len {
            let (bits, count) = codewords[index].bits(u32::from_le_bytes(values[index]), value_bits);
            encodings.bits[index] = align(bits, count);
            encodings.counts[index] = count;
        }
        encodings
    }

    /// Appends all of them; `longest_bits` is the most that one can have.
    #[inline(always)]
    pub fn put(&self, longest_bits: u32, out: &mut BlockWriter<'_>) {
        self.put_some(0, self.len, longest_bits, out);
    }

    /// Appends `count` of them from `start` on.
    #[inline(always)]
    pub fn put_some(&self, start: usize, count: usize, longest_bits: u32, out: &mut BlockWriter<'_>) {
        let one = |index: usize| {
            let index = (start + index) % MOST_WORDS;
            (self.bits[index], self.counts[index])
        };
        put_steps(longest_bits, count, one, out);
    }

    /// Appends all of them, the last one first.
    #[inline(always)]
    pub fn put_backward(&self, longest_bits: u32, out: &mut BlockWriter<'_>) {
        let one = |index: usize| {
            let index = (self.len - 1 - index) % MOST_WORDS;
            (self.bits[index], self.counts[index])
        };
        put_steps(longest_bits, self.len, one, out);
    }
}

/// Appends `len` encodings: each store waits for the one before it, so fewer stores are less time.
#[inline(always)]
pub fn put_steps(
    longest_bits: u32,
    len: usize,
    one: impl Fn(usize) -> (u64, u32),
    out: &mut BlockWriter<'_>,
) {
    let done = match BlockWriter::MAX_BITS / longest_bits.max(1) {
        0 | 1 => 0,
        2 => put_together::<2>(len, &one, out),
        3 => put_together::<3>(len, &one, out),
        _ => put_together::<4>(len, &one, out),
    };
    for index in done..len {
        let (bits, count) = one(index);
        out.put_aligned(bits, count);
    }
}

/// Appends `STEP` encodings with each store, while `STEP` are left; gives the number of encodings done.
#[inline(always)]
fn put_together<const STEP: usize>(
    len: usize,
    one: &impl Fn(usize) -> (u64, u32),
    out: &mut BlockWriter<'_>,
) -> usize {
    let mut index = 0;
    while index + STEP <= len {
        let (mut bits, mut count) = one(index);
        for next in 1..STEP {
            let (next_bits, next_count) = one(index + next);
            bits |= next_bits >> count;
            count += next_count;
        }
        out.put_aligned(bits, count);
        index += STEP;
    }
    index
}
