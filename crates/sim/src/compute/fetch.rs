//! Fetch and decode: instruction lines come through the L1I, two instructions at a time reach a warp's buffer.
//!
//! One warp is served in a cycle, around the ring of slots behind the one served last: it must have lanes left, an
//! empty buffer and no miss on its way. A hit is decoded in the next cycle, so an instruction can issue two cycles
//! after its fetch. A line that arrives serves the warps that requested it before all others, one per cycle.
//!
//! The walk over the ring also retires warps of which nothing is left: it meets those between the warp served last and
//! the one it serves now, as in the reference simulator.

use super::network::Outlet;
use super::scoreboard::Scoreboard;
use super::timing::{INSTRUCTION_BYTES, KernelTiming};
use super::warps::{WarpMask, Warps};
use crate::base::cache_counters::AccessOutcome;
use crate::base::{AccessKind, Cache, CacheSpec, Cycle, Packet};

/// Fetch stage and L1I of an SM.
#[derive(Clone, Debug)]
pub struct Fetch {
    sm: u16,
    slots: usize,
    instructions: u64,
    l1i: Cache,
    /// Whether every fetch is a hit.
    is_perfect: bool,
    /// The warp whose instructions are decoded next.
    fetched: Option<u8>,
    last_served: usize,
}

/// What a cycle of fetch did.
#[derive(Clone, Copy, Debug, Default)]
pub struct FetchResult {
    /// Whether anything moved.
    pub moved: bool,
    /// Warps that have left their slots.
    pub retired: WarpMask,
}

impl Fetch {
    /// An SM with `slots` warp slots and an empty L1I, unless every fetch is a hit; a fetch brings `instructions`.
    pub fn new(sm: u16, slots: usize, instructions: u8, l1i: CacheSpec, is_perfect: bool) -> Self {
        Self {
            sm,
            slots,
            instructions: u64::from(instructions),
            l1i: Cache::new(l1i),
            is_perfect,
            fetched: None,
            last_served: 0,
        }
    }

    /// The instruction cache, for counters and reports.
    pub fn cache(&self) -> &Cache {
        &self.l1i
    }

    /// A line has arrived.
    pub fn fill(&mut self, reply: &Packet, now: Cycle) {
        self.l1i.fill(reply, now);
    }

    /// Whether a miss waits for room in the network.
    #[inline]
    pub fn has_waiting_miss(&self) -> bool {
        self.l1i.miss_front().is_some()
    }

    /// Fetched instructions move into their warp's buffer. Returns whether there were any.
    #[inline]
    pub fn decode(&mut self, warps: &mut Warps, timing: &KernelTiming, scoreboard: &Scoreboard) -> bool {
        let Some(warp) = self.fetched.take() else { return false };
        warps.fill_buffer(usize::from(warp), timing, scoreboard);
        true
    }

    /// Serves one warp, and sends one miss on.
    #[inline]
    pub fn step(
        &mut self,
        now: Cycle,
        warps: &mut Warps,
        timing: &KernelTiming,
        scoreboard: &Scoreboard,
        outlet: &mut impl Outlet,
    ) -> FetchResult {
        let mut result = FetchResult::default();
        if let Some(packet) = self.l1i.pop_ready() {
            warps.awaiting_fetch &= !(1 << packet.warp);
            self.fetched = Some(packet.warp as u8);
            result.moved = true;
        } else {
            let (exitable, fetchable) = (warps.exitable(scoreboard), warps.fetchable());
            if exitable | fetchable != 0 {
                result = self.serve_next(now, (exitable, fetchable), warps, timing);
            }
        }
        result.moved |= self.has_waiting_miss() && outlet.forward(&mut self.l1i);
        result
    }

    /// Retires warps that the walk meets, and serves the first that can be fetched for.
    fn serve_next(
        &mut self,
        now: Cycle,
        (exitable, fetchable): (WarpMask, WarpMask),
        warps: &mut Warps,
        timing: &KernelTiming,
    ) -> FetchResult {
        let served = self.next_in_ring(fetchable);
        let retired = if exitable == 0 { 0 } else { exitable & self.met_before(served) };
        if let Some(warp) = served {
            self.last_served = warp;
            self.access(warp, now, warps, timing);
        }
        FetchResult { moved: served.is_some() || retired != 0, retired }
    }

    fn access(&mut self, warp: usize, now: Cycle, warps: &mut Warps, timing: &KernelTiming) {
        let address = timing.address(warps.fetch_pc(warp));
        if self.is_perfect {
            self.l1i.counters.count(AccessKind::InstructionRead, AccessOutcome::Hit);
            self.fetched = Some(warp as u8);
            return;
        }
        if self.l1i.read_if_here(AccessKind::InstructionRead, address, now) {
            self.fetched = Some(warp as u8);
            return;
        }
        let line_bytes = self.l1i.spec().line_bytes as u64;
        let left_in_line = line_bytes - address % line_bytes;
        let bytes = (self.instructions * INSTRUCTION_BYTES).min(left_in_line);
        let packet = Packet {
            warp: warp as u16,
            ..Packet::new(AccessKind::InstructionRead, address, bytes as u16, self.sm, now)
        };
        match self.l1i.access(&packet, now).outcome {
            AccessOutcome::Hit => self.fetched = Some(warp as u8),
            AccessOutcome::Miss | AccessOutcome::SectorMiss | AccessOutcome::HitReserved => {
                warps.awaiting_fetch |= 1 << warp;
            }
            AccessOutcome::ReservationFail(_) => {}
        }
    }

    /// The first of `warps` behind the slot served last.
    #[inline]
    fn next_in_ring(&self, warps: WarpMask) -> Option<usize> {
        if warps == 0 {
            return None;
        }
        let behind = warps & !self.up_to_last();
        Some(if behind == 0 { warps } else { behind }.trailing_zeros() as usize)
    }

    /// Slots the walk meets before it serves `served`; all if it serves none.
    fn met_before(&self, served: Option<usize>) -> WarpMask {
        let Some(warp) = served else { return WarpMask::MAX };
        let before = (1 << warp) - 1;
        if warp > self.last_served { before & !self.up_to_last() } else { before | !self.up_to_last() }
    }

    fn up_to_last(&self) -> WarpMask {
        debug_assert!(self.last_served < self.slots, "a slot of this SM");
        (1 << self.last_served) | ((1 << self.last_served) - 1)
    }
}
