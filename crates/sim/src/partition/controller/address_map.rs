//! Which slice, bank and row an address belongs to.
//!
//! The bits below the interleave stay; those above are divided by the number of channels: the remainder is the channel,
//! the quotient takes their place. In the address so made, the map says where row, bank, column and burst bits lie:
//!
//! ```text
//! RRRRRRRRRRRR.BBBCCCCB.CCSSSSSS      GTX 480: row 27..16, bank 15..13 and 8, column 12..9 and 7..6, burst 5..0
//! ```
//!
//! The lowest bank bits choose the slice within the channel; a slice leaves them out of its set index.
//!
//! With `slice_index = "ipoly"`, the number of the slice so found is only where an address begins: the bits above the channel
//! and slice bits are hashed into it ([`ipoly`]), which gives another slice and with it another channel. Bank, row and set come
//! from the address as before.

use super::dram::config::{DramConfig, SliceIndex};
use crate::base::set_index::ipoly;

/// Bank and row of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Within the channel.
    pub bank: u8,
    /// Within the bank.
    pub row: u32,
}

/// The map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressMap {
    channels: u64,
    /// The logarithm of the channels, where they are a power of two: most addresses then need no division.
    channels_log2: Option<u32>,
    /// 2^64 divided by the channels and rounded up: a product in place of the division of a number of 32 bits.
    reciprocal: u64,
    slices_per_channel: u64,
    interleave_shift: u32,
    bank: BitField,
    row: BitField,
    /// The bits of the bank that choose the slice.
    slice: BitField,
    /// Their positions, highest first.
    slice_bits: Vec<u32>,
    slice_index: SliceIndex,
}

impl AddressMap {
    /// The map of a checked configuration.
    pub fn new(dram: &DramConfig) -> Self {
        let letters: Vec<char> = dram.address_map.chars().filter(|&letter| letter != '.').collect();
        let mask_of = |wanted: char| {
            let bits = letters.iter().rev().enumerate().filter(|(_, letter)| **letter == wanted);
            bits.fold(0u64, |mask, (position, _)| mask | 1 << position)
        };
        let bank_mask = mask_of('B');
        let slice_bit_count = dram.slices_per_channel.trailing_zeros() as usize;
        let mut slice_bits: Vec<u32> =
            (0..64).filter(|bit| bank_mask >> bit & 1 == 1).take(slice_bit_count).collect();
        slice_bits.reverse();
        Self {
            channels: dram.channels as u64,
            channels_log2: dram.channels.is_power_of_two().then(|| dram.channels.ilog2()),
            reciprocal: (u64::MAX / dram.channels as u64).wrapping_add(1),
            slices_per_channel: dram.slices_per_channel as u64,
            interleave_shift: dram.channel_interleave_bytes.trailing_zeros(),
            bank: BitField::new(bank_mask),
            row: BitField::new(mask_of('R')),
            slice: BitField::new(slice_bits.iter().fold(0, |mask, bit| mask | 1 << bit)),
            slice_bits,
            slice_index: dram.slice_index,
        }
    }

    /// The channel.
    pub fn channel(&self, address: u64) -> usize {
        match self.slice_index {
            SliceIndex::Linear => self.divide(address >> self.interleave_shift).1 as usize,
            SliceIndex::Ipoly => self.hashed_slice(address) / self.slices_per_channel as usize,
        }
    }

    /// The slice, counted over all channels.
    pub fn slice(&self, address: u64) -> usize {
        match self.slice_index {
            SliceIndex::Linear => {
                self.channel(address) * self.slices_per_channel as usize + self.slice_within_channel(address)
            }
            SliceIndex::Ipoly => self.hashed_slice(address),
        }
    }

    /// The slice by the hash of the address.
    fn hashed_slice(&self, address: u64) -> usize {
        let (number, slices) = (address >> self.interleave_shift, self.channels * self.slices_per_channel);
        let within = self.slice.extract(self.channel_address(address));
        let plain = self.divide(number).1 * self.slices_per_channel + within;
        // Most numbers of slices are powers of two, and this is asked for every request.
        let row = if slices.is_power_of_two() { number & !(slices - 1) } else { number / slices * slices };
        ipoly(row + plain, slices as usize)
    }

    /// The slice, counted within its channel.
    pub fn slice_within_channel(&self, address: u64) -> usize {
        if self.slices_per_channel == 1 {
            return 0;
        }
        if self.slice_index == SliceIndex::Ipoly {
            return self.hashed_slice(address) & (self.slices_per_channel as usize - 1);
        }
        self.slice.extract(self.channel_address(address)) as usize
    }

    /// Bank and row.
    pub fn location(&self, address: u64) -> Location {
        self.location_in_channel(self.channel_address(address))
    }

    /// Bank and row of an address from which the channel has been taken out.
    pub fn location_in_channel(&self, channel_address: u64) -> Location {
        Location {
            bank: self.bank.extract(channel_address) as u8,
            row: self.row.extract(channel_address) as u32,
        }
    }

    /// The address without the bits that chose channel and slice: consecutive lines of a slice lie in consecutive sets.
    pub fn set_index_address(&self, address: u64) -> u64 {
        let mut rest = self.channel_address(address);
        for &bit in &self.slice_bits {
            let low = (1 << bit) - 1;
            rest = (rest >> 1) & !low | rest & low;
        }
        rest
    }

    /// The address with the channel taken out: the bytes of a channel lie side by side.
    #[inline]
    pub fn channel_address(&self, address: u64) -> u64 {
        let low = (1 << self.interleave_shift) - 1;
        (self.divide(address >> self.interleave_shift).0 << self.interleave_shift) | (address & low)
    }

    /// A number divided by the channels: quotient and remainder.
    #[inline]
    fn divide(&self, number: u64) -> (u64, u64) {
        match (self.channels_log2, u32::try_from(number)) {
            (Some(log2), _) => (number >> log2, number & (self.channels - 1)),
            (None, Ok(number)) => {
                let number = u64::from(number);
                let quotient = ((u128::from(number) * u128::from(self.reciprocal)) >> 64) as u64;
                (quotient, number - quotient * self.channels)
            }
            (None, Err(_)) => (number / self.channels, number % self.channels),
        }
    }
}

/// Bits of an address that form a number, though they need not be neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BitField {
    /// Runs of neighbours: how far to shift right, and which bits of the number they are.
    runs: Vec<(u32, u64)>,
}

impl BitField {
    fn new(mask: u64) -> Self {
        let mut runs = Vec::new();
        let (mut rest, mut filled) = (mask, 0);
        while rest != 0 {
            let start = rest.trailing_zeros();
            let length = (rest >> start).trailing_ones();
            let ones = u64::MAX >> (64 - length);
            runs.push((start - filled, ones << filled));
            filled += length;
            rest &= !(ones << start);
        }
        Self { runs }
    }

    #[inline]
    fn extract(&self, address: u64) -> u64 {
        self.runs.iter().fold(0, |number, &(shift, bits)| number | address >> shift & bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load;

    fn gtx480() -> AddressMap {
        AddressMap::new(&load("gtx480", &[]).unwrap().dram)
    }

    #[test]
    fn channels_change_every_256_bytes_and_slices_every_round_of_channels() {
        let map = gtx480();
        let channels: Vec<_> = (0..8).map(|block| map.channel(block * 256)).collect();
        assert_eq!(channels, [0, 1, 2, 3, 4, 5, 0, 1]);
        assert_eq!((map.slice(0), map.slice(6 * 256), map.slice(12 * 256)), (0, 1, 0));
        assert_eq!(map.slice(7 * 256), 3);
    }

    #[test]
    fn bank_bits_are_8_and_13_to_15_of_the_address_without_the_channel() {
        let map = gtx480();
        // Quotients of the division by six begin at bit 8.
        let at = |rest: u64| map.location(((rest >> 8) * 6 * 256) | (rest & 0xff));
        assert_eq!(at(1 << 8), Location { bank: 1, row: 0 });
        assert_eq!(at(1 << 13), Location { bank: 2, row: 0 });
        assert_eq!(at(1 << 15), Location { bank: 8, row: 0 });
        assert_eq!(at(1 << 16), Location { bank: 0, row: 1 });
        assert_eq!(at(0x1eff), Location { bank: 0, row: 0 });
    }

    #[test]
    fn a_slice_uses_all_its_sets_for_a_contiguous_buffer() {
        let map = gtx480();
        let mut sets = [0; 64];
        for line in 0..12 * 64 * 4 {
            let address = line * 128;
            if map.slice(address) == 5 {
                sets[(map.set_index_address(address) / 128 % 64) as usize] += 1;
            }
        }
        assert_eq!(sets, [4; 64]);
    }

    #[test]
    fn one_slice_per_channel_needs_no_bank_bit() {
        let map = AddressMap::new(&load("e2mc-gtx580", &[]).unwrap().dram);
        assert_eq!((map.slice(0), map.slice(5 * 256), map.slice(6 * 256)), (0, 5, 0));
    }
}
