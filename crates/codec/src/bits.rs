//! A stream of bits, most significant first, so that a code reads in memory as the papers print it.

use crate::error::DecodeError;

/// Appends bits to a growing buffer.
///
/// Up to 63 bits wait in an accumulator; the buffer always holds whole 8-byte groups until [`BitWriter::pad_to_bytes`]
/// flushes the rest.
#[derive(Clone, Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Pending bits, left-aligned; the rest is zero.
    pending: u64,
    pending_bits: u32,
}

impl BitWriter {
    /// An empty stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty stream with room for `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes + 8), ..Self::default() }
    }

    /// Appends the low `count` bits of `value`, `count` at most 64. Higher bits of `value` must be zero.
    #[inline(always)]
    pub fn put(&mut self, value: u64, count: u32) {
        debug_assert!(
            count <= 64 && (count == 64 || value >> count == 0),
            "{value:#x} has more than {count} bits"
        );
        if count == 0 {
            return;
        }
        let aligned = value << (64 - count);
        self.pending |= aligned >> self.pending_bits;
        let total = self.pending_bits + count;
        if total < 64 {
            self.pending_bits = total;
            return;
        }
        self.bytes.extend_from_slice(&self.pending.to_be_bytes());
        let written = 64 - self.pending_bits;
        self.pending = if written == 64 { 0 } else { aligned << written };
        self.pending_bits = total - 64;
    }

    /// Appends zero bits up to the next byte boundary.
    #[inline]
    pub fn align_to_byte(&mut self) {
        self.put(0, (8 - self.pending_bits % 8) % 8);
    }

    /// The length so far, in bits.
    #[inline]
    pub fn len_bits(&self) -> usize {
        self.bytes.len() * 8 + self.pending_bits as usize
    }

    /// Empties the stream and keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.pending = 0;
        self.pending_bits = 0;
    }

    /// Fills the last byte with zero bits and gives the whole stream. Read [`BitWriter::len_bits`] first.
    #[inline]
    pub fn pad_to_bytes(&mut self) -> &[u8] {
        let whole = self.pending_bits.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_be_bytes()[..whole]);
        self.pending = 0;
        self.pending_bits = 0;
        &self.bytes
    }
}

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
        if count > 57 {
            let high = self.take(count - 32)?;
            return Ok(high << 32 | self.take(32)?);
        }
        let group = self.peek64();
        self.skip(count)?;
        // A shift by 64 (count = 0) must give 0.
        Ok((group >> 1) >> (63 - count))
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
    fn reading_past_the_end_is_an_error_that_names_the_end() {
        let mut bits = BitReader::at(&[0xff; 16], 3, 10);
        assert_eq!(bits.take(9), Ok(0x1ff));
        assert_eq!(bits.take(2), Err(DecodeError::Truncated { at_bit: 10 }));
        assert_eq!(bits.finish(), Err(DecodeError::TrailingBits { at_bit: 9, extra_bits: 1 }));
    }

    proptest! {
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
