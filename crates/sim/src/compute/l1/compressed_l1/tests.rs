//! What does the cache do with accesses, and at the boundaries of phases and periods?

use shrinkwarp_emu::memory::GLOBAL_START;

use super::*;
use crate::base::{AccessKind, Allocate, SetIndex, WritePolicy};
use crate::config::load_scheme;
use crate::scheme::{Scheme, Tables};

const SETS: u64 = 32;

/// The paper's L1D.
const SPEC: CacheSpec = CacheSpec {
    sets: SETS as usize,
    ways: 4,
    line_bytes: 128,
    sector_bytes: 128,
    set_index: SetIndex::Linear,
    allocate: Allocate::OnMiss,
    write_policy: WritePolicy::EvictGlobalKeepLocal,
    mshr_entries: 32,
    mshr_merges: 8,
    miss_queue_entries: 8,
    data_port_bytes: 128,
    modified_percent: 0,
    writeback_kind: AccessKind::L1Writeback,
};

/// A cache in front of a memory that answers at once.
struct Bench {
    l1: CompressedL1,
    memory: Memory,
    first_block: u64,
    meter: ToleranceMeter,
    now: Cycle,
}

/// The L1s of one machine have this.
fn machine(scheme: &str, overrides: &[&str]) -> L1Compression {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let spec = load_scheme(scheme, &overrides).unwrap();
    Scheme::build(spec, &Tables::new(), true).unwrap().l1.unwrap().for_new_machine()
}

impl Bench {
    fn new(scheme: &str, overrides: &[&str]) -> Self {
        Self::of(0, &machine(scheme, overrides))
    }

    fn of(sm: u16, compression: &L1Compression) -> Self {
        let mut memory = Memory::starting_at(GLOBAL_START);
        // Whole rounds of the sets, so that block 0 lies in set 0.
        let base = memory.alloc(2 << 20).unwrap();
        let first_block = base.next_multiple_of(128 * SETS);
        let l1 = CompressedL1::new(sm, SPEC, 1, compression);
        Self { l1, memory, first_block, meter: ToleranceMeter::new(true), now: Cycle(0) }
    }

    fn address(&self, block: u64) -> u64 {
        self.first_block + 128 * block
    }

    fn write_words(&mut self, block: u64, word: impl Fn(u32) -> u32) {
        let bytes: Vec<u8> = (0..32).flat_map(|index| word(index).to_le_bytes()).collect();
        self.memory.copy_in(self.address(block), &bytes).unwrap();
    }

    /// Reads a block when the decompressor is idle; a miss is answered 100 cycles later. Returns the outcome and
    /// whether a hit had its data.
    fn read(&mut self, block: u64) -> (AccessOutcome, bool) {
        self.now += 50;
        let mut load = None;
        while self.l1.step(&mut load, self.now, &self.memory) == Progress::Moved {}
        let packet = Packet::new(AccessKind::GlobalRead, self.address(block), 128, 0, self.now);
        let L1Access { access, is_data_ready } = self.l1.access(&packet, self.now, &mut self.meter);
        self.answer();
        (access.outcome, is_data_ready)
    }

    fn read_each(&mut self, blocks: impl IntoIterator<Item = u64>) {
        for block in blocks {
            self.read(block);
        }
    }

    fn store(&mut self, block: u64) {
        self.now += 1;
        let packet = Packet::new(AccessKind::GlobalWrite, self.address(block), 128, 0, self.now);
        self.l1.access(&packet, self.now, &mut self.meter);
        self.answer();
    }

    fn answer(&mut self) {
        while let Some(miss) = self.l1.cache.pop_miss() {
            self.now += 100;
            if !miss.is_write() {
                self.l1.fill(&miss.into_reply(), self.now, &self.memory);
                self.l1.cache.pop_ready();
            }
        }
    }

    /// The mode and the sub-blocks of a block that is here.
    fn kept(&mut self, block: u64) -> (Mode, u16) {
        let packet = Packet::new(AccessKind::GlobalRead, self.address(block), 128, 0, self.now);
        let line = self.l1.cache.access(&packet, self.now).line.unwrap();
        (self.l1.cache.lines().mode(line), self.l1.cache.lines().form(line).sub_blocks)
    }
}

#[test]
fn a_hit_of_a_compressed_line_waits_and_one_of_a_raw_line_does_not() {
    let mut bench = Bench::new("static-bdi", &[]);
    bench.write_words(1, |index| index.wrapping_mul(0x9e37_79b9));
    assert_eq!(bench.read(0), (AccessOutcome::Miss, true));
    assert_eq!(bench.read(1), (AccessOutcome::Miss, true));
    assert_eq!(bench.read(0), (AccessOutcome::Hit, false), "zeros are compressed");
    assert_eq!(bench.read(1), (AccessOutcome::Hit, true), "noise is not");
    assert_eq!(bench.kept(0), (Mode(1), 1));
    assert_eq!(bench.kept(1), (Mode(1), 4));
    let counters = bench.l1.counters();
    assert_eq!((counters.modes[1].hits, counters.modes[1].decompressed_hits), (2, 1));
    assert_eq!(counters.decompression_wait_cycles, 2);
    // Two compressions of 192 pJ and a decompression of 56 pJ.
    assert_eq!(counters.energy_pj(), 2 * 192 + 56);
    assert_eq!(bench.l1.mismatch(), None);
}

#[test]
fn hits_of_the_sectors_of_a_block_share_its_decompression_unless_told_otherwise() {
    // BDI takes 2 cycles for a block: four hits at once wait 2 cycles each, or 2, 4, 6 and 8.
    for (joined_hits, decompressions, wait_cycles) in [("sectors", 1, 8), ("always", 1, 8), ("never", 4, 20)]
    {
        let change = format!("l1.joined_hits={joined_hits}");
        let mut bench = Bench::new("static-bdi", &[&change]);
        let spec = CacheSpec { sector_bytes: 32, ..SPEC };
        bench.l1 = CompressedL1::new(0, spec, 1, &machine("static-bdi", &[&change]));
        let mut read_sectors = |now: u64| {
            bench.now = Cycle(now);
            for sector in 0..4 {
                let address = bench.address(0) + 32 * sector;
                let packet = Packet::new(AccessKind::GlobalRead, address, 32, 0, bench.now);
                bench.l1.access(&packet, bench.now, &mut bench.meter);
                bench.answer();
            }
        };
        read_sectors(0);
        read_sectors(1000);
        let counters = bench.l1.counters();
        assert_eq!(counters.modes[1].decompressed_hits, 4, "{joined_hits}");
        assert_eq!(counters.modes[1].codec.decompressions, decompressions, "{joined_hits}");
        assert_eq!(counters.decompression_wait_cycles, wait_cycles, "{joined_hits}");
    }
}

#[test]
fn a_block_that_a_store_made_grow_is_fetched_anew() {
    let mut bench = Bench::new("static-bdi", &[]);
    bench.read(0);
    assert_eq!(bench.kept(0), (Mode(1), 1));
    bench.write_words(0, |index| 1000 * index);
    bench.store(0);
    assert_eq!(bench.read(0).0, AccessOutcome::Miss, "write-evict");
    // Differences of 16 bits: a base of 4 bytes, deltas of 2, so 68 bytes and a header.
    assert_eq!(bench.kept(0), (Mode(1), 3));
}

#[test]
fn an_ep_ends_with_the_choice_of_what_its_dedicated_sets_saw() {
    // 24 accesses: 8 in a set of each mode. Sets 0, 1 and 2 are dedicated to none, BDI and BPC.
    let mut bench = Bench::new("latte-bdi-bpc", &["l1.phase_accesses=24"]);
    for turn in 0..8 {
        bench.read(SETS * turn);
        bench.read(1);
        bench.read(SETS * (turn % 4) + 2);
    }
    let record = bench.l1.record();
    let [phase] = record.phases[..] else { unreachable!("one EP: {record:?}") };
    assert!(phase.is_learning && phase.mode == 0, "nothing was known before");
    assert!((phase.miss_cycles - 100.0).abs() < 1e-9);
    // No warp could issue, so nothing is hidden. none: 8 misses. BDI: 1 miss, 7 hits of 1 + 2 cycles.
    // BPC: 4 misses, 4 hits of 1 + 11 cycles.
    assert_eq!(phase.tolerance_cycles, Some(0.0));
    let expected = [100.0, (100.0 + 7.0 * 3.0) / 8.0, (400.0 + 4.0 * 12.0) / 8.0];
    for (amat, expected) in phase.amat_cycles.iter().zip(expected) {
        assert!((amat.unwrap() - expected).abs() < 1e-9, "{:?}", phase.amat_cycles);
    }
    // From now on every set follows BDI, also those of the other modes.
    bench.read(SETS * 100);
    bench.read(SETS * 100 + 5);
    assert_eq!((bench.kept(SETS * 100).0, bench.kept(SETS * 100 + 5).0), (Mode(1), Mode(1)));
}

#[test]
fn hits_count_one_ep_longer_than_insertions() {
    let mut bench = Bench::new("adaptive-hit-count", &["l1.phase_accesses=4", "l1.modes=[\"bdi\", \"bpc\"]"]);
    // Learning: one insertion each in sets of BDI and BPC, and a hit of BPC's.
    bench.read_each([1, 2, 2, 9]);
    assert_eq!(bench.l1.policy.winner(), Mode(2));
    // One EP later two hits of BDI's line turn the choice; new insertions count no more.
    bench.read_each([1, 1, 9, SETS + 1]);
    assert_eq!(bench.l1.policy.winner(), Mode(1));
    // Later hits say nothing.
    bench.read_each([2, 2, 2, 2]);
    assert_eq!(bench.l1.policy.winner(), Mode(1));
}

#[test]
fn sc_gets_a_code_after_the_first_ep_and_a_new_one_in_each_period() {
    let mut bench = Bench::new("static-sc", &["l1.phase_accesses=4", "l1.period_phases=2"]);
    for block in 0..16 {
        bench.write_words(block, |_| 7);
        bench.write_words(100 + block, |_| 9);
    }
    bench.read_each(0..4);
    assert_eq!(bench.l1.counters().codes_made, 1, "after the warm-up");
    assert_eq!(bench.kept(0), (Mode(1), 4), "blocks of the warm-up are raw");
    // The first EP of the period compresses sevens; the last, nines: they are escapes.
    bench.read_each([4, 5, 6, 4]);
    assert_eq!(bench.kept(4), (Mode(1), 1));
    bench.read_each(100..104);
    let counters = bench.l1.counters();
    // Block 3 asked in the warm-up and arrived after it, so that blocks 3 to 6 are under the old code.
    assert_eq!((counters.codes_made, counters.outdated_lines), (2, 4), "the new period's code knows nines");
    assert_eq!(bench.read(4).0, AccessOutcome::Miss, "its code is gone");
    assert_eq!(bench.read(104).0, AccessOutcome::Miss);
    assert_eq!(bench.kept(104), (Mode(1), 1));
    assert_eq!(bench.kept(4), (Mode(1), 4), "sevens are escapes now");
    assert_eq!(bench.l1.mismatch(), None);
}

#[test]
fn the_oracle_changes_its_mode_with_the_kernel() {
    let mut bench = Bench::new("kernel-opt", &["l1.kernel_modes=\"relax=bdi\""]);
    bench.l1.start_kernel("relax");
    bench.read(0);
    bench.l1.start_kernel("unknown");
    bench.read(1);
    assert_eq!((bench.kept(0), bench.kept(1)), ((Mode(1), 1), (Mode::RAW, 4)));
}

#[test]
fn l1s_of_a_gpu_share_a_code_unless_told_otherwise() {
    for (scope, is_shared) in [("gpu", true), ("l1", false)] {
        let scope = format!("l1.code_scope={scope}");
        let machine = machine("static-sc", &["l1.phase_accesses=4", "l1.period_phases=2", &scope]);
        let mut benches = [Bench::of(0, &machine), Bench::of(1, &machine)];
        for bench in &mut benches {
            (0..16).for_each(|block| bench.write_words(block, |_| 7));
        }
        // The first L1 ends its warm-up, and the only code of the first period is made.
        benches[0].read_each(0..5);
        benches[1].read_each(0..2);
        let kept = benches.each_mut().map(|bench| bench.kept(1).1);
        assert_eq!(benches[0].kept(4), (Mode(1), 1));
        assert_eq!(kept, if is_shared { [4, 1] } else { [4, 4] }, "{scope}");
        // The second one's own warm-up makes no other code where one is shared.
        benches[1].read_each(2..4);
        let made = benches.each_ref().map(|bench| bench.l1.counters().codes_made);
        assert_eq!(made, if is_shared { [1, 0] } else { [1, 1] }, "{scope}");
        assert!(benches.iter().all(|bench| bench.l1.mismatch().is_none()));
    }
}

#[test]
fn a_new_code_makes_lines_of_all_l1s_outdated() {
    let machine = machine("static-sc", &["l1.phase_accesses=4", "l1.period_phases=2"]);
    let mut benches = [Bench::of(0, &machine), Bench::of(1, &machine)];
    // Zeros: the first code is there after four accesses of the first L1, and the second L1 compresses a line with it.
    benches[0].read_each(0..4);
    benches[1].read(9);
    assert_eq!(benches[1].kept(9), (Mode(1), 1));
    // A whole period later the code changes; the second L1 sees it with its next access.
    benches[0].read_each(4..12);
    assert_eq!(benches[0].l1.counters().codes_made, 2);
    assert_eq!(benches[1].read(9).0, AccessOutcome::Miss);
    assert_eq!(benches[1].l1.counters().outdated_lines, 1);
}

#[test]
fn with_plain_capacity_every_hit_waits_and_a_set_holds_its_ways() {
    let overrides = ["l1.capacity=plain", "l1.decompress_cycles=9"];
    let mut bench = Bench::new("static-bdi", &overrides);
    bench.write_words(0, |index| index.wrapping_mul(0x9e37_79b9));
    bench.read(0);
    assert_eq!(bench.read(0), (AccessOutcome::Hit, false), "noise waits, too");
    assert_eq!(bench.l1.counters().decompression_wait_cycles, 9);
    bench.read_each((1..5).map(|turn| SETS * turn));
    assert_eq!(bench.read(0).0, AccessOutcome::Miss, "four zero blocks fill the set");
}
