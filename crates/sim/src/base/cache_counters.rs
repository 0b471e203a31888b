//! What a cache counts: one row for each kind of access.

use std::ops::AddAssign;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::AccessKind;

/// How a cache access ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessOutcome {
    /// The block was here.
    Hit,
    /// The block was already on its way.
    HitReserved,
    /// The block was requested, or the write went through without the block.
    Miss,
    /// The same, but another part of the block's line was here.
    SectorMiss,
    /// Nothing happened; the access must be tried again.
    ReservationFail(FailReason),
}

impl AccessOutcome {
    /// Whether the access was taken.
    pub fn is_accepted(self) -> bool {
        !matches!(self, Self::ReservationFail(_))
    }
}

/// What an access that must be tried again lacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FailReason {
    /// Every line of the set is reserved.
    LineAllocation,
    /// The miss queue has no room for all requests the access could cause.
    MissQueue,
    /// No miss register is free.
    MshrEntries,
    /// The block's miss register has no room for one more access.
    MshrMerges,
}

impl FailReason {
    const NAMES: [&'static str; 4] =
        ["line_allocation_fails", "miss_queue_fails", "mshr_entry_fails", "mshr_merge_fails"];
}

/// One kind's row in a cache's statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheRow {
    /// Accesses that found their block.
    pub hits: u64,
    /// Accesses that found their block on its way.
    pub hits_reserved: u64,
    /// Accesses that did not find it.
    pub misses: u64,
    /// Of the misses: those that found another sector of the block.
    pub sector_misses: u64,
    /// Of the misses and reserved hits: those that joined a miss register instead of asking again.
    pub mshr_merges: u64,
    /// Attempts that must be repeated, by [`FailReason`].
    pub reservation_fails: [u64; 4],
}

impl CacheRow {
    /// Accesses taken; attempts that failed are not among them.
    pub fn accesses(&self) -> u64 {
        self.hits + self.hits_reserved + self.misses
    }

    /// Failed attempts of any reason.
    pub fn fails(&self) -> u64 {
        self.reservation_fails.iter().sum()
    }
}

impl AddAssign<&CacheRow> for CacheRow {
    fn add_assign(&mut self, other: &CacheRow) {
        self.hits += other.hits;
        self.hits_reserved += other.hits_reserved;
        self.misses += other.misses;
        self.sector_misses += other.sector_misses;
        self.mshr_merges += other.mshr_merges;
        for (mine, theirs) in self.reservation_fails.iter_mut().zip(other.reservation_fails) {
            *mine += theirs;
        }
    }
}

impl Serialize for CacheRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("hits", &self.hits)?;
        map.serialize_entry("hits_reserved", &self.hits_reserved)?;
        map.serialize_entry("misses", &self.misses)?;
        if self.sector_misses > 0 {
            map.serialize_entry("sector_misses", &self.sector_misses)?;
        }
        map.serialize_entry("mshr_merges", &self.mshr_merges)?;
        for (name, count) in FailReason::NAMES.iter().zip(self.reservation_fails) {
            map.serialize_entry(name, &count)?;
        }
        map.end()
    }
}

/// A cache's statistics: one row for each kind of access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheCounters {
    rows: [CacheRow; AccessKind::COUNT],
    /// Dirty lines sent to the next level.
    pub writebacks: u64,
    /// Lines that arrived from the next level.
    pub fills: u64,
    /// Sectors that arrived because another of their line did.
    pub sectors_filled_along: u64,
    /// Cycles in which the data array was busy with hits and write-backs.
    pub data_port_busy_cycles: u64,
    /// Cycles in which the data array was busy with fills.
    pub fill_port_busy_cycles: u64,
}

impl CacheCounters {
    /// The row of one kind.
    pub fn row(&self, kind: AccessKind) -> &CacheRow {
        &self.rows[kind as usize]
    }

    /// Counts one attempt.
    #[inline]
    pub fn count(&mut self, kind: AccessKind, outcome: AccessOutcome) {
        self.count_many(kind, outcome, 1);
    }

    /// Counts `attempts` equal ones: an access that is tried again every cycle of a wait fails once in each.
    #[inline]
    pub fn count_many(&mut self, kind: AccessKind, outcome: AccessOutcome, attempts: u64) {
        let row = &mut self.rows[kind as usize];
        match outcome {
            AccessOutcome::Hit => row.hits += attempts,
            AccessOutcome::HitReserved => row.hits_reserved += attempts,
            AccessOutcome::Miss => row.misses += attempts,
            AccessOutcome::SectorMiss => {
                row.misses += attempts;
                row.sector_misses += attempts;
            }
            AccessOutcome::ReservationFail(reason) => row.reservation_fails[reason as usize] += attempts,
        }
    }

    /// Counts an access that joined a miss register.
    #[inline]
    pub fn count_merge(&mut self, kind: AccessKind) {
        self.rows[kind as usize].mshr_merges += 1;
    }

    /// The sum over several kinds.
    pub fn sum(&self, kinds: &[AccessKind]) -> CacheRow {
        let mut total = CacheRow::default();
        for &kind in kinds {
            total += self.row(kind);
        }
        total
    }

    /// The sum over all kinds.
    pub fn total(&self) -> CacheRow {
        self.sum(&AccessKind::ALL)
    }
}

impl AddAssign<&CacheCounters> for CacheCounters {
    fn add_assign(&mut self, other: &CacheCounters) {
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            *mine += theirs;
        }
        self.writebacks += other.writebacks;
        self.fills += other.fills;
        self.sectors_filled_along += other.sectors_filled_along;
        self.data_port_busy_cycles += other.data_port_busy_cycles;
        self.fill_port_busy_cycles += other.fill_port_busy_cycles;
    }
}

impl Serialize for CacheCounters {
    /// Rows without an access are left out: an L1D never sees an instruction fetch.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for kind in AccessKind::ALL {
            let row = self.row(kind);
            if row.accesses() + row.fails() > 0 {
                map.serialize_entry(kind.name(), row)?;
            }
        }
        map.serialize_entry("writebacks", &self.writebacks)?;
        map.serialize_entry("fills", &self.fills)?;
        if self.sectors_filled_along > 0 {
            map.serialize_entry("sectors_filled_along", &self.sectors_filled_along)?;
        }
        map.serialize_entry("data_port_busy_cycles", &self.data_port_busy_cycles)?;
        map.serialize_entry("fill_port_busy_cycles", &self.fill_port_busy_cycles)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_attempt_is_no_access() {
        let mut counters = CacheCounters::default();
        counters.count(AccessKind::GlobalRead, AccessOutcome::Hit);
        counters.count_many(AccessKind::GlobalRead, AccessOutcome::ReservationFail(FailReason::MissQueue), 7);
        let row = counters.row(AccessKind::GlobalRead);
        assert_eq!((row.accesses(), row.fails()), (1, 7));
    }

    #[test]
    fn statistics_of_two_caches_add_up() {
        let mut sum = CacheCounters::default();
        let mut one = CacheCounters::default();
        one.count(AccessKind::GlobalRead, AccessOutcome::Miss);
        one.count(AccessKind::GlobalWrite, AccessOutcome::Miss);
        sum += &one;
        sum += &one;
        assert_eq!(sum.row(AccessKind::GlobalRead).misses, 2);
        assert_eq!(sum.total().misses, 4);
    }
}
