//! A block as four planes, one for each byte of its words, and which words have the same byte.

const WORDS: usize = 32;

/// Plane `b` holds byte `b` of every word, the least significant first; a short block leaves the rest zero.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct BytePlanes([[u8; WORDS]; 4]);

impl BytePlanes {
    #[inline(always)]
    pub(super) fn of<const BYTES: usize>(block: &[u8; BYTES]) -> Self {
        let mut planes = [[0; WORDS]; 4];
        let (words, _) = block.as_chunks::<4>();
        for (byte, plane) in planes.iter_mut().enumerate() {
            for (target, &word) in plane.iter_mut().zip(words) {
                // A shift of whole words, because the compiler narrows eight of them in a few instructions.
                *target = (u32::from_le_bytes(word) >> (8 * byte)) as u8;
            }
        }
        Self(planes)
    }

    /// For each byte of word `position`: the words whose byte is the same, one bit each.
    ///
    /// `WIDE` is true only in code that is compiled for, and runs on, a CPU with AVX2.
    #[inline(always)]
    pub(super) fn equal<const WIDE: bool>(&self, position: usize) -> [u32; 4] {
        self.0.each_ref().map(|plane| equal_bytes::<WIDE>(plane, plane[position]))
    }
}

#[inline(always)]
fn equal_bytes<const WIDE: bool>(plane: &[u8; WORDS], byte: u8) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: `WIDE` promises AVX2.
        return unsafe { equal_bytes_avx2(plane, byte) };
    }
    let mut equal = 0;
    for (index, &other) in plane.iter().enumerate() {
        equal |= u32::from(other == byte) << index;
    }
    equal
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn equal_bytes_avx2(plane: &[u8; WORDS], byte: u8) -> u32 {
    use std::arch::x86_64::{_mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8};
    // SAFETY: a plane is 32 bytes long, and the load needs no alignment.
    let bytes = unsafe { _mm256_loadu_si256(plane.as_ptr().cast()) };
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8))) as u32
}
