//! The reads that wait at each register bank.

/// Units that wait for each bank, in order; a unit may wait twice. All queues are rings of one length in one array: the first places
/// of all banks side by side, then the second ones. A queue that empties begins again at its first place, so that most of what is
/// touched is in one cache line.
#[derive(Clone, Debug)]
pub(super) struct BankQueues {
    rings: Vec<u8>,
    /// Places of a ring, a power of two.
    length: usize,
    /// Per bank: how many have left, and how many have come.
    ends: [(u32, u32); MAX_BANKS],
    banks: usize,
}

/// Most banks: a set of them is one word.
const MAX_BANKS: usize = u64::BITS as usize;

impl BankQueues {
    pub(super) fn new(banks: usize) -> Self {
        Self { rings: vec![0; banks], length: 1, ends: [(0, 0); MAX_BANKS], banks }
    }

    /// Makes every ring long enough for `entries`; all are empty.
    pub(super) fn make_room_for(&mut self, entries: usize) {
        let length = entries.next_power_of_two();
        if length > self.length {
            self.length = length;
            self.rings = vec![0; length * self.banks];
        }
    }

    #[inline]
    pub(super) fn push(&mut self, bank: usize, unit: u8) {
        let end = &mut self.ends[bank % MAX_BANKS].1;
        self.rings[(*end as usize & (self.length - 1)) * self.banks + bank] = unit;
        *end = end.wrapping_add(1);
    }

    /// Takes the oldest of a queue that is not empty. Says whether it was the last.
    #[inline]
    pub(super) fn pop(&mut self, bank: usize) -> (u8, bool) {
        let (begin, end) = &mut self.ends[bank % MAX_BANKS];
        let unit = self.rings[(*begin as usize & (self.length - 1)) * self.banks + bank];
        *begin = begin.wrapping_add(1);
        let is_last = begin == end;
        if is_last {
            (*begin, *end) = (0, 0);
        }
        (unit, is_last)
    }
}
