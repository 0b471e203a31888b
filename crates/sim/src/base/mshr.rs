//! Miss status holding registers (MSHRs): which accesses wait for which block.
//!
//! An entry belongs to one block and holds up to `merges` accesses in the order they came. When the block arrives the
//! entry becomes ready and its accesses are handed out one at a time; it is free again when the last one has left.

use super::tags::{LineAddress, LineIndex};
use super::{Packet, Ring};

/// Whether an access to a block can be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// The block has this entry, which has room for one more.
    Merge(usize),
    /// The block has no entry, and one is free.
    NewEntry,
    /// The block has an entry, which is full.
    MergeFull,
    /// The block has no entry, and none is free.
    EntriesFull,
}

/// One entry's bookkeeping; the waiting packets lie in the table's flat array.
#[derive(Clone, Copy, Debug)]
struct Entry {
    first: u16,
    count: u16,
    has_atomic: bool,
    /// Whether its block is here, and only the accesses have still to leave.
    has_arrived: bool,
    line: LineIndex,
    set: u32,
}

/// The table.
#[derive(Clone, Debug)]
pub struct Mshrs {
    /// Per entry: its block, or [`LineAddress::NONE`]. Apart from the rest so that a search reads nothing else.
    blocks: Vec<LineAddress>,
    entries: Vec<Entry>,
    /// Grows with the entries that were ever used: tables are large, and few are ever full.
    waiting: Vec<Packet>,
    filler: Packet,
    merges: usize,
    /// Entries without a block.
    free: Vec<u16>,
    /// Per bucket: the entry that came last; the others follow in `next`.
    buckets: [u16; BUCKETS],
    /// Per entry: the one that came before it in its bucket.
    next: Vec<u16>,
    ready: Ring<u16>,
}

/// Blocks that share some address bits are in one bucket. Most that have no entry are in an empty one, most others are its last.
const BUCKETS: usize = 64;

/// The end of a bucket.
const NO_ENTRY: u16 = u16::MAX;

/// The bucket of a block; neighbours are in different ones, sectors of a line too.
#[inline]
fn bucket_of(block: LineAddress) -> usize {
    let address = block.first_byte();
    (address >> 7 ^ address >> 13 ^ (address >> 1 & 0x30)) as usize % BUCKETS
}

/// What the cache needs when a block arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The line that was reserved for it; meaningless in a cache that allocates on fill.
    pub line: LineIndex,
    /// The set it belongs to.
    pub set: usize,
    /// Whether an atomic waits, which makes the line dirty.
    pub has_atomic: bool,
}

impl Mshrs {
    /// An empty table of `entries` blocks with up to `merges` accesses each. `filler` is never read.
    pub fn new(entries: usize, merges: usize, filler: Packet) -> Self {
        let free =
            Entry { first: 0, count: 0, has_atomic: false, has_arrived: false, line: LineIndex(0), set: 0 };
        Self {
            blocks: vec![LineAddress::NONE; entries],
            entries: vec![free; entries],
            waiting: Vec::with_capacity(entries * merges),
            filler,
            merges,
            free: (0..entries as u16).rev().collect(),
            buckets: [NO_ENTRY; BUCKETS],
            next: vec![NO_ENTRY; entries],
            ready: Ring::new(entries),
        }
    }

    /// Whether an access to `block` could be recorded.
    #[inline]
    pub fn room_for(&self, block: LineAddress) -> Room {
        match self.find(block) {
            Some(entry) if usize::from(self.entries[entry].count) < self.merges => Room::Merge(entry),
            Some(_) => Room::MergeFull,
            None if self.free.is_empty() => Room::EntriesFull,
            None => Room::NewEntry,
        }
    }

    /// Opens an entry for `block`, whose data will go to `line` of `set`. The caller has seen [`Room::NewEntry`].
    pub fn open(&mut self, block: LineAddress, line: LineIndex, set: usize, packet: Packet) {
        let Some(entry) = self.free.pop().map(usize::from) else { return };
        if self.waiting.len() <= entry * self.merges {
            self.waiting.resize((entry + 1) * self.merges, self.filler);
        }
        self.blocks[entry] = block;
        let bucket = &mut self.buckets[bucket_of(block)];
        self.next[entry] = std::mem::replace(bucket, entry as u16);
        self.entries[entry] =
            Entry { first: 0, count: 0, has_atomic: false, has_arrived: false, line, set: set as u32 };
        self.append(entry, packet);
    }

    /// Adds an access to the entry of [`Room::Merge`].
    pub fn merge(&mut self, entry: usize, packet: Packet) {
        self.append(entry, packet);
    }

    /// The block has arrived: its accesses may leave. `None` if no access waits for it.
    pub fn mark_ready(&mut self, block: LineAddress) -> Option<Arrival> {
        let index = self.find(block)?;
        self.ready.push(index as u16);
        let entry = &mut self.entries[index];
        entry.has_arrived = true;
        Some(Arrival { line: entry.line, set: entry.set as usize, has_atomic: entry.has_atomic })
    }

    /// Whether the block of an entry is here, so that no arrival follows.
    pub fn has_arrived(&self, entry: usize) -> bool {
        self.entries[entry].has_arrived
    }

    /// Whether an access can leave.
    #[inline]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Takes the next access whose block has arrived; the entry is free after its last.
    pub fn pop_ready(&mut self) -> Option<Packet> {
        let index = usize::from(*self.ready.front()?);
        let slot = self.slot(index, 0);
        let entry = &mut self.entries[index];
        entry.first = if usize::from(entry.first) + 1 == self.merges { 0 } else { entry.first + 1 };
        entry.count -= 1;
        if entry.count == 0 {
            let block = std::mem::replace(&mut self.blocks[index], LineAddress::NONE);
            self.unlink(index, block);
            self.free.push(index as u16);
            self.ready.drop_front();
        }
        Some(self.waiting[slot])
    }

    /// Whether no access waits.
    pub fn is_empty(&self) -> bool {
        self.free.len() == self.blocks.len()
    }

    /// Blocks that accesses wait for, for the report of a deadlock.
    pub fn blocks(&self) -> impl Iterator<Item = LineAddress> {
        self.blocks.iter().copied().filter(|&block| block != LineAddress::NONE)
    }

    #[inline]
    fn find(&self, block: LineAddress) -> Option<usize> {
        let mut entry = self.buckets[bucket_of(block)];
        while entry != NO_ENTRY {
            let index = usize::from(entry);
            if self.blocks[index] == block {
                return Some(index);
            }
            entry = self.next[index];
        }
        None
    }

    /// Takes an entry out of its block's bucket.
    fn unlink(&mut self, index: usize, block: LineAddress) {
        let bucket = bucket_of(block);
        let mut entry = usize::from(self.buckets[bucket]);
        if entry == index {
            self.buckets[bucket] = self.next[index];
            return;
        }
        while let Some(&behind) = self.next.get(entry) {
            if usize::from(behind) == index {
                self.next[entry] = self.next[index];
                return;
            }
            entry = usize::from(behind);
        }
    }

    fn append(&mut self, index: usize, packet: Packet) {
        let count = self.entries[index].count;
        let slot = self.slot(index, count);
        self.waiting[slot] = packet;
        let entry = &mut self.entries[index];
        entry.count += 1;
        entry.has_atomic |= packet.is_atomic;
    }

    /// Where the entry's `nth` packet lies; the entry's slots form a ring.
    fn slot(&self, index: usize, nth: u16) -> usize {
        let behind = usize::from(self.entries[index].first + nth);
        index * self.merges + if behind >= self.merges { behind - self.merges } else { behind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AccessKind, Cycle};

    fn packet(handle: u32) -> Packet {
        Packet { handle, ..Packet::new(AccessKind::GlobalRead, 0, 32, 0, Cycle(0)) }
    }

    fn line(address: u64) -> LineAddress {
        LineAddress::of(address, 128)
    }

    fn table() -> Mshrs {
        Mshrs::new(2, 2, packet(0))
    }

    #[test]
    fn accesses_leave_in_the_order_they_came_once_the_block_is_here() {
        let mut mshrs = table();
        mshrs.open(line(0x80), LineIndex(3), 1, packet(1));
        mshrs.merge(0, packet(2));
        assert!(!mshrs.has_ready());
        let arrival = Arrival { line: LineIndex(3), set: 1, has_atomic: false };
        assert_eq!(mshrs.mark_ready(line(0x80)), Some(arrival));
        assert_eq!(mshrs.pop_ready().map(|p| p.handle), Some(1));
        assert_eq!(mshrs.pop_ready().map(|p| p.handle), Some(2));
        assert!(mshrs.is_empty() && mshrs.pop_ready().is_none());
    }

    #[test]
    fn both_limits_are_named() {
        let mut mshrs = table();
        assert_eq!(mshrs.room_for(line(0x80)), Room::NewEntry);
        mshrs.open(line(0x80), LineIndex(0), 0, packet(1));
        assert_eq!(mshrs.room_for(line(0x80)), Room::Merge(0));
        mshrs.merge(0, packet(2));
        assert_eq!(mshrs.room_for(line(0x80)), Room::MergeFull);
        mshrs.open(line(0x100), LineIndex(1), 0, packet(3));
        assert_eq!(mshrs.room_for(line(0x180)), Room::EntriesFull);
    }

    #[test]
    fn a_block_without_a_request_is_reported() {
        assert_eq!(table().mark_ready(line(0x80)), None);
    }
}
