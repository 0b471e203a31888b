//! Transposing 32 rows of 32 bits with byte shuffles and mask moves.

use std::arch::x86_64::{__m256i, _mm256_add_epi8, _mm256_movemask_epi8};

use crate::simd::avx2::bytes_by_place;

/// Transposes 32 rows of 32 bits. Bytes of equal place are brought together, one vector for each place; the top bits of
/// its 32 bytes are then one column, and shifting left brings up the next.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn transpose_rows(rows: [__m256i; 4], columns: &mut [u32]) {
    for (columns, mut place) in columns.chunks_exact_mut(8).zip(bytes_by_place(rows)) {
        for column in columns.iter_mut().rev() {
            *column = _mm256_movemask_epi8(place) as u32;
            place = _mm256_add_epi8(place, place);
        }
    }
}
