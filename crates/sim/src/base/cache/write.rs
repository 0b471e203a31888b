//! Writes: the rows of the table in [`super`].

use super::{Access, Cache, Request, WritePolicy, accepted, fail, forwarded, lack_of, outcome_of_miss};
use crate::base::cache_counters::{AccessOutcome, FailReason};
use crate::base::tags::{LineIndex, LineState, LineStore, Probe};
use crate::base::{AccessKind, Packet};

impl<L: LineStore> Cache<L> {
    pub(super) fn write(&mut self, request: &Request<'_>, probe: Probe) -> Access {
        if self.spec.write_policy.is_lazy() {
            return self.write_lazily(request, probe);
        }
        match (self.spec.write_policy, probe) {
            (WritePolicy::EvictGlobalKeepLocal, Probe::Hit(line))
                if request.packet.kind == AccessKind::GlobalWrite =>
            {
                self.write_evict_hit(request, line)
            }
            (_, Probe::Hit(line)) => self.write_back_hit(request, line),
            (WritePolicy::WriteBackAllocate, Probe::AllReserved) => fail(FailReason::LineAllocation),
            (
                WritePolicy::WriteBackAllocate,
                Probe::HitReserved(line) | Probe::SectorMiss(line) | Probe::Miss(line),
            ) => self.write_allocate_miss(request, probe, line),
            (_, probe) => self.write_around_miss(request, probe),
        }
    }

    /// A hit or a miss of a cache that fetches only what is read.
    fn write_lazily(&mut self, request: &Request<'_>, probe: Probe) -> Access {
        let line = match probe {
            Probe::AllReserved => return fail(FailReason::LineAllocation),
            Probe::Hit(line) | Probe::HitReserved(line) | Probe::SectorMiss(line) | Probe::Miss(line) => line,
        };
        let is_through = self.spec.write_policy == WritePolicy::WriteThroughLazily;
        let is_hit = matches!(probe, Probe::Hit(_));
        if (is_through || !is_hit) && !self.miss_queue.has_room() {
            return fail(FailReason::MissQueue);
        }
        if is_through {
            self.miss_queue.push(*request.packet);
        }
        let victim = self.claim(request, probe, line);
        if let Some(sectors) = &mut self.sectors {
            let sector = sectors.sector_of(request.packet.address);
            sectors.write(line, sector, request.packet.byte_mask, is_hit);
            self.tags.set_state(line, sectors.state(line));
        }
        self.protect_modified();
        if is_hit {
            self.use_data_port(usize::from(request.packet.bytes), request.now);
        } else if let Some(bytes) = victim.map(|victim| usize::from(victim.bytes))
            && self.write_back(request, victim)
        {
            self.use_data_port(bytes, request.now);
        }
        let outcome = if is_hit { AccessOutcome::Hit } else { outcome_of_miss(probe) };
        if is_through { forwarded(outcome, Some(line)) } else { accepted(outcome, line) }
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
        let room = self.mshrs.room_for(self.spec.sector_of(request.packet.address));
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
}
