//! The members of one thread in a window, and up to where they may step.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

use super::board::{Apart, Board};
use super::turn::{Moment, Turn};

/// Up to where the members may step, which the aside finds out while they do.
#[derive(Debug)]
pub struct Horizon(Apart<AtomicU64>);

/// The bit of a horizon that says that it stays where it is.
const IS_FINAL: u64 = 1 << 63;

impl Horizon {
    /// The cycles before this one are open.
    pub fn new(until: u64) -> Self {
        Self(Apart(AtomicU64::new(until)))
    }

    /// The first cycle that is not open.
    #[inline]
    pub fn until(&self) -> u64 {
        self.0.0.load(Acquire) & !IS_FINAL
    }

    /// More cycles are open, unless it is final; only the calling thread says so.
    pub fn extend(&self, until: u64) {
        if !self.is_final() {
            self.0.0.store(until, Release);
        }
    }

    /// No further cycle will be open; only the calling thread says so.
    pub fn finish(&self) {
        self.0.0.fetch_or(IS_FINAL, Release);
    }

    /// Whether no further cycle will be open.
    #[inline]
    pub fn is_final(&self) -> bool {
        self.0.0.load(Acquire) & IS_FINAL != 0
    }

    /// Whether a cycle is open or will never be.
    #[inline]
    fn is_decided(&self, cycle: u64) -> bool {
        let state = self.0.0.load(Acquire);
        state & IS_FINAL != 0 || state > cycle
    }
}

/// The start of a list whose members are borrowed one by one.
pub(super) struct Members<T>(pub *mut T);

// SAFETY: a member is given to one thread at a time, which `Send` allows.
unsafe impl<T: Send> Sync for Members<T> {}

impl<T> Members<T> {
    /// Where a member is.
    fn at(&self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

/// The members of one thread in a window: pairs of two lists.
pub struct Share<'a, A, B> {
    pub(super) board: &'a Board,
    pub(super) thread: usize,
    pub(super) members: &'a [u16],
    pub(super) first: &'a Members<A>,
    pub(super) second: &'a Members<B>,
}

impl<'a, A, B> Share<'a, A, B> {
    /// Number of the thread; the calling one is the last.
    pub fn thread(&self) -> usize {
        self.thread
    }

    /// How many members it has.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The number of a member in the lists.
    pub fn index(&self, nth: usize) -> usize {
        usize::from(self.members[nth])
    }

    /// A member.
    pub fn member(&mut self, nth: usize) -> (&mut A, &mut B) {
        let index = self.index(nth);
        // SAFETY: the members of a share are below the length of both lists and in no other share. A share of a window is made
        // once, by the thread that has claimed it, and lends one member at a time. Both lists are borrowed until the window ends.
        unsafe { (&mut *self.first.at(index), &mut *self.second.at(index)) }
    }

    /// The second part of a member, to look at.
    pub fn second(&self, nth: usize) -> &B {
        // SAFETY: as in [`Share::member`]; nothing of the share is lent to be changed meanwhile.
        unsafe { &*self.second.at(self.index(nth)) }
    }

    /// The place of a member in the share.
    pub fn place_of(&self, index: usize) -> Option<usize> {
        self.members.iter().position(|&member| usize::from(member) == index)
    }

    /// Waits until a cycle is open, or known never to be; `before` is what [`Team::run`] gave for it. Returns the end of the cycles
    /// that are open, or `None` if a member failed before.
    pub fn await_open(&self, cycle: u64, horizon: &Horizon, before: &mut dyn FnMut(u64)) -> Option<u64> {
        let mut looks = 0;
        while !horizon.is_decided(cycle) {
            if self.board.failed.0.load(Acquire) < Moment::start_of(cycle).0 {
                return None;
            }
            self.board.pause(&mut looks);
            before(cycle);
            // The calling thread does what a worker has not begun, but not before its own share is done.
            if self.is_calling_thread() && looks >= self.board.looks_before_help() && self.board.is_one_late()
            {
                horizon.finish();
            }
        }
        Some(horizon.until())
    }

    fn is_calling_thread(&self) -> bool {
        self.thread + 1 == self.board.states.len()
    }

    /// The moment before which no member of another thread writes.
    pub fn others_calm_until(&self) -> Moment {
        let others = self.board.states.iter().enumerate().filter(|(thread, _)| *thread != self.thread);
        let calm = others.map(|(_, state)| state.calm.0.load(Acquire).max(state.moment.0.load(Acquire)));
        Moment(calm.min().unwrap_or(u64::MAX))
    }

    /// Says that no member of this thread writes before a moment.
    pub fn stay_calm(&self, until: Moment) {
        let calm = &self.board.states[self.thread].calm.0;
        if calm.load(Relaxed) < until.0 {
            calm.store(until.0, Release);
        }
    }

    /// A member is about to step; if it does not write, the thread is calm up to `calm_after`. `None` if a member failed before.
    pub fn enter(&self, cycle: u64, nth: usize, calm_after: Moment) -> Option<Turn<'a>> {
        let moment = Moment::of(cycle, self.index(nth));
        self.board.states[self.thread].moment.0.store(moment.0, Release);
        let turn = Turn { board: self.board, thread: self.thread, moment, calm_after };
        (self.board.failed.0.load(Acquire) > moment.0).then_some(turn)
    }

    /// A member failed: the share ends here.
    pub fn fail(&self, cycle: u64, nth: usize) {
        self.board.failed.0.fetch_min(Moment::of(cycle, self.index(nth)).0, SeqCst);
    }

    /// All members have stepped.
    pub fn finish_cycle(&self, cycle: u64) {
        let state = &self.board.states[self.thread];
        state.moment.0.store(Moment::start_of(cycle + 1).0, Release);
        state.progress.0.done.store(cycle + 1, Release);
    }

    /// Waits until all threads have finished a cycle. Returns `false` if a member failed in it or before.
    pub fn await_cycle(&self, cycle: u64) -> bool {
        let are_past = || self.board.are_done(cycle + 1);
        are_past() || self.board.wait(Moment::start_of(cycle + 1), are_past)
    }
}
