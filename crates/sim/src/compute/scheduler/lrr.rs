//! `lrr`, loose round robin: around the ring of slots, behind the warp that issued last; warps that cannot issue lose
//! their turn.

use super::{AgeOrder, OrderSetup, Selection, WarpOrder};
use crate::compute::warps::WarpMask;

/// The order.
#[derive(Clone, Copy, Debug)]
pub struct LooseRoundRobin {
    /// The warp that issued last.
    last: Option<usize>,
}

impl WarpOrder for LooseRoundRobin {
    fn new(_setup: &OrderSetup) -> Self {
        Self { last: None }
    }

    #[inline]
    fn select(&mut self, issuable: WarpMask, watched: WarpMask, _age: &AgeOrder) -> Selection {
        let up_to_last = self.last.map_or(0, up_to);
        let behind = issuable & !up_to_last;
        let (candidates, has_wrapped) = if behind == 0 { (issuable, true) } else { (behind, false) };
        if candidates == 0 {
            return Selection { winner: None, passed: watched };
        }
        let warp = candidates.trailing_zeros() as usize;
        let walked = if has_wrapped { !up_to_last | below(warp) } else { !up_to_last & below(warp) };
        self.last = Some(warp);
        Selection { winner: Some(warp), passed: watched & walked }
    }
}

/// Slots before `warp`.
fn below(warp: usize) -> WarpMask {
    (1 << warp) - 1
}

/// Slots up to and including `warp`.
fn up_to(warp: usize) -> WarpMask {
    below(warp) | 1 << warp
}

#[cfg(test)]
mod tests {
    use super::super::SchedulerPolicy;
    use super::super::tests::{scheduler, two_thread_blocks};
    use super::*;

    #[test]
    fn round_robin_goes_on_behind_the_last_and_wraps() {
        let age = two_thread_blocks();
        let mut scheduler = scheduler(SchedulerPolicy::Lrr);
        assert_eq!(scheduler.select(0b0010_0010, WarpMask::MAX, &age).winner, Some(1));
        assert_eq!(scheduler.select(0b0010_0010, WarpMask::MAX, &age).winner, Some(5));
        assert_eq!(
            scheduler.select(0b0010_0010, WarpMask::MAX, &age),
            Selection { winner: Some(1), passed: 0b1100_0001 }
        );
    }
}
