//! Bit-Plane Compression (BPC): neighbouring words are subtracted, the differences are turned into bit planes,
//! neighbouring planes are xored, and what is left is mostly zero.
//!
//! Kim, Sullivan, Choukse & Erez, "Bit-Plane Compression: Transforming Data for Better Compression in Many-core
//! Architectures", ISCA 2016, figure 3b. [`transform`] is the transform; the code map for 32-bit words, top plane first:
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
//! Choices of ours: words are sign-extended before they are subtracted; the first row that fits wins in the order all
//! ones, DBP = 0, two ones, single one; bit `j` of a plane belongs to `word(j+1) - word(j)`, a raw plane is written
//! highest bit first and positions count from bit 0. Blocks of 64 and 32 bytes have planes of 15 and 7 bits and
//! positions of 4 and 3. The decoder takes redundant encodings (a run in two pieces) but no contradictory ones (a sign
//! plane that disagrees with the words).
//!
//! `bpc64` is the same with 64-bit words ([`code_map`] has its map), `bpc-trained` the same with a code map made from a
//! sample ([`trained`]).

#[cfg(target_arch = "x86_64")]
mod avx2;
mod code_map;
mod symbol;
pub mod trained;
pub(crate) mod transform;
pub(crate) mod word;

use std::marker::PhantomData;

use crate::bits::{BitReader, BitWriter, Burst};
use crate::block::BlockBytes;
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use code_map::{CodeMap, DecodeTable, EncodeTable, Shape};
use symbol::{BASE_PAYLOAD_BITS, Classes, PlaneSymbol, ZERO_RUNS, base_class};
use transform::{Kernel, MAX_PLANES, Planes, Portable};
use word::{PlaneSet, Word};

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

    fn size_bits(&self, block: &[u8]) -> u32 {
        let mut size = [0];
        self.sizes_bits(block, &mut size);
        size[0]
    }

    fn sizes_bits(&self, data: &[u8], sizes: &mut [u32]) {
        match self.engine {
            Engine::Portable => self.sizes_with(Portable, data, sizes),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(kernel) => avx2::sizes(kernel, self, data, sizes),
        }
    }

    fn compress(&self, block: &[u8], out: &mut BitWriter) {
        match self.engine {
            Engine::Portable => self.compress_with(Portable, block, out),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(kernel) => avx2::compress(kernel, self, block, out),
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

/// The codec for any kernel: inlined into one function for each, so that all of it may use the kernel's instructions.
impl<W: Word> Bpc<W> {
    #[inline(always)]
    fn sizes_with(&self, kernel: impl Kernel<W>, data: &[u8], sizes: &mut [u32]) {
        for (block, size) in data.chunks_exact(self.block.bytes()).zip(sizes) {
            *size = self.size_with(kernel, block);
        }
    }

    #[inline(always)]
    fn size_with(&self, kernel: impl Kernel<W>, block: &[u8]) -> u32 {
        let class = base_class(W::load(block, 0));
        let classes = kernel.tally(block).classes(self.shape.full_plane());
        let cost = |symbol: usize| self.encode.row(symbol).total_bits;
        let patterns = classes.raw().count() * cost(PlaneSymbol::Raw as usize)
            + classes.all_ones.count() * cost(PlaneSymbol::AllOnes as usize)
            + classes.dbp_zero.count() * cost(PlaneSymbol::DbpZero as usize)
            + classes.two_ones.count() * cost(PlaneSymbol::TwoOnes as usize)
            + classes.single_one.count() * cost(PlaneSymbol::SingleOne as usize);
        let zero_runs = if let Some(run_bits) = self.encode.uniform_run_bits {
            let singles = classes.single_zeros().count();
            singles * cost(ZERO_RUNS) + (classes.run_starts().count() - singles) * run_bits
        } else {
            let mut bits = 0;
            classes.for_each_symbol(classes.run_starts(), |symbol| bits += cost(symbol));
            bits
        };
        self.encode.base(class).length_bits + BASE_PAYLOAD_BITS[class] + patterns + zero_runs
    }

    #[inline(always)]
    fn compress_with(&self, kernel: impl Kernel<W>, block: &[u8], out: &mut BitWriter) {
        let base = W::load(block, 0);
        let class = base_class(base);
        let codeword = self.encode.base(class);
        out.put(u64::from(codeword.bits), codeword.length_bits);
        let payload_bits = BASE_PAYLOAD_BITS[class];
        out.put(low_bits(base.to_u64(), payload_bits), payload_bits);

        let classes = kernel.tally(block).classes(self.shape.full_plane());
        let mut planes = [0; MAX_PLANES];
        kernel.planes(block, &mut planes);
        out.burst(self.encode.most_plane_bits, |out| self.put_planes(&classes, &planes, out));
    }

    /// Writes the symbols of the DBX planes, top first.
    #[inline(always)]
    fn put_planes(&self, classes: &Classes<W::PlaneSet>, planes: &Planes, out: &mut Burst<'_>) {
        let raw = classes.raw();
        let mut rest = classes.symbol_starts();
        while !rest.is_empty() {
            let top = rest.highest();
            // Raw planes come in long runs, and writing them in pairs is more than twice as fast.
            let raw_planes = raw.run_down_from(top);
            if raw_planes > 1 {
                let lowest = top + 1 - raw_planes;
                self.put_raw(&planes[lowest as usize..=top as usize], out);
                rest = rest.below(lowest);
                continue;
            }
            rest = rest.below(top);
            let row = self.encode.row(classes.symbol_at(top));
            let plane = planes[top as usize % MAX_PLANES];
            let payload = plane & row.plane_mask | plane.trailing_zeros() & row.position_mask;
            out.put(row.code | u64::from(payload), row.total_bits);
        }
    }

    /// Writes raw planes, the last of the slice first.
    #[inline(always)]
    fn put_raw(&self, planes: &[u32], out: &mut Burst<'_>) {
        let row = self.encode.row(PlaneSymbol::Raw as usize);
        let (single, pairs) = if row.total_bits == 32 { planes.as_rchunks::<2>() } else { (planes, &[][..]) };
        for &[low, high] in pairs.iter().rev() {
            out.put64((row.code | u64::from(high)) << 32 | row.code | u64::from(low));
        }
        for &plane in single.iter().rev() {
            out.put(row.code | u64::from(plane), row.total_bits);
        }
    }

    #[inline(always)]
    fn decompress_with(
        &self,
        kernel: impl Kernel<W>,
        bits: &mut BitReader<'_>,
        block: &mut [u8],
    ) -> Result<(), DecodeError> {
        let (prefix_bits, payload_bits) = self.decode.base(bits.peek64());
        bits.skip(prefix_bits)?;
        let base = sign_extend(bits.take(payload_bits)?, payload_bits);

        let mut planes = [0; MAX_PLANES];
        self.take_planes(bits, &mut planes)?;
        bits.finish()?;
        if kernel.rebuild(W::from_u64(base), &planes, block) {
            return Ok(());
        }
        Err(BitReader::invalid(0, "the sign plane does not agree with the deltas"))
    }

    /// Reads the DBX planes, top first. Zero planes are left as they are: `planes` starts as zeros.
    #[inline(always)]
    fn take_planes(&self, reader: &mut BitReader<'_>, planes: &mut Planes) -> Result<(), DecodeError> {
        // A cursor of our own stays in registers.
        let mut bits = reader.clone();
        let plane_bits = self.shape.plane_bits();
        let position_bits = self.shape.position_bits();
        let raw_bits = self.encode.row(PlaneSymbol::Raw as usize).total_bits;
        let mut planes_left = W::PLANES;
        let mut dbp = 0;
        while planes_left > 0 {
            let window = bits.peek64();
            let row = self.decode.row(window);
            let at_bit = bits.position();
            // Taken apart because raw planes come in long runs: while the guess holds, the next plane's place is known
            // before this one's row.
            if row.raw_mask != 0 {
                bits.skip(raw_bits)?;
                planes_left -= 1;
                planes[planes_left] = (window >> (64 - raw_bits)) as u32 & row.raw_mask;
                dbp ^= planes[planes_left];
                continue;
            }
            bits.skip(u32::from(row.total_bits))?;
            let payload = window << row.prefix_bits;
            let pattern = u64::from(row.pattern) << (payload >> (64 - position_bits));
            if pattern >> plane_bits != 0 {
                return Err(BitReader::invalid(at_bit, "a one lies outside the plane"));
            }
            if usize::from(row.planes) > planes_left {
                return Err(BitReader::invalid(at_bit, "a zero run passes the lowest plane"));
            }
            let dbx = pattern as u32 | row.constant | dbp & row.dbp_mask;
            planes_left -= usize::from(row.planes);
            planes[planes_left] = dbx;
            dbp ^= dbx;
        }
        *reader = bits;
        Ok(())
    }
}

/// The low `count` bits of `value`.
#[inline(always)]
fn low_bits(value: u64, count: u32) -> u64 {
    value & !(!0_u64).checked_shl(count).unwrap_or(0)
}

/// The two's-complement number of `count` bits, at most 64.
#[inline(always)]
fn sign_extend(value: u64, count: u32) -> u64 {
    match count {
        0 => 0,
        _ => ((value << (64 - count)) as i64 >> (64 - count)) as u64,
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
        assert_eq!(decode("000 001 01 11111"), invalid(6, "a zero run passes the lowest plane"));
    }

    #[test]
    fn ones_may_not_lie_outside_the_plane() {
        let expected = invalid(10, "a one lies outside the plane");
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

    #[test]
    fn a_base_class_is_extended_with_its_sign() {
        assert_eq!(sign_extend(0b1000, 4) as i64, -8);
        assert_eq!(sign_extend(0b0111, 4) as i64, 7);
        assert_eq!(sign_extend(u64::MAX, 64), u64::MAX);
        assert_eq!(sign_extend(0, 0), 0);
    }
}
