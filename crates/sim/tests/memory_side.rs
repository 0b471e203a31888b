//! The memory side without SMs: is a lone access as fast as its parts, is a stream as fast as DRAM, is nothing lost?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{Bench, RandomTraffic, send_random, try_send};
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::config;
use shrinkwarp_sim::scheme::Scheme;
use shrinkwarp_sim::{AccessKind, Cycle, Packet};

fn idle_bench() -> Bench {
    Bench::new(&config::load("gtx480", &[]).unwrap(), &Scheme::none(), Memory::default())
}

fn read(address: u64, sm: u16) -> Packet {
    Packet::new(AccessKind::GlobalRead, address, 128, sm, Cycle(0))
}

#[test]
fn a_lone_read_takes_the_sum_of_its_parts() {
    let mut bench = idle_bench();
    let miss_cycles = bench.round_trip(read(0x4000, 2));
    let hit_cycles = bench.round_trip(read(0x4000, 2));
    // To the network 1, through it 6, out of it 1, raster delay 120, queue and look-up 1, to the network 1, a reply of five
    // flits through it 6 + 4, out of it 1.
    assert_eq!(hit_cycles, 1 + 6 + 1 + 120 + 1 + 1 + (6 + 4) + 1);
    // On top: miss queues 2, delay 100, DRAM's 29 or 30 cycles at 924 MHz, fill and answer 2.
    assert!((124..=130).contains(&(miss_cycles - hit_cycles)), "{miss_cycles} and {hit_cycles}");
}

#[test]
fn an_acknowledged_write_costs_two_bursts_and_its_fetch_two_more() {
    let mut bench = idle_bench();
    bench.round_trip(Packet::new(AccessKind::GlobalWrite, 0x8000, 128, 0, Cycle(0)));
    bench.drain();
    let dram = bench.side.counters().dram;
    assert_eq!((dram.write_commands, dram.write_allocate_read_commands, dram.activates), (2, 2, 1));
}

/// Reads `lines` whole lines from all SMs, each with up to 32 on their way, as an L1 has; returns core cycles.
fn read_lines(bench: &mut Bench, lines: u64, address_of: impl Fn(u64) -> u64) -> u64 {
    let mut pending = vec![0; bench.sms];
    let (mut next, mut done, mut cycles) = (0, 0, 0);
    while done < lines {
        let mut replies = Vec::new();
        bench.core_cycle(
            |reply, _| replies.push(usize::from(reply.sm)),
            |side, now| {
                for (sm, pending) in pending.iter_mut().enumerate() {
                    let packet = Packet { born: now, ..read(address_of(next), sm as u16) };
                    if next < lines && *pending < 32 && try_send(side, packet) {
                        *pending += 1;
                        next += 1;
                    }
                }
            },
        );
        for sm in replies {
            pending[sm] -= 1;
            done += 1;
        }
        cycles += 1;
    }
    cycles
}

/// A number that follows from `n` and looks like chance.
fn scramble(n: u64) -> u64 {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n >> 7).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
}

#[test]
fn random_reads_that_hit_the_l2_are_as_fast_as_the_reply_network() {
    let mut bench = idle_bench();
    let lines = 20_000;
    let cycles = read_lines(&mut bench, lines, |n| scramble(n) % 2288 * 128);
    let lines_per_cycle = lines as f64 / cycles as f64;
    // An input-queued crossbar loses some 40 % to packets that wait behind others: the reference measures 115,357 lines
    // in 91,787 cycles (1.26) for its gather from the L2.
    assert!((1.18..1.34).contains(&lines_per_cycle), "{lines_per_cycle:.3} lines a cycle");
    let stall_share = bench.side.counters().l2.reply_stall_cycles as f64 / (12.0 * cycles as f64);
    assert!((0.6..0.8).contains(&stall_share), "{stall_share:.2} of the time");
}

#[test]
fn a_stream_of_reads_is_two_bursts_a_line_from_rows_opened_once() {
    let mut bench = idle_bench();
    let lines = 20_000;
    let cycles = read_lines(&mut bench, lines, |n| n * 128);
    let dram = bench.side.counters().dram;
    assert_eq!(dram.read_commands, 2 * lines);
    // A row holds 32 lines of its slice: 625 are needed, and few are opened twice.
    assert!(dram.activates < 700, "{} activates", dram.activates);
    let share = dram.data_bus_cycles as f64 / (6.0 * cycles as f64 * 924.0 / 700.0);
    assert!(share > 0.55, "{share:.2} of the peak");
}

#[test]
fn what_goes_in_comes_out() {
    let mut bench = idle_bench();
    let RandomTraffic { reads: sent_reads, writes: sent_writes, replies } =
        send_random(&mut bench, |_, random| ((random >> 20 & 0xfff) * 128, 128));
    assert_eq!(replies, sent_reads + sent_writes);
    let counters = bench.side.counters();
    let reads = counters.l2.cache.row(AccessKind::GlobalRead);
    let writes = counters.l2.cache.row(AccessKind::GlobalWrite);
    assert_eq!((reads.accesses(), writes.accesses()), (sent_reads, sent_writes));
    assert_eq!(counters.request_network.flits_in, sent_reads + 5 * sent_writes);
    assert_eq!(counters.request_network.flits_in, counters.request_network.flits_out);
    assert_eq!(counters.reply_network.flits_in, 5 * sent_reads + sent_writes);
    let fetches = counters.l2.cache.row(AccessKind::L2WriteAllocateRead);
    let missed_writes = writes.misses + writes.hits_reserved;
    assert_eq!(counters.dram.write_commands, 2 * missed_writes);
    assert_eq!(counters.dram.writeback_commands, 2 * counters.l2.cache.writebacks);
    assert_eq!(counters.dram.all_read_commands(), 2 * counters.l2.cache.fills);
    let asked = reads.misses + reads.hits_reserved - reads.mshr_merges + missed_writes - fetches.mshr_merges;
    assert_eq!(counters.l2.cache.fills, asked);
    assert_eq!(counters.l2.packets_in, counters.l2.packets_out);
}

#[test]
fn an_idle_memory_side_says_when_it_wakes() {
    let mut bench = idle_bench();
    assert_eq!(bench.side.next_event(Cycle(5)), None);
    let mut sent = false;
    for _ in 0..20 {
        bench.core_cycle(
            |_, _| {},
            |side, _| {
                if !sent {
                    side.send_request(0, read(0, 0));
                    sent = true;
                }
            },
        );
    }
    // The request waits for the raster delay: it left the network at 8.
    assert_eq!(bench.side.next_event(Cycle(20)), Some(Cycle(8 + 120)));
}
