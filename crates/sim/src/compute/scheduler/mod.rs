//! Warp schedulers: which warp issues in this cycle. The contract of a policy, and the list of all of them.
//!
//! Scheduler `i` of `n` owns the warp slots whose number is `i` modulo `n`. In each cycle it walks over its warps in
//! the order of its policy and stops at the first that can issue: an instruction in the buffer, all registers written,
//! room in the pipe. On the way it redirects warps whose buffer holds the wrong instruction; those behind the one that
//! issues have to wait for that, too.
//!
//! | file          | key         | order                                                              |
//! |---------------|-------------|--------------------------------------------------------------------|
//! | [`gto`]       | `gto`       | the warp that issued last, then the oldest first                   |
//! | [`lrr`]       | `lrr`       | around the ring of slots, behind the warp that issued last         |
//! | [`two_level`] | `two_level` | round robin among a few active warps; those that wait for memory or a barrier make room |
//!
//! A new policy is a file with a type that implements [`WarpOrder`], and one line in the list below.

mod age;
mod gto;
mod lrr;
mod two_level;

pub use age::AgeOrder;

use serde::{Deserialize, Serialize};

use super::warps::WarpMask;

/// What a policy is made for.
#[derive(Clone, Copy, Debug)]
pub struct OrderSetup {
    /// Number of the scheduler in its SM.
    pub scheduler: usize,
    /// Slots that it owns.
    pub owned: WarpMask,
    /// Warps that `two_level` chooses among.
    pub active_warps: usize,
}

/// The contract: the order in which a scheduler walks over its warps. It is asked once in each cycle in which a warp of
/// the scheduler has an instruction.
pub trait WarpOrder {
    /// Whether [`WarpOrder::note_parked`] must be called before each choice, which takes time in every cycle.
    const NEEDS_PARKED_WARPS: bool = false;

    /// The order at the beginning.
    fn new(setup: &OrderSetup) -> Self;

    /// `parked` warps wait for something long: memory, a barrier, a fence, or a thread block.
    fn note_parked(&mut self, _parked: WarpMask) {}

    /// Chooses among `issuable` warps. Which of the `watched` ones are passed on the way is of interest.
    fn select(&mut self, issuable: WarpMask, watched: WarpMask, age: &AgeOrder) -> Selection;
}

/// What a scheduler found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The warp that issues.
    pub winner: Option<usize>,
    /// Watched warps passed on the way to it; all if there is none.
    pub passed: WarpMask,
}

/// From a line for each policy: the values of the key `sm.scheduler`, and one type that is any of them.
macro_rules! orders {
    ($($name:ident($order:ty), $summary:literal;)*) => {
        /// The values of the key `sm.scheduler`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum SchedulerPolicy {
            $(#[doc = $summary] $name,)*
        }

        /// Any policy.
        #[derive(Clone, Debug)]
        enum AnyOrder {
            $($name($order),)*
        }

        impl AnyOrder {
            fn new(policy: SchedulerPolicy, setup: &OrderSetup) -> Self {
                match policy { $(SchedulerPolicy::$name => Self::$name(<$order>::new(setup)),)* }
            }

            #[inline]
            fn needs_parked_warps(&self) -> bool {
                match self { $(Self::$name(_) => <$order>::NEEDS_PARKED_WARPS,)* }
            }

            fn note_parked(&mut self, parked: WarpMask) {
                match self { $(Self::$name(order) => order.note_parked(parked),)* }
            }

            #[inline(always)]
            fn select(&mut self, issuable: WarpMask, watched: WarpMask, age: &AgeOrder) -> Selection {
                match self { $(Self::$name(order) => order.select(issuable, watched, age),)* }
            }
        }
    };
}

// The key is the name in small letters with underscores: `TwoLevel` is `two_level`.
orders! {
    Gto(gto::GreedyThenOldest), "Greedy, then oldest.";
    Lrr(lrr::LooseRoundRobin), "Loose round robin.";
    TwoLevel(two_level::TwoLevel), "A few active warps in round robin; the others wait.";
}

/// One scheduler.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Slots it owns.
    pub owned: WarpMask,
    order: AnyOrder,
}

impl Scheduler {
    /// Scheduler `index` of `count`, over `warps` slots; a two-level one has `active_warps`.
    pub fn new(
        policy: SchedulerPolicy,
        index: usize,
        count: usize,
        warps: usize,
        active_warps: usize,
    ) -> Self {
        let owned = (index..warps).step_by(count).fold(0, |mask, warp| mask | 1 << warp);
        let order = AnyOrder::new(policy, &OrderSetup { scheduler: index, owned, active_warps });
        Self { owned, order }
    }

    /// Whether [`Scheduler::note_parked`] must be called before each choice.
    #[inline]
    pub fn needs_parked_warps(&self) -> bool {
        self.order.needs_parked_warps()
    }

    /// `parked` warps wait for something long.
    pub fn note_parked(&mut self, parked: WarpMask) {
        self.order.note_parked(parked);
    }

    /// Chooses among the warps that can issue; the `watched` ones are those that passing them changes.
    #[inline]
    pub fn select(&mut self, issuable: WarpMask, watched: WarpMask, age: &AgeOrder) -> Selection {
        self.order.select(issuable & self.owned, watched & self.owned, age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only scheduler of eight slots.
    pub fn scheduler(policy: SchedulerPolicy) -> Scheduler {
        Scheduler::new(policy, 0, 1, 8, 2)
    }

    pub fn two_thread_blocks() -> AgeOrder {
        // The thread block in slots 4..8 is older than the one that took slots 0..4 later.
        let mut age = AgeOrder::default();
        age.push(0b1111_0000);
        age.push(0b0000_1111);
        age
    }

    #[test]
    fn schedulers_share_the_slots_by_parity() {
        assert_eq!(Scheduler::new(SchedulerPolicy::Gto, 1, 2, 6, 0).owned, 0b10_1010);
    }

    #[test]
    fn without_a_ready_warp_all_were_passed() {
        for policy in [SchedulerPolicy::Gto, SchedulerPolicy::Lrr] {
            let mut scheduler = Scheduler::new(policy, 0, 2, 8, 0);
            let selection = scheduler.select(0, WarpMask::MAX, &two_thread_blocks());
            assert_eq!(selection, Selection { winner: None, passed: 0b0101_0101 });
        }
    }
}
