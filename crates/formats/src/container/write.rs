//! Encoding a stream into a container.

use std::io::{self, Read, Write};

use rayon::prelude::*;
use shrinkwarp_codec::BlockCodec;
use shrinkwarp_codec::registry::CodecSpec;

use super::{FRAME_BLOCKS, FRAMES_AT_ONCE, frame, header};

/// Encodes with one codec.
pub struct Writer<'a> {
    /// The codec's spec, which the header records.
    pub spec: &'a CodecSpec,
    /// The codec made from it.
    pub codec: &'a dyn BlockCodec,
}

impl Writer<'_> {
    /// Encodes all of `input` and gives its length in bytes. `progress` hears of bytes done.
    pub fn encode(
        &self,
        input: &mut dyn Read,
        out: &mut dyn Write,
        progress: &dyn Fn(u64),
    ) -> io::Result<u64> {
        header::write(self.spec, self.codec, out)?;
        let block_bytes = self.spec.params.block.bytes();
        let frame_bytes = FRAME_BLOCKS * block_bytes;
        let mut batch = Vec::with_capacity(frame_bytes * FRAMES_AT_ONCE);
        let mut original_bytes = 0;
        let mut original_crc = flate2::Crc::new();
        loop {
            batch.clear();
            (&mut *input)
                .take((frame_bytes * FRAMES_AT_ONCE) as u64)
                .read_to_end(&mut batch)
                .map_err(|error| io::Error::other(format!("reading the input: {error}")))?;
            if batch.is_empty() {
                break;
            }
            original_bytes += batch.len() as u64;
            original_crc.update(&batch);
            progress(batch.len() as u64);
            batch.resize(batch.len().next_multiple_of(block_bytes), 0);
            let frames: Vec<Vec<u8>> =
                batch.par_chunks(frame_bytes).map(|data| frame::encode(self.codec, data)).collect();
            frames.iter().try_for_each(|frame| out.write_all(frame))?;
        }
        out.write_all(&0u32.to_le_bytes())?;
        out.write_all(&original_bytes.to_le_bytes())?;
        out.write_all(&original_crc.sum().to_le_bytes())?;
        Ok(original_bytes)
    }
}
