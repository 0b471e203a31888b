//! One link of the pair: what waits at its near end, what flies, what has arrived at its far end.
//!
//! Every vault has its own queues at both ends. Transfers with and without data wait apart, and where both wait they take turns; so do
//! the vaults. A transfer leaves only if its vault has a place for it at the far end, so that nothing on the link ever waits. A
//! packed packet takes what waits at the moment the link is free, and never waits for more.

use super::bandwidth::Bandwidth;
use super::counters::LinkTraffic;
use super::format::Towards;
use super::packer::{Packer, Packing, Transfer};
use crate::base::{Cycle, DelayLine, Packet};

/// What was configured for both links of the pair.
#[derive(Clone, Debug)]
pub struct OneWaySpec {
    /// Vaults behind it.
    pub vaults: usize,
    /// Whether blocks share packets.
    pub packing: Packing,
    /// How many bits it moves.
    pub bandwidth: Bandwidth,
    /// DRAM cycles from the last bit's departure to its arrival.
    pub latency_cycles: u64,
    /// Places in each queue of a vault.
    pub queue_packets: usize,
}

/// A link. All times are DRAM cycles.
#[derive(Clone, Debug)]
pub struct OneWay {
    towards: Towards,
    latency_cycles: u64,
    bandwidth: Bandwidth,
    packer: Packer,
    vaults: Vec<VaultEnds>,
    control: RoundRobin,
    blocks: RoundRobin,
    /// Whether it is the turn of a packet with data.
    is_blocks_turn: bool,
    /// Transfers under way.
    flying: DelayLine<Transfer>,
    /// The transfers that a packet completes; kept to spare allocations.
    complete: Vec<Transfer>,
    transfers_in: u64,
    transfers_out: u64,
}

/// One vault's queues at both ends.
#[derive(Clone, Debug)]
struct VaultEnds {
    /// Near end: transfers without data.
    control: DelayLine<Transfer>,
    /// Near end: transfers with data.
    blocks: DelayLine<Transfer>,
    /// Far end: what has arrived.
    arrived: DelayLine<Packet>,
    /// Places at the far end that no transfer has.
    free_places: usize,
}

/// Whose turn it is among the vaults, for one sort of transfer.
#[derive(Clone, Copy, Debug, Default)]
struct RoundRobin {
    waiting: usize,
    next_vault: usize,
}

impl OneWay {
    /// An idle link.
    pub fn new(spec: &OneWaySpec, towards: Towards) -> Self {
        let ends = VaultEnds {
            control: DelayLine::bounded(spec.queue_packets),
            blocks: DelayLine::bounded(spec.queue_packets),
            arrived: DelayLine::bounded(spec.queue_packets),
            free_places: spec.queue_packets,
        };
        Self {
            towards,
            latency_cycles: spec.latency_cycles,
            bandwidth: spec.bandwidth.clone(),
            packer: Packer::new(spec.packing, towards),
            vaults: vec![ends; spec.vaults],
            control: RoundRobin::default(),
            blocks: RoundRobin::default(),
            is_blocks_turn: false,
            flying: DelayLine::default(),
            complete: Vec::new(),
            transfers_in: 0,
            transfers_out: 0,
        }
    }

    /// Whether the vault's queue has a place for the packet.
    pub fn has_room(&self, vault: usize, packet: &Packet) -> bool {
        let ends = &self.vaults[vault];
        if self.towards.carries_data(packet) { ends.blocks.has_room() } else { ends.control.has_room() }
    }

    /// Takes a packet that may leave from `ready_at` on; the caller has asked [`OneWay::has_room`].
    pub fn send(&mut self, vault: usize, packet: Packet, ready_at: Cycle) {
        let transfer = Transfer { packet, vault, data_bits: self.towards.data_bits(&packet) };
        self.transfers_in += 1;
        if self.towards.carries_data(&packet) {
            self.blocks.waiting += 1;
            self.vaults[vault].blocks.push(ready_at, transfer);
        } else {
            self.control.waiting += 1;
            self.vaults[vault].control.push(ready_at, transfer);
        }
    }

    /// First half of a DRAM cycle: what is due arrives, and can be taken after the cycles that `work_cycles` says.
    pub fn deliver(&mut self, now: Cycle, work_cycles: impl Fn(&Packet) -> u64) {
        while let Some(transfer) = self.flying.pop_due(now) {
            let ready_at = now + work_cycles(&transfer.packet);
            self.vaults[transfer.vault].arrived.push(ready_at, transfer.packet);
        }
    }

    /// Second half: packets leave for as long as the cycle's bandwidth lasts.
    pub fn transmit(&mut self, now: Cycle) {
        self.bandwidth.begin_cycle();
        while self.bandwidth.is_open() {
            let has_taken_turn = self.is_blocks_turn && self.send_blocks(now);
            if !has_taken_turn && !self.send_control(now) && !self.send_blocks(now) {
                return;
            }
        }
    }

    /// The oldest packet that has arrived for the vault, if it can be taken.
    pub fn due(&self, vault: usize, now: Cycle) -> Option<&Packet> {
        self.vaults[vault].arrived.due(now)
    }

    /// Takes that packet; its place is free again.
    pub fn pop_due(&mut self, vault: usize, now: Cycle) -> Option<Packet> {
        let ends = &mut self.vaults[vault];
        let packet = ends.arrived.pop_due(now)?;
        ends.free_places += 1;
        self.transfers_out += 1;
        Some(packet)
    }

    /// Whether nothing is here.
    pub fn is_empty(&self) -> bool {
        self.transfers_in == self.transfers_out
    }

    /// Everything counted so far.
    pub fn traffic(&self) -> LinkTraffic {
        LinkTraffic {
            transfers_in: self.transfers_in,
            transfers_out: self.transfers_out,
            ..self.packer.traffic
        }
    }

    /// A packet without data, if a transfer for one waits.
    fn send_control(&mut self, now: Cycle) -> bool {
        let Some(transfer) = self.control.take(&mut self.vaults, now, |ends| &mut ends.control) else {
            return false;
        };
        let bits = self.packer.control();
        self.complete.push(transfer);
        self.launch(bits, now);
        self.is_blocks_turn = true;
        true
    }

    /// A packet with data, if there is any to send.
    fn send_blocks(&mut self, now: Cycle) -> bool {
        if self.blocks.waiting == 0 && !self.packer.has_first() {
            return false;
        }
        let (round, vaults) = (&mut self.blocks, &mut self.vaults);
        let bits = self.packer.pack(|| round.take(vaults, now, |ends| &mut ends.blocks), &mut self.complete);
        if bits == 0 {
            return false;
        }
        self.launch(bits, now);
        self.is_blocks_turn = false;
        true
    }

    /// Sends a packet; the transfers complete with it arrive together.
    fn launch(&mut self, bits: u32, now: Cycle) {
        let arrives_at = now + self.bandwidth.send(bits) + self.latency_cycles;
        for transfer in self.complete.drain(..) {
            self.flying.push(arrives_at, transfer);
        }
    }
}

impl RoundRobin {
    /// Takes the first transfer in the round that may leave and has a place at the far end.
    fn take(
        &mut self,
        vaults: &mut [VaultEnds],
        now: Cycle,
        queue: impl Fn(&mut VaultEnds) -> &mut DelayLine<Transfer>,
    ) -> Option<Transfer> {
        if self.waiting == 0 {
            return None;
        }
        let count = vaults.len();
        for turn in 0..count {
            let vault = (self.next_vault + turn) % count;
            let ends = &mut vaults[vault];
            if ends.free_places == 0 {
                continue;
            }
            let Some(transfer) = queue(ends).pop_due(now) else { continue };
            ends.free_places -= 1;
            self.waiting -= 1;
            self.next_vault = (vault + 1) % count;
            return Some(transfer);
        }
        None
    }
}

#[cfg(test)]
mod tests;
