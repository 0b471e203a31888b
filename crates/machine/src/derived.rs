//! Numbers derived from the counters for every report: rates, shares, compression ratios.
//!
//! | name                        | what it is                                                            |
//! |-----------------------------|-----------------------------------------------------------------------|
//! | `derived.seconds`           | simulated time                                                        |
//! | `derived.ipc`               | thread instructions in a core cycle                                   |
//! | `derived.l1_hit_share`      | L1D accesses that found their line, of all                            |
//! | `derived.l2_hit_share`      | L2 accesses that found their line, of all                             |
//! | `derived.dram_bytes`        | bytes that DRAM moved, either way                                     |
//! | `derived.dram_gb_per_s`     | the same in a second                                                  |
//! | `derived.memory_bytes`      | bytes between controllers and memory: bursts, or packets of links     |
//! | `derived.flits`             | flits through either crossbar                                         |
//! | `derived.reply_stall_share` | slices' cycles in which the reply network refused a reply, of all     |
//! | `derived.controller_stall_share` | controllers' cycles in which it refused a reply of any of their slices |
//! | `derived.waiting_share`     | schedulers' cycles without an instruction that could issue, of all    |
//! | `derived.ratio.POINT`       | raw over encoded bits at a point, where there is a codec              |

use shrinkwarp_sim::Point;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::counters::{CacheCounters, MachineCounters};
use shrinkwarp_sim::energy::Events;

use crate::counters::Counters;

/// The points of the data path at which a codec may sit, from the SMs to memory.
pub const POINTS: [&str; Point::COUNT] = {
    let mut names = [""; Point::COUNT];
    let mut index = 0;
    while index < names.len() {
        names[index] = Point::ALL[index].name();
        index += 1;
    }
    names
};

/// Adds them.
pub fn add_derived(counters: &mut Counters, machine: &MachineCounters, events: &Events, gpu: &GpuSpec) {
    let (sm, memory) = (&machine.sm, &machine.memory);
    let dram_bytes = (events.dram_read_bytes + events.dram_write_bytes) as f64;
    let slice_cycles = gpu.slices() as u64 * machine.interconnect_cycles;
    let controller_cycles = gpu.dram.channels as u64 * machine.interconnect_cycles;
    let waiting = sm.no_instruction_cycles + sm.register_wait_cycles + sm.pipe_full_cycles;
    let derived = [
        ("seconds", events.seconds),
        ("ipc", share(sm.thread_instructions, machine.core_cycles)),
        ("l1_hit_share", hit_share(&machine.l1)),
        ("l2_hit_share", hit_share(&memory.l2.cache)),
        ("dram_bytes", dram_bytes),
        ("dram_gb_per_s", dram_bytes / 1e9 / events.seconds.max(1e-12)),
        ("memory_bytes", events.link_bits as f64 / 8.0),
        ("flits", events.flits as f64),
        ("reply_stall_share", share(memory.l2.reply_stall_cycles, slice_cycles)),
        ("controller_stall_share", share(memory.l2.controller_reply_stall_cycles, controller_cycles)),
        ("waiting_share", share(waiting, waiting + sm.issued_cycles)),
    ];
    for (name, value) in derived {
        counters.set(&format!("derived.{name}"), value);
    }
    for point in Point::ALL {
        if let Some(ratio) = machine.compression.ratio(point) {
            counters.set(&format!("derived.ratio.{}", point.name()), ratio);
        }
    }
}

fn hit_share(cache: &CacheCounters) -> f64 {
    let total = cache.total();
    share(total.hits, total.accesses())
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
