//! The two symbol widths of BPC: 32-bit words (`bpc`) and 64-bit words (`bpc64`).

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shr};

use crate::block::{set_word32, set_word64, word32, word64};

/// A word of a block, or one bit for each of its bit positions.
pub trait Word:
    Copy
    + Debug
    + Eq
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// A plane: a bit for each word of the longest block, but for the first.
    type Plane: Copy + Debug + Default + Eq + Into<u32> + 'static;

    /// The width of a word.
    const BITS: u32;
    /// The planes of a block: the deltas are one bit wider than the words.
    const PLANES: usize = Self::BITS as usize + 1;
    /// No bit set.
    const ZERO: Self;
    /// The most significant bit alone.
    const TOP_BIT: Self;

    /// Word `index` of a block.
    fn load(block: &[u8], index: usize) -> Self;
    /// Stores word `index` of a block.
    fn store(self, block: &mut [u8], index: usize);
    /// Sum modulo 2^BITS.
    fn plus(self, other: Self) -> Self;
    /// Difference modulo 2^BITS.
    fn minus(self, other: Self) -> Self;
    /// Comparison as signed integers.
    fn is_less(self, other: Self) -> bool;
    /// The bits a two's-complement number needs for this value, at least 1.
    fn signed_bits(self) -> u32;
    /// Zero-extended to 64 bits.
    fn to_u64(self) -> u64;
    /// The low bits of `value`.
    fn from_u64(value: u64) -> Self;
    /// The low bits of `value` as a plane.
    fn plane(value: u64) -> Self::Plane;
}

macro_rules! impl_word {
    ($word:ty, $signed:ty, $plane:ty, $load:ident, $store:ident) => {
        impl Word for $word {
            type Plane = $plane;

            const BITS: u32 = <$word>::BITS;
            const ZERO: Self = 0;
            const TOP_BIT: Self = 1 << (<$word>::BITS - 1);

            #[inline(always)]
            fn load(block: &[u8], index: usize) -> Self {
                $load(block, index)
            }

            #[inline(always)]
            fn store(self, block: &mut [u8], index: usize) {
                $store(block, index, self);
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn is_less(self, other: Self) -> bool {
                (self as $signed) < other as $signed
            }

            #[inline(always)]
            fn signed_bits(self) -> u32 {
                let magnitude = self ^ (self as $signed >> (<$word>::BITS - 1)) as Self;
                <$word>::BITS + 1 - magnitude.leading_zeros()
            }

            #[inline(always)]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn from_u64(value: u64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn plane(value: u64) -> $plane {
                value as $plane
            }
        }
    };
}

impl_word!(u32, i32, u32, word32, set_word32);
impl_word!(u64, i64, u16, word64, set_word64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_bits_change_at_the_class_boundaries() {
        let expected =
            [(0, 1), (-1, 1), (7, 4), (8, 5), (-8, 4), (-9, 5), (127, 8), (128, 9), (-128, 8), (-129, 9)];
        for (value, bits) in expected {
            assert_eq!((value as u32).signed_bits(), bits, "{value}");
            assert_eq!((i64::from(value) as u64).signed_bits(), bits, "{value}");
        }
        assert_eq!(0x8000_0000_u32.signed_bits(), 32);
    }
}
