//! Counting the ones of all planes at once, without gathering the planes.

#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

use super::{Deltas, deltas, next_lanes};
use crate::codecs::bpc::transform::Tally;

/// What is known of every plane over some of the lanes of 32 or 64 bits. Joining the two halves of a vector again and again leaves one
/// lane that speaks for all.
#[derive(Clone, Copy)]
pub(super) struct LaneTally {
    pub(super) at_least: [__m128i; 3],
    pub(super) all: __m128i,
    pub(super) adjacent: __m128i,
    pub(super) any_delta: __m128i,
}

/// The same over the lanes of one vector.
#[derive(Clone, Copy)]
pub(super) struct VectorTally {
    at_least: [__m256i; 3],
    all: __m256i,
    adjacent: __m256i,
    any_delta: __m256i,
}

impl VectorTally {
    /// Of no lanes but for `all`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn new(all: __m256i) -> Self {
        let zero = _mm256_setzero_si256();
        Self { at_least: [zero; 3], all, adjacent: zero, any_delta: zero }
    }

    /// Adds lanes, without what they say of `all`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn add(&mut self, delta: __m256i, dbx: __m256i, next_dbx: __m256i) {
        let [one, two, three] = self.at_least;
        self.at_least = [
            _mm256_or_si256(one, dbx),
            _mm256_or_si256(two, _mm256_and_si256(one, dbx)),
            _mm256_or_si256(three, _mm256_and_si256(two, dbx)),
        ];
        self.adjacent = _mm256_or_si256(self.adjacent, _mm256_and_si256(next_dbx, dbx));
        self.any_delta = _mm256_or_si256(self.any_delta, delta);
    }

    /// Adds what lanes say of `all`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn add_all(&mut self, dbx: __m256i) {
        self.all = _mm256_and_si256(self.all, dbx);
    }

    /// Lanes of 64 bits: those of both halves joined, and the two that are left.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn join(self) -> LaneTally {
        let [one, two, three] = self.at_least;
        let lower = LaneTally {
            at_least: [low_half(one), low_half(two), low_half(three)],
            all: low_half(self.all),
            adjacent: low_half(self.adjacent),
            any_delta: low_half(self.any_delta),
        };
        let upper = LaneTally {
            at_least: [high_half(one), high_half(two), high_half(three)],
            all: high_half(self.all),
            adjacent: high_half(self.adjacent),
            any_delta: high_half(self.any_delta),
        };
        let two = LaneTally::join(lower, upper);
        LaneTally::join(two, two.shuffle::<0b01_00_11_10>())
    }
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
    // The last lane has no delta: it must not spoil a plane of ones.
    let last = _mm256_or_si256(dbx[V - 1], _mm256_setr_epi32(0, 0, 0, 0, 0, 0, 0, -1));
    let mut tally = VectorTally::new(last);
    for index in 0..V {
        tally.add(delta[index], dbx[index], next[index]);
        if index < V - 1 {
            tally.add_all(dbx[index]);
        }
    }
    let two = tally.join();
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
