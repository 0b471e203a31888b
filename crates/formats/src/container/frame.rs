//! A frame: up to 8,192 blocks with their sizes and a checksum.

use std::io::Read;

use shrinkwarp_codec::{BitReader, BitWriter, BlockCodec, DecodeError, Encodings, accounting};

use super::header::read_exactly;
use super::{ContainerError, FRAME_BLOCKS, crc32, has_checksum};

/// The bytes of a frame that hold `data`, whole blocks.
pub(super) fn encode(codec: &dyn BlockCodec, data: &[u8]) -> Vec<u8> {
    let block = codec.block_bytes();
    let count = data.len() / block.bytes();
    let mut sizes = Vec::with_capacity(2 * count);
    let mut payload = BitWriter::with_capacity(data.len());
    for original in data.chunks_exact(block.bytes()) {
        let start = payload.len_bits();
        codec.compress(original, &mut payload);
        if accounting::is_raw((payload.len_bits() - start) as u32, block) {
            payload.truncate(start);
            payload.put_bytes(original);
        }
        sizes.extend_from_slice(&((payload.len_bits() - start) as u16).to_le_bytes());
    }
    let payload = payload.pad_to_bytes();
    let counts = [(count as u32).to_le_bytes(), (payload.len() as u32).to_le_bytes()].concat();
    let checksum = crc32(&[&counts, &sizes, payload]).to_le_bytes();
    [&counts[..], &checksum, &sizes, payload].concat()
}

/// A frame whose checksum and sizes are sound; its blocks are not decoded yet.
pub(super) struct Frame {
    index: u64,
    at_byte: u64,
    sizes: Vec<u16>,
    payload: Vec<u8>,
}

impl Frame {
    /// The bytes it takes in the container.
    pub(super) fn len_bytes(&self) -> u64 {
        (12 + 2 * self.sizes.len() + self.payload.len()) as u64
    }

    /// Reads the rest of a frame whose block count has been read.
    pub(super) fn read(
        input: &mut dyn Read,
        index: u64,
        at_byte: u64,
        count: [u8; 4],
        codec: &dyn BlockCodec,
    ) -> Result<Self, ContainerError> {
        let wrong = |what: String| ContainerError::format(at_byte, format!("frame {index}: {what}"));
        let name = format!("frame {index}");
        let blocks = u32::from_le_bytes(count) as usize;
        if blocks > FRAME_BLOCKS {
            return Err(wrong(format!("{blocks} blocks (at most {FRAME_BLOCKS})")));
        }
        let mut fixed = [0; 8];
        read_exactly(input, &mut fixed, at_byte, &name)?;
        let (payload_bytes, checksum) = fixed.split_at(4);
        let mut sizes_bytes = vec![0; 2 * blocks];
        read_exactly(input, &mut sizes_bytes, at_byte, &name)?;
        let sizes: Vec<u16> =
            sizes_bytes.as_chunks::<2>().0.iter().map(|size| u16::from_le_bytes(*size)).collect();
        let block_bits = codec.block_bytes().bits();
        if let Some(block) = sizes.iter().position(|&size| u32::from(size) > block_bits) {
            return Err(wrong(format!("block {block} has {} bits (at most {block_bits})", sizes[block])));
        }
        let total_bits: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        let mut payload = vec![0; total_bits.div_ceil(8) as usize];
        if (payload.len() as u32).to_le_bytes() != payload_bytes {
            return Err(wrong("its payload has another length than the sum of its blocks".to_owned()));
        }
        read_exactly(input, &mut payload, at_byte, &name)?;
        if !has_checksum(&[&count, payload_bytes, &sizes_bytes, &payload], checksum) {
            return Err(wrong("its checksum does not match: it is damaged".to_owned()));
        }
        Ok(Self { index, at_byte, sizes, payload })
    }

    /// The original blocks.
    pub(super) fn decode(&self, codec: &dyn BlockCodec) -> Result<Vec<u8>, ContainerError> {
        let block = codec.block_bytes();
        let mut data = vec![0; self.sizes.len() * block.bytes()];
        let is_raw = |size: u16| accounting::is_raw(u32::from(size), block);
        let (mut first, mut stream) = (0, Encodings::starting_at(&self.payload, 0));
        // Runs of blocks that are all raw or all coded: a codec decodes many at once faster than one by one.
        for sizes in self.sizes.chunk_by(|&left, &right| is_raw(left) == is_raw(right)) {
            let encodings: Vec<BitReader<'_>> = stream.cut(sizes).collect();
            let originals = &mut data[first * block.bytes()..(first + sizes.len()) * block.bytes()];
            let decoded = if is_raw(sizes[0]) {
                copy_each(encodings, originals, block.bytes())
            } else {
                codec.decompress_each(&encodings, originals)
            };
            decoded.map_err(|(index, error)| {
                let what = format!("frame {}, block {}: {error}", self.index, first + index);
                ContainerError::format(self.at_byte, what)
            })?;
            first += sizes.len();
        }
        Ok(data)
    }
}

/// Copies raw blocks; an error comes with its block's index.
fn copy_each(
    encodings: Vec<BitReader<'_>>,
    originals: &mut [u8],
    block_bytes: usize,
) -> Result<(), (usize, DecodeError)> {
    for (index, (mut bits, original)) in
        encodings.into_iter().zip(originals.chunks_exact_mut(block_bytes)).enumerate()
    {
        bits.take_bytes(original).map_err(|error| (index, error))?;
    }
    Ok(())
}
