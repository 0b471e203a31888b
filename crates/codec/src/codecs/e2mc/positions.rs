//! 4- and 8-bit symbols: one table per position inside a 32-bit word, all values coded.
//!
//! Two neighbouring 4-bit symbols are a byte whose codeword is one after the other, 16 bits at most, as that of an 8-bit
//! symbol. So both codecs run the same tables: by place of a byte in its word, from byte to codeword and from the next bits
//! to byte.

use std::array;

use crate::bits::{Ahead, Cursor};
use crate::error::TableError;
use crate::huffman::CanonicalCode;
use crate::huffman::stream::{SymbolCode, Word, in_turn};
use crate::huffman::table_bytes::TableReader;

/// Bytes of a word.
const PLACES: usize = 4;
const BYTE_VALUES: usize = 256;
/// The longest codeword of a byte.
const BYTE_LIMIT_BITS: u32 = 16;

/// The bits that index the first decoding table. Four of them, for the bytes of a word, are less than one peek holds.
const DIRECT_BITS: u32 = 12;

/// The mark of bits that begin a codeword longer than [`DIRECT_BITS`].
const IS_LONG: u16 = 0x80;

/// The codes for symbols of `BITS` bits, 4 or 8.
#[derive(Clone, Debug)]
pub struct Positions<const BITS: u32> {
    codes: Vec<CanonicalCode>,
    longest_bits: u32,
    /// By place and byte: the codeword, left-aligned, and in the low byte its length.
    packed: Box<[[u64; BYTE_VALUES]; PLACES]>,
    /// By place and byte: the length alone.
    lens_bits: Box<[[u8; BYTE_VALUES]; PLACES]>,
    /// By place and the next bits: the byte × 256 + its codeword's length, or [`IS_LONG`].
    direct: Box<[[u16; 1 << DIRECT_BITS]; PLACES]>,
    /// The same for as many bits as the longest codeword has. Only words with a long codeword look here, so that most of
    /// it never enters a cache.
    all: Vec<[u16; 1 << BYTE_LIMIT_BITS]>,
}

impl<const BITS: u32> Positions<BITS> {
    /// Positions inside a 32-bit word: the number of tables.
    pub const TABLES: usize = 32 / BITS as usize;

    /// Values of a symbol.
    pub const VALUES: usize = 1 << BITS;

    /// The longest codeword of a symbol.
    const SYMBOL_LIMIT_BITS: u32 = 2 * BITS;

    const SYMBOLS_PER_BYTE: usize = (8 / BITS) as usize;

    /// The best codes for the counts of each position's values, position by position.
    pub fn train(counts: &[u64]) -> Self {
        let codes = counts.chunks_exact(Self::VALUES);
        Self::new(codes.map(|counts| CanonicalCode::from_weights(counts, Self::SYMBOL_LIMIT_BITS)).collect())
    }

    /// Reads what [`SymbolCode::write`] wrote: for each position, one codeword length per value.
    pub fn read(tables: &mut TableReader<'_>) -> Result<Self, TableError> {
        let codes = (0..Self::TABLES).map(|_| tables.take_code(Self::VALUES, Self::SYMBOL_LIMIT_BITS));
        Ok(Self::new(codes.collect::<Result<_, _>>()?))
    }

    #[expect(
        clippy::large_stack_arrays,
        reason = "boxed at once; a fixed length spares each look-up its bounds check"
    )]
    fn new(codes: Vec<CanonicalCode>) -> Self {
        let mut packed = Box::new([[0; BYTE_VALUES]; PLACES]);
        let mut lens_bits = Box::new([[0; BYTE_VALUES]; PLACES]);
        let mut direct = Box::new([[IS_LONG; 1 << DIRECT_BITS]; PLACES]);
        let mut all = vec![[0; 1 << BYTE_LIMIT_BITS]; PLACES];
        for (place, codes) in codes.chunks_exact(Self::SYMBOLS_PER_BYTE).enumerate().take(PLACES) {
            for byte in 0..BYTE_VALUES {
                let codeword = Self::packed(codes, byte);
                let len_bits = codeword as u8;
                packed[place][byte] = codeword;
                lens_bits[place][byte] = len_bits;
                let entry = (byte as u16) << 8 | u16::from(len_bits);
                fill(&mut all[place], codeword, entry);
                if u32::from(len_bits) <= DIRECT_BITS {
                    fill(&mut direct[place], codeword, entry);
                }
            }
        }
        let longest_bits = lens_bits.iter().flatten().max().copied().unwrap_or(0).into();
        Self { codes, longest_bits, packed, lens_bits, direct, all }
    }

    /// The codeword of a byte, left-aligned, and its length, from the codes of its symbols.
    fn packed(codes: &[CanonicalCode], byte: usize) -> u64 {
        let (mut bits, mut count) = (0, 0);
        for (index, code) in codes.iter().enumerate() {
            let symbol = (byte >> (index as u32 * BITS)) % Self::VALUES;
            let length_bits = code.length_bits(symbol);
            // In two steps, because the empty codeword must stay empty.
            bits |= u64::from(code.codeword(symbol)) << 1 << (63 - length_bits) >> count;
            count += length_bits;
        }
        bits | u64::from(count)
    }

    /// The word after `position` bits, which moves on: four look-ups, then one question for all of them.
    #[inline(always)]
    fn take_peeked(&self, ahead: Ahead<'_>, position: &mut usize) -> u32 {
        const { assert!(PLACES as u32 * DIRECT_BITS <= 57) };
        let mut window = ahead.peek64(*position);
        let (mut word, mut bits, mut marks) = (0, 0, 0);
        for (place, direct) in self.direct.iter().enumerate() {
            let entry = direct[(window >> (64 - DIRECT_BITS)) as usize];
            window <<= entry % 64;
            word |= u32::from(entry >> 8) << (8 * place);
            bits += u32::from(entry as u8);
            marks |= entry;
        }
        if marks & IS_LONG != 0 {
            return self.take_long(ahead, position);
        }
        *position += bits as usize;
        word
    }

    /// The same for a word with a long codeword.
    #[inline(never)]
    fn take_long(&self, ahead: Ahead<'_>, position: &mut usize) -> u32 {
        let mut word = 0;
        for (place, all) in self.all.iter().enumerate() {
            let entry = all[(ahead.peek64(*position) >> (64 - BYTE_LIMIT_BITS)) as usize];
            *position += usize::from(entry as u8);
            word |= u32::from(entry >> 8) << (8 * place);
        }
        word
    }
}

/// Stores `entry` at every index that starts with a packed codeword.
fn fill<const ENTRIES: usize>(table: &mut [u16; ENTRIES], codeword: u64, entry: u16) {
    let (index_bits, len_bits) = (ENTRIES.trailing_zeros(), codeword as u8);
    let first = (codeword >> (64 - index_bits)) as usize;
    table[first..first + (ENTRIES >> len_bits)].fill(entry);
}

impl<const BITS: u32> SymbolCode for Positions<BITS> {
    const SYMBOL_BITS: u32 = 8;
    const LIMIT_BITS: u32 = BYTE_LIMIT_BITS;
    const ABREAST: usize = 4;

    #[inline(always)]
    fn len_bits(&self, place: usize, symbol: u32) -> u32 {
        u32::from(self.lens_bits[place][symbol as u8 as usize])
    }

    #[inline(always)]
    fn encode(&self, place: usize, symbol: u32) -> (u64, u32) {
        let packed = self.packed[place][symbol as u8 as usize];
        (packed & !0xff, u32::from(packed as u8))
    }

    #[inline(always)]
    fn take_word(&self, cursor: &mut Cursor<'_>) -> u32 {
        let mut word = 0;
        for (place, (direct, all)) in self.direct.iter().zip(&self.all).enumerate() {
            cursor.refill();
            let window = cursor.window();
            let mut entry = direct[(window >> (64 - DIRECT_BITS)) as usize];
            if entry == IS_LONG {
                entry = all[(window >> (64 - BYTE_LIMIT_BITS)) as usize];
            }
            cursor.consume(entry.into());
            word |= u32::from(entry >> 8) << (8 * place);
        }
        word
    }

    #[inline(always)]
    fn decode_abreast<const STREAMS: usize>(
        &self,
        streams: [Ahead<'_>; STREAMS],
        words: &mut [&mut [Word]; STREAMS],
    ) -> [usize; STREAMS] {
        // Positions count from the first byte, so that a peek adds nothing to them.
        let starts = streams.map(|stream| stream.split().1);
        let streams = streams.map(|stream| stream.split().0);
        let mut positions = starts;
        in_turn(words, |stream| self.take_peeked(streams[stream], &mut positions[stream]));
        array::from_fn(|stream| positions[stream] - starts[stream])
    }

    #[inline(always)]
    fn longest_bits(&self) -> u32 {
        self.longest_bits
    }

    fn write(&self, tables: &mut Vec<u8>) {
        self.codes.iter().for_each(|code| tables.extend_from_slice(code.lengths()));
    }
}
