//! Compression in the L2: is a slice that compresses nothing the plain one, does everything else get what it got before, is
//! every write-back accounted for?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{Bench, run_case, scheme_with, scramble, try_send, words};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::{CodecSpec, ENTRIES};
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::config::{self, GpuSpec};
use shrinkwarp_sim::counters::MemoryCounters;
use shrinkwarp_sim::scheme::Scheme;
use shrinkwarp_sim::{AccessKind, Packet};

const BLOCK: u64 = 128;

fn gtx480() -> GpuSpec {
    config::load("gtx480", &[]).unwrap()
}

/// A bench whose block `n` has `random_words(n)` words of chance, after `accesses` to its blocks, a third of them writes.
fn serve(scheme: &Scheme, blocks: u64, accesses: u64, random_words: impl Fn(u64) -> usize) -> Bench {
    let mut memory = Memory::default();
    let start = memory.alloc(blocks * BLOCK).unwrap();
    for block in 0..blocks {
        memory.copy_in(start + block * BLOCK, &words(block, random_words(block))).unwrap();
    }
    let mut bench = Bench::new(&gtx480(), scheme, memory);
    let (mut sent, mut replies) = (0, 0);
    while sent < accesses {
        bench.core_cycle(
            |_, _| replies += 1,
            |side, now| {
                for sm in 0..15 {
                    let address = start + scramble(sent) % blocks * BLOCK;
                    let packet = match sent % 6 {
                        0 => Packet::new(AccessKind::GlobalWrite, address, 128, sm, now),
                        1 => Packet::new(AccessKind::GlobalWrite, address + 32, 32, sm, now),
                        2 => Packet {
                            is_atomic: true,
                            ..Packet::new(AccessKind::GlobalRead, address, 32, sm, now)
                        },
                        _ => Packet::new(AccessKind::GlobalRead, address, 128, sm, now),
                    };
                    if sent < accesses && try_send(side, packet) {
                        sent += 1;
                    }
                }
            },
        );
    }
    replies += bench.drain();
    assert_eq!(replies, accesses, "every access is answered");
    bench
}

fn assert_conserved(counters: &MemoryCounters) {
    let (cache, dram) = (&counters.l2.cache, &counters.dram);
    assert_eq!(dram.writeback_commands, 2 * cache.writebacks);
    assert_eq!(dram.all_read_commands(), 2 * cache.fills);
    assert_eq!(counters.l2.packets_in, counters.l2.packets_out);
}

#[test]
fn a_slice_whose_codec_never_compresses_is_the_plain_one_count_for_count() {
    let run = |scheme: &Scheme| {
        let bench = serve(scheme, 20_000, 30_000, |_| 32);
        (bench.cycles(), bench.side.counters())
    };
    assert_eq!(run(&scheme_with("none", &["l2.codec=bdi"])), run(&Scheme::none()));
}

#[test]
fn compressed_lines_save_misses_and_every_dirty_line_is_written_back() {
    // 6,144 lines of data, and 20,000 blocks that take about 8,750 where three in four fit a quarter of a line: data run
    // out before tags, and a raw block makes several small ones leave.
    // The hash spreads the raw ones over all sets.
    let small = |block: u64| if (block.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62) == 0 { 32 } else { 2 };
    let plain = serve(&Scheme::none(), 20_000, 60_000, small);
    for codec in ["bdi", "fpc", "bpc"] {
        let scheme = scheme_with("none", &[&format!("l2.codec={codec}"), "l2.tag_factor=4"]);
        let bench = serve(&scheme, 20_000, 60_000, small);
        let misses = |bench: &Bench| bench.side.counters().l2.cache.total().misses;
        assert!(misses(&bench) < misses(&plain), "{codec}: {} of {}", misses(&bench), misses(&plain));
        assert_conserved(&bench.side.counters());
        let l2 = bench.side.compression_counters().l2;
        assert!(l2.held_lines > l2.capacity_lines, "{codec} {l2:?}");
        assert!(l2.decompressed_hits > 0 && l2.rewritten_lines > 0 && l2.multiple_evictions > 0, "{l2:?}");
        assert_eq!(bench.side.mismatch(), None);
    }
}

#[test]
fn every_codec_gives_every_block_back_and_the_kernel_its_results() {
    for entry in ENTRIES.iter().filter(|entry| CodecSpec::parse(entry.name, BlockBytes::B128).is_ok()) {
        let (is_right, _, counters) =
            run_case("vecadd", gtx480(), scheme_with("none", &[&format!("l2.codec={}", entry.name)]));
        let l2 = counters.compression.l2;
        assert!(is_right, "{}", entry.name);
        assert!(l2.codec.verified_blocks + l2.codec.raw_blocks >= l2.codec.compressions, "{l2:?}");
        assert!(l2.codec.compressions > 0, "{}", entry.name);
        assert_eq!(counters.compression.energy_pj(), l2.codec.energy_pj);
    }
}

#[test]
fn two_runs_are_identical() {
    let run = || run_case("gather_l2", gtx480(), scheme_with("none", &["l2.codec=bpc"]));
    let ((_, first, counters), (_, second, again)) = (run(), run());
    assert_eq!((first, counters), (second, again));
}
