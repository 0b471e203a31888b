//! The same with AVX2, and a way to follow the dictionary where that is needed.

#[cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "intrinsics carry their origin in their names")
)]
use std::arch::x86_64::*;

use super::super::dictionary::ENTRIES;
use super::{Counts, small_word_bits};
use crate::bits::MAX_WORDS;
use crate::simd::avx2::{bytes_by_place, load, top_bits};

const WINDOW: usize = ENTRIES as usize;

/// Word bytes of equal place, after as many zeros: words that many positions earlier are read from there. A row is one line
/// of the host's cache, so that no read crosses two of them.
#[repr(align(64))]
struct Planes([[u8; 2 * MAX_WORDS]; 4]);

/// Ones where a word is, as in [`Planes`].
#[repr(align(64))]
struct IsWord([u8; 2 * MAX_WORDS]);

static IS_WORD: IsWord = {
    let (mut is_word, mut index) = ([0; 2 * MAX_WORDS], MAX_WORDS);
    while index < 2 * MAX_WORDS {
        is_word[index] = 0xff;
        index += 1;
    }
    IsWord(is_word)
};

/// By mask: the lanes of a vector that it names, in order, close together.
const KEPT_LANES: [[u8; 8]; 256] = {
    let (mut table, mut mask) = ([[0; 8]; 256], 0);
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// The bits of a block; `PUSHES_PARTIAL` if partial matches enter the dictionary.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub(in super::super) fn size_bits<const BYTES: usize, const PUSHES_PARTIAL: bool>(
    block: &[u8; BYTES],
) -> u32 {
    let (rows, count, small_bits) = without_small_words(block);
    let (own, planes) = byte_planes(rows);
    let mut matches = Matches::none();
    for distance in 1..count.min(WINDOW + 1) {
        matches.add(own, &planes, distance);
    }
    if !PUSHES_PARTIAL {
        let counts = matches.counts(count);
        if counts.two == 0 {
            return small_bits + counts.bits(count);
        }
        let counts = of_classes(own, &planes, count).unwrap_or_else(|| follow::<false>(own, &planes, count));
        return small_bits + counts.bits(count);
    }
    if count > WINDOW && matches.counts(count).four > 0 {
        for distance in WINDOW + 1..count {
            matches.add(own, &planes, distance);
        }
        if count as u32 - matches.counts(count).four > ENTRIES {
            return small_bits + follow::<true>(own, &planes, count).bits(count);
        }
    }
    small_bits + matches.counts(count).bits(count)
}

/// The words above 0xff in order, how many they are, and the bits of the others.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn without_small_words<const BYTES: usize>(block: &[u8; BYTES]) -> ([__m256i; 4], usize, u32) {
    let mut rows = [_mm256_setzero_si256(); 4];
    for (row, bytes) in rows.iter_mut().zip(block.as_chunks::<32>().0) {
        *row = load(bytes);
    }
    let (limit, zero) = (_mm256_set1_epi32(0xff), _mm256_setzero_si256());
    let (mut small, mut zeros) = (0u32, 0u32);
    for (index, &row) in rows.iter().enumerate().take(BYTES / 32) {
        small |= top_bits(_mm256_cmpeq_epi32(_mm256_max_epu32(row, limit), limit)) << (8 * index);
        zeros |= top_bits(_mm256_cmpeq_epi32(row, zero)) << (8 * index);
    }
    let count = BYTES / 4 - small.count_ones() as usize;
    if small == 0 {
        return (rows, count, 0);
    }
    // A whole vector is written every time; what is beyond the last word is never counted.
    let mut kept = [0u32; MAX_WORDS + 8];
    let mut end = 0;
    for (index, &row) in rows.iter().enumerate().take(BYTES / 32) {
        let is_kept = !(small >> (8 * index)) as u8;
        let lanes =
            _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(KEPT_LANES[usize::from(is_kept)])));
        let target = &mut kept[end % MAX_WORDS..][..8];
        // SAFETY: the target has 8 words; the store needs no alignment.
        unsafe { _mm256_storeu_si256(target.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(row, lanes)) };
        end += is_kept.count_ones() as usize;
    }
    for (row, words) in rows.iter_mut().zip(kept.as_chunks::<8>().0) {
        // SAFETY: 8 words are there; the load needs no alignment.
        *row = unsafe { _mm256_loadu_si256(words.as_ptr().cast()) };
    }
    (rows, count, small_word_bits(small.count_ones(), zeros.count_ones()))
}

/// The bytes of words by place, least significant first, in registers and in memory.
#[target_feature(enable = "avx2")]
#[inline]
fn byte_planes(rows: [__m256i; 4]) -> ([__m256i; 4], Planes) {
    let own = bytes_by_place(rows);
    let mut planes = Planes([[0; 2 * MAX_WORDS]; 4]);
    for (plane, vector) in planes.0.iter_mut().zip(own) {
        // SAFETY: 32 bytes are there; the store needs no alignment.
        unsafe { _mm256_storeu_si256(plane[MAX_WORDS..].as_mut_ptr().cast(), vector) };
    }
    (own, planes)
}

/// For each word whether some word before it has the same upper bytes.
#[derive(Clone, Copy)]
struct Matches {
    two: __m256i,
    three: __m256i,
    four: __m256i,
}

impl Matches {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn none() -> Self {
        let zero = _mm256_setzero_si256();
        Self { two: zero, three: zero, four: zero }
    }

    /// Compares every word with the one `distance` before it.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn add(&mut self, own: [__m256i; 4], planes: &Planes, distance: usize) {
        let start = MAX_WORDS - distance % MAX_WORDS;
        let earlier = |plane: &[u8; 2 * MAX_WORDS]| {
            let mut bytes = [0; MAX_WORDS];
            bytes.copy_from_slice(&plane[start..start + MAX_WORDS]);
            load(&bytes)
        };
        let equal = |byte: usize| _mm256_cmpeq_epi8(own[byte], earlier(&planes.0[byte]));
        let two = _mm256_and_si256(_mm256_and_si256(equal(3), equal(2)), earlier(&IS_WORD.0));
        let three = _mm256_and_si256(two, equal(1));
        self.two = _mm256_or_si256(self.two, two);
        self.three = _mm256_or_si256(self.three, three);
        self.four = _mm256_or_si256(self.four, _mm256_and_si256(three, equal(0)));
    }

    /// How many of the first `count` words have a match.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    fn counts(&self, count: usize) -> Counts {
        let of = |matches: __m256i| {
            let mask = u64::from(_mm256_movemask_epi8(matches) as u32);
            (mask & ((1 << count) - 1)).count_ones()
        };
        Counts { two: of(self.two), three: of(self.three), four: of(self.four) }
    }
}

/// The matches of the first `count` words if only misses enter the dictionary: those are the first words of each class that shares
/// its two upper bytes, as long as there are no more classes than entries. None if there are more.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn of_classes(own: [__m256i; 4], planes: &Planes, count: usize) -> Option<Counts> {
    let mut rest = ((1u64 << count) - 1) as u32;
    let mut counts = Counts { two: count as u32, three: count as u32, four: count as u32 };
    for _ in 0..ENTRIES {
        if rest == 0 {
            break;
        }
        let position = rest.trailing_zeros() as usize;
        let equal = |byte: usize| {
            let of_word = planes.0[byte][MAX_WORDS + position];
            _mm256_cmpeq_epi8(own[byte], _mm256_set1_epi8(of_word as i8))
        };
        let two = _mm256_and_si256(equal(3), equal(2));
        let three = _mm256_and_si256(two, equal(1));
        let four = _mm256_and_si256(three, equal(0));
        let in_class = |equal: __m256i| _mm256_movemask_epi8(equal) as u32 & rest;
        let class = in_class(two);
        // The first word is a miss, and the others match it alone.
        counts.two -= 1;
        counts.three -= 1 + (class & !in_class(three)).count_ones();
        counts.four -= 1 + (class & !in_class(four)).count_ones();
        rest &= !class;
    }
    (rest == 0).then_some(counts)
}

/// The matches of the first `count` words with what is in the dictionary when they come.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn follow<const PUSHES_PARTIAL: bool>(own: [__m256i; 4], planes: &Planes, count: usize) -> Counts {
    let mut counts = Counts { two: 0, three: 0, four: 0 };
    // The words in the dictionary, one bit each, the first lowest.
    let (mut present, mut room) = (0u32, ENTRIES);
    for position in 0..count.min(MAX_WORDS) {
        let equal = |byte: usize| {
            let of_word = planes.0[byte][MAX_WORDS + position];
            _mm256_cmpeq_epi8(own[byte], _mm256_set1_epi8(of_word as i8))
        };
        let two = _mm256_and_si256(equal(3), equal(2));
        let three = _mm256_and_si256(two, equal(1));
        let four = _mm256_and_si256(three, equal(0));
        let is_present = |equal: __m256i| u32::from(_mm256_movemask_epi8(equal) as u32 & present != 0);
        let [has_two, has_three, has_four] = [is_present(two), is_present(three), is_present(four)];
        counts.two += has_two;
        counts.three += has_three;
        counts.four += has_four;
        let is_new = 1 - if PUSHES_PARTIAL { has_four } else { has_two };
        // The oldest leaves when there is no room for a new one.
        let without_oldest = present & present.wrapping_sub(1);
        present = if room == 0 && is_new == 1 { without_oldest } else { present } | is_new << position;
        room -= room.min(is_new);
    }
    counts
}
