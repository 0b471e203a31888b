//! Processor time of the memory side alone, for each core cycle: saturated with random reads, and nearly idle.
//!
//! `cargo bench -p shrinkwarp-sim --bench memory_side`
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::cell::Cell;

use common::{Bench, try_send};
use shrinkwarp_codec::measure::thread_cpu_seconds;
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::config;
use shrinkwarp_sim::scheme::Scheme;
use shrinkwarp_sim::{AccessKind, Packet};

const CYCLES: u64 = 200_000;

fn main() {
    for (name, lines, outstanding) in [
        ("L2 hits, saturated", 2_000, 32),
        ("DRAM, saturated", 4_000_000, 32),
        ("one read at a time", 4_000_000, 1),
    ] {
        let (nanoseconds, replies) = run(lines, outstanding);
        let per_cycle = nanoseconds / CYCLES as f64;
        println!(
            "{name:20} {per_cycle:7.1} ns a core cycle, {:.3} lines a cycle",
            replies as f64 / CYCLES as f64
        );
    }
}

/// Random reads from all SMs over `lines` lines: (nanoseconds, replies).
fn run(lines: u64, outstanding: u32) -> (f64, u64) {
    let gpu = config::load("gtx480", &[]).unwrap();
    let mut bench = Bench::new(&gpu, &Scheme::none(), Memory::default());
    let pending = vec![Cell::new(0u32); gpu.sm.count];
    let (mut seed, mut replies) = (1u64, 0);
    let start = thread_cpu_seconds();
    while bench.cycles() < CYCLES {
        bench.core_cycle(
            |reply, _| {
                pending[usize::from(reply.sm)].update(|count| count - 1);
                replies += 1;
            },
            |side, now| {
                for (sm, pending) in pending.iter().enumerate() {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let address = (seed >> 33) % lines * 128;
                    let packet = Packet::new(AccessKind::GlobalRead, address, 128, sm as u16, now);
                    if pending.get() < outstanding && try_send(side, packet) {
                        pending.update(|count| count + 1);
                    }
                }
            },
        );
    }
    ((thread_cpu_seconds() - start) * 1e9, replies)
}
