//! The transform for 64-bit words: 64 planes of at most 16 bits, which are gathered and scattered by transposing matrices of eight by eight bits.

#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

mod codes;

use super::tally::VectorTally;
use crate::codecs::bpc::code_map::EncodeTable;
use crate::codecs::bpc::symbol::{run_starts, sign_symbol};
use crate::codecs::bpc::transform::{PlaneCodes, Planes, Tally};
use crate::simd::avx2::load;

const WORD_BITS: usize = 64;

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

/// The DBX planes below the sign plane, 16 in each vector, in ascending order.
///
/// The eight bytes of equal place of eight words are brought together in 64 bits; transposed, their bytes are halves of eight planes.
#[target_feature(enable = "avx2")]
#[inline]
fn planes_of_words(dbx: [__m256i; 4]) -> [__m256i; 4] {
    let [a, b, c, d] = dbx.map(|words| interleave_halves(words));
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
    places.map(|two| interleave_halves(transpose_bits(exchange_middle(two))))
}

/// The mirror of [`planes_of_words`].
#[target_feature(enable = "avx2")]
#[inline]
fn words_of_planes(planes: [__m256i; 4]) -> [__m256i; 4] {
    let [a, b, c, d] =
        planes.map(|planes| interleave_halves(exchange_middle(transpose_bits(part_halves(planes)))));
    let low = [_mm256_unpacklo_epi16(a, b), _mm256_unpacklo_epi16(c, d)];
    let high = [_mm256_unpackhi_epi16(a, b), _mm256_unpackhi_epi16(c, d)];
    let rows = [
        _mm256_unpacklo_epi32(low[0], low[1]),
        _mm256_unpackhi_epi32(low[0], low[1]),
        _mm256_unpacklo_epi32(high[0], high[1]),
        _mm256_unpackhi_epi32(high[0], high[1]),
    ];
    [
        _mm256_permute2x128_si256::<0x20>(rows[0], rows[1]),
        _mm256_permute2x128_si256::<0x20>(rows[2], rows[3]),
        _mm256_permute2x128_si256::<0x31>(rows[0], rows[1]),
        _mm256_permute2x128_si256::<0x31>(rows[2], rows[3]),
    ]
}

/// Within 128 bits, the bytes of the lower and of the upper half in turn.
#[target_feature(enable = "avx2")]
#[inline]
fn interleave_halves(vector: __m256i) -> __m256i {
    let in_turn = _mm256_setr_epi8(
        0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, //
        0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15,
    );
    _mm256_shuffle_epi8(vector, in_turn)
}

/// The mirror of [`interleave_halves`].
#[target_feature(enable = "avx2")]
#[inline]
fn part_halves(vector: __m256i) -> __m256i {
    let every_second = _mm256_setr_epi8(
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, //
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,
    );
    _mm256_shuffle_epi8(vector, every_second)
}

/// Exchanges the second and the third of the four lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn exchange_middle(vector: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(vector)
}

/// In every lane of eight bytes, bit `i` of byte `j` changes places with bit `j` of byte `i`.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose_bits(matrices: __m256i) -> __m256i {
    let matrices = exchange_bits::<7>(matrices, 0x00aa_00aa_00aa_00aa);
    let matrices = exchange_bits::<14>(matrices, 0x0000_cccc_0000_cccc);
    exchange_bits::<28>(matrices, 0x0000_0000_f0f0_f0f0)
}

/// Exchanges the bits of `lower` in every lane with those `DISTANCE` places higher.
#[target_feature(enable = "avx2")]
#[inline]
fn exchange_bits<const DISTANCE: i32>(lanes: __m256i, lower: i64) -> __m256i {
    let differ = _mm256_xor_si256(lanes, _mm256_srli_epi64::<DISTANCE>(lanes));
    let differ = _mm256_and_si256(differ, _mm256_set1_epi64x(lower));
    _mm256_xor_si256(lanes, _mm256_xor_si256(differ, _mm256_slli_epi64::<DISTANCE>(differ)))
}

/// The DBX planes of a block of `V` vectors.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn gather<const V: usize>(block: &[u8], planes: &mut Planes<u64>) {
    let Deltas { dbx, signs, .. } = deltas::<V>(block);
    for (sixteen, vector) in planes.as_chunks_mut::<16>().0.iter_mut().zip(planes_of_words(dbx)) {
        // SAFETY: a vector of sixteen planes is there; the store needs no alignment.
        unsafe { _mm256_storeu_si256(sixteen.as_mut_ptr().cast(), vector) };
    }
    planes[WORD_BITS] = signs as u16;
}

/// [`crate::codecs::bpc::transform::Kernel::make_codes`] of a block of `V` vectors.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn make_codes<const V: usize>(
    block: &[u8],
    table: &EncodeTable,
    full_plane: u32,
    codes: &mut PlaneCodes,
) {
    let Deltas { delta, dbx, signs } = deltas::<V>(block);
    let any_dbx = any_of(dbx);
    codes.sign_plane = (signs, sign_symbol(signs, full_plane, !any_dbx));
    let starts = run_starts(!any_dbx, signs == 0);
    codes::of_planes(planes_of_words(dbx), [any_dbx, any_of(delta), starts], table, full_plane, codes);
}

/// All lanes, or-ed.
#[target_feature(enable = "avx2")]
#[inline]
fn any_of([a, b, c, d]: [__m256i; 4]) -> u64 {
    let four = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
    let two = _mm_or_si128(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
    lowest_lane(_mm_or_si128(two, _mm_unpackhi_epi64(two, two)))
}

/// The block of `V` vectors whose base and planes these are; false if the sign plane contradicts the words.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn scatter<const V: usize>(base: u64, planes: &Planes<u64>, block: &mut [u8]) -> bool {
    let mut sixteen_each = [_mm256_setzero_si256(); 4];
    for (vector, sixteen) in sixteen_each.iter_mut().zip(planes.as_chunks::<16>().0) {
        // SAFETY: a vector of sixteen planes is there; the load needs no alignment.
        let planes = unsafe { _mm256_loadu_si256(sixteen.as_ptr().cast()) };
        // Deltas go one lane up, to the word they lead to.
        *vector = _mm256_slli_epi16::<1>(planes);
    }
    let signs = u32::from(planes[WORD_BITS]);
    let mut sum = _mm256_set1_epi64x(base as i64);
    let mut words = words_of_planes(sixteen_each);
    for (index, words) in words.iter_mut().enumerate().take(V) {
        *words = _mm256_add_epi64(prefix_sum(ungray(*words, signs << 1 >> (4 * index))), sum);
        // SAFETY: a block of `V` vectors has this one; the store needs no alignment.
        unsafe { _mm256_storeu_si256(block[32 * index..32 * index + 32].as_mut_ptr().cast(), *words) };
        sum = _mm256_permute4x64_epi64::<0b11_11_11_11>(*words);
    }
    // The words are compared where they are: loading them again would wait for the stores.
    let mut falls = 0;
    let mut next = words[V - 1];
    for index in (0..V).rev() {
        let rotated = _mm256_permute4x64_epi64::<0b00_11_10_01>(words[index]);
        let neighbours = _mm256_blend_epi32::<0b1100_0000>(rotated, next);
        let is_less = _mm256_cmpgt_epi64(words[index], neighbours);
        falls |= (_mm256_movemask_pd(_mm256_castsi256_pd(is_less)) as u32) << (4 * index);
        next = rotated;
    }
    falls == signs
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
