//! `bpc:reversed=1`: BPC over words whose four bytes are read in reverse order.
//!
//! The simulator of the DSM thesis (Devpura, "Packet Compression in GPU Architectures", Texas A&M 2017; a public copy of the
//! group's code) reads the words of a packet big-endian from little-endian memory. Differences then begin at what is the lowest byte of a
//! number, so neighbouring numbers give differences in the high planes. The format is that of `bpc` over the reversed words.

use super::Bpc32;
use crate::bits::{BitReader, BitWriter};
use crate::block::BlockBytes;
use crate::codec::BlockCodec;
use crate::error::DecodeError;

const WORD_BYTES: usize = 4;
const MOST_BYTES: usize = BlockBytes::B128.bytes();

/// BPC with the bytes of each word reversed.
#[derive(Clone, Debug)]
pub struct ReversedWords(Bpc32);

impl ReversedWords {
    /// The codec with the published code map.
    pub fn published(block: BlockBytes) -> Self {
        Self(Bpc32::published(block))
    }

    /// Calls `work` with the block's words reversed.
    fn with_reversed<R>(&self, block: &[u8], work: impl FnOnce(&Bpc32, &[u8]) -> R) -> R {
        let bytes = self.0.block_bytes().bytes();
        let mut turned = [0; MOST_BYTES];
        turned[..bytes].copy_from_slice(&block[..bytes]);
        reverse_words(&mut turned[..bytes]);
        work(&self.0, &turned[..bytes])
    }
}

impl BlockCodec for ReversedWords {
    fn block_bytes(&self) -> BlockBytes {
        self.0.block_bytes()
    }

    fn size_bits(&self, block: &[u8]) -> u32 {
        self.with_reversed(block, BlockCodec::size_bits)
    }

    fn compress(&self, block: &[u8], out: &mut BitWriter) {
        self.with_reversed(block, |bpc, words| bpc.compress(words, out));
    }

    fn decompress(&self, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
        self.0.decompress(bits, block)?;
        reverse_words(block);
        Ok(())
    }
}

fn reverse_words(block: &mut [u8]) {
    block.chunks_exact_mut(WORD_BYTES).for_each(<[u8]>::reverse);
}
