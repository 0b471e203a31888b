//! One allocation: a range of addresses and the words behind it.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Addresses `start .. start + bytes`.
#[derive(Debug, Default)]
pub struct Allocation {
    start: u64,
    bytes: u64,
    words: Words,
    is_freed: bool,
}

/// The words of an allocation. Both kinds lie alike in memory, so that access does not branch on which it is.
#[derive(Debug)]
enum Words {
    /// Of the device alone.
    Own(Box<[AtomicU32]>),
    /// Of the host as well: what one side writes, the other reads.
    Shared(&'static [AtomicU32]),
}

impl Default for Words {
    fn default() -> Self {
        Self::Own(Box::default())
    }
}

impl Words {
    #[inline]
    fn all(&self) -> &[AtomicU32] {
        match self {
            Self::Own(words) => words,
            Self::Shared(words) => words,
        }
    }

    #[inline]
    fn get(&self, index: usize) -> Option<&AtomicU32> {
        self.all().get(index)
    }
}

impl Allocation {
    /// Zeroed memory; `None` when the host has too little.
    pub(super) fn new(start: u64, bytes: u64) -> Option<Self> {
        let words = zeroed_words(usize::try_from(bytes.div_ceil(4)).ok()?)?;
        Some(Self { start, bytes, words: Words::Own(words), is_freed: false })
    }

    /// Memory that the host keeps using.
    pub(super) fn shared(start: u64, words: &'static [AtomicU32]) -> Self {
        Self { start, bytes: 4 * words.len() as u64, words: Words::Shared(words), is_freed: false }
    }

    /// First address.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Bytes requested.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// One past the last address.
    pub fn end(&self) -> u64 {
        self.start + self.bytes
    }

    /// Whether it was given back.
    pub fn is_freed(&self) -> bool {
        self.is_freed
    }

    /// Whether the host uses it, too, without copies.
    pub fn is_shared(&self) -> bool {
        matches!(self.words, Words::Shared(_))
    }

    /// Bytes that the device itself holds: none of what is the host's.
    pub(super) fn device_bytes(&self) -> u64 {
        match self.words {
            Words::Own(_) => self.bytes,
            Words::Shared(_) => 0,
        }
    }

    /// Gives the words back; the range stays known.
    pub(super) fn free(&mut self) {
        self.is_freed = true;
        self.words = Words::default();
    }

    /// Offset of `address` when all `bytes` from there lie inside.
    #[inline]
    pub fn offset_of(&self, address: u64, bytes: u64) -> Option<usize> {
        let offset = address.wrapping_sub(self.start);
        (offset < self.bytes && bytes <= self.bytes - offset && !self.is_freed).then_some(offset as usize)
    }

    /// The 32-bit word at a byte offset that is a multiple of 4.
    #[inline]
    pub fn load_word(&self, offset: usize) -> u32 {
        self.words.get(offset / 4).map_or(0, |word| word.load(Relaxed))
    }

    /// Stores a 32-bit word.
    #[inline]
    pub fn store_word(&self, offset: usize, value: u32) {
        if let Some(word) = self.words.get(offset / 4) {
            word.store(value, Relaxed);
        }
    }

    /// Replaces the bits of `mask` in the word at `offset`, leaving the neighbours to other threads.
    #[inline]
    pub fn store_bits(&self, offset: usize, value: u32, mask: u32) {
        self.update_word(offset, |old| (old & !mask) | (value & mask));
    }

    /// Read-modify-write of one word; returns the old value.
    #[inline]
    pub fn update_word(&self, offset: usize, mut update: impl FnMut(u32) -> u32) -> u32 {
        self.words.get(offset / 4).map_or(0, |word| {
            let mut old = word.load(Relaxed);
            while let Err(seen) = word.compare_exchange_weak(old, update(old), Relaxed, Relaxed) {
                old = seen;
            }
            old
        })
    }

    /// An unsigned value of 1, 2, 4 or 8 bytes at an aligned offset.
    #[inline]
    pub fn load(&self, offset: usize, bytes: u32) -> u64 {
        let word = self.load_word(offset & !3);
        let shift = 8 * (offset as u32 & 3);
        match bytes {
            1 => u64::from((word >> shift) & 0xff),
            2 => u64::from((word >> shift) & 0xffff),
            4 => u64::from(word),
            _ => u64::from(word) | u64::from(self.load_word(offset + 4)) << 32,
        }
    }

    /// Stores the low 1, 2, 4 or 8 bytes of `value` at an aligned offset.
    #[inline]
    pub fn store(&self, offset: usize, bytes: u32, value: u64) {
        let shift = 8 * (offset as u32 & 3);
        match bytes {
            1 => self.store_bits(offset & !3, (value as u32) << shift, 0xff << shift),
            2 => self.store_bits(offset & !3, (value as u32) << shift, 0xffff << shift),
            4 => self.store_word(offset, value as u32),
            _ => {
                self.store_word(offset, value as u32);
                self.store_word(offset + 4, (value >> 32) as u32);
            }
        }
    }

    /// The words that hold `count` words from a byte offset on that is a multiple of 4; none if some are missing.
    #[inline]
    pub fn words(&self, offset: usize, count: usize) -> &[AtomicU32] {
        let first = offset / 4;
        self.words.all().get(first..first + count).unwrap_or(&[])
    }

    /// Copies bytes out, from any offset.
    pub fn read(&self, offset: usize, out: &mut [u8]) {
        let words = if offset.is_multiple_of(4) { self.words(offset, out.len() / 4) } else { &[] };
        for (bytes, word) in out.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.load(Relaxed).to_le_bytes();
        }
        // What is not whole words.
        let mut at = offset + 4 * words.len();
        let mut rest = &mut out[4 * words.len()..];
        while !rest.is_empty() {
            let word = self.load_word(at & !3).to_le_bytes();
            let from = &word[at & 3..];
            let count = from.len().min(rest.len());
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&from[..count]);
            at += count;
            rest = later;
        }
    }

    /// Copies bytes in, to any offset.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        let words = if offset.is_multiple_of(4) { self.words(offset, bytes.len() / 4) } else { &[] };
        for (bytes, word) in bytes.as_chunks().0.iter().zip(words) {
            word.store(u32::from_le_bytes(*bytes), Relaxed);
        }
        // What is not whole words.
        let mut at = offset + 4 * words.len();
        let mut rest = &bytes[4 * words.len()..];
        while !rest.is_empty() {
            let lane = at & 3;
            let count = (4 - lane).min(rest.len());
            let (now, later) = rest.split_at(count);
            let mut word = self.load_word(at & !3).to_le_bytes();
            word[lane..lane + count].copy_from_slice(now);
            self.store_word(at & !3, u32::from_le_bytes(word));
            at += count;
            rest = later;
        }
    }
}

/// Zeros that the host backs with memory only where they are touched: a large array that a kernel hardly uses costs
/// nothing.
fn zeroed_words(count: usize) -> Option<Box<[AtomicU32]>> {
    // Asks first, because `new_zeroed_slice` ends the process when there is too little.
    Vec::<AtomicU32>::new().try_reserve_exact(count).ok()?;
    let words = Box::<[AtomicU32]>::new_zeroed_slice(count);
    // SAFETY: an `AtomicU32` has the representation of a `u32`, for which zero bytes are a valid value.
    Some(unsafe { words.assume_init() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_in_and_out_at_any_offset() {
        let allocation = Allocation::new(0x1000, 16).unwrap();
        let data: Vec<u8> = (1..=11).collect();
        allocation.write(3, &data);
        let mut out = [0; 11];
        allocation.read(3, &mut out);
        assert_eq!(out[..], data);
        let mut edge = [9; 3];
        allocation.read(0, &mut edge);
        assert_eq!(edge, [0; 3]);
    }

    #[test]
    fn a_narrow_store_leaves_its_neighbours() {
        let allocation = Allocation::new(0, 8).unwrap();
        allocation.store(0, 4, 0x4433_2211);
        allocation.store(1, 1, 0xff);
        allocation.store(2, 2, 0xabcd);
        assert_eq!(allocation.load(0, 4), 0xabcd_ff11);
        assert_eq!(allocation.load(2, 2), 0xabcd);
    }

    #[test]
    fn the_end_is_outside() {
        let allocation = Allocation::new(0x100, 6).unwrap();
        assert_eq!(allocation.offset_of(0x104, 2), Some(4));
        assert_eq!(allocation.offset_of(0x104, 4), None);
        assert_eq!(allocation.offset_of(0x106, 1), None);
        assert_eq!(allocation.offset_of(0xff, 1), None);
    }
}
