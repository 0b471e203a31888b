//! A crossbar at flit granularity: one input-queued router with one virtual channel, after BookSim's (Jiang et al.,
//! "A Detailed and Flexible Cycle-Accurate Network-on-Chip Simulator", ISPASS 2013) as the reference simulator runs it.
//!
//! A flit that meets no other, injected in cycle t:
//!
//! | cycle | what happens                                                           |
//! |-------|------------------------------------------------------------------------|
//! | t     | leaves the node's queue for the channel                                |
//! | t + 2 | is in the router's buffer; a packet's first flit asks for the output   |
//! | t + 3 | wins the switch                                                        |
//! | t + 6 | is in the ejection buffer and moves on to the boundary buffer          |
//!
//! The virtual-channel allocator is iSLIP: an output that is free grants the first asking input at or after its pointer,
//! which then moves behind the winner. A packet holds its output from the grant until its last flit has won the switch, so
//! the switch itself never has a conflict, and a port pays one idle cycle between packets; with
//! `vc_allocation_cycles = 0` the first flit enters the switch in the cycle of the grant, and there is no idle cycle. Buffer places come back as
//! credits, two cycles after they are free.

use super::counters::CrossbarCounters;
use super::input::{Head, Input, Queued};
use super::node_set::NodeSet;
use super::output::Output;
use crate::base::Packet;

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossbarSpec {
    /// Nodes that send.
    pub inputs: usize,
    /// Nodes that receive.
    pub outputs: usize,
    /// Places in a router buffer and in an ejection buffer.
    pub buffer_flits: usize,
    /// Cycles from the grant of an output to the first flit through the switch: 0 or 1.
    pub vc_allocation_cycles: u64,
    /// Places in a sending node's queue.
    pub input_queue_flits: usize,
    /// Places in a receiving node's boundary buffer.
    pub boundary_flits: usize,
}

/// Cycles of a calendar, a power of two: more than the longest way.
const CALENDAR_CYCLES: usize = 4;
/// A flit is in the router two cycles after it has left the queue.
const CHANNEL_CYCLES: u64 = 2;
/// A flit is in the ejection buffer three cycles after it has won the switch.
const SWITCH_CYCLES: u64 = 3;
/// A freed buffer place can be used again two cycles later.
const CREDIT_CYCLES: u64 = 2;

/// What arrives when: a set of nodes for each of the next cycles. A node gets at most one flit and one credit in a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Calendar {
    days: [NodeSet; CALENDAR_CYCLES],
}

impl Calendar {
    #[inline]
    fn insert(&mut self, cycle: u64, node: usize) {
        self.days[cycle as usize % CALENDAR_CYCLES].insert(node);
    }

    /// Takes what arrives now.
    #[inline]
    fn take(&mut self, cycle: u64) -> NodeSet {
        std::mem::take(&mut self.days[cycle as usize % CALENDAR_CYCLES])
    }
}

/// A crossbar.
#[derive(Clone, Debug)]
pub struct Crossbar {
    spec: CrossbarSpec,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    /// Inputs with a flit in the queue and a place for it in the router.
    injecting: NodeSet,
    /// Inputs whose packet holds an output and has a flit in the buffer.
    sending: NodeSet,
    /// Outputs that some packet asks for.
    requested: NodeSet,
    /// Outputs with a flit in the ejection buffer, unless the boundary buffer was found full.
    ejecting: NodeSet,
    /// Flits on the channels, by input.
    channel: Calendar,
    /// Places of router buffers on their way back, by input.
    input_credits: Calendar,
    /// Flits behind the switch, by output.
    crossing: Calendar,
    /// Places of ejection buffers on their way back, by output.
    output_credits: Calendar,
    /// Inputs that won an output in this cycle.
    winners: Vec<u16>,
    cycle: u64,
    /// What happened so far.
    pub counters: CrossbarCounters,
}

impl Crossbar {
    /// An idle crossbar.
    pub fn new(spec: CrossbarSpec) -> Self {
        Self {
            spec,
            inputs: (0..spec.inputs).map(|_| Input::new(spec.buffer_flits, spec.input_queue_flits)).collect(),
            outputs: (0..spec.outputs).map(|_| Output::new(spec.buffer_flits, spec.boundary_flits)).collect(),
            injecting: NodeSet::default(),
            sending: NodeSet::default(),
            requested: NodeSet::default(),
            ejecting: NodeSet::default(),
            channel: Calendar::default(),
            input_credits: Calendar::default(),
            crossing: Calendar::default(),
            output_credits: Calendar::default(),
            winners: Vec::with_capacity(spec.inputs),
            cycle: 0,
            counters: CrossbarCounters::default(),
        }
    }

    /// Whether a packet of `flits` fits the input's queue.
    #[inline]
    pub fn has_room(&self, input: usize, flits: usize) -> bool {
        self.inputs[input].queued_flits + flits <= self.spec.input_queue_flits
    }

    /// Flits that fit the input's queue.
    #[inline]
    pub fn room_flits(&self, input: usize) -> usize {
        self.spec.input_queue_flits.saturating_sub(self.inputs[input].queued_flits)
    }

    /// Puts a packet into the input's queue; the node has asked [`Crossbar::has_room`].
    pub fn send(&mut self, input: usize, output: usize, packet: Packet, flits: usize) {
        debug_assert!(self.has_room(input, flits), "the queue of input {input} is full");
        let entered = self.cycle;
        let queue = &mut self.inputs[input];
        queue.packets.push(Queued { packet, output: output as u16, flits: flits as u8, entered });
        queue.queued_flits += flits;
        if queue.can_inject() {
            self.injecting.insert(input);
        }
        self.counters.packets_in += 1;
        self.counters.flits_in += flits as u64;
    }

    /// Whether a whole packet waits at the output.
    #[inline]
    pub fn has_packet(&self, output: usize) -> bool {
        self.outputs[output].has_packet()
    }

    /// Takes a whole packet out.
    #[inline]
    pub fn receive(&mut self, output: usize) -> Option<Packet> {
        let packet = self.outputs[output].take_packet()?;
        // The room it leaves may let a flit of the ejection buffer move on.
        if self.outputs[output].ejected_flits > 0 {
            self.ejecting.insert(output);
        }
        self.counters.packets_out += 1;
        Some(packet)
    }

    /// One cycle, last stage first.
    pub fn step(&mut self) {
        self.eject();
        self.inject();
        if !self.requested.is_empty() {
            self.allocate_outputs();
        }
        self.traverse_switch();
        self.cycle += 1;
    }

    /// Whether no packet is anywhere.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.counters.packets_in == self.counters.packets_out
    }

    /// Credits reach the router, flits the ejection buffers; one flit of each ejection buffer moves on.
    fn eject(&mut self) {
        self.output_credits.take(self.cycle).for_each(|index| self.outputs[index].taken_places -= 1);
        self.crossing.take(self.cycle).for_each(|index| {
            self.outputs[index].ejected_flits += 1;
            self.ejecting.insert(index);
        });
        let capacity = self.spec.boundary_flits;
        let ejecting = self.ejecting;
        ejecting.for_each(|index| {
            let output = &mut self.outputs[index];
            if output.can_eject(capacity) {
                self.output_credits.insert(self.cycle + CREDIT_CYCLES, index);
                if let Some(entered) = output.eject_flit() {
                    self.counters.latency_cycles += self.cycle - entered;
                }
            }
            if !output.can_eject(capacity) {
                self.ejecting.remove(index);
            }
        });
    }

    /// Credits reach the nodes, flits the router; one flit of each queue goes onto its channel.
    fn inject(&mut self) {
        self.input_credits.take(self.cycle).for_each(|index| {
            let input = &mut self.inputs[index];
            input.credits += 1;
            if input.can_inject() {
                self.injecting.insert(index);
            }
        });
        self.channel.take(self.cycle).for_each(|index| {
            self.inputs[index].buffered_flits += 1;
            match self.inputs[index].head {
                Head::Absent => self.request_output(index),
                Head::Sends => self.sending.insert(index),
                Head::Requests => {}
            }
        });
        let injecting = self.injecting;
        injecting.for_each(|index| {
            let input = &mut self.inputs[index];
            input.queued_flits -= 1;
            input.credits -= 1;
            self.channel.insert(self.cycle + CHANNEL_CYCLES, index);
            if !input.can_inject() {
                self.injecting.remove(index);
            }
        });
    }

    /// The packet at the head of the input's buffer asks for its output.
    #[inline]
    fn request_output(&mut self, index: usize) {
        let input = &mut self.inputs[index];
        let Some(queued) = input.packets.front() else { return };
        let output = usize::from(queued.output);
        input.head = Head::Requests;
        input.head_output = queued.output;
        input.head_flits = queued.flits;
        self.outputs[output].requests.insert(index);
        self.requested.insert(output);
    }

    fn allocate_outputs(&mut self) {
        let requested = self.requested;
        requested.for_each(|index| {
            let output = &mut self.outputs[index];
            if output.owner.is_some() {
                return;
            }
            let Some(winner) = output.requests.first_from(output.grant_pointer) else { return };
            output.owner = Some(winner as u16);
            output.grant_pointer = if winner + 1 == self.spec.inputs { 0 } else { winner + 1 };
            output.requests.remove(winner);
            if output.requests.is_empty() {
                self.requested.remove(index);
            }
            self.winners.push(winner as u16);
        });
    }

    fn traverse_switch(&mut self) {
        if self.spec.vc_allocation_cycles == 0 {
            self.admit_winners();
        }
        let sending = self.sending;
        sending.for_each(|index| self.send_flit(index));
        // Who won its output in this cycle enters the switch in the next.
        self.admit_winners();
    }

    fn admit_winners(&mut self) {
        while let Some(winner) = self.winners.pop() {
            let winner = usize::from(winner);
            self.inputs[winner].head = Head::Sends;
            self.sending.insert(winner);
        }
    }

    fn send_flit(&mut self, index: usize) {
        let input = &mut self.inputs[index];
        let output_index = usize::from(input.head_output);
        let output = &mut self.outputs[output_index];
        if output.taken_places >= self.spec.buffer_flits {
            return;
        }
        if input.sent_flits == 0
            && let Some(queued) = input.packets.front()
        {
            output.expect_packet(queued.packet, queued.flits, queued.entered);
        }
        output.taken_places += 1;
        self.crossing.insert(self.cycle + SWITCH_CYCLES, output_index);
        self.input_credits.insert(self.cycle + CREDIT_CYCLES, index);
        self.counters.flits_out += 1;
        let is_tail = input.send_flit();
        if input.buffered_flits == 0 || is_tail {
            self.sending.remove(index);
        }
        if is_tail {
            output.owner = None;
            input.head = Head::Absent;
            if input.buffered_flits > 0 {
                self.request_output(index);
            }
        }
    }
}

#[cfg(test)]
mod tests;
