//! Thread block scheduling: which SM gets the next thread block of the grid.
//!
//! After every core cycle each SM with a free thread block slot gets one thread block, in turn: the round begins behind the SM that
//! was served last in the cycle before.

/// Thread blocks of a grid that have not been launched.
#[derive(Clone, Debug)]
pub struct ThreadBlockScheduler {
    next: u64,
    end: u64,
    last_served: usize,
}

impl ThreadBlockScheduler {
    /// A grid of `blocks`, on a machine that served `last_served` last.
    pub fn new(blocks: u64, last_served: usize) -> Self {
        Self { next: 0, end: blocks, last_served }
    }

    /// Whether thread blocks are left.
    #[inline]
    pub fn has_more(&self) -> bool {
        self.next < self.end
    }

    /// The SM that was served last.
    pub fn last_served(&self) -> usize {
        self.last_served
    }

    /// One round over the SMs: `launch(sm, block)` is called for each that `has_room(sm)` while thread blocks are left.
    pub fn round<T>(
        &mut self,
        sms: &mut [T],
        has_room: impl Fn(usize, &T) -> bool,
        mut launch: impl FnMut(usize, &mut T, u64),
    ) {
        let behind = self.last_served + 1;
        for index in (behind..sms.len()).chain(0..behind.min(sms.len())) {
            if !self.has_more() {
                return;
            }
            if has_room(index, &sms[index]) {
                launch(index, &mut sms[index], self.next);
                self.next += 1;
                self.last_served = index;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches one round on SMs with these free slots; says which SM got each thread block.
    fn round(scheduler: &mut ThreadBlockScheduler, free: &mut [u32]) -> Vec<usize> {
        let mut served = Vec::new();
        scheduler.round(
            free,
            |_, &free| free > 0,
            |sm, free, _| {
                *free -= 1;
                served.push(sm);
            },
        );
        served
    }

    #[test]
    fn every_sm_gets_one_block_a_cycle() {
        let mut scheduler = ThreadBlockScheduler::new(7, 2);
        let mut free = [9, 9, 9];
        assert_eq!(round(&mut scheduler, &mut free), [0, 1, 2]);
        assert_eq!(round(&mut scheduler, &mut free), [0, 1, 2]);
        assert_eq!(round(&mut scheduler, &mut free), [0]);
        assert!(!scheduler.has_more());
    }

    #[test]
    fn the_round_goes_on_behind_the_sm_served_last() {
        let mut scheduler = ThreadBlockScheduler::new(9, 2);
        assert_eq!(round(&mut scheduler, &mut [0, 1, 0]), [1]);
        assert_eq!(round(&mut scheduler, &mut [1, 1, 1]), [2, 0, 1]);
    }
}
