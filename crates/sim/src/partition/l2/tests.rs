//! Does a slice answer hits, pass misses on, and stop when a neighbour does not take what it has?

use super::*;
use crate::config::load;

fn slice() -> Slice {
    let gpu = load("gtx480", &[]).unwrap();
    Slice::new(&gpu.l2, AddressMap::new(&gpu.dram))
}

fn packet(kind: AccessKind, address: u64) -> Packet {
    Packet::new(kind, address, 128, 3, Cycle(0))
}

/// Steps until `done`, answering every miss at once. Returns the cycle.
fn run(slice: &mut Slice, from: u64, mut done: impl FnMut(&Slice) -> bool) -> u64 {
    for now in from..from + 1000 {
        if done(slice) {
            return now;
        }
        slice.step(Cycle(now));
        while let Some(miss) = slice.misses.pop() {
            slice.fills.push(miss);
        }
    }
    panic!("nothing came");
}

#[test]
fn a_request_waits_for_the_raster_delay_and_a_texture_fetch_does_not() {
    let mut slice = slice();
    slice.accept(packet(AccessKind::GlobalRead, 0), Cycle(10));
    // Cycle 130 puts it into the queue, 131 finds the miss, 132 sends it.
    for now in 10..=131 {
        slice.step(Cycle(now));
    }
    assert!(slice.misses.is_empty());
    slice.step(Cycle(132));
    assert_eq!(slice.misses.len(), 1);
    let mut other = self::slice();
    other.accept(packet(AccessKind::TextureRead, 0), Cycle(10));
    other.step(Cycle(10));
    other.step(Cycle(11));
    assert_eq!(other.misses.len(), 1);
}

#[test]
fn a_miss_is_answered_when_its_line_is_here_and_a_later_read_hits() {
    let mut slice = slice();
    slice.accept(packet(AccessKind::GlobalRead, 0x80), Cycle(0));
    let now = run(&mut slice, 0, |slice| !slice.replies.is_empty());
    let reply = slice.replies.pop().unwrap();
    assert!(reply.is_reply && reply.address == 0x80 && reply.sm == 3);
    slice.accept(packet(AccessKind::GlobalRead, 0x80), Cycle(now));
    run(&mut slice, now, |slice| !slice.replies.is_empty());
    let row = *slice.counters().cache.row(AccessKind::GlobalRead);
    assert_eq!((row.hits, row.misses), (1, 1));
}

#[test]
fn a_write_miss_is_acknowledged_once_and_its_fetch_by_nobody() {
    let mut slice = slice();
    slice.accept(packet(AccessKind::GlobalWrite, 0), Cycle(0));
    run(&mut slice, 0, Slice::is_empty_but_for_replies);
    assert_eq!(slice.replies.len(), 1);
    assert!(slice.replies.pop().unwrap().is_write());
}

#[test]
fn a_dirty_line_from_an_l1_needs_no_answer() {
    let mut slice = slice();
    slice.accept(packet(AccessKind::GlobalRead, 0), Cycle(0));
    let now = run(&mut slice, 0, Slice::is_empty_but_for_replies);
    slice.replies.pop();
    slice.accept(packet(AccessKind::L1Writeback, 0), Cycle(now));
    run(&mut slice, now, Slice::is_empty_but_for_replies);
    assert!(slice.replies.is_empty());
}

#[test]
fn a_full_reply_queue_stops_hits_and_then_admission() {
    let mut slice = slice();
    let mut accepted = 0;
    for now in 0..600 {
        if slice.can_accept() {
            slice.accept(packet(AccessKind::GlobalRead, 0), Cycle(now));
            accepted += 1;
        }
        slice.step(Cycle(now));
        while let Some(miss) = slice.misses.pop() {
            slice.fills.push(miss);
        }
    }
    // Eight replies; what was on its way when the queue passed four waits in the delay.
    assert_eq!(slice.replies.len(), 8);
    assert!(!slice.can_accept());
    assert_eq!(accepted, 8 + slice.rop.len() + slice.requests.len());
}

impl Slice {
    fn is_empty_but_for_replies(&self) -> bool {
        self.is_calm() && self.misses.is_empty() && self.rop.is_empty() && self.cache.is_idle()
    }
}
