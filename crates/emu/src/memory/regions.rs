//! Approximable regions: loads from them return values whose least significant bits are zero.
//!
//! Devpura, "Packet Compression in GPU Architectures", Texas A&M 2017, section 5: `cudaMalloc` gets the number of bits
//! as one more argument, and the GPU keeps a map of start, end and bits with 8 entries. The bytes in memory stay
//! exact; what crosses the network to a warp does not.
//!
//! | access                                         | sees                                              |
//! |------------------------------------------------|---------------------------------------------------|
//! | loads, vector loads, `cp.async`, `wmma.load`, texture fetches | the approximated value             |
//! | part of an element, or several elements at once | those bits of each element that are kept         |
//! | atomics                                        | the exact value: they are done where memory is    |
//! | stores and host copies                         | the exact bytes                                   |
//!
//! Only floating-point formats have an [`Approximation`], so integers cannot be declared approximable by mistake.
//! A region is an allocation, and allocations begin at multiples of 256 bytes: no block lies in two regions, and an
//! element never straddles two 8-byte words.

use shrinkwarp_codec::transform::{Approximation, FloatFormat};

use super::{Memory, MemoryError};

/// Entries of the map, unless configured otherwise.
pub const DEFAULT_REGION_ENTRIES: usize = 8;

/// The map of one device.
#[derive(Debug)]
pub(super) struct RegionMap {
    regions: Vec<Region>,
    entries: usize,
}

/// Addresses `start .. end` and what loads do there.
#[derive(Debug)]
struct Region {
    start: u64,
    end: u64,
    approximation: Approximation,
    /// The bits that loads keep, for the elements of one aligned 8-byte word.
    kept: u64,
}

impl Default for RegionMap {
    fn default() -> Self {
        Self { regions: Vec::new(), entries: DEFAULT_REGION_ENTRIES }
    }
}

impl RegionMap {
    fn find(&self, address: u64) -> Option<&Region> {
        self.regions.iter().find(|region| (region.start..region.end).contains(&address))
    }

    pub(super) fn remove(&mut self, start: u64) {
        self.regions.retain(|region| region.start != start);
    }
}

impl Region {
    fn new(start: u64, bytes: u64, approximation: Approximation) -> Self {
        let mut word = [0xff; 8];
        approximation.apply(&mut word);
        // A block is fetched whole, so the map knows whole blocks; nothing else lies in the last one.
        let end = (start + bytes.max(1)).next_multiple_of(super::ALLOCATION_ALIGN);
        Self { start, end, approximation, kept: u64::from_le_bytes(word) }
    }
}

impl Memory {
    /// Zeroed memory for elements whose `bits` least significant bits loads see as zero.
    pub fn alloc_approximable(
        &mut self,
        bytes: u64,
        element: FloatFormat,
        bits: u32,
    ) -> Result<u64, MemoryError> {
        let approximation = Approximation::new(element, bits)
            .map_err(|error| MemoryError::BadApproximation { reason: error.to_string() })?;
        if self.regions.regions.len() >= self.regions.entries {
            return Err(MemoryError::TooManyRegions { entries: self.regions.entries });
        }
        let start = self.alloc(bytes)?;
        self.regions.regions.push(Region::new(start, bytes, approximation));
        Ok(start)
    }

    /// Sets how many approximable regions there can be at once. Regions that exist stay.
    pub fn set_region_entries(&mut self, entries: usize) {
        self.regions.entries = entries;
    }

    /// How the block at this address is approximated; `None` where it must stay exact.
    pub fn approximation_of(&self, address: u64) -> Option<Approximation> {
        self.regions.find(address).map(|region| region.approximation)
    }

    /// Whether any loads are approximated.
    #[inline]
    pub(crate) fn has_regions(&self) -> bool {
        !self.regions.regions.is_empty()
    }

    /// What a load of 1, 2, 4 or 8 aligned bytes from global memory sees of the value stored there.
    pub(crate) fn approximated(&self, address: u64, value: u64) -> u64 {
        match self.regions.find(address) {
            Some(region) => value & region.kept >> (8 * (address & 7)),
            None => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ninth_region_is_an_error_that_says_so_and_freeing_makes_room() {
        let mut memory = Memory::default();
        let first = memory.alloc_approximable(4, FloatFormat::F32, 8).unwrap();
        for _ in 1..DEFAULT_REGION_ENTRIES {
            memory.alloc_approximable(4, FloatFormat::F32, 8).unwrap();
        }
        let error = memory.alloc_approximable(4, FloatFormat::F32, 8).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the table of approximable regions is full: it has 8 entries; free a region or configure more entries"
        );
        memory.free(first).unwrap();
        assert_eq!(memory.approximation_of(first), None);
        memory.alloc_approximable(4, FloatFormat::F32, 8).unwrap();
        memory.set_region_entries(9);
        assert!(memory.alloc_approximable(4, FloatFormat::F32, 8).is_ok());
        assert!(memory.alloc_approximable(4, FloatFormat::F32, 8).is_err());
    }

    #[test]
    fn blocks_know_their_approximation_and_neighbours_stay_exact() {
        let mut memory = Memory::default();
        let before = memory.alloc(256).unwrap();
        let region = memory.alloc_approximable(264, FloatFormat::F64, 20).unwrap();
        let after = memory.alloc(256).unwrap();
        let known = memory.approximation_of(region).unwrap();
        assert_eq!((known.format(), known.bits()), (FloatFormat::F64, 20));
        // The region ends inside its third block of 128 bytes.
        assert!(memory.approximation_of(region + 256).is_some());
        assert_eq!((memory.approximation_of(before), memory.approximation_of(after)), (None, None));
    }

    #[test]
    fn a_load_of_any_width_keeps_the_high_bits_of_every_element() {
        let mut memory = Memory::default();
        let at = memory.alloc_approximable(64, FloatFormat::F32, 12).unwrap();
        assert_eq!(memory.approximated(at, 0xffff_ffff), 0xffff_f000);
        assert_eq!(memory.approximated(at, u64::MAX), 0xffff_f000_ffff_f000);
        assert_eq!(memory.approximated(at + 4, 0xffff_ffff), 0xffff_f000);
        assert_eq!(memory.approximated(at + 4, 0xffff), 0xf000);
        assert_eq!(memory.approximated(at + 6, 0xffff), 0xffff);
        assert_eq!(memory.approximated(at + 9, 0xff), 0xf0);
    }

    #[test]
    fn a_number_of_bits_that_the_format_lacks_is_refused() {
        let mut memory = Memory::default();
        let error = memory.alloc_approximable(64, FloatFormat::Bf16, 8).unwrap_err();
        assert_eq!(error.to_string(), "approximation of bf16 by 8 bits is not allowed (allowed: 4)");
    }
}
