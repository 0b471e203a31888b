//! A memory partition: L2 slices, the memory controller they share, and its DRAM channel.
//!
//! ```text
//! network -> [ROP delay] -> request queue -> slice -> miss queue -\
//! network <----------------- reply queue <- slice <- fill queue <- controller <-> [station] <-> DRAM channel
//! ```
//!
//! Slices and their queues step with the L2 clock, controller, station and channel with the DRAM clock. The station is the bus,
//! compression in the controller, or the vault's end of the memory links.

pub mod controller;
pub mod l2;
pub mod link;

use shrinkwarp_emu::memory::Memory;

use crate::base::station::Station;
use crate::base::{Cycle, Now, Packet, PointSpec};
use controller::dram::config::DramConfig;
use controller::scheme::{MemoryScheme, SectorFill};
use controller::{AddressMap, Bus, CompressedMemory, CompressionSpec, Controller, MemoryStation};
use l2::config::L2Config;
use l2::{L2Scheme, Slice};

/// One partition.
#[derive(Clone, Debug)]
pub struct Partition {
    /// Its slices; the first has the global number `channel x slices_per_channel`.
    pub slices: Vec<Slice>,
    /// Slices that have a request for the controller, as bits.
    missing: u64,
    /// Its controller.
    pub controller: Controller,
    point: MemoryPoint,
}

/// What lies between the controller's delay and the channel, where no memory links do.
#[derive(Clone, Debug)]
enum MemoryPoint {
    Bus(Bus),
    Compressed(Box<CompressedMemory>),
}

impl Partition {
    /// An idle partition for one channel.
    pub fn new(
        l2: &L2Config,
        l2_point: Option<PointSpec<'_, L2Scheme>>,
        dram: &DramConfig,
        memory_point: Option<PointSpec<'_, MemoryScheme>>,
    ) -> Self {
        let map = AddressMap::new(dram);
        // Without compression in the controller it is a link that brings whole blocks, if anything does.
        let fills_block = memory_point.is_none_or(|point| point.keys.fill == SectorFill::Block);
        let point = match memory_point {
            None => MemoryPoint::Bus(Bus::new(dram, map.clone())),
            Some(point) => {
                let spec = CompressionSpec::of(point, dram);
                MemoryPoint::Compressed(Box::new(CompressedMemory::new(spec, map.clone())))
            }
        };
        Self {
            slices: (0..dram.slices_per_channel)
                .map(|_| Slice::new(l2, l2_point, map.clone(), fills_block))
                .collect(),
            missing: 0,
            controller: Controller::new(dram, map),
            point,
        }
    }

    /// A slice has a request for the controller.
    #[inline]
    pub fn note_miss(&mut self, slice: usize) {
        self.missing |= 1 << slice;
    }

    /// One DRAM cycle with the partition's own station. Returns the slice that got an answer.
    #[inline]
    pub fn step_dram(&mut self, now: Now, memory: &Memory) -> Option<usize> {
        // In most cycles nothing passes the bus and nothing comes from the slices.
        let is_bus = matches!(self.point, MemoryPoint::Bus(_));
        if is_bus && self.missing == 0 && self.controller.is_apart(now.core) {
            self.controller.step_channel(now.dram);
            return None;
        }
        self.step_dram_awake(now, memory)
    }

    fn step_dram_awake(&mut self, now: Now, memory: &Memory) -> Option<usize> {
        let Self { slices, missing, controller, point } = self;
        match point {
            MemoryPoint::Bus(bus) => step_dram(slices, missing, controller, bus, now, memory),
            MemoryPoint::Compressed(point) => {
                step_dram(slices, missing, controller, &mut **point, now, memory)
            }
        }
    }

    /// One DRAM cycle with a station that is not the partition's own: its end of the memory links.
    pub fn step_dram_through<S: MemoryStation>(
        &mut self,
        station: &mut S,
        now: Now,
        memory: &Memory,
    ) -> Option<usize> {
        step_dram(&mut self.slices, &mut self.missing, &mut self.controller, station, now, memory)
    }

    /// Until when DRAM cycles change nothing, if no slice has a request before; `None` if one at `now` may.
    #[inline]
    pub fn dram_quiet_until(&self, now: Cycle) -> Option<Cycle> {
        let until = self.controller.quiet_until(now)?;
        (self.missing == 0 && self.is_point_empty()).then_some(until)
    }

    /// When something happens next without outside help; `None` if nothing is here.
    pub fn next_event(&self, now: Cycle) -> Option<Cycle> {
        let slices = self.slices.iter().filter_map(|slice| slice.next_event(now));
        let point = self.compression().and_then(|point| point.next_event(now));
        slices.chain(self.controller.next_event(now)).chain(point).min()
    }

    /// Whether no packet is here.
    pub fn is_empty(&self) -> bool {
        self.slices.iter().all(Slice::is_empty) && self.controller.is_empty() && self.is_point_empty()
    }

    /// The compression point in the controller, if there is one.
    pub fn compression(&self) -> Option<&CompressedMemory> {
        match &self.point {
            MemoryPoint::Bus(_) => None,
            MemoryPoint::Compressed(point) => Some(point),
        }
    }

    /// The same, to be told what the host does.
    pub fn compression_mut(&mut self) -> Option<&mut CompressedMemory> {
        match &mut self.point {
            MemoryPoint::Bus(_) => None,
            MemoryPoint::Compressed(point) => Some(point),
        }
    }

    /// What packets wait for here, one line for each slice and station.
    pub fn describe_waits(&self) -> Vec<String> {
        let slices = self.slices.iter().enumerate();
        let mut lines: Vec<_> =
            slices.map(|(index, slice)| format!("slice {index}: {}", slice.describe_wait())).collect();
        lines.extend(self.compression().and_then(Station::describe_wait));
        lines
    }

    #[inline]
    fn is_point_empty(&self) -> bool {
        self.compression().is_none_or(Station::is_empty)
    }
}

/// One DRAM cycle: an answer goes back, the channel steps, a request is taken in, the station steps. Returns the slice that got the
/// answer.
fn step_dram<S: MemoryStation>(
    slices: &mut [Slice],
    missing: &mut u64,
    controller: &mut Controller,
    station: &mut S,
    now: Now,
    memory: &Memory,
) -> Option<usize> {
    let answered = return_answer(slices, controller, station, now);
    controller.step_channel(now.dram);
    if *missing != 0 && !(S::WAITS_FOR_QUEUE && controller.is_queue_full()) {
        forward_miss(slices, missing, controller, station, now.core);
    }
    let _progress = station.step(controller.ports(now.core), now.dram, memory);
    answered
}

/// The oldest answer goes to its slice, if that has room. No slice waits for the answer to a write-back. Returns the slice that
/// got one.
fn return_answer<S: MemoryStation>(
    slices: &mut [Slice],
    controller: &mut Controller,
    station: &mut S,
    now: Now,
) -> Option<usize> {
    let answer = controller.front_answer(station, now.dram)?;
    let slice = local_slice(controller, answer);
    if !answer.kind.is_writeback() && !slices[slice].fills.has_room() {
        return None;
    }
    let answer = controller.pop_answer(station, slice, now.dram)?;
    if answer.kind.is_writeback() {
        return None;
    }
    slices[slice].fills.push(answer);
    while let Some(next) = controller.front_answer(station, now.dram)
        && station.passes_with(&answer, next)
        && slices[slice].fills.has_room()
        && let Some(next) = controller.pop_answer(station, slice, now.dram)
    {
        slices[slice].fills.push(next);
    }
    Some(slice)
}

/// The slices take turns in handing a request to the controller, one per cycle and what passes with it.
fn forward_miss<S: MemoryStation>(
    slices: &mut [Slice],
    missing: &mut u64,
    controller: &mut Controller,
    station: &S,
    now: Cycle,
) {
    let count = slices.len();
    for turn in 1..=count {
        let behind = controller.last_served_slice() + turn;
        let index = if behind >= count { behind - count } else { behind };
        let slice = &mut slices[index];
        let has_miss = *missing >> index & 1 == 1;
        if !has_miss || !slice.fills.has_room() || !controller.has_credit(index) {
            continue;
        }
        if let Some(packet) = slice.misses.pop() {
            controller.accept(packet, index, now);
            while let Some(next) = slice.misses.front()
                && station.passes_with(&packet, next)
                && controller.has_credit(index)
                && let Some(next) = slice.misses.pop()
            {
                controller.accept(next, index, now);
            }
        }
        *missing &= !(u64::from(slice.misses.is_empty()) << index);
        return;
    }
}

fn local_slice(controller: &Controller, packet: &Packet) -> usize {
    controller.map().slice_within_channel(packet.address)
}
