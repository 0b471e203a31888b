//! The whole machine on small kernels: is nothing lost, is it deterministic, does it say what is wrong?
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::kernel::Kernel;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_sim::AccessKind;
use shrinkwarp_sim::config;
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::launch::RunReport;
use shrinkwarp_sim::run::{Progress, RunError, RunOptions};

const PTX: &str = "
.version 6.0
.target sm_35
.address_size 64

.visible .entry scale(.param .u64 data, .param .u32 factor)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [factor];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r6, [%rd3];
    mul.lo.s32 %r7, %r6, %r1;
    st.global.u32 [%rd3], %r7;
    ret;
}

.visible .entry spill(.param .u64 data, .param .u32 turns)
{
    .local .align 4 .b8 frame[64];
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, 0;
LOOP:
    st.local.u32 [frame], %r2;
    ld.local.u32 %r4, [frame];
    add.s32 %r2, %r4, 1;
    add.s32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra LOOP;
    mov.u32 %r5, %tid.x;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}

.visible .entry stuck(.param .u64 data)
{
    bar.sync 0, 96;
    ret;
}
";

fn gpu() -> Gpu {
    Gpu::new(config::load("gtx480", &[]).unwrap())
}

struct Prepared {
    kernel: Arc<Kernel>,
    launch: Launch,
    address: u64,
}

fn prepare(device: &mut dyn Device, name: &str, blocks: u32, threads: u32, number: u32) -> Prepared {
    let words = blocks * threads;
    let address = device.alloc(u64::from(words) * 4).unwrap();
    let bytes: Vec<u8> = (0..words).flat_map(u32::to_le_bytes).collect();
    device.copy_in(address, &bytes).unwrap();
    let kernel = Arc::clone(&device.load_module(PTX).unwrap().kernels[name]);
    let mut parameters = address.to_le_bytes().to_vec();
    parameters.extend(number.to_le_bytes());
    parameters.truncate(kernel.parameter_bytes as usize);
    Prepared { kernel, launch: Launch::new([blocks, 1, 1], [threads, 1, 1], parameters), address }
}

fn watch(gpu: &mut Gpu, prepared: &Prepared) -> RunReport {
    gpu.launch_watched(&prepared.kernel, &prepared.launch, &mut RunOptions::default()).unwrap()
}

fn read(device: &mut dyn Device, address: u64, words: usize) -> Vec<u32> {
    let mut bytes = vec![0; words * 4];
    device.copy_out(address, &mut bytes).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[test]
fn the_machine_computes_what_the_emulator_computes() {
    let (mut machine, mut emulator) = (gpu(), Functional::new());
    let timed = prepare(&mut machine, "scale", 40, 96, 3);
    let plain = prepare(&mut emulator, "scale", 40, 96, 3);
    let report = machine.launch(&timed.kernel, &timed.launch).unwrap();
    let expected = emulator.launch(&plain.kernel, &plain.launch).unwrap();
    assert_eq!(report.thread_instructions, expected.thread_instructions);
    assert_eq!(report.warp_instructions, expected.warp_instructions);
    let words = read(&mut machine, timed.address, 40 * 96);
    assert_eq!(words, read(&mut emulator, plain.address, 40 * 96));
    assert_eq!(words[100], 300);
}

fn check_conservation(counters: &MachineCounters) {
    let memory = &counters.memory;
    let (l1, l2) = (&counters.l1, &memory.l2.cache);
    assert_eq!(
        l1.row(AccessKind::GlobalRead).misses,
        l2.row(AccessKind::GlobalRead).accesses(),
        "L1 misses are L2 reads"
    );
    assert_eq!(
        l1.row(AccessKind::GlobalWrite).accesses(),
        l2.row(AccessKind::GlobalWrite).accesses(),
        "stores go on"
    );
    assert_eq!(
        memory.request_network.packets_in, memory.request_network.packets_out,
        "every request arrives"
    );
    assert_eq!(memory.reply_network.packets_in, memory.reply_network.packets_out, "every reply arrives");
    assert_eq!(memory.request_network.flits_in, memory.request_network.flits_out, "flits in are flits out");
    assert_eq!(memory.reply_network.flits_in, memory.reply_network.flits_out, "flits in are flits out");
    assert_eq!(memory.request_network.packets_out, memory.l2.packets_in, "slices take every request");
    let sm = &counters.sm;
    assert_eq!(sm.issued_cycles, sm.warp_instructions, "an issuing cycle issues one instruction");
}

#[test]
fn nothing_is_lost_between_the_stations() {
    let mut machine = gpu();
    let prepared = prepare(&mut machine, "scale", 64, 128, 2);
    let report = watch(&mut machine, &prepared);
    check_conservation(&report.counters);
    let counters = &report.counters;
    assert_eq!(counters.sm.blocks, 64);
    // 64 blocks of 4 warps, each with one load and one store of a whole line.
    assert_eq!(counters.l1.row(AccessKind::GlobalRead).accesses(), 256);
    assert_eq!(counters.l1.row(AccessKind::GlobalWrite).accesses(), 256);
    assert_eq!(counters.sm.warp_instructions, 256 * 12);
}

#[test]
fn local_memory_stays_in_the_l1() {
    let mut machine = gpu();
    let prepared = prepare(&mut machine, "spill", 1, 64, 20);
    let report = watch(&mut machine, &prepared);
    let l1 = &report.counters.l1;
    // Two warps, 20 turns, one line each; the first store of each warp misses and is sent on.
    assert_eq!(l1.row(AccessKind::LocalWrite).accesses(), 40);
    assert_eq!(l1.row(AccessKind::LocalRead).accesses(), 40);
    assert!(l1.row(AccessKind::LocalWrite).hits >= 36, "{:?}", l1.row(AccessKind::LocalWrite));
    assert_eq!(read(&mut machine, prepared.address, 64)[7], 7 + 20);
}

#[test]
fn a_second_launch_finds_its_lines_in_the_l2() {
    let mut machine = gpu();
    let prepared = prepare(&mut machine, "scale", 15, 256, 1);
    let cold = watch(&mut machine, &prepared).cycles;
    let warm = watch(&mut machine, &prepared).cycles;
    assert!(warm < cold, "{warm} cycles after {cold}");
}

#[test]
fn equal_runs_count_equally_and_two_machines_do_not_disturb_each_other() {
    let alone = |number| {
        let mut machine = gpu();
        let prepared = prepare(&mut machine, "scale", 30, 128, number);
        watch(&mut machine, &prepared);
        watch(&mut machine, &prepared).counters
    };
    let expected = alone(5);
    assert_eq!(alone(5), expected);
    let (mut one, mut two) = (gpu(), gpu());
    let first = prepare(&mut one, "scale", 30, 128, 5);
    let second = prepare(&mut two, "spill", 9, 64, 5);
    watch(&mut one, &first);
    watch(&mut two, &second);
    assert_eq!(watch(&mut one, &first).counters, expected);
}

#[test]
fn samples_add_up_to_the_whole() {
    let mut machine = gpu();
    let prepared = prepare(&mut machine, "scale", 200, 128, 5);
    let mut options = RunOptions { sample_every_cycles: Some(100), ..RunOptions::default() };
    let report = machine.launch_watched(&prepared.kernel, &prepared.launch, &mut options).unwrap();
    let instructions: u64 = report.samples.iter().map(|sample| sample.thread_instructions).sum();
    let cycles: u64 = report.samples.iter().map(|sample| sample.cycles).sum();
    assert_eq!((instructions, cycles), (report.thread_instructions, report.cycles));
    assert_eq!(report.blocks.len(), 200);
    assert!(report.blocks.iter().all(|span| span.start < span.end && span.end <= report.cycles));
}

#[test]
fn an_interrupted_launch_reports_what_happened_until_then() {
    let mut machine = gpu();
    let prepared = prepare(&mut machine, "spill", 400, 256, 200);
    let interrupt = AtomicBool::new(true);
    let mut told = None;
    let mut on_progress = |progress: &Progress| told = Some(*progress);
    let mut options = RunOptions {
        interrupt: Some(&interrupt),
        on_progress: Some(&mut on_progress),
        ..RunOptions::default()
    };
    let report = machine.launch_watched(&prepared.kernel, &prepared.launch, &mut options).unwrap();
    assert!(report.is_partial && report.thread_instructions > 0);
    assert_eq!(told.map(|progress| progress.blocks), Some(400));
    // The machine is ready for another launch.
    let again = prepare(&mut machine, "scale", 2, 32, 2);
    assert!(!watch(&mut machine, &again).is_partial);
}

#[test]
fn a_deadlock_says_who_waits() {
    let mut machine = gpu();
    let prepared = prepare(&mut machine, "stuck", 1, 64, 0);
    let error = machine
        .launch_watched(&prepared.kernel, &prepared.launch, &mut RunOptions::default())
        .expect_err("two warps wait for a third");
    let RunError::Deadlock(deadlock) = error else { unreachable!("{error}") };
    let text = deadlock.to_string();
    assert!(text.contains("SM 0: thread block (0, 0, 0): 2 warps run, 2 at a barrier"), "{text}");
}

#[test]
fn a_thread_block_with_too_much_shared_memory_is_refused_with_the_reason() {
    let mut machine = gpu();
    let mut prepared = prepare(&mut machine, "scale", 1, 32, 2);
    prepared.launch.dynamic_shared_bytes = 65_536;
    let error = machine.launch(&prepared.kernel, &prepared.launch).expect_err("64 KiB of 48");
    let text = error.to_string();
    assert!(text.contains("65536") && text.contains("49152"), "{text}");
}

#[test]
fn a_thread_block_with_more_registers_than_an_sm_has_runs_alone() {
    let mut machine = gpu();
    let prepared = prepare(&mut machine, "scale", 4, 1024, 2);
    machine.set_registers("scale", 64);
    watch(&mut machine, &prepared);
    let mut first = [0; 8];
    machine.copy_out(prepared.address, &mut first).unwrap();
    assert_eq!(first[4..], 2u32.to_le_bytes(), "the second word is 1 times 2");
}

/// Registers of a kernel that keeps forty values at once, compiled with these directives, in a thread block of 256 threads.
fn registers_with(directives: &str) -> RunReport {
    let loads: String = (0..40).map(|at| format!("ld.global.f32 %f{at}, [%rd1+{}];\n", 4 * at)).collect();
    let sums: String = (1..40).map(|at| format!("fma.rn.f32 %f0, %f{at}, %f{}, %f0;\n", 40 - at)).collect();
    let source = format!(
        ".version 6.0 .target sm_35 .address_size 64
         .visible .entry many(.param .u64 data) {directives} {{
         .reg .f32 %f<40>; .reg .b64 %rd<2>;
         ld.param.u64 %rd1, [data]; {loads} {sums} st.global.f32 [%rd1], %f0; ret; }}"
    );
    let mut machine = gpu();
    let module = machine.load_module(&source).unwrap();
    let address = machine.alloc(256).unwrap();
    let launch = Launch::new([1, 1, 1], [256, 1, 1], address.to_le_bytes().to_vec());
    machine.launch_watched(&module.kernels["many"], &launch, &mut RunOptions::default()).unwrap()
}

#[test]
fn directives_of_a_kernel_limit_its_registers() {
    let free = registers_with("").registers_per_thread;
    assert!((35..=63).contains(&free), "forty values in {free} registers");
    assert_eq!(registers_with(".maxnreg 20").registers_per_thread, 20);
    assert_eq!(registers_with(".maxntid 256, 1, 1 .minnctapersm 4").registers_per_thread, 32, "32768 / 1024");
    assert_eq!(registers_with(".maxntid 1024, 1, 1").registers_per_thread, 32, "32768 / 1024");
    assert_eq!(registers_with(".maxntid 256, 1, 1").registers_per_thread, free, "128 would be there");
    assert_eq!(
        registers_with(".reqntid 256, 1, 1 .minnctapersm 6").registers_per_thread,
        20,
        "21 in steps of 4"
    );
}

/// The keys of all whole numbers of a GPU.
fn number_keys(table: &toml::Table, section: &str, keys: &mut Vec<String>) {
    for (name, value) in table {
        match value {
            toml::Value::Table(inner) => number_keys(inner, &format!("{section}{name}."), keys),
            toml::Value::Integer(_) => keys.push(format!("{section}{name}")),
            _ => {}
        }
    }
}

#[test]
fn a_number_at_the_end_of_its_range_is_refused_or_runs() {
    let mut keys = Vec::new();
    let text = config::GPUS.iter().find(|preset| preset.name == "gtx480").unwrap().text;
    number_keys(&text.parse().unwrap(), "", &mut keys);
    assert!(keys.len() > 100);
    for key in keys {
        for value in [0, 1, 3] {
            let small_machine = ["sm.count=2".to_owned(), format!("{key}={value}")];
            let Ok(spec) = config::load("gtx480", &small_machine) else { continue };
            let mut machine = Gpu::new(spec);
            let prepared = prepare(&mut machine, "scale", 4, 64, 3);
            let launched =
                machine.launch_watched(&prepared.kernel, &prepared.launch, &mut RunOptions::default());
            // Other errors are kernels that do not fit, with too few registers or threads.
            if let Err(RunError::Deadlock(deadlock)) = launched {
                unreachable!("{key}={value}: {deadlock}");
            }
        }
    }
}
