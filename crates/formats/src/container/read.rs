//! Decoding a container, frame by frame.

use std::io::{Read, Write};

use rayon::prelude::*;
use shrinkwarp_codec::BlockCodec;
use shrinkwarp_codec::registry::CodecSpec;

use super::frame::Frame;
use super::header::{self, read_exactly};
use super::{ContainerError, FRAMES_AT_ONCE};

/// An open container.
pub struct Reader<R> {
    input: R,
    spec: CodecSpec,
    codec: Box<dyn BlockCodec>,
    at_byte: u64,
    frames: u64,
    is_at_end: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    pub fn open(mut input: R) -> Result<Self, ContainerError> {
        let header = header::read(&mut input)?;
        Ok(Self {
            input,
            spec: header.spec,
            codec: header.codec,
            at_byte: header.len_bytes,
            frames: 0,
            is_at_end: false,
        })
    }

    /// The codec that the container names.
    pub fn spec(&self) -> &CodecSpec {
        &self.spec
    }

    /// Writes the original to `out` and gives its length. `progress` hears of bytes done.
    pub fn decode(mut self, out: &mut dyn Write, progress: &dyn Fn(u64)) -> Result<u64, ContainerError> {
        let mut original = Original::new(self.codec.block_bytes().bytes());
        loop {
            let batch = self.next_frames()?;
            if batch.is_empty() {
                break;
            }
            let codec = &*self.codec;
            let decoded: Vec<Vec<u8>> =
                batch.par_iter().map(|frame| frame.decode(codec)).collect::<Result<_, _>>()?;
            for data in decoded {
                progress(data.len() as u64);
                original.append(data, out)?;
            }
        }
        self.trailer(original, out)
    }

    /// Up to a batch of frames; none after the end mark.
    fn next_frames(&mut self) -> Result<Vec<Frame>, ContainerError> {
        let mut batch = Vec::new();
        while batch.len() < FRAMES_AT_ONCE && !self.is_at_end {
            let mut count = [0; 4];
            let name = format!("the count of frame {}", self.frames);
            read_exactly(&mut self.input, &mut count, self.at_byte, &name)?;
            self.is_at_end = count == [0; 4];
            if self.is_at_end {
                break;
            }
            let frame = Frame::read(&mut self.input, self.frames, self.at_byte, count, &*self.codec)?;
            self.at_byte += frame.len_bytes();
            self.frames += 1;
            batch.push(frame);
        }
        Ok(batch)
    }

    /// Checks length and checksum, and writes what is left of the last block.
    fn trailer(mut self, original: Original, out: &mut dyn Write) -> Result<u64, ContainerError> {
        let at_byte = self.at_byte + 4;
        let mut trailer = [0; 12];
        read_exactly(&mut self.input, &mut trailer, at_byte, "the trailer")?;
        let (length, checksum) = trailer.split_at(8);
        let mut eight = [0; 8];
        eight.copy_from_slice(length);
        let length = u64::from_le_bytes(eight);
        let sum = original.finish(length, at_byte, out)?;
        if !cfg!(shrinkwarp_fuzzing) && sum.to_le_bytes() != checksum {
            let what = "the original's checksum does not match: the container is damaged";
            return Err(ContainerError::format(at_byte + 8, what));
        }
        if self.input.read(&mut [0])? != 0 {
            return Err(ContainerError::format(at_byte + 12, "bytes follow the end of the container"));
        }
        Ok(length)
    }
}

/// The decoded bytes; the last block waits, because only the trailer says how much of it is real.
struct Original {
    block_bytes: usize,
    written: u64,
    last_block: Vec<u8>,
    crc: flate2::Crc,
}

impl Original {
    fn new(block_bytes: usize) -> Self {
        Self { block_bytes, written: 0, last_block: Vec::new(), crc: flate2::Crc::new() }
    }

    fn append(&mut self, mut data: Vec<u8>, out: &mut dyn Write) -> Result<(), ContainerError> {
        let waiting = std::mem::take(&mut self.last_block);
        self.last_block = data.split_off(data.len() - self.block_bytes);
        for part in [waiting, data] {
            self.write(&part, out)?;
        }
        Ok(())
    }

    fn write(&mut self, data: &[u8], out: &mut dyn Write) -> Result<(), ContainerError> {
        self.crc.update(data);
        self.written += data.len() as u64;
        Ok(out.write_all(data)?)
    }

    fn finish(mut self, length: u64, at_byte: u64, out: &mut dyn Write) -> Result<u32, ContainerError> {
        let last = std::mem::take(&mut self.last_block);
        let real = length.checked_sub(self.written).unwrap_or(u64::MAX);
        let is_possible = if last.is_empty() { real == 0 } else { (1..=last.len() as u64).contains(&real) };
        if !is_possible {
            let what = format!("a length of {length} bytes does not fit the blocks before it");
            return Err(ContainerError::format(at_byte, what));
        }
        self.write(&last[..real as usize], out)?;
        Ok(self.crc.sum())
    }
}
