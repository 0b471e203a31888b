//! A code for whole 32-bit words: frequent values, and an escape for all others. SC and `e2mc32` use it.

use crate::bits::{BlockWriter, Cursor};
use crate::huffman::ValueCode;
use crate::huffman::encodings::Encodings;
use crate::huffman::stream::{SymbolCode, Word};
use crate::huffman::value_code::PackedCodeword;
use crate::huffman::value_decoder::{LONGEST_BITS, ValueDecoder};
use crate::huffman::value_index::{MOST_WORDS, ValueIndex};

/// The code, with its tables for encoding and decoding.
#[derive(Clone, Debug)]
pub struct WordCode {
    code: ValueCode,
    index: ValueIndex,
    decoder: ValueDecoder<32>,
}

impl WordCode {
    /// The tables for a code over 32-bit values.
    pub fn new(code: ValueCode) -> Self {
        Self { index: ValueIndex::new(&code), decoder: ValueDecoder::new(&code), code }
    }
}

impl SymbolCode for WordCode {
    const SYMBOL_BITS: u32 = 32;
    const LIMIT_BITS: u32 = LONGEST_BITS + 32;
    const ABREAST: usize = 2;

    #[inline(always)]
    fn len_bits(&self, _place: usize, symbol: u32) -> u32 {
        self.index.look_up(symbol).len_bits()
    }

    #[inline(always)]
    fn encode(&self, _place: usize, symbol: u32) -> (u64, u32) {
        let codeword = self.index.look_up(symbol);
        (left_aligned(codeword, symbol), codeword.len_bits())
    }

    #[inline(always)]
    fn take_word(&self, cursor: &mut Cursor<'_>) -> u32 {
        self.decoder.take_and_refill(cursor)
    }

    #[inline(always)]
    fn longest_bits(&self) -> u32 {
        self.code.longest_bits()
    }

    fn write(&self, tables: &mut Vec<u8>) {
        self.code.write(tables);
    }

    #[inline(always)]
    fn words_len_bits(&self, words: &[Word]) -> u32 {
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        self.index.look_up_words(words, &mut codewords).iter().map(|codeword| codeword.len_bits()).sum()
    }

    #[inline(always)]
    fn parts_len_bits(&self, words: &[Word], part_words: usize, lens_bits: &mut [u32]) {
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        let codewords = self.index.look_up_words(words, &mut codewords);
        for (part, len_bits) in codewords.chunks_exact(part_words).zip(lens_bits) {
            *len_bits = part.iter().map(|codeword| codeword.len_bits()).sum();
        }
    }

    #[inline(always)]
    fn encode_words(&self, words: &[Word], out: &mut BlockWriter<'_>) {
        self.encode_parts(words, words.len(), out, |_| ());
    }

    #[inline(always)]
    fn encode_parts(
        &self,
        words: &[Word],
        part_words: usize,
        out: &mut BlockWriter<'_>,
        mut begin_part: impl FnMut(&mut BlockWriter<'_>),
    ) {
        let mut codewords = [PackedCodeword::default(); MOST_WORDS];
        let codewords = self.index.look_up_words(words, &mut codewords);
        let encodings = Encodings::of(codewords, words, Self::SYMBOL_BITS);
        for start in (0..words.len()).step_by(part_words) {
            begin_part(out);
            encodings.put_some(start, part_words, self.code.longest_bits(), out);
        }
    }
}

/// The bits of a value, left-aligned in 64. No 32-bit value has an empty encoding.
#[inline(always)]
fn left_aligned(codeword: PackedCodeword, value: u32) -> u64 {
    let (bits, count) = codeword.bits(value, WordCode::SYMBOL_BITS);
    bits << (64 - u64::from(count))
}
