//! When a member of a list may touch what all members share.

use std::fmt;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::board::{Board, ThreadState};

/// Bits of a moment that name the member.
const MEMBER_BITS: u32 = 9;
/// The last moment of a cycle, behind those of all members.
const LAST_OF_CYCLE: u64 = (1 << MEMBER_BITS) - 1;

/// What a member does at most to what all share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    /// Nothing, and it cannot fail.
    #[default]
    Nothing = 0,
    /// Nothing, but it can fail.
    MayFail = 1,
    /// It looks at it.
    Reads = 2,
    /// It changes it.
    Writes = 3,
}

/// A cycle and a member of the list, in the order of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub(super) u64);

impl Moment {
    /// Later than all.
    pub const NEVER: Self = Self(u64::MAX);

    /// Before the first member steps in a cycle.
    #[inline]
    pub fn start_of(cycle: u64) -> Self {
        Self(cycle << MEMBER_BITS)
    }

    /// A member steps in a cycle.
    #[inline]
    pub fn of(cycle: u64, member: usize) -> Self {
        Self(cycle << MEMBER_BITS | (member as u64 + 1))
    }

    /// After the last member has stepped in a cycle.
    #[inline]
    pub fn end_of(cycle: u64) -> Self {
        Self(cycle << MEMBER_BITS | LAST_OF_CYCLE)
    }

    /// Whether all members have stepped.
    #[inline]
    pub fn is_end_of_cycle(self) -> bool {
        self.0 & LAST_OF_CYCLE == LAST_OF_CYCLE
    }

    /// Its cycle.
    #[inline]
    pub fn cycle(self) -> u64 {
        self.0 >> MEMBER_BITS
    }

    pub(super) fn member(self) -> usize {
        (self.0 & LAST_OF_CYCLE).saturating_sub(1) as usize
    }
}

/// The right of a member to touch what all share.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    pub(super) board: &'a Board,
    pub(super) thread: usize,
    pub(super) moment: Moment,
    /// The thread is calm up to here when this member no longer writes.
    pub(super) calm_after: Moment,
}

impl Turn<'_> {
    /// Waits until the member may do this. Returns `false` if a member before it failed: this one must then stop.
    #[inline]
    pub fn take(self, sharing: Sharing) -> bool {
        match sharing {
            Sharing::Nothing | Sharing::MayFail => true,
            Sharing::Reads => self.await_others(|state| {
                state.calm.0.load(Acquire) > self.moment.0 || state.moment.0.load(Acquire) > self.moment.0
            }),
            Sharing::Writes => {
                let board = self.board;
                let is_seen = || board.aside.0.load(Acquire) > self.moment.cycle();
                (!board.aside_reads.load(Relaxed) || is_seen() || board.wait(self.moment, is_seen))
                    && self.await_others(|state| state.moment.0.load(Acquire) > self.moment.0)
            }
        }
    }

    #[inline]
    fn await_others(self, is_past: impl Fn(&ThreadState) -> bool) -> bool {
        let mut others = self.board.states.iter().enumerate().filter(|(thread, _)| *thread != self.thread);
        others.all(|(_, state)| is_past(state) || self.board.wait(self.moment, || is_past(state)))
    }

    /// Says what the member will do at most in the rest of the cycle.
    #[inline]
    pub fn announce(self, most: Sharing) {
        let state = &self.board.states[self.thread];
        if most < Sharing::Writes && state.calm.0.load(Relaxed) < self.calm_after.0 {
            state.calm.0.store(self.calm_after.0, Release);
        }
        if most == Sharing::Nothing {
            state.moment.0.store(self.moment.0 + 1, Release);
        }
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Turn({:?})", self.moment)
    }
}
