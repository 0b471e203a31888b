//! Warp schedulers: which warp issues in this cycle.
//!
//! Scheduler `i` of `n` owns the warp slots whose number is `i` modulo `n`. In each cycle it walks over its warps in
//! the order of its policy and stops at the first that can issue: an instruction in the buffer, all registers written,
//! room in the pipe. On the way it redirects warps whose buffer holds the wrong instruction; those behind the one that
//! issues have to wait for that, too.
//!
//! | policy      | order                                                              |
//! |-------------|--------------------------------------------------------------------|
//! | `gto`       | the warp that issued last, then the oldest first                   |
//! | `lrr`       | around the ring of slots, behind the warp that issued last         |
//! | `two_level` | round robin among a few active warps; those that wait for memory or a barrier make room |

mod age;
mod two_level;

pub use age::AgeOrder;
use two_level::TwoLevel;

use super::warps::WarpMask;

/// The policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Greedy then oldest.
    GreedyThenOldest,
    /// Loose round robin.
    LooseRoundRobin,
    /// Two-level with this many active warps.
    TwoLevel {
        /// Warps a scheduler chooses among.
        active_warps: usize,
    },
}

/// What a scheduler found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The warp that issues.
    pub winner: Option<usize>,
    /// Warps passed on the way to it; all if there is none.
    pub passed: WarpMask,
}

/// One scheduler.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Slots it owns.
    pub owned: WarpMask,
    order: Order,
}

#[derive(Clone, Debug)]
enum Order {
    GreedyThenOldest { greedy: usize },
    LooseRoundRobin { last: Option<usize> },
    TwoLevel(TwoLevel),
}

impl Scheduler {
    /// Scheduler `index` of `count`, over `warps` slots.
    pub fn new(policy: Policy, index: usize, count: usize, warps: usize) -> Self {
        let owned = (index..warps).step_by(count).fold(0, |mask, warp| mask | 1 << warp);
        let order = match policy {
            Policy::GreedyThenOldest => Order::GreedyThenOldest { greedy: index },
            Policy::LooseRoundRobin => Order::LooseRoundRobin { last: None },
            Policy::TwoLevel { active_warps } => Order::TwoLevel(TwoLevel::new(owned, active_warps)),
        };
        Self { owned, order }
    }

    /// Whether the policy moves warps between its lists before it chooses.
    pub fn keeps_lists(&self) -> bool {
        matches!(self.order, Order::TwoLevel(_))
    }

    /// Lets the policy renew its lists; `parked` warps wait for something long.
    pub fn update_lists(&mut self, parked: WarpMask) {
        if let Order::TwoLevel(lists) = &mut self.order {
            lists.update(parked);
        }
    }

    /// Chooses among the warps that can issue.
    #[inline]
    pub fn select(&mut self, issuable: WarpMask, age: &AgeOrder) -> Selection {
        let issuable = issuable & self.owned;
        match &mut self.order {
            Order::GreedyThenOldest { greedy } => {
                let selection = greedy_then_oldest(issuable, *greedy, self.owned, age);
                *greedy = selection.winner.unwrap_or(*greedy);
                selection
            }
            Order::LooseRoundRobin { last } => {
                let selection = round_robin(issuable, *last, self.owned);
                *last = selection.winner.or(*last);
                selection
            }
            Order::TwoLevel(lists) => lists.select(issuable),
        }
    }
}

fn greedy_then_oldest(issuable: WarpMask, greedy: usize, owned: WarpMask, age: &AgeOrder) -> Selection {
    if issuable >> greedy & 1 == 1 {
        return Selection { winner: Some(greedy), passed: 0 };
    }
    match age.oldest(issuable) {
        Some(warp) => Selection { winner: Some(warp), passed: (age.older_than(warp) | 1 << greedy) & owned },
        None => Selection { winner: None, passed: owned },
    }
}

fn round_robin(issuable: WarpMask, last: Option<usize>, owned: WarpMask) -> Selection {
    let up_to_last = last.map_or(0, up_to);
    let behind = issuable & !up_to_last;
    if behind != 0 {
        let warp = behind.trailing_zeros() as usize;
        return Selection { winner: Some(warp), passed: owned & !up_to_last & below(warp) };
    }
    if issuable != 0 {
        let warp = issuable.trailing_zeros() as usize;
        return Selection { winner: Some(warp), passed: owned & (!up_to_last | below(warp)) };
    }
    Selection { winner: None, passed: owned }
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
    use super::*;

    fn two_blocks() -> AgeOrder {
        // The block in slots 4..8 is older than the one that took slots 0..4 later.
        let mut age = AgeOrder::default();
        age.push(0b1111_0000);
        age.push(0b0000_1111);
        age
    }

    #[test]
    fn schedulers_share_the_slots_by_parity() {
        let scheduler = Scheduler::new(Policy::GreedyThenOldest, 1, 2, 6);
        assert_eq!(scheduler.owned, 0b10_1010);
    }

    #[test]
    fn greedy_stays_with_its_warp_then_takes_the_oldest_block() {
        let age = two_blocks();
        let mut scheduler = Scheduler::new(Policy::GreedyThenOldest, 0, 1, 8);
        assert_eq!(scheduler.select(0b0010_0010, &age).winner, Some(5), "slot 5 is in the older block");
        assert_eq!(scheduler.select(0b1111_1111, &age).winner, Some(5), "greedy");
        assert_eq!(scheduler.select(0b1000_1111, &age).winner, Some(7));
    }

    #[test]
    fn greedy_passes_itself_and_all_older_warps() {
        let mut scheduler = Scheduler::new(Policy::GreedyThenOldest, 0, 1, 8);
        let selection = scheduler.select(0b0000_0100, &two_blocks());
        assert_eq!(selection, Selection { winner: Some(2), passed: 0b1111_0011 });
    }

    #[test]
    fn round_robin_goes_on_behind_the_last_and_wraps() {
        let age = two_blocks();
        let mut scheduler = Scheduler::new(Policy::LooseRoundRobin, 0, 1, 8);
        assert_eq!(scheduler.select(0b0010_0010, &age).winner, Some(1));
        assert_eq!(scheduler.select(0b0010_0010, &age).winner, Some(5));
        assert_eq!(scheduler.select(0b0010_0010, &age), Selection { winner: Some(1), passed: 0b1100_0001 });
    }

    #[test]
    fn nobody_ready_means_all_were_looked_at() {
        let mut scheduler = Scheduler::new(Policy::LooseRoundRobin, 0, 2, 8);
        assert_eq!(scheduler.select(0, &two_blocks()), Selection { winner: None, passed: 0b0101_0101 });
    }
}
