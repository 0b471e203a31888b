//! Counting the ones of all planes at once, without gathering the planes.

#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

use super::{Deltas, deltas, next_lanes};
use crate::codecs::bpc::transform::Tally;

/// What is known of every plane over some of the lanes. Joining the two halves of a vector again and again leaves one
/// lane that speaks for all.
#[derive(Clone, Copy)]
struct LaneTally {
    at_least: [__m128i; 3],
    all: __m128i,
    adjacent: __m128i,
    any_delta: __m128i,
}

impl LaneTally {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn join(a: Self, b: Self) -> Self {
        let [a1, a2, a3] = a.at_least;
        let [b1, b2, b3] = b.at_least;
        let two = _mm_or_si128(_mm_or_si128(a2, b2), _mm_and_si128(a1, b1));
        let two_and_one = _mm_or_si128(_mm_and_si128(a1, b2), _mm_and_si128(a2, b1));
        let three = _mm_or_si128(_mm_or_si128(a3, b3), two_and_one);
        Self {
            at_least: [_mm_or_si128(a1, b1), two, three],
            all: _mm_and_si128(a.all, b.all),
            adjacent: _mm_or_si128(a.adjacent, b.adjacent),
            any_delta: _mm_or_si128(a.any_delta, b.any_delta),
        }
    }

    /// The same with the lanes in another order.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn shuffle<const ORDER: i32>(self) -> Self {
        let [one, two, three] = self.at_least;
        Self {
            at_least: [
                _mm_shuffle_epi32::<ORDER>(one),
                _mm_shuffle_epi32::<ORDER>(two),
                _mm_shuffle_epi32::<ORDER>(three),
            ],
            all: _mm_shuffle_epi32::<ORDER>(self.all),
            adjacent: _mm_shuffle_epi32::<ORDER>(self.adjacent),
            any_delta: _mm_shuffle_epi32::<ORDER>(self.any_delta),
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn low_half(vector: __m256i) -> __m128i {
    _mm256_castsi256_si128(vector)
}

#[target_feature(enable = "avx2")]
#[inline]
fn high_half(vector: __m256i) -> __m128i {
    _mm256_extracti128_si256::<1>(vector)
}

#[target_feature(enable = "avx2")]
#[inline]
fn lowest_lane(vector: __m128i) -> u32 {
    _mm_cvtsi128_si32(vector) as u32
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn tally<const V: usize>(block: &[u8]) -> Tally<u32> {
    let Deltas { delta, dbx, signs } = deltas::<V>(block);
    let next = next_lanes(dbx);
    let zero = _mm256_setzero_si256();
    let [mut one, mut two, mut three, mut adjacent, mut any_delta] = [zero; 5];
    // The last lane has no delta: it must not spoil a plane of ones.
    let mut all = _mm256_or_si256(dbx[V - 1], _mm256_setr_epi32(0, 0, 0, 0, 0, 0, 0, -1));
    for index in 0..V {
        let ones = dbx[index];
        three = _mm256_or_si256(three, _mm256_and_si256(two, ones));
        two = _mm256_or_si256(two, _mm256_and_si256(one, ones));
        one = _mm256_or_si256(one, ones);
        adjacent = _mm256_or_si256(adjacent, _mm256_and_si256(next[index], ones));
        any_delta = _mm256_or_si256(any_delta, delta[index]);
        if index < V - 1 {
            all = _mm256_and_si256(all, ones);
        }
    }
    let lower = LaneTally {
        at_least: [low_half(one), low_half(two), low_half(three)],
        all: low_half(all),
        adjacent: low_half(adjacent),
        any_delta: low_half(any_delta),
    };
    let upper = LaneTally {
        at_least: [high_half(one), high_half(two), high_half(three)],
        all: high_half(all),
        adjacent: high_half(adjacent),
        any_delta: high_half(any_delta),
    };
    let four = LaneTally::join(lower, upper);
    let two = LaneTally::join(four, four.shuffle::<0b01_00_11_10>());
    let one = LaneTally::join(two, two.shuffle::<0b10_11_00_01>());
    let [at_least_1, at_least_2, at_least_3] = one.at_least;
    Tally {
        at_least: [lowest_lane(at_least_1), lowest_lane(at_least_2), lowest_lane(at_least_3)],
        all: lowest_lane(one.all),
        adjacent: lowest_lane(one.adjacent),
        any_delta: lowest_lane(one.any_delta),
        signs,
    }
}
