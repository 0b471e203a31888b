//! Transposing 32 rows of 32 bits with byte shuffles and mask moves.

#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

/// Transposes 32 rows of 32 bits. Bytes of equal place are brought together, one vector for each place; the top bits of
/// its 32 bytes are then one column, and shifting left brings up the next.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn transpose_rows(rows: [__m256i; 4], columns: &mut [u32]) {
    let by_place = _mm256_setr_epi8(
        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, //
        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
    );
    let join_halves = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let mut grouped = rows;
    for row in &mut grouped {
        *row = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(*row, by_place), join_halves);
    }
    let [a, b, c, d] = grouped;
    // Each vector now has four groups of eight bytes, one for each place; the same group of all four is wanted.
    let ab = [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)];
    let cd = [_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d)];
    let places = [
        _mm256_permute2x128_si256::<0x20>(ab[0], cd[0]),
        _mm256_permute2x128_si256::<0x20>(ab[1], cd[1]),
        _mm256_permute2x128_si256::<0x31>(ab[0], cd[0]),
        _mm256_permute2x128_si256::<0x31>(ab[1], cd[1]),
    ];
    for (columns, mut place) in columns.chunks_exact_mut(8).zip(places) {
        for column in columns.iter_mut().rev() {
            *column = _mm256_movemask_epi8(place) as u32;
            place = _mm256_add_epi8(place, place);
        }
    }
}
