//! A crossbar that moves whole packets: every packet, however large, takes one slot and one cycle. It is the built-in network of
//! GPGPU-Sim 4 (`network_mode 2`), with one round of iSLIP arbitration.
//!
//! In each cycle the outputs choose in ascending order: the first input at or after the output's pointer whose oldest packet is
//! for it; the pointer then moves behind that input. An input whose packet has left may give its next one to an output that
//! chooses later in the same cycle. A packet that was sent in one cycle can be at its output in the next.

use super::counters::CrossbarCounters;
use super::input::Queued;
use super::node_set::NodeSet;
use crate::base::{Packet, Ring};

/// A crossbar.
#[derive(Clone, Debug)]
pub struct PacketCrossbar {
    inputs: Vec<Ring<Queued>>,
    outputs: Vec<Output>,
    /// Outputs that the oldest packet of some input is for.
    requested: NodeSet,
    /// Outputs at which a packet waits.
    delivered: NodeSet,
    /// Packets that a queue holds.
    queue_packets: usize,
    cycle: u64,
    /// What happened so far.
    pub counters: CrossbarCounters,
}

/// A receiving node's side.
#[derive(Clone, Debug)]
struct Output {
    packets: Ring<Packet>,
    /// Inputs whose oldest packet is for this output.
    requests: NodeSet,
    /// The input that the next choice begins with.
    grant_pointer: usize,
}

impl PacketCrossbar {
    /// An idle crossbar whose ports have queues of `queue_packets`.
    pub fn new(inputs: usize, outputs: usize, queue_packets: usize) -> Self {
        let output = || Output { packets: Ring::new(16), requests: NodeSet::default(), grant_pointer: 0 };
        Self {
            inputs: (0..inputs).map(|_| Ring::new(16)).collect(),
            outputs: (0..outputs).map(|_| output()).collect(),
            requested: NodeSet::default(),
            delivered: NodeSet::default(),
            queue_packets,
            cycle: 0,
            counters: CrossbarCounters::default(),
        }
    }

    /// Whether a packet fits the input's queue.
    #[inline]
    pub fn has_room(&self, input: usize) -> bool {
        self.inputs[input].len() < self.queue_packets
    }

    /// Packets that fit the input's queue.
    #[inline]
    pub fn room_packets(&self, input: usize) -> usize {
        self.queue_packets.saturating_sub(self.inputs[input].len())
    }

    /// Puts a packet into the input's queue; the node has asked [`PacketCrossbar::has_room`].
    pub fn send(&mut self, input: usize, output: usize, packet: Packet, flits: usize) {
        debug_assert!(self.has_room(input), "the queue of input {input} is full");
        let queue = &mut self.inputs[input];
        queue.push(Queued { packet, output: output as u16, flits: flits as u8, entered: self.cycle });
        if queue.len() == 1 {
            self.request(input, output);
        }
        self.counters.packets_in += 1;
        self.counters.flits_in += flits as u64;
    }

    /// The outputs at which a packet waits.
    #[inline]
    pub fn delivered(&self) -> NodeSet {
        self.delivered
    }

    /// Takes a packet out.
    #[inline]
    pub fn receive(&mut self, output: usize) -> Option<Packet> {
        let packet = self.outputs[output].packets.pop()?;
        if self.outputs[output].packets.is_empty() {
            self.delivered.remove(output);
        }
        self.counters.packets_out += 1;
        Some(packet)
    }

    /// Whether no packet is anywhere.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.counters.packets_in == self.counters.packets_out
    }

    /// One cycle.
    pub fn step(&mut self) {
        let mut next = 0;
        while let Some(output) = self.requested.first_at_or_after(next) {
            next = output + 1;
            self.serve(output);
        }
        self.cycle += 1;
    }

    /// An output takes a packet, if it has room.
    fn serve(&mut self, index: usize) {
        let output = &mut self.outputs[index];
        if output.packets.len() >= self.queue_packets {
            return;
        }
        let Some(winner) = output.requests.first_from(output.grant_pointer) else { return };
        output.grant_pointer = if winner + 1 == self.inputs.len() { 0 } else { winner + 1 };
        output.requests.remove(winner);
        if output.requests.is_empty() {
            self.requested.remove(index);
        }
        let Some(sent) = self.inputs[winner].pop() else { return };
        self.counters.flits_out += u64::from(sent.flits);
        self.counters.latency_cycles += self.cycle - sent.entered;
        self.outputs[index].packets.push(sent.packet);
        self.delivered.insert(index);
        if let Some(behind) = self.inputs[winner].front().map(|queued| usize::from(queued.output)) {
            self.request(winner, behind);
        }
    }

    fn request(&mut self, input: usize, output: usize) {
        self.outputs[output].requests.insert(input);
        self.requested.insert(output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AccessKind, Cycle};

    fn packet(handle: u32) -> Packet {
        Packet { handle, ..Packet::new(AccessKind::GlobalRead, 0, 32, 0, Cycle(0)) }
    }

    fn received(crossbar: &mut PacketCrossbar, output: usize) -> Option<u32> {
        crossbar.receive(output).map(|packet| packet.handle)
    }

    #[test]
    fn an_output_takes_one_packet_a_cycle_and_its_inputs_in_turn() {
        let mut crossbar = PacketCrossbar::new(3, 2, 8);
        for (input, handle) in [(0, 10), (0, 11), (2, 20)] {
            crossbar.send(input, 1, packet(handle), 1);
        }
        let mut order = Vec::new();
        for _ in 0..4 {
            crossbar.step();
            order.push(received(&mut crossbar, 1));
        }
        assert_eq!(order, [Some(10), Some(20), Some(11), None]);
        assert!(crossbar.is_empty());
    }

    #[test]
    fn an_input_serves_a_later_output_in_the_same_cycle_but_no_earlier_one() {
        let mut crossbar = PacketCrossbar::new(1, 3, 8);
        for (output, handle) in [(1, 1), (2, 2), (0, 3)] {
            crossbar.send(0, output, packet(handle), 1);
        }
        crossbar.step();
        assert_eq!((received(&mut crossbar, 1), received(&mut crossbar, 2)), (Some(1), Some(2)));
        assert_eq!(received(&mut crossbar, 0), None);
        crossbar.step();
        assert_eq!(received(&mut crossbar, 0), Some(3));
    }

    #[test]
    fn a_full_output_holds_its_inputs_up() {
        let mut crossbar = PacketCrossbar::new(1, 1, 1);
        crossbar.send(0, 0, packet(1), 1);
        crossbar.step();
        crossbar.send(0, 0, packet(2), 1);
        crossbar.step();
        assert!(!crossbar.has_room(0));
        assert_eq!(received(&mut crossbar, 0), Some(1));
        crossbar.step();
        assert_eq!(received(&mut crossbar, 0), Some(2));
    }
}
