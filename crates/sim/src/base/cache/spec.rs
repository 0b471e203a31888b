//! What a cache is configured with: its geometry, when it allocates and what writes do.

use crate::base::sectors::Sectors;
use crate::base::tags::LineAddress;
use crate::base::{AccessKind, SetIndex};

/// When a missing block gets its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocate {
    /// At the miss: the line is reserved until the block arrives.
    OnMiss,
    /// When the block arrives.
    OnFill,
}

/// What happens to writes; the rows of the table above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePolicy {
    /// Instruction, constant and texture caches.
    ReadOnly,
    /// L1D: global stores pass and evict, local stores stay.
    EvictGlobalKeepLocal,
    /// L2.
    WriteBackAllocate,
    /// L1D of a sectored GPU.
    WriteThroughLazily,
    /// L2 of a sectored GPU, or its L1D.
    WriteBackLazily,
}

impl WritePolicy {
    /// Whether a write claims its sector and fetches nothing.
    pub fn is_lazy(self) -> bool {
        matches!(self, Self::WriteThroughLazily | Self::WriteBackLazily)
    }
}

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSpec {
    /// Number of sets; any number, though a power of two is indexed faster.
    pub sets: usize,
    /// Lines in a set.
    pub ways: usize,
    /// Bytes of a line, a power of two.
    pub line_bytes: usize,
    /// Bytes of a sector, a power of two: what is fetched and has a miss register.
    pub sector_bytes: usize,
    /// Which address bits choose the set.
    pub set_index: SetIndex,
    /// When lines are claimed.
    pub allocate: Allocate,
    /// What writes do.
    pub write_policy: WritePolicy,
    /// Blocks that may be on their way at a time.
    pub mshr_entries: usize,
    /// Accesses that may wait for one block.
    pub mshr_merges: usize,
    /// Requests that may wait for the next level.
    pub miss_queue_entries: usize,
    /// Bytes the data array moves in a cycle.
    pub data_port_bytes: usize,
    /// Modified lines leave only when at least this share of all lines is modified.
    pub modified_percent: usize,
    /// What a dirty line's packet is called.
    pub writeback_kind: AccessKind,
}

impl CacheSpec {
    /// The sets of a cache of this size.
    pub const fn sets_of(size_kib: usize, ways: usize, line_bytes: usize) -> usize {
        size_kib * 1024 / (ways * line_bytes)
    }

    /// Bytes of data.
    pub fn capacity_bytes(&self) -> usize {
        self.sets * self.ways * self.line_bytes
    }

    #[inline]
    pub(super) fn line_of(&self, address: u64) -> LineAddress {
        LineAddress::of(address, self.line_bytes)
    }

    /// What is fetched when `address` misses.
    #[inline]
    pub(super) fn sector_of(&self, address: u64) -> LineAddress {
        LineAddress::of(address, self.sector_bytes)
    }

    #[inline]
    pub(super) fn set_of(&self, index_address: u64) -> usize {
        self.set_index.set_of(index_address, self.line_bytes, self.sets)
    }

    /// Whether sectors have a state of their own.
    pub fn has_sectors(&self) -> bool {
        self.sector_bytes < self.line_bytes || self.write_policy.is_lazy()
    }

    /// That state for a cache with `tags` tags.
    pub(super) fn new_sectors(&self, tags: usize) -> Option<Box<Sectors>> {
        self.has_sectors().then(|| Box::new(Sectors::new(tags, self.line_bytes, self.sector_bytes)))
    }
}
