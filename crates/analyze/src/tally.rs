//! What blocks cost, summed.

use shrinkwarp_codec::{BlockBytes, BlockCodec, accounting};

/// The interconnect's flit size, in bytes.
pub const FLIT_BYTES: u32 = 32;

/// Costs of raw and stored blocks, in the units of each place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Blocks, a partial one at the end included.
    pub blocks: u64,
    /// Blocks that stay raw.
    pub raw_blocks: u64,
    /// Bits of the data.
    pub data_bits: u64,
    /// Bits stored.
    pub stored_bits: u64,
    /// Bytes fetched from memory for the data, in bursts of 32 B.
    pub data_mag_bytes: u64,
    /// Bytes fetched for what is stored.
    pub stored_mag_bytes: u64,
    /// Flits of packets that carry the data.
    pub data_flits: u64,
    /// Flits of packets that carry what is stored.
    pub stored_flits: u64,
}

impl Tally {
    /// Whole blocks under a codec.
    pub fn of_blocks(codec: &dyn BlockCodec, data: &[u8], sizes: &mut Vec<u32>) -> Self {
        let block = codec.block_bytes();
        let raw_bits = block.bits();
        sizes.clear();
        sizes.resize(data.len() / block.bytes(), 0);
        codec.sizes_bits(data, sizes);
        let blocks = sizes.len() as u64;
        let mut tally = Self {
            blocks,
            data_bits: blocks * u64::from(raw_bits),
            data_mag_bytes: blocks * block.bytes() as u64,
            data_flits: blocks * u64::from(accounting::flits(raw_bits, block, FLIT_BYTES)),
            ..Self::default()
        };
        for &size in &*sizes {
            tally.raw_blocks += u64::from(accounting::is_raw(size, block));
            tally.stored_bits += u64::from(accounting::stored_bits(size, block));
            tally.stored_mag_bytes += u64::from(accounting::mag_bytes(size, block));
            tally.stored_flits += u64::from(accounting::flits(size, block, FLIT_BYTES));
        }
        tally
    }

    /// `len` bytes of data that no codec touches: whole blocks and a partial one.
    pub fn of_raw(len: u64, block: BlockBytes) -> Self {
        let whole = len / block.bytes() as u64;
        let tail = Self::of_tail(len % block.bytes() as u64);
        let flits = whole * u64::from(accounting::flits(block.bits(), block, FLIT_BYTES)) + tail.data_flits;
        let mag_bytes = whole * block.bytes() as u64 + tail.data_mag_bytes;
        Self {
            blocks: whole + tail.blocks,
            raw_blocks: whole + tail.blocks,
            data_bits: len * 8,
            stored_bits: len * 8,
            data_mag_bytes: mag_bytes,
            stored_mag_bytes: mag_bytes,
            data_flits: flits,
            stored_flits: flits,
        }
    }

    /// The bytes after the last whole block, stored raw.
    fn of_tail(len: u64) -> Self {
        let mag_bytes = len.next_multiple_of(u64::from(accounting::MAG_BYTES));
        let packet_bytes = len + u64::from(accounting::PACKET_CONTROL_BYTES);
        Self {
            blocks: u64::from(len > 0),
            data_mag_bytes: mag_bytes,
            data_flits: if len > 0 { packet_bytes.div_ceil(u64::from(FLIT_BYTES)) } else { 0 },
            ..Self::default()
        }
    }

    /// Adds another part of the data.
    pub fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.raw_blocks += other.raw_blocks;
        self.data_bits += other.data_bits;
        self.stored_bits += other.stored_bits;
        self.data_mag_bytes += other.data_mag_bytes;
        self.stored_mag_bytes += other.stored_mag_bytes;
        self.data_flits += other.data_flits;
        self.stored_flits += other.stored_flits;
    }

    /// Raw size over stored size; 1 for no data.
    pub fn raw_ratio(&self) -> f64 {
        ratio(self.data_bits, self.stored_bits)
    }

    /// Bytes fetched raw over bytes fetched, in bursts of 32 B.
    pub fn mag32_ratio(&self) -> f64 {
        ratio(self.data_mag_bytes, self.stored_mag_bytes)
    }

    /// Flits saved, as a share of the flits of raw packets.
    pub fn flits_saved(&self) -> f64 {
        1.0 - 1.0 / ratio(self.data_flits, self.stored_flits)
    }

    /// Blocks that stay raw, as a share of all.
    pub fn raw_share(&self) -> f64 {
        if self.blocks == 0 { 0.0 } else { self.raw_blocks as f64 / self.blocks as f64 }
    }
}

fn ratio(data: u64, stored: u64) -> f64 {
    if stored == 0 { 1.0 } else { data as f64 / stored as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shrinkwarp_codec::registry;

    #[test]
    fn a_zero_block_and_a_mixed_one_cost_what_the_formats_say() {
        let zero = registry::build("zero", BlockBytes::B128, &[]).unwrap();
        let mut data = vec![0; 256];
        data[128..].iter_mut().zip(0..).for_each(|(byte, value)| *byte = value);
        let tally = Tally::of_blocks(&*zero, &data, &mut Vec::new());
        let expected = Tally {
            blocks: 2,
            raw_blocks: 1,
            data_bits: 2048,
            stored_bits: 1 + 1024,
            data_mag_bytes: 256,
            stored_mag_bytes: 32 + 128,
            data_flits: 10,
            stored_flits: 1 + 5,
        };
        assert_eq!(tally, expected);
        assert_eq!(tally.flits_saved(), 0.4);
        assert_eq!(tally.raw_share(), 0.5);
    }

    #[test]
    fn a_tail_is_raw_and_rounded_up_to_bursts_and_flits() {
        let tally = Tally::of_raw(128 + 33, BlockBytes::B128);
        assert_eq!((tally.blocks, tally.raw_blocks), (2, 2));
        assert_eq!((tally.data_bits, tally.stored_mag_bytes), (161 * 8, 128 + 64));
        assert_eq!(tally.data_flits, 5 + 2);
        assert_eq!(Tally::of_raw(0, BlockBytes::B128), Tally::default());
        assert_eq!(Tally::default().raw_ratio(), 1.0);
    }
}
