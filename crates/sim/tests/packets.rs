//! Compressed read replies: are results the same, are flits saved and none lost, do the ends agree?
#![expect(clippy::unwrap_used, reason = "tests")]

use shrinkwarp_codec::transform::FloatFormat;
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_sim::config::{self, load_scheme};
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::scheme::{Scheme, Tables};

const WORDS: usize = 16_384;

/// out[i] = in[i] + in[i ^ 4096]: every block is read twice.
const PTX: &str = "
.version 6.0
.target sm_35
.address_size 64
.visible .entry pairs(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<12>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    xor.b32 %r5, %r4, 4096;
    mul.wide.u32 %rd3, %r4, 4;
    mul.wide.u32 %rd4, %r5, 4;
    add.s64 %rd5, %rd2, %rd3;
    add.s64 %rd6, %rd2, %rd4;
    ld.global.u32 %r6, [%rd5];
    ld.global.u32 %r7, [%rd6];
    add.s32 %r8, %r6, %r7;
    add.s64 %rd7, %rd1, %rd3;
    st.global.u32 [%rd7], %r8;
    ret;
}
";

fn gpu(overrides: &[&str]) -> Gpu {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let spec = load_scheme("none", &overrides).unwrap();
    let scheme = Scheme::build(spec, &Tables::new(), true).unwrap();
    Gpu::with_scheme(config::load("gtx480", &[]).unwrap(), scheme)
}

/// Runs the kernel over `input`, which lies at the address that `alloc` gives.
fn run_from(
    gpu: &mut Gpu,
    input: &[u32],
    alloc: impl Fn(&mut Gpu, u64) -> u64,
) -> (u64, Vec<u32>, MachineCounters) {
    let module = gpu.load_module(PTX).unwrap();
    let kernel = &module.kernels["pairs"];
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let source = alloc(gpu, bytes.len() as u64);
    let out = gpu.alloc(bytes.len() as u64).unwrap();
    gpu.copy_in(source, &bytes).unwrap();
    let mut params = out.to_le_bytes().to_vec();
    params.extend(source.to_le_bytes());
    let launch = Launch::new([(WORDS / 256) as u32, 1, 1], [256, 1, 1], params);
    let cycles = gpu.launch(kernel, &launch).unwrap().cycles.unwrap();
    let mut result = vec![0; bytes.len()];
    gpu.copy_out(out, &mut result).unwrap();
    let words = result.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    (cycles, words, gpu.machine_counters())
}

fn run(overrides: &[&str], input: &[u32]) -> (u64, Vec<u32>, MachineCounters) {
    run_from(&mut gpu(overrides), input, |gpu, bytes| gpu.alloc(bytes).unwrap())
}

fn counting() -> Vec<u32> {
    (0..WORDS as u32).collect()
}

/// Words without any pattern, from a multiplicative generator.
fn noise() -> Vec<u32> {
    let mut state = 1u64;
    let step = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    (0..WORDS).map(step).collect()
}

#[test]
fn every_plain_codec_gives_the_same_results_with_fewer_flits() {
    let (_, expected, plain) = run(&[], &counting());
    for codec in ["zero", "bdi", "fpc", "cpack", "cpack-z", "dsm", "bpc", "bpc64"] {
        let (_, words, counters) = run(&[&format!("packets.codec={codec}")], &counting());
        assert!(words == expected, "{codec}");
        let packets = &counters.compression.packets;
        assert_eq!(packets.codec.compressions, 2 * (WORDS / 32) as u64, "{codec}");
        assert_eq!(packets.codec.verified_blocks + packets.codec.raw_blocks, packets.codec.compressions);
        assert_eq!(packets.flits_without, 5 * packets.codec.compressions, "{codec}");
        // What the network carried less is what the compressor says it saved.
        let saved = plain.memory.reply_network.flits_in - counters.memory.reply_network.flits_in;
        assert_eq!(saved, packets.flits_without - packets.flits_with, "{codec}");
        assert_eq!(
            counters.memory.reply_network.flits_in, counters.memory.reply_network.flits_out,
            "{codec}"
        );
        assert_eq!(
            counters.memory.reply_network.packets_in, plain.memory.reply_network.packets_in,
            "{codec}"
        );
        if !matches!(codec, "zero" | "bpc64") {
            assert!(packets.flits_with < packets.flits_without, "{codec}");
        }
    }
}

#[test]
fn a_codec_that_never_compresses_and_takes_no_time_changes_no_cycle() {
    let (plain, ..) = run(&[], &noise());
    let timeless = ["packets.codec=zero", "packets.compress_cycles=0", "packets.decompress_cycles=0"];
    let (cycles, _, counters) = run(&timeless, &noise());
    assert_eq!(counters.compression.packets.flits_with, counters.compression.packets.flits_without);
    assert_eq!(cycles, plain);
}

#[test]
fn a_slow_codec_costs_cycles() {
    let slow = ["packets.codec=bdi", "packets.compress_cycles=100", "packets.decompress_cycles=100"];
    assert!(run(&slow, &counting()).0 > run(&["packets.codec=bdi"], &counting()).0 + 100);
}

#[test]
fn dictionaries_that_live_on_cost_control_packets_and_stay_in_step() {
    let synchronised = ["packets.codec=cpack", "packets.dictionary=synchronised"];
    let (_, words, counters) = run(&synchronised, &noise());
    assert!(words == run(&[], &noise()).1);
    let packets = &counters.compression.packets;
    // Every block of noise brings 16 new words: 72 bytes, 3 flits, behind the raw block.
    assert_eq!(packets.control_packets, packets.codec.compressions);
    assert_eq!(packets.flits_with, packets.flits_without + 3 * packets.control_packets);
}

#[test]
fn a_slices_dictionary_costs_bare_messages_that_the_ratio_leaves_out() {
    let (_, words, counters) = run(&["packets.codec=cpack", "packets.dictionary=per_slice"], &noise());
    let (_, expected, plain) = run(&[], &noise());
    assert!(words == expected);
    // A reply whose words the slice has sent before needs no message.
    let packets = &counters.compression.packets;
    assert!((1..=packets.codec.compressions).contains(&packets.control_packets), "{packets:?}");
    let (with, without) = (packets.flits_with, packets.flits_without);
    let carried = counters.memory.reply_network.flits_in + without;
    assert_eq!(carried, plain.memory.reply_network.flits_in + with + packets.control_packets);
}

#[test]
fn a_compressor_behind_the_queue_gives_the_same_results_and_flits() {
    let (_, expected, inside) = run(&["packets.codec=dsm"], &counting());
    let (_, words, behind) = run(&["packets.codec=dsm", "packets.compressor=behind_queue"], &counting());
    assert!(words == expected);
    assert_eq!(behind.compression.packets.flits_with, inside.compression.packets.flits_with);
    // With a latency far beyond the queue's eight places, replies inside the pipeline hold none of them.
    let slow = ["packets.codec=dsm", "packets.compress_cycles=60"];
    let slow_behind = [slow[0], slow[1], "packets.compressor=behind_queue"];
    assert!(run(&slow_behind, &noise()).0 < run(&slow, &noise()).0);
}

#[test]
fn blocks_of_an_approximable_region_shrink_and_others_do_not() {
    let floats: Vec<u32> = (0..WORDS).map(|index| (1.0 + index as f32 / 7.0).to_bits()).collect();
    let exact = run(&["packets.codec=dsm"], &floats).2.compression.packets;
    let (_, _, counters) = run_from(&mut gpu(&["packets.codec=dsm"]), &floats, |gpu, bytes| {
        gpu.alloc_approximable(bytes, FloatFormat::F32, 16).unwrap()
    });
    let approximate = counters.compression.packets;
    assert_eq!(exact.approximated_blocks, 0);
    assert_eq!(approximate.approximated_blocks, approximate.codec.compressions);
    // Four of eight nibble groups are zero: at least half of the data is gone.
    assert!(approximate.codec.bits_out * 19 < approximate.codec.bits_in * 10);
    assert!(approximate.flits_with < exact.flits_with);
}
