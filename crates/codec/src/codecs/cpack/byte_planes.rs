//! A block as four planes, one for each byte of its words, and which words are equal in their upper bytes.

use crate::bits::MAX_WORDS;

/// Plane `b` holds byte `b` of every word, the least significant first; a short block leaves the rest zero.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct BytePlanes([[u8; MAX_WORDS]; 4]);

impl BytePlanes {
    #[inline(always)]
    fn of<const BYTES: usize>(block: &[u8; BYTES]) -> Self {
        let mut planes = [[0; MAX_WORDS]; 4];
        let (words, _) = block.as_chunks::<4>();
        for (byte, plane) in planes.iter_mut().enumerate() {
            for (target, &word) in plane.iter_mut().zip(words) {
                // A shift of whole words, because the compiler narrows eight of them in a few instructions.
                *target = (u32::from_le_bytes(word) >> (8 * byte)) as u8;
            }
        }
        Self(planes)
    }
}

/// For each word: the words with which it shares at least two, three or four upper bytes, one bit each, the first lowest.
#[derive(Clone, Copy, Debug)]
pub(super) struct EqualWords {
    pub(super) two: [u32; MAX_WORDS],
    pub(super) three: [u32; MAX_WORDS],
    pub(super) four: [u32; MAX_WORDS],
}

impl EqualWords {
    /// No word equals another.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self { two: [0; MAX_WORDS], three: [0; MAX_WORDS], four: [0; MAX_WORDS] }
    }

    /// Compares all words of a block. Written in place, because a copy costs as much as the comparison of four words.
    ///
    /// `WIDE` is true only in code that is compiled for, and runs on, a CPU with AVX2.
    #[inline(always)]
    pub(super) fn compare<const BYTES: usize, const WIDE: bool>(&mut self, block: &[u8; BYTES]) {
        let planes = BytePlanes::of(block);
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: `WIDE` promises AVX2.
            return unsafe { self.fill_avx2(&planes, BYTES / 4) };
        }
        self.fill(&planes, BYTES / 4);
    }

    #[inline(always)]
    fn fill(&mut self, planes: &BytePlanes, words: usize) {
        for position in 0..words {
            let [lowest, second, third, highest] =
                planes.0.each_ref().map(|plane| equal_bytes(plane, plane[position]));
            self.two[position] = highest & third;
            self.three[position] = highest & third & second;
            self.four[position] = highest & third & second & lowest;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    fn fill_avx2(&mut self, planes: &BytePlanes, words: usize) {
        use crate::simd::avx2::load;
        use std::arch::x86_64::{
            __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_set1_epi8,
        };
        let [lowest, second, third, highest] = planes.0.each_ref();
        let vectors = [load(lowest), load(second), load(third), load(highest)];
        let equal = |vector: __m256i, byte: u8| _mm256_cmpeq_epi8(vector, _mm256_set1_epi8(byte as i8));
        for position in 0..words {
            let two =
                _mm256_and_si256(equal(vectors[3], highest[position]), equal(vectors[2], third[position]));
            let three = _mm256_and_si256(two, equal(vectors[1], second[position]));
            let four = _mm256_and_si256(three, equal(vectors[0], lowest[position]));
            self.two[position] = _mm256_movemask_epi8(two) as u32;
            self.three[position] = _mm256_movemask_epi8(three) as u32;
            self.four[position] = _mm256_movemask_epi8(four) as u32;
        }
    }
}

/// The bytes of a plane that equal `byte`.
#[inline(always)]
fn equal_bytes(plane: &[u8; MAX_WORDS], byte: u8) -> u32 {
    let mut equal = 0;
    for (index, &other) in plane.iter().enumerate() {
        equal |= u32::from(other == byte) << index;
    }
    equal
}
