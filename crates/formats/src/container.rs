//! The framed container: encoded blocks that can be kept and exchanged. `docs/formats/container.md` is its page.
//!
//! All integers are little-endian.
//!
//! | part    | field         | bytes     | meaning                                                             |
//! |---------|---------------|-----------|---------------------------------------------------------------------|
//! | header  | magic         | 8         | `SHRNKWRP`                                                          |
//! |         | version       | 2         | 1                                                                   |
//! |         | block         | 2         | block size in bytes: 32, 64 or 128                                  |
//! |         | spec length   | 2         | bytes of the codec spec, 1 to 256                                   |
//! |         | tables length | 4         | bytes of the trained tables, at most 64 MiB                         |
//! |         | spec          | …         | the codec and its parameters as text, such as `dsm:element=8`       |
//! |         | tables        | …         | the trained tables; empty for other codecs                          |
//! |         | checksum      | 4         | CRC-32 of the header up to here                                     |
//! | frame   | block count   | 4         | 1 to 8,192 blocks                                                   |
//! |         | payload bytes | 4         | the sum of the sizes below, rounded up to bytes                     |
//! |         | checksum      | 4         | CRC-32 of count, payload bytes, sizes and payload                   |
//! |         | sizes         | 2 × count | bits of each encoded block; the block's own bits mean *stored raw*  |
//! |         | payload       | …         | the encoded blocks, bit after bit; the last byte is filled with 0   |
//! | trailer | end mark      | 4         | 0, where a frame's count would stand                                |
//! |         | length        | 8         | bytes of the original; the last block was filled with zeros         |
//! |         | checksum      | 4         | CRC-32 of the original                                              |
//!
//! Frames bound what a reader must hold, and each is checked before a byte of it is used. The length comes last so
//! that a stream of unknown length can be encoded in one go.

mod error;
mod frame;
mod header;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use error::ContainerError;
pub use read::Reader;
pub use write::Writer;

const MAGIC: &[u8; 8] = b"SHRNKWRP";
const VERSION: u16 = 1;
const MAX_SPEC_BYTES: usize = 256;
const MAX_TABLES_BYTES: usize = 64 << 20;
/// Blocks in a full frame: 1 MiB of 128 B blocks.
const FRAME_BLOCKS: usize = 8192;
/// Frames that are encoded or decoded side by side.
const FRAMES_AT_ONCE: usize = 16;

/// Whether bytes have the checksum they came with. A fuzzer cannot guess checksums, so it is let through to what
/// they protect.
fn has_checksum(parts: &[&[u8]], checksum: &[u8]) -> bool {
    cfg!(shrinkwarp_fuzzing) || crc32(parts).to_le_bytes() == checksum
}

fn crc32(parts: &[&[u8]]) -> u32 {
    let mut crc = flate2::Crc::new();
    for part in parts {
        crc.update(part);
    }
    crc.sum()
}
