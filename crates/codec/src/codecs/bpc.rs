//! Bit-Plane Compression (BPC): neighbouring words are subtracted, the differences are turned into bit planes,
//! neighbouring planes are xored, and what is left is mostly zero.
//!
//! Kim, Sullivan, Choukse & Erez, "Bit-Plane Compression: Transforming Data for Better Compression in Many-core
//! Architectures", ISCA 2016, figure 3b. `transform.rs` is the transform; the code map for 32-bit words, top plane first:
//!
//! | codeword | plane                          | payload                    | bits, 128 B block |
//! |----------|--------------------------------|----------------------------|-------------------|
//! | `01`     | run of 2..=33 zero planes      | run - 2, 5 bits            | 7                 |
//! | `001`    | a single zero plane            |                            | 3                 |
//! | `00000`  | all ones                       |                            | 5                 |
//! | `00001`  | DBX is not zero, DBP is        |                            | 5                 |
//! | `00010`  | two ones, side by side         | position of the lower one  | 10                |
//! | `00011`  | a single one                   | its position               | 10                |
//! | `1`      | anything else                  | the plane                  | 32                |
//!
//! The base word comes first: `000` zero; `001`, `010`, `011` and a signed integer of 4, 8, 16 bits; `1` and the word.
//!
//! Our interpretation where the paper is silent: words are sign-extended before they are subtracted; the first row
//! that fits wins in the order all ones, DBP = 0, two ones, single one; bit `j` of a plane belongs to
//! `word(j+1) - word(j)`, a raw plane is written highest bit first and positions count from bit 0. Blocks of 64 and 32
//! bytes have planes of 15 and 7 bits and positions of 4 and 3. The decoder takes redundant encodings (a run in two pieces) but
//! no contradictory ones (a sign plane that disagrees with the words).
//!
//! `bpc64` is the same with 64-bit words (`code_map.rs` has its map), `bpc-trained` the same with a code map made from a
//! sample ([`trained`]). `bpc:reversed=1` ([`reversed`]) reads words as the simulator of the DSM thesis does.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod code_map;
mod decode;
mod encode;
mod reversed;
mod symbol;
pub mod trained;
pub(crate) mod transform;
pub(crate) mod word;

use std::marker::PhantomData;

use crate::bits::{BitReader, BitWriter};
use crate::block::{BlockBytes, word32};
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::registry::{ANY_BLOCK, Entry, Make, Param};
use code_map::{CodeMap, DecodeTable, EncodeTable, Shape};
use reversed::ReversedWords;
use transform::{Kernel, Matrix, Planes, Portable};
use word::Word;

/// The registry's line for 32-bit words.
pub const BPC: Entry = Entry {
    name: "bpc",
    summary: "bit planes of word differences (Kim et al., ISCA 2016)",
    blocks: ANY_BLOCK,
    params: &[REVERSED],
    make: Make::Plain(|params| match params.values[..] {
        [1] => Box::new(ReversedWords::published(params.block)),
        _ => Box::new(Bpc32::published(params.block)),
    }),
};

const REVERSED: Param =
    Param { key: "reversed", allowed: &[0, 1], meaning: "1 reads each word with its bytes in reverse order" };

/// The registry's line for 64-bit words.
pub const BPC64: Entry = Entry {
    name: "bpc64",
    summary: "bpc over 64-bit words, for doubles and pointers",
    blocks: &[BlockBytes::B64, BlockBytes::B128],
    params: &[],
    make: Make::Plain(|params| Box::new(Bpc64::published(params.block))),
};

/// BPC over 32-bit words.
pub type Bpc32 = Bpc<u32>;

/// BPC over 64-bit words.
pub type Bpc64 = Bpc<u64>;

/// BPC over words of type `W` with one code map.
#[derive(Clone, Debug)]
pub struct Bpc<W> {
    block: BlockBytes,
    shape: Shape,
    engine: Engine,
    encode: EncodeTable,
    decode: DecodeTable,
    /// What [`BlockCodec::tables`] gives: empty for the published map.
    tables: Vec<u8>,
    word: PhantomData<W>,
}

impl<W: Word> Bpc<W> {
    /// The codec with the published code map.
    pub fn published(block: BlockBytes) -> Self {
        Self::with_map(block, &CodeMap::published(W::BITS), Vec::new())
    }

    fn with_map(block: BlockBytes, map: &CodeMap, tables: Vec<u8>) -> Self {
        let shape = Shape { word_bits: W::BITS, words: block.bits() / W::BITS };
        Self {
            block,
            shape,
            engine: Engine::detect(),
            encode: EncodeTable::new(map, shape),
            decode: DecodeTable::new(map, shape),
            tables,
            word: PhantomData,
        }
    }
}

impl<W: Word> BlockCodec for Bpc<W> {
    fn block_bytes(&self) -> BlockBytes {
        self.block
    }

    fn sizes_bits(&self, data: &[u8], sizes: &mut [u32]) {
        match self.engine {
            Engine::Portable => self.sizes_with(Portable, data, sizes),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(kernel) => avx2::sizes(kernel, self, data, sizes),
        }
    }

    fn compress(&self, block: &[u8], out: &mut BitWriter) {
        self.compress_each(&block[..self.block.bytes()], out, &mut [0]);
    }

    fn compress_each(&self, blocks: &[u8], out: &mut BitWriter, sizes: &mut [u32]) {
        match self.engine {
            Engine::Portable => self.compress_with(Portable, blocks, out, sizes),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(kernel) => avx2::compress(kernel, self, blocks, out, sizes),
        }
    }

    fn decompress(&self, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
        match self.engine {
            Engine::Portable => self.decompress_with(Portable, bits, block),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(kernel) => avx2::decompress(kernel, self, bits, block),
        }
    }

    fn tables(&self) -> Vec<u8> {
        self.tables.clone()
    }
}

/// The DBX planes of a block of 32-bit words; `WIDE` only in code compiled for AVX2.
#[inline(always)]
pub(crate) fn word_planes<const WIDE: bool>(block: &[u8], planes: &mut Planes<u32>) {
    #[cfg(target_arch = "x86_64")]
    if WIDE && let Some(kernel) = avx2::Avx2::detect() {
        return Kernel::<u32>::planes(kernel, block, planes);
    }
    Kernel::<u32>::planes(Portable, block, planes);
}

/// The words of a block as planes, without any transform; `WIDE` only in code compiled for AVX2.
#[inline(always)]
pub(crate) fn transposed_words<const WIDE: bool>(block: &[u8]) -> Matrix {
    #[cfg(target_arch = "x86_64")]
    if WIDE && let Some(kernel) = avx2::Avx2::detect() {
        return avx2::transposed_words(kernel, block);
    }
    let mut words = [0; 32];
    for (index, word) in words.iter_mut().enumerate().take(block.len() / 4) {
        *word = word32(block, index);
    }
    transform::transpose(&mut words);
    words
}

/// Which kernel this machine runs.
#[derive(Clone, Copy, Debug)]
enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
}

impl Engine {
    fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = avx2::Avx2::detect() {
            return Self::Avx2(kernel);
        }
        Self::Portable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes binary digits as one 128-byte block of `bpc`.
    fn decode(digits: &str) -> Result<Vec<u8>, DecodeError> {
        let mut out = BitWriter::new();
        let digits: Vec<char> = digits.chars().filter(char::is_ascii_digit).collect();
        for &digit in &digits {
            out.put(u64::from(digit == '1'), 1);
        }
        let mut block = vec![0; 128];
        let mut bits = BitReader::new(out.pad_to_bytes(), digits.len());
        Bpc32::published(BlockBytes::B128).decompress(&mut bits, &mut block)?;
        Ok(block)
    }

    fn invalid(at_bit: usize, what: &'static str) -> Result<Vec<u8>, DecodeError> {
        Err(DecodeError::Invalid { at_bit, what })
    }

    #[test]
    fn a_zero_run_may_not_pass_the_lowest_plane() {
        assert_eq!(
            decode("000 001 01 11111"),
            invalid(6, "a run of zero planes is longer than the planes that are left")
        );
    }

    #[test]
    fn ones_may_not_lie_outside_the_plane() {
        let expected = invalid(10, "a 1 bit is outside the plane");
        assert_eq!(decode("000 01 11110 00011 11111"), expected, "a single one at 31");
        assert_eq!(decode("000 01 11110 00010 11110"), expected, "two ones from 30");
        assert_eq!(decode("000 01 11110 00010 11111"), expected, "two ones from 31");
    }

    #[test]
    fn the_sign_plane_must_agree_with_the_words() {
        // The sign says negative, the low 32 bits of the delta are zero: no two words differ like that.
        let expected = invalid(0, "the sign plane does not agree with the deltas");
        assert_eq!(decode("000 00011 00000 00001 01 11101"), expected);
    }

    #[test]
    fn missing_and_extra_bits_are_errors_that_name_the_place() {
        assert_eq!(decode("000 01 1111"), Err(DecodeError::Truncated { at_bit: 9 }));
        assert_eq!(decode("000 01 11110"), Err(DecodeError::Truncated { at_bit: 10 }));
        assert_eq!(decode("000 01 11111 1"), Err(DecodeError::TrailingBits { at_bit: 10, extra_bits: 1 }));
    }

    #[test]
    fn redundant_encodings_give_the_block_they_mean() {
        let zero = Ok(vec![0; 128]);
        assert_eq!(decode("000 001 01 11110"), zero, "a run in two pieces");
        assert_eq!(decode("001 0000 01 11111"), zero, "a zero base in four bits");
        assert_eq!(decode("000 01 11110 00001"), zero, "a zero plane called DBP = 0");
    }
}
