//! Threads that visit the members of a list side by side, with the results of one thread that visits them in order.
//!
//! Every member has state of its own, and there is something that all of them share. Before it touches that, a member takes
//! its [`Turn`], which comes when no member before it in the list can disturb it any more:
//!
//! | what a member is about to do | which members before it must be over with what                                  |
//! |------------------------------|---------------------------------------------------------------------------------|
//! | [`Sharing::Reads`]           | those that may write: until they cannot any more                                |
//! | [`Sharing::Writes`]          | those that may read, write or fail: until they can do none of it any more       |
//!
//! What a member may do in a round at most is known before the round begins, and a member announces when less is left. In a
//! round in which no member may write, no thread waits for another one. A member that fails ends the list, as it does on one
//! thread: no member behind it writes.
//!
//! Beside the members, the calling thread has work of its own (the aside), which touches no member. If it reads what is
//! shared, it comes before everything that members write.
//!
//! A thread visits the same members in every round, because their state is in its processor's cache. How many of them are the
//! calling thread's follows from who finishes first. A member whose thread is late, since the system runs something else
//! there, is visited by a thread that waits for it.

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Most members of a list: as many as an interconnect has nodes.
const MAX_MEMBERS: usize = 256;
/// Looks at a thread that is late before another one visits its members.
const LOOKS_BEFORE_HELP: u32 = 2000;
/// Looks before a waiting thread lets the system run another one.
const LOOKS_BEFORE_YIELD: u32 = 2500;
/// Looks for a new round before a worker sleeps: about as long as ten rounds take.
const LOOKS_BEFORE_SLEEP: u32 = 6000;
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

/// One member, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Place {
    /// The last round in which a thread has begun to visit it.
    claimed: AtomicU64,
    /// What is left: a round in the upper bits, a [`Sharing`] in the lower two.
    left: AtomicU64,
}

/// A value on cache lines of its own: who writes one does not take the lines of others.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// What a worker says of itself.
#[derive(Debug, Default)]
struct WorkerState {
    /// The last round that it has entered; seldom read by others, so that entering is cheap.
    entered: Apart<AtomicU64>,
    /// The last round that it has left.
    left: Apart<AtomicU64>,
    is_asleep: Apart<AtomicBool>,
}

/// What the workers look for.
#[derive(Default)]
#[repr(align(128))]
struct Gate {
    /// Twice the number of the round, plus one while it is closed.
    round: AtomicU64,
    job: UnsafeCell<Option<NonNull<Round<'static>>>>,
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
    places: Vec<Place>,
    states: Vec<WorkerState>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: everything but the gate's job is synchronised by itself. The job is written by the team's owner while no worker is in a
// round, and read by a worker that has said that it is in the round and then found the gate open; before a round ends, its
// owner has seen that every worker has left it, or has closed the gate and seen that no worker is in it. So writing and
// reading never overlap. The `Round` it points to is `Sync`.
unsafe impl Sync for Board {}
// SAFETY: as above; the pointer is used only while its target lives.
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
struct Round<'a> {
    board: &'a Board,
    number: u64,
    threads: &'a [u8],
    /// Members that take part.
    taking: MemberSet,
    /// Of them, those that may do more than nothing, and those that may write.
    touching: MemberSet,
    writing: MemberSet,
    has_writers: bool,
    aside: AsideKind,
    visit: &'a (dyn Fn(Turn<'_>, usize) -> bool + Sync),
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
            return round.writing.all_before(member, |index| round.await_member(index, member, Sharing::Reads));
        }
        round.await_aside();
        round.touching.all_before(member, |index| round.await_member(index, member, Sharing::Nothing))
    }

    /// Says what the member will do at most in the rest of the round.
    #[inline]
    pub fn announce(self, most: Sharing) {
        if self.round.has_writers {
            self.round.board.places[self.member].left.store(left_in(self.round.number, most), Release);
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
            gate: Gate::default(),
            is_over: AtomicBool::new(false),
            failed: AtomicUsize::new(usize::MAX),
            aside: AtomicU64::new(0),
            places: std::iter::repeat_with(Place::default).take(members).collect(),
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

    /// Visits the members of two lists of the same length, pair by pair. `sharing` says what a member does at most, `None` if it
    /// takes no part. A visit returns whether it went well. The calling thread does `aside` meanwhile.
    pub fn visit<A: Send, B: Send>(
        &mut self,
        (first, second): (&mut [A], &mut [B]),
        sharing: impl Fn(&B) -> Option<Sharing>,
        visit: impl Fn(Turn<'_>, &mut A, &mut B) -> bool + Sync,
        aside_kind: AsideKind,
        aside: impl FnOnce(),
    ) {
        let board = &*self.board;
        let members = first.len().min(second.len()).min(board.places.len());
        let [mut taking, mut touching, mut writing] = [MemberSet::default(); 3];
        for (index, member) in second.iter().enumerate().take(members) {
            let Some(most) = sharing(member) else { continue };
            taking.insert(index);
            if most > Sharing::Nothing {
                touching.insert(index);
            }
            if most == Sharing::Writes {
                writing.insert(index);
            }
        }
        let (first, second) = (Members(first.as_mut_ptr()), Members(second.as_mut_ptr()));
        let visit_pair = |turn: Turn<'_>, index: usize| {
            debug_assert!(index < members, "a member of both lists");
            // SAFETY: `index` is below the length of both lists, and a member is claimed once in a round, so that this
            // is the only reference to either of the two. Both lists are borrowed until the round has ended.
            let (a, b) = unsafe { (&mut *first.at(index), &mut *second.at(index)) };
            visit(turn, a, b)
        };
        let round = Round {
            board,
            number: board.gate.round.load(Relaxed) / 2 + 1,
            threads: &self.threads,
            taking,
            touching,
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
        round.take_share(self.workers.len());
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
        let job = NonNull::from(round).cast::<Round<'static>>();
        // SAFETY: no worker is in a round, so none reads the job.
        unsafe { *board.gate.job.get() = Some(job) };
        board.gate.round.store(2 * round.number, Release);
        for (state, worker) in board.states.iter().zip(&self.workers) {
            if state.is_asleep.0.load(Relaxed) {
                worker.thread().unpark();
            }
        }
    }

    /// Waits until every member that must be visited has been, and no worker looks at the round. Returns whether all workers had
    /// done their shares before.
    fn close(&self, round: &Round<'_>) -> bool {
        let board = &*self.board;
        let has_left = |state: &WorkerState| state.left.0.load(Acquire) == round.number;
        let is_last = board.states.iter().all(has_left);
        let mut looks = 0;
        while !board.states.iter().all(has_left) {
            pause(&mut looks);
            if looks == LOOKS_BEFORE_HELP {
                round.visit_unclaimed_members();
                // All members are claimed: who has not come yet need not come any more.
                board.gate.round.store(2 * round.number + 1, SeqCst);
                let has_entered = |state: &WorkerState| state.entered.0.load(SeqCst) == round.number;
                while board.states.iter().any(|state| has_entered(state) && !has_left(state)) {
                    pause(&mut looks);
                }
                return is_last;
            }
        }
        is_last
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
            state.entered.0.store(seen, SeqCst);
            if self.gate.round.load(SeqCst) == 2 * seen {
                // SAFETY: this worker has said that it is in the round, and the gate was open afterwards: the job is not
                // written before this worker leaves, and what it points to lives.
                let job = unsafe { (*self.gate.job.get()).map(|job| job.as_ref()) };
                if let Some(round) = job {
                    round.take_share(worker);
                }
            }
            state.left.0.store(seen, Release);
        }
    }

    /// Waits for an open round other than `seen`, or for the end.
    fn await_round(&self, state: &WorkerState, seen: u64) -> u64 {
        let mut looks = 0;
        loop {
            let round = self.gate.round.load(SeqCst);
            if round % 2 == 0 && round / 2 != seen || self.is_over.load(Relaxed) {
                return round / 2;
            }
            looks += 1;
            if looks < LOOKS_BEFORE_SLEEP {
                std::hint::spin_loop();
                continue;
            }
            looks = 0;
            // A round opened after this store wakes this worker; one opened before is seen by the next look. Should the two
            // miss each other, the others do this worker's share until the next round wakes it.
            state.is_asleep.0.store(true, SeqCst);
            if self.gate.round.load(SeqCst) == round {
                std::thread::park();
            }
            state.is_asleep.0.store(false, SeqCst);
        }
    }
}

impl Round<'_> {
    /// Visits the members of one thread, in order.
    fn take_share(&self, thread: usize) {
        let is_mine = |index: usize| usize::from(self.threads[index]) == thread;
        self.visit_members(is_mine);
    }

    fn visit_unclaimed_members(&self) {
        self.visit_members(|_| true);
    }

    /// Visits members in order, up to one that failed; each is visited once.
    fn visit_members(&self, is_meant: impl Fn(usize) -> bool) {
        self.taking.all_before(self.threads.len(), |index| {
            if is_meant(index) && self.board.failed.load(Acquire) > index {
                self.visit_unclaimed(index);
            }
            true
        });
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
        let is_over = || (least..=last).contains(&self.board.places[index].left.load(Acquire));
        is_over() || self.await_busy_member(index, follower, is_over)
    }

    #[cold]
    fn await_busy_member(&self, index: usize, follower: usize, is_over: impl Fn() -> bool) -> bool {
        let mut looks = 0;
        while !is_over() {
            if self.board.failed.load(Acquire) < follower {
                return false;
            }
            if looks < LOOKS_BEFORE_HELP || !self.visit_unclaimed(index) {
                pause(&mut looks);
            }
        }
        true
    }

    /// Visits a member if no thread has begun to. Returns whether it did.
    fn visit_unclaimed(&self, index: usize) -> bool {
        let place = &self.board.places[index];
        if place.claimed.swap(self.number, SeqCst) == self.number {
            return false;
        }
        let turn = Turn { round: self, member: index };
        match catch_unwind(AssertUnwindSafe(|| (self.visit)(turn, index))) {
            Ok(true) => turn.announce(Sharing::Nothing),
            Ok(false) => {
                self.board.failed.fetch_min(index, SeqCst);
            }
            Err(payload) => self.keep_panic(payload, index),
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
    *looks = looks.saturating_add(1);
    if *looks < LOOKS_BEFORE_YIELD {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
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
        team.visit(lists, |()| Some(Sharing::Writes), step, AsideKind::Apart, || ());
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
                    |&takes_part| takes_part.then_some(Sharing::Writes),
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
                                |_| Some(Sharing::Writes),
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
                            |_| Some(Sharing::Writes),
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
            |()| Some(Sharing::Reads),
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
    fn the_calling_thread_has_fewer_members_when_it_finishes_last() {
        let mut team = team(2);
        let own = |team: &Team| team.threads.iter().filter(|&&thread| thread == 1).count();
        assert_eq!(own(&team), MEMBERS / 2);
        (0..3 * ROUNDS_BEFORE_DEAL).for_each(|_| team.note_round(true));
        assert_eq!(own(&team), MEMBERS / 2 - 3);
        (0..9 * ROUNDS_BEFORE_DEAL).for_each(|_| team.note_round(false));
        assert_eq!(own(&team), MEMBERS.div_ceil(2));
    }
}
