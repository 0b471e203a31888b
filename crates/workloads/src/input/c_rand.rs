//! The numbers that `rand()` of the GNU C library gives: the generators of many original programs call it.
//!
//! An additive feedback generator over 31 words (TYPE_3): each number is the sum of those 3 and 31 before it, without its
//! lowest bit; the first 31 come from a multiplicative generator, and the first 310 are thrown away.

/// Largest number that `rand()` gives.
pub const RAND_MAX: i32 = i32::MAX;

const WORDS: usize = 31;
const SEPARATION: usize = 3;
const DISCARDED: usize = 310;

/// The state of `rand()` after `srand(seed)`.
#[derive(Clone, Debug)]
pub struct CRand {
    words: [u32; WORDS],
    next: usize,
}

impl CRand {
    /// `srand(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut words = [0u32; WORDS];
        let mut word = seed.max(1) as i32;
        for place in &mut words {
            *place = word as u32;
            // Schrage's form of 16,807 · word mod 2³¹ − 1.
            word = 16_807 * (word % 127_773) - 2_836 * (word / 127_773);
            if word < 0 {
                word += i32::MAX;
            }
        }
        let mut made = Self { words, next: SEPARATION };
        for _ in 0..DISCARDED {
            made.rand();
        }
        made
    }

    /// The next number, 0 to [`RAND_MAX`].
    pub fn rand(&mut self) -> i32 {
        let before = self.words[(self.next + WORDS - SEPARATION) % WORDS];
        let sum = self.words[self.next].wrapping_add(before);
        self.words[self.next] = sum;
        self.next = (self.next + 1) % WORDS;
        (sum >> 1) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_c_library() {
        let mut one = CRand::new(1);
        let numbers: Vec<i32> = (0..4).map(|_| one.rand()).collect();
        assert_eq!(numbers, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915]);
    }
}
