//! The codes of 64 planes, 16 in each vector: chosen by comparisons, looked up by shuffles and joined by shifts, without a branch.
//!
//! In each lane is the number of a plane's symbol; a run of zero planes has its code in its top plane, and its other planes have none.

#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

use crate::codecs::bpc::code_map::EncodeTable;
use crate::codecs::bpc::symbol::{PlaneSymbol, ZERO_RUNS};
use crate::codecs::bpc::transform::PlaneCodes;

/// The row of all runs of two or more zero planes.
const RUN: i16 = ZERO_RUNS as i16 + 1;

/// The row of planes whose run started above them: no code.
const NO_SYMBOL: i16 = RUN + 1;

/// A look-up gives zero where the highest bit of an index is set: in the upper byte of each lane.
const ONLY_LOW_BYTE: i16 = i16::MIN;

/// Puts the codes of `planes` below the sign plane into `codes`. Bit `b` of the three sets says whether plane `b` is not zero, whether
/// the delta plane is not, and whether a run of zero planes starts there.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn of_planes(
    planes: [__m256i; 4],
    [any_dbx, any_delta, starts]: [u64; 3],
    table: &EncodeTable,
    full_plane: u32,
    codes: &mut PlaneCodes,
) {
    let rows = Rows::new(table, full_plane);
    let starts = _mm256_set1_epi64x(starts as i64);
    let deltas = _mm256_set1_epi64x(any_delta as i64);
    let run_ends = run_ends(!any_dbx);
    for vector in 0..4 {
        let has_bit = |set| {
            let bit =
                _mm256_and_si256(_mm256_shuffle_epi8(set, SET_BYTES[vector].vector()), LANE_BITS.vector());
            _mm256_cmpeq_epi16(bit, LANE_BITS.vector())
        };
        let run_minus_2 = _mm256_sub_epi16(PLANES_MINUS_1[vector].vector(), run_ends[vector]);
        let (code, bits) = rows.codes(planes[vector], has_bit(deltas), has_bit(starts), run_minus_2);
        let (group, bits) = join(code, bits);
        store(&mut codes.groups[4 * vector..], group);
        store(&mut codes.group_bits[4 * vector..], bits);
    }
}

/// The rows of the code map that are the same for all lanes.
struct Rows {
    codes: __m256i,
    payload_masks: __m256i,
    total_bits: __m256i,
    raw_code: __m256i,
    full_plane: __m256i,
}

impl Rows {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(table: &EncodeTable, full_plane: u32) -> Self {
        Self {
            codes: twice(&table.bytes.codes),
            payload_masks: twice(&table.bytes.payload_masks),
            total_bits: twice(&table.bytes.total_bits),
            raw_code: _mm256_set1_epi16(table.row(PlaneSymbol::Raw as usize).code as i16),
            full_plane: _mm256_set1_epi16(full_plane as i16),
        }
    }

    /// The codes of 16 planes and their bits. The masks say where the delta plane is not zero and where a run of zero planes starts.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn codes(
        &self,
        planes: __m256i,
        has_delta: __m256i,
        is_run_start: __m256i,
        run_minus_2: __m256i,
    ) -> (__m256i, __m256i) {
        let zero = _mm256_setzero_si256();
        let symbol_number = |symbol: i16| _mm256_set1_epi16(symbol | ONLY_LOW_BYTE);
        let lowest_one = _mm256_and_si256(planes, _mm256_sub_epi16(zero, planes));
        let two_from_it = _mm256_add_epi16(lowest_one, _mm256_add_epi16(lowest_one, lowest_one));
        let is_zero = _mm256_cmpeq_epi16(planes, zero);
        let is_single = _mm256_cmpeq_epi16(planes, lowest_one);
        let is_two = _mm256_cmpeq_epi16(planes, two_from_it);
        let is_full = _mm256_cmpeq_epi16(planes, self.full_plane);

        // The row of a single zero plane is that before the row of longer runs.
        let is_one = _mm256_cmpgt_epi16(zero, run_minus_2);
        let of_run = _mm256_add_epi16(symbol_number(RUN), is_one);
        let of_zero = _mm256_blendv_epi8(symbol_number(NO_SYMBOL), of_run, is_run_start);

        // The row that is first in the code map is last here.
        let symbol = symbol_number(PlaneSymbol::Raw as i16);
        let symbol = _mm256_blendv_epi8(symbol, symbol_number(PlaneSymbol::SingleOne as i16), is_single);
        let symbol = _mm256_blendv_epi8(symbol, symbol_number(PlaneSymbol::TwoOnes as i16), is_two);
        let symbol = _mm256_blendv_epi8(symbol_number(PlaneSymbol::DbpZero as i16), symbol, has_delta);
        let symbol = _mm256_blendv_epi8(symbol, symbol_number(PlaneSymbol::AllOnes as i16), is_full);
        let symbol = _mm256_blendv_epi8(symbol, of_zero, is_zero);

        let payload = _mm256_blendv_epi8(positions(lowest_one), run_minus_2, is_zero);
        let payload = _mm256_and_si256(payload, _mm256_shuffle_epi8(self.payload_masks, symbol));
        let code = _mm256_or_si256(payload, _mm256_shuffle_epi8(self.codes, symbol));
        let is_raw = _mm256_cmpeq_epi16(symbol, symbol_number(PlaneSymbol::Raw as i16));
        let code = _mm256_blendv_epi8(code, _mm256_or_si256(planes, self.raw_code), is_raw);
        (code, _mm256_shuffle_epi8(self.total_bits, symbol))
    }
}

/// The place of the one bit of each lane; 0 where there is none.
#[target_feature(enable = "avx2")]
#[inline]
fn positions(single_bits: __m256i) -> __m256i {
    // In a de Bruijn sequence every four bits in a row are other ones.
    let four_bits =
        _mm256_srli_epi16::<12>(_mm256_mullo_epi16(single_bits, _mm256_set1_epi16(DE_BRUIJN as i16)));
    _mm256_shuffle_epi8(DE_BRUIJN_PLACES.vector(), four_bits)
}

const DE_BRUIJN: u16 = 0b0000_1001_1010_1111;

const DE_BRUIJN_PLACES: Lanes = {
    let mut places = [0; 32];
    let mut place = 0;
    while place < 16 {
        let four_bits = ((DE_BRUIJN << place) >> 12) as usize;
        places[four_bits] = place as u8;
        places[16 + four_bits] = place as u8;
        place += 1;
    }
    Lanes(places)
};

/// For each plane the lowest plane of the run of zero planes that it is in; the plane after it if it is not zero.
#[target_feature(enable = "avx2")]
#[inline]
fn run_ends(zero: u64) -> [__m256i; 4] {
    let set = _mm256_set1_epi64x(zero as i64);
    let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    let [low, high] = [0, 1].map(|half: usize| {
        let in_lanes = _mm256_shuffle_epi8(set, SET_BYTES_OF_BYTES[half].vector());
        let is_zero = _mm256_cmpeq_epi8(_mm256_and_si256(in_lanes, bits), bits);
        // The greatest of all lanes up to each: first in 16 lanes, then in all 32.
        let mut end = _mm256_andnot_si256(is_zero, NEXT_PLANES[half].vector());
        end = _mm256_max_epu8(end, _mm256_slli_si256::<1>(end));
        end = _mm256_max_epu8(end, _mm256_slli_si256::<2>(end));
        end = _mm256_max_epu8(end, _mm256_slli_si256::<4>(end));
        end = _mm256_max_epu8(end, _mm256_slli_si256::<8>(end));
        let lower = _mm256_permute2x128_si256::<0x08>(end, end);
        _mm256_max_epu8(end, _mm256_shuffle_epi8(lower, _mm256_set1_epi8(15)))
    });
    let last = _mm256_shuffle_epi8(_mm256_permute4x64_epi64::<0b11_10_11_10>(low), _mm256_set1_epi8(15));
    let high = _mm256_max_epu8(high, last);
    [
        _mm256_cvtepu8_epi16(_mm256_castsi256_si128(low)),
        _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(low)),
        _mm256_cvtepu8_epi16(_mm256_castsi256_si128(high)),
        _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(high)),
    ]
}

/// The codes of four neighbouring lanes, left-aligned with the highest lane's first, and their bits.
#[target_feature(enable = "avx2")]
#[inline]
fn join(codes: __m256i, bits: __m256i) -> (__m256i, __m256i) {
    let low_16 = _mm256_set1_epi32(0xffff);
    let low_bits = _mm256_and_si256(bits, low_16);
    let first = _mm256_sllv_epi32(_mm256_srli_epi32::<16>(codes), low_bits);
    let codes = _mm256_or_si256(first, _mm256_and_si256(codes, low_16));
    let bits = _mm256_add_epi32(_mm256_srli_epi32::<16>(bits), low_bits);

    let low_32 = _mm256_set1_epi64x(0xffff_ffff);
    let low_bits = _mm256_and_si256(bits, low_32);
    let first = _mm256_sllv_epi64(_mm256_srli_epi64::<32>(codes), low_bits);
    let codes = _mm256_or_si256(first, _mm256_and_si256(codes, low_32));
    let bits = _mm256_add_epi64(_mm256_srli_epi64::<32>(bits), low_bits);

    // A shift by 64 gives 0.
    (_mm256_sllv_epi64(codes, _mm256_sub_epi64(_mm256_set1_epi64x(64), bits)), bits)
}

/// The bytes of a constant vector.
#[repr(align(32))]
struct Lanes([u8; 32]);

impl Lanes {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn vector(&self) -> __m256i {
        crate::simd::avx2::load(&self.0)
    }

    /// Lanes of 16 bits: `first`, and in each the next.
    const fn of_16_bits(first: i16) -> Self {
        let mut bytes = [0; 32];
        let mut lane = 0;
        while lane < 16 {
            [bytes[2 * lane], bytes[2 * lane + 1]] = (first + lane as i16).to_le_bytes();
            lane += 1;
        }
        Self(bytes)
    }

    /// Bytes: `first`, and one more after every `count` of them.
    const fn of_bytes(first: u8, count: usize) -> Self {
        let mut bytes = [0; 32];
        let mut lane = 0;
        while lane < 32 {
            bytes[lane] = first + (lane / count) as u8;
            lane += 1;
        }
        Self(bytes)
    }
}

const PLANES_MINUS_1: [Lanes; 4] =
    [Lanes::of_16_bits(-1), Lanes::of_16_bits(15), Lanes::of_16_bits(31), Lanes::of_16_bits(47)];

/// Which byte of a set has the bit of each lane of 16 bits.
const SET_BYTES: [Lanes; 4] =
    [Lanes::of_bytes(0, 16), Lanes::of_bytes(2, 16), Lanes::of_bytes(4, 16), Lanes::of_bytes(6, 16)];

/// The bit of each lane of 16 bits in its byte of a set.
const LANE_BITS: Lanes = {
    let mut bytes = [0; 32];
    let mut lane = 0;
    while lane < 16 {
        bytes[2 * lane] = 1 << (lane % 8);
        lane += 1;
    }
    Lanes(bytes)
};

/// Which byte of a set has the bit of each byte.
const SET_BYTES_OF_BYTES: [Lanes; 2] = [Lanes::of_bytes(0, 8), Lanes::of_bytes(4, 8)];

/// The plane after that of each byte.
const NEXT_PLANES: [Lanes; 2] = [Lanes::of_bytes(1, 1), Lanes::of_bytes(33, 1)];

#[target_feature(enable = "avx2")]
#[inline]
fn twice(table: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are there; the load needs no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(target: &mut [u64], lanes: __m256i) {
    let (fours, _) = target.as_chunks_mut::<4>();
    // SAFETY: the first four words are there; the store needs no alignment.
    unsafe { _mm256_storeu_si256(fours[0].as_mut_ptr().cast(), lanes) };
}
