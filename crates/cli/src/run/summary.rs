//! What a person wants to know of a run.

use shrinkwarp_sim::counters::{CacheRow, MachineCounters};
use shrinkwarp_sim::energy::EnergyReport;

use super::WatchedGpu;

/// A few lines: launches, rates, traffic, energy.
pub fn summary(device: &WatchedGpu, counters: &MachineCounters, energy: &EnergyReport) -> String {
    let mut text = String::new();
    if device.is_interrupted() {
        text += "interrupted: everything below is what happened until then\n";
    }
    for launch in device.launches() {
        text += &format!(
            "{}: {} cycles, {} thread instructions, IPC {:.1}, {} blocks per SM\n",
            launch.kernel,
            launch.cycles,
            launch.thread_instructions,
            launch.thread_instructions as f64 / launch.cycles.max(1) as f64,
            launch.blocks_per_sm,
        );
    }
    text + &rates(device, counters) + &stalls(counters) + &energy_lines(energy)
}

fn rates(device: &WatchedGpu, counters: &MachineCounters) -> String {
    let spec = device.spec();
    let seconds = counters.core_cycles as f64 / (f64::from(spec.clocks.core_mhz) * 1e6);
    let dram = &counters.memory.dram;
    let bytes = (dram.all_read_commands() + dram.all_write_commands()) * spec.dram.burst_bytes() as u64;
    let slice_cycles = spec.slices() as u64 * counters.interconnect_cycles;
    format!(
        "{}: {} core cycles ({:.1} us), {} thread instructions\n\
         L1 {}, L2 {}\n\
         network: {} request and {} reply flits, replies refused in {:.1} % of the slices' cycles\n\
         DRAM: {:.1} MB, {:.1} GB/s, {} rows opened\n",
        spec.name,
        counters.core_cycles,
        seconds * 1e6,
        counters.sm.thread_instructions,
        hits(&counters.l1.total()),
        hits(&counters.memory.l2.cache.total()),
        counters.memory.request_network.flits_in,
        counters.memory.reply_network.flits_in,
        percent(counters.memory.l2.reply_stall_cycles, slice_cycles),
        bytes as f64 / 1e6,
        bytes as f64 / 1e9 / seconds.max(1e-12),
        dram.activates,
    )
}

fn stalls(counters: &MachineCounters) -> String {
    let sm = &counters.sm;
    let all = sm.issued_cycles + sm.no_instruction_cycles + sm.register_wait_cycles + sm.pipe_full_cycles;
    format!(
        "schedulers: {:.1} % issued, {:.1} % without an instruction, {:.1} % waited for registers, {:.1} % for a pipe\n",
        percent(sm.issued_cycles, all),
        percent(sm.no_instruction_cycles, all),
        percent(sm.register_wait_cycles, all),
        percent(sm.pipe_full_cycles, all),
    )
}

fn energy_lines(energy: &EnergyReport) -> String {
    let parts: Vec<_> =
        energy.parts.iter().map(|part| format!("{} {:.0} %", part.name, 100.0 * part.share)).collect();
    format!(
        "energy ({}): {:.3} mJ, {:.1} W on average, energy-delay {:.3e} Js; {}\n",
        energy.set,
        energy.total_j * 1e3,
        energy.average_w,
        energy.energy_delay_js,
        parts.join(", "),
    )
}

fn hits(row: &CacheRow) -> String {
    format!("{} accesses, {:.1} % hits", row.accesses(), percent(row.hits, row.accesses()))
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
