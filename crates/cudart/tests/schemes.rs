//! Does a program take the same cycles, bursts and ratios as the same work through the simulator's own interface, under
//! every scheme? And do the memory controllers hear of everything that the host writes?
#![expect(clippy::unwrap_used, reason = "tests")]

use std::ffi::c_void;

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_cudart::fat_binary::Ptx;
use shrinkwarp_cudart::foreign::In;
use shrinkwarp_cudart::runtime::{
    Arguments, Context, CopyKind, HostKind, LaunchRequest, Registry, Span, Symbol,
};
use shrinkwarp_cudart::settings::Settings;
use shrinkwarp_cudart::version::RuntimeVersion;
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_machine::tables::file_text;
use shrinkwarp_sim::config::SCHEMES;
use shrinkwarp_sim::config::scheme::load_scheme;
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::scheme::{Scheme, Tables};

const MODULE: &str = include_str!("common/module.ptx");
const COUNT: u32 = 6000;
const BYTES: usize = 4 * COUNT as usize;
const GRID: [u32; 3] = [COUNT.div_ceil(64), 1, 1];

/// Words without a pattern.
fn noise(seed: u32) -> Vec<u8> {
    let next = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(*state)
    };
    let words = std::iter::repeat_with({
        let mut state = seed;
        move || next(&mut state).unwrap_or(0).rotate_left(16)
    });
    words.take(COUNT as usize).flat_map(u32::to_le_bytes).collect()
}

/// Small numbers, one after the other.
fn ramp() -> Vec<u8> {
    (0..COUNT).flat_map(u32::to_le_bytes).collect()
}

fn tables_of(scheme: &str) -> Tables {
    let codecs = load_scheme(scheme, &[]).unwrap().profiled_codecs();
    let sample = [ramp(), noise(1)].concat();
    codecs
        .iter()
        .map(|codec| {
            (codec.clone(), CodecSpec::parse(codec, BlockBytes::B128).unwrap().build(&sample).tables())
        })
        .collect()
}

/// A device as a program gets it, with the module loaded.
fn context(scheme: &str, tables: &Tables) -> (Context, Registry) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), file_text("a test".to_owned(), tables).unwrap()).unwrap();
    let settings = Settings::read(|name| match name {
        "SHRINKWARP_SCHEME" => Some(scheme.to_owned()),
        "SHRINKWARP_TABLES" => Some(file.path().to_str()?.to_owned()),
        "SHRINKWARP_VERIFY" => Some("1".to_owned()),
        _ => None,
    });
    let mut registry = Registry::default();
    registry.add_module(Ok(Ptx::new(70, MODULE.to_owned())));
    let mut context = Context::new(settings.unwrap(), RuntimeVersion::V12);
    context.modules.load_new(&registry, &mut context.machine, &mut context.host_memory);
    (context, registry)
}

fn launch(context: &mut Context, addresses: [u64; 3]) {
    let [a, b, sum] = &addresses;
    let count = COUNT;
    let arguments: [*const c_void; 4] =
        [(&raw const *a).cast(), (&raw const *b).cast(), (&raw const *sum).cast(), (&raw const count).cast()];
    let request = LaunchRequest {
        grid: GRID,
        block: [64, 1, 1],
        shared_bytes: 0,
        arguments: Arguments::Each(In::from(&arguments[0])),
        is_cooperative: false,
    };
    let prepared =
        context.prepare(&Symbol { module: 0, name: "scale_and_add".to_owned() }, &request).unwrap();
    context.run(&prepared).unwrap();
    assert!(context.fault.is_none());
}

fn by_program(scheme: &str, tables: &Tables) -> MachineCounters {
    let (mut context, _) = context(scheme, tables);
    let addresses = [0; 3].map(|_| context.alloc(BYTES as u64).unwrap());
    for (address, bytes) in addresses.iter().zip([noise(2), ramp()]) {
        let from = bytes.as_ptr() as u64;
        context.copy(*address, from, BYTES as u64, CopyKind::HostToDevice).unwrap();
    }
    launch(&mut context, addresses);
    launch(&mut context, addresses);
    context.machine.counters().unwrap()
}

fn by_simulator(scheme: &str, tables: &Tables) -> MachineCounters {
    let scheme = Scheme::build(load_scheme(scheme, &[]).unwrap(), tables, true).unwrap();
    let mut gpu = Gpu::with_scheme(shrinkwarp_sim::config::load("gtx480", &[]).unwrap(), scheme);
    let module = gpu.load_module(MODULE).unwrap();
    let mut parameters: Vec<u8> = Vec::new();
    for content in [Some(noise(2)), Some(ramp()), None] {
        let address = gpu.alloc(BYTES as u64).unwrap();
        parameters.extend(address.to_le_bytes());
        if let Some(content) = content {
            gpu.copy_in(address, &content).unwrap();
        }
    }
    parameters.extend(COUNT.to_le_bytes());
    let launch = Launch::new(GRID, [64, 1, 1], parameters);
    for _ in 0..2 {
        gpu.launch(&module.kernels["scale_and_add"], &launch).unwrap();
    }
    gpu.machine_counters()
}

#[test]
fn a_program_and_the_same_work_count_alike_under_every_scheme() {
    for scheme in SCHEMES {
        let tables = tables_of(scheme.name);
        let (program, work) = (by_program(scheme.name, &tables), by_simulator(scheme.name, &tables));
        assert_eq!(program, work, "{}", scheme.name);
    }
}

#[test]
fn random_words_that_the_host_copies_are_not_compressed() {
    let memory = by_program("bdi-memory", &Tables::new()).compression.memory;
    let noise_blocks = BYTES.div_ceil(128) as u64;
    assert!(memory.host_copies.compressions >= 2 * noise_blocks, "{memory:?}");
    assert!(memory.host_copies.raw_blocks >= noise_blocks, "{memory:?}");
}

/// Every way of writing device memory: with verification on, a launch finds a block that was not stored.
#[test]
fn the_controllers_hear_of_every_kind_of_host_write() {
    let (mut context, _) = context("bdi-memory", &Tables::new());
    let content = noise(3);
    let from = content.as_ptr() as u64;
    let bytes = BYTES as u64;
    let [linear, pitched, copied, filled, sum] = [0; 5].map(|_| context.alloc(bytes).unwrap());
    context.copy(linear, from, bytes, CopyKind::Default).unwrap();
    let [to, rows] = [Span::plane(pitched, 256), Span::plane(from, 100)];
    context.copy_rows(to, rows, [100, 10, 1], CopyKind::HostToDevice).unwrap();
    context.copy(copied, linear, bytes, CopyKind::DeviceToDevice).unwrap();
    context.fill_rows(Span::plane(filled, 512), 7, [500, 3, 1]).unwrap();
    let stores = context.modules.variable(&Symbol { module: 0, name: "stores".to_owned() }).unwrap().address;
    context.copy(stores, from, 4, CopyKind::HostToDevice).unwrap();
    let before = context.machine.counters().unwrap().compression.memory.host_copies.compressions;
    let shared = [HostKind::Pinned, HostKind::Managed].map(|kind| {
        let memory = context.machine.memory_mut();
        let address = context.host_memory.alloc(memory, bytes, kind).unwrap();
        context.copy(address, from, bytes, CopyKind::HostToHost).unwrap();
        address
    });
    launch(&mut context, [shared[0], shared[1], sum]);
    let after = context.machine.counters().unwrap().compression.memory.host_copies.compressions;
    assert_eq!(
        after - before,
        2 * bytes.div_ceil(128),
        "the launch stores what was written to shared memory"
    );
    launch(&mut context, [linear, copied, sum]);
    let again = context.machine.counters().unwrap().compression.memory.host_copies.compressions;
    assert_eq!(again, after, "and does not store it again");
}

#[test]
fn a_block_that_was_not_stored_is_found_by_verification() {
    let (mut context, _) = context("bdi-memory", &Tables::new());
    let addresses = [0; 3].map(|_| context.alloc(BYTES as u64).unwrap());
    // Past the controllers.
    context.machine.memory().copy_in(addresses[0], &noise(4)).unwrap();
    let arguments: [*const c_void; 1] = [(&raw const addresses[2]).cast()];
    let request = LaunchRequest {
        grid: [1; 3],
        block: [1; 3],
        shared_bytes: 0,
        arguments: Arguments::Each(In::from(&arguments[0])),
        is_cooperative: false,
    };
    let prepared = context.prepare(&Symbol { module: 0, name: "store_at".to_owned() }, &request).unwrap();
    context.run(&prepared).unwrap();
    assert!(context.fault.is_some(), "the launch is told that the block at the first address is stale");
}
