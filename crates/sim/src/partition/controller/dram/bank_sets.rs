//! Which banks need which command, as bits, so that a cycle looks only at banks that could get one.

use super::bank::Need;

/// A set of banks for each need. A bank without a request is in none.
#[derive(Clone, Copy, Debug, Default)]
pub struct BankSets {
    /// All banks that have a request.
    pub working: u32,
    pub activate: u32,
    pub precharge: u32,
    pub read: u32,
    pub write: u32,
}

impl BankSets {
    /// Puts the bank where it belongs now.
    #[inline]
    pub fn set(&mut self, bank: usize, need: Need) {
        self.clear(bank);
        let set = match need {
            Need::Activate => &mut self.activate,
            Need::Precharge => &mut self.precharge,
            Need::Read => &mut self.read,
            Need::Write => &mut self.write,
        };
        *set |= 1 << bank;
        self.working |= 1 << bank;
    }

    /// The bank's request is done.
    #[inline]
    pub fn clear(&mut self, bank: usize) {
        let others = !(1 << bank);
        self.working &= others;
        self.activate &= others;
        self.precharge &= others;
        self.read &= others;
        self.write &= others;
    }
}

/// The bank of a turn in a round over `count` banks that begins with `first`.
#[inline]
pub fn bank_of_turn(first: usize, turn: usize, count: usize) -> usize {
    let bank = first + turn;
    if bank >= count { bank - count } else { bank }
}

/// The turn of a bank in a round over `count` banks that begins with `first`.
#[inline]
pub fn turn_of_bank(first: usize, bank: usize, count: usize) -> usize {
    if bank >= first { bank - first } else { bank + count - first }
}

/// In a round over all banks that begins with `first`, the first bank in `banks`, which is not empty.
#[inline]
pub fn first_in_round(banks: u32, first: usize) -> usize {
    let behind = banks & (u32::MAX << first);
    (if behind == 0 { banks } else { behind }).trailing_zeros() as usize
}

/// In a round over `count` banks that begins with `first`, the number of the first turn at or after `turn` whose bank is in
/// `banks`.
#[inline]
pub fn next_turn(banks: u32, first: usize, turn: usize, count: usize) -> Option<usize> {
    if turn >= count {
        return None;
    }
    let start = bank_of_turn(first, turn, count);
    let banks = u64::from(banks);
    // The banks from `start` on, followed by those before it.
    let rotated = (banks >> start) | (banks << (count - start));
    let found = turn + rotated.trailing_zeros() as usize;
    (found < count).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_visits_the_banks_in_turn_and_wraps() {
        let banks = 1 << 2 | 1 << 9;
        assert_eq!(next_turn(banks, 5, 0, 16), Some(4));
        assert_eq!(next_turn(banks, 5, 5, 16), Some(13));
        assert_eq!(next_turn(banks, 5, 14, 16), None);
        assert_eq!(next_turn(0, 0, 0, 16), None);
        assert_eq!(next_turn(1, 0, 0, 16), Some(0));
        assert_eq!([0, 2, 3, 10].map(|first| first_in_round(banks, first)), [2, 2, 9, 2]);
    }

    #[test]
    fn a_bank_is_in_one_set_at_most() {
        let mut sets = BankSets::default();
        sets.set(3, Need::Activate);
        sets.set(3, Need::Read);
        assert_eq!((sets.activate, sets.read, sets.working), (0, 8, 8));
        sets.clear(3);
        assert_eq!(sets.working, 0);
    }
}
