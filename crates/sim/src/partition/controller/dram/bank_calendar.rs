//! When each bank is ready for the command that its request needs, as far as the bank itself decides it.
//!
//! A bank's own waits are known when its request, or the command before, arrives. So nothing polls: a bank that waits is on the
//! page of the cycle in which it is ready, and a cycle looks at its page only. What banks share (buses, groups) can change
//! while one waits, and is looked at when a command is chosen.

use crate::base::Cycle;

/// Pages; a bank that is ready later is looked at again on the last one.
const PAGES: u64 = 64;

/// The calendar of a channel's banks. It is turned in every cycle in which a bank has a request.
#[derive(Clone, Debug)]
pub struct BankCalendar {
    pages: [u32; PAGES as usize],
    /// Pages with an entry, as bits.
    used: u64,
    ready_at: [Cycle; 32],
    ready: u32,
}

impl BankCalendar {
    /// Without entries.
    pub fn new() -> Self {
        Self { pages: [0; PAGES as usize], used: 0, ready_at: [Cycle(0); 32], ready: 0 }
    }

    /// The bank needs a command that it can take from `ready_at` on.
    #[inline]
    pub fn enter(&mut self, bank: usize, ready_at: Cycle, now: Cycle) {
        let bit = 1 << bank;
        if ready_at <= now {
            self.ready |= bit;
            return;
        }
        self.ready &= !bit;
        self.ready_at[bank] = ready_at;
        let page = ready_at.min(now + (PAGES - 1));
        self.pages[(page.0 % PAGES) as usize] |= bit;
        self.used |= 1 << (page.0 % PAGES);
    }

    /// The bank needs nothing more.
    #[inline]
    pub fn leave(&mut self, bank: usize) {
        self.ready &= !(1 << bank);
    }

    /// Banks that are ready now.
    #[inline]
    pub fn ready(&mut self, now: Cycle) -> u32 {
        let page = std::mem::take(&mut self.pages[(now.0 % PAGES) as usize]);
        if page != 0 {
            self.used &= !(1 << (now.0 % PAGES));
            self.turn_to(page, now);
        }
        self.ready
    }

    /// A cycle after `now` before which no other bank is ready.
    #[inline]
    pub fn next_page(&self, now: Cycle) -> Cycle {
        let ahead = self.used.rotate_right(((now.0 + 1) % PAGES) as u32);
        if ahead == 0 { Cycle::NEVER } else { now + 1 + u64::from(ahead.trailing_zeros()) }
    }

    fn turn_to(&mut self, page: u32, now: Cycle) {
        let mut rest = page;
        while rest != 0 {
            let bank = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            self.enter(bank, self.ready_at[bank], now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bank_is_ready_in_its_cycle_however_far_away_that_is() {
        for ready_at in [5, 63, 64, 65, 200] {
            let mut calendar = BankCalendar::new();
            calendar.enter(3, Cycle(ready_at), Cycle(0));
            let mut first = Cycle(0);
            while calendar.ready(first) != 1 << 3 {
                assert!(calendar.next_page(first) > first);
                first = calendar.next_page(first);
            }
            assert_eq!(first, Cycle(ready_at));
        }
    }

    #[test]
    fn a_bank_that_leaves_is_not_ready() {
        let mut calendar = BankCalendar::new();
        calendar.enter(1, Cycle(0), Cycle(4));
        assert_eq!(calendar.ready(Cycle(4)), 2);
        calendar.leave(1);
        assert_eq!(calendar.ready(Cycle(5)), 0);
    }
}
