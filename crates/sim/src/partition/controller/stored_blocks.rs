//! How much of its place each block of device memory takes.
//!
//! Metadata say in two bits how many quarters of a block, 32 bytes each, are to be fetched:
//!
//! | encoding, bytes | quarters fetched | metadata |
//! |-----------------|------------------|----------|
//! | 0 ..= 32        | 1                | `00`     |
//! | 33 ..= 64       | 2                | `01`     |
//! | 65 ..= 96       | 3                | `10`     |
//! | more, or raw    | 4                | `11`     |
//!
//! A block keeps its place whatever it takes, so bandwidth is saved and capacity is not. With bursts of 64 bytes three
//! quarters cost as many bursts as four; such a block stays raw.
//!
//! Here the length of the encoding is kept in bits, which the compression ratios need. Only global and local memory have encodings:
//! the bytes of code and constants are not in device memory, and their blocks are raw. So is a block of which
//! nothing is known.

use std::collections::BTreeMap;

use super::AddressMap;
use crate::base::codec_unit::bursts;
use crate::base::{BLOCK_BITS, BLOCK_BYTES, BlockAddress};

/// What the metadata count in.
pub const QUARTER_BYTES: u32 = BLOCK_BYTES as u32 / 4;

/// The length of a block's encoding, [`BLOCK_BITS`] where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodedBits(pub u32);

impl EncodedBits {
    /// A block as it is.
    pub const RAW: Self = Self(BLOCK_BITS);
}

/// How encodings are laid out in DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes that one command moves.
    pub burst_bytes: u32,
    /// A longer encoding is not worth having.
    pub threshold_bytes: u32,
}

impl Layout {
    /// Commands that fetch a block.
    pub fn bursts(self, encoded: EncodedBits) -> u32 {
        let is_raw = encoded.0 > 8 * self.threshold_bytes;
        let bits = if is_raw { BLOCK_BITS } else { 8 * QUARTER_BYTES * bursts(encoded.0, QUARTER_BYTES) };
        bursts(bits, self.burst_bytes)
    }

    /// Commands that fetch a raw block.
    pub fn raw_bursts(self) -> u32 {
        self.bursts(EncodedBits::RAW)
    }

    /// Whether the block is stored compressed: that its encoding saves a command.
    pub fn is_compressed(self, encoded: EncodedBits) -> bool {
        self.bursts(encoded) < self.raw_bursts()
    }
}

/// The blocks of one channel, in pages: a host may share memory at any address.
#[derive(Clone, Debug)]
pub struct StoredBlocks {
    map: AddressMap,
    pages: BTreeMap<u64, Box<Page>>,
}

/// Bits of the encodings of neighbouring blocks.
type Page = [u16; PAGE_BLOCKS as usize];

const PAGE_BLOCKS: u64 = 4096;

/// In place of the bits of a block that was not stored yet.
const UNKNOWN: u16 = u16::MAX;

impl StoredBlocks {
    /// Nothing has been written.
    pub fn new(map: AddressMap) -> Self {
        Self { map, pages: BTreeMap::new() }
    }

    /// The encoding of a block.
    pub fn encoded(&self, address: BlockAddress) -> EncodedBits {
        self.known(address).unwrap_or(EncodedBits::RAW)
    }

    /// The encoding of a block, if it was ever stored.
    pub fn known(&self, address: BlockAddress) -> Option<EncodedBits> {
        let (page, index) = self.place_of(address);
        let bits = self.pages.get(&page)?[index];
        (bits != UNKNOWN).then_some(EncodedBits(u32::from(bits)))
    }

    /// Replaces the encoding of a block.
    pub fn store(&mut self, address: BlockAddress, encoded: EncodedBits) {
        let (page, index) = self.place_of(address);
        let unknown = || Box::new([UNKNOWN; PAGE_BLOCKS as usize]);
        self.pages.entry(page).or_insert_with(unknown)[index] = encoded.0 as u16;
    }

    /// Page and index of a block; blocks are numbered within their channel.
    fn place_of(&self, address: BlockAddress) -> (u64, usize) {
        let number = self.map.channel_address(address.first_byte()) / BLOCK_BYTES as u64;
        (number / PAGE_BLOCKS, (number % PAGE_BLOCKS) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load;
    use shrinkwarp_emu::memory::GLOBAL_START;

    const MAG_32: Layout = Layout { burst_bytes: 32, threshold_bytes: 96 };
    const MAG_64: Layout = Layout { burst_bytes: 64, threshold_bytes: 96 };

    fn bytes(bytes: u32) -> EncodedBits {
        EncodedBits(8 * bytes)
    }

    #[test]
    fn a_block_of_65_bytes_costs_96() {
        assert_eq!(MAG_32.bursts(bytes(65)) * MAG_32.burst_bytes, 96);
    }

    #[test]
    fn each_range_of_ratios_fetches_its_bytes() {
        // Compression ratio from, up to, bytes fetched: table II of the E2MC paper.
        for (least, most, fetched) in [(1.0, 1.33, 128), (1.34, 1.99, 96), (2.0, 3.99, 64), (4.0, 1024.0, 32)]
        {
            for ratio in [least, most] {
                let encoded = EncodedBits((f64::from(BLOCK_BITS) / ratio).ceil() as u32);
                assert_eq!(MAG_32.bursts(encoded) * 32, fetched, "ratio {ratio}");
            }
        }
    }

    #[test]
    fn a_bit_beyond_the_threshold_is_raw() {
        assert!(MAG_32.is_compressed(bytes(96)));
        assert!(!MAG_32.is_compressed(EncodedBits(8 * 96 + 1)));
        assert!(!MAG_32.is_compressed(EncodedBits::RAW));
    }

    #[test]
    fn bursts_of_64_bytes_know_halves_only() {
        assert_eq!([1, 64, 65, 96, 128].map(|size| MAG_64.bursts(bytes(size))), [1, 1, 2, 2, 2]);
        assert!(!MAG_64.is_compressed(bytes(65)));
    }

    #[test]
    fn blocks_are_raw_until_something_is_known_of_them() {
        let map = AddressMap::new(&load("e2mc-gtx580-192", &[]).unwrap().dram);
        let mut blocks = StoredBlocks::new(map);
        // The next block of the same channel lies twelve interleaves further.
        let [first, second] = [GLOBAL_START, GLOBAL_START + 12 * 256].map(BlockAddress::of);
        blocks.store(second, bytes(40));
        assert_eq!([first, second].map(|address| blocks.encoded(address)), [EncodedBits::RAW, bytes(40)]);
        assert_eq!([first, second].map(|address| blocks.known(address)), [None, Some(bytes(40))]);
        assert_eq!(blocks.encoded(BlockAddress::of(0x4000_0000)), EncodedBits::RAW);
    }
}
