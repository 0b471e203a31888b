//! The reads that wait at each register bank.

/// Units that wait for each bank, in order; a unit may wait twice. All queues are rings of one length in one array.
#[derive(Clone, Debug)]
pub(super) struct BankQueues {
    rings: Vec<u8>,
    /// Places of a ring, a power of two.
    length: usize,
    /// Per bank: how many have left, and how many have come.
    ends: Vec<(u32, u32)>,
}

impl BankQueues {
    pub(super) fn new(banks: usize) -> Self {
        Self { rings: vec![0; banks], length: 1, ends: vec![(0, 0); banks] }
    }

    /// Makes every ring long enough for `entries`; all are empty.
    pub(super) fn make_room_for(&mut self, entries: usize) {
        let length = entries.next_power_of_two();
        if length > self.length {
            self.length = length;
            self.rings = vec![0; length * self.ends.len()];
        }
    }

    #[inline]
    pub(super) fn push(&mut self, bank: usize, unit: u8) {
        let end = &mut self.ends[bank].1;
        self.rings[bank * self.length + (*end as usize & (self.length - 1))] = unit;
        *end = end.wrapping_add(1);
    }

    /// Takes the oldest of a queue that is not empty. Says whether it was the last.
    #[inline]
    pub(super) fn pop(&mut self, bank: usize) -> (u8, bool) {
        let (begin, end) = &mut self.ends[bank];
        let unit = self.rings[bank * self.length + (*begin as usize & (self.length - 1))];
        *begin = begin.wrapping_add(1);
        (unit, begin == end)
    }
}
