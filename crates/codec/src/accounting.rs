//! What an encoded size costs where it is stored or sent.
//!
//! A block whose encoding is not smaller than the block is kept raw; one bit of metadata outside the payload (cache
//! tag, metadata cache, packet head) says so. The functions here never count that bit; reports name it.

use crate::block::BlockBytes;

/// Memory access granularity: the smallest DRAM transfer, in bytes.
pub const MAG_BYTES: u32 = 32;

/// An interconnect packet's control bytes, sent ahead of its data.
pub const PACKET_CONTROL_BYTES: u32 = 8;

/// The bits a block occupies: its encoding, or the raw block where that is not larger.
#[inline]
pub fn stored_bits(size_bits: u32, block: BlockBytes) -> u32 {
    size_bits.min(block.bits())
}

/// Whether the block is kept raw.
#[inline]
pub fn is_raw(size_bits: u32, block: BlockBytes) -> bool {
    size_bits >= block.bits()
}

/// The bursts of `burst_bytes` that move `bits`; at least one, for there is always something to move.
#[inline]
pub fn bursts(bits: u32, burst_bytes: u32) -> u32 {
    bits.div_ceil(8 * burst_bytes).max(1)
}

/// The flits of a packet with `payload_bytes` of data behind its control bytes.
#[inline]
pub fn packet_flits(payload_bytes: u32, flit_bytes: u32) -> u32 {
    (PACKET_CONTROL_BYTES + payload_bytes).div_ceil(flit_bytes)
}

/// The bytes fetched from memory for a block: whole bursts of [`MAG_BYTES`].
#[inline]
pub fn mag_bytes(size_bits: u32, block: BlockBytes) -> u32 {
    bursts(stored_bits(size_bits, block), MAG_BYTES) * MAG_BYTES
}

/// The flits of a packet that carries the block.
#[inline]
pub fn flits(size_bits: u32, block: BlockBytes, flit_bytes: u32) -> u32 {
    packet_flits(stored_bits(size_bits, block).div_ceil(8), flit_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_65_bytes_costs_three_bursts() {
        assert_eq!(mag_bytes(65 * 8, BlockBytes::B128), 96);
        assert_eq!(mag_bytes(64 * 8, BlockBytes::B128), 64);
        assert_eq!(mag_bytes(2000, BlockBytes::B128), 128);
        assert_eq!(mag_bytes(0, BlockBytes::B128), 32);
    }

    #[test]
    fn payloads_take_the_flits_of_the_packet_table() {
        for (payload_bytes, expected) in [(24, 1), (25, 2), (56, 2), (88, 3), (120, 4), (121, 5), (128, 5)] {
            assert_eq!(flits(payload_bytes * 8, BlockBytes::B128, 32), expected, "{payload_bytes} B");
        }
    }
}
