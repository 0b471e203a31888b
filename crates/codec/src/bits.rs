//! A stream of bits, most significant first, so that a code reads in memory as the papers print it.

mod ahead;
mod block_writer;
mod word_codes;

use crate::error::DecodeError;

pub use ahead::{Ahead, Cursor, Spare};
pub use block_writer::BlockWriter;
pub(crate) use word_codes::{MAX_WORDS, WordCodes};

/// A power of two above the longest encoding of a block: 32 floats with a sign and three escaped fields each are 344
/// bytes, 64 symbols of 16 bits with a 20-bit escape each 288.
pub const MAX_ENCODING_BYTES: usize = 512;

/// The bits that one store can add, whatever bits already wait in the current byte.
const STORE_BITS: u32 = 56;

/// A store writes this many bytes, of which only the complete ones count.
const STORE_BYTES: usize = 8;

/// Appends bits to a growing buffer.
///
/// Every [`BitWriter::put`] stores eight bytes and then counts the complete ones, so that appending has no branch that
/// depends on the data. What lies in the buffer after `len` is scratch.
#[derive(Clone, Debug, Default)]
pub struct BitWriter {
    buffer: Vec<u8>,
    /// Complete bytes.
    len: usize,
    /// The bits of the incomplete byte, left-aligned; the rest is zero.
    pending: u64,
    /// 0 to 7.
    pending_bits: u32,
}

impl BitWriter {
    /// An empty stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty stream with room for `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { buffer: vec![0; bytes + STORE_BYTES], ..Self::default() }
    }

    /// Appends the low `count` bits of `value`, `count` at most 64. Higher bits of `value` must be zero.
    #[inline(always)]
    pub fn put(&mut self, value: u64, count: u32) {
        debug_assert!(
            count <= 64 && (count == 64 || value >> count == 0),
            "{value:#x} has more than {count} bits"
        );
        if count <= STORE_BITS {
            return self.store(value, count);
        }
        self.store(value >> 32, count - 32);
        self.store(value & 0xffff_ffff, 32);
    }

    #[inline(always)]
    fn store(&mut self, value: u64, count: u32) {
        // In two steps, because a shift by 64 (count = 0) must give 0.
        let aligned = (value << (64 - STORE_BITS)) << (STORE_BITS - count);
        let pending = self.pending | aligned >> self.pending_bits;
        self.reserve(STORE_BYTES);
        self.buffer[self.len..self.len + STORE_BYTES].copy_from_slice(&pending.to_be_bytes());
        let total = self.pending_bits + count;
        self.len += total as usize / 8;
        self.pending = pending << (total & !7);
        self.pending_bits = total % 8;
    }

    /// Appends whole bytes, in memory order.
    #[inline(always)]
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        self.reserve(bytes.len() + STORE_BYTES);
        let end = self.len + bytes.len();
        let target = &mut self.buffer[self.len..end];
        self.len = end;
        if self.pending_bits == 0 {
            return target.copy_from_slice(bytes);
        }
        let held = (self.pending >> 56) as u8;
        target[0] = held | bytes[0] >> self.pending_bits;
        shift_left(bytes, &mut target[1..], 8 - self.pending_bits);
        self.pending = u64::from(last) << (64 - self.pending_bits);
    }

    /// Makes room for `bytes` more bytes.
    #[inline(always)]
    fn reserve(&mut self, bytes: usize) {
        if self.buffer.len() - self.len < bytes {
            self.grow(bytes);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        let wanted = (self.len + bytes).max(2 * self.buffer.len()).max(256);
        self.buffer.resize(wanted, 0);
    }

    /// Appends zero bits up to the next byte boundary.
    #[inline]
    pub fn align_to_byte(&mut self) {
        self.put(0, (8 - self.pending_bits) % 8);
    }

    /// The length so far, in bits.
    #[inline]
    pub fn len_bits(&self) -> usize {
        self.len * 8 + self.pending_bits as usize
    }

    /// Takes back everything after the first `len_bits` bits; nothing if there are no more.
    #[inline]
    pub fn truncate(&mut self, len_bits: usize) {
        if len_bits >= self.len_bits() {
            return;
        }
        let (bytes, bits) = (len_bits / 8, len_bits as u32 % 8);
        // A byte that was complete is in the buffer; what waits after it only in `pending`.
        let last = if bytes == self.len { (self.pending >> 56) as u8 } else { self.buffer[bytes] };
        self.len = bytes;
        self.pending_bits = bits;
        self.pending = u64::from(last & !(0xff >> bits)) << 56;
    }

    /// Empties the stream and keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
        self.pending = 0;
        self.pending_bits = 0;
    }

    /// Fills the last byte with zero bits and gives the whole stream. Read [`BitWriter::len_bits`] first.
    #[inline]
    pub fn pad_to_bytes(&mut self) -> &[u8] {
        self.align_to_byte();
        &self.buffer[..self.len]
    }
}

/// Byte `i` of `target` becomes the eight bits of `source` that start `bits` (1 to 7) bits into its byte `i`.
/// `source` has at least one byte more than `target`.
#[inline(always)]
fn shift_left(source: &[u8], target: &mut [u8], bits: u32) {
    const LANES: usize = 16;
    let join = |high: u8, low: u8| high << bits | low >> (8 - bits);
    let len = target.len();
    if len < LANES {
        for (byte, pair) in target.iter_mut().zip(source.windows(2)) {
            *byte = join(pair[0], pair[1]);
        }
        return;
    }
    // Chunks of known length become a few vector instructions; the last one overlaps its predecessor.
    for start in (0..len - LANES).step_by(LANES).chain([len - LANES]) {
        let chunk = &mut target[start..start + LANES];
        let window = &source[start..=start + LANES];
        for lane in 0..LANES {
            chunk[lane] = join(window[lane], window[lane + 1]);
        }
    }
}

/// The bits that one peek is sure to hold, wherever in its byte it starts.
const PEEK_BITS: u32 = 57;

/// Reads bits from a part of a byte slice and never past it.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    start: usize,
    position: usize,
    end: usize,
}

impl<'a> BitReader<'a> {
    /// Reads the first `len_bits` bits of `bytes` (or all there are).
    #[inline]
    pub fn new(bytes: &'a [u8], len_bits: usize) -> Self {
        Self::at(bytes, 0, len_bits)
    }

    /// Reads `len_bits` bits from bit `start` of `bytes` (or all there are from there).
    #[inline]
    pub fn at(bytes: &'a [u8], start: usize, len_bits: usize) -> Self {
        let limit = bytes.len() * 8;
        let start = start.min(limit);
        Self { bytes, start, position: start, end: start.saturating_add(len_bits).min(limit) }
    }

    /// A second cursor over the same bits, from `offset_bits` after the start of this reader to its end.
    #[inline]
    pub fn fork_at(&self, offset_bits: usize) -> Self {
        Self { position: self.start.saturating_add(offset_bits).min(self.end), ..self.clone() }
    }

    /// The cursor, in bits from the start of this reader.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.position - self.start
    }

    /// The bits not yet read.
    #[inline(always)]
    pub fn remaining(&self) -> usize {
        self.end - self.position
    }

    /// The last `BYTES` bytes of this reader's bits, backward from its end; what comes after them is unspecified.
    #[inline(always)]
    pub(crate) fn backward<'s, const BYTES: usize>(&self, spare: &'s mut Spare) -> Ahead<'s> {
        spare.backward::<BYTES>(self.bytes, self.end)
    }

    /// The next 57 or more bits, left-aligned in 64. What lies past the end is unspecified: [`BitReader::skip`] and
    /// [`BitReader::take`] check the length.
    #[inline(always)]
    pub fn peek64(&self) -> u64 {
        let byte = self.position / 8;
        let group = match self.bytes.get(byte..byte + 8) {
            Some(group) => {
                let mut eight = [0; 8];
                eight.copy_from_slice(group);
                u64::from_be_bytes(eight)
            }
            None => self.peek64_at_end(byte),
        };
        group << (self.position % 8)
    }

    #[cold]
    fn peek64_at_end(&self, byte: usize) -> u64 {
        let mut eight = [0; 8];
        let rest = self.bytes.get(byte..).unwrap_or_default();
        let count = rest.len().min(8);
        eight[..count].copy_from_slice(&rest[..count]);
        u64::from_be_bytes(eight)
    }

    /// Moves on by `count` bits.
    #[inline(always)]
    pub fn skip(&mut self, count: u32) -> Result<(), DecodeError> {
        if self.remaining() < count as usize {
            return Err(DecodeError::Truncated { at_bit: self.end - self.start });
        }
        self.position += count as usize;
        Ok(())
    }

    /// The next `count` bits, `count` at most 64.
    #[inline(always)]
    pub fn take(&mut self, count: u32) -> Result<u64, DecodeError> {
        if count <= PEEK_BITS {
            return self.take_peeked(count);
        }
        let high = self.take_peeked(count - 32)?;
        Ok(high << 32 | self.take_peeked(32)?)
    }

    #[inline(always)]
    fn take_peeked(&mut self, count: u32) -> Result<u64, DecodeError> {
        let group = self.peek64();
        self.skip(count)?;
        // A shift by 64 (count = 0) must give 0.
        Ok((group >> 1) >> (63 - count))
    }

    /// Fills `target` with the next whole bytes.
    #[inline(always)]
    pub fn take_bytes(&mut self, target: &mut [u8]) -> Result<(), DecodeError> {
        let (start, shift) = (self.position / 8, (self.position % 8) as u32);
        self.skip(target.len() as u32 * 8)?;
        if shift == 0 {
            target.copy_from_slice(&self.bytes[start..start + target.len()]);
        } else {
            shift_left(&self.bytes[start..], target, shift);
        }
        Ok(())
    }

    /// Checks that nothing is left: the last call of every decoder.
    #[inline]
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.remaining() {
            0 => Ok(()),
            extra_bits => Err(DecodeError::TrailingBits { at_bit: self.position(), extra_bits }),
        }
    }

    /// An error about what was read at `at_bit`.
    #[cold]
    pub fn invalid(at_bit: usize, what: &'static str) -> DecodeError {
        DecodeError::Invalid { at_bit, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_read_in_memory_as_the_papers_print_them() {
        let mut out = BitWriter::new();
        out.put(0b01, 2);
        out.put(0b11110, 5);
        assert_eq!(out.len_bits(), 7);
        assert_eq!(out.pad_to_bytes(), [0b0111_1100]);
    }

    #[test]
    fn what_was_taken_back_leaves_no_trace() {
        for kept in 0..40 {
            let mut out = BitWriter::new();
            out.put(0xa5_5a_c3_3c_96, 40);
            out.put(0x1ff, 9);
            out.truncate(kept);
            out.truncate(kept + 5);
            assert_eq!(out.len_bits(), kept);
            out.put(0b101, 3);
            let mut expected = BitWriter::new();
            expected.put(0xa5_5a_c3_3c_96 >> (40 - kept), kept as u32);
            expected.put(0b101, 3);
            assert_eq!(out.pad_to_bytes(), expected.pad_to_bytes(), "{kept} bits kept");
        }
    }

    #[test]
    fn reading_past_the_end_is_an_error_that_names_the_end() {
        let mut bits = BitReader::at(&[0xff; 16], 3, 10);
        assert_eq!(bits.take(9), Ok(0x1ff));
        assert_eq!(bits.take(2), Err(DecodeError::Truncated { at_bit: 10 }));
        assert_eq!(bits.finish(), Err(DecodeError::TrailingBits { at_bit: 9, extra_bits: 1 }));
    }

    proptest! {
        #[test]
        fn whole_bytes_are_eight_bits_each(lead in 0u32..8, bytes in prop::collection::vec(any::<u8>(), 0..70)) {
            let (mut at_once, mut one_by_one) = (BitWriter::new(), BitWriter::new());
            for out in [&mut at_once, &mut one_by_one] {
                out.put((1 << lead) - 1, lead);
            }
            at_once.put_bytes(&bytes);
            for &byte in &bytes {
                one_by_one.put(byte.into(), 8);
            }
            for out in [&mut at_once, &mut one_by_one] {
                out.put(0b101, 3);
            }
            let len_bits = at_once.len_bits();
            prop_assert_eq!(len_bits, one_by_one.len_bits());
            let stream = at_once.pad_to_bytes();
            prop_assert_eq!(stream, one_by_one.pad_to_bytes());

            let mut bits = BitReader::new(stream, len_bits);
            let mut back = vec![0; bytes.len()];
            prop_assert_eq!(bits.take(lead), Ok((1 << lead) - 1));
            prop_assert_eq!(bits.take_bytes(&mut back), Ok(()));
            prop_assert_eq!(back, bytes);
            prop_assert_eq!(bits.take(3), Ok(0b101));
            prop_assert!(bits.clone().take_bytes(&mut [0]).is_err());
        }

        #[test]
        fn what_is_put_is_taken(fields in prop::collection::vec((any::<u64>(), 0u32..=64), 0..200)) {
            let mut out = BitWriter::new();
            let cut = |value: u64, count: u32| if count == 64 { value } else { value & ((1 << count) - 1) };
            for &(value, count) in &fields {
                out.put(cut(value, count), count);
            }
            let len_bits = out.len_bits();
            let mut bits = BitReader::new(out.pad_to_bytes(), len_bits);
            for &(value, count) in &fields {
                prop_assert_eq!(bits.take(count), Ok(cut(value, count)));
            }
            prop_assert_eq!(bits.finish(), Ok(()));
        }
    }
}
