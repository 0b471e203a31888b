//! A block as elements of 2, 4 or 8 bytes: whether they fit one base, and their deltas in bits.

use crate::bits::{BitReader, BitWriter};
use crate::error::DecodeError;

/// Elements of the longest block of the narrowest elements; also its delta bytes.
const MAX_ELEMENTS: usize = 64;

/// An element of a block.
pub(super) trait Element: Copy + Eq + Default {
    const BYTES: usize;

    /// Element `index` of `block`.
    fn load(block: &[u8], index: usize) -> Self;
    fn store(self, block: &mut [u8], index: usize);
    fn minus(self, base: Self) -> Self;
    fn plus(self, base: Self) -> Self;
    /// Zero exactly if the value is a signed number of `delta_bytes` bytes; else something else.
    fn excess(self, delta_bytes: u32) -> Self;
    fn or(self, other: Self) -> Self;
    fn to_u64(self) -> u64;
    fn from_u64(value: u64) -> Self;
    /// The value of `delta_bytes` bytes, most significant first, extended by its sign.
    fn from_delta(delta: &[u8]) -> Self;
    /// All ones where the element's bit of the mask word is set; the first element has the highest bit.
    fn spread(mask_word: Self, lane: usize) -> Self;
    fn and(self, other: Self) -> Self;
}

macro_rules! element {
    ($type:ty, $signed:ty) => {
        impl Element for $type {
            const BYTES: usize = size_of::<Self>();

            #[inline(always)]
            fn load(block: &[u8], index: usize) -> Self {
                Self::from_le_bytes(crate::block::le_bytes(block, index))
            }

            #[inline(always)]
            fn store(self, block: &mut [u8], index: usize) {
                block[index * Self::BYTES..(index + 1) * Self::BYTES].copy_from_slice(&self.to_le_bytes());
            }

            #[inline(always)]
            fn minus(self, base: Self) -> Self {
                self.wrapping_sub(base)
            }

            #[inline(always)]
            fn plus(self, base: Self) -> Self {
                self.wrapping_add(base)
            }

            #[inline(always)]
            fn excess(self, delta_bytes: u32) -> Self {
                self.wrapping_add(1 << (8 * delta_bytes - 1)) >> (8 * delta_bytes)
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn to_u64(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn from_u64(value: u64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn from_delta(delta: &[u8]) -> Self {
                match *delta {
                    [a] => a as i8 as $signed as Self,
                    [a, b] => i16::from_be_bytes([a, b]) as $signed as Self,
                    [a, b, c, d] => i32::from_be_bytes([a, b, c, d]) as $signed as Self,
                    _ => 0,
                }
            }

            #[inline(always)]
            fn spread(mask_word: Self, lane: usize) -> Self {
                let bit = 1 << (Self::BITS as usize - 1 - lane);
                if mask_word & bit == 0 { 0 } else { Self::MAX }
            }
        }
    };
}

element!(u16, i16);
element!(u32, i32);
element!(u64, i64);

/// The first element that is not an immediate, or 0.
#[inline(always)]
fn base<E: Element, const BYTES: usize, const DELTA: usize>(block: &[u8; BYTES]) -> E {
    (0..BYTES / E::BYTES)
        .map(|index| E::load(block, index))
        .find(|element| element.excess(DELTA as u32) != E::default())
        .unwrap_or_default()
}

/// Whether every element is an immediate or a difference of `DELTA` bytes from the base.
#[inline(always)]
pub(super) fn fits<E: Element, const BYTES: usize, const DELTA: usize>(block: &[u8; BYTES]) -> bool {
    let base: E = base::<E, BYTES, DELTA>(block);
    let mut excess = E::default();
    for index in 0..BYTES / E::BYTES {
        let element = E::load(block, index);
        let is_immediate = element.excess(DELTA as u32) == E::default();
        let from_base = element.minus(base).excess(DELTA as u32);
        excess = excess.or(if is_immediate { E::default() } else { from_base });
    }
    excess == E::default()
}

/// Writes base, mask and deltas of a block that [`fits`].
#[inline(always)]
pub(super) fn put<E: Element, const BYTES: usize, const DELTA: usize>(
    block: &[u8; BYTES],
    out: &mut BitWriter,
) {
    let elements = BYTES / E::BYTES;
    let base: E = base::<E, BYTES, DELTA>(block);
    let mut is_from_base = [0u8; MAX_ELEMENTS];
    let mut deltas = [0u8; MAX_ELEMENTS];
    for index in 0..elements {
        let element = E::load(block, index);
        let is_immediate = element.excess(DELTA as u32) == E::default();
        let delta = if is_immediate { element } else { element.minus(base) };
        is_from_base[index] = u8::from(!is_immediate);
        for byte in 0..DELTA {
            deltas[index * DELTA + byte] = (delta.to_u64() >> (8 * (DELTA - 1 - byte))) as u8;
        }
    }
    out.put(base.to_u64(), E::BYTES as u32 * 8);
    if elements < 8 {
        let mask = is_from_base[..elements].iter().fold(0, |mask, &bit| mask << 1 | u64::from(bit));
        out.put(mask, elements as u32);
    } else {
        for &eight in is_from_base[..elements].as_chunks::<8>().0 {
            out.put(gather_bits(eight), 8);
        }
    }
    out.put_bytes(&deltas[..elements * DELTA]);
}

/// Eight flags as eight bits, the first one highest. One multiplication moves flag `i` to bit `63 - i`.
#[inline(always)]
fn gather_bits(flags: [u8; 8]) -> u64 {
    u64::from_le_bytes(flags).wrapping_mul(0x8040_2010_0804_0201) >> 56
}

/// Reads base, mask and deltas.
#[inline(always)]
pub(super) fn take<E: Element, const BYTES: usize, const DELTA: usize>(
    bits: &mut BitReader<'_>,
    block: &mut [u8; BYTES],
) -> Result<(), DecodeError> {
    let elements = BYTES / E::BYTES;
    let base = E::from_u64(bits.take(E::BYTES as u32 * 8)?);
    let mask = bits.take(elements as u32)? << (64 - elements);
    let mut deltas = [0u8; MAX_ELEMENTS];
    bits.take_bytes(&mut deltas[..elements * DELTA])?;
    let lanes = E::BYTES * 8;
    for first in (0..elements).step_by(lanes) {
        // As many elements as a mask word of their own width has bits, so that every lane tests its own bit.
        let mask_word = E::from_u64(mask << first >> (64 - lanes));
        for lane in 0..lanes.min(elements - first) {
            let index = first + lane;
            let delta = E::from_delta(&deltas[index * DELTA..(index + 1) * DELTA]);
            delta.plus(E::spread(mask_word, lane).and(base)).store(block, index);
        }
    }
    Ok(())
}
