//! Compression in the memory controllers: does a block cost what its encoding says, is every burst accounted for, does
//! only the clock notice?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{Bench, run_case, scheme_with, scramble, try_send, words};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::{self, CodecSpec, ENTRIES};
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::calibrate::case_named;
use shrinkwarp_sim::calibrate::cases::PATHS_PTX;
use shrinkwarp_sim::config::{self, GpuSpec};
use shrinkwarp_sim::counters::{DramCounters, MachineCounters, MemoryCompressionCounters};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::run::RunOptions;
use shrinkwarp_sim::scheme::Scheme;
use shrinkwarp_sim::{AccessKind, Cycle, Packet};

const BLOCK: u64 = 128;

fn gpu_spec() -> GpuSpec {
    config::load("e2mc-gtx580-192", &[]).unwrap()
}

/// A bench with blocks that the host has filled.
struct FilledBench {
    bench: Bench,
    /// First of the blocks.
    start: u64,
}

impl FilledBench {
    /// Block `n` has the bytes of `contents(n)`.
    fn new(scheme: &Scheme, blocks: u64, contents: impl Fn(u64) -> [u8; 128]) -> Self {
        let mut memory = Memory::default();
        let start = memory.alloc(blocks * BLOCK).unwrap();
        for block in 0..blocks {
            memory.copy_in(start + block * BLOCK, &contents(block)).unwrap();
        }
        let mut bench = Bench::new(&gpu_spec(), scheme, memory);
        bench.side.store_from_host(start, blocks * BLOCK, &bench.memory);
        Self { bench, start }
    }

    /// Sends all `packets`, as many in a cycle as find room, and waits until nothing moves. Returns core cycles.
    fn serve(&mut self, packets: impl IntoIterator<Item = Packet>) -> u64 {
        let mut rest = packets.into_iter().peekable();
        let (begin, mut answers, mut asked) = (self.bench.cycles(), 0, 0);
        while rest.peek().is_some() || !self.bench.side.is_empty() {
            self.bench.core_cycle(
                |_, _| answers += 1,
                |side, now| {
                    for sm in 0..16 {
                        let Some(&packet) = rest.peek() else { return };
                        if try_send(side, Packet { sm, born: now, ..packet }) {
                            asked += 1;
                            rest.next();
                        }
                    }
                },
            );
        }
        assert_eq!(answers, asked, "every access is answered");
        self.bench.cycles() - begin
    }

    fn read(&self, block: u64) -> Packet {
        Packet::new(AccessKind::GlobalRead, self.start + block * BLOCK, 128, 0, Cycle(0))
    }

    fn write(&self, block: u64, offset: u64, bytes: u16) -> Packet {
        let address = self.start + block * BLOCK + offset;
        Packet::new(AccessKind::GlobalWrite, address, bytes, 0, Cycle(0))
    }

    fn dram(&self) -> DramCounters {
        self.bench.side.counters().dram
    }

    fn counters(&self) -> MemoryCompressionCounters {
        self.bench.side.compression_counters().memory
    }
}

/// Blocks of every size that there is: more and more of their words are random.
fn mixed(block: u64) -> [u8; 128] {
    words(block, (block % 33) as usize)
}

/// DRAM's commands are those of the blocks, of their metadata and of merges, each sort by itself.
fn assert_conserved(bench: &FilledBench) {
    let (dram, counters) = (bench.dram(), bench.counters());
    assert_eq!(dram.read_commands + dram.write_allocate_read_commands, counters.reads.bursts);
    assert_eq!(
        dram.write_commands + dram.writeback_commands,
        counters.writes.bursts + counters.partial_write_bursts
    );
    assert_eq!(dram.metadata_read_commands, counters.metadata_read_bursts);
    assert_eq!(dram.metadata_write_commands, counters.metadata_write_bursts);
    assert_eq!(dram.merge_read_commands, counters.merge_reads.bursts);
    assert_eq!(dram.all_read_commands() + dram.all_write_commands(), counters.all_bursts());
}

#[test]
fn reads_move_the_bursts_that_the_sizes_of_their_blocks_say() {
    let blocks = 2000;
    let mut bench = FilledBench::new(&scheme_with("none", &["memory.codec=fpc"]), blocks, mixed);
    let reads: Vec<_> = (0..blocks).map(|block| bench.read(block)).collect();
    bench.serve(reads);
    let codec = registry::build("fpc", BlockBytes::B128, &[]).unwrap();
    let bursts_of = |bits: u32| match bits.div_ceil(8) {
        0..=32 => 1,
        33..=64 => 2,
        65..=96 => 3,
        _ => 4,
    };
    let expected: Vec<u64> = (0..blocks).map(|block| bursts_of(codec.size_bits(&mixed(block)))).collect();
    assert!([1, 2, 3, 4].iter().all(|bursts| expected.contains(bursts)));
    assert_eq!(bench.dram().read_commands, expected.iter().sum::<u64>());
    // The host's copies left the metadata in the cache.
    assert_eq!((bench.counters().metadata_hits, bench.counters().metadata_misses), (blocks, 0));
    assert_conserved(&bench);
}

#[test]
fn a_mix_of_reads_and_writes_loses_no_burst_and_no_answer() {
    // A cache of one set, so that metadata come and go.
    let small = [
        "memory.codec=bdi",
        "memory.metadata_cache_kib=1",
        "memory.metadata_cache_ways=16",
        "memory.metadata_line_bytes=64",
    ];
    let blocks = 60_000;
    let mut bench = FilledBench::new(&scheme_with("none", &small), blocks, mixed);
    let packets: Vec<_> = (0..6000)
        .map(|n| {
            let block = scramble(n) % blocks;
            match n % 4 {
                0 => bench.write(block, 0, 128),
                1 => bench.write(block, 32, 32),
                _ => bench.read(block),
            }
        })
        .collect();
    bench.serve(packets);
    let counters = bench.counters();
    assert!(
        counters.metadata_misses > 0 && counters.merge_reads.blocks > 0 && counters.partial_write_bursts > 0
    );
    assert_conserved(&bench);
    assert_eq!(bench.bench.side.mismatch(), None);
}

#[test]
fn a_codec_that_never_shrinks_and_takes_no_time_changes_no_cycle() {
    let random = |block| words(block, 32);
    let idle = ["memory.codec=bdi", "memory.compress_cycles=0", "memory.decompress_cycles=0"];
    let cycles = [Scheme::none(), scheme_with("none", &idle)].map(|scheme| {
        let mut bench = FilledBench::new(&scheme, 3000, random);
        let packets: Vec<_> = (0..4000)
            .map(|n| match n % 3 {
                0 => bench.write(scramble(n) % 3000, 0, 128),
                1 => bench.write(scramble(n) % 3000, 64, 32),
                _ => bench.read(scramble(n) % 3000),
            })
            .collect();
        bench.serve(packets)
    });
    assert_eq!(cycles[0], cycles[1]);
}

#[test]
fn a_lone_read_waits_for_its_decompression() {
    let round_trip = |cycles: u32| {
        let latency = format!("memory.decompress_cycles={cycles}");
        let mut bench =
            FilledBench::new(&scheme_with("none", &["memory.codec=bdi", &latency]), 1, |_| [0; 128]);
        let read = bench.read(0);
        bench.serve([read])
    };
    // 122 DRAM cycles at 1,002 MHz are 100 core cycles at 822.
    let added = round_trip(122) - round_trip(0);
    assert!((99..=101).contains(&added), "{added} core cycles");
}

#[test]
fn a_single_decompressor_is_the_limit_when_it_is_slow() {
    let blocks = 1200;
    let cycles = |units: u32| {
        let units = format!("memory.decompressors={units}");
        let slow = ["memory.codec=bdi", "memory.decompress_cycles=40", &units];
        let mut bench = FilledBench::new(&scheme_with("none", &slow), blocks, |_| [0; 128]);
        let reads: Vec<_> = (0..blocks).map(|block| bench.read(block)).collect();
        bench.serve(reads)
    };
    // 100 blocks for each of twelve channels, 40 DRAM cycles each, in core cycles.
    let limit = 100 * 40 * 822 / 1002;
    assert!(cycles(1) > limit, "{} cycles", cycles(1));
    assert!(cycles(8) < limit / 2, "{} cycles", cycles(8));
}

#[test]
fn a_metadata_miss_is_a_request_of_its_own() {
    let mut bench = FilledBench::new(&scheme_with("none", &["memory.codec=bdi"]), 1, |_| [0; 128]);
    // 200 lines of metadata further on nothing has been written: blocks there are raw, their metadata in DRAM.
    let far = bench.read(200 * 128 * 12);
    let near = bench.read(0);
    let hit_cycles = bench.serve([near]);
    let miss_cycles = bench.serve([far]);
    let dram = bench.dram();
    assert_eq!((dram.metadata_read_commands, dram.read_commands), (1, 1 + 4));
    // The block is requested when its metadata are here: at least an activate and a column command later.
    assert!(miss_cycles > hit_cycles + 20, "{miss_cycles} and {hit_cycles}");
    assert_eq!((bench.counters().metadata_hits, bench.counters().metadata_misses), (1, 1));
}

#[test]
fn a_part_written_into_a_compressed_block_reads_merges_and_writes() {
    let mut bench = FilledBench::new(&scheme_with("none", &["memory.codec=bdi"]), 2, |block| {
        words(block, 32 * block as usize)
    });
    let (into_zeros, into_random) = (bench.write(0, 32, 32), bench.write(1, 32, 32));
    bench.serve([into_zeros]);
    // Zeros take one burst: one to read, one to write, one that the L2 fetches.
    let dram = bench.dram();
    assert_eq!((dram.merge_read_commands, dram.write_commands, dram.write_allocate_read_commands), (1, 1, 1));
    bench.serve([into_random]);
    // A raw block takes the part as it is; the L2 fetches all four bursts.
    let dram = bench.dram();
    assert_eq!((dram.merge_read_commands, dram.write_commands, dram.write_allocate_read_commands), (1, 2, 5));
    assert_eq!(bench.counters().partial_writes, 2);
}

#[test]
fn a_block_that_is_written_whole_takes_its_new_size() {
    let mut bench =
        FilledBench::new(&scheme_with("none", &["memory.codec=bdi"]), 1, |block| words(block, 32));
    bench.bench.memory.fill(bench.start, 0, 128).unwrap();
    let write = bench.write(0, 0, 128);
    bench.serve([write]);
    let dram = bench.dram();
    assert_eq!((dram.write_commands, dram.write_allocate_read_commands, dram.merge_read_commands), (1, 1, 0));
}

#[test]
fn as_in_the_paper_a_write_of_a_part_reads_nothing() {
    let options = ["memory.codec=bdi", "memory.partial_writes=as_paper"];
    let mut bench = FilledBench::new(&scheme_with("none", &options), 1, |_| [0; 128]);
    let write = bench.write(0, 0, 32);
    bench.serve([write]);
    let (dram, compression) = (bench.dram(), bench.counters());
    assert_eq!((dram.write_commands, dram.merge_read_commands), (1, 0));
    assert_eq!((compression.partial_writes, compression.partial_write_bursts), (1, 1));
}

/// Each thread walks an array of 96 floats: 1.4 MB of local memory, twice the L2.
fn walk_local_memory(local_blocks: &str) -> MachineCounters {
    let local_blocks = format!("memory.local_blocks={local_blocks}");
    let options = ["memory.codec=bdi", "memory.partial_writes=merge", &local_blocks];
    let mut gpu = Gpu::with_scheme(gpu_spec(), scheme_with("none", &options));
    let module = gpu.load_module(PATHS_PTX).unwrap();
    let (seed, out) = (gpu.alloc(4 * 3840).unwrap(), gpu.alloc(4 * 3840).unwrap());
    let mut parameters = seed.to_le_bytes().to_vec();
    parameters.extend(out.to_le_bytes());
    parameters.extend(2u32.to_le_bytes());
    let launch = Launch::new([60, 1, 1], [64, 1, 1], parameters);
    gpu.launch_watched(&module.kernels["local_walk"], &launch, &mut RunOptions::default()).unwrap().counters
}

#[test]
fn local_memory_is_compressed_and_counted() {
    let counters = walk_local_memory("compressed");
    assert!(counters.l1.row(AccessKind::LocalWrite).accesses() > 10_000);
    // All lanes of a warp have the same seed and so the same values: every block of local memory is one word, 32 times.
    let memory = &counters.compression.memory;
    assert!(memory.writes.blocks > 5000, "{:?}", memory.writes);
    assert!(memory.writes.compressed_blocks * 10 > memory.writes.blocks * 9, "{:?}", memory.writes);
    assert!(memory.reads.bursts * 2 < memory.reads.raw_bursts, "{:?}", memory.reads);
}

#[test]
fn local_memory_can_stay_raw() {
    let counters = walk_local_memory("raw");
    let memory = &counters.compression.memory;
    let blocks = memory.writes.blocks + memory.reads.blocks;
    assert!(memory.other_bursts > 20_000 && blocks < 1000, "{memory:?}");
}

#[test]
fn every_codec_gives_every_block_back_and_the_kernel_its_results() {
    for entry in ENTRIES {
        if CodecSpec::parse(entry.name, BlockBytes::B128).is_err() {
            continue;
        }
        let codec = format!("memory.codec={}", entry.name);
        let (is_right, _, counters) = run_case("vecadd", gpu_spec(), scheme_with("none", &[&codec]));
        let memory = counters.compression.memory;
        assert!(is_right, "{}", entry.name);
        assert!(memory.codec.compressions > 0 && memory.host_copies.compressions > 0, "{}", entry.name);
    }
}

#[test]
fn two_runs_are_identical() {
    let run = || run_case("gather_l2", gpu_spec(), scheme_with("none", &["memory.codec=bpc"]));
    let ((_, first, counters), (_, second, again)) = (run(), run());
    assert_eq!((first, counters), (second, again));
}

#[test]
fn online_tables_leave_memory_raw_until_the_sample_is_complete() {
    let online = |instructions: &str| {
        let online = ["memory.codec=e2mc16:ways=4", "memory.tables=online", instructions];
        run_case("vecadd", gpu_spec(), scheme_with("none", &online)).2.compression.memory
    };
    let never = online("memory.sample_instructions=1000000000");
    assert_eq!((never.codec.compressions, never.host_copies.compressions), (0, 0));
    assert_eq!(never.asked().compressed_blocks, 0);
    assert_eq!(never.metadata_hits + never.metadata_misses, 0);
    let soon = online("memory.sample_instructions=100000");
    // What the host had copied in stays raw; what the kernel writes later is compressed.
    assert_eq!(soon.host_copies.compressions, 0);
    assert!(soon.codec.compressions > 0 && soon.writes.compressed_blocks > 0);
}

#[test]
fn blocks_from_before_the_sample_ends_count_as_compressed_where_the_scheme_says_so() {
    let online = |earlier: &str| {
        let options = [
            "memory.codec=e2mc16:ways=4",
            "memory.tables=online",
            "memory.sample_instructions=100000",
            &format!("memory.blocks_before_sample={earlier}"),
        ];
        run_case("vecadd", gpu_spec(), scheme_with("none", &options)).2.compression.memory
    };
    let (raw, compressed) = (online("raw"), online("compressed"));
    assert_eq!(raw.host_copies.compressions, 0);
    // What the host had copied is most of what is read; each block of it is shown to the codec at most once.
    assert!(compressed.reads.compressed_blocks > 2 * raw.reads.compressed_blocks);
    assert!(compressed.reads.bursts < raw.reads.bursts);
    let shown = compressed.host_copies.compressions;
    assert!(shown > 0 && shown <= compressed.reads.blocks + compressed.writes.blocks);
}

#[test]
fn freshly_allocated_memory_is_compressed_zeros() {
    let mut bench = FilledBench::new(&scheme_with("none", &["memory.codec=bdi"]), 1, |_| [0; 128]);
    let fresh = bench.bench.memory.alloc(128).unwrap();
    bench.bench.side.clear(fresh, 128);
    let read = Packet { address: fresh, ..bench.read(0) };
    bench.serve([read]);
    assert_eq!(bench.dram().read_commands, 1);
}

#[test]
fn what_the_host_copies_after_the_sample_is_compressed() {
    let online = ["memory.codec=e2mc16", "memory.tables=online", "memory.sample_instructions=1000"];
    let case = case_named("vecadd").unwrap();
    let mut gpu = Gpu::with_scheme(gpu_spec(), scheme_with("none", &online));
    let prepared = case.prepare(&mut gpu).unwrap();
    gpu.launch(&prepared.kernel, &prepared.launch).unwrap();
    let address = gpu.alloc(1280).unwrap();
    gpu.copy_in(address, &[0; 1280]).unwrap();
    assert_eq!(gpu.machine_counters().compression.memory.host_copies.compressions, 10);
}
