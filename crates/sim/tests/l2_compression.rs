//! Compression in the L2: is a slice that compresses nothing the plain one, does everything else get what it got before, is
//! every write-back accounted for?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{Bench, try_send};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::{self, ENTRIES, Spec};
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::calibrate::{Machine, case_named};
use shrinkwarp_sim::config;
use shrinkwarp_sim::config::scheme::load_scheme;
use shrinkwarp_sim::counters::{MachineCounters, MemoryCounters};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::run::RunOptions;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_sim::{AccessKind, Packet};

const BLOCK: u64 = 128;

/// The scheme `none` with changes; a trained codec gets tables of zeros.
fn scheme(changes: &[&str]) -> Scheme {
    let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
    let spec = load_scheme("none", &changes).unwrap();
    let tables: Tables = spec
        .profiled_codecs()
        .into_iter()
        .map(|codec| {
            let built = registry::build(&codec, BlockBytes::B128, &[0; 1024]).unwrap();
            (codec, built.tables())
        })
        .collect();
    Scheme::build(spec, &tables, true).unwrap()
}

/// A number that follows from `n` and looks like chance.
fn scramble(n: u64) -> u64 {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n >> 7).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
}

/// A bench whose block `n` has `random_words(n)` words of chance, after `accesses` to its blocks, a third of them writes.
fn serve(scheme: &Scheme, blocks: u64, accesses: u64, random_words: impl Fn(u64) -> usize) -> Bench {
    let mut memory = Memory::default();
    let start = memory.alloc(blocks * BLOCK).unwrap();
    for block in 0..blocks {
        let mut bytes = [0; BLOCK as usize];
        for (index, word) in bytes.chunks_exact_mut(4).take(random_words(block)).enumerate() {
            word.copy_from_slice(&(scramble(block * 32 + index as u64) as u32 | 0x8000_0001).to_le_bytes());
        }
        memory.copy_in(start + block * BLOCK, &bytes).unwrap();
    }
    let mut bench = Bench::new(&config::load("gtx480", &[]).unwrap(), scheme, memory);
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
    assert_eq!(run(&scheme(&["l2.codec=bdi"])), run(&Scheme::none()));
}

#[test]
fn compressed_lines_save_misses_and_every_dirty_line_is_written_back() {
    // 6,144 lines of data, and 20,000 blocks that take about 8,750 where three in four fit a quarter of a line: data run
    // out before tags, and a raw block makes several small ones leave.
    // The hash spreads the raw ones over all sets.
    let small = |block: u64| if (block.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62) == 0 { 32 } else { 2 };
    let plain = serve(&Scheme::none(), 20_000, 60_000, small);
    for codec in ["bdi", "fpc", "bpc"] {
        let scheme = scheme(&[&format!("l2.codec={codec}"), "l2.tag_factor=4"]);
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

/// Runs a reference case: (checksum is the reference's, cycles, counters).
fn run_case(name: &str, scheme: Scheme) -> (bool, u64, MachineCounters) {
    let case = case_named(name).unwrap();
    let mut gpu = Gpu::with_scheme(config::load("gtx480", &[]).unwrap(), scheme);
    let prepared = case.prepare(&mut gpu).unwrap();
    let report = gpu.launch_watched(&prepared.kernel, &prepared.launch, &mut RunOptions::default()).unwrap();
    let checksum = format!("{:016x}", prepared.checksum(&mut gpu).unwrap());
    let is_right = Machine::Linear.measured(name, "checksum") == Some(checksum.as_str());
    (is_right, report.cycles, report.counters)
}

#[test]
fn every_codec_gives_every_block_back_and_the_kernel_its_results() {
    for entry in ENTRIES.iter().filter(|entry| Spec::parse(entry.name, BlockBytes::B128).is_ok()) {
        let (is_right, _, counters) = run_case("vecadd", scheme(&[&format!("l2.codec={}", entry.name)]));
        let l2 = counters.compression.l2;
        assert!(is_right, "{}", entry.name);
        assert!(l2.codec.verified_blocks + l2.codec.raw_blocks >= l2.codec.compressions, "{l2:?}");
        assert!(l2.codec.compressions > 0, "{}", entry.name);
        assert_eq!(counters.compression.energy_pj(), l2.codec.energy_pj);
    }
}

#[test]
fn two_runs_are_identical() {
    let run = || run_case("gather_l2", scheme(&["l2.codec=bpc"]));
    let ((_, first, counters), (_, second, again)) = (run(), run());
    assert_eq!((first, counters), (second, again));
}
