//! Vectors of 32 bytes, as several codecs load, rearrange and test them.

#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are there; the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// One bit for each lane of 32 bits whose top bit is set.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn top_bits(vector: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(vector)) as u32
}

/// The bytes of 32 words by their place in the word, least significant first: one vector for each place.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn bytes_by_place(words: [__m256i; 4]) -> [__m256i; 4] {
    let by_place = _mm256_setr_epi8(
        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, //
        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
    );
    let join_halves = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let mut grouped = words;
    for row in &mut grouped {
        *row = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(*row, by_place), join_halves);
    }
    let [a, b, c, d] = grouped;
    // Each vector now has four groups of eight bytes, one for each place; the same group of all four is wanted.
    let ab = [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)];
    let cd = [_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d)];
    [
        _mm256_permute2x128_si256::<0x20>(ab[0], cd[0]),
        _mm256_permute2x128_si256::<0x20>(ab[1], cd[1]),
        _mm256_permute2x128_si256::<0x31>(ab[0], cd[0]),
        _mm256_permute2x128_si256::<0x31>(ab[1], cd[1]),
    ]
}
