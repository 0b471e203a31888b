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
//!
//! A router with an internal speedup of *n* allocates and switches *n* times in a cycle: a port's buffer may lose *n* flits and an ejection buffer get *n*. The
//! channels on both sides still move one flit in a cycle.

use super::counters::CrossbarCounters;
use super::input::Queued;
use super::node_set::NodeSet;
use super::output::Output;
use super::ports::{
    CHANNEL_CYCLES, GROUP, InputPorts, LONGEST_WAY_CYCLES, OutputPorts, SWITCH_CYCLES, for_each_port,
};
use super::send_queue::SendQueue;
use crate::base::{Packet, Ring};

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
    /// Rounds of allocation and switch in a cycle.
    pub internal_speedup: usize,
    /// Places in a sending node's queue.
    pub input_queue_flits: usize,
    /// Places in a receiving node's boundary buffer.
    pub boundary_flits: usize,
}

/// A crossbar.
#[derive(Clone, Debug)]
pub struct Crossbar {
    spec: CrossbarSpec,
    /// Flits at the inputs, and packets.
    input_ports: Vec<InputPorts>,
    inputs: Vec<Ring<Queued>>,
    /// Flits at the outputs, and packets.
    output_ports: Vec<OutputPorts>,
    outputs: Vec<Output>,
    /// Outputs at which a whole packet waits.
    delivered: NodeSet,
    cycle: u64,
    /// From here on a cycle changes nothing, unless a packet is sent.
    quiet_from: u64,
    /// What happened so far.
    pub counters: CrossbarCounters,
}

impl Crossbar {
    /// An idle crossbar.
    pub fn new(spec: CrossbarSpec) -> Self {
        let input_groups = spec.inputs.div_ceil(GROUP);
        let output_groups = spec.outputs.div_ceil(GROUP);
        Self {
            spec,
            input_ports: vec![InputPorts::new(spec.buffer_flits as i16); input_groups],
            inputs: vec![Ring::new(spec.buffer_flits + spec.input_queue_flits + 4); spec.inputs],
            output_ports: vec![OutputPorts::default(); output_groups],
            outputs: vec![Output::new(spec.buffer_flits + spec.boundary_flits); spec.outputs],
            delivered: NodeSet::default(),
            cycle: 0,
            quiet_from: 0,
            counters: CrossbarCounters::default(),
        }
    }

    /// Whether a packet of `flits` fits the input's queue.
    #[inline]
    pub fn has_room(&self, input: usize, flits: usize) -> bool {
        self.queued_flits(input) + flits <= self.spec.input_queue_flits
    }

    /// For how many steps at least a packet of `flits` does not fit: one flit leaves in each.
    #[inline]
    pub fn steps_until_room(&self, input: usize, flits: usize) -> u64 {
        (self.queued_flits(input) + flits).saturating_sub(self.spec.input_queue_flits) as u64
    }

    /// What the input's queue will do in the next steps, as far as it is known.
    #[inline]
    pub fn send_queue(&self, input: usize) -> SendQueue {
        let ports = &self.input_ports[input / GROUP];
        ports.send_queue(input % GROUP, self.cycle, self.spec.input_queue_flits as i16)
    }

    /// A number of steps before which no packet becomes whole, but for those all of whose flits have won the switch.
    pub fn steps_until_next_whole(&self) -> u64 {
        // A packet that is sent before the next step is in the router two steps later.
        let way_cycles = CHANNEL_CYCLES + self.spec.vc_allocation_cycles + SWITCH_CYCLES;
        let missing = (0..self.spec.inputs).filter_map(|input| self.missing_flits(input)).min();
        let steps = missing.map_or(u64::MAX, |flits| (flits - 1) / self.spec.internal_speedup as u64);
        way_cycles.min(steps.saturating_add(SWITCH_CYCLES))
    }

    /// Flits of the input's oldest packet that have not won the switch; `None` if there is no packet.
    fn missing_flits(&self, input: usize) -> Option<u64> {
        match self.input_ports[input / GROUP].left[input % GROUP] {
            0 => self.inputs[input].front().map(|queued| u64::from(queued.flits)),
            left => Some(left as u64),
        }
    }

    /// The packets that the output's node takes after each of the next `steps` steps, if it takes one whenever it can and if no
    /// flit wins the switch meanwhile: `take(step, packet)`, where the first step is 1.
    pub fn for_each_arrival(&self, output: usize, steps: u64, mut take: impl FnMut(u64, Packet)) {
        let arrivals = &self.outputs[output];
        if arrivals.is_empty() {
            return;
        }
        let mut ports = self.output_ports[output / GROUP].at(output % GROUP);
        let (mut whole, mut taken) = (arrivals.whole(), 0);
        for step in 1..=steps {
            if ports.eject(self.cycle + step - 1, self.spec.boundary_flits as i16) {
                whole += 1;
                ports.missing = arrivals.get(whole).map_or(0, |(_, flits)| i16::from(flits));
            }
            if taken < whole
                && let Some((packet, flits)) = arrivals.get(taken)
            {
                take(step, packet);
                taken += 1;
                ports.boundary -= i16::from(flits);
            }
        }
    }

    #[inline]
    fn queued_flits(&self, input: usize) -> usize {
        self.input_ports[input / GROUP].queued[input % GROUP] as usize
    }

    /// Puts a packet into the input's queue; the node has asked [`Crossbar::has_room`].
    pub fn send(&mut self, input: usize, output: usize, packet: Packet, flits: usize) {
        debug_assert!(self.has_room(input, flits), "the queue of input {input} is full");
        let entered = self.cycle;
        self.inputs[input].push(Queued { packet, output: output as u16, flits: flits as u8, entered });
        self.input_ports[input / GROUP].queued[input % GROUP] += flits as i16;
        self.counters.packets_in += 1;
        self.counters.flits_in += flits as u64;
    }

    /// Whether a whole packet waits at the output.
    #[inline]
    pub fn has_packet(&self, output: usize) -> bool {
        self.delivered.contains(output)
    }

    /// The outputs at which a whole packet waits.
    #[inline]
    pub fn delivered(&self) -> NodeSet {
        self.delivered
    }

    /// Takes a whole packet out.
    #[inline]
    pub fn receive(&mut self, output: usize) -> Option<Packet> {
        if !self.has_packet(output) {
            return None;
        }
        let (packet, flits) = self.outputs[output].take_packet()?;
        self.output_ports[output / GROUP].boundary[output % GROUP] -= i16::from(flits);
        if !self.outputs[output].has_packet() {
            self.delivered.remove(output);
        }
        self.counters.packets_out += 1;
        Some(packet)
    }

    /// One cycle, last stage first.
    pub fn step(&mut self) {
        if !self.is_empty() {
            self.quiet_from = self.cycle + LONGEST_WAY_CYCLES;
        }
        if self.cycle < self.quiet_from {
            self.move_flits();
            for _ in 0..self.spec.internal_speedup {
                self.allocate_outputs();
                self.traverse_switch();
            }
        }
        self.cycle += 1;
    }

    /// Whether no packet is anywhere.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.counters.packets_in == self.counters.packets_out
    }

    /// Flits move on to the boundary buffers; packets whose last one has are whole. Flits go onto the channels and into the router; a
    /// packet's first one makes it ask for its output.
    #[inline]
    fn move_flits(&mut self) {
        let boundary_flits = self.spec.boundary_flits as i16;
        for group in 0..self.input_ports.len().max(self.output_ports.len()) {
            let outputs = self.output_ports.get_mut(group);
            let whole = outputs.map_or(0, |ports| ports.eject(self.cycle, boundary_flits));
            let heads = self.input_ports.get_mut(group).map_or(0, |ports| ports.inject(self.cycle));
            for_each_port(whole, |port| self.finish_packet(group * GROUP + port));
            for_each_port(heads, |port| self.request_output(group * GROUP + port));
        }
    }

    /// The oldest packet of an output that was not whole is.
    #[inline]
    fn finish_packet(&mut self, index: usize) {
        let (entered, missing) = self.outputs[index].finish_packet();
        self.output_ports[index / GROUP].missing[index % GROUP] = i16::from(missing);
        self.counters.latency_cycles += self.cycle - entered;
        self.delivered.insert(index);
    }

    /// The packet at the head of the input's buffer asks for its output.
    #[inline]
    fn request_output(&mut self, index: usize) {
        let Some(output) = self.inputs[index].front().map(|queued| usize::from(queued.output)) else {
            return;
        };
        self.input_ports[index / GROUP].note_request(index % GROUP);
        self.outputs[output].requests.insert(index);
        self.output_ports[output / GROUP].requested |= 1 << (output % GROUP);
    }

    #[inline]
    fn allocate_outputs(&mut self) {
        for group in 0..self.output_ports.len() {
            let ports = &self.output_ports[group];
            for_each_port(ports.requested & !ports.held, |port| self.allocate_output(group, port));
        }
    }

    /// An output lets in the packet of one of the inputs that ask for it.
    #[inline]
    fn allocate_output(&mut self, group: usize, port: usize) {
        let output = &mut self.outputs[group * GROUP + port];
        let Some(winner) = output.requests.first_from(output.grant_pointer) else { return };
        let Some(&queued) = self.inputs[winner].front() else { return };
        let (to, flits) = (queued.output, queued.flits);
        let is_next_whole = output.expect_packet(queued);
        self.inputs[winner].drop_front();
        output.grant_pointer = if winner + 1 == self.spec.inputs { 0 } else { winner + 1 };
        output.requests.remove(winner);
        let ports = &mut self.output_ports[group];
        ports.held |= 1 << port;
        if output.requests.is_empty() {
            ports.requested &= !(1 << port);
        }
        if is_next_whole {
            ports.missing[port % GROUP] = i16::from(flits);
        }
        self.input_ports[winner / GROUP].let_in(winner % GROUP, to, flits);
    }

    #[inline]
    fn traverse_switch(&mut self) {
        let buffer_flits = self.spec.buffer_flits as i16;
        let enters_at_once = self.spec.vc_allocation_cycles == 0;
        for group in 0..self.input_ports.len() {
            let outputs = &mut self.output_ports;
            let (flits, heads) =
                self.input_ports[group].send_flits(outputs, self.cycle, buffer_flits, enters_at_once);
            self.counters.flits_out += flits;
            for_each_port(heads, |port| self.request_output(group * GROUP + port));
        }
    }
}

#[cfg(test)]
mod tests;
