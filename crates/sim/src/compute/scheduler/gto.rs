//! `gto`, greedy then oldest: the warp that issued last, then the oldest first.
//!
//! Rogers, O'Connor & Aamodt, "Cache-Conscious Wavefront Scheduling", MICRO 2012.

use super::{AgeOrder, OrderSetup, Selection, WarpOrder};
use crate::compute::warps::WarpMask;

/// The order.
#[derive(Clone, Copy, Debug)]
pub struct GreedyThenOldest {
    /// The warp that issued last.
    greedy: usize,
}

impl WarpOrder for GreedyThenOldest {
    fn new(setup: &OrderSetup) -> Self {
        Self { greedy: setup.scheduler }
    }

    #[inline]
    fn select(&mut self, issuable: WarpMask, watched: WarpMask, age: &AgeOrder) -> Selection {
        if issuable >> self.greedy & 1 == 1 {
            return Selection { winner: Some(self.greedy), passed: 0 };
        }
        let Some(warp) = age.oldest(issuable) else { return Selection { winner: None, passed: watched } };
        let passed = if watched == 0 { 0 } else { (age.older_than(warp) | 1 << self.greedy) & watched };
        self.greedy = warp;
        Selection { winner: Some(warp), passed }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SchedulerPolicy;
    use super::super::tests::{scheduler, two_thread_blocks};
    use super::*;

    #[test]
    fn greedy_stays_with_its_warp_then_takes_the_oldest_thread_block() {
        let age = two_thread_blocks();
        let mut scheduler = scheduler(SchedulerPolicy::Gto);
        assert_eq!(
            scheduler.select(0b0010_0010, 0, &age).winner,
            Some(5),
            "slot 5 is in the older thread block"
        );
        assert_eq!(scheduler.select(0b1111_1111, 0, &age).winner, Some(5), "greedy");
        assert_eq!(scheduler.select(0b1000_1111, 0, &age).winner, Some(7));
    }

    #[test]
    fn greedy_passes_itself_and_all_older_warps() {
        let selection =
            scheduler(SchedulerPolicy::Gto).select(0b0000_0100, WarpMask::MAX, &two_thread_blocks());
        assert_eq!(selection, Selection { winner: Some(2), passed: 0b1111_0011 });
    }
}
