//! Many short fields at once.
//!
//! [`BitWriter::put`] finds its state in memory and leaves it there, which is most of its cost. A burst makes room once
//! and keeps the state in registers until it ends.

use super::{BitWriter, STORE_BITS, STORE_BYTES};

/// The end of a stream with room for a known number of bits.
pub(crate) struct Burst<'a> {
    room: &'a mut [u8],
    /// Complete bytes written to `room`.
    len: usize,
    /// As in [`BitWriter`].
    pending: u64,
    pending_bits: u32,
    /// Where all this goes in the end: the stream's length, pending bits and their count.
    stream: (&'a mut usize, &'a mut u64, &'a mut u32),
}

impl BitWriter {
    /// Lets `write` append at most `most_bits` bits.
    #[inline(always)]
    pub(crate) fn burst(&mut self, most_bits: usize, write: impl FnOnce(&mut Burst<'_>)) {
        let mut burst = self.begin_burst(most_bits);
        write(&mut burst);
        burst.end();
    }

    /// The same without a closure, for writers that must be compiled into their caller.
    #[inline(always)]
    pub(crate) fn begin_burst(&mut self, most_bits: usize) -> Burst<'_> {
        self.reserve(most_bits / 8 + 2 * STORE_BYTES);
        Burst {
            room: &mut self.buffer[self.len..],
            len: 0,
            pending: self.pending,
            pending_bits: self.pending_bits,
            stream: (&mut self.len, &mut self.pending, &mut self.pending_bits),
        }
    }
}

impl Burst<'_> {
    /// The longest field of [`Burst::put`].
    pub(crate) const MAX_BITS: u32 = STORE_BITS;

    /// Appends the low `count` bits of `value`, `count` at most 56. Higher bits of `value` must be zero.
    #[inline(always)]
    pub(crate) fn put(&mut self, value: u64, count: u32) {
        debug_assert!(count <= STORE_BITS && value >> count == 0, "{value:#x} has more than {count} bits");
        // In two steps, because a shift by 64 (count = 0) must give 0.
        self.put_aligned((value << (64 - STORE_BITS)) << (STORE_BITS - count), count);
    }

    /// The same for a value whose first bit is the highest; lower bits than those counted must be zero.
    #[inline(always)]
    pub(crate) fn put_aligned(&mut self, aligned: u64, count: u32) {
        debug_assert!(count <= STORE_BITS && aligned.checked_shl(count).unwrap_or(0) == 0);
        let pending = self.pending | aligned >> self.pending_bits;
        self.store(pending);
        let total = self.pending_bits + count;
        self.len += total as usize / 8;
        self.pending = pending << (total & !7);
        self.pending_bits = total % 8;
    }

    /// Hands everything over to the stream; without this nothing was written.
    #[inline(always)]
    pub(crate) fn end(self) {
        let (len, pending, pending_bits) = self.stream;
        *len += self.len;
        *pending = self.pending;
        *pending_bits = self.pending_bits;
    }

    /// Appends 64 bits. Fields of this length do not wait for each other.
    #[inline(always)]
    pub(crate) fn put64(&mut self, value: u64) {
        self.store(self.pending | value >> self.pending_bits);
        self.len += STORE_BYTES;
        // In two steps, because a shift by 64 (nothing pending) must give 0.
        self.pending = (value << 1) << (63 - self.pending_bits);
    }

    #[inline(always)]
    fn store(&mut self, group: u64) {
        self.room[self.len..self.len + STORE_BYTES].copy_from_slice(&group.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_burst_writes_what_single_fields_write(
            lead in 0u32..8,
            fields in prop::collection::vec((any::<u64>(), 0u32..=57), 0..60),
        ) {
            let [mut at_once, mut one_by_one] = [BitWriter::new(), BitWriter::new()];
            for out in [&mut at_once, &mut one_by_one] {
                out.put((1 << lead) - 1, lead);
            }
            // A count of 57 stands for a whole group.
            let low = |value: u64, count: u32| value & ((1 << count) - 1);
            at_once.burst(64 * fields.len(), |burst| {
                for &(value, count) in &fields {
                    if count == 57 { burst.put64(value) } else { burst.put(low(value, count), count) }
                }
            });
            for &(value, count) in &fields {
                if count == 57 { one_by_one.put(value, 64) } else { one_by_one.put(low(value, count), count) }
            }
            prop_assert_eq!(at_once.len_bits(), one_by_one.len_bits());
            for out in [&mut at_once, &mut one_by_one] {
                out.put(0b101, 3);
            }
            prop_assert_eq!(at_once.pad_to_bytes(), one_by_one.pad_to_bytes());
        }
    }
}
