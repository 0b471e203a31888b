//! Threads that step the members of a list side by side for a window of cycles, with the results of one thread that steps all of
//! them cycle by cycle, in the order of the list.
//!
//! Every member has state of its own, and there is something that all of them share. A thread goes through its members cycle by
//! cycle and says where it is: its *moment*, a cycle and a member. Before a member touches what is shared, it takes its
//! [`Turn`], which comes when no other thread can disturb it any more:
//!
//! | what a member is about to do | which other threads it waits for                                         |
//! |------------------------------|--------------------------------------------------------------------------|
//! | [`Sharing::Reads`]           | those that may write before this moment: until they are past it or calm  |
//! | [`Sharing::Writes`]          | all: until they are past this moment                                     |
//!
//! A thread is *calm* up to a moment before which none of its members writes. Where all are calm, no thread waits for another one.
//! A member that fails ends the list at its moment, as it does on one thread: no member writes at a later one.
//!
//! Beside the members, the calling thread has work of its own (the aside), which touches no member: a cycle of it comes when all
//! members have done the cycles before. If it reads what is shared, what members write in that cycle comes after it.
//! The aside finds out up to which cycle members may step (the [`Horizon`]), so that a thread can be ahead of the others by some
//! cycles, and all meet only at the end of the window.
//!
//! A thread has the same members in every window, because their state is in its processor's cache. How many of them are the
//! calling thread's follows from who finishes first. A worker that has not come when the calling thread is done, since the system
//! runs something else there, is not waited for: the calling thread does its share.
//!
//! Threads wait for each other without the system's help, because a window takes some microseconds; they look at memory without
//! the processor's instruction for such loops most of the time, because a hypervisor takes many of these in a row as a sign that
//! it should run something else. Only a worker that has had no window for a while sleeps. To wake it costs the calling thread a
//! call of the system, and more time passes before the worker runs: who can go on without it asks [`Team::is_awake`] first.

mod board;
mod share;
mod turn;

use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::{Arc, PoisonError};
use std::thread::{Builder, JoinHandle, available_parallelism};

use board::{Board, ThreadState, Window};
use share::Members;
pub use share::{Horizon, Share};
pub use turn::{Moment, Sharing, Turn};

/// Most members of a list: as many as an interconnect has nodes.
const MAX_MEMBERS: usize = 256;
/// Windows after which the members are shared out anew.
const WINDOWS_BEFORE_DEAL: u32 = 32;

/// What the calling thread does beside the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsideKind {
    /// It does not look at what is shared.
    Apart,
    /// It looks at it, as it is before the cycle.
    Reads,
}

/// The calling thread and its workers.
pub struct Team {
    board: Arc<Board>,
    workers: Vec<JoinHandle<()>>,
    /// Per thread: its members. The calling thread is the last.
    shares: Vec<Vec<u16>>,
    members: usize,
    /// Members that are the calling thread's.
    own_members: usize,
    /// Per member: its thread.
    owners: Vec<u16>,
    /// Where the last window ended; nowhere if it failed.
    reached: Option<u64>,
    /// Windows since the members were shared out, and in how many of them the calling thread was the last.
    windows: u32,
    windows_last: u32,
}

/// The aside of a window.
struct Beside<'a, F> {
    board: &'a Board,
    kind: AsideKind,
    /// The cycle that comes next.
    next: u64,
    end: u64,
    run: F,
}

impl<F: FnMut(u64) -> bool> Beside<'_, F> {
    /// Does what can be done up to `cycle`; all of it if it reads what members write then.
    fn reach(&mut self, cycle: u64) {
        self.advance(cycle);
        let mut looks = 0;
        while self.kind == AsideKind::Reads && self.next <= cycle && self.next < self.end {
            self.board.pause(&mut looks);
            self.advance(cycle);
        }
    }

    fn advance(&mut self, last: u64) {
        while self.next <= last && self.next < self.end && self.board.are_done(self.next) {
            let failed = Moment(self.board.failed.0.load(Acquire));
            // What follows a failure is thrown away.
            if failed.cycle() < self.next {
                self.end = self.next;
                return;
            }
            let cycle = self.next;
            match catch_unwind(AssertUnwindSafe(|| (self.run)(cycle))) {
                Ok(true) => {}
                Ok(false) => self.end = cycle,
                Err(payload) => {
                    self.board.keep_panic(payload);
                    self.end = cycle;
                }
            }
            self.next = cycle + 1;
            if self.kind == AsideKind::Reads {
                self.board.aside.0.store(self.next, Release);
            }
        }
    }

    fn is_over(&self) -> bool {
        self.next >= self.end || Moment(self.board.failed.0.load(Acquire)).cycle() < self.next
    }
}

impl Team {
    /// The calling thread and `threads - 1` workers, for lists of up to `members`. `None` if the system gives no thread.
    pub fn new(threads: usize, members: usize) -> Option<Self> {
        let (workers, members) = (threads.saturating_sub(1), members.min(MAX_MEMBERS));
        let is_crowd = available_parallelism().is_ok_and(|processors| processors.get() < threads);
        let board = Arc::new(Board::new(workers, is_crowd));
        let mut team = Self {
            board,
            workers: Vec::with_capacity(workers),
            shares: vec![Vec::with_capacity(members); workers + 1],
            members,
            owners: vec![0; members],
            own_members: members / threads.max(1),
            reached: None,
            windows: 0,
            windows_last: 0,
        };
        for worker in 0..workers {
            let board = Arc::clone(&team.board);
            let builder = Builder::new().name(format!("sm-{worker}"));
            team.workers.push(builder.spawn(move || board.work(worker)).ok()?);
        }
        team.deal();
        Some(team)
    }

    /// Whether there are more threads than processors.
    pub fn is_crowd(&self) -> bool {
        self.board.is_crowd()
    }

    /// Per member: the thread that steps it.
    pub fn owners(&self) -> &[u16] {
        &self.owners
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.shares.len()
    }

    /// Steps the members of two lists of the same length, pair by pair, for some cycles, and no further than the horizon. `work`
    /// does a share, and calls its second argument before each cycle. `aside(cycle)` returns whether to go on with it. The error is
    /// the member that failed first.
    pub fn run<A: Send, B: Send>(
        &mut self,
        cycles: Range<u64>,
        horizon: &Horizon,
        (first, second): (&mut [A], &mut [B]),
        work: impl Fn(&mut Share<'_, A, B>, &mut dyn FnMut(u64)) + Sync,
        kind: AsideKind,
        aside: impl FnMut(u64) -> bool,
    ) -> Result<(), usize> {
        debug_assert!(self.members <= first.len().min(second.len()), "lists of all members");
        let (board, shares) = (&*self.board, &self.shares);
        let (first, second) = (Members(first.as_mut_ptr()), Members(second.as_mut_ptr()));
        let run = |thread: usize, before: &mut dyn FnMut(u64)| {
            let members = &shares[thread];
            let mut share = Share { board, thread, members, first: &first, second: &second };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(&mut share, before))) {
                board.keep_panic(payload);
            }
        };
        let window = Window { number: board.gate.number.load(Relaxed) + 1, run: &run };
        self.open(&window, cycles.start, kind);
        let mut beside = Beside { board, kind, next: cycles.start, end: cycles.end, run: aside };
        run(self.workers.len(), &mut |cycle| beside.reach(cycle));
        let is_last = self.close(&window, &mut beside);
        let panic = board.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = panic {
            self.reached = None;
            resume_unwind(payload);
        }
        let failed = Moment(board.failed.0.load(Acquire));
        if failed < Moment::NEVER {
            self.reached = None;
            return Err(failed.member());
        }
        self.reached = Some(cycles.end.min(horizon.until()));
        self.note_window(is_last);
        Ok(())
    }

    /// Shows a window to the workers; it must be closed before it goes out of scope.
    fn open(&self, window: &Window<'_>, start: u64, kind: AsideKind) {
        let board = &*self.board;
        // Lines that workers have read are written only when something changes.
        if self.reached != Some(start) {
            board.failed.0.store(Moment::NEVER.0, Relaxed);
            board.states.iter().for_each(|state| state.restart(start));
        }
        let reads = kind == AsideKind::Reads;
        if board.aside_reads.load(Relaxed) != reads {
            board.aside_reads.store(reads, Relaxed);
        }
        if reads {
            board.aside.0.store(start, Relaxed);
        }
        // SAFETY: what the window refers to outlives it: the caller closes it before, and no worker has it then.
        let shown = unsafe { std::mem::transmute::<Window<'_>, Window<'static>>(*window) };
        // SAFETY: all shares of the window before are left, so no worker reads it here.
        unsafe { *board.gate.window.get() = Some(shown) };
        board.gate.number.store(window.number, SeqCst);
        for (state, worker) in board.states.iter().zip(&self.workers) {
            call(state, worker);
        }
    }

    /// Whether all workers look for windows.
    #[inline]
    pub fn is_awake(&self) -> bool {
        self.worker_states().iter().all(|state| !state.is_asleep.0.load(Relaxed))
    }

    /// Wakes the workers that sleep, and does not wait until they run.
    pub fn wake(&self) {
        self.worker_states().iter().zip(&self.workers).for_each(|(state, worker)| call(state, worker));
    }

    fn worker_states(&self) -> &[ThreadState] {
        &self.board.states[..self.workers.len()]
    }

    /// Finishes the aside and waits until all shares are left; what workers that are late have not begun is done here. Returns
    /// whether all were left before.
    fn close(&self, window: &Window<'_>, beside: &mut Beside<'_, impl FnMut(u64) -> bool>) -> bool {
        let states = self.worker_states();
        let have_left = || states.iter().all(|state| state.has_left(window.number));
        let mut looks = 0;
        beside.advance(u64::MAX);
        let is_last = have_left();
        while !(have_left() && beside.is_over()) {
            self.board.pause(&mut looks);
            beside.advance(u64::MAX);
            // One share at a time: it may have to wait for others.
            let is_patient = looks < self.board.looks_before_help();
            let is_late = |state: &ThreadState| !is_patient || state.is_asleep.0.load(Relaxed);
            if let Some(late) = states.iter().position(|state| is_late(state) && state.claim(window.number)) {
                (window.run)(late, &mut |cycle| beside.reach(cycle));
                states[late].progress.0.left.store(window.number, Release);
            }
        }
        is_last
    }

    /// Who finishes last gets less: members move between the calling thread and the workers until both finish together.
    fn note_window(&mut self, is_last: bool) {
        self.windows += 1;
        self.windows_last += u32::from(is_last);
        if self.windows < WINDOWS_BEFORE_DEAL {
            return;
        }
        let last = std::mem::take(&mut self.windows_last);
        self.windows = 0;
        let most = self.members.div_ceil(self.workers.len() + 1);
        if last > WINDOWS_BEFORE_DEAL / 4 * 3 && self.own_members > 0 {
            self.own_members -= 1;
        } else if last < WINDOWS_BEFORE_DEAL / 4 && self.own_members < most {
            self.own_members += 1;
        } else {
            return;
        }
        self.deal();
    }

    /// Gives the members to the threads in turn, until the calling one has its number.
    fn deal(&mut self) {
        let workers = self.workers.len();
        self.shares.iter_mut().for_each(Vec::clear);
        let mut next = workers;
        for member in 0..self.members {
            if next == workers && (self.shares[workers].len() == self.own_members && workers > 0) {
                next = 0;
            }
            self.shares[next].push(member as u16);
            self.owners[member] = next as u16;
            next = if next == workers { 0 } else { next + 1 };
        }
    }
}

/// Wakes a worker if it sleeps and was not woken before.
#[inline]
fn call(state: &ThreadState, worker: &JoinHandle<()>) {
    if state.is_asleep.0.load(SeqCst) && !state.is_called.swap(true, SeqCst) {
        worker.thread().unpark();
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.board.is_over.store(true, SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A worker catches the panics of its share; it has nothing else to report.
            let _ended = worker.join();
        }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Team({} workers)", self.workers.len())
    }
}

#[cfg(test)]
mod tests;
