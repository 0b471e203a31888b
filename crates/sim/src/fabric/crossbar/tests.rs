//! Is a packet where the table says, when it says? Does back-pressure hold, is the choice fair, is nothing lost?

use super::*;
use crate::base::{AccessKind, Cycle};

const SPEC: CrossbarSpec = CrossbarSpec {
    inputs: 15,
    outputs: 12,
    buffer_flits: 8,
    vc_allocation_cycles: 1,
    internal_speedup: 1,
    input_queue_flits: 9,
    boundary_flits: 16,
};

fn packet(handle: u32) -> Packet {
    Packet { handle, ..Packet::new(AccessKind::GlobalRead, 0, 128, 0, Cycle(0)) }
}

/// Cycles until the output has a whole packet; the last one counted is the one that brought it.
fn cycles_until_arrival(crossbar: &mut Crossbar, output: usize) -> u64 {
    (0..1000)
        .find(|_| {
            crossbar.step();
            crossbar.has_packet(output)
        })
        .unwrap()
}

#[test]
fn a_lone_flit_takes_six_cycles() {
    let mut crossbar = Crossbar::new(SPEC);
    crossbar.send(3, 7, packet(42), 1);
    assert_eq!(cycles_until_arrival(&mut crossbar, 7), 6);
    assert_eq!(crossbar.receive(7).map(|p| p.handle), Some(42));
    assert!(crossbar.is_empty());
}

#[test]
fn each_further_flit_takes_one_more_cycle() {
    for flits in 1..=5 {
        let mut crossbar = Crossbar::new(SPEC);
        crossbar.send(0, 0, packet(0), flits);
        assert_eq!(cycles_until_arrival(&mut crossbar, 0), 6 + flits as u64 - 1);
    }
}

#[test]
fn a_port_pays_one_idle_cycle_between_packets() {
    let mut crossbar = Crossbar::new(SPEC);
    crossbar.send(0, 0, packet(1), 4);
    crossbar.send(0, 0, packet(2), 4);
    assert_eq!(cycles_until_arrival(&mut crossbar, 0), 6 + 3);
    crossbar.receive(0);
    assert_eq!(cycles_until_arrival(&mut crossbar, 0), 4);
}

#[test]
fn with_an_internal_speedup_an_input_serves_two_outputs_in_the_time_of_one() {
    // Two packets of two flits, for different outputs, wait at one input: their flits come in one by one.
    let cycles = |internal_speedup| {
        let mut crossbar = Crossbar::new(CrossbarSpec { vc_allocation_cycles: 0, internal_speedup, ..SPEC });
        // The first output is held by a longer packet of another input, so that flits pile up behind it.
        crossbar.send(1, 0, packet(0), 6);
        crossbar.step();
        crossbar.send(0, 0, packet(1), 2);
        crossbar.send(0, 5, packet(2), 2);
        cycles_until_arrival(&mut crossbar, 5)
    };
    assert!(cycles(2) < cycles(1), "{} and {}", cycles(2), cycles(1));
    // The way out still takes one flit in a cycle.
    let mut crossbar = Crossbar::new(CrossbarSpec { vc_allocation_cycles: 0, internal_speedup: 2, ..SPEC });
    crossbar.send(0, 0, packet(0), 5);
    assert_eq!(cycles_until_arrival(&mut crossbar, 0), 5 + 4);
}

#[test]
fn without_allocation_delay_packets_follow_each_other_at_once() {
    let mut crossbar = Crossbar::new(CrossbarSpec { vc_allocation_cycles: 0, ..SPEC });
    crossbar.send(0, 0, packet(1), 4);
    crossbar.send(0, 0, packet(2), 4);
    assert_eq!(cycles_until_arrival(&mut crossbar, 0), 5 + 3);
    crossbar.receive(0);
    assert_eq!(cycles_until_arrival(&mut crossbar, 0), 3, "the cycles before the one that brings it");
}

#[test]
fn a_queue_takes_only_whole_packets() {
    let mut crossbar = Crossbar::new(SPEC);
    crossbar.send(0, 0, packet(0), 5);
    assert!(crossbar.has_room(0, 4) && !crossbar.has_room(0, 5));
}

#[test]
fn two_inputs_share_an_output_in_turn() {
    let mut crossbar = Crossbar::new(SPEC);
    for round in 0..3 {
        for input in [2, 9] {
            crossbar.send(input, 4, packet(round * 100 + input as u32), 1);
        }
    }
    let mut order = Vec::new();
    for _ in 0..40 {
        crossbar.step();
        order.extend(crossbar.receive(4).map(|p| p.handle % 100));
    }
    assert_eq!(order, [2, 9, 2, 9, 2, 9]);
}

#[test]
fn different_outputs_do_not_wait_for_each_other() {
    let mut crossbar = Crossbar::new(SPEC);
    for port in 0..12 {
        crossbar.send(port, 11 - port, packet(0), 5);
    }
    for _ in 0..=10 {
        crossbar.step();
    }
    assert!((0..12).all(|output| crossbar.has_packet(output)));
}

#[test]
fn a_node_that_takes_nothing_stops_its_senders_and_no_one_else() {
    let mut crossbar = Crossbar::new(SPEC);
    let mut accepted = 0;
    for _ in 0..400 {
        for output in [0, 1] {
            if crossbar.has_room(output, 5) {
                crossbar.send(output, output, packet(0), 5);
                accepted += usize::from(output == 0);
            }
        }
        crossbar.step();
        crossbar.receive(1);
    }
    // Packets of 5 flits in 16 boundary, 8 ejection, 8 router and 9 queue places.
    assert_eq!(accepted, (16 + 8 + 8 + 9) / 5);
    assert!(crossbar.counters.packets_out > 60, "the other output flows");
    while !crossbar.is_empty() {
        crossbar.step();
        crossbar.receive(0);
        crossbar.receive(1);
    }
    assert_eq!(crossbar.counters.packets_in, crossbar.counters.packets_out);
}

#[test]
fn nothing_is_lost_reordered_or_forgotten_under_random_load() {
    let mut crossbar = Crossbar::new(SPEC);
    let mut seed: u64 = 1;
    let mut random = |limit: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % limit
    };
    let mut last_of_pair = vec![0; 15 * 12];
    let mut check = |crossbar: &mut Crossbar, output: usize| {
        if let Some(packet) = crossbar.receive(output) {
            let last: &mut u32 = &mut last_of_pair[usize::from(packet.sm) * 12 + output];
            assert!(packet.handle > *last, "packets of one pair keep their order");
            *last = packet.handle;
        }
    };
    for number in 1..4000 {
        let (input, output, flits) = (random(15) as usize, random(12) as usize, 1 + random(5) as usize);
        if crossbar.has_room(input, flits) {
            crossbar.send(input, output, Packet { sm: input as u16, ..packet(number) }, flits);
        }
        crossbar.step();
        check(&mut crossbar, random(12) as usize);
    }
    while !crossbar.is_empty() {
        crossbar.step();
        (0..12).for_each(|output| check(&mut crossbar, output));
    }
    // Credits and freed places may still be on their way.
    (0..4).for_each(|_| crossbar.step());
    assert!(crossbar.is_quiet());
    let counters = &crossbar.counters;
    assert_eq!((counters.packets_in, counters.flits_in), (counters.packets_out, counters.flits_out));
}

impl Crossbar {
    /// Whether a cycle would change nothing.
    fn is_quiet(&self) -> bool {
        self.cycle >= self.quiet_from
            && self.delivered.is_empty()
            && self.input_ports.iter().all(InputPorts::is_quiet)
            && self.output_ports.iter().all(OutputPorts::is_quiet)
    }
}

/// A small generator of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Sends packets at random, some to one output only.
fn send_some(crossbar: &mut Crossbar, numbers: &mut Numbers, crowd: u64) {
    for input in 0..crossbar.spec.inputs {
        let flits = [1, 1, 5][numbers.below(3) as usize];
        if numbers.below(10) < crowd && crossbar.has_room(input, flits) {
            let output = if crowd > 3 { numbers.below(2) } else { numbers.below(12) };
            let handle = numbers.below(1 << 30) as u32;
            crossbar.send(input, output as usize, packet(handle), flits);
        }
    }
}

#[test]
fn what_is_foretold_arrives_whatever_is_sent_meanwhile() {
    for (vc_allocation_cycles, internal_speedup, crowd) in [(1, 1, 1), (1, 1, 5), (0, 1, 3), (0, 2, 4)] {
        let mut crossbar = Crossbar::new(CrossbarSpec { vc_allocation_cycles, internal_speedup, ..SPEC });
        let mut numbers = Numbers(crowd);
        let mut foretold_packets = 0;
        for _ in 0..400 {
            let steps = crossbar.steps_until_next_whole();
            let mut foretold = Vec::new();
            for output in 0..SPEC.outputs {
                let take = |step, packet: Packet| foretold.push((step, output, packet.handle));
                crossbar.for_each_arrival(output, steps, take);
            }
            foretold.sort_unstable();
            foretold_packets += foretold.len();
            let mut taken = Vec::new();
            for step in 1..=steps {
                send_some(&mut crossbar, &mut numbers, crowd);
                crossbar.step();
                for output in 0..SPEC.outputs {
                    taken.extend(crossbar.receive(output).map(|packet| (step, output, packet.handle)));
                }
            }
            taken.sort_unstable();
            assert_eq!(taken, foretold);
        }
        assert!(foretold_packets > 100, "{foretold_packets}");
    }
}

#[test]
fn a_queue_that_looks_ahead_is_the_crossbars_whatever_is_sent() {
    for crowd in [1, 5, 9] {
        let mut crossbar = Crossbar::new(SPEC);
        let mut numbers = Numbers(crowd);
        let mut least = u64::MAX;
        for _ in 0..400 {
            let steps = (0..SPEC.inputs).map(|input| crossbar.send_queue(input).known_steps()).min().unwrap();
            least = least.min(steps);
            let mut ahead: Vec<_> = (0..SPEC.inputs).map(|input| crossbar.send_queue(input)).collect();
            for _ in 0..steps {
                crossbar.step();
                (0..SPEC.outputs).for_each(|output| _ = crossbar.receive(output));
                let before: Vec<_> = (0..SPEC.inputs).map(|input| crossbar.queued_flits(input)).collect();
                ahead.iter_mut().for_each(SendQueue::step);
                assert!(ahead.iter().zip(&before).all(|(queue, &flits)| queue.queued as usize == flits));
                send_some(&mut crossbar, &mut numbers, crowd);
                for (input, queue) in ahead.iter_mut().enumerate() {
                    queue.queued += (crossbar.queued_flits(input) - before[input]) as i16;
                }
            }
        }
        assert!(least <= 3, "{least}: some queue should be crowded");
    }
}
