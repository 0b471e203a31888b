//! One block's bits, written into the stream without a check or a branch for each field.
//!
//! A block's encoding has a known longest length, so room for it is made once; the store position is masked into that
//! room, which costs one instruction where a comparison and a branch would stand.

use super::{BitWriter, STORE_BYTES};

/// The room for one block: a power of two above the longest encoding, 64 symbols of 16 bits with a 20-bit escape each.
const MOST_BYTES: usize = 512;

/// The end of a stream with room for one block.
#[derive(Debug)]
pub struct BlockBits<'a> {
    room: &'a mut [u8; MOST_BYTES + STORE_BYTES],
    /// Complete bytes written to `room`.
    len: usize,
    /// As in [`BitWriter`].
    pending: u64,
    pending_bits: u32,
    /// Where all this goes in the end: the stream's length, pending bits and their count.
    stream: (&'a mut usize, &'a mut u64, &'a mut u32),
}

impl BitWriter {
    /// Starts a block of at most 512 bytes; without [`BlockBits::end`] nothing was written.
    #[inline(always)]
    pub fn begin_block(&mut self) -> BlockBits<'_> {
        self.reserve(MOST_BYTES + STORE_BYTES);
        let (room, _) = self.buffer[self.len..].as_chunks_mut();
        BlockBits {
            room: &mut room[0],
            len: 0,
            pending: self.pending,
            pending_bits: self.pending_bits,
            stream: (&mut self.len, &mut self.pending, &mut self.pending_bits),
        }
    }
}

impl BlockBits<'_> {
    /// The longest field of [`BlockBits::put`].
    pub const MAX_BITS: u32 = 56;

    /// Appends the top `count` bits of `left_aligned`, `count` at most 56. Lower bits must be zero.
    #[inline(always)]
    pub fn put(&mut self, left_aligned: u64, count: u32) {
        debug_assert!(
            count <= Self::MAX_BITS && left_aligned << count == 0,
            "{left_aligned:#x} has more than {count} bits"
        );
        debug_assert!(self.len < MOST_BYTES, "the block is longer than any encoding");
        self.pending |= left_aligned >> self.pending_bits;
        let at = self.len % MOST_BYTES;
        self.room[at..at + STORE_BYTES].copy_from_slice(&self.pending.to_be_bytes());
        let total = self.pending_bits + count;
        self.len += (total / 8) as usize;
        self.pending <<= total & !7;
        self.pending_bits = total % 8;
    }

    /// Hands everything over to the stream.
    #[inline(always)]
    pub fn end(self) {
        let (len, pending, pending_bits) = self.stream;
        *len += self.len;
        *pending = self.pending;
        *pending_bits = self.pending_bits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_block_writes_what_single_fields_write(
            lead in 0u32..8,
            fields in prop::collection::vec((any::<u64>(), 0u32..=56), 0..64),
        ) {
            let [mut at_once, mut one_by_one] = [BitWriter::new(), BitWriter::new()];
            for out in [&mut at_once, &mut one_by_one] {
                out.put((1 << lead) - 1, lead);
            }
            let mut block = at_once.begin_block();
            for &(value, count) in &fields {
                let low = value & ((1 << count) - 1);
                block.put(low << 8 << (56 - count), count);
                one_by_one.put(low, count);
            }
            block.end();
            prop_assert_eq!(at_once.len_bits(), one_by_one.len_bits());
            for out in [&mut at_once, &mut one_by_one] {
                out.put(0b101, 3);
            }
            prop_assert_eq!(at_once.pad_to_bytes(), one_by_one.pad_to_bytes());
        }
    }
}
