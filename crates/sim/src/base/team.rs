//! Threads that visit the members of a list side by side, with the results of one thread that visits them in order.
//!
//! Every member has state of its own, and there is something that all of them share. Before it touches that, a member takes
//! its [`Turn`], which comes when no member before it in the list can disturb it any more:
//!
//! | what a member is about to do | which members before it must be over with what                                  |
//! |------------------------------|---------------------------------------------------------------------------------|
//! | [`Sharing::Reads`]           | those that may write: until they cannot any more                                |
//! | [`Sharing::Writes`]          | all: until they can neither read, write nor fail any more                       |
//!
//! Which members may write in a round is known before the round begins, and a member announces when less is left for it. In
//! a round in which no member may write, no thread waits for another one. A member that fails ends the list, as it does on one
//! thread: no member behind it writes.
//!
//! Beside the members, the calling thread has work of its own (the aside), which touches no member. If it reads what is
//! shared, it comes before everything that members write.
//!
//! A thread visits the same members in every round, because their state is in its processor's cache. How many of them are the
//! calling thread's follows from who finishes first. A worker that has not come when all others are done, since the system runs
//! something else there, is not waited for: the calling thread visits its members.
//!
//! Threads wait for each other without the system's help, because a round takes a few microseconds; they look at memory without
//! the processor's instruction for such loops most of the time, because a hypervisor takes many of these in a row as a sign that
//! it should run something else.

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Most members of a list: as many as an interconnect has nodes.
const MAX_MEMBERS: usize = 256;
/// Looks at a memory word between two hints to the processor that this is a waiting loop.
const LOOKS_PER_HINT: u32 = 64;
/// Looks for a worker that is late before the calling thread claims its share.
const LOOKS_BEFORE_HELP: u32 = 30_000;
/// Looks before a waiting thread lets the system run another one.
const LOOKS_BEFORE_YIELD: u32 = 40_000;
/// Looks for a new round before a worker sleeps: about as long as ten rounds take.
const LOOKS_BEFORE_SLEEP: u32 = 100_000;
/// Rounds after which the members are shared out anew.
const ROUNDS_BEFORE_DEAL: u32 = 512;

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
    /// It looks at it, as it is before the round.
    Reads,
}

/// The calling thread and its workers.
pub struct Team {
    board: Arc<Board>,
    workers: Vec<JoinHandle<()>>,
    /// Per member: the thread that visits it; the calling one is the last.
    threads: Vec<u8>,
    /// Members that are the calling thread's.
    own_members: usize,
    /// Rounds since the members were shared out, and in how many of them the calling thread was the last.
    rounds: u32,
    rounds_last: u32,
}

/// A value on cache lines of its own: who writes one does not take the lines of others.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// What a worker says of itself.
#[derive(Debug, Default)]
struct WorkerState {
    /// The last round whose share is claimed: by the worker, or by the calling thread if that has waited too long. Others
    /// seldom look at it, so that claiming is cheap.
    claimed: Apart<AtomicU64>,
    /// The last round whose share it has done.
    done: Apart<AtomicU64>,
    is_asleep: Apart<AtomicBool>,
}

impl WorkerState {
    /// Claims the worker's share of a round. Returns whether it was free.
    fn claim(&self, round: u64) -> bool {
        self.claimed.0.fetch_max(round, SeqCst) < round
    }

    fn is_done(&self, round: u64) -> bool {
        self.done.0.load(Acquire) == round
    }
}

/// What the workers look for, with the round behind it.
#[repr(C, align(128))]
struct Gate {
    /// The number of the round.
    number: AtomicU64,
    round: UnsafeCell<Option<Round<'static>>>,
}

/// What the threads of a team see of each other.
struct Board {
    gate: Gate,
    /// No round will follow.
    is_over: AtomicBool,
    /// The first member that failed in this round.
    failed: AtomicUsize,
    /// The last round whose aside is done.
    aside: AtomicU64,
    /// Per member, what is left for it: a round in the upper bits, a [`Sharing`] in the lower two.
    left: Vec<Apart<AtomicU64>>,
    states: Vec<WorkerState>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: everything but the gate's round is synchronised by itself. A worker reads the round after it has claimed its share of
// it. The team's owner ends a round, and writes the next one, when each share has been done by its worker or claimed by the
// owner. So writing and reading never overlap, and what the round refers to lives. What it refers to is `Sync`.
unsafe impl Sync for Board {}
// SAFETY: as above.
unsafe impl Send for Board {}

/// A set of members.
#[derive(Clone, Copy, Debug, Default)]
struct MemberSet([u64; MAX_MEMBERS / 64]);

impl MemberSet {
    fn insert(&mut self, member: usize) {
        self.0[member / 64] |= 1 << (member % 64);
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Whether `is_fine` holds for all members before `end`; the first for which it does not ends the walk.
    fn all_before(&self, end: usize, mut is_fine: impl FnMut(usize) -> bool) -> bool {
        for (index, &word) in self.0.iter().enumerate().take(end.div_ceil(64)) {
            let mut rest = if end / 64 == index { word & ((1 << (end % 64)) - 1) } else { word };
            while rest != 0 {
                if !is_fine(index * 64 + rest.trailing_zeros() as usize) {
                    return false;
                }
                rest &= rest - 1;
            }
        }
        true
    }
}

/// The members of one round.
#[derive(Clone, Copy)]
#[repr(C)]
struct Round<'a> {
    number: u64,
    visit: &'a (dyn Fn(Turn<'_>, usize) -> bool + Sync),
    /// Per member: the thread that visits it.
    threads: &'a [u8],
    has_writers: bool,
    aside: AsideKind,
    /// Members that take part.
    taking: MemberSet,
    /// Of them, those that may write.
    writing: MemberSet,
    board: &'a Board,
}

/// The right of a member to touch what all share.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    round: &'a Round<'a>,
    member: usize,
}

impl Turn<'_> {
    /// Waits until the member may do this. Returns `false` if a member before it failed: this one must then stop.
    #[inline]
    pub fn take(self, sharing: Sharing) -> bool {
        sharing < Sharing::Reads || !self.round.has_writers || self.await_turn(sharing)
    }

    fn await_turn(self, sharing: Sharing) -> bool {
        let Self { round, member } = self;
        if sharing == Sharing::Reads {
            return round
                .writing
                .all_before(member, |index| round.await_member(index, member, Sharing::Reads));
        }
        round.await_aside();
        round.taking.all_before(member, |index| round.await_member(index, member, Sharing::Nothing))
    }

    /// Says what the member will do at most in the rest of the round.
    #[inline]
    pub fn announce(self, most: Sharing) {
        if self.round.has_writers {
            self.round.board.left[self.member].0.store(left_in(self.round.number, most), Release);
        }
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Turn({})", self.member)
    }
}

/// What is left for a member in a round, as a word.
fn left_in(round: u64, most: Sharing) -> u64 {
    round << 2 | most as u64
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

impl Team {
    /// The calling thread and `threads - 1` workers, for lists of up to `members`. `None` if the system gives no thread.
    pub fn new(threads: usize, members: usize) -> Option<Self> {
        let (workers, members) = (threads.saturating_sub(1), members.min(MAX_MEMBERS));
        let board = Arc::new(Board {
            gate: Gate { number: AtomicU64::new(0), round: UnsafeCell::new(None) },
            is_over: AtomicBool::new(false),
            failed: AtomicUsize::new(usize::MAX),
            aside: AtomicU64::new(0),
            left: std::iter::repeat_with(Apart::default).take(members).collect(),
            states: std::iter::repeat_with(WorkerState::default).take(workers).collect(),
            panic: Mutex::new(None),
        });
        let mut team = Self {
            board,
            workers: Vec::with_capacity(workers),
            threads: vec![0; members],
            own_members: members / threads.max(1),
            rounds: 0,
            rounds_last: 0,
        };
        for worker in 0..workers {
            let board = Arc::clone(&team.board);
            let builder = Builder::new().name(format!("sm-{worker}"));
            team.workers.push(builder.spawn(move || board.work(worker)).ok()?);
        }
        team.deal();
        Some(team)
    }

    /// Visits the members of two lists of the same length, pair by pair. `may_write` says whether a member may write, `None` if
    /// it takes no part. A visit returns whether it went well. The calling thread does `aside` meanwhile.
    pub fn visit<A: Send, B: Send>(
        &mut self,
        (first, second): (&mut [A], &mut [B]),
        may_write: impl Fn(&B) -> Option<bool>,
        visit: impl Fn(Turn<'_>, &mut A, &mut B) -> bool + Sync,
        aside_kind: AsideKind,
        aside: impl FnOnce(),
    ) {
        let board = &*self.board;
        let members = first.len().min(second.len()).min(board.left.len());
        let [mut taking, mut writing] = [MemberSet::default(); 2];
        for (index, member) in second.iter().enumerate().take(members) {
            let Some(may_write) = may_write(member) else { continue };
            taking.insert(index);
            if may_write {
                writing.insert(index);
            }
        }
        let (first, second) = (Members(first.as_mut_ptr()), Members(second.as_mut_ptr()));
        let visit_pair = |turn: Turn<'_>, index: usize| {
            debug_assert!(index < members, "a member of both lists");
            // SAFETY: `index` is below the length of both lists, and a member is visited once in a round, by the thread that has
            // claimed the share it is in. So this is the only reference to either of the two. Both lists are borrowed until the
            // round has ended.
            let (a, b) = unsafe { (&mut *first.at(index), &mut *second.at(index)) };
            visit(turn, a, b)
        };
        let round = Round {
            board,
            number: board.gate.number.load(Relaxed) + 1,
            threads: &self.threads,
            taking,
            writing,
            has_writers: !writing.is_empty(),
            aside: aside_kind,
            visit: &visit_pair,
        };
        self.open(&round);
        let mut aside = Some(aside);
        if aside_kind == AsideKind::Reads {
            round.do_aside(&mut aside);
        }
        let own = self.workers.len();
        round.visit_members(|thread| thread == own);
        round.do_aside(&mut aside);
        let is_last = self.close(&round);
        let panic = board.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
        self.note_round(is_last);
    }

    /// Shows a round to the workers; it must be closed before it goes out of scope.
    fn open(&self, round: &Round<'_>) {
        let board = &*self.board;
        // Lines that workers have read are written only when something changes.
        if board.failed.load(Relaxed) != usize::MAX {
            board.failed.store(usize::MAX, Relaxed);
        }
        // SAFETY: what the round refers to outlives the round: the caller closes it before, and no worker has it then.
        let shown = unsafe { std::mem::transmute::<Round<'_>, Round<'static>>(*round) };
        // SAFETY: all shares of the round before are done, so no worker reads it here.
        unsafe { *board.gate.round.get() = Some(shown) };
        board.gate.number.store(round.number, Release);
        for (state, worker) in board.states.iter().zip(&self.workers) {
            if state.is_asleep.0.load(Relaxed) {
                worker.thread().unpark();
            }
        }
    }

    /// Waits until all shares are done; what workers that are late have not begun is done here. Returns whether all were done
    /// before.
    fn close(&self, round: &Round<'_>) -> bool {
        let states = &self.board.states;
        let are_done = || states.iter().all(|state| state.is_done(round.number));
        if are_done() {
            return true;
        }
        let mut looks = 0;
        while looks < LOOKS_BEFORE_HELP {
            pause(&mut looks);
            if are_done() {
                return false;
            }
        }
        self.finish_without_late(round);
        false
    }

    #[cold]
    fn finish_without_late(&self, round: &Round<'_>) {
        let states = &self.board.states;
        let late: Vec<bool> = states.iter().map(|state| state.claim(round.number)).collect();
        round.visit_members(|thread| late.get(thread).copied().unwrap_or(false));
        let mut looks = 0;
        while states.iter().zip(&late).any(|(state, &is_late)| !is_late && !state.is_done(round.number)) {
            pause(&mut looks);
        }
    }

    /// Who finishes last gets less: members move between the calling thread and the workers until both finish together.
    fn note_round(&mut self, is_last: bool) {
        self.rounds += 1;
        self.rounds_last += u32::from(is_last);
        if self.rounds < ROUNDS_BEFORE_DEAL {
            return;
        }
        let last = std::mem::take(&mut self.rounds_last);
        self.rounds = 0;
        let most = self.threads.len().div_ceil(self.workers.len() + 1);
        if last > ROUNDS_BEFORE_DEAL / 4 * 3 && self.own_members > 0 {
            self.own_members -= 1;
        } else if last < ROUNDS_BEFORE_DEAL / 4 && self.own_members < most {
            self.own_members += 1;
        } else {
            return;
        }
        self.deal();
    }

    /// Gives the members to the threads in turn, until the calling one has its number.
    fn deal(&mut self) {
        let workers = self.workers.len();
        let (mut next, mut own) = (workers, 0);
        for thread in &mut self.threads {
            if next == workers && (own == self.own_members && workers > 0) {
                next = 0;
            }
            *thread = next as u8;
            own += usize::from(next == workers);
            next = if next == workers { 0 } else { next + 1 };
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.board.is_over.store(true, SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A worker catches the panics of visits; it has nothing else to report.
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
        loop {
            seen = self.await_round(state, seen);
            if self.is_over.load(SeqCst) {
                return;
            }
            if state.claim(seen) {
                // SAFETY: this worker has claimed its share: the round is not written before the share is done, and what it
                // refers to lives.
                let round = unsafe { *self.gate.round.get() };
                if let Some(round) = round {
                    round.visit_members(|thread| thread == worker);
                }
                state.done.0.store(seen, Release);
            }
        }
    }

    /// Waits for a round other than `seen`, or for the end.
    fn await_round(&self, state: &WorkerState, seen: u64) -> u64 {
        let mut looks = 0;
        loop {
            let number = self.gate.number.load(SeqCst);
            if number != seen || self.is_over.load(Relaxed) {
                return number;
            }
            look_again(&mut looks);
            if looks < LOOKS_BEFORE_SLEEP {
                continue;
            }
            looks = 0;
            // A round opened after this store wakes this worker; one opened before is seen by the next look. Should the two
            // miss each other, the others do this worker's share until the next round wakes it.
            state.is_asleep.0.store(true, SeqCst);
            if self.gate.number.load(SeqCst) == number && !self.is_over.load(SeqCst) {
                std::thread::park();
            }
            state.is_asleep.0.store(false, SeqCst);
        }
    }
}

impl Round<'_> {
    /// Visits the members of some threads in order, up to one that failed.
    fn visit_members(&self, is_meant: impl Fn(usize) -> bool) {
        self.taking.all_before(self.threads.len(), |index| {
            if is_meant(usize::from(self.threads[index])) && self.board.failed.load(Acquire) > index {
                self.visit_member(index);
            }
            true
        });
    }

    fn visit_member(&self, index: usize) {
        let turn = Turn { round: self, member: index };
        match catch_unwind(AssertUnwindSafe(|| (self.visit)(turn, index))) {
            Ok(true) => turn.announce(Sharing::Nothing),
            Ok(false) => {
                self.board.failed.fetch_min(index, SeqCst);
            }
            Err(payload) => self.keep_panic(payload, index),
        }
    }

    /// Does what the calling thread has to do beside the members, unless it is done.
    fn do_aside(&self, aside: &mut Option<impl FnOnce()>) {
        let Some(aside) = aside.take() else { return };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(aside)) {
            self.keep_panic(payload, 0);
        }
        if self.aside == AsideKind::Reads {
            self.board.aside.store(self.number, Release);
        }
    }

    /// Waits until the aside has seen what members are about to change.
    fn await_aside(&self) {
        let mut looks = 0;
        while self.aside == AsideKind::Reads && self.board.aside.load(Acquire) != self.number {
            pause(&mut looks);
        }
    }

    /// Waits until at most `most` is left for member `index`, for one that follows. Returns `false` if a member before that
    /// one failed.
    #[inline]
    fn await_member(&self, index: usize, follower: usize, most: Sharing) -> bool {
        let [least, last] = [Sharing::Nothing, most].map(|sharing| left_in(self.number, sharing));
        let is_over = || (least..=last).contains(&self.board.left[index].0.load(Acquire));
        is_over() || self.await_busy_member(follower, is_over)
    }

    #[cold]
    fn await_busy_member(&self, follower: usize, is_over: impl Fn() -> bool) -> bool {
        let mut looks = 0;
        while !is_over() {
            if self.board.failed.load(Acquire) < follower {
                return false;
            }
            pause(&mut looks);
        }
        true
    }

    /// A visit, or the aside, panicked: no member from `index` on is visited, and the caller gets the panic.
    fn keep_panic(&self, payload: Box<dyn Any + Send>, index: usize) {
        *self.board.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
        self.board.failed.fetch_min(index, SeqCst);
    }
}

/// Waits a moment, and longer when it has been called often.
#[inline]
fn pause(looks: &mut u32) {
    look_again(looks);
    if *looks >= LOOKS_BEFORE_YIELD {
        std::thread::yield_now();
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
mod tests {
    use super::*;

    const MEMBERS: usize = 11;

    fn team(threads: usize) -> Team {
        Team::new(threads, MEMBERS).unwrap()
    }

    /// Visits all members, numbered from 0, each of which may write; the aside does nothing.
    fn visit_all(team: &mut Team, visit: impl Fn(&Turn<'_>, &mut usize) -> bool + Sync) {
        let mut numbers: [usize; MEMBERS] = std::array::from_fn(|index| index);
        let lists = (&mut numbers[..], &mut [(); MEMBERS][..]);
        let step = |turn: Turn<'_>, number: &mut usize, (): &mut ()| visit(&turn, number);
        team.visit(lists, |()| Some(true), step, AsideKind::Apart, || ());
    }

    #[test]
    fn writes_come_in_the_order_of_the_list() {
        for threads in [1, 2, 3, 8] {
            let mut team = team(threads);
            for round in 0..2000 {
                let order = Mutex::new(Vec::new());
                let mut numbers: [usize; MEMBERS] = std::array::from_fn(|index| index);
                let mut parts: [bool; MEMBERS] = std::array::from_fn(|index| (index + round) % 3 != 0);
                team.visit(
                    (&mut numbers[..], &mut parts[..]),
                    |&takes_part| takes_part.then_some(true),
                    |turn, number, _| {
                        assert!(turn.take(Sharing::Writes));
                        order.lock().unwrap().push(*number);
                        *number += 100;
                        true
                    },
                    AsideKind::Apart,
                    || (),
                );
                let expected: Vec<_> = (0..MEMBERS).filter(|index| (index + round) % 3 != 0).collect();
                assert_eq!(order.into_inner().unwrap(), expected, "{threads} threads");
                assert_eq!(numbers.iter().filter(|&&number| number >= 100).count(), expected.len());
            }
        }
    }

    /// What a member does in the test below: reads, writes, or announces that it will not write and reads.
    fn act(turn: &Turn<'_>, member: usize, round: usize, shared: &AtomicUsize, seen: &AtomicUsize) {
        match (member * 7 + round) % 4 {
            0 => {
                assert!(turn.take(Sharing::Writes));
                let before = shared.load(Relaxed);
                shared.store(before * 3 + member, Relaxed);
            }
            1 => turn.announce(Sharing::Nothing),
            kind => {
                if kind == 2 {
                    turn.announce(Sharing::Reads);
                }
                assert!(turn.take(Sharing::Reads));
                seen.store(shared.load(Relaxed), Relaxed);
            }
        }
    }

    #[test]
    fn a_member_sees_what_those_before_it_have_written_and_nothing_else() {
        for threads in [1, 2, 3, 8] {
            let mut team = team(threads);
            for round in 0..2000 {
                let run = |team: Option<&mut Team>| {
                    let shared = AtomicUsize::new(round);
                    let mut members: [usize; MEMBERS] = std::array::from_fn(|index| index);
                    let mut seen: [AtomicUsize; MEMBERS] = std::array::from_fn(|_| AtomicUsize::new(0));
                    let beside = AtomicUsize::new(0);
                    match team {
                        None => {
                            beside.store(round, Relaxed);
                            let mut alone = Team::new(1, MEMBERS).unwrap();
                            alone.visit(
                                (&mut members[..], &mut seen[..]),
                                |_| Some(true),
                                |turn, member, seen| {
                                    act(&turn, *member, round, &shared, seen);
                                    true
                                },
                                AsideKind::Apart,
                                || (),
                            );
                        }
                        Some(team) => team.visit(
                            (&mut members[..], &mut seen[..]),
                            |_| Some(true),
                            |turn, member, seen| {
                                act(&turn, *member, round, &shared, seen);
                                true
                            },
                            AsideKind::Reads,
                            || beside.store(shared.load(Relaxed), Relaxed),
                        ),
                    }
                    (shared.into_inner(), seen.map(AtomicUsize::into_inner), beside.into_inner())
                };
                assert_eq!(run(Some(&mut team)), run(None), "{threads} threads, round {round}");
            }
        }
    }

    #[test]
    fn nobody_waits_where_nobody_writes() {
        let mut team = team(2);
        // The first member returns only when the last one has read.
        let has_read = AtomicBool::new(false);
        let mut numbers: [usize; MEMBERS] = std::array::from_fn(|index| index);
        team.visit(
            (&mut numbers[..], &mut [(); MEMBERS][..]),
            |()| Some(false),
            |turn, number, ()| {
                assert!(turn.take(Sharing::Reads));
                has_read.fetch_or(*number == 1, SeqCst);
                while *number == 0 && !has_read.load(SeqCst) {
                    std::thread::yield_now();
                }
                true
            },
            AsideKind::Apart,
            || (),
        );
        assert!(has_read.into_inner());
    }

    #[test]
    fn no_member_behind_one_that_failed_writes() {
        for threads in [1, 2, 4] {
            let mut team = team(threads);
            for _ in 0..2000 {
                let shared = Mutex::new(Vec::new());
                visit_all(&mut team, |turn, number| {
                    if *number == 7 || !turn.take(Sharing::Writes) {
                        return false;
                    }
                    shared.lock().unwrap().push(*number);
                    *number != 4
                });
                assert_eq!(shared.into_inner().unwrap(), [0, 1, 2, 3, 4]);
            }
        }
    }

    #[test]
    fn a_panic_of_a_visit_reaches_the_caller_and_the_team_stays_usable() {
        let mut team = team(3);
        let mut visit = |limit: usize| {
            visit_all(&mut team, |turn, number| {
                assert!(*number < limit, "too far");
                turn.take(Sharing::Writes)
            });
        };
        let caught = catch_unwind(AssertUnwindSafe(|| visit(5)));
        assert!(caught.is_err());
        visit(MEMBERS);
    }

    #[test]
    fn every_member_is_visited_once_whoever_is_late() {
        // More threads than processors: some are late in every round.
        let mut team = team(9);
        for round in 0..300 {
            let mut visits = [0; MEMBERS];
            team.visit(
                (&mut visits[..], &mut [(); MEMBERS][..]),
                |()| Some(round % 2 == 0),
                |_, visits, ()| {
                    *visits += 1;
                    true
                },
                AsideKind::Apart,
                || (),
            );
            assert_eq!(visits, [1; MEMBERS], "round {round}");
        }
    }

    #[test]
    fn the_calling_thread_has_fewer_members_when_it_finishes_last() {
        let mut team = team(2);
        let own = |team: &Team| team.threads.iter().map(|&thread| usize::from(thread == 1)).sum::<usize>();
        assert_eq!(own(&team), MEMBERS / 2);
        (0..3 * ROUNDS_BEFORE_DEAL).for_each(|_| team.note_round(true));
        assert_eq!(own(&team), MEMBERS / 2 - 3);
        (0..9 * ROUNDS_BEFORE_DEAL).for_each(|_| team.note_round(false));
        assert_eq!(own(&team), MEMBERS.div_ceil(2));
    }
}
