//! What a machine moves to and from DRAM: a bounded, evenly spaced sample of its blocks, and the same as bytes.
//!
//! | bytes | what, little-endian                       |
//! |-------|-------------------------------------------|
//! | 8     | blocks of the stream for each kept one    |
//! | 4     | N, the number of kept blocks, at most 32,768 |
//! | 128 N | the blocks                                |

use std::sync::{Arc, Mutex, PoisonError};

use shrinkwarp_sim::tap::DramTap;
use shrinkwarp_sim::{BLOCK_BYTES, Block, Packet};

/// The most blocks kept: 4 MiB of data.
pub const MOST_BLOCKS: usize = 32_768;

/// Every n-th block of a stream; n doubles whenever the sample is full, so that it always spans the whole stream.
#[derive(Debug)]
pub struct BlockSample {
    seen: u64,
    stride: u64,
    addresses: Vec<u64>,
    bytes: Vec<u8>,
}

impl Default for BlockSample {
    fn default() -> Self {
        Self { seen: 0, stride: 1, addresses: Vec::new(), bytes: Vec::new() }
    }
}

impl BlockSample {
    /// The next block of the stream.
    pub fn add(&mut self, address: u64, block: &[u8; BLOCK_BYTES]) {
        if self.seen.is_multiple_of(self.stride) {
            if self.addresses.len() == MOST_BLOCKS {
                self.halve();
            }
            if self.seen.is_multiple_of(self.stride) {
                self.addresses.push(address);
                self.bytes.extend_from_slice(block);
            }
        }
        self.seen += 1;
    }

    /// Keeps only blocks whose address has a property.
    pub fn retain(&mut self, has: impl Fn(u64) -> bool) {
        let kept: Vec<usize> =
            (0..self.addresses.len()).filter(|&index| has(self.addresses[index])).collect();
        self.keep(&kept);
    }

    /// The addresses of the blocks kept.
    pub fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// Blocks of the stream for each kept one, and the blocks kept.
    pub fn into_parts(self) -> (u64, Vec<u8>) {
        (self.stride, self.bytes)
    }

    /// The sample as bytes, without its addresses.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(12 + self.bytes.len());
        bytes.extend_from_slice(&self.stride.to_le_bytes());
        bytes.extend_from_slice(&(self.addresses.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.bytes);
        bytes
    }

    fn halve(&mut self) {
        self.stride *= 2;
        let kept: Vec<usize> = (0..self.addresses.len()).step_by(2).collect();
        self.keep(&kept);
    }

    fn keep(&mut self, kept: &[usize]) {
        self.addresses = kept.iter().map(|&index| self.addresses[index]).collect();
        self.bytes = kept
            .iter()
            .flat_map(|&index| self.bytes[index * BLOCK_BYTES..][..BLOCK_BYTES].to_vec())
            .collect();
    }
}

/// The stride and the blocks that these bytes are; none if they are not a sample.
pub fn parts_from_bytes(bytes: &[u8]) -> Option<(u64, Vec<u8>)> {
    let (stride, rest) = bytes.split_first_chunk::<8>()?;
    let (count, blocks) = rest.split_first_chunk::<4>()?;
    let count = u32::from_le_bytes(*count) as usize;
    let stride = u64::from_le_bytes(*stride);
    (stride > 0 && count <= MOST_BLOCKS && blocks.len() == count * BLOCK_BYTES)
        .then(|| (stride, blocks.to_vec()))
}

/// The tap through which the simulator shows its traffic. Clones share one sample.
#[derive(Clone, Debug, Default)]
pub struct TrafficTap(Arc<Mutex<BlockSample>>);

impl TrafficTap {
    /// What was seen so far; the tap begins anew.
    pub fn take(&self) -> BlockSample {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl DramTap for TrafficTap {
    fn transfer(&mut self, packet: &Packet, block: &Block) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(packet.address, block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_sample_still_spans_the_whole_stream_evenly() {
        let mut sample = BlockSample::default();
        for index in 0..100_000u64 {
            sample.add(index, &[(index % 251) as u8; BLOCK_BYTES]);
        }
        assert_eq!(sample.stride, 4);
        assert_eq!(sample.addresses, (0..100_000).step_by(4).collect::<Vec<u64>>());
        assert_eq!(sample.bytes[BLOCK_BYTES], 4);
    }

    #[test]
    fn blocks_of_other_addresses_leave() {
        let mut sample = BlockSample::default();
        sample.add(0, &[7; BLOCK_BYTES]);
        sample.add(128, &[0; BLOCK_BYTES]);
        sample.retain(|address| address == 128);
        assert_eq!((sample.addresses(), sample.bytes.len()), (&[128][..], BLOCK_BYTES));
    }

    #[test]
    fn a_sample_comes_back_from_its_bytes_and_damage_gives_none() {
        let mut sample = BlockSample::default();
        for index in 0..3 {
            sample.add(128 * u64::from(index), &[index; BLOCK_BYTES]);
        }
        let bytes = sample.to_bytes();
        assert_eq!(parts_from_bytes(&bytes), Some(sample.into_parts()));
        for length in 0..bytes.len() {
            assert_eq!(parts_from_bytes(&bytes[..length]), None);
        }
    }
}
