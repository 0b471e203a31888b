//! Memory behind HMC-like links: does it compute the same, is every bit accounted for, does compression pay?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::sync::Arc;

use common::{Bench, scheme_with, send_random};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::{CodecSpec, ENTRIES};
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::{GLOBAL_START, Memory};
use shrinkwarp_sim::config;
use shrinkwarp_sim::counters::{LinkCounters, LinkTraffic, MachineCounters};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::scheme::Scheme;
use shrinkwarp_sim::{AccessKind, Cycle, Packet};

/// Thread *i* adds 1 to word *i* x stride of a buffer, or sets it to *i*.
fn ptx() -> String {
    let entry = |name: &str, body: &str| {
        format!(
            "
.visible .entry {name}(.param .u64 data, .param .u32 stride)
{{
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [stride];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    mul.lo.s32 %r6, %r5, %r1;
    mul.wide.u32 %rd2, %r6, 4;
    add.s64 %rd3, %rd1, %rd2;
    {body}
    ret;
}}
"
        )
    };
    let increment =
        entry("increment", "ld.global.u32 %r7, [%rd3]; add.s32 %r8, %r7, 1; st.global.u32 [%rd3], %r8;");
    let number = entry("number", "st.global.u32 [%rd3], %r5;");
    format!(".version 6.0\n.target sm_35\n.address_size 64\n{increment}{number}")
}

const THREADS_PER_BLOCK: u32 = 256;

/// What a run leaves behind.
struct Measured {
    words: Vec<u32>,
    cycles: u64,
    counters: MachineCounters,
}

impl Measured {
    fn link(&self) -> &LinkCounters {
        &self.counters.compression.link
    }
}

/// Increments a buffer whose words `word` gives; blocks are compared on their way.
fn run(scheme: Scheme, blocks: u32, word: impl Fn(u32) -> u32) -> Measured {
    run_kernel("increment", scheme, blocks, 1, word)
}

fn run_kernel(name: &str, scheme: Scheme, blocks: u32, stride: u32, word: impl Fn(u32) -> u32) -> Measured {
    let mut gpu = Gpu::with_scheme(config::load("bpc-gtx480", &[]).unwrap(), scheme);
    let words = blocks * THREADS_PER_BLOCK * stride;
    let address = gpu.alloc(u64::from(words) * 4).unwrap();
    let bytes: Vec<u8> = (0..words).flat_map(|n| word(n).to_le_bytes()).collect();
    gpu.copy_in(address, &bytes).unwrap();
    let kernel = Arc::clone(&gpu.load_module(&ptx()).unwrap().kernels[name]);
    let mut parameters = address.to_le_bytes().to_vec();
    parameters.extend(stride.to_le_bytes());
    let launch = Launch::new([blocks, 1, 1], [THREADS_PER_BLOCK, 1, 1], parameters);
    let cycles = gpu.launch(&kernel, &launch).unwrap().cycles.unwrap();
    let mut after = vec![0; words as usize * 4];
    gpu.copy_out(address, &mut after).unwrap();
    let words = after.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Measured { words, cycles, counters: gpu.machine_counters() }
}

/// Small numbers with some noise: BPC makes about a third of them.
fn small(n: u32) -> u32 {
    1000 + n + (n.wrapping_mul(2_654_435_761) >> 29)
}

fn is_trained(codec: &str) -> bool {
    CodecSpec::parse(codec, BlockBytes::B128).unwrap().is_trained()
}

fn assert_every_bit_is_accounted_for(traffic: &LinkTraffic) {
    let parts = traffic.block_bits + traffic.tag_bits + traffic.head_and_tail_bits + traffic.padding_bits;
    assert_eq!(traffic.sent_bits, parts);
    assert_eq!(traffic.head_and_tail_bits, 128 * (traffic.control_packets + traffic.data_packets));
    assert!(traffic.sent_bits.is_multiple_of(128));
}

#[test]
fn every_codec_on_either_link_computes_what_the_bus_computes() {
    let expected = run(Scheme::none(), 30, small).words;
    for kind in ["unpacked", "packed"] {
        for entry in ENTRIES.iter().filter(|entry| !is_trained(entry.name)) {
            let overrides = [format!("link.kind={kind}"), format!("link.codec={}", entry.name)];
            let outcome = run(scheme_with("none", &overrides.each_ref().map(String::as_str)), 30, small);
            assert_eq!(outcome.words, expected, "{} {kind}", entry.name);
            let link = outcome.link();
            assert_every_bit_is_accounted_for(&link.towards_memory);
            assert_every_bit_is_accounted_for(&link.towards_gpu);
            // 240 blocks of the buffer are read; all that a codec makes smaller are compared.
            let codec = &link.codec;
            assert!(codec.verified_blocks + codec.raw_blocks >= 240, "{} {codec:?}", entry.name);
        }
    }
}

#[test]
fn a_vault_reads_and_writes_as_many_bursts_as_blocks_need() {
    // Words that count up by one: BPC needs far less than the 64 bytes of a burst; raw blocks need two.
    let plain = run(scheme_with("hmc-link", &[]), 60, |n| n).counters;
    let packed = run(scheme_with("bpc-link-packed", &[]), 60, |n| n).counters;
    let instruction_blocks = plain.memory.dram.read_commands / 2 - 480;
    assert_eq!(packed.memory.dram.read_commands, 480 + 2 * instruction_blocks);
    assert_eq!(plain.memory.dram.requests, plain.compression.link.towards_memory.transfers_out);
    assert_eq!(packed.memory.dram.requests, packed.compression.link.towards_memory.transfers_out);
}

#[test]
fn a_write_to_part_of_a_compressed_block_is_merged_in_its_vault() {
    // Every other word: each warp writes half of the bytes of two blocks, and no warp has read them.
    let number = |scheme| run_kernel("number", scheme, 20, 2, |n| n);
    let words = number(Scheme::none()).words;
    let (raw, compressed) =
        (number(scheme_with("hmc-link", &[])), number(scheme_with("bpc-link-packed", &[])));
    assert_eq!((&raw.words, &compressed.words), (&words, &words));
    let merges =
        |outcome: &Measured| (outcome.link().merged_writes, outcome.counters.memory.dram.merge_read_commands);
    assert_eq!(merges(&raw), (0, 0));
    let warps = u64::from(20 * THREADS_PER_BLOCK / 32);
    let (merged_writes, merge_reads) = merges(&compressed);
    assert_eq!(merged_writes, 2 * warps);
    assert!((merged_writes..=2 * merged_writes).contains(&merge_reads), "{merge_reads}");
    let masked = number(scheme_with("bpc-link-packed", &["link.partial_writes=masked"]));
    assert_eq!((&masked.words, merges(&masked)), (&words, (0, 0)));
}

#[test]
fn two_runs_are_identical() {
    let once = run(scheme_with("bpc-link-packed", &["link.bandwidth_divider=8"]), 60, small);
    let twice = run(scheme_with("bpc-link-packed", &["link.bandwidth_divider=8"]), 60, small);
    assert_eq!((once.cycles, once.counters), (twice.cycles, twice.counters));
}

#[test]
fn a_narrow_link_costs_cycles_and_compression_gets_them_back() {
    let cycles = |name: &str, divider: u32| {
        run(scheme_with(name, &[&format!("link.bandwidth_divider={divider}")]), 240, small).cycles
    };
    let (wide, narrow) = (cycles("hmc-link", 1), cycles("hmc-link", 16));
    assert!(narrow > 2 * wide, "{wide} cycles, at a sixteenth {narrow}");
    let unpacked = cycles("bpc-link-unpacked", 16);
    let packed = cycles("bpc-link-packed", 16);
    assert!(packed < unpacked && unpacked < narrow, "packed {packed}, unpacked {unpacked}, none {narrow}");
}

fn idle_bench(scheme: &Scheme) -> Bench {
    Bench::new(&config::load("bpc-gtx480", &[]).unwrap(), scheme, Memory::starting_at(GLOBAL_START))
}

#[test]
fn a_lone_read_pays_six_cycles_each_way_and_a_compressed_one_fifteen_more() {
    let read = Packet::new(AccessKind::GlobalRead, GLOBAL_START + 0x4000, 128, 0, Cycle(0));
    let cycles = |scheme: &Scheme| idle_bench(scheme).round_trip(read) as f64;
    let bus = cycles(&Scheme::none());
    let link = cycles(&scheme_with("hmc-link", &[]));
    // A raw block's 1,152 bits take two DRAM cycles of a link, one more than the bus counts; 700 core cycles are 924 DRAM cycles.
    let to_core = |dram_cycles: f64| dram_cycles * 700.0 / 924.0;
    assert!((link - bus - to_core(6.0 + 1.0 + 6.0)).abs() <= 1.0, "{bus} and {link}");
    // A block of zeros: 4 cycles to find its size, 11 to decompress it; one burst and one link cycle less.
    let compressed = cycles(&scheme_with("bpc-link-packed", &[]));
    let ccdl = 3.0;
    let added = compressed - link;
    assert!((added - to_core(4.0 + 11.0 - ccdl - 1.0)).abs() <= 1.0, "{link} and {compressed}");
}

#[test]
fn nothing_is_lost_between_controllers_and_vaults() {
    for name in ["hmc-link", "bpc-link-unpacked", "bpc-link-packed"] {
        let mut bench = idle_bench(&scheme_with(name, &["link.bandwidth_divider=4"]));
        let traffic = send_random(&mut bench, |is_write, random| {
            // A quarter of the writes is to 32 bytes of their block.
            let bytes = if is_write && random >> 42 & 3 == 0 { 32 } else { 128 };
            (GLOBAL_START + (random >> 20 & 0x3fff) * 128, bytes)
        });
        assert_eq!(traffic.replies, traffic.reads + traffic.writes, "{name}");
        let (counters, link) = (bench.side.counters(), bench.side.compression_counters().link);
        assert_eq!(link.towards_memory.transfers_in, link.towards_memory.transfers_out);
        assert_eq!(link.towards_gpu.transfers_in, link.towards_gpu.transfers_out);
        // Every request is answered, write-backs too, and blocks travel with writes one way and with reads the other.
        assert_eq!(link.towards_memory.transfers_in, link.towards_gpu.transfers_in);
        assert_eq!(counters.dram.requests, link.towards_memory.transfers_in);
        assert_eq!(link.towards_gpu.blocks, counters.l2.cache.fills);
        assert_eq!(link.towards_gpu.control_packets, link.towards_memory.blocks);
        assert_eq!(link.towards_memory.control_packets, link.towards_gpu.blocks);
        assert_eq!(link.merged_writes > 0, name != "hmc-link");
        // Blocks of zeros: each is one burst, and so is each that a merge reads.
        if name != "hmc-link" {
            assert_eq!(counters.dram.merge_read_commands, link.merged_writes);
            assert_eq!(counters.dram.all_read_commands(), counters.l2.cache.fills + link.merged_writes);
        }
        assert_every_bit_is_accounted_for(&link.towards_memory);
        assert_every_bit_is_accounted_for(&link.towards_gpu);
    }
}
