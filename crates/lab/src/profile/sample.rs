//! A bounded, evenly spaced sample of a stream of blocks.

use shrinkwarp_sim::BLOCK_BYTES;

/// The most blocks kept: 4 MiB of data.
const MOST_BLOCKS: usize = 32_768;

/// Every n-th block of a stream; n doubles whenever the sample is full, so that it always spans the whole stream.
#[derive(Debug)]
pub struct Sample {
    seen: u64,
    stride: u64,
    addresses: Vec<u64>,
    bytes: Vec<u8>,
}

impl Default for Sample {
    fn default() -> Self {
        Self { seen: 0, stride: 1, addresses: Vec::new(), bytes: Vec::new() }
    }
}

impl Sample {
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

    /// Blocks of the stream that the kept ones represent.
    pub fn blocks(&self) -> u64 {
        self.addresses.len() as u64 * self.stride
    }

    /// Keeps only blocks whose address has a property.
    pub fn retain(&mut self, has: impl Fn(u64) -> bool) {
        let kept: Vec<usize> =
            (0..self.addresses.len()).filter(|&index| has(self.addresses[index])).collect();
        self.keep(&kept);
    }

    /// The blocks kept, one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Share of the blocks kept whose address has a property.
    pub fn share_in(&self, has: impl Fn(u64) -> bool) -> f64 {
        let count = self.addresses.iter().filter(|&&address| has(address)).count();
        count as f64 / self.addresses.len().max(1) as f64
    }

    /// Share of 32-bit words that are zero.
    pub fn zero_word_share(&self) -> f64 {
        let (words, _) = self.bytes.as_chunks::<4>();
        words.iter().filter(|word| **word == [0; 4]).count() as f64 / words.len().max(1) as f64
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
        let mut sample = Sample::default();
        for index in 0..100_000u64 {
            sample.add(index, &[(index % 251) as u8; BLOCK_BYTES]);
        }
        assert_eq!(sample.blocks(), 100_000);
        assert_eq!(sample.stride, 4);
        assert_eq!(sample.addresses, (0..100_000).step_by(4).collect::<Vec<u64>>());
        assert_eq!(sample.bytes[BLOCK_BYTES], 4);
    }

    #[test]
    fn zero_words_and_addresses_are_counted_as_shares() {
        let mut sample = Sample::default();
        let mut half = [0u8; BLOCK_BYTES];
        half[..64].fill(7);
        sample.add(0, &half);
        sample.add(128, &[0; BLOCK_BYTES]);
        assert_eq!(sample.zero_word_share(), 0.75);
        assert_eq!(sample.share_in(|address| address < 128), 0.5);
        sample.retain(|address| address == 128);
        assert_eq!((sample.blocks(), sample.zero_word_share()), (1, 1.0));
    }
}
