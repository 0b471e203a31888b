//! The transform for 64-bit words: 64 planes of at most 16 bits, which are gathered and scattered as bytes.

#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

use super::tally::VectorTally;
use crate::codecs::bpc::transform::{Planes, Tally};
use crate::simd::avx2::load;

const WORD_BITS: usize = 64;
const WORDS: usize = 16;

/// The deltas of a block of `V` vectors of four words, plain and Gray-coded; their signs, one bit each, are the top plane.
struct Deltas {
    delta: [__m256i; 4],
    dbx: [__m256i; 4],
    signs: u32,
}

#[target_feature(enable = "avx2")]
#[inline]
fn deltas<const V: usize>(block: &[u8]) -> Deltas {
    let (vectors, _) = block.as_chunks::<32>();
    // The same a word further on; the last word has no neighbour and takes itself.
    let (neighbours, _) = block.get(8..).unwrap_or_default().as_chunks::<32>();
    let top_bit = _mm256_set1_epi64x(i64::MIN);
    let [mut plain, mut dbx] = [[_mm256_setzero_si256(); 4]; 2];
    let mut signs = 0;
    for index in 0..V {
        let words = load(&vectors[index]);
        let next = match neighbours.get(index) {
            Some(next) => load(next),
            None => _mm256_permute4x64_epi64::<0b11_11_10_01>(words),
        };
        let delta = _mm256_sub_epi64(next, words);
        let is_negative = _mm256_cmpgt_epi64(words, next);
        let above = _mm256_or_si256(_mm256_srli_epi64::<1>(delta), _mm256_and_si256(is_negative, top_bit));
        plain[index] = delta;
        dbx[index] = _mm256_xor_si256(delta, above);
        signs |= (_mm256_movemask_pd(_mm256_castsi256_pd(is_negative)) as u32) << (4 * index);
    }
    Deltas { delta: plain, dbx, signs }
}

/// [`crate::codecs::bpc::transform::Kernel::tally`] of a block of `V` vectors.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn tally<const V: usize>(block: &[u8]) -> Tally<u64> {
    let Deltas { delta, dbx, signs } = deltas::<V>(block);
    // The last lane has no delta: it must not spoil a plane of ones.
    let mut tally = VectorTally::new(_mm256_or_si256(dbx[V - 1], _mm256_setr_epi64x(0, 0, 0, -1)));
    // The lane after the last has no delta either, so that what is next to that does not matter.
    let mut carried = dbx[V - 1];
    for index in (0..V).rev() {
        let rotated = _mm256_permute4x64_epi64::<0b00_11_10_01>(dbx[index]);
        tally.add(delta[index], dbx[index], _mm256_blend_epi32::<0b1100_0000>(rotated, carried));
        if index < V - 1 {
            tally.add_all(dbx[index]);
        }
        carried = rotated;
    }
    let joined = tally.join();
    let [one, two, three] = joined.at_least;
    Tally {
        at_least: [lowest_lane(one), lowest_lane(two), lowest_lane(three)],
        all: lowest_lane(joined.all),
        adjacent: lowest_lane(joined.adjacent),
        any_delta: lowest_lane(joined.any_delta),
        signs,
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn lowest_lane(vector: __m128i) -> u64 {
    _mm_cvtsi128_si64(vector) as u64
}

/// The DBX planes of a block of `V` vectors. Bytes of equal place are brought together, two places in one vector; the top
/// bits of its bytes are then two planes, and shifting left brings up the next.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn gather<const V: usize>(block: &[u8], planes: &mut Planes) {
    let Deltas { dbx, signs, .. } = deltas::<V>(block);
    // The bytes of two words in turn: eight pairs.
    let pair_bytes = _mm256_setr_epi8(
        0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, //
        0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15,
    );
    let [a, b, c, d] = dbx.map(|words| _mm256_shuffle_epi8(words, pair_bytes));
    // Words 0 to 7 in the low halves, 8 to 15 in the high ones.
    let rows = [
        _mm256_permute2x128_si256::<0x20>(a, c),
        _mm256_permute2x128_si256::<0x31>(a, c),
        _mm256_permute2x128_si256::<0x20>(b, d),
        _mm256_permute2x128_si256::<0x31>(b, d),
    ];
    let low = [_mm256_unpacklo_epi16(rows[0], rows[1]), _mm256_unpacklo_epi16(rows[2], rows[3])];
    let high = [_mm256_unpackhi_epi16(rows[0], rows[1]), _mm256_unpackhi_epi16(rows[2], rows[3])];
    let places = [
        _mm256_unpacklo_epi32(low[0], low[1]),
        _mm256_unpackhi_epi32(low[0], low[1]),
        _mm256_unpacklo_epi32(high[0], high[1]),
        _mm256_unpackhi_epi32(high[0], high[1]),
    ];
    for (two_places, vector) in planes.as_chunks_mut::<16>().0.iter_mut().zip(places) {
        let mut bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(vector);
        for bit in (0..8).rev() {
            let mask = _mm256_movemask_epi8(bytes) as u32;
            two_places[bit] = mask & 0xffff;
            two_places[bit + 8] = mask >> 16;
            bytes = _mm256_add_epi8(bytes, bytes);
        }
    }
    planes[WORD_BITS] = signs;
}

/// The block of `V` vectors whose base and planes these are; false if the sign plane contradicts the words.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn scatter<const V: usize>(base: u64, planes: &Planes, block: &mut [u8]) -> bool {
    // Deltas go one lane up, to the word they lead to.
    let mut gray_deltas = [0u64; WORDS + 1];
    let (low_words, high_words) = gray_deltas[1..].split_at_mut(8);
    for (words, shift) in [(low_words, 0), (high_words, 8)] {
        let mut bytes = [0u8; WORD_BITS];
        for (byte, plane) in bytes.iter_mut().zip(planes) {
            *byte = (plane >> shift) as u8;
        }
        let (halves, _) = bytes.as_chunks::<32>();
        let [mut low, mut high] = [load(&halves[0]), load(&halves[1])];
        for word in words.iter_mut().rev() {
            let low_mask = _mm256_movemask_epi8(low) as u32;
            let high_mask = _mm256_movemask_epi8(high) as u32;
            *word = u64::from(high_mask) << 32 | u64::from(low_mask);
            low = _mm256_add_epi8(low, low);
            high = _mm256_add_epi8(high, high);
        }
    }
    let signs = planes[WORD_BITS];
    let mut sum = _mm256_set1_epi64x(base as i64);
    for (index, four) in gray_deltas.as_chunks::<4>().0.iter().enumerate().take(V) {
        // SAFETY: a vector of four deltas is there; the load needs no alignment.
        let dbx = unsafe { _mm256_loadu_si256(four.as_ptr().cast()) };
        let words = _mm256_add_epi64(prefix_sum(ungray(dbx, signs << 1 >> (4 * index))), sum);
        // SAFETY: a block of `V` vectors has this one; the store needs no alignment.
        unsafe { _mm256_storeu_si256(block[32 * index..32 * index + 32].as_mut_ptr().cast(), words) };
        sum = _mm256_permute4x64_epi64::<0b11_11_11_11>(words);
    }
    deltas::<V>(block).signs == signs
}

/// Undoes the Gray code in every lane; `signs` has one bit for each.
#[target_feature(enable = "avx2")]
#[inline]
fn ungray(dbx: __m256i, signs: u32) -> __m256i {
    let mut delta = dbx;
    delta = _mm256_xor_si256(delta, _mm256_srli_epi64::<1>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi64::<2>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi64::<4>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi64::<8>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi64::<16>(delta));
    delta = _mm256_xor_si256(delta, _mm256_srli_epi64::<32>(delta));
    let lane_bits = _mm256_setr_epi64x(1, 2, 4, 8);
    let own_bit = _mm256_and_si256(_mm256_set1_epi64x(i64::from(signs)), lane_bits);
    _mm256_xor_si256(delta, _mm256_cmpeq_epi64(own_bit, lane_bits))
}

/// Every lane becomes the sum of itself and all lanes before it.
#[target_feature(enable = "avx2")]
#[inline]
fn prefix_sum(vector: __m256i) -> __m256i {
    let sum = _mm256_add_epi64(vector, _mm256_slli_si256::<8>(vector));
    // The shift stays inside 128-bit halves: the upper half still lacks the total of the lower.
    let lower_total = _mm256_permute4x64_epi64::<0b01_01_01_01>(sum);
    _mm256_add_epi64(sum, _mm256_blend_epi32::<0b1111_0000>(_mm256_setzero_si256(), lower_total))
}
