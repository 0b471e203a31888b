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
    let half_plane = BYTES / ELEMENT / 2;
    let mut remapped = [0; BYTES];
    for byte in 0..ELEMENT {
        let (low, high) = remapped[2 * byte * half_plane..].split_at_mut(half_plane);
        for pair in 0..half_plane {
            let first = block[2 * pair * ELEMENT + byte];
            let second = block[(2 * pair + 1) * ELEMENT + byte];
            low[pair] = first << 4 | second & 0x0f;
            high[pair] = first & 0xf0 | second >> 4;
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
    for byte in 0..ELEMENT {
        let (low, high) = remapped[2 * byte * half_plane..].split_at(half_plane);
        for pair in 0..half_plane {
            block[2 * pair * ELEMENT + byte] = low[pair] >> 4 | high[pair] & 0xf0;
            block[(2 * pair + 1) * ELEMENT + byte] = low[pair] & 0x0f | high[pair] << 4;
        }
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
