//! A bounded, evenly spaced sample of a stream of blocks.

use shrinkwarp_sim::BLOCK_BYTES;

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
}
