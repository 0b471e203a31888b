//! A memory partition: L2 slices, the memory controller they share, and its DRAM channel.
//!
//! ```text
//! network -> [ROP delay] -> request queue -> slice -> miss queue -\
//! network <----------------- reply queue <- slice <- fill queue <- controller <-> DRAM channel
//! ```
//!
//! Slices and their queues step with the L2 clock, controller and channel with the DRAM clock.

pub mod controller;
pub mod l2;

use shrinkwarp_emu::memory::Memory;

use crate::base::{Cycle, Packet};
use crate::config::GpuSpec;
use controller::{AddressMap, CompressionSpec, Controller};
use l2::Slice;

/// One partition.
#[derive(Clone, Debug)]
pub struct Partition {
    /// Its slices; the first has the global number `channel x slices_per_channel`.
    pub slices: Vec<Slice>,
    /// Its controller.
    pub controller: Controller,
}

impl Partition {
    /// An idle partition for one channel.
    pub fn new(gpu: &GpuSpec, compression: Option<CompressionSpec>) -> Self {
        let map = AddressMap::new(&gpu.dram);
        Self {
            slices: (0..gpu.dram.slices_per_channel).map(|_| Slice::new(&gpu.l2, map.clone())).collect(),
            controller: Controller::new(&gpu.dram, map, compression),
        }
    }

    /// One DRAM cycle: `now` in core cycles, `dram_now` in DRAM cycles.
    pub fn step_dram(&mut self, now: Cycle, dram_now: Cycle, memory: &Memory) {
        self.return_fill();
        self.controller.step_channel(dram_now, memory);
        if !self.controller.is_queue_full() {
            self.take_miss(now);
        }
        self.controller.admit(now, dram_now, memory);
    }

    /// Whether the slice that waits for the answer can take it; nobody waits for a write-back's.
    pub fn has_room_for_answer(&self, answer: &Packet) -> bool {
        answer.kind.is_writeback() || self.slices[self.local_slice(answer)].fills.has_room()
    }

    /// An answer has come over the memory links.
    pub fn take_answer(&mut self, answer: Packet) {
        let slice = self.local_slice(&answer);
        self.controller.complete(slice);
        if !answer.kind.is_writeback() {
            self.slices[slice].fills.push(answer);
        }
    }

    /// Whether a DRAM cycle at `now` would change nothing.
    #[inline]
    pub fn is_dram_quiet(&self, now: Cycle) -> bool {
        self.controller.is_quiet(now) && self.slices.iter().all(|slice| slice.misses.is_empty())
    }

    /// When something happens next without outside help; `None` if nothing is here.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        let slices = self.slices.iter().filter_map(|slice| slice.next_event(now));
        slices.chain(self.controller.next_event(now)).min()
    }

    /// Whether no packet is here.
    pub fn is_empty(&self) -> bool {
        self.slices.iter().all(Slice::is_empty) && self.controller.is_empty()
    }

    /// The oldest answer of the channel goes to its slice.
    fn return_fill(&mut self) {
        let Some(packet) = self.controller.front_return() else { return };
        let slice = self.local_slice(packet);
        if !self.slices[slice].fills.has_room() {
            return;
        }
        if let Some(packet) = self.controller.pop_return(slice) {
            self.slices[slice].fills.push(packet);
        }
    }

    /// The slices take turns in handing a request to the controller, one in a cycle.
    pub fn take_miss(&mut self, now: Cycle) {
        let count = self.slices.len();
        for turn in 1..=count {
            let index = (self.controller.last_served_slice() + turn) % count;
            let slice = &mut self.slices[index];
            let is_blocked = slice.misses.is_empty() || !slice.fills.has_room();
            if is_blocked || !self.controller.has_credit(index) {
                continue;
            }
            if let Some(packet) = slice.misses.pop() {
                self.controller.accept(packet, index, now);
            }
            return;
        }
    }

    fn local_slice(&self, packet: &Packet) -> usize {
        self.controller.map().slice_within_channel(packet.address)
    }
}
