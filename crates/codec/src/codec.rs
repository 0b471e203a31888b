//! The contract of every codec.

use crate::bits::{BitReader, BitWriter};
use crate::block::BlockBytes;
use crate::error::DecodeError;
use crate::word_counts::{LearnsFrom, WordCounts};

/// A block codec: an immutable value that turns one block into bits and back.
///
/// Invariants, tested for every registered codec:
/// - `compress` never fails and appends exactly `size_bits` bits; these may be more than the block has (the raw
///   escape lives outside the payload, see [`crate::accounting`]);
/// - `decompress` consumes exactly the reader's bits or returns an error, for any bits whatsoever; it never panics,
///   never reads outside them, and accepts only what `compress` writes for the block it returns
///   or, where the format has several encodings of one block, another encoding of that block;
/// - blocks are exactly [`BlockCodec::block_bytes`] long. Other lengths are a caller's bug.
///
/// A codec has its own `size_bits` or its own `sizes_bits`; each is made from the other by default.
pub trait BlockCodec: Send + Sync {
    /// The block size this value was made for.
    fn block_bytes(&self) -> BlockBytes;

    /// The length of the encoding in bits: the fast path.
    fn size_bits(&self, block: &[u8]) -> u32 {
        let mut size = [0];
        self.sizes_bits(&block[..self.block_bytes().bytes()], &mut size);
        size[0]
    }

    /// Appends the encoding of `block`.
    fn compress(&self, block: &[u8], out: &mut BitWriter);

    /// Appends the encoding of each whole block of `blocks`, one after the other, and puts the bits of each into
    /// `sizes`, which has an element for every block. Override it where one call over many blocks is faster.
    fn compress_each(&self, blocks: &[u8], out: &mut BitWriter, sizes: &mut [u32]) {
        for (block, size) in blocks.chunks_exact(self.block_bytes().bytes()).zip(sizes) {
            let start = out.len_bits();
            self.compress(block, out);
            *size = (out.len_bits() - start) as u32;
        }
    }

    /// Decodes one block from all the bits of `bits`.
    fn decompress(&self, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError>;

    /// Decodes one block from all the bits of each of `encodings`, into consecutive blocks of `blocks`. An error comes
    /// with the index of the first block that has one; what is then in that block and those after it is unspecified.
    /// Override it where several blocks side by side are faster.
    fn decompress_each(
        &self,
        encodings: &[BitReader<'_>],
        blocks: &mut [u8],
    ) -> Result<(), (usize, DecodeError)> {
        let blocks = blocks.chunks_exact_mut(self.block_bytes().bytes());
        for (index, (bits, block)) in encodings.iter().zip(blocks).enumerate() {
            self.decompress(&mut bits.clone(), block).map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// `size_bits` of each whole block of `data`, into `sizes`. Override it where one call over many blocks is faster.
    fn sizes_bits(&self, data: &[u8], sizes: &mut [u32]) {
        for (block, size) in data.chunks_exact(self.block_bytes().bytes()).zip(sizes) {
            *size = self.size_bits(block);
        }
    }

    /// The trained tables, in the form that the registry's loader takes back. Empty for codecs without training.
    fn tables(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Collects statistics over a sample and makes the codec from them.
pub trait Trainer: Send {
    /// Adds whole blocks to the sample.
    fn observe(&mut self, blocks: &[u8]);

    /// What it learns from. Trainers that count words can share the counts of one sample.
    fn learns_from(&self) -> LearnsFrom {
        LearnsFrom::Blocks
    }

    /// Adds a sample that was counted for [`Trainer::learns_from`], instead of observing it. A trainer that learns from blocks
    /// ignores it.
    fn observe_counts(&mut self, _counts: &WordCounts) {}

    /// Builds the codec. The same sample gives the same codec on every machine.
    fn finish(self: Box<Self>) -> Box<dyn BlockCodec>;
}
