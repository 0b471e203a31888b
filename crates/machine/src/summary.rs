//! What a person wants to know of a run.

use shrinkwarp_report::text::{decimal_bytes, joules};
use shrinkwarp_sim::Point;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::counters::{CacheRow, CompressionCounters, MachineCounters};
use shrinkwarp_sim::energy::EnergyReport;
use shrinkwarp_sim::launch::RunReport;

/// A few lines: launches, rates, traffic, energy.
pub fn summary(
    spec: &GpuSpec,
    launches: &[RunReport],
    counters: &MachineCounters,
    energy: &EnergyReport,
) -> String {
    let mut text = String::new();
    if launches.last().is_some_and(|launch| launch.is_partial) {
        text += "interrupted: everything below is what happened until then\n";
    }
    text += &kernels(launches);
    text + &rates(spec, counters) + &links(counters) + &stalls(counters) + &energy_lines(energy)
}

/// One line a kernel, in the order of their first launches: a program may launch the same one thousands of times.
fn kernels(launches: &[RunReport]) -> String {
    let mut lines: Vec<KernelLine<'_>> = Vec::new();
    for launch in launches {
        let line = match lines.iter_mut().find(|line| line.first.kernel == launch.kernel) {
            Some(line) => line,
            None => {
                lines.push_mut(KernelLine { first: launch, launches: 0, cycles: 0, thread_instructions: 0 })
            }
        };
        line.launches += 1;
        line.cycles += launch.cycles;
        line.thread_instructions += launch.thread_instructions;
    }
    lines.iter().map(KernelLine::text).collect()
}

struct KernelLine<'a> {
    first: &'a RunReport,
    launches: u64,
    cycles: u64,
    thread_instructions: u64,
}

impl KernelLine<'_> {
    fn text(&self) -> String {
        let launches =
            if self.launches == 1 { String::new() } else { format!("{} launches, ", self.launches) };
        format!(
            "{}: {launches}{} cycles, {} thread instructions, IPC {:.1}, {} thread blocks per SM\n",
            self.first.kernel,
            self.cycles,
            self.thread_instructions,
            self.thread_instructions as f64 / self.cycles.max(1) as f64,
            self.first.blocks_per_sm,
        )
    }
}

fn rates(spec: &GpuSpec, counters: &MachineCounters) -> String {
    let seconds = counters.core_cycles as f64 / (f64::from(spec.clocks.core_mhz) * 1e6);
    let dram = &counters.memory.dram;
    let bytes = (dram.all_read_commands() + dram.all_write_commands()) * spec.dram.burst_bytes() as u64;
    let slice_cycles = spec.slices() as u64 * counters.interconnect_cycles;
    format!(
        "{}: {} core cycles ({:.1} us), {} thread instructions\n\
         L1 {}, L2 {}\n\
         network: {} request and {} reply flits, replies refused in {:.1} % of the slices' cycles\n\
         DRAM: {}, {}/s, {} rows opened\n",
        spec.name,
        counters.core_cycles,
        seconds * 1e6,
        counters.sm.thread_instructions,
        hits(&counters.l1.total()),
        hits(&counters.memory.l2.cache.total()),
        counters.memory.request_network.flits_in,
        counters.memory.reply_network.flits_in,
        percent(counters.memory.l2.reply_stall_cycles, slice_cycles),
        decimal_bytes(bytes as f64),
        decimal_bytes(bytes as f64 / seconds.max(1e-12)),
        dram.activates,
    ) + &compressed_points(&counters.compression)
        + &compressed_memory(counters)
}

/// What was compressed at each point, and what it gave there. Memory and its links have lines of their own.
fn compressed_points(counters: &CompressionCounters) -> String {
    let mut text = String::new();
    for point in Point::ALL.into_iter().filter(|point| !matches!(point, Point::Memory | Point::Link)) {
        let Some(ratio) = counters.ratio(point) else { continue };
        let codec = counters.codec(point);
        let seen = codec.compressions + codec.raw_blocks;
        let (place, gain) = match point {
            Point::L1 => ("the L1", format!("; {} lines evicted", counters.l1.evicted_lines)),
            Point::L2 => (
                "the L2",
                format!(
                    "; {} lines held at the end where {} fit without compression",
                    counters.l2.held_lines, counters.l2.capacity_lines
                ),
            ),
            Point::Packets => {
                ("packets", format!("; {:.1} % of the flits saved", 100.0 * counters.packets.saved_share()))
            }
            _ => (point.name(), String::new()),
        };
        text += &format!(
            "compressed in {place}: {ratio:.2} : 1 over {seen} blocks, {:.1} % of them raw, {} decompressions{gain}\n",
            percent(codec.raw_blocks, seen),
            codec.decompressions,
        );
    }
    text
}

/// What the memory controllers compressed, if they do.
fn compressed_memory(counters: &MachineCounters) -> String {
    let memory = &counters.compression.memory;
    let asked = memory.asked();
    if asked.blocks == 0 {
        return String::new();
    }
    let metadata_bursts = memory.metadata_read_bursts + memory.metadata_write_bursts;
    format!(
        "compressed in memory: blocks {:.2} : 1, in bursts {:.2} : 1; {:.1} % of them compressed, {} read to merge a partial write; \
         metadata {:.1} % hits, {:.1} % of the bursts\n",
        asked.ratio(),
        asked.ratio_in_bursts(),
        percent(asked.compressed_blocks, asked.blocks),
        memory.merge_reads.blocks,
        100.0 * memory.metadata_hit_rate(),
        percent(metadata_bursts, memory.all_bursts()),
    )
}

/// What crossed the memory links, if there are any.
fn links(counters: &MachineCounters) -> String {
    let link = &counters.compression.link;
    let (down, up) = (&link.towards_memory, &link.towards_gpu);
    if link.sent_bits() == 0 {
        return String::new();
    }
    let bytes = |bits: u64| decimal_bytes(bits as f64 / 8.0);
    let share = |part: u64| percent(part, link.sent_bits());
    format!(
        "compressed on the memory links: {} to memory, {} to the GPU: {:.0} % blocks, {:.0} % tags, {:.0} % heads and tails, \
         {:.0} % padding; blocks compressed {:.2} : 1\n",
        bytes(down.sent_bits),
        bytes(up.sent_bits),
        share(down.block_bits + up.block_bits),
        share(down.tag_bits + up.tag_bits),
        share(down.head_and_tail_bits + up.head_and_tail_bits),
        share(down.padding_bits + up.padding_bits),
        link.codec.ratio(),
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
    let parts: Vec<_> = energy
        .parts
        .iter()
        .filter(|part| part.joules > 0.0)
        .map(|part| format!("{} {:.0} %", part.name, 100.0 * part.share))
        .collect();
    format!(
        "energy ({}): {}, {:.1} W on average, energy-delay {:.3e} Js; {}\n",
        energy.set,
        joules(energy.total_j),
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
