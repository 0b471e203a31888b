//! 4- and 8-bit symbols: one table per position inside a 32-bit word, all values coded.
//!
//! Two neighbouring 4-bit symbols are a byte whose codeword is one after the other, 16 bits at most, as that of an 8-bit
//! symbol. So both codecs run the same tables: by place of a byte in its word, from byte to codeword and from the next bits
//! to byte.

use crate::bits::{Ahead, Cursor};
use crate::error::TableError;
use crate::huffman::CanonicalCode;
use crate::huffman::stream::{PeekedWord, SymbolCode, Word, peek_in_turn};
use crate::huffman::table_bytes::TableReader;

/// Bytes of a word.
const PLACES: usize = 4;
const BYTE_VALUES: usize = 256;
/// The longest codeword of a byte.
const BYTE_LIMIT_BITS: u32 = 16;

/// The most bits that index a place's first decoding table. Four of them, for the bytes of a word, are less than one peek holds.
const MOST_DIRECT_BITS: u32 = 12;

/// One codeword in this many may be longer than the bits that index its place's first table, if the data is what the code was made
/// for: the four tables share the first-level cache.
const LONG_SHARE: u64 = 256;

/// The codes for symbols of `BITS` bits, 4 or 8.
#[derive(Clone, Debug)]
pub struct Positions<const BITS: u32> {
    codes: Vec<CanonicalCode>,
    longest_bits: u32,
    /// By place and byte: the codeword, left-aligned, and in the low byte its length.
    packed: Box<[[u64; BYTE_VALUES]; PLACES]>,
    /// By place and byte: the length alone.
    lens_bits: Box<[[u8; BYTE_VALUES]; PLACES]>,
    /// By place and the next bits. Its length is fixed so that a masked index needs no check; what is not used never enters a cache.
    direct: Box<[[Entry; 1 << MOST_DIRECT_BITS]; PLACES]>,
    /// By place: how far a window is shifted to index `direct`.
    index_shifts: [u32; PLACES],
    /// By place: byte × 256 + length for as many bits as the longest codeword has. Only words with a long codeword look here, so that most of
    /// it never enters a cache.
    all: Vec<[u16; 1 << BYTE_LIMIT_BITS]>,
}

/// What some bits begin with at one place: bits 0..6 are the codeword's length, bits 8..24 half a word with the byte in its place, bit 28 marks
/// a codeword longer than the index. So the sum of two is half a word and its length.
#[derive(Clone, Copy, Debug)]
struct Entry(u32);

impl Entry {
    const LONG: Self = Self(1 << 28);

    fn new(place: usize, byte: usize, len_bits: u8) -> Self {
        Self((byte as u32) << (8 + 8 * (place % 2)) | u32::from(len_bits))
    }
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
        let mut direct = Box::new([[Entry::LONG; 1 << MOST_DIRECT_BITS]; PLACES]);
        let mut index_shifts = [0; PLACES];
        let mut all = vec![[0; 1 << BYTE_LIMIT_BITS]; PLACES];
        for (place, codes) in codes.chunks_exact(Self::SYMBOLS_PER_BYTE).enumerate().take(PLACES) {
            for byte in 0..BYTE_VALUES {
                let codeword = Self::packed(codes, byte);
                let len_bits = codeword as u8;
                packed[place][byte] = codeword;
                lens_bits[place][byte] = len_bits;
                fill(&mut all[place], codeword, (byte as u16) << 8 | u16::from(len_bits));
            }
            let direct_bits = direct_bits(&lens_bits[place]);
            index_shifts[place] = 64 - direct_bits;
            let direct = &mut direct[place][..1 << direct_bits];
            for (byte, (&codeword, &len_bits)) in packed[place].iter().zip(&lens_bits[place]).enumerate() {
                if u32::from(len_bits) <= direct_bits {
                    fill(direct, codeword, Entry::new(place, byte, len_bits));
                }
            }
        }
        let longest_bits = lens_bits.iter().flatten().max().copied().unwrap_or(0).into();
        Self { codes, longest_bits, packed, lens_bits, direct, index_shifts, all }
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

    /// What a left-aligned window begins with at `place`.
    #[inline(always)]
    fn entry(&self, place: usize, window: u64) -> Entry {
        self.direct[place][(window >> self.index_shifts[place]) as usize % (1 << MOST_DIRECT_BITS)]
    }

    /// The same for a word with a long codeword.
    #[inline(never)]
    fn take_long(&self, ahead: Ahead<'_>, mut position: usize) -> (u32, usize) {
        let mut word = 0;
        for place in 0..PLACES {
            let (byte, len_bits) = self.byte_at(place, ahead.peek64(position));
            position += len_bits as usize;
            word |= byte << (8 * place);
        }
        (word, position)
    }

    /// The byte that a left-aligned window begins with at `place`, and its bits.
    #[inline(always)]
    fn byte_at(&self, place: usize, window: u64) -> (u32, u32) {
        let Entry(entry) = self.entry(place, window);
        if entry < Entry::LONG.0 {
            return (entry >> (8 + 8 * (place % 2)), entry % 64);
        }
        let entry = u32::from(self.all[place][(window >> (64 - BYTE_LIMIT_BITS)) as usize]);
        (entry >> 8, entry & 0xff)
    }
}

/// The fewest bits that nearly all codewords of a place fit: a codeword of *n* bits is one in 2ⁿ of the data that the code was made for.
fn direct_bits(lens_bits: &[u8; BYTE_VALUES]) -> u32 {
    const ALL: u64 = 1 << 32;
    let is_rarely_longer = |&bits: &u32| {
        let longer = lens_bits.iter().filter(|&&len_bits| u32::from(len_bits) > bits);
        longer.map(|len_bits| ALL >> len_bits).sum::<u64>() <= ALL / LONG_SHARE
    };
    (1..MOST_DIRECT_BITS).find(is_rarely_longer).unwrap_or(MOST_DIRECT_BITS)
}

/// Stores `entry` at every index that starts with a packed codeword.
fn fill<T: Copy>(table: &mut [T], codeword: u64, entry: T) {
    let (index_bits, len_bits) = (table.len().trailing_zeros(), codeword as u8);
    let first = (codeword >> (64 - index_bits)) as usize;
    let entries = table.len() >> len_bits;
    table[first..first + entries].fill(entry);
}

impl<const BITS: u32> PeekedWord for Positions<BITS> {
    /// Four look-ups, then one question for all of them.
    #[inline(always)]
    fn peek_word(&self, ahead: Ahead<'_>, position: &mut usize) -> u32 {
        const { assert!(PLACES as u32 * MOST_DIRECT_BITS <= 57) };
        let mut window = ahead.peek64(*position);
        let mut halves = [0u32; 2];
        for place in 0..PLACES {
            let Entry(entry) = self.entry(place, window);
            window <<= entry % 64;
            halves[place / 2] = halves[place / 2].wrapping_add(entry);
        }
        let [low, high] = halves;
        if low | high >= Entry::LONG.0 {
            // By value: a position whose address is known elsewhere would not stay in a register.
            let (word, next_position) = self.take_long(ahead, *position);
            *position = next_position;
            return word;
        }
        *position += (low.wrapping_add(high) % 64) as usize;
        low >> 8 & 0xffff | high << 8 & 0xffff_0000
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
        for place in 0..PLACES {
            cursor.refill();
            let (byte, len_bits) = self.byte_at(place, cursor.window());
            cursor.consume(len_bits);
            word |= byte << (8 * place);
        }
        word
    }

    #[inline(always)]
    fn decode_abreast<const STREAMS: usize>(
        &self,
        streams: [Ahead<'_>; STREAMS],
        words: &mut [&mut [Word]; STREAMS],
    ) -> [usize; STREAMS] {
        peek_in_turn(self, streams, words)
    }

    #[inline(always)]
    fn longest_bits(&self) -> u32 {
        self.longest_bits
    }

    fn write(&self, tables: &mut Vec<u8>) {
        self.codes.iter().for_each(|code| tables.extend_from_slice(code.lengths()));
    }
}
