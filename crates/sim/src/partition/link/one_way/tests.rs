//! Does a link move what its bandwidth allows, after its latency, in turns, and never more than the far end has places for?

use super::*;
use crate::base::{AccessKind, Attachment};

const LATENCY_CYCLES: u64 = 6;

/// A link of two vaults.
fn link(packing: Packing, bits_per_cycle: u32, queue_packets: usize) -> OneWay {
    let bandwidth = Bandwidth::exact(bits_per_cycle);
    let spec = OneWaySpec { vaults: 2, packing, bandwidth, latency_cycles: LATENCY_CYCLES, queue_packets };
    OneWay::new(&spec, Towards::Gpu)
}

fn read_answer(handle: u32, stored_bits: u32) -> Packet {
    let packet = Packet::new(AccessKind::GlobalRead, 0, 128, 0, Cycle(0));
    Packet { handle, attachment: Attachment::stored(stored_bits, true), ..packet }
}

fn write_answer(handle: u32) -> Packet {
    Packet { handle, ..Packet::new(AccessKind::GlobalWrite, 0, 128, 0, Cycle(0)) }
}

fn step(link: &mut OneWay, now: Cycle) {
    link.deliver(now, |_| 0);
    link.transmit(now);
}

/// Steps to `end` and takes out whatever has arrived: (cycle, handle).
fn run(link: &mut OneWay, end: u64) -> Vec<(u64, u32)> {
    let mut arrivals = Vec::new();
    for now in 0..end {
        step(link, Cycle(now));
        for vault in 0..2 {
            while let Some(packet) = link.pop_due(vault, Cycle(now)) {
                arrivals.push((now, packet.handle));
            }
        }
    }
    arrivals
}

#[test]
fn a_lone_block_takes_its_bits_and_the_latency() {
    // 1,152 bits at 64 per cycle: 18 cycles, of which the first is the one it leaves in.
    let mut link = link(Packing::Unpacked, 64, 4);
    link.send(0, read_answer(1, 1024), Cycle(3));
    assert_eq!(run(&mut link, 60), [(3 + 17 + LATENCY_CYCLES, 1)]);
    assert!(link.is_empty());
}

#[test]
fn packets_without_data_share_a_cycle_of_a_wide_link() {
    // 256 bits per cycle are two packets of head and tail.
    let mut link = link(Packing::Unpacked, 256, 4);
    (0..4).for_each(|handle| link.send(0, write_answer(handle), Cycle(0)));
    assert_eq!(run(&mut link, 20), [(6, 0), (6, 1), (7, 2), (7, 3)]);
}

#[test]
fn vaults_and_sorts_of_transfers_take_turns() {
    let mut link = link(Packing::Unpacked, 128, 4);
    link.send(0, read_answer(10, 100), Cycle(0));
    link.send(0, read_answer(11, 100), Cycle(0));
    link.send(1, read_answer(20, 100), Cycle(0));
    link.send(1, write_answer(30), Cycle(0));
    link.send(1, write_answer(31), Cycle(0));
    let order: Vec<u32> = run(&mut link, 40).into_iter().map(|(_, handle)| handle).collect();
    assert_eq!(order, [30, 10, 31, 20, 11]);
}

#[test]
fn a_packed_link_shares_a_packet_among_what_waits() {
    let mut link = link(Packing::Packed, 64, 4);
    (0..3).for_each(|handle| link.send(0, read_answer(handle, 200), Cycle(0)));
    // 200 + 210 + 210 = 620 bits are five flits; with head and tail 768 bits, 12 cycles.
    assert_eq!(run(&mut link, 40), [(17, 0), (17, 1), (17, 2)]);
    assert_eq!(link.traffic().sent_bits, 768);
}

#[test]
fn a_full_far_end_holds_the_link_back() {
    let mut link = link(Packing::Packed, 1024, 2);
    (0..2).for_each(|handle| link.send(0, read_answer(handle, 64), Cycle(0)));
    for now in 0..20 {
        step(&mut link, Cycle(now));
        if now == 10 {
            link.send(0, read_answer(2, 64), Cycle(now));
        }
    }
    // Both places are taken by packets that are never fetched: the third stays at the near end.
    assert_eq!(link.traffic().blocks, 2);
    assert!(link.pop_due(0, Cycle(20)).is_some());
    step(&mut link, Cycle(20));
    assert_eq!(link.traffic().blocks, 3);
}

#[test]
fn a_saturated_link_moves_its_bandwidth_and_loses_nothing() {
    for packing in [Packing::Unpacked, Packing::Packed] {
        let mut link = link(packing, 52, 8);
        let (mut sent, mut received) = (0u32, 0);
        for now in 0..20_000 {
            let packet = read_answer(sent, 1 + sent * 7919 % 1024);
            if link.has_room(sent as usize % 2, &packet) {
                link.send(sent as usize % 2, packet, Cycle(now));
                sent += 1;
            }
            step(&mut link, Cycle(now));
            received += (0..2).filter(|&vault| link.pop_due(vault, Cycle(now)).is_some()).count();
        }
        let moved = link.traffic().sent_bits;
        assert!((20_000 * 52 - 2000..20_000 * 52 + 1152).contains(&moved), "{moved}");
        received += run(&mut link, 40_000).len();
        assert_eq!(received, sent as usize);
        assert!(link.is_empty());
    }
}
