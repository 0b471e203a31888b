//! `--block`: the block sizes of the codec library on the command line.

use shrinkwarp_codec::BlockBytes;

/// Reads a block size in bytes.
pub fn parse_block(text: &str) -> Result<BlockBytes, String> {
    text.parse().ok().and_then(BlockBytes::from_bytes).ok_or("expected 32, 64 or 128".to_owned())
}
