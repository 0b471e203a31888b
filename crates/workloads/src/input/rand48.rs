//! The numbers that `lrand48()` of the C library gives: some original programs call it.
//!
//! A linear congruential generator of 48 bits as POSIX defines it: x becomes 25,214,903,917 · x + 11, and its upper 31 bits are the
//! number.

/// Largest number that `lrand48()` gives.
pub const RAND48_MAX: i32 = i32::MAX;

const MULTIPLIER: u64 = 0x5_deec_e66d;
const INCREMENT: u64 = 0xb;
/// The lower 16 bits of the state after `srand48`.
const SEED_LOW: u64 = 0x330e;
const STATE_BITS: u32 = 48;
const NUMBER_BITS: u32 = 31;

/// The state of `lrand48()` after `srand48(seed)`.
#[derive(Clone, Debug)]
pub struct Rand48(u64);

impl Rand48 {
    /// `srand48(seed)`.
    pub fn new(seed: u32) -> Self {
        Self(u64::from(seed) << 16 | SEED_LOW)
    }

    /// The next number, 0 to [`RAND48_MAX`].
    pub fn lrand48(&mut self) -> i32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & ((1 << STATE_BITS) - 1);
        (self.0 >> (STATE_BITS - NUMBER_BITS)) as i32
    }

    /// The next number below `end`, as programs take it: the rest of a division.
    pub fn below(&mut self, end: usize) -> usize {
        self.lrand48() as usize % end
    }

    /// The next number divided by the largest one, in single precision.
    pub fn unit(&mut self) -> f32 {
        self.lrand48() as f32 / RAND48_MAX as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_c_library() {
        let mut one = Rand48::new(1);
        let numbers: Vec<i32> = (0..4).map(|_| one.lrand48()).collect();
        assert_eq!(numbers, [89_400_484, 976_015_093, 1_792_756_325, 721_524_505]);
    }
}
