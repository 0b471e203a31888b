//! Lines change hands: which line a block gets, what leaves for it, and who waits for the block.

use super::{Allocate, Cache, Request, WritePolicy};
use crate::base::mshr::Room;
use crate::base::sectors::DirtySectors;
use crate::base::tags::{Departure, LineAddress, LineIndex, LineStore, Probe};
use crate::base::{Cycle, Packet};

/// What a line that leaves takes to the next level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Victim {
    block: LineAddress,
    pub(super) bytes: u16,
    /// The written bytes, where they are known.
    byte_mask: Option<u128>,
}

impl<L: LineStore> Cache<L> {
    /// Makes the line the block's, now or at the fill. Returns what must be written back of the block that was there.
    pub(super) fn claim(&mut self, request: &Request<'_>, probe: Probe, line: LineIndex) -> Option<Victim> {
        let is_claimed_now = self.spec.allocate == Allocate::OnMiss || request.packet.is_write();
        match probe {
            Probe::Miss(_) if is_claimed_now => self.replace(request, line),
            Probe::Miss(_) | Probe::AllReserved => None,
            Probe::SectorMiss(_) => {
                self.tags.touch(line, request.now);
                if let Some(sectors) = self.sectors.as_mut().filter(|_| is_claimed_now) {
                    let sector = sectors.sector_of(request.packet.address);
                    sectors.reserve(line, sector);
                    self.tags.set_state(line, sectors.state(line));
                    self.protect_modified();
                }
                None
            }
            Probe::Hit(_) | Probe::HitReserved(_) => {
                self.tags.touch(line, request.now);
                None
            }
        }
    }

    /// The block of `request` takes the line from another.
    fn replace(&mut self, request: &Request<'_>, line: LineIndex) -> Option<Victim> {
        let dirty_block = self.tags.reserve(line, request.block, request.now);
        let Some(sectors) = &mut self.sectors else {
            let bytes = self.spec.line_bytes as u16;
            return dirty_block.map(|block| Victim { block, bytes, byte_mask: None });
        };
        let sector = sectors.sector_of(request.packet.address);
        let departed = self.next_departed_victim();
        let Some(sectors) = &mut self.sectors else { return departed };
        let dirty = sectors.replace(line, sector);
        self.protect_modified();
        departed.or_else(|| self.victim(dirty_block, dirty))
    }

    /// What must be written back of a block that leaves with these sectors.
    fn victim(&self, block: Option<LineAddress>, dirty: Option<DirtySectors>) -> Option<Victim> {
        let (block, dirty) = block.zip(dirty)?;
        let is_newer = self.spec.write_policy != WritePolicy::WriteThroughLazily;
        is_newer.then_some(Victim { block, bytes: dirty.bytes, byte_mask: Some(dirty.byte_mask) })
    }

    /// The sectors of lines that have left to make room leave, too, up to the first that must be written back.
    fn next_departed_victim(&mut self) -> Option<Victim> {
        while let Some(Departure { line, dirty_block }) = self.tags.pop_departure() {
            let dirty = self.sectors.as_mut().and_then(|sectors| sectors.clear(line));
            self.protect_modified();
            let victim = self.victim(dirty_block, dirty);
            if victim.is_some() {
                return victim;
            }
        }
        None
    }

    /// Takes the write-back of a line that has left to make room, beyond the one that the access itself caused.
    pub fn pop_departed(&mut self, sm: u16, now: Cycle) -> Option<Packet> {
        let victim = self.next_departed_victim()?;
        self.counters.writebacks += 1;
        Some(self.writeback_of(victim, sm, now))
    }

    fn writeback_of(&self, victim: Victim, sm: u16, now: Cycle) -> Packet {
        let Victim { block, bytes, byte_mask } = victim;
        let mut packet = Packet::new(self.spec.writeback_kind, block.first_byte(), bytes, sm, now);
        packet.byte_mask = byte_mask.unwrap_or(packet.byte_mask);
        packet
    }

    /// Registers `waiter` for the block, and requests the block if no access has yet.
    pub(super) fn wait_for_block(
        &mut self,
        request: &Request<'_>,
        waiter: Packet,
        line: LineIndex,
        room: Room,
    ) {
        if let Room::Merge(entry) = room {
            self.counters.count_merge(waiter.kind);
            self.mshrs.merge(entry, waiter);
            return;
        }
        let sector = self.spec.sector_of(waiter.address);
        self.mshrs.open(sector, line, request.set, waiter);
        self.miss_queue.push(Packet {
            address: sector.first_byte(),
            bytes: self.spec.sector_bytes as u16,
            ..waiter
        });
    }

    pub(super) fn write_back(&mut self, request: &Request<'_>, victim: Option<Victim>) -> bool {
        let Some(victim) = victim else { return false };
        self.counters.writebacks += 1;
        let packet = self.writeback_of(victim, request.packet.sm, request.now);
        self.miss_queue.push(packet);
        true
    }

    /// The line of a block that arrives in a cache which allocates on fill.
    pub(super) fn claim_for_fill(
        &mut self,
        set: usize,
        block: LineAddress,
        address: u64,
        now: Cycle,
    ) -> Option<LineIndex> {
        let probe = self.tags.probe(set, block);
        let line = match probe {
            Probe::Hit(line) | Probe::HitReserved(line) | Probe::SectorMiss(line) | Probe::Miss(line) => line,
            Probe::AllReserved => return None,
        };
        if self.sectors.is_none() || matches!(probe, Probe::Miss(_)) {
            self.tags.install(line, block, now);
            // Where blocks are kept when they arrive nothing is newer than the next level.
            while self.next_departed_victim().is_some() {}
        }
        if let Some(sectors) = &mut self.sectors {
            let sector = sectors.sector_of(address);
            if matches!(probe, Probe::Miss(_)) {
                sectors.replace(line, sector);
            } else {
                sectors.reserve(line, sector);
            }
        }
        Some(line)
    }
}
