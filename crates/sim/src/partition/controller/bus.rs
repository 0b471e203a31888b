//! Between a controller's delay and its channel without compression: nothing but the bus.

use shrinkwarp_emu::memory::Memory;

use super::address_map::{AddressMap, Location};
use super::dram::config::DramConfig;
use super::dram::{Channel, Request};
use super::{MemoryPorts, MemoryStation};
use crate::base::codec_unit::bursts;
use crate::base::station::{Mismatch, Progress, Station};
use crate::base::{Cycle, Packet};

/// The bus of one channel. It holds no packets.
#[derive(Clone, Debug)]
pub struct Bus {
    map: AddressMap,
    burst_bytes: u32,
}

impl Bus {
    /// The bus of a channel.
    pub fn new(dram: &DramConfig, map: AddressMap) -> Self {
        Self { map, burst_bytes: dram.burst_bytes() as u32 }
    }
}

impl Station for Bus {
    type Ports<'a> = MemoryPorts<'a>;
    type Counters = ();

    /// The oldest request that has had its delay enters the queue.
    #[inline]
    fn step(&mut self, mut ports: MemoryPorts<'_>, _: Cycle, _: &Memory) -> Progress {
        if ports.channel.is_queue_full() {
            return Progress::Blocked;
        }
        let Some(packet) = ports.requests.pop() else { return Progress::Idle };
        let Location { bank, row } = self.map.location(packet.address);
        let bursts = bursts(8 * u32::from(packet.bytes), self.burst_bytes) as u8;
        ports.channel.push(Request { packet, bank, row, bursts, merge_bursts: 0 });
        Progress::Moved
    }

    fn next_event(&self, _: Cycle) -> Option<Cycle> {
        None
    }

    fn is_empty(&self) -> bool {
        true
    }

    fn counters(&self) {}

    fn mismatch(&self) -> Option<Mismatch> {
        None
    }

    fn describe_wait(&self) -> Option<String> {
        None
    }
}

impl MemoryStation for Bus {
    const WAITS_FOR_QUEUE: bool = true;

    #[inline]
    fn front_answer<'a>(&'a self, channel: &'a Channel, _: Cycle) -> Option<&'a Packet> {
        channel.front_return()
    }

    #[inline]
    fn pop_answer(&mut self, channel: &mut Channel, _: Cycle) -> Option<Packet> {
        channel.pop_return()
    }
}
