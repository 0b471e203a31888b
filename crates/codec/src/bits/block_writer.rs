//! One block's bits, written into the stream without a check or a branch for each field.
//!
//! [`BitWriter::put`] finds its state in memory and leaves it there, which is most of its cost. A block's encoding has a
//! known longest length, so room for it is made once, the state stays in registers until the block ends, and the store
//! position is masked into that room, which costs one instruction instead of a comparison and a branch.

use super::{BitWriter, MAX_ENCODING_BYTES, STORE_BITS, STORE_BYTES};

/// The words that groups fill, with what was pending: half of the longest encoding.
const GROUP_WORDS: usize = MAX_ENCODING_BYTES / 2 / STORE_BYTES;

/// The end of a stream with room for one block.
#[derive(Debug)]
pub struct BlockWriter<'a> {
    room: &'a mut [u8; MAX_ENCODING_BYTES + STORE_BYTES],
    /// Complete bytes written to `room`.
    len: usize,
    /// As in [`BitWriter`].
    pending: u64,
    pending_bits: u32,
    /// The bits that were pending when the block began.
    lead_bits: u32,
    /// Where all this goes in the end: the stream's length, pending bits and their count.
    stream: (&'a mut usize, &'a mut u64, &'a mut u32),
}

impl BitWriter {
    /// Starts a block of at most [`MAX_ENCODING_BYTES`]; without [`BlockWriter::end`] nothing was written.
    #[inline(always)]
    pub(crate) fn begin_block(&mut self) -> BlockWriter<'_> {
        self.reserve(MAX_ENCODING_BYTES + STORE_BYTES);
        let (room, _) = self.buffer[self.len..].as_chunks_mut();
        BlockWriter {
            room: &mut room[0],
            len: 0,
            pending: self.pending,
            pending_bits: self.pending_bits,
            lead_bits: self.pending_bits,
            stream: (&mut self.len, &mut self.pending, &mut self.pending_bits),
        }
    }
}

impl BlockWriter<'_> {
    /// The longest field of [`BlockWriter::put`] and [`BlockWriter::put_aligned`].
    pub const MAX_BITS: u32 = STORE_BITS;

    /// Appends the low `count` bits of `value`, `count` at most 56. Higher bits of `value` must be zero.
    #[inline(always)]
    pub fn put(&mut self, value: u64, count: u32) {
        debug_assert!(count <= STORE_BITS && value >> count == 0, "{value:#x} has more than {count} bits");
        // In two steps, because a shift by 64 (count = 0) must give 0.
        self.put_aligned((value << (64 - STORE_BITS)) << (STORE_BITS - count), count);
    }

    /// The same for a value whose first bit is the highest; lower bits than those counted must be zero.
    #[inline(always)]
    pub fn put_aligned(&mut self, aligned: u64, count: u32) {
        debug_assert!(
            count <= STORE_BITS && aligned << count == 0,
            "{aligned:#x} has more than {count} bits"
        );
        self.pending |= aligned >> self.pending_bits;
        self.store(self.pending);
        let total = self.pending_bits + count;
        self.len += (total / 8) as usize;
        self.pending <<= total & !7;
        self.pending_bits = total % 8;
    }

    /// Appends 64 bits. Fields of this length do not wait for each other.
    #[inline(always)]
    pub fn put64(&mut self, value: u64) {
        self.store(self.pending | value >> self.pending_bits);
        self.len += STORE_BYTES;
        // In two steps, because a shift by 64 (nothing pending) must give 0.
        self.pending = (value << 1) << (63 - self.pending_bits);
    }

    /// Appends groups of at most 64 bits, the last one first: each has its first bit highest and zeros after its last, and `counts`
    /// says how many bits that are.
    ///
    /// Where a group goes needs only the counts before it, and its bits are or-ed into words that start as zeros.
    #[inline(always)]
    pub fn put_groups<const N: usize>(&mut self, groups: &[u64; N], counts: &[u64; N]) {
        let mut words = [0u64; GROUP_WORDS + 1];
        words[0] = self.pending;
        let mut position = u64::from(self.pending_bits);
        for (group, count) in groups.iter().zip(counts).rev() {
            let word = (position / 64) as usize % GROUP_WORDS;
            let shift = position % 64;
            words[word] |= group >> shift;
            // In two steps, because a shift by 64 (the word is empty) must give 0.
            words[word + 1] = (group << 1) << (63 - shift);
            position += count;
        }
        let start = self.len % (MAX_ENCODING_BYTES / 2);
        let room = self.room[start..start + GROUP_WORDS * STORE_BYTES].as_chunks_mut().0;
        // With what was pending, the groups fill at most one word more than there are groups.
        for (bytes, word) in room.iter_mut().zip(words).take(N + 1) {
            *bytes = word.to_be_bytes();
        }
        let last = words[(position / 64) as usize % GROUP_WORDS];
        self.len += (position / 8) as usize;
        self.pending = last << (position % 64 - position % 8);
        self.pending_bits = (position % 8) as u32;
    }

    /// The bits of the block so far.
    #[inline(always)]
    pub fn len_bits(&self) -> u32 {
        self.len as u32 * 8 + self.pending_bits - self.lead_bits
    }

    /// Sets bits among the first 56 of the block, which must have been written as zeros: for a head that is known last.
    /// The first bit of `aligned` is the block's first.
    #[inline(always)]
    pub fn set_first_bits(&mut self, aligned: u64) {
        let bits = aligned >> self.lead_bits;
        let mut group = [0; STORE_BYTES];
        group.copy_from_slice(&self.room[..STORE_BYTES]);
        self.room[..STORE_BYTES].copy_from_slice(&(u64::from_be_bytes(group) | bits).to_be_bytes());
        // The first bits of a short block are still pending.
        self.pending |= bits.checked_shl(self.len as u32 * 8).unwrap_or(0);
    }

    /// Hands everything over to the stream.
    #[inline(always)]
    pub fn end(self) {
        let (len, pending, pending_bits) = self.stream;
        *len += self.len;
        *pending = self.pending;
        *pending_bits = self.pending_bits;
    }

    #[inline(always)]
    fn store(&mut self, group: u64) {
        debug_assert!(self.len < MAX_ENCODING_BYTES, "the block is longer than any encoding");
        let at = self.len % MAX_ENCODING_BYTES;
        self.room[at..at + STORE_BYTES].copy_from_slice(&group.to_be_bytes());
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
            fields in prop::collection::vec((any::<u64>(), 0u32..=57, any::<bool>()), 0..60),
            groups in any::<[u64; 5]>(),
            counts in [0u64..=64, 0..=64, 0..=64, 0..=64, 0..=64],
        ) {
            let [mut at_once, mut one_by_one] = [BitWriter::new(), BitWriter::new()];
            for out in [&mut at_once, &mut one_by_one] {
                out.put((1 << lead) - 1, lead);
            }
            let mut block = at_once.begin_block();
            for &(value, count, is_aligned) in &fields {
                // A count of 57 means a whole group.
                if count == 57 {
                    block.put64(value);
                    one_by_one.put(value, 64);
                    continue;
                }
                let low = value & ((1 << count) - 1);
                one_by_one.put(low, count);
                if is_aligned {
                    block.put_aligned(low << 8 << (56 - count), count);
                } else {
                    block.put(low, count);
                }
            }
            let cut = |index: usize| groups[index].checked_shr(64 - counts[index] as u32).unwrap_or(0);
            let aligned = |index: usize| cut(index).checked_shl(64 - counts[index] as u32).unwrap_or(0);
            block.put_groups(&std::array::from_fn(aligned), &counts);
            for index in (0..5).rev() {
                one_by_one.put(cut(index), counts[index] as u32);
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
