//! Does each policy do what its row says, and does a failing access change nothing?

use super::*;
use crate::base::SetIndex;

const L1D: CacheSpec = CacheSpec {
    sets: 2,
    ways: 2,
    line_bytes: 128,
    sector_bytes: 128,
    set_index: SetIndex::Linear,
    allocate: Allocate::OnMiss,
    write_policy: WritePolicy::EvictGlobalKeepLocal,
    mshr_entries: 3,
    mshr_merges: 2,
    miss_queue_entries: 8,
    data_port_bytes: 128,
    modified_percent: 0,
    writeback_kind: AccessKind::L1Writeback,
};

const L2: CacheSpec = CacheSpec {
    write_policy: WritePolicy::WriteBackAllocate,
    miss_queue_entries: 4,
    data_port_bytes: 32,
    writeback_kind: AccessKind::L2Writeback,
    ..L1D
};

fn read(address: u64) -> Packet {
    Packet::new(AccessKind::GlobalRead, address, 32, 0, Cycle(0))
}

fn write(address: u64) -> Packet {
    Packet::new(AccessKind::GlobalWrite, address, 32, 0, Cycle(0))
}

/// Sends everything down and fills what was read.
fn serve(cache: &mut Cache, now: u64) -> Vec<Packet> {
    let mut sent = Vec::new();
    while let Some(request) = cache.pop_miss() {
        if !request.is_write() {
            cache.fill(&request, Cycle(now));
        }
        sent.push(request);
    }
    sent
}

fn outcome(cache: &mut Cache, packet: Packet, now: u64) -> AccessOutcome {
    cache.access(&packet, Cycle(now)).outcome
}

#[test]
fn a_miss_asks_once_for_the_whole_line_and_serves_all_who_wait() {
    let mut cache = Cache::new(L1D);
    assert_eq!(outcome(&mut cache, read(0x020), 0), AccessOutcome::Miss);
    assert_eq!(outcome(&mut cache, read(0x040), 1), AccessOutcome::HitReserved);
    let sent = serve(&mut cache, 5);
    assert_eq!(sent.iter().map(|p| (p.address, p.bytes)).collect::<Vec<_>>(), [(0x000, 128)]);
    assert_eq!(cache.pop_ready().map(|p| p.address), Some(0x020));
    assert_eq!(cache.pop_ready().map(|p| p.address), Some(0x040));
    assert_eq!(outcome(&mut cache, read(0x060), 6), AccessOutcome::Hit);
    assert!(cache.is_idle());
}

#[test]
fn every_shortage_is_named() {
    let mut cache = Cache::new(L1D);
    for address in [0x000, 0x100] {
        assert_eq!(outcome(&mut cache, read(address), 0), AccessOutcome::Miss);
    }
    assert_eq!(
        outcome(&mut cache, read(0x200), 1),
        AccessOutcome::ReservationFail(FailReason::LineAllocation)
    );
    assert_eq!(outcome(&mut cache, read(0x010), 1), AccessOutcome::HitReserved);
    assert_eq!(outcome(&mut cache, read(0x010), 1), AccessOutcome::ReservationFail(FailReason::MshrMerges));
    assert_eq!(outcome(&mut cache, read(0x080), 1), AccessOutcome::Miss);
    assert_eq!(outcome(&mut cache, read(0x180), 1), AccessOutcome::ReservationFail(FailReason::MshrEntries));
    let mut full = Cache::new(L1D);
    for n in 0..7 {
        full.access(&write(n * 0x80), Cycle(0));
    }
    // Seven of eight places are taken; a read keeps one more free for a write-back.
    assert_eq!(outcome(&mut full, read(0x000), 1), AccessOutcome::ReservationFail(FailReason::MissQueue));
    assert_eq!(outcome(&mut full, write(0x000), 1), AccessOutcome::Miss);
    assert_eq!(outcome(&mut full, write(0x000), 1), AccessOutcome::ReservationFail(FailReason::MissQueue));
}

#[test]
fn a_global_store_evicts_its_line_from_the_l1_and_goes_on() {
    let mut cache = Cache::new(L1D);
    cache.access(&read(0x000), Cycle(0));
    serve(&mut cache, 1);
    cache.pop_ready();
    let access = cache.access(&write(0x000), Cycle(2));
    assert_eq!((access.outcome, access.is_write_forwarded), (AccessOutcome::Hit, true));
    assert_eq!(cache.pop_miss().map(|p| p.kind), Some(AccessKind::GlobalWrite));
    assert_eq!(outcome(&mut cache, read(0x000), 3), AccessOutcome::Miss);
}

#[test]
fn a_local_store_stays_and_comes_out_as_a_write_back() {
    let mut cache = Cache::new(L1D);
    cache.access(&read(0x000), Cycle(0));
    serve(&mut cache, 1);
    let local = Packet { kind: AccessKind::LocalWrite, ..write(0x000) };
    let access = cache.access(&local, Cycle(2));
    assert_eq!((access.outcome, access.is_write_forwarded), (AccessOutcome::Hit, false));
    cache.access(&read(0x100), Cycle(3));
    cache.access(&read(0x200), Cycle(4));
    let kinds: Vec<_> = serve(&mut cache, 5).iter().map(|p| (p.kind, p.address)).collect();
    assert_eq!(
        kinds,
        [(AccessKind::GlobalRead, 0x100), (AccessKind::GlobalRead, 0x200), (AccessKind::L1Writeback, 0x000)]
    );
}

#[test]
fn an_l2_write_miss_sends_the_write_and_fetches_the_line() {
    let mut cache = Cache::new(L2);
    let access = cache.access(&write(0x020), Cycle(0));
    assert_eq!((access.outcome, access.is_write_forwarded), (AccessOutcome::Miss, true));
    let kinds: Vec<_> = serve(&mut cache, 1).iter().map(|p| (p.kind, p.address, p.bytes)).collect();
    assert_eq!(kinds, [(AccessKind::GlobalWrite, 0x020, 32), (AccessKind::L2WriteAllocateRead, 0x000, 128)]);
    assert_eq!(cache.pop_ready().map(|p| p.kind), Some(AccessKind::L2WriteAllocateRead));
    // The line is clean: DRAM has the write already.
    assert_eq!(outcome(&mut cache, read(0x100), 2), AccessOutcome::Miss);
    serve(&mut cache, 3);
    outcome(&mut cache, read(0x200), 4);
    assert_eq!(cache.counters.writebacks, 0);
}

#[test]
fn an_l2_write_hit_makes_the_line_dirty() {
    let mut cache = Cache::new(L2);
    cache.access(&read(0x000), Cycle(0));
    serve(&mut cache, 1);
    let access = cache.access(&write(0x000), Cycle(2));
    assert_eq!((access.outcome, access.is_write_forwarded), (AccessOutcome::Hit, false));
    cache.access(&read(0x100), Cycle(3));
    serve(&mut cache, 4);
    cache.access(&read(0x200), Cycle(5));
    assert_eq!(cache.counters.writebacks, 1);
}

#[test]
fn an_atomic_makes_its_line_dirty_on_hit_and_on_fill() {
    let atomic = |address| Packet { is_atomic: true, ..read(address) };
    let mut cache = Cache::new(L2);
    cache.access(&atomic(0x000), Cycle(0));
    serve(&mut cache, 1);
    cache.access(&read(0x100), Cycle(2));
    serve(&mut cache, 3);
    cache.access(&atomic(0x100), Cycle(4));
    while cache.pop_ready().is_some() {}
    cache.access(&read(0x200), Cycle(5));
    serve(&mut cache, 6);
    cache.access(&read(0x300), Cycle(7));
    assert_eq!(cache.counters.writebacks, 2);
}

#[test]
fn a_hit_of_128_bytes_holds_a_32_byte_port_four_cycles() {
    let mut cache = Cache::new(L2);
    cache.access(&read(0x000), Cycle(0));
    let request = cache.pop_miss().unwrap();
    cache.fill(&request, Cycle(10));
    assert!(!cache.fill_port_is_free(Cycle(13)) && cache.fill_port_is_free(Cycle(14)));
    cache.access(&Packet { bytes: 128, ..read(0x000) }, Cycle(20));
    assert!(!cache.data_port_is_free(Cycle(23)) && cache.data_port_is_free(Cycle(24)));
}

#[test]
fn a_read_only_cache_claims_its_line_when_the_block_arrives() {
    let spec = CacheSpec { allocate: Allocate::OnFill, write_policy: WritePolicy::ReadOnly, ..L1D };
    let mut cache = Cache::new(spec);
    let fetch = |address| Packet { kind: AccessKind::InstructionRead, ..read(address) };
    assert_eq!(outcome(&mut cache, fetch(0x000), 0), AccessOutcome::Miss);
    // Nothing is reserved, so the second access is a miss too; it joins the first one's register.
    assert_eq!(outcome(&mut cache, fetch(0x000), 1), AccessOutcome::Miss);
    assert_eq!(cache.counters.row(AccessKind::InstructionRead).mshr_merges, 1);
    assert_eq!(serve(&mut cache, 2).len(), 1);
    assert_eq!(outcome(&mut cache, fetch(0x000), 3), AccessOutcome::Hit);
}

#[test]
fn a_hashed_index_folds_five_higher_bits_into_the_line_number() {
    let spec = |sets| CacheSpec { sets, set_index: SetIndex::Hashed, ..L1D };
    let set = |sets, bits: &[u32]| spec(sets).set_of(bits.iter().map(|bit| 1 << bit).sum());
    for (place, (low, high)) in [(7, 13), (8, 14), (9, 15), (10, 17), (11, 19)].into_iter().enumerate() {
        assert_eq!((set(32, &[low]), set(32, &[high]), set(32, &[low, high])), (1 << place, 1 << place, 0));
    }
    for unused in [12, 16, 18, 20, 31] {
        assert_eq!(set(32, &[unused]), 0, "bit {unused}");
    }
    assert_eq!((set(64, &[12]), set(64, &[12, 11, 19]), set(64, &[13])), (32, 32, 1));
    // A column of a matrix with rows of 4 KB: one set with a linear index, many with a hashed one.
    let sets_of = |spec: CacheSpec| {
        let mut sets: Vec<_> = (0..32).map(|row| spec.set_of(row * 4096)).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.len()
    };
    assert_eq!((sets_of(CacheSpec { sets: 32, ..L1D }), sets_of(spec(32))), (1, 8));
    // Line 127 has address bit 13, which flips its lowest bit.
    assert_eq!(spec(96).set_of(127 * 128), 126 % 96);
}

const SECTORED_L2: CacheSpec =
    CacheSpec { sector_bytes: 32, write_policy: WritePolicy::WriteBackLazily, data_port_bytes: 32, ..L2 };

const SECTORED_L1: CacheSpec =
    CacheSpec { sector_bytes: 32, write_policy: WritePolicy::WriteThroughLazily, data_port_bytes: 32, ..L1D };

#[test]
fn a_sectored_cache_asks_for_sectors_and_counts_misses_of_lines_that_are_here() {
    let mut cache = Cache::new(SECTORED_L1);
    assert_eq!(outcome(&mut cache, read(0x020), 0), AccessOutcome::Miss);
    assert_eq!(outcome(&mut cache, read(0x040), 0), AccessOutcome::SectorMiss);
    assert_eq!(outcome(&mut cache, read(0x020), 0), AccessOutcome::HitReserved);
    let sent = serve(&mut cache, 5);
    assert_eq!(sent.iter().map(|p| (p.address, p.bytes)).collect::<Vec<_>>(), [(0x020, 32), (0x040, 32)]);
    assert_eq!(outcome(&mut cache, read(0x040), 6), AccessOutcome::Hit);
    assert_eq!(outcome(&mut cache, read(0x060), 6), AccessOutcome::SectorMiss);
    let row = cache.counters.row(AccessKind::GlobalRead);
    assert_eq!((row.misses, row.sector_misses, row.accesses()), (3, 2, 5));
}

#[test]
fn a_lazy_write_miss_fetches_nothing_until_unwritten_bytes_are_read() {
    let mut cache = Cache::new(SECTORED_L2);
    let part = Packet { byte_mask: 0xff, ..write(0x000) };
    assert_eq!(outcome(&mut cache, part, 0), AccessOutcome::Miss);
    assert_eq!(outcome(&mut cache, write(0x020), 1), AccessOutcome::SectorMiss);
    assert!(cache.miss_front().is_none(), "nothing goes to DRAM");
    assert_eq!(outcome(&mut cache, read(0x020), 2), AccessOutcome::Hit, "all its bytes were written");
    assert_eq!(outcome(&mut cache, read(0x000), 3), AccessOutcome::SectorMiss);
    assert_eq!(serve(&mut cache, 4).len(), 1);
    assert_eq!(outcome(&mut cache, read(0x000), 5), AccessOutcome::Hit);
}

#[test]
fn a_line_that_leaves_writes_back_its_modified_sectors() {
    let mut cache = Cache::new(CacheSpec { ways: 1, sets: 1, ..SECTORED_L2 });
    cache.access(&read(0x040), Cycle(0));
    serve(&mut cache, 0);
    for sector in [0x000, 0x060] {
        cache.access(&write(sector), Cycle(1));
    }
    assert_eq!(outcome(&mut cache, read(0x080), 2), AccessOutcome::Miss);
    let sent = serve(&mut cache, 3);
    let back = sent.iter().find(|packet| packet.kind == AccessKind::L2Writeback).unwrap();
    assert_eq!((back.address, back.bytes), (0x000, 64));
    assert_eq!(back.byte_mask, u128::from(u32::MAX) | u128::from(u32::MAX) << 96);
}

#[test]
fn a_line_written_through_is_not_written_back() {
    let mut cache = Cache::new(CacheSpec { ways: 1, sets: 1, ..SECTORED_L1 });
    assert!(cache.access(&write(0x000), Cycle(0)).is_write_forwarded);
    assert!(cache.access(&write(0x000), Cycle(1)).is_write_forwarded, "a hit goes on, too");
    assert_eq!(outcome(&mut cache, read(0x080), 2), AccessOutcome::Miss);
    assert_eq!(serve(&mut cache, 3).iter().filter(|packet| packet.kind.is_writeback()).count(), 0);
}

#[test]
fn modified_lines_stay_until_there_are_enough_of_them() {
    let mut cache = Cache::new(CacheSpec { sets: 1, modified_percent: 75, ..SECTORED_L1 });
    cache.access(&write(0x000), Cycle(0));
    cache.access(&read(0x080), Cycle(1));
    serve(&mut cache, 2);
    // One of two lines is modified and the older one, but the clean one leaves.
    assert_eq!(outcome(&mut cache, read(0x100), 3), AccessOutcome::Miss);
    serve(&mut cache, 4);
    assert_eq!(outcome(&mut cache, read(0x000), 5), AccessOutcome::Hit);
    cache.access(&write(0x100), Cycle(6));
    assert_eq!(
        outcome(&mut cache, read(0x180), 7),
        AccessOutcome::Miss,
        "both are modified: the oldest leaves"
    );
}

#[test]
fn a_cache_that_is_set_up_anew_is_empty() {
    let mut cache = Cache::new(SECTORED_L1);
    cache.access(&read(0x000), Cycle(0));
    serve(&mut cache, 1);
    cache.pop_ready();
    cache.empty_with(1, false);
    assert_eq!(cache.spec().ways, 1);
    assert_eq!(outcome(&mut cache, read(0x000), 2), AccessOutcome::Miss);
}

#[test]
fn a_sector_that_is_claimed_again_while_its_arrival_is_handed_out_does_not_stay_reserved() {
    let mut cache = Cache::new(CacheSpec { ways: 1, sets: 1, ..SECTORED_L2 });
    cache.access(&read(0x000), Cycle(0));
    serve(&mut cache, 1);
    // Another block takes the line before the access of the first has left.
    assert_eq!(outcome(&mut cache, write(0x080), 2), AccessOutcome::Miss);
    assert_eq!(outcome(&mut cache, read(0x000), 3), AccessOutcome::Miss);
    assert_eq!((cache.pop_ready().is_some(), cache.pop_ready().is_some()), (true, true));
    assert_eq!(outcome(&mut cache, write(0x080), 4), AccessOutcome::Miss, "the line can be taken again");
}
