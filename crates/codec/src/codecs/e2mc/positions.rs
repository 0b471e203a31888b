//! 4- and 8-bit symbols: one table per position inside a 32-bit word, all values coded.
//!
//! Two neighbouring 4-bit symbols are a byte whose codeword is one after the other, 16 bits at most, as that of an 8-bit
//! symbol. So both codecs run the same tables: by place of a byte in its word, from byte to codeword and from the next bits
//! to byte.

use crate::bits::{Ahead, Cursor};
use crate::error::TableError;
use crate::huffman::stream::{SymbolCode, Word, in_turn};
use crate::huffman::table_bytes::TableReader;
use crate::huffman::{CanonicalCode, Decoder};

/// Bytes of a word.
const PLACES: usize = 4;
const BYTE_VALUES: usize = 256;
/// The longest codeword of a byte.
const BYTE_LIMIT_BITS: u32 = 16;

/// The bits that index a decoding table. Four of them, for the bytes of a word, are less than one peek holds.
const DIRECT_BITS: u32 = 12;

/// The mark of bits that begin a codeword longer than [`DIRECT_BITS`].
const IS_LONG: u16 = 0x80;

/// The codes for symbols of `BITS` bits, 4 or 8.
#[derive(Clone, Debug)]
pub struct Positions<const BITS: u32> {
    codes: Vec<CanonicalCode>,
    /// What the hardware has, one for each position; here only long codewords come to it.
    decoders: Vec<Decoder>,
    longest_bits: u32,
    /// By place and byte: the codeword, left-aligned, and in the low byte its length.
    packed: Box<[[u64; BYTE_VALUES]; PLACES]>,
    /// By place and byte: the length alone.
    lens_bits: Box<[[u8; BYTE_VALUES]; PLACES]>,
    /// By place and the next bits: the byte × 256 + its codeword's length, or [`IS_LONG`].
    direct: Box<[[u16; 1 << DIRECT_BITS]; PLACES]>,
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
        let decoders: Vec<Decoder> = codes.iter().map(Decoder::new).collect();
        let mut packed = Box::new([[0; BYTE_VALUES]; PLACES]);
        let mut lens_bits = Box::new([[0; BYTE_VALUES]; PLACES]);
        let mut direct = Box::new([[0; 1 << DIRECT_BITS]; PLACES]);
        let places = codes.chunks_exact(Self::SYMBOLS_PER_BYTE);
        let places = places.zip(decoders.chunks_exact(Self::SYMBOLS_PER_BYTE));
        for (place, (codes, decoders)) in places.enumerate() {
            for byte in 0..BYTE_VALUES {
                packed[place][byte] = Self::packed(codes, byte);
                lens_bits[place][byte] = packed[place][byte] as u8;
            }
            for (bits, entry) in direct[place].iter_mut().enumerate() {
                *entry = Self::entry(decoders, (bits as u64) << (64 - DIRECT_BITS));
            }
        }
        let longest_bits = lens_bits.iter().flatten().max().copied().unwrap_or(0).into();
        Self { codes, decoders, longest_bits, packed, lens_bits, direct }
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

    /// What a direct table has for bits that begin like `window`.
    fn entry(decoders: &[Decoder], window: u64) -> u16 {
        let (mut byte, mut count) = (0, 0);
        for (index, decoder) in decoders.iter().enumerate() {
            let (symbol, length_bits) = decoder.decode(window << count);
            byte |= symbol << (index as u32 * BITS);
            count += length_bits;
        }
        if count <= DIRECT_BITS { (byte << 8 | count) as u16 } else { IS_LONG }
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
    #[cold]
    #[inline(never)]
    fn take_long(&self, ahead: Ahead<'_>, position: &mut usize) -> u32 {
        let mut word = 0;
        for (place, decoder) in self.decoders.iter().enumerate() {
            let (symbol, length_bits) = decoder.decode(ahead.peek64(*position));
            *position += length_bits as usize;
            word |= symbol << (place as u32 * BITS);
        }
        word
    }
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
        for (place, decoder) in self.decoders.iter().enumerate() {
            cursor.refill();
            let (symbol, length_bits) = decoder.decode(cursor.window());
            cursor.consume(length_bits);
            word |= symbol << (place as u32 * BITS);
        }
        word
    }

    #[inline(always)]
    fn decode_abreast<const STREAMS: usize>(
        &self,
        streams: [Ahead<'_>; STREAMS],
        words: &mut [&mut [Word]; STREAMS],
    ) -> [usize; STREAMS] {
        let mut positions = [0; STREAMS];
        in_turn(words, |stream| self.take_peeked(streams[stream], &mut positions[stream]));
        positions
    }

    #[inline(always)]
    fn longest_bits(&self) -> u32 {
        self.longest_bits
    }

    fn write(&self, tables: &mut Vec<u8>) {
        self.codes.iter().for_each(|code| tables.extend_from_slice(code.lengths()));
    }
}
