//! The metadata cache: how many bursts each block takes, for the blocks that were requested lately.
//!
//! Metadata are two bits per block ([`super::stored_blocks`]). A line of the cache holds those of neighbouring blocks of the
//! channel: 32 bytes know 128 blocks, which are 16 KiB of data. Metadata lie in DRAM rows of their own, in the same
//! channel as what they describe, line after line, spread over the banks by the address map.
//!
//! | access                   | line is here | on its way                  | not here                                    |
//! |--------------------------|--------------|-----------------------------|---------------------------------------------|
//! | needs the size           | goes on      | waits for it                | the line is fetched, the access waits       |
//! | replaces the whole block | goes on      | goes on                     | the line is fetched, the access goes on     |
//!
//! A line is dirty when a size in it has changed; a dirty line that makes room is written back. Replacement is LRU.
//! A look-up takes no time of its own: it is part of the controller's fixed delay.

use super::address_map::{AddressMap, Location};
use crate::base::tags::{LineAddress, LineState, LineStore, Probe, TagArray};
use crate::base::{BLOCK_BYTES, Cycle};

/// Bits that say how many bursts a block takes.
const BITS_PER_BLOCK: u64 = 2;

/// Marks rows that hold metadata: no row of data has this bit.
const METADATA_ROW: u32 = 1 << 31;

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataSpec {
    /// Number of sets.
    pub sets: usize,
    /// Lines in a set.
    pub ways: usize,
    /// Bytes of a line.
    pub line_bytes: usize,
}

impl MetadataSpec {
    /// The line that knows the block at `address`.
    pub fn line_of(&self, map: &AddressMap, address: u64) -> MetadataLine {
        let blocks_per_line = 8 * self.line_bytes as u64 / BITS_PER_BLOCK;
        MetadataLine(map.channel_address(address) / (BLOCK_BYTES as u64 * blocks_per_line))
    }

    /// Where a line lies in DRAM.
    pub fn location(&self, map: &AddressMap, line: MetadataLine) -> Location {
        let Location { bank, row } = map.location_in_channel(line.0 * self.line_bytes as u64);
        Location { bank, row: row | METADATA_ROW }
    }

    /// The address of a line among the metadata of its channel.
    fn address_of(&self, line: MetadataLine) -> LineAddress {
        LineAddress::of(line.0 * self.line_bytes as u64, self.line_bytes)
    }

    /// The line at an address among the metadata of its channel.
    fn line_at(&self, address: LineAddress) -> MetadataLine {
        MetadataLine(address.first_byte() / self.line_bytes as u64)
    }
}

/// Number of a line of metadata within its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataLine(pub u64);

/// What a look-up finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookUp {
    /// The line is here.
    Hit,
    /// It has been requested.
    OnItsWay,
    /// It must be fetched, and the dirty line that made room written back.
    Miss {
        /// The line that leaves.
        dirty: Option<MetadataLine>,
    },
    /// It cannot be fetched: every line of its set is on its way. Ask again.
    NoRoom,
}

/// The cache of one controller.
#[derive(Clone, Debug)]
pub struct MetadataCache {
    spec: MetadataSpec,
    tags: TagArray,
    /// Lines on their way that will be dirty when they are here.
    changed_on_their_way: Vec<MetadataLine>,
    /// Look-ups so far: the time that LRU goes by.
    uses: u64,
}

impl MetadataCache {
    /// An empty cache.
    pub fn new(spec: MetadataSpec) -> Self {
        Self { spec, tags: TagArray::new(spec.sets, spec.ways), changed_on_their_way: Vec::new(), uses: 0 }
    }

    /// What was configured.
    pub fn spec(&self) -> &MetadataSpec {
        &self.spec
    }

    /// Looks for a line; one that is not here is on its way afterwards, if there is room for it.
    pub fn look_up(&mut self, line: MetadataLine) -> LookUp {
        let now = self.next_use();
        match self.probe(line) {
            Probe::Hit(index) => {
                self.tags.touch(index, now);
                LookUp::Hit
            }
            Probe::HitReserved(index) => {
                self.tags.touch(index, now);
                LookUp::OnItsWay
            }
            Probe::Miss(index) => {
                let dirty = self.tags.reserve(index, self.spec.address_of(line), now);
                LookUp::Miss { dirty: dirty.map(|address| self.spec.line_at(address)) }
            }
            Probe::SectorMiss(_) | Probe::AllReserved => LookUp::NoRoom,
        }
    }

    /// A line that was fetched is here.
    pub fn arrive(&mut self, line: MetadataLine) {
        let Probe::HitReserved(index) = self.probe(line) else { return };
        let has_changed = self.changed_on_their_way.contains(&line);
        self.changed_on_their_way.retain(|changed| *changed != line);
        self.tags.set_state(index, if has_changed { LineState::Modified } else { LineState::Valid });
    }

    /// A size in a line has changed. Returns whether the cache will see to it; if not, the line has left meanwhile, and
    /// the change must be written to DRAM.
    pub fn change(&mut self, line: MetadataLine) -> bool {
        match self.probe(line) {
            Probe::Hit(index) => self.tags.set_state(index, LineState::Modified),
            Probe::HitReserved(_) if self.changed_on_their_way.contains(&line) => {}
            Probe::HitReserved(_) => self.changed_on_their_way.push(line),
            Probe::SectorMiss(_) | Probe::Miss(_) | Probe::AllReserved => return false,
        }
        true
    }

    /// The host has written blocks of a line: it is here, as after any write, and DRAM has it too.
    pub fn install(&mut self, line: MetadataLine) {
        let now = self.next_use();
        match self.probe(line) {
            Probe::Hit(index) => self.tags.touch(index, now),
            Probe::Miss(index) => self.tags.install(index, self.spec.address_of(line), now),
            Probe::HitReserved(_) | Probe::SectorMiss(_) | Probe::AllReserved => {}
        }
    }

    fn probe(&self, line: MetadataLine) -> Probe {
        self.tags.probe((line.0 % self.spec.sets as u64) as usize, self.spec.address_of(line))
    }

    fn next_use(&mut self) -> Cycle {
        self.uses += 1;
        Cycle(self.uses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load;

    /// Two sets of two lines.
    fn cache() -> MetadataCache {
        MetadataCache::new(MetadataSpec { sets: 2, ways: 2, line_bytes: 32 })
    }

    fn fetch(cache: &mut MetadataCache, line: u64) -> LookUp {
        let found = cache.look_up(MetadataLine(line));
        cache.arrive(MetadataLine(line));
        found
    }

    const CLEAN_MISS: LookUp = LookUp::Miss { dirty: None };

    #[test]
    fn the_second_look_waits_and_the_third_hits() {
        let mut cache = cache();
        assert_eq!(cache.look_up(MetadataLine(4)), CLEAN_MISS);
        assert_eq!(cache.look_up(MetadataLine(4)), LookUp::OnItsWay);
        cache.arrive(MetadataLine(4));
        assert_eq!(cache.look_up(MetadataLine(4)), LookUp::Hit);
    }

    #[test]
    fn the_least_recently_used_line_of_the_set_makes_room() {
        let mut cache = cache();
        // Even lines share a set: 0 and 2 fill it, 0 is used again, so 4 replaces 2.
        for line in [0, 2, 0, 4] {
            fetch(&mut cache, line);
        }
        assert_eq!(fetch(&mut cache, 0), LookUp::Hit);
        assert_eq!(fetch(&mut cache, 2), CLEAN_MISS);
    }

    #[test]
    fn only_a_changed_line_is_written_back() {
        let mut cache = cache();
        for line in [0, 2] {
            fetch(&mut cache, line);
        }
        assert!(cache.change(MetadataLine(0)));
        assert_eq!(fetch(&mut cache, 4), LookUp::Miss { dirty: Some(MetadataLine(0)) });
        assert_eq!(fetch(&mut cache, 6), CLEAN_MISS);
        assert!(!cache.change(MetadataLine(0)));
    }

    #[test]
    fn a_change_on_the_way_makes_the_line_dirty_when_it_arrives() {
        let mut cache = cache();
        cache.look_up(MetadataLine(0));
        assert!(cache.change(MetadataLine(0)));
        cache.arrive(MetadataLine(0));
        fetch(&mut cache, 2);
        assert_eq!(fetch(&mut cache, 4), LookUp::Miss { dirty: Some(MetadataLine(0)) });
    }

    #[test]
    fn a_set_whose_lines_are_all_on_their_way_has_no_room() {
        let mut cache = cache();
        cache.look_up(MetadataLine(0));
        cache.look_up(MetadataLine(2));
        assert_eq!(cache.look_up(MetadataLine(4)), LookUp::NoRoom);
        assert_eq!(cache.look_up(MetadataLine(1)), CLEAN_MISS);
    }

    #[test]
    fn what_the_host_wrote_is_here() {
        let mut cache = cache();
        cache.install(MetadataLine(6));
        assert_eq!(cache.look_up(MetadataLine(6)), LookUp::Hit);
    }

    #[test]
    fn a_line_of_32_bytes_knows_16_kib_of_its_channel() {
        let map = AddressMap::new(&load("e2mc-gtx580-192", &[]).unwrap().dram);
        let spec = MetadataSpec { sets: 64, ways: 4, line_bytes: 32 };
        let kib_16 = 12 * 16 * 1024;
        assert_eq!(spec.line_of(&map, 0), spec.line_of(&map, kib_16 - 1));
        assert_eq!(spec.line_of(&map, kib_16), MetadataLine(1));
        // 128 lines of 32 bytes reach bit 12, a bank bit; rows of metadata hold nothing else.
        let [first, last, next] = [0, 127, 128].map(|line| spec.location(&map, MetadataLine(line)));
        assert_eq!((first.bank, last.bank, next.bank), (0, 0, 1));
        assert_eq!(first.row, METADATA_ROW);
    }
}
