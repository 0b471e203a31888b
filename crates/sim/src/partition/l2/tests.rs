//! Does a slice answer hits, pass misses on, and stop when a neighbour does not take what it has?

use shrinkwarp_emu::memory::{GLOBAL_START, Memory};

use super::*;
use crate::base::Point;
use crate::config::{load, load_scheme};
use crate::scheme::{Scheme, Tables};

fn slice() -> Slice {
    let gpu = load("gtx480", &[]).unwrap();
    Slice::new(&gpu.l2, None, AddressMap::new(&gpu.dram), false)
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
        slice.step(Cycle(now), &Memory::default());
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
        slice.step(Cycle(now), &Memory::default());
    }
    assert!(slice.misses.is_empty());
    slice.step(Cycle(132), &Memory::default());
    assert_eq!(slice.misses.len(), 1);
    let mut other = self::slice();
    other.accept(packet(AccessKind::TextureRead, 0), Cycle(10));
    other.step(Cycle(10), &Memory::default());
    other.step(Cycle(11), &Memory::default());
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
fn a_write_miss_is_acknowledged_once_and_its_fetch_is_not() {
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
        slice.step(Cycle(now), &Memory::default());
        while let Some(miss) = slice.misses.pop() {
            slice.fills.push(miss);
        }
    }
    // Eight replies; what was on its way when the queue passed four waits in the delay.
    assert_eq!(slice.replies.len(), 8);
    assert!(!slice.can_accept());
    assert_eq!(accepted, 8 + slice.rop.len() + slice.requests.len());
}

/// A compressed slice in front of a memory that answers at once.
struct CompressedBench {
    slice: Slice,
    memory: Memory,
    start: u64,
    now: u64,
}

impl CompressedBench {
    /// Device memory of zeros, with BDI in the slice.
    fn new(changes: &[&str]) -> Self {
        let gpu = load("gtx480", &[]).unwrap();
        let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
        let scheme = Scheme::build(load_scheme("bdi-l2", &changes).unwrap(), &Tables::new(), true).unwrap();
        let slice =
            Slice::new(&gpu.l2, scheme.point(Point::L2, &scheme.spec.l2), AddressMap::new(&gpu.dram), false);
        let mut memory = Memory::starting_at(GLOBAL_START);
        let start = memory.alloc(4 << 20).unwrap();
        Self { slice, memory, start, now: 0 }
    }

    fn fill_with_noise(&mut self, block: u64) {
        let words = (0..32u32).map(|word| (word + 32 * block as u32 + 1).wrapping_mul(2_654_435_761));
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        self.memory.copy_in(self.address(block), &bytes).unwrap();
    }

    /// Blocks of one set of the slice: 12 slices of 64 sets of blocks lie between two of them.
    fn address(&self, block: u64) -> u64 {
        self.start + block * 12 * 64 * 128
    }

    /// One access, to its end. Returns the cycles until its reply, and the requests for the controller.
    fn access(&mut self, kind: AccessKind, block: u64) -> (u64, Vec<Packet>) {
        let packet = Packet::new(kind, self.address(block), 128, 0, Cycle(self.now));
        self.slice.accept(packet, Cycle(self.now));
        let (begin, mut reply_at, mut requests) = (self.now, 0, Vec::new());
        while !self.slice.is_empty() {
            self.slice.step(Cycle(self.now), &self.memory);
            if self.slice.replies.pop().is_some() {
                reply_at = self.now;
            }
            while let Some(miss) = self.slice.misses.pop() {
                requests.push(miss);
                if !miss.kind.is_writeback() {
                    self.slice.fills.push(miss);
                }
            }
            self.now += 1;
        }
        (reply_at.saturating_sub(begin), requests)
    }

    fn counters(&self) -> L2CompressionCounters {
        self.slice.compression_counters()
    }
}

#[test]
fn a_hit_of_a_compressed_line_waits_for_the_decompressor() {
    let hit_cycles = |changes: &[&str]| {
        let mut bench = CompressedBench::new(changes);
        bench.access(AccessKind::GlobalRead, 0);
        (bench.access(AccessKind::GlobalRead, 0).0, bench.counters().decompressed_hits)
    };
    let (raw_cycles, _) = hit_cycles(&["l2.decompress_cycles=0"]);
    assert_eq!(hit_cycles(&["l2.decompress_cycles=7"]), (raw_cycles + 7, 1));
}

#[test]
fn a_set_holds_twice_the_lines_where_all_are_compressed() {
    let mut bench = CompressedBench::new(&[]);
    (0..16).for_each(|block| drop(bench.access(AccessKind::GlobalRead, block)));
    // Eight ways of data, and tags for sixteen; the last miss reserved a whole line.
    assert_eq!((bench.counters().held_lines, bench.counters().evicted_lines), (16, 0));
    let mut plain = CompressedBench::new(&[]);
    (0..16).for_each(|block| plain.fill_with_noise(block));
    (0..16).for_each(|block| drop(plain.access(AccessKind::GlobalRead, block)));
    assert_eq!((plain.counters().held_lines, plain.counters().evicted_lines), (8, 8));
}

#[test]
fn a_write_that_makes_a_line_grow_writes_dirty_lines_back() {
    let mut bench = CompressedBench::new(&["l2.tag_factor=4"]);
    // 29 lines of a quarter: 32 quarters, less the three that the last fill gave back.
    for block in 0..29 {
        bench.access(AccessKind::GlobalRead, block);
        bench.access(AccessKind::GlobalWrite, block);
    }
    bench.fill_with_noise(28);
    let (_, requests) = bench.access(AccessKind::GlobalWrite, 28);
    assert!(requests.is_empty(), "three quarters are free");
    bench.fill_with_noise(27);
    let (_, requests) = bench.access(AccessKind::GlobalWrite, 27);
    let written_back: Vec<u64> = requests.iter().map(|packet| packet.address).collect();
    assert_eq!(written_back, [0, 1, 2].map(|block| bench.address(block)));
    let counters = bench.counters();
    assert_eq!((counters.grown_lines, counters.rewritten_lines, counters.held_lines), (2, 31, 26));
    assert_eq!(bench.slice.counters().cache.writebacks, 3);
    assert_eq!(bench.slice.mismatch(), None);
}

impl Slice {
    fn is_empty_but_for_replies(&self) -> bool {
        self.is_calm()
            && self.misses.is_empty()
            && self.rop.is_empty()
            && self.cache.is_idle()
            && self.is_point_empty()
    }
}
