//! A codec that gains nothing.

use shrinkwarp_codec::{BitReader, BitWriter, BlockBytes, BlockCodec, DecodeError};

/// A codec that needs a bit more than the block.
pub struct NeverSmaller;

impl BlockCodec for NeverSmaller {
    fn block_bytes(&self) -> BlockBytes {
        BlockBytes::B128
    }

    fn size_bits(&self, _block: &[u8]) -> u32 {
        1025
    }

    fn compress(&self, _block: &[u8], _out: &mut BitWriter) {}

    fn decompress(&self, _bits: &mut BitReader<'_>, _block: &mut [u8]) -> Result<(), DecodeError> {
        Ok(())
    }
}
