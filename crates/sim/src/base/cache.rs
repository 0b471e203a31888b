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
//!
//! The last row is the reference's "naive" write-allocate: the write itself goes to DRAM, the fetched line stays clean.
//! An access that would not find room for all it could cause fails and changes nothing but the fail counter.

use serde::{Deserialize, Serialize};

use super::cache_counters::{AccessOutcome, CacheCounters, FailReason};
use super::mshr::{Mshrs, Room};
use super::tags::{LineAddress, LineIndex, LineState, LineStore, Probe, TagArray};
use super::{AccessKind, Cycle, Packet, Port};

/// When a missing block gets its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocate {
    /// At the miss: the line is reserved until the block arrives.
    OnMiss,
    /// When the block arrives.
    OnFill,
}

/// What happens to writes; the rows of the table above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePolicy {
    /// Instruction, constant and texture caches.
    ReadOnly,
    /// L1D: global stores pass and evict, local stores stay.
    EvictGlobalKeepLocal,
    /// L2.
    WriteBackAllocate,
}

/// Which set a line belongs to. The line number is the address divided by the bytes of a line.
///
/// `Hashed` is the index of Fermi's L1D that Nugteren et al. found ("A Detailed GPU Cache Model Based on Reuse Distance
/// Theory", HPCA 2014), for 32 and 64 sets of 128-byte lines:
///
/// | set bit      | 0      | 1      | 2      | 3       | 4       | 5 (64 sets) |
/// |--------------|--------|--------|--------|---------|---------|-------------|
/// | address bits | 7 ^ 13 | 8 ^ 14 | 9 ^ 15 | 10 ^ 17 | 11 ^ 19 | 12          |
///
/// Our extension to other numbers of sets: the hashed line number modulo the number of sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetIndex {
    /// The line number modulo the number of sets.
    Linear,
    /// The low five bits of the line number are combined with higher bits of the address first.
    Hashed,
}

/// What the hash adds to the line number: bits 13, 14, 15, 17 and 19 of the address as a number of five bits.
fn fermi_hash(address: u64) -> usize {
    let bit = |position: u32, place: u32| (address >> position & 1) << place;
    (bit(13, 0) | bit(14, 1) | bit(15, 2) | bit(17, 3) | bit(19, 4)) as usize
}

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSpec {
    /// Number of sets; any number, though a power of two is indexed faster.
    pub sets: usize,
    /// Lines in a set.
    pub ways: usize,
    /// Bytes of a line, a power of two.
    pub line_bytes: usize,
    /// Which address bits choose the set.
    pub set_index: SetIndex,
    /// When lines are claimed.
    pub allocate: Allocate,
    /// What writes do.
    pub write_policy: WritePolicy,
    /// Blocks that may be on their way at a time.
    pub mshr_entries: usize,
    /// Accesses that may wait for one block.
    pub mshr_merges: usize,
    /// Requests that may wait for the next level.
    pub miss_queue_entries: usize,
    /// Bytes the data array moves in a cycle.
    pub data_port_bytes: usize,
    /// What a dirty line's packet is called.
    pub writeback_kind: AccessKind,
}

impl CacheSpec {
    /// Bytes of data.
    pub fn capacity_bytes(&self) -> usize {
        self.sets * self.ways * self.line_bytes
    }

    fn line_of(&self, address: u64) -> LineAddress {
        LineAddress::of(address, self.line_bytes)
    }

    fn set_of(&self, index_address: u64) -> usize {
        // A line is a power of two of bytes; a division would cost as much as the whole look-up.
        let block_number = (index_address >> self.line_bytes.trailing_zeros()) as usize;
        let number = match self.set_index {
            SetIndex::Linear => block_number,
            SetIndex::Hashed => block_number ^ fermi_hash(index_address),
        };
        if self.sets.is_power_of_two() { number & (self.sets - 1) } else { number % self.sets }
    }
}

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
    mshrs: Mshrs,
    miss_queue: Port<Packet>,
    data_port_free_at: Cycle,
    fill_port_free_at: Cycle,
    /// The access that was refused last, as long as nothing has changed that it could have waited for.
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
}

impl Cache {
    /// An empty cache.
    pub fn new(spec: CacheSpec) -> Self {
        Self::with_lines(spec, TagArray::new(spec.sets, spec.ways))
    }
}

impl<L: LineStore> Cache<L> {
    /// A cache that keeps its lines in `tags`.
    pub fn with_lines(spec: CacheSpec, tags: L) -> Self {
        let filler = Packet::new(AccessKind::GlobalRead, 0, 0, 0, Cycle(0));
        Self {
            spec,
            tags,
            mshrs: Mshrs::new(spec.mshr_entries, spec.mshr_merges, filler),
            miss_queue: Port::new(spec.miss_queue_entries),
            data_port_free_at: Cycle(0),
            fill_port_free_at: Cycle(0),
            refused: None,
            counters: CacheCounters::default(),
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
        let Probe::Hit(line) = self.tags.probe(self.spec.set_of(address), self.spec.line_of(address)) else {
            return false;
        };
        self.tags.touch(line, now);
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
        if let Some(refused) = self.refused
            && (refused.address, refused.kind) == (packet.address, packet.kind)
        {
            let access = fail(refused.reason);
            self.counters.count(packet.kind, access.outcome);
            return access;
        }
        self.look_up(packet, index_address(), now)
    }

    /// Something has changed that an access refused for such a reason waits for.
    #[inline]
    fn forget_refusal(&mut self, is_concerned: impl FnOnce(FailReason) -> bool) {
        if self.refused.is_some_and(|refused| is_concerned(refused.reason)) {
            self.refused = None;
        }
    }

    fn look_up(&mut self, packet: &Packet, index_address: u64, now: Cycle) -> Access {
        let request = Request {
            packet,
            block: self.spec.line_of(packet.address),
            set: self.spec.set_of(index_address),
            now,
        };
        let probe = self.tags.probe(request.set, request.block);
        let access = if packet.is_write() { self.write(&request, probe) } else { self.read(&request, probe) };
        self.counters.count(packet.kind, access.outcome);
        self.refused = match access.outcome {
            AccessOutcome::ReservationFail(reason) => {
                Some(Refused { address: packet.address, kind: packet.kind, reason })
            }
            _ => None,
        };
        access
    }

    /// Counts an access that is known to fail as it did last time, without looking again.
    pub fn count_repeated_fails(&mut self, kind: AccessKind, reason: FailReason, attempts: u64) {
        self.counters.count_many(kind, AccessOutcome::ReservationFail(reason), attempts);
    }

    /// The block of `reply` has arrived. The station has asked [`Cache::fill_port_is_free`]. Returns the block's line.
    pub fn fill(&mut self, reply: &Packet, now: Cycle) -> Option<LineIndex> {
        self.refused = None;
        let block = self.spec.line_of(reply.address);
        let arrival = self.mshrs.mark_ready(block)?;
        let line = match self.spec.allocate {
            Allocate::OnMiss => Some(arrival.line),
            Allocate::OnFill => match self.tags.probe(arrival.set, block) {
                Probe::Hit(line) | Probe::HitReserved(line) | Probe::Miss(line) => Some(line),
                Probe::AllReserved => None,
            },
        };
        if let Some(line) = line {
            if self.spec.allocate == Allocate::OnFill {
                self.tags.install(line, block, now);
            }
            self.tags
                .set_state(line, if arrival.has_atomic { LineState::Modified } else { LineState::Valid });
        }
        let busy_cycles = u64::from(self.spec.line_bytes as u32 / self.spec.data_port_bytes as u32);
        self.fill_port_free_at = now + busy_cycles;
        self.counters.fill_port_busy_cycles += busy_cycles;
        self.counters.fills += 1;
        line
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
            Probe::HitReserved(line) | Probe::Miss(line) => line,
        };
        // A data cache keeps room for a write-back that the miss may cause; a read-only one has none.
        let other_requests = usize::from(self.spec.write_policy != WritePolicy::ReadOnly);
        if !self.miss_queue.has_room_for(1 + other_requests) {
            return fail(FailReason::MissQueue);
        }
        let room = self.mshrs.room_for(request.block);
        if let Some(reason) = lack_of(room) {
            return fail(reason);
        }
        let victim = self.claim(request, probe, line);
        self.wait_for_block(request, *request.packet, line, room);
        // The reference reads a victim of a read miss out of the data array for free.
        self.write_back(request, victim);
        accepted(outcome_of_miss(probe), line)
    }

    fn read_hit(&mut self, request: &Request<'_>, line: LineIndex) -> Access {
        self.tags.touch(line, request.now);
        if request.packet.is_atomic {
            self.tags.set_state(line, LineState::Modified);
        }
        if self.spec.write_policy != WritePolicy::ReadOnly {
            self.use_data_port(usize::from(request.packet.bytes), request.now);
        }
        accepted(AccessOutcome::Hit, line)
    }

    fn write(&mut self, request: &Request<'_>, probe: Probe) -> Access {
        match (self.spec.write_policy, probe) {
            (WritePolicy::EvictGlobalKeepLocal, Probe::Hit(line))
                if request.packet.kind == AccessKind::GlobalWrite =>
            {
                self.write_evict_hit(request, line)
            }
            (_, Probe::Hit(line)) => self.write_back_hit(request, line),
            (WritePolicy::WriteBackAllocate, Probe::AllReserved) => fail(FailReason::LineAllocation),
            (WritePolicy::WriteBackAllocate, Probe::HitReserved(line) | Probe::Miss(line)) => {
                self.write_allocate_miss(request, probe, line)
            }
            (_, probe) => self.write_around_miss(request, probe),
        }
    }

    fn write_back_hit(&mut self, request: &Request<'_>, line: LineIndex) -> Access {
        self.tags.touch(line, request.now);
        self.tags.set_state(line, LineState::Modified);
        self.use_data_port(usize::from(request.packet.bytes), request.now);
        accepted(AccessOutcome::Hit, line)
    }

    fn write_evict_hit(&mut self, request: &Request<'_>, line: LineIndex) -> Access {
        if !self.miss_queue.has_room() {
            return fail(FailReason::MissQueue);
        }
        self.miss_queue.push(*request.packet);
        self.tags.set_state(line, LineState::Invalid);
        self.use_data_port(usize::from(request.packet.bytes), request.now);
        forwarded(AccessOutcome::Hit, Some(line))
    }

    fn write_around_miss(&mut self, request: &Request<'_>, probe: Probe) -> Access {
        if !self.miss_queue.has_room() {
            return fail(FailReason::MissQueue);
        }
        self.miss_queue.push(*request.packet);
        forwarded(outcome_of_miss(probe), None)
    }

    fn write_allocate_miss(&mut self, request: &Request<'_>, probe: Probe, line: LineIndex) -> Access {
        // At worst three requests: the write, the fetch and a write-back.
        if !self.miss_queue.has_room_for(3) {
            return fail(FailReason::MissQueue);
        }
        let room = self.mshrs.room_for(request.block);
        if let Some(reason) = lack_of(room) {
            return fail(reason);
        }
        self.miss_queue.push(*request.packet);
        let fetch = Packet { kind: AccessKind::L2WriteAllocateRead, born: request.now, ..*request.packet };
        let victim = self.claim(request, probe, line);
        self.wait_for_block(request, fetch, line, room);
        if self.write_back(request, victim) {
            self.use_data_port(self.spec.line_bytes, request.now);
        }
        forwarded(outcome_of_miss(probe), Some(line))
    }

    /// Makes the line the block's, now or at the fill. Returns the dirty block that was there.
    fn claim(&mut self, request: &Request<'_>, probe: Probe, line: LineIndex) -> Option<LineAddress> {
        match probe {
            Probe::Miss(_) if self.spec.allocate == Allocate::OnMiss => {
                self.tags.reserve(line, request.block, request.now)
            }
            Probe::Miss(_) | Probe::AllReserved => None,
            Probe::Hit(_) | Probe::HitReserved(_) => {
                self.tags.touch(line, request.now);
                None
            }
        }
    }

    /// Registers `waiter` for the block, and requests the block if no access has yet.
    fn wait_for_block(&mut self, request: &Request<'_>, waiter: Packet, line: LineIndex, room: Room) {
        if let Room::Merge(entry) = room {
            self.counters.count_merge(waiter.kind);
            self.mshrs.merge(entry, waiter);
            return;
        }
        self.mshrs.open(request.block, line, request.set, waiter);
        self.miss_queue.push(Packet {
            address: request.block.first_byte(),
            bytes: self.spec.line_bytes as u16,
            ..waiter
        });
    }

    fn write_back(&mut self, request: &Request<'_>, victim: Option<LineAddress>) -> bool {
        let Some(block) = victim else { return false };
        self.counters.writebacks += 1;
        let bytes = self.spec.line_bytes as u16;
        self.miss_queue.push(Packet::new(
            self.spec.writeback_kind,
            block.first_byte(),
            bytes,
            request.packet.sm,
            request.now,
        ));
        true
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
    if matches!(probe, Probe::HitReserved(_)) { AccessOutcome::HitReserved } else { AccessOutcome::Miss }
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
