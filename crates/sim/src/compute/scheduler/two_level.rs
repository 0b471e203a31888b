//! `two_level`: round robin among a few active warps.
//!
//! Narasiman et al., "Improving GPU Performance via Large Warps and Two-Level Warp Scheduling", MICRO 2011, in the form
//! with an active and a pending list: a warp that waits for memory, a barrier or nothing at all leaves the active list
//! for the end of the pending one, whose front moves up.

use std::collections::VecDeque;

use super::{AgeOrder, OrderSetup, Selection, WarpOrder};
use crate::compute::warps::WarpMask;

/// Active and pending warps, both in order.
#[derive(Clone, Debug)]
pub struct TwoLevel {
    active: Vec<usize>,
    pending: VecDeque<usize>,
    active_warps: usize,
}

impl WarpOrder for TwoLevel {
    const NEEDS_PARKED_WARPS: bool = true;

    /// The first of the owned slots are active.
    fn new(setup: &OrderSetup) -> Self {
        let mut slots = (0..WarpMask::BITS as usize).filter(|warp| setup.owned >> warp & 1 == 1);
        let active: Vec<_> = slots.by_ref().take(setup.active_warps).collect();
        Self { active, pending: slots.collect(), active_warps: setup.active_warps }
    }

    /// Parked warps leave the active list; pending ones take their places.
    fn note_parked(&mut self, parked: WarpMask) {
        let pending = &mut self.pending;
        self.active.retain(|&warp| {
            let stays = parked >> warp & 1 == 0;
            if !stays {
                pending.push_back(warp);
            }
            stays
        });
        while self.active.len() < self.active_warps {
            let Some(warp) = self.pending.pop_front() else { break };
            self.active.push(warp);
        }
    }

    /// The first active warp that can issue; the list then starts behind it.
    #[inline(never)]
    fn select(&mut self, issuable: WarpMask, _watched: WarpMask, _age: &AgeOrder) -> Selection {
        let position = self.active.iter().position(|&warp| issuable >> warp & 1 == 1);
        let passed_len = position.unwrap_or(self.active.len());
        let passed = self.active[..passed_len].iter().fold(0, |mask, &warp| mask | 1 << warp);
        let winner = position.map(|position| {
            let warp = self.active[position];
            self.active.rotate_left(position + 1);
            warp
        });
        Selection { winner, passed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> TwoLevel {
        TwoLevel::new(&OrderSetup { scheduler: 0, owned: 0b1111, active_warps: 2 })
    }

    fn select(lists: &mut TwoLevel, issuable: WarpMask) -> Option<usize> {
        lists.select(issuable, 0b1111, &AgeOrder::default()).winner
    }

    #[test]
    fn a_parked_warp_makes_room_for_the_first_pending_one() {
        let mut lists = lists();
        assert_eq!(select(&mut lists, 0b0100), None, "warp 2 is not active");
        lists.note_parked(0b0001);
        assert_eq!(select(&mut lists, 0b0100), Some(2));
    }

    #[test]
    fn active_warps_take_turns() {
        let mut lists = lists();
        assert_eq!([(); 3].map(|()| select(&mut lists, 0b0011)), [Some(0), Some(1), Some(0)]);
    }
}
