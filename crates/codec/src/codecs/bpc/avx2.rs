//! The transform with AVX2, for 32-bit words; `wide` has that for 64-bit words.
//!
//! Lane `j` of the vectors is word `j` and the delta from it to the next. The last lane has no delta and is kept zero.

mod tally;
mod transpose;
mod wide;

use std::any::Any;
#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

use super::Bpc;
use super::code_map::EncodeTable;
use super::trained::BpcTrainer;
use super::transform::{Kernel, Matrix, PlaneCodes, Planes, Tally};
use super::word::Word;
use crate::bits::{BitReader, BitWriter};
use crate::error::DecodeError;
use crate::simd::avx2::{self as simd, load};
use tally::tally;
use transpose::transpose_rows;

/// The kernel; a value of this type is the proof that the machine has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The kernel, if this machine can run it.
    pub fn detect() -> Option<Self> {
        crate::simd::is_accelerated().then_some(Self(()))
    }
}

/// The words of a block as planes, without any transform.
#[inline(always)]
pub fn transposed_words(_kernel: Avx2, block: &[u8]) -> Matrix {
    let mut planes = [0; 32];
    // SAFETY: the kernel exists only where the instructions do.
    unsafe { transpose_rows(load_block::<4>(block), &mut planes) };
    planes
}

/// [`crate::BlockCodec::sizes_bits`] with this kernel.
pub fn sizes<W: Word>(kernel: Avx2, codec: &Bpc<W>, data: &[u8], sizes: &mut [u32]) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled<W: Word>(kernel: Avx2, codec: &Bpc<W>, data: &[u8], sizes: &mut [u32]) {
        codec.sizes_with(kernel, data, sizes);
    }
    // SAFETY: the kernel exists only where the instructions do.
    unsafe { compiled(kernel, codec, data, sizes) }
}

/// [`crate::codec::Trainer::observe`] with this kernel.
pub fn observe(kernel: Avx2, trainer: &mut BpcTrainer, blocks: &[u8]) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled(kernel: Avx2, trainer: &mut BpcTrainer, blocks: &[u8]) {
        trainer.observe_with(kernel, blocks);
    }
    // SAFETY: the kernel exists only where the instructions do.
    unsafe { compiled(kernel, trainer, blocks) }
}

/// [`crate::BlockCodec::compress_each`] with this kernel.
pub fn compress<W: Word>(
    kernel: Avx2,
    codec: &Bpc<W>,
    blocks: &[u8],
    out: &mut BitWriter,
    sizes: &mut [u32],
) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled<W: Word>(
        kernel: Avx2,
        codec: &Bpc<W>,
        blocks: &[u8],
        out: &mut BitWriter,
        sizes: &mut [u32],
    ) {
        codec.compress_with(kernel, blocks, out, sizes);
    }
    // SAFETY: the kernel exists only where the instructions do.
    unsafe { compiled(kernel, codec, blocks, out, sizes) }
}

/// [`crate::BlockCodec::decompress`] with this kernel.
pub fn decompress<W: Word>(
    kernel: Avx2,
    codec: &Bpc<W>,
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled<W: Word>(
        kernel: Avx2,
        codec: &Bpc<W>,
        bits: &mut BitReader<'_>,
        block: &mut [u8],
    ) -> Result<(), DecodeError> {
        codec.decompress_with(kernel, bits, block)
    }
    // SAFETY: the kernel exists only where the instructions do.
    unsafe { compiled(kernel, codec, bits, block) }
}

impl<W: Word> Kernel<W> for Avx2 {
    #[inline(always)]
    fn tally(self, block: &[u8]) -> Tally<W> {
        // SAFETY: the kernel exists only where the instructions do.
        unsafe {
            match (W::BITS, block.len()) {
                (64, 128) => in_words(&wide::tally::<4>(block)),
                (64, 64) => in_words(&wide::tally::<2>(block)),
                (64, _) => in_words(&wide::tally::<1>(block)),
                (_, 128) => in_words(&tally::<4>(block)),
                (_, 64) => in_words(&tally::<2>(block)),
                _ => in_words(&tally::<1>(block)),
            }
        }
    }

    #[inline(always)]
    fn planes(self, block: &[u8], planes: &mut Planes<W>) {
        // Which of the two types it is, is known when this is compiled.
        let planes: &mut dyn Any = planes;
        // SAFETY: the kernel exists only where the instructions do.
        unsafe {
            if let Some(planes) = planes.downcast_mut::<Planes<u64>>() {
                match block.len() {
                    128 => wide::gather::<4>(block, planes),
                    64 => wide::gather::<2>(block, planes),
                    _ => wide::gather::<1>(block, planes),
                }
            } else if let Some(planes) = planes.downcast_mut::<Planes<u32>>() {
                match block.len() {
                    128 => gather::<4>(block, planes),
                    64 => gather::<2>(block, planes),
                    _ => gather::<1>(block, planes),
                }
            }
        }
    }

    #[inline(always)]
    fn make_codes(self, block: &[u8], table: &EncodeTable, full_plane: u32, codes: &mut PlaneCodes) -> bool {
        // SAFETY: the kernel exists only where the instructions do.
        unsafe {
            match (W::BITS, block.len()) {
                (64, 128) => wide::make_codes::<4>(block, table, full_plane, codes),
                (64, 64) => wide::make_codes::<2>(block, table, full_plane, codes),
                _ => return false,
            }
        }
        true
    }

    #[inline(always)]
    fn rebuild(self, base: W, planes: &Planes<W>, block: &mut [u8]) -> bool {
        let base = base.to_u64();
        let planes: &dyn Any = planes;
        // SAFETY: the kernel exists only where the instructions do.
        unsafe {
            if let Some(planes) = planes.downcast_ref::<Planes<u64>>() {
                match block.len() {
                    128 => wide::scatter::<4>(base, planes, block),
                    64 => wide::scatter::<2>(base, planes, block),
                    _ => wide::scatter::<1>(base, planes, block),
                }
            } else if let Some(planes) = planes.downcast_ref::<Planes<u32>>() {
                match block.len() {
                    128 => scatter::<4>(base as u32, planes, block),
                    64 => scatter::<2>(base as u32, planes, block),
                    _ => scatter::<1>(base as u32, planes, block),
                }
            } else {
                false
            }
        }
    }
}

/// A tally in the words of the codec, which are as wide as its own.
#[inline(always)]
fn in_words<T: Word, W: Word>(tally: &Tally<T>) -> Tally<W> {
    let word = |bits: T| W::from_u64(bits.to_u64());
    Tally {
        at_least: tally.at_least.map(word),
        all: word(tally.all),
        adjacent: word(tally.adjacent),
        any_delta: word(tally.any_delta),
        signs: tally.signs,
    }
}

/// The deltas of a block of `V` vectors, Gray-coded, and their signs.
struct Deltas<const V: usize> {
    delta: [__m256i; V],
    dbx: [__m256i; V],
    /// One bit for each lane.
    signs: u32,
}

/// The vectors of a block of words, or of a matrix seen as one.
#[target_feature(enable = "avx2")]
#[inline]
fn load_block<const V: usize>(block: &[u8]) -> [__m256i; V] {
    let (vectors, _) = block.as_chunks::<32>();
    let mut loaded = [_mm256_setzero_si256(); V];
    for (loaded, bytes) in loaded.iter_mut().zip(vectors) {
        *loaded = load(bytes);
    }
    loaded
}

/// Every lane's right neighbour; the last lane gets itself.
#[target_feature(enable = "avx2")]
#[inline]
fn next_lanes<const V: usize>(vectors: [__m256i; V]) -> [__m256i; V] {
    let rotation = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
    let mut neighbours = vectors;
    let mut carried = vectors[V - 1];
    for index in (0..V).rev() {
        let rotated = _mm256_permutevar8x32_epi32(vectors[index], rotation);
        neighbours[index] = _mm256_blend_epi32::<0b1000_0000>(rotated, carried);
        carried = rotated;
    }
    neighbours
}

/// One bit for each lane whose top bit is set.
#[target_feature(enable = "avx2")]
#[inline]
fn top_bits<const V: usize>(vectors: [__m256i; V]) -> u32 {
    let mut bits = 0;
    for (index, vector) in vectors.into_iter().enumerate() {
        bits |= simd::top_bits(vector) << (8 * index);
    }
    bits
}

#[target_feature(enable = "avx2")]
#[inline]
fn deltas<const V: usize>(block: &[u8]) -> Deltas<V> {
    let words = load_block::<V>(block);
    let next = next_lanes(words);
    let top_bit = _mm256_set1_epi32(i32::MIN);
    let [mut delta, mut dbx, mut is_negative] = [words; 3];
    for index in 0..V {
        delta[index] = _mm256_sub_epi32(next[index], words[index]);
        is_negative[index] = _mm256_cmpgt_epi32(words[index], next[index]);
        let sign = _mm256_and_si256(is_negative[index], top_bit);
        let above = _mm256_or_si256(_mm256_srli_epi32::<1>(delta[index]), sign);
        dbx[index] = _mm256_xor_si256(delta[index], above);
    }
    Deltas { delta, dbx, signs: top_bits(is_negative) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn gather<const V: usize>(block: &[u8], planes: &mut Planes<u32>) {
    let Deltas { dbx, signs, .. } = deltas::<V>(block);
    let mut rows = [_mm256_setzero_si256(); 4];
    rows[..V].copy_from_slice(&dbx);
    let (low_planes, _) = planes.split_at_mut(32);
    transpose_rows(rows, low_planes);
    planes[32] = signs;
}

#[target_feature(enable = "avx2")]
#[inline]
fn scatter<const V: usize>(base: u32, planes: &Planes<u32>, block: &mut [u8]) -> bool {
    // Deltas go one lane up, to the word they lead to.
    let mut rows = [_mm256_setzero_si256(); 4];
    let (vectors, _) = planes.as_chunks::<8>();
    for (row, planes) in rows.iter_mut().zip(vectors) {
        // SAFETY: a vector of eight planes is there; the load needs no alignment.
        let loaded = unsafe { _mm256_loadu_si256(planes.as_ptr().cast()) };
        *row = _mm256_slli_epi32::<1>(loaded);
    }
    let mut dbx: Matrix = [0; 32];
    transpose_rows(rows, &mut dbx);
    let signs = planes[32] << 1;

    let (vectors, _) = dbx.as_chunks::<8>();
    let mut words = [_mm256_setzero_si256(); V];
    // The base word is the first lane's delta: the running sum then starts with it.
    let mut sum = _mm256_setr_epi32(base as i32, 0, 0, 0, 0, 0, 0, 0);
    for (index, (word, dbx)) in words.iter_mut().zip(vectors).enumerate() {
        // SAFETY: a vector of eight words is there; the load needs no alignment.
        let dbx = unsafe { _mm256_loadu_si256(dbx.as_ptr().cast()) };
        let delta = ungray(dbx, signs >> (8 * index));
        *word = prefix_sum(_mm256_add_epi32(delta, if index == 0 { sum } else { _mm256_setzero_si256() }));
        if index > 0 {
            *word = _mm256_add_epi32(*word, sum);
        }
        sum = _mm256_permutevar8x32_epi32(*word, _mm256_set1_epi32(7));
    }
    let (chunks, _) = block.as_chunks_mut::<32>();
    for (bytes, word) in chunks.iter_mut().zip(words) {
        // SAFETY: 32 bytes are there; the store needs no alignment.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), word) };
    }
    let mut is_less = next_lanes(words);
    for (is_less, word) in is_less.iter_mut().zip(words) {
        *is_less = _mm256_cmpgt_epi32(word, *is_less);
    }
    top_bits(is_less) == planes[32]
}

/// Undoes the Gray code in every lane; `signs` has one bit for each.
#[target_feature(enable = "avx2")]
#[inline]
fn ungray(dbx: __m256i, signs: u32) -> __m256i {
    let mut delta = dbx;
    delta = _mm256_xor_si256(delta, _mm256_srli_epi32::<1>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi32::<2>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi32::<4>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi32::<8>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi32::<16>(delta));
    let lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let own_bit = _mm256_and_si256(_mm256_set1_epi32(signs as i32), lane_bits);
    _mm256_xor_si256(delta, _mm256_cmpeq_epi32(own_bit, lane_bits))
}

/// Every lane becomes the sum of itself and all lanes before it.
#[target_feature(enable = "avx2")]
#[inline]
fn prefix_sum(vector: __m256i) -> __m256i {
    let mut sum = _mm256_add_epi32(vector, _mm256_slli_si256::<4>(vector));
    sum = _mm256_add_epi32(sum, _mm256_slli_si256::<8>(sum));
    // The shifts stay inside 128-bit halves: the upper half still lacks the total of the lower.
    let lower_total = _mm256_permutevar8x32_epi32(sum, _mm256_set1_epi32(3));
    let only_upper = _mm256_blend_epi32::<0b1111_0000>(_mm256_setzero_si256(), lower_total);
    _mm256_add_epi32(sum, only_upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::BlockBytes;
    use crate::codec::BlockCodec;
    use crate::codecs::bpc::Engine;
    use crate::codecs::bpc::transform::{MAX_PLANES, Portable};
    use proptest::prelude::*;

    /// Words of all magnitudes, so that planes of every kind occur.
    fn words() -> impl Strategy<Value = Vec<u32>> {
        let word = (any::<u32>(), 0u32..32).prop_map(|(word, shift)| (word as i32 >> shift) as u32);
        let few = prop_oneof![Just(0u32), Just(1), Just(u32::MAX), Just(1 << 31), Just(i32::MAX as u32)];
        prop_oneof![prop::collection::vec(word, 32), prop::collection::vec(few, 32)]
    }

    fn check_same<W: Word>(block: &[u8]) {
        let Some(avx2) = Avx2::detect() else { return };
        assert_eq!(Kernel::<W>::tally(avx2, block), Kernel::<W>::tally(Portable, block));
        let mut planes: Planes<W> = [W::Plane::default(); MAX_PLANES];
        let mut fast_planes = planes;
        Kernel::<W>::planes(Portable, block, &mut planes);
        Kernel::<W>::planes(avx2, block, &mut fast_planes);
        assert_eq!(fast_planes, planes);
        for wrong_signs in [0, 1, 0b100] {
            let signs: u32 = planes[W::BITS as usize].into();
            planes[W::BITS as usize] = W::plane((signs ^ wrong_signs).into());
            let [mut rebuilt, mut fast] = [vec![0; block.len()], vec![0; block.len()]];
            let is_right = Portable.rebuild(W::load(block, 0), &planes, &mut rebuilt);
            assert_eq!(avx2.rebuild(W::load(block, 0), &planes, &mut fast), is_right);
            assert_eq!(fast, rebuilt);
            if wrong_signs == 0 {
                assert!(is_right);
                assert_eq!(rebuilt, block);
            }
        }
    }

    /// What a codec writes for a block behind a few other bits, and the size it gives.
    fn encoded<W: Word>(codec: &Bpc<W>, block: &[u8]) -> (usize, Vec<u8>, Vec<u32>) {
        let mut out = BitWriter::new();
        out.put(0b101, 3);
        let mut sizes = vec![0; block.len() / codec.block.bytes()];
        codec.compress_each(block, &mut out, &mut sizes);
        (out.len_bits(), out.pad_to_bytes().to_vec(), sizes)
    }

    fn check_same_bits<W: Word>(blocks: &[u8], block: BlockBytes) {
        let fast = Bpc::<W>::published(block);
        let portable = Bpc { engine: Engine::Portable, ..fast.clone() };
        let bits = encoded(&portable, blocks);
        assert_eq!(encoded(&fast, blocks), bits);
        for codec in [fast, portable] {
            let mut sizes = vec![0; bits.2.len()];
            codec.sizes_bits(blocks, &mut sizes);
            assert_eq!(sizes, bits.2);
        }
    }

    /// 64 planes of 15 bits, few of them raw, as words whose differences have these planes.
    fn block_of_planes() -> impl Strategy<Value = Vec<u8>> {
        let one = (0u32..15).prop_map(|place| 1u16 << place);
        let two = (0u32..14).prop_map(|place| 3u16 << place);
        let runs = prop_oneof![4 => Just(0), 1 => Just(0x7fff), 1 => one, 1 => two, 2 => 0u16..0x8000];
        (any::<u64>(), prop::collection::vec(runs, 64)).prop_map(|(first, planes)| {
            let mut word = first;
            let mut block = word.to_le_bytes().to_vec();
            for delta in 0..15 {
                let gray = planes
                    .iter()
                    .enumerate()
                    .fold(0, |gray, (plane, bits)| gray | u64::from(bits >> delta & 1) << plane);
                // The Gray code undone: every bit is the parity of itself and the higher ones.
                let difference = [1, 2, 4, 8, 16, 32].iter().fold(gray, |bits, shift| bits ^ bits >> shift);
                word = word.wrapping_add(difference);
                block.extend(word.to_le_bytes());
            }
            block
        })
    }

    proptest! {
        #[test]
        fn avx2_and_portable_code_write_the_same_bits(words in words(), planes in block_of_planes()) {
            let block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            // More blocks than are encoded at once.
            let blocks = [&block[..], &planes, &block, &planes, &planes].concat();
            for block in [BlockBytes::B64, BlockBytes::B128] {
                check_same_bits::<u32>(&blocks, block);
                check_same_bits::<u64>(&blocks, block);
            }
        }

        #[test]
        fn avx2_and_portable_code_give_the_same(words in words()) {
            let block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            for bytes in [32, 64, 128] {
                check_same::<u32>(&block[..bytes]);
                check_same::<u64>(&block[..bytes]);
            }
        }
    }
}
