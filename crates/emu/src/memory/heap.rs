//! The heap behind device-side `malloc` and `free`: first fit over one allocation.

use std::collections::BTreeMap;

/// Alignment of blocks, as CUDA promises.
const ALIGN: u64 = 16;

/// Free ranges and live blocks of the heap, by address.
#[derive(Debug, Default)]
pub(super) struct Heap {
    free: BTreeMap<u64, u64>,
    live: BTreeMap<u64, u64>,
}

impl Heap {
    /// A heap over `bytes` from `start`.
    pub(super) fn new(start: u64, bytes: u64) -> Self {
        Self { free: BTreeMap::from([(start, bytes)]), live: BTreeMap::new() }
    }

    /// More room, apart from what there is.
    pub(super) fn add(&mut self, start: u64, bytes: u64) {
        self.free.insert(start, bytes);
    }

    pub(super) fn exists(&self) -> bool {
        !(self.free.is_empty() && self.live.is_empty())
    }

    /// A block; 0 when none is large enough.
    pub(super) fn alloc(&mut self, bytes: u64) -> u64 {
        let Some(wanted) = bytes.max(1).checked_next_multiple_of(ALIGN) else { return 0 };
        let Some((&start, &room)) = self.free.iter().find(|&(_, &room)| room >= wanted) else { return 0 };
        self.free.remove(&start);
        if room > wanted {
            self.free.insert(start + wanted, room - wanted);
        }
        self.live.insert(start, wanted);
        start
    }

    /// Gives a block back and joins it with its neighbours; a null pointer is fine.
    pub(super) fn free(&mut self, address: u64) -> bool {
        if address == 0 {
            return true;
        }
        let Some(mut bytes) = self.live.remove(&address) else { return false };
        if let Some(behind) = self.free.remove(&(address + bytes)) {
            bytes += behind;
        }
        let before = self.free.range(..address).next_back().map(|(&start, &room)| (start, room));
        match before {
            Some((start, room)) if start + room == address => self.free.insert(start, room + bytes),
            _ => self.free.insert(address, bytes),
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_freed_joins_and_can_be_had_again() {
        let mut heap = Heap::new(0x1000, 48);
        let (a, b, c) = (heap.alloc(20), heap.alloc(16), heap.alloc(16));
        assert_eq!((a, b, c), (0x1000, 0x1020, 0));
        assert!(heap.free(a) && heap.free(b));
        assert!(!heap.free(a));
        assert_eq!(heap.alloc(48), 0x1000);
        heap.add(0x4000, 64);
        assert_eq!(heap.alloc(64), 0x4000);
    }
}
