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

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, available_parallelism};
use std::time::{Duration, Instant};

/// Most members of a list: as many as an interconnect has nodes.
const MAX_MEMBERS: usize = 256;
/// Bits of a moment that name the member.
const MEMBER_BITS: u32 = 9;
/// The last moment of a cycle, behind those of all members.
const LAST_OF_CYCLE: u64 = (1 << MEMBER_BITS) - 1;
/// Looks at a memory word between two hints to the processor that this is a waiting loop.
const LOOKS_PER_HINT: u32 = 64;
/// Looks for a worker that is late before the calling thread claims its share.
const LOOKS_BEFORE_HELP: u32 = 10_000;
/// Looks before a waiting thread lets the system run another one; fewer if there are more threads than processors.
const LOOKS_BEFORE_YIELD: u32 = 4_000;
const LOOKS_IN_A_CROWD: u32 = 64;
/// How long a worker looks for a new window before it sleeps: many times as long as it takes to wake one.
const TIME_BEFORE_SLEEP: Duration = Duration::from_millis(1);
/// Windows after which the members are shared out anew.
const WINDOWS_BEFORE_DEAL: u32 = 32;

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

/// What the calling thread does beside the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsideKind {
    /// It does not look at what is shared.
    Apart,
    /// It looks at it, as it is before the cycle.
    Reads,
}

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

/// A cycle and a member of the list, in the order of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

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

    fn member(self) -> usize {
        (self.0 & LAST_OF_CYCLE).saturating_sub(1) as usize
    }
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

/// A value on cache lines of its own: who writes one does not take the lines of others.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// How far a thread is.
#[derive(Debug, Default)]
struct Progress {
    /// All cycles before this one are done.
    done: AtomicU64,
    /// The last window that the share's thread has left.
    left: AtomicU64,
}

/// What a thread says of itself.
#[derive(Debug, Default)]
struct ThreadState {
    /// Nothing of this thread is left before this moment that others could see.
    moment: Apart<AtomicU64>,
    /// No member of this thread writes before this moment.
    calm: Apart<AtomicU64>,
    progress: Apart<Progress>,
    /// The last window whose share is claimed: by the worker, or by the calling thread if that has waited too long. Others
    /// seldom look at it, so that claiming is cheap.
    claimed: Apart<AtomicU64>,
    is_asleep: Apart<AtomicBool>,
    /// Whether a worker that sleeps has been woken, and has not noticed yet.
    is_called: AtomicBool,
}

impl ThreadState {
    /// Claims the share of a window. Returns whether it was free.
    fn claim(&self, window: u64) -> bool {
        self.claimed.0.fetch_max(window, SeqCst) < window
    }

    /// The worker is awake.
    fn rise(&self) {
        self.is_called.store(false, SeqCst);
        self.is_asleep.0.store(false, SeqCst);
    }

    fn done(&self) -> u64 {
        self.progress.0.done.load(Acquire)
    }

    fn has_left(&self, window: u64) -> bool {
        self.progress.0.left.load(Acquire) == window
    }

    /// The thread is at the start of `cycle`.
    fn restart(&self, cycle: u64) {
        self.moment.0.store(Moment::start_of(cycle).0, Relaxed);
        self.calm.0.store(Moment::start_of(cycle).0, Relaxed);
        self.progress.0.done.store(cycle, Relaxed);
    }
}

/// What the workers look for, with the window behind it.
#[repr(C, align(128))]
struct Gate {
    /// The number of the window.
    number: AtomicU64,
    window: UnsafeCell<Option<Window<'static>>>,
}

/// What the threads of a team see of each other.
struct Board {
    gate: Gate,
    /// No window will follow.
    is_over: AtomicBool,
    /// The moment of the first failure in this window.
    failed: Apart<AtomicU64>,
    /// The cycle that the aside does next, where it reads what is shared.
    aside: Apart<AtomicU64>,
    aside_reads: AtomicBool,
    states: Vec<ThreadState>,
    looks_before_yield: u32,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: everything but the gate's window is synchronised by itself. A worker reads the window after it has claimed its share of
// it. The team's owner ends a window, and writes the next one, when each share has been left by its worker or claimed by the
// owner. So writing and reading never overlap, and what the window refers to lives. What it refers to is `Sync`.
unsafe impl Sync for Board {}
// SAFETY: as above.
unsafe impl Send for Board {}

/// Runs the share of a thread; it calls the function before each cycle.
type RunShare<'a> = dyn Fn(usize, &mut dyn FnMut(u64)) + Sync + 'a;

/// What the threads do in a window.
#[derive(Clone, Copy)]
struct Window<'a> {
    number: u64,
    run: &'a RunShare<'a>,
}

/// The right of a member to touch what all share.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    board: &'a Board,
    thread: usize,
    moment: Moment,
    /// The thread is calm up to here when this member no longer writes.
    calm_after: Moment,
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

/// The start of a list whose members are borrowed one by one.
struct Members<T>(*mut T);

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
    board: &'a Board,
    thread: usize,
    members: &'a [u16],
    first: &'a Members<A>,
    second: &'a Members<B>,
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
        let board = Arc::new(Board {
            gate: Gate { number: AtomicU64::new(0), window: UnsafeCell::new(None) },
            is_over: AtomicBool::new(false),
            failed: Apart(AtomicU64::new(Moment::NEVER.0)),
            aside: Apart::default(),
            aside_reads: AtomicBool::new(false),
            states: std::iter::repeat_with(ThreadState::default).take(workers + 1).collect(),
            looks_before_yield: if is_crowd { LOOKS_IN_A_CROWD } else { LOOKS_BEFORE_YIELD },
            panic: Mutex::new(None),
        });
        for state in &board.states[..workers] {
            // A thread that starts is about to look.
            state.is_asleep.0.store(true, Relaxed);
            state.is_called.store(true, Relaxed);
        }
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
        self.board.looks_before_yield == LOOKS_IN_A_CROWD
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

impl Board {
    /// What a worker does until the team is over.
    fn work(&self, worker: usize) {
        let state = &self.states[worker];
        let mut seen = 0;
        state.rise();
        loop {
            seen = self.await_window(state, seen);
            if self.is_over.load(SeqCst) {
                return;
            }
            if state.claim(seen) {
                // SAFETY: this worker has claimed its share: the window is not written before the share is left, and what it
                // refers to lives.
                let window = unsafe { *self.gate.window.get() };
                if let Some(window) = window {
                    (window.run)(worker, &mut |_| ());
                }
                state.progress.0.left.store(seen, Release);
            }
        }
    }

    /// Waits for a window other than `seen`, or for the end.
    fn await_window(&self, state: &ThreadState, seen: u64) -> u64 {
        let (mut looks, mut since) = (0, None);
        loop {
            let number = self.gate.number.load(SeqCst);
            if number != seen || self.is_over.load(Relaxed) {
                return number;
            }
            self.pause(&mut looks);
            if looks < self.looks_before_yield {
                continue;
            }
            if since.get_or_insert_with(Instant::now).elapsed() < TIME_BEFORE_SLEEP {
                continue;
            }
            (looks, since) = (0, None);
            // A window opened after this store wakes this worker; one opened before is seen by the next look. Should the two
            // miss each other, the calling thread does this worker's share until the next window wakes it.
            state.is_asleep.0.store(true, SeqCst);
            if self.gate.number.load(SeqCst) == number && !self.is_over.load(SeqCst) {
                std::thread::park();
            }
            state.rise();
        }
    }

    fn looks_before_help(&self) -> u32 {
        LOOKS_BEFORE_HELP.min(self.looks_before_yield)
    }

    /// Whether a worker has not begun its share of this window.
    fn is_one_late(&self) -> bool {
        let window = self.gate.number.load(Relaxed);
        let workers = &self.states[..self.states.len() - 1];
        workers.iter().any(|state| state.claimed.0.load(Relaxed) < window)
    }

    /// Whether all threads have done the cycles before this one.
    #[inline]
    fn are_done(&self, cycle: u64) -> bool {
        self.states.iter().all(|state| state.done() >= cycle)
    }

    /// Waits for something, at a moment. Returns `false` if a member failed before.
    #[cold]
    fn wait(&self, moment: Moment, is_fine: impl Fn() -> bool) -> bool {
        let mut looks = 0;
        while !is_fine() {
            if self.failed.0.load(Acquire) < moment.0 {
                return false;
            }
            self.pause(&mut looks);
        }
        true
    }

    /// Waits a moment, and longer when it has been called often.
    #[inline]
    fn pause(&self, looks: &mut u32) {
        look_again(looks);
        if *looks >= self.looks_before_yield {
            std::thread::yield_now();
        }
    }

    /// A share, or the aside, panicked: the window ends, and the caller gets the panic.
    fn keep_panic(&self, payload: Box<dyn Any + Send>) {
        *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
        self.failed.0.store(0, SeqCst);
    }
}

#[inline]
fn look_again(looks: &mut u32) {
    *looks = looks.saturating_add(1);
    if looks.is_multiple_of(LOOKS_PER_HINT) {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests;
