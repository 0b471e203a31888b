//! The cache core: tags, miss registers and miss queue, with the policies of GPU caches. L1D, L1I, constant cache and
//! L2 are this core with different specs.
//!
//! One access per call. What the core wants from the next level goes into its miss queue; the station moves it on,
//! brings the answer to [`Cache::fill`] and takes the satisfied accesses from [`Cache::pop_ready`].
//!
//! | write policy            | hit                            | miss                                              |
//! |-------------------------|--------------------------------|---------------------------------------------------|
//! | read-only               | (no writes)                    |                                                   |
//! | evict global, keep local| global: send on, drop the line; local: dirty | send on                             |
//! | write back and allocate | dirty                          | send the write on *and* fetch the line            |
//! | write through, lazily   | send on, dirty                 | send on, claim the sector                         |
//! | write back, lazily      | dirty                          | claim the sector                                  |
//!
//! With the lazy policies a sector that was written is fetched only when unwritten bytes of it are read; a line that was written
//! through is not written back. A sectored cache fetches, fills and writes back sectors ([`super::sectors`]); its miss registers
//! belong to sectors, too. The third row is the reference's "naive" write-allocate: the write itself goes to DRAM, the fetched line stays clean.
//! An access that would not find room for all it could cause fails and changes nothing but the fail counter.

mod claim;
mod spec;
mod write;

pub use spec::{Allocate, CacheSpec, WritePolicy};

use super::cache_counters::{AccessOutcome, CacheCounters, FailReason};
use super::mshr::{Mshrs, Room};
use super::sectors::{SectorLook, Sectors};
use super::tags::{LineAddress, LineIndex, LineState, LineStore, Probe, TagArray};
use super::{AccessKind, Cycle, Packet, Port};

/// How an access ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// As counted.
    pub outcome: AccessOutcome,
    /// Whether the write itself went to the miss queue, so that a lower level answers it.
    pub is_write_forwarded: bool,
    /// The line that was found or claimed.
    pub line: Option<LineIndex>,
}

/// A cache; its lines are those of a plain tag array unless they are compressed.
#[derive(Clone, Debug)]
pub struct Cache<L = TagArray> {
    spec: CacheSpec,
    tags: L,
    sectors: Option<Box<Sectors>>,
    mshrs: Mshrs,
    miss_queue: Port<Packet>,
    data_port_free_at: Cycle,
    fill_port_free_at: Cycle,
    /// The line that [`Cache::read_if_here`] found last: most of its reads find the same again.
    last_read: LineIndex,
    /// The access that was refused last, as long as no line has changed.
    refused: Option<Refused>,
    /// What happened so far.
    pub counters: CacheCounters,
}

/// An access that found no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refused {
    address: u64,
    kind: AccessKind,
    reason: FailReason,
    /// Whether something has changed that it could have waited for, so that it must be tried again.
    may_pass: bool,
    /// What the look at the tags found, which is still true.
    set: usize,
    probe: Probe,
}

impl Cache {
    /// An empty cache.
    pub fn new(spec: CacheSpec) -> Self {
        Self::with_lines(spec, TagArray::new(spec.sets, spec.ways))
    }

    /// Empties the cache and gives its sets `ways` lines; nothing is on its way.
    pub fn empty_with(&mut self, ways: usize, is_allocated_on_fill: bool) {
        self.empty_with_lines(ways, is_allocated_on_fill, TagArray::new(self.spec.sets, ways));
    }
}

impl<L: LineStore> Cache<L> {
    /// The same with the empty lines `tags`, which have the data of `ways` lines in a set.
    pub fn empty_with_lines(&mut self, ways: usize, is_allocated_on_fill: bool, tags: L) {
        self.spec.ways = ways;
        self.spec.allocate = if is_allocated_on_fill { Allocate::OnFill } else { Allocate::OnMiss };
        self.sectors = self.spec.new_sectors(tags.tag_count());
        self.tags = tags;
        self.last_read = LineIndex(0);
        self.refused = None;
        self.protect_modified();
    }

    /// A cache that keeps its lines in `tags`.
    pub fn with_lines(spec: CacheSpec, tags: L) -> Self {
        let filler = Packet::new(AccessKind::GlobalRead, 0, 0, 0, Cycle(0));
        let mut cache = Self {
            spec,
            sectors: spec.new_sectors(tags.tag_count()),
            tags,
            mshrs: Mshrs::new(spec.mshr_entries, spec.mshr_merges, filler),
            miss_queue: Port::new(spec.miss_queue_entries),
            data_port_free_at: Cycle(0),
            fill_port_free_at: Cycle(0),
            last_read: LineIndex(0),
            refused: None,
            counters: CacheCounters::default(),
        };
        cache.protect_modified();
        cache
    }

    /// Lets modified lines leave only when there are enough of them.
    fn protect_modified(&mut self) {
        if self.spec.modified_percent == 0 {
            return;
        }
        if let Some(sectors) = &self.sectors {
            let (modified, lines) = (sectors.modified_lines(), self.spec.sets * self.spec.ways);
            self.tags.protect_modified(modified * 100 < self.spec.modified_percent * lines);
        }
    }

    /// One access by the packet's own address.
    #[inline]
    pub fn access(&mut self, packet: &Packet, now: Cycle) -> Access {
        self.access_indexed(packet, || packet.address, now)
    }

    /// A read of a read-only cache, if the block is here; otherwise nothing happens. Returns whether it is.
    #[inline]
    pub fn read_if_here(&mut self, kind: AccessKind, address: u64, now: Cycle) -> bool {
        debug_assert!(self.spec.write_policy == WritePolicy::ReadOnly, "other caches have a data port");
        let block = self.spec.line_of(address);
        if !self.tags.holds_all_of(self.last_read, block) {
            let Probe::Hit(line) = self.tags.probe(self.spec.set_of(address), block) else { return false };
            self.last_read = line;
        }
        self.tags.touch(self.last_read, now);
        self.refused = None;
        self.counters.count(kind, AccessOutcome::Hit);
        true
    }

    /// One access whose set comes from `index_address`: a slice leaves the bits that chose it out of its set index.
    ///
    /// A refused access is refused again, without a look, until a block arrives or what it lacked becomes free: a place in
    /// the miss queue when a request moves on, a miss register when a waiting access leaves.
    #[inline]
    pub fn access_indexed(
        &mut self,
        packet: &Packet,
        index_address: impl FnOnce() -> u64,
        now: Cycle,
    ) -> Access {
        match self.repeat_refusal(packet) {
            Some(reason) => fail(reason),
            None => self.look_up(packet, index_address, now),
        }
    }

    /// Why the access is refused again, if it was refused the last time and nothing has changed; it is counted then.
    #[inline]
    pub fn repeat_refusal(&mut self, packet: &Packet) -> Option<FailReason> {
        let refused = self.refused?;
        if refused.may_pass || (refused.address, refused.kind) != (packet.address, packet.kind) {
            return None;
        }
        self.counters.count(packet.kind, AccessOutcome::ReservationFail(refused.reason));
        Some(refused.reason)
    }

    /// Something has changed that an access refused for such a reason waits for.
    #[inline]
    fn forget_refusal(&mut self, is_concerned: impl FnOnce(FailReason) -> bool) {
        if let Some(refused) = &mut self.refused
            && is_concerned(refused.reason)
        {
            refused.may_pass = true;
        }
    }

    fn look_up(&mut self, packet: &Packet, index_address: impl FnOnce() -> u64, now: Cycle) -> Access {
        let (set, probe) = match self.refused {
            Some(refused) if (refused.address, refused.kind) == (packet.address, packet.kind) => {
                (refused.set, refused.probe)
            }
            _ => self.look_at_tags(packet, index_address()),
        };
        let request = Request { packet, block: self.spec.line_of(packet.address), set, now };
        let access = if packet.is_write() { self.write(&request, probe) } else { self.read(&request, probe) };
        self.counters.count(packet.kind, access.outcome);
        let (address, kind) = (packet.address, packet.kind);
        self.refused = match access.outcome {
            AccessOutcome::ReservationFail(reason) => {
                Some(Refused { address, kind, reason, may_pass: false, set, probe })
            }
            _ => None,
        };
        access
    }

    /// The set of an access, and what is there of its block.
    #[inline]
    fn look_at_tags(&self, packet: &Packet, index_address: u64) -> (usize, Probe) {
        let set = self.spec.set_of(index_address);
        let mut probe = self.tags.probe(set, self.spec.line_of(packet.address));
        if let (Some(sectors), Probe::Hit(line) | Probe::HitReserved(line)) = (&self.sectors, probe) {
            probe = match sectors.look(line, sectors.sector_of(packet.address), packet.is_write()) {
                SectorLook::Here => Probe::Hit(line),
                SectorLook::Reserved => Probe::HitReserved(line),
                SectorLook::Absent => Probe::SectorMiss(line),
            };
        }
        (set, probe)
    }

    /// Counts an access that is known to fail as it did last time, without looking again.
    pub fn count_repeated_fails(&mut self, kind: AccessKind, reason: FailReason, attempts: u64) {
        self.counters.count_many(kind, AccessOutcome::ReservationFail(reason), attempts);
    }

    /// The block of `reply` has arrived. The station has asked [`Cache::fill_port_is_free`]. Returns the block's line.
    pub fn fill(&mut self, reply: &Packet, now: Cycle) -> Option<LineIndex> {
        self.refused = None;
        let block = self.spec.line_of(reply.address);
        let arrival = self.mshrs.mark_ready(self.spec.sector_of(reply.address))?;
        let line = match self.spec.allocate {
            Allocate::OnMiss => Some(arrival.line),
            Allocate::OnFill => self.claim_for_fill(arrival.set, block, reply.address, now),
        };
        if let Some(line) = line {
            let mut state = if arrival.has_atomic { LineState::Modified } else { LineState::Valid };
            if let Some(sectors) = &mut self.sectors {
                let sector = sectors.sector_of(reply.address);
                sectors.fill(line, sector);
                if arrival.has_atomic {
                    sectors.modify(line, sector, reply.byte_mask);
                }
                state = sectors.state(line);
            }
            self.tags.set_state(line, state);
            self.protect_modified();
        }
        let busy_cycles = u64::from(self.spec.sector_bytes as u32 / self.spec.data_port_bytes as u32);
        self.fill_port_free_at = now + busy_cycles;
        self.counters.fill_port_busy_cycles += busy_cycles;
        self.counters.fills += 1;
        line
    }

    /// The sectors of a line that are neither here nor on their way have come along with another.
    pub fn fill_other_sectors(&mut self, line: LineIndex) {
        self.refused = None;
        if let Some(sectors) = &mut self.sectors {
            self.counters.sectors_filled_along += u64::from(sectors.fill_absent(line));
        }
    }

    /// Whether the line is the block's at `address` and has all bytes of it.
    pub fn has_whole_block(&self, line: LineIndex, address: u64) -> bool {
        let Some(sectors) = &self.sectors else { return true };
        sectors.is_whole(line) && self.tags.holds(line, self.spec.line_of(address))
    }

    /// Whether the data array can serve an access.
    #[inline]
    pub fn data_port_is_free(&self, now: Cycle) -> bool {
        now >= self.data_port_free_at
    }

    /// Whether the data array can take a fill.
    #[inline]
    pub fn fill_port_is_free(&self, now: Cycle) -> bool {
        now >= self.fill_port_free_at
    }

    /// The request that the next level sees first.
    #[inline]
    pub fn miss_front(&self) -> Option<&Packet> {
        self.miss_queue.front()
    }

    /// Moves that request on.
    #[inline]
    pub fn pop_miss(&mut self) -> Option<Packet> {
        self.forget_refusal(|reason| reason == FailReason::MissQueue);
        self.miss_queue.pop()
    }

    /// Whether an access waits to leave because its block is here.
    #[inline]
    pub fn has_ready(&self) -> bool {
        self.mshrs.has_ready()
    }

    /// Takes the next access whose block has arrived.
    #[inline]
    pub fn pop_ready(&mut self) -> Option<Packet> {
        if !self.mshrs.has_ready() {
            return None;
        }
        self.forget_refusal(|reason| matches!(reason, FailReason::MshrEntries | FailReason::MshrMerges));
        self.mshrs.pop_ready()
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.mshrs.is_empty() && self.miss_queue.is_empty()
    }

    /// What was configured.
    pub fn spec(&self) -> &CacheSpec {
        &self.spec
    }

    /// Where the lines are kept.
    pub fn lines(&self) -> &L {
        &self.tags
    }

    /// Where the lines are kept, to change what a station of its own kind keeps there.
    pub fn lines_mut(&mut self) -> &mut L {
        self.refused = None;
        &mut self.tags
    }

    /// Blocks on their way; for reports of who waits for whom.
    pub fn blocks_awaited(&self) -> impl Iterator<Item = LineAddress> {
        self.mshrs.blocks()
    }

    fn read(&mut self, request: &Request<'_>, probe: Probe) -> Access {
        let line = match probe {
            Probe::Hit(line) => return self.read_hit(request, line),
            Probe::AllReserved => return fail(FailReason::LineAllocation),
            Probe::HitReserved(line) | Probe::SectorMiss(line) | Probe::Miss(line) => line,
        };
        // A data cache keeps room for a write-back that the miss may cause; a read-only one has none.
        let other_requests = usize::from(self.spec.write_policy != WritePolicy::ReadOnly);
        if !self.miss_queue.has_room_for(1 + other_requests) {
            return fail(FailReason::MissQueue);
        }
        let room = self.mshrs.room_for(self.spec.sector_of(request.packet.address));
        if let Some(reason) = lack_of(room) {
            return fail(reason);
        }
        let victim = self.claim(request, probe, line);
        self.wait_for_block(request, *request.packet, line, room);
        self.finish_arrived(request, line, room);
        // The reference reads a victim of a read miss out of the data array for free.
        self.write_back(request, victim);
        accepted(outcome_of_miss(probe), line)
    }

    /// A sector that was claimed again before all accesses of its arrival have left is here at once: nothing arrives a second time.
    fn finish_arrived(&mut self, request: &Request<'_>, line: LineIndex, room: Room) {
        let Room::Merge(entry) = room else { return };
        if let Some(sectors) = &mut self.sectors
            && self.mshrs.has_arrived(entry)
        {
            let sector = sectors.sector_of(request.packet.address);
            sectors.fill(line, sector);
            self.tags.set_state(line, sectors.state(line));
            self.protect_modified();
        }
    }

    fn read_hit(&mut self, request: &Request<'_>, line: LineIndex) -> Access {
        self.tags.touch(line, request.now);
        if request.packet.is_atomic {
            if let Some(sectors) = &mut self.sectors {
                let sector = sectors.sector_of(request.packet.address);
                sectors.modify(line, sector, request.packet.byte_mask);
                self.tags.set_state(line, sectors.state(line));
                self.protect_modified();
            } else {
                self.tags.set_state(line, LineState::Modified);
            }
        }
        if self.spec.write_policy != WritePolicy::ReadOnly {
            self.use_data_port(usize::from(request.packet.bytes), request.now);
        }
        accepted(AccessOutcome::Hit, line)
    }

    fn use_data_port(&mut self, bytes: usize, now: Cycle) {
        let busy_cycles = u64::from((bytes as u32).div_ceil(self.spec.data_port_bytes as u32));
        self.data_port_free_at = now + busy_cycles;
        self.counters.data_port_busy_cycles += busy_cycles;
    }
}

/// An access with what follows from its address.
struct Request<'a> {
    packet: &'a Packet,
    block: LineAddress,
    set: usize,
    now: Cycle,
}

fn lack_of(room: Room) -> Option<FailReason> {
    match room {
        Room::Merge(_) | Room::NewEntry => None,
        Room::MergeFull => Some(FailReason::MshrMerges),
        Room::EntriesFull => Some(FailReason::MshrEntries),
    }
}

fn outcome_of_miss(probe: Probe) -> AccessOutcome {
    match probe {
        Probe::HitReserved(_) => AccessOutcome::HitReserved,
        Probe::SectorMiss(_) => AccessOutcome::SectorMiss,
        _ => AccessOutcome::Miss,
    }
}

fn accepted(outcome: AccessOutcome, line: LineIndex) -> Access {
    Access { outcome, is_write_forwarded: false, line: Some(line) }
}

fn forwarded(outcome: AccessOutcome, line: Option<LineIndex>) -> Access {
    Access { outcome, is_write_forwarded: true, line }
}

fn fail(reason: FailReason) -> Access {
    Access { outcome: AccessOutcome::ReservationFail(reason), is_write_forwarded: false, line: None }
}

#[cfg(test)]
mod tests;
