//! The nibbles of a block, position by position, and back.
//!
//! Both ways go through byte planes: all first bytes of the elements, all second bytes, and so on. A byte plane is two
//! nibble positions.

use crate::block::word64;

use super::{EVERY_NIBBLE, SEGMENT_BYTES};

/// A segment has this many nibbles.
const SEGMENT_NIBBLES: usize = 2 * SEGMENT_BYTES;

/// All nibbles of the same position together, two to a byte, the earlier one high.
#[inline(always)]
pub(super) fn remap<const BYTES: usize, const ELEMENT: usize>(block: &[u8; BYTES]) -> [u8; BYTES] {
    let planes = byte_planes::<BYTES, ELEMENT>(block);
    let half_plane = BYTES / ELEMENT / 2;
    let mut remapped = [0; BYTES];
    for byte in 0..ELEMENT {
        let start = 2 * byte * half_plane;
        let (pairs, _) = planes[start..start + 2 * half_plane].as_chunks();
        let (low, high) = remapped[start..start + 2 * half_plane].split_at_mut(half_plane);
        for ((low, high), &pair) in low.iter_mut().zip(high).zip(pairs) {
            // Two neighbours in one number; the first is its low byte.
            let pair = u16::from_le_bytes(pair);
            *low = (pair << 4 | pair >> 8 & 0x0f) as u8;
            *high = (pair & 0xf0 | pair >> 12) as u8;
        }
    }
    remapped
}

/// The inverse of [`remap`].
#[inline(always)]
pub(super) fn restore<const BYTES: usize, const ELEMENT: usize>(
    remapped: &[u8; BYTES],
    block: &mut [u8; BYTES],
) {
    let half_plane = BYTES / ELEMENT / 2;
    let mut planes = [0; BYTES];
    for byte in 0..ELEMENT {
        let start = 2 * byte * half_plane;
        let (low, high) = remapped[start..start + 2 * half_plane].split_at(half_plane);
        let (pairs, _) = planes[start..start + 2 * half_plane].as_chunks_mut();
        for ((&low, &high), pair) in low.iter().zip(high).zip(pairs) {
            let (low, high) = (u16::from(low), u16::from(high));
            let first = low >> 4 | high & 0xf0;
            let second = low & 0x0f | high << 4 & 0xf0;
            *pair = (first | second << 8).to_le_bytes();
        }
    }
    from_byte_planes::<BYTES, ELEMENT>(&planes, block);
}

/// The first bytes of all elements, then their second bytes, and so on.
///
/// Whole elements are shifted and narrowed, because the compiler does that to many at once.
#[inline(always)]
fn byte_planes<const BYTES: usize, const ELEMENT: usize>(block: &[u8; BYTES]) -> [u8; BYTES] {
    let mut planes = [0; BYTES];
    for (byte, plane) in planes.chunks_exact_mut(BYTES / ELEMENT).enumerate() {
        let shift = 8 * byte;
        match ELEMENT {
            2 => narrow(plane, block, |bytes| (u16::from_le_bytes(bytes) >> shift) as u8),
            4 => narrow(plane, block, |bytes| (u32::from_le_bytes(bytes) >> shift) as u8),
            _ => narrow(plane, block, |bytes| (u64::from_le_bytes(bytes) >> shift) as u8),
        }
    }
    planes
}

#[inline(always)]
fn narrow<const N: usize>(plane: &mut [u8], block: &[u8], byte: impl Fn([u8; N]) -> u8) {
    for (target, &element) in plane.iter_mut().zip(block.as_chunks().0) {
        *target = byte(element);
    }
}

/// The inverse of [`byte_planes`].
#[inline(always)]
fn from_byte_planes<const BYTES: usize, const ELEMENT: usize>(planes: &[u8; BYTES], block: &mut [u8; BYTES]) {
    let elements = BYTES / ELEMENT;
    let plane = |byte: usize, index: usize| planes[byte * elements + index];
    match ELEMENT {
        2 => widen(block, |index| {
            u16::to_le_bytes(u16::from(plane(0, index)) | u16::from(plane(1, index)) << 8)
        }),
        4 => widen(block, |index| {
            u32::to_le_bytes((0..4).fold(0, |word, byte| word | u32::from(plane(byte, index)) << (8 * byte)))
        }),
        _ => widen(block, |index| {
            u64::to_le_bytes((0..8).fold(0, |word, byte| word | u64::from(plane(byte, index)) << (8 * byte)))
        }),
    }
}

#[inline(always)]
fn widen<const N: usize>(block: &mut [u8], element: impl Fn(usize) -> [u8; N]) {
    for (index, target) in block.as_chunks_mut().0.iter_mut().enumerate() {
        *target = element(index);
    }
}

/// How many segments repeat one nibble.
#[inline(always)]
pub(super) fn csn_segments<const BYTES: usize, const ELEMENT: usize>(block: &[u8; BYTES]) -> u32 {
    if BYTES / ELEMENT < SEGMENT_NIBBLES {
        // A segment spans several positions; this is rare enough to do the long way.
        let remapped = remap::<BYTES, ELEMENT>(block);
        let segments = (0..BYTES / SEGMENT_BYTES).map(|index| word64(&remapped, index));
        return segments.map(|segment| u32::from(segment == (segment & 0xf) * EVERY_NIBBLE)).sum();
    }
    // A segment is one position of 16 neighbours: no remap is needed to see where they differ from the first.
    let sixteen_bytes = SEGMENT_NIBBLES * ELEMENT;
    (0..BYTES / sixteen_bytes)
        .map(|index| {
            let sixteen = &block[index * sixteen_bytes..(index + 1) * sixteen_bytes];
            same_positions::<ELEMENT>(sixteen)
        })
        .sum()
}

/// At how many nibble positions 16 elements are equal.
#[inline(always)]
fn same_positions<const ELEMENT: usize>(sixteen: &[u8]) -> u32 {
    // The first element, repeated to fill eight bytes.
    let mut first = word64(sixteen, 0);
    if ELEMENT < 8 {
        let bits = 8 * ELEMENT as u32;
        first &= (1 << (bits % 64)) - 1;
        first |= first << (bits % 64);
        first |= if ELEMENT == 2 { first << 32 } else { 0 };
    }
    let mut differing =
        sixteen.as_chunks().0.iter().fold(0, |seen, &eight| seen | (u64::from_le_bytes(eight) ^ first));
    if ELEMENT < 8 {
        differing |= differing >> 32;
    }
    if ELEMENT < 4 {
        differing |= differing >> 16;
    }
    differing |= differing >> 2;
    differing |= differing >> 1;
    let positions = if ELEMENT == 8 { u64::MAX } else { (1 << (8 * ELEMENT as u32 % 64)) - 1 };
    (!differing & EVERY_NIBBLE & positions).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_stand_together_least_significant_first() {
        let mut block = [0; 32];
        for (element, bytes) in block.as_chunks_mut().0.iter_mut().enumerate() {
            *bytes = (0x7654_3210 + (element as u32) * 0x1111_1111).to_le_bytes();
        }
        let remapped = remap::<32, 4>(&block);
        assert_eq!(remapped[..4], [0x01, 0x23, 0x45, 0x67]);
        assert_eq!(remapped[28..], [0x78, 0x9a, 0xbc, 0xde]);
        let mut back = [0; 32];
        restore::<32, 4>(&remapped, &mut back);
        assert_eq!(back, block);
    }
}
