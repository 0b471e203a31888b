//! What device memory holds of local memory: the bytes that resident threads have stored, at the addresses that a timing model
//! gives them.
//!
//! Threads load from their own copy; this image is what a compressor between the caches and DRAM sees. A thread block
//! that takes over the place of another finds the bytes of the other there, as on a GPU.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// First address of local memory in device memory: between the constants and the global addresses.
pub const LOCAL_START: u64 = 0x4000_0000;
/// First address behind it.
pub const LOCAL_END: u64 = 0x8000_0000;

const WORD_BYTES: u64 = 4;
const CHUNK_WORDS: usize = 1 << 16;
const CHUNKS: usize = ((LOCAL_END - LOCAL_START) / WORD_BYTES) as usize / CHUNK_WORDS;

/// Words in chunks that exist from their first store on.
#[derive(Debug, Default)]
pub(super) struct LocalImage {
    chunks: OnceLock<Box<[OnceLock<Chunk>]>>,
}

type Chunk = Box<[AtomicU32]>;

impl LocalImage {
    /// Stores a word; an address outside of local memory is ignored.
    pub fn store(&self, address: u64, word: u32) {
        let Some((chunk, index)) = place(address) else { return };
        let chunks = self.chunks.get_or_init(|| (0..CHUNKS).map(|_| OnceLock::new()).collect());
        let zeros = || (0..CHUNK_WORDS).map(|_| AtomicU32::new(0)).collect();
        chunks[chunk].get_or_init(zeros)[index].store(word, Ordering::Relaxed);
    }

    /// The word at `address`; zero where nothing was stored.
    pub fn load(&self, address: u64) -> u32 {
        let chunk = |(chunk, index): (usize, usize)| Some((self.chunks.get()?[chunk].get()?, index));
        place(address).and_then(chunk).map_or(0, |(words, index)| words[index].load(Ordering::Relaxed))
    }
}

/// Chunk and word of an address.
fn place(address: u64) -> Option<(usize, usize)> {
    let offset = address.checked_sub(LOCAL_START).filter(|_| address < LOCAL_END)?;
    let word = (offset / WORD_BYTES) as usize;
    Some((word / CHUNK_WORDS, word % CHUNK_WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_is_there_and_nothing_else() {
        let image = LocalImage::default();
        assert_eq!(image.load(LOCAL_START), 0);
        image.store(LOCAL_END - 4, 7);
        image.store(LOCAL_END, 8);
        assert_eq!([LOCAL_END - 8, LOCAL_END - 4, LOCAL_END].map(|address| image.load(address)), [0, 7, 0]);
    }
}
