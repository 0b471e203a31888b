//! Values that are well-formed but describe no machine.

use shrinkwarp_emu::LANES;

use super::{DramConfig, GpuSpec, SmConfig};
use crate::base::SetIndex;
use crate::base::set_index::IPOLY_BINS;
use crate::base::setting::Impossible;
use crate::compute::coalescer::Coalescing;
use crate::compute::in_flight::MAX_WIDTH;
use crate::compute::load_store::MAX_L1_BANKS;
use crate::compute::units::{MAX_LATENCY_CYCLES, MAX_RESULT_BUSES, MAX_UNITS};
use crate::compute::{MAX_SCHEDULERS, MAX_WARPS};
use crate::partition::controller::dram::config::SliceIndex;

/// Multiply-adds of the largest matrix product, 32 x 8 x 16.
const MOST_MULTIPLY_ADDS: u32 = 4096;

/// The same in double precision, 16 x 8 x 16.
const MOST_DOUBLE_MULTIPLY_ADDS: u32 = 2048;

/// Finds the first impossible value.
pub fn check(spec: &GpuSpec) -> Result<(), Impossible> {
    positive(spec)?;
    clocks(spec)?;
    for (key, geometry) in geometries(spec) {
        geometry.check(key)?;
    }
    sm(spec)?;
    sub_cores(&spec.sm)?;
    sectors(spec)?;
    interconnect(spec)?;
    dram(&spec.dram)?;
    state(spec)
}

/// The most memory that a machine's own state may take, without the programs' data.
const MOST_STATE_BYTES: usize = 2 << 30;
/// About what the simulator keeps for a cache line, for an access in an MSHR and for an entry of a queue.
const LINE_STATE_BYTES: usize = 64;
const ACCESS_STATE_BYTES: usize = 64;

/// Each key may be large alone; together they must fit this computer. The key that takes the most is to blame.
fn state(spec: &GpuSpec) -> Result<(), Impossible> {
    let (l1, l2, texture) = (&spec.l1, &spec.l2, &spec.texture_cache);
    let (sms, slices) = (spec.sm.count, spec.slices());
    let lines = |copies: usize, size_kib: usize, line_bytes: usize| {
        copies * (size_kib * 1024 / line_bytes.max(1)) * LINE_STATE_BYTES
    };
    let accesses = |copies: usize, entries: usize, merges: usize| {
        copies.saturating_mul(entries.saturating_mul(merges)).saturating_mul(ACCESS_STATE_BYTES)
    };
    let mut parts = vec![
        ("l1.size_kib", lines(sms, l1.size_kib, l1.line_bytes)),
        ("l1.mshr_entries", accesses(sms, l1.mshr_entries, l1.mshr_merges)),
        ("l1.miss_queue_entries", accesses(sms, l1.miss_queue_entries, 1)),
        ("l2.size_kib", lines(slices, l2.size_kib, l2.line_bytes)),
        ("l2.mshr_entries", accesses(slices, l2.mshr_entries, l2.mshr_merges)),
        ("l2.miss_queue_entries", accesses(slices, l2.miss_queue_entries, 1)),
        ("texture_cache.size_kib", lines(sms, texture.size_kib, texture.line_bytes)),
        ("texture_cache.fragment_entries", accesses(sms, texture.fragment_entries, 1)),
        ("texture_cache.request_entries", accesses(sms, texture.request_entries, 1)),
        ("texture_cache.result_entries", accesses(sms, texture.result_entries, 1)),
    ];
    for (size, mshrs, cache) in [
        ("instruction_cache.size_kib", "instruction_cache.mshr_entries", &spec.instruction_cache),
        ("constant_cache.size_kib", "constant_cache.mshr_entries", &spec.constant_cache),
    ] {
        parts.push((size, lines(sms, cache.size_kib, cache.line_bytes)));
        parts.push((mshrs, accesses(sms, cache.mshr_entries, cache.mshr_merges)));
    }
    let total = parts.iter().fold(0usize, |total, (_, bytes)| total.saturating_add(*bytes));
    let largest = parts.into_iter().max_by_key(|(_, bytes)| *bytes);
    match largest.filter(|_| total > MOST_STATE_BYTES) {
        None => Ok(()),
        Some((key, bytes)) => Err(Impossible {
            key: key.to_owned(),
            message: format!("takes {} MiB in a machine of {sms} SMs and {slices} L2 slices", bytes >> 20),
            help: format!("caches and MSHRs together take at most {} MiB", MOST_STATE_BYTES >> 20),
        }),
    }
}

/// Size, ways and line of a cache.
struct Geometry {
    size_kib: usize,
    ways: usize,
    line_bytes: usize,
}

impl Geometry {
    fn check(&self, section: &str) -> Result<(), Impossible> {
        if !self.line_bytes.is_power_of_two() || !(32..=128).contains(&self.line_bytes) {
            return Err(fault(section, "line_bytes", self.line_bytes, "a line has 32, 64 or 128 bytes"));
        }
        let bytes = self.size_kib * 1024;
        let set_bytes = self.ways * self.line_bytes;
        if !bytes.is_multiple_of(set_bytes) {
            let message = format!("{} KiB are not a multiple of a set of {set_bytes} bytes", self.size_kib);
            let help = format!("size_kib x 1024 must be a multiple of ways x line_bytes = {set_bytes}");
            return Err(Impossible { key: format!("{section}.ways"), message, help });
        }
        Ok(())
    }
}

fn geometries(spec: &GpuSpec) -> [(&'static str, Geometry); 5] {
    let read_only =
        |c: &super::CacheConfig| Geometry { size_kib: c.size_kib, ways: c.ways, line_bytes: c.line_bytes };
    let (l1, l2, texture) = (&spec.l1, &spec.l2, &spec.texture_cache);
    [
        ("l1", Geometry { size_kib: l1.size_kib, ways: l1.ways, line_bytes: l1.line_bytes }),
        ("instruction_cache", read_only(&spec.instruction_cache)),
        ("constant_cache", read_only(&spec.constant_cache)),
        (
            "texture_cache",
            Geometry { size_kib: texture.size_kib, ways: texture.ways, line_bytes: texture.line_bytes },
        ),
        ("l2", Geometry { size_kib: l2.size_kib, ways: l2.ways, line_bytes: l2.line_bytes }),
    ]
}

/// The counts of some sections with their keys.
macro_rules! counts {
    ($spec:ident, $($section:ident: $($key:ident)+;)+) => {
        [$($((concat!(stringify!($section), ".", stringify!($key)), $spec.$section.$key as usize)),+),+]
    };
}

/// Counts that must be at least 1.
fn positive(spec: &GpuSpec) -> Result<(), Impossible> {
    let counts = counts! {
        spec,
        clocks: core_mhz interconnect_mhz l2_mhz dram_mhz;
        sm: count threads blocks schedulers shared_banks register_banks issues_per_scheduler instruction_buffer_entries
            fetches_per_cycle operand_rounds_per_cycle;
        l1: size_kib ways banks latency_cycles mshr_entries mshr_merges port_bytes;
        instruction_cache: size_kib ways mshr_entries mshr_merges miss_queue_entries;
        constant_cache: size_kib ways mshr_entries mshr_merges miss_queue_entries;
        texture_cache: ways size_kib fragment_entries request_entries result_entries;
        l2: size_kib ways mshr_entries mshr_merges port_bytes reply_queue_packets miss_queue_packets fill_queue_packets;
        interconnect: flit_bytes buffer_flits queue_packets sm_reply_packets;
        dram: channels slices_per_channel chips_per_channel burst_length transfers_per_clock queue_requests return_queue_packets;
    };
    match counts.into_iter().find(|(_, count)| *count == 0) {
        Some((key, _)) => {
            Err(Impossible { key: key.to_owned(), message: "is 0".to_owned(), help: "at least 1".to_owned() })
        }
        None => Ok(()),
    }
}

/// How many times faster than another a clock may be; beyond that, waiting for the slow part looks like a deadlock.
const MOST_CLOCK_RATIO: u32 = 100;

fn clocks(spec: &GpuSpec) -> Result<(), Impossible> {
    let clocks = &spec.clocks;
    let all = [
        ("core_mhz", clocks.core_mhz),
        ("interconnect_mhz", clocks.interconnect_mhz),
        ("l2_mhz", clocks.l2_mhz),
        ("dram_mhz", clocks.dram_mhz),
    ];
    let core = clocks.core_mhz;
    for (key, mhz) in all {
        if mhz.saturating_mul(MOST_CLOCK_RATIO) < core || core.saturating_mul(MOST_CLOCK_RATIO) < mhz {
            let help = format!(
                "must be between 1/{MOST_CLOCK_RATIO} and {MOST_CLOCK_RATIO} times core_mhz ({core})"
            );
            return Err(fault("clocks", key, mhz as usize, &help));
        }
    }
    Ok(())
}

fn sm(spec: &GpuSpec) -> Result<(), Impossible> {
    let sm = &spec.sm;
    let most_threads = MAX_WARPS * LANES;
    if sm.threads > most_threads {
        let help = format!("at most {most_threads}: {MAX_WARPS} warps of {LANES}");
        return Err(fault("sm", "threads", sm.threads, &help));
    }
    for (key, value, most) in sm_limits(sm) {
        if value > most {
            return Err(fault("sm", key, value, &format!("at most {most}")));
        }
    }
    if sm.count + spec.slices() > 256 {
        let help = format!("SMs and L2 slices ({}) together are at most 256", spec.slices());
        if spec.slices() > sm.count {
            return Err(fault("dram", "channels", spec.dram.channels, &help));
        }
        return Err(fault("sm", "count", sm.count, &help));
    }
    if spec.l1.miss_queue_entries < 2 {
        let help = "a read miss needs 2: the request and a write-back";
        return Err(fault("l1", "miss_queue_entries", spec.l1.miss_queue_entries, help));
    }
    if spec.l2.miss_queue_entries < 3 {
        let help = "a write miss needs 3: the write, the fetch and a write-back";
        return Err(fault("l2", "miss_queue_entries", spec.l2.miss_queue_entries, help));
    }
    if spec.l2.request_queue_packets < 4 {
        let help = "at least 4: a slice takes a packet only when four would fit";
        return Err(fault("l2", "request_queue_packets", spec.l2.request_queue_packets, help));
    }
    Ok(())
}

/// What sectors, hashes and a shared array ask for.
fn sectors(spec: &GpuSpec) -> Result<(), Impossible> {
    let (l1, l2, dram) = (&spec.l1, &spec.l2, &spec.dram);
    for (section, sector_bytes, line_bytes) in
        [("l1", l1.sector_bytes, l1.line_bytes), ("l2", l2.sector_bytes, l2.line_bytes)]
    {
        if sector_bytes != line_bytes && sector_bytes != 32 {
            let help = format!("32, or {section}.line_bytes = {line_bytes} for lines without sectors");
            return Err(fault(section, "sector_bytes", sector_bytes, &help));
        }
    }
    if l2.sector_bytes < l1.sector_bytes {
        let help = "not less than l1.sector_bytes: a slice answers a request with one sector";
        return Err(fault("l2", "sector_bytes", l2.sector_bytes, help));
    }
    if l2.sector_bytes < l2.line_bytes {
        let largest = [
            ("texture_cache", spec.texture_cache.line_bytes, false),
            ("instruction_cache", spec.instruction_cache.line_bytes, spec.sm.perfect_instruction_cache),
            ("constant_cache", spec.constant_cache.line_bytes, spec.sm.perfect_constant_cache),
        ];
        if let Some((section, bytes, _)) =
            largest.into_iter().find(|(_, bytes, is_perfect)| !is_perfect && *bytes > l2.sector_bytes)
        {
            let help = format!("at most l2.sector_bytes = {}, or a perfect cache", l2.sector_bytes);
            return Err(fault(section, "line_bytes", bytes, &help));
        }
    }
    if l1.sector_bytes < l1.line_bytes && spec.sm.coalescing != Coalescing::Sectors {
        return Err(Impossible {
            key: "sm.coalescing".to_owned(),
            message: "an access may be larger than a sector of the L1".to_owned(),
            help: "\"sectors\" with l1.sector_bytes = 32".to_owned(),
        });
    }
    if !l1.banks.is_power_of_two() || l1.banks > MAX_L1_BANKS {
        return Err(fault("l1", "banks", l1.banks, &format!("a power of two of at most {MAX_L1_BANKS}")));
    }
    if l1.modified_percent > 100 {
        return Err(fault("l1", "modified_percent", l1.modified_percent, "at most 100"));
    }
    if l1.modified_percent > 0 && l1.write_policy == super::L1WritePolicy::Evict {
        return Err(fault(
            "l1",
            "modified_percent",
            l1.modified_percent,
            "0 with l1.write_policy = \"evict\"",
        ));
    }
    shared_array(spec)?;
    for (key, index, bins) in [
        ("l1.set_index", l1.set_index == SetIndex::Ipoly, l1.cache_spec().sets),
        ("l2.set_index", l2.set_index == SetIndex::Ipoly, l2.cache_spec().sets),
        ("dram.slice_index", dram.slice_index == SliceIndex::Ipoly, spec.slices()),
    ] {
        if index && !IPOLY_BINS.contains(&(1 << bins.trailing_zeros())) {
            let message = format!("ipoly knows no polynomial for {bins}");
            let help = format!("\"linear\", or an odd multiple of {IPOLY_BINS:?} sets or slices");
            return Err(Impossible { key: key.to_owned(), message, help });
        }
    }
    if !(1..=2).contains(&dram.command_buses) {
        return Err(fault("dram", "command_buses", dram.command_buses, "1, or 2 for rows and columns apart"));
    }
    Ok(())
}

/// Shared memory that is carved out of the L1's array.
fn shared_array(spec: &GpuSpec) -> Result<(), Impossible> {
    let (l1, options) = (&spec.l1, &spec.l1.shared_carve_out_kib);
    let key = |message: String, help: &str| {
        Err(Impossible { key: "l1.shared_carve_out_kib".to_owned(), message, help: help.to_owned() })
    };
    if (!options.is_empty() || l1.allocate == super::L1Allocate::Streaming) && !l1.empty_after_kernel {
        return Err(Impossible {
            key: "l1.empty_after_kernel".to_owned(),
            message: "an L1 that each kernel sets up cannot keep its lines".to_owned(),
            help: "true with l1.shared_carve_out_kib or l1.allocate = \"streaming\"".to_owned(),
        });
    }
    if options.windows(2).any(|pair| pair[0] >= pair[1]) {
        return key("is not ascending".to_owned(), "from the smallest to the largest");
    }
    match options.last() {
        Some(&last) if last >= l1.size_kib => {
            key(format!("{last} KiB leave no data cache"), "less than l1.size_kib")
        }
        Some(&last) if last < spec.sm.shared_kib => {
            key(format!("{last} KiB are less than sm.shared_kib"), "the last at least sm.shared_kib")
        }
        _ => Ok(()),
    }
}

/// What a division into sub-cores asks for: equal shares, and one register of each stage for each.
fn sub_cores(sm: &SmConfig) -> Result<(), Impossible> {
    let pipeline = &sm.pipeline;
    let further_units = pipeline.int_units + pipeline.fp64_units + pipeline.tensor_units;
    if further_units > 0 && pipeline.shared_collectors == 0 {
        let help = "at least 1 with int_units, fp64_units or tensor_units: those pipes have no collectors of their own";
        return Err(fault("sm.pipeline", "shared_collectors", pipeline.shared_collectors, help));
    }
    if pipeline.shared_collector_ports == 0 {
        return Err(fault("sm.pipeline", "shared_collector_ports", 0, "at least 1"));
    }
    if !sm.sub_cores {
        return Ok(());
    }
    let count = sm.schedulers;
    if !count.is_power_of_two() {
        return Err(fault("sm", "schedulers", count, "a power of two with sub_cores"));
    }
    let equal = format!("with sub_cores as many as sm.schedulers = {count}: each sub-core has one");
    let share = format!("with sub_cores a multiple of sm.schedulers = {count}, at least that many");
    let checks = [
        ("sp_issue_width", pipeline.sp_issue_width == count, pipeline.sp_issue_width, &equal),
        ("sfu_issue_width", pipeline.sfu_issue_width == count, pipeline.sfu_issue_width, &equal),
        ("memory_issue_width", pipeline.memory_issue_width == count, pipeline.memory_issue_width, &equal),
        ("sp_execute_width", pipeline.sp_execute_width == count, pipeline.sp_execute_width, &equal),
        ("sfu_execute_width", pipeline.sfu_execute_width == count, pipeline.sfu_execute_width, &equal),
        (
            "memory_execute_width",
            pipeline.memory_execute_width == count,
            pipeline.memory_execute_width,
            &equal,
        ),
        ("sp_units", pipeline.sp_units == count, pipeline.sp_units, &equal),
        ("sfu_units", pipeline.sfu_units == count, pipeline.sfu_units, &equal),
        ("int_units", pipeline.int_units == 0 || pipeline.int_units == count, pipeline.int_units, &equal),
        ("fp64_units", pipeline.fp64_units == 0 || pipeline.fp64_units == count, pipeline.fp64_units, &equal),
        (
            "tensor_units",
            pipeline.tensor_units == 0 || pipeline.tensor_units == count,
            pipeline.tensor_units,
            &equal,
        ),
        (
            "shared_collectors",
            pipeline.shared_collectors > 0 && pipeline.shared_collectors.is_multiple_of(count),
            pipeline.shared_collectors,
            &share,
        ),
    ];
    for (key, is_possible, value, help) in checks {
        if !is_possible {
            return Err(fault("sm.pipeline", key, value, help));
        }
    }
    if !sm.register_banks.is_multiple_of(count) {
        return Err(fault("sm", "register_banks", sm.register_banks, &share));
    }
    Ok(())
}

/// The largest packet must fit where only whole packets go.
fn interconnect(spec: &GpuSpec) -> Result<(), Impossible> {
    let icnt = &spec.interconnect;
    let line_bytes = spec.l1.line_bytes.max(spec.l2.line_bytes) as u32;
    let largest_flits = crate::base::codec_unit::packet_flits(line_bytes, icnt.flit_bytes) as usize;
    let help = format!("must hold a packet with {line_bytes} bytes of data: {largest_flits} flits");
    if icnt.input_queue_flits < largest_flits {
        return Err(fault("interconnect", "input_queue_flits", icnt.input_queue_flits, &help));
    }
    if icnt.vc_allocation_cycles > 1 {
        let help = "0 or 1: a packet's first flit enters the switch in the cycle of the grant or in the next";
        return Err(fault("interconnect", "vc_allocation_cycles", icnt.vc_allocation_cycles as usize, help));
    }
    if icnt.boundary_flits < largest_flits {
        return Err(fault("interconnect", "boundary_flits", icnt.boundary_flits, &help));
    }
    Ok(())
}

fn dram(dram: &DramConfig) -> Result<(), Impossible> {
    if !dram.channel_interleave_bytes.is_power_of_two() || dram.channel_interleave_bytes < 128 {
        let help = "a power of two of at least 128, so that no line lies in two channels";
        return Err(fault("dram", "channel_interleave_bytes", dram.channel_interleave_bytes as usize, help));
    }
    if !dram.slices_per_channel.is_power_of_two() {
        return Err(fault("dram", "slices_per_channel", dram.slices_per_channel, "a power of two"));
    }
    if !dram.banks.is_power_of_two() || dram.banks > 32 {
        return Err(fault("dram", "banks", dram.banks, "a power of two of at most 32"));
    }
    if !dram.bank_groups.is_power_of_two() || dram.bank_groups > dram.banks {
        return Err(fault("dram", "bank_groups", dram.bank_groups, "a power of two of at most dram.banks"));
    }
    if dram.chip_bus_bits == 0 || !dram.chip_bus_bits.is_multiple_of(8) {
        return Err(fault("dram", "chip_bus_bits", dram.chip_bus_bits, "a multiple of 8"));
    }
    let timing = &dram.timing;
    if timing.refi > 0 && timing.refi <= timing.ras + timing.rp + timing.rfc {
        let help = "0, or more than ras + rp + rfc: between two refreshes a row must be opened and closed";
        return Err(fault("dram.timing", "refi", timing.refi as usize, help));
    }
    if dram.timing.rcd < dram.timing.wl + 1 {
        let help = "at least dram.timing.wl + 1: a write's row must be open when its data come";
        return Err(fault("dram.timing", "rcd", dram.timing.rcd as usize, help));
    }
    address_map(dram)
}

fn address_map(dram: &DramConfig) -> Result<(), Impossible> {
    let count = |letter| dram.address_map.chars().filter(|&c| c == letter).count() as u32;
    let unknown = dram.address_map.chars().find(|c| !"RBCS0.".contains(*c));
    let bad = |message: String, help: &str| {
        Err(Impossible { key: "dram.address_map".to_owned(), message, help: help.to_owned() })
    };
    if let Some(letter) = unknown {
        return bad(
            format!("{letter:?} is not a part of an address"),
            "R row, B bank, C column, S burst, 0 unused, . for reading",
        );
    }
    if count('B') != dram.banks.trailing_zeros() {
        let message = format!("has {} bank bits for {} banks", count('B'), dram.banks);
        return bad(message, "as many B as log2(dram.banks)");
    }
    if count('R') + count('B') + count('C') + count('S') + count('0') > 64 {
        return bad("has more than 64 bits".to_owned(), "an address has 64 bits");
    }
    Ok(())
}

/// What the SM's sets of bits and calendars have room for.
fn sm_limits(sm: &SmConfig) -> [(&'static str, usize, usize); 20] {
    let pipeline = &sm.pipeline;
    let units = [
        pipeline.sp_units,
        pipeline.sfu_units,
        pipeline.int_units,
        pipeline.fp64_units,
        pipeline.tensor_units,
    ];
    let units = units.into_iter().sum();
    let timings = [&sm.int, &sm.fp32, &sm.fp64]
        .into_iter()
        .flat_map(|format| [format.add, format.max, format.mul, format.mad, format.div]);
    let longest = timings
        .chain([sm.special, sm.tensor, sm.shuffle])
        .map(|timing| timing.latency_cycles)
        .chain(tensor_latencies(sm))
        .max()
        .unwrap_or(0);
    [
        ("schedulers", sm.schedulers, MAX_SCHEDULERS),
        ("register_banks", sm.register_banks, 64),
        ("shared_banks", sm.shared_banks, 32),
        ("instruction_buffer_entries", sm.instruction_buffer_entries, 8),
        ("pipeline.sp_issue_width", pipeline.sp_issue_width, MAX_WIDTH),
        ("pipeline.sfu_issue_width", pipeline.sfu_issue_width, MAX_WIDTH),
        ("pipeline.memory_issue_width", pipeline.memory_issue_width, MAX_WIDTH),
        ("pipeline.sp_execute_width", pipeline.sp_execute_width, MAX_WIDTH),
        ("pipeline.sfu_execute_width", pipeline.sfu_execute_width, MAX_WIDTH),
        ("pipeline.memory_execute_width", pipeline.memory_execute_width, MAX_WIDTH),
        ("pipeline.writeback_width", pipeline.writeback_width, MAX_RESULT_BUSES),
        ("pipeline.sp_units", units, MAX_UNITS),
        ("pipeline.int_units", pipeline.int_units, MAX_WIDTH),
        ("pipeline.fp64_units", pipeline.fp64_units, MAX_WIDTH),
        ("pipeline.tensor_units", pipeline.tensor_units, MAX_WIDTH),
        ("pipeline.shared_collectors", pipeline.shared_collectors, 32),
        ("fetches_per_cycle", sm.fetches_per_cycle, MAX_WARPS),
        ("operand_rounds_per_cycle", sm.operand_rounds_per_cycle, 8),
        ("pipeline.sp_collectors", pipeline.sp_collectors.max(pipeline.sfu_collectors), 32),
        ("fp64", longest as usize, MAX_LATENCY_CYCLES as usize),
    ]
}

/// The longest latency of a matrix product for each type that has a rate.
fn tensor_latencies(sm: &super::SmConfig) -> impl Iterator<Item = u32> + use<> {
    let (rates, latency) = (sm.tensor_rates, sm.tensor.latency_cycles);
    let others = [rates.f16, rates.bf16, rates.tf32, rates.int8].map(|rate| (rate, MOST_MULTIPLY_ADDS));
    let rates = others.into_iter().chain([(rates.f64, MOST_DOUBLE_MULTIPLY_ADDS)]);
    rates
        .filter(|(rate, _)| *rate > 0)
        .map(move |(rate, multiply_adds)| latency + multiply_adds.div_ceil(rate))
}

fn fault(section: &str, key: &str, value: usize, help: &str) -> Impossible {
    Impossible {
        key: format!("{section}.{key}"),
        message: format!("{value} is not allowed"),
        help: help.to_owned(),
    }
}
