//! Threads that visit the members of a list side by side, with the results of one thread that visits them in order.
//!
//! Every member has state of its own, and there is something that all of them share. A member takes its [`Turn`] before it
//! touches what is shared: the turn comes when all members before it in the list are done. So what members do to the shared
//! part happens in the order of the list, whatever thread they are on; the rest of a visit runs side by side. A member that
//! fails ends the list, as it does on one thread: no member behind it gets its turn.
//!
//! A thread visits the same members in every round, because their state is in its processor's cache. A member whose thread
//! is late, since the system runs something else there, is visited by a thread that waits for it.

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Looks at a member that another thread has not begun before this thread visits it itself.
const LOOKS_BEFORE_HELP: u32 = 400;
/// Looks before a waiting thread lets the system run another one.
const LOOKS_BEFORE_YIELD: u32 = 600;
/// Looks for a new round before a worker sleeps: about as long as ten rounds take.
const LOOKS_BEFORE_SLEEP: u32 = 6000;

/// The calling thread and its workers.
pub struct Team {
    board: Arc<Board>,
    workers: Vec<JoinHandle<()>>,
}

/// One member in a round, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Place {
    is_claimed: AtomicBool,
    is_done: AtomicBool,
}

/// What the threads of a team see of each other.
struct Board {
    /// Counts up when a round opens.
    round: AtomicU64,
    is_open: AtomicBool,
    /// No round will follow.
    is_over: AtomicBool,
    /// Workers that may look at the job.
    visitors: AtomicUsize,
    /// The first member that failed in this round.
    failed: AtomicUsize,
    job: UnsafeCell<Option<NonNull<Round<'static>>>>,
    places: Vec<Place>,
    /// Per worker: whether it sleeps.
    asleep: Vec<AtomicBool>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: everything but `job` is synchronised by itself. `job` is written by the team's owner while no round is open and
// read by a worker that has counted itself in `visitors` and then found a round open; a round that closes waits for
// `visitors` to become zero, so writing and reading never overlap. The `Round` it points to is `Sync`.
unsafe impl Sync for Board {}
// SAFETY: as above; the pointer is used only while its target lives.
unsafe impl Send for Board {}

/// The members of one round.
struct Round<'a> {
    board: &'a Board,
    members: usize,
    threads: usize,
    visit: &'a (dyn Fn(Turn<'_>, usize) -> bool + Sync),
}

/// The right of a member to touch what all share, once all members before it are done.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    round: &'a Round<'a>,
    member: usize,
}

impl Turn<'_> {
    /// Waits until all members before this one are done. Returns `false` if one of them failed: this one must then stop.
    pub fn take(self) -> bool {
        (0..self.member).all(|index| self.round.await_member(index, self.member))
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Turn({})", self.member)
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

impl Team {
    /// The calling thread and `threads - 1` workers, for lists of up to `members`. `None` if the system gives no thread.
    pub fn new(threads: usize, members: usize) -> Option<Self> {
        let workers = threads.saturating_sub(1);
        let board = Arc::new(Board {
            round: AtomicU64::new(0),
            is_open: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            visitors: AtomicUsize::new(0),
            failed: AtomicUsize::new(usize::MAX),
            job: UnsafeCell::new(None),
            places: std::iter::repeat_with(Place::default).take(members).collect(),
            asleep: std::iter::repeat_with(AtomicBool::default).take(workers).collect(),
            panic: Mutex::new(None),
        });
        let mut team = Self { board, workers: Vec::with_capacity(workers) };
        for worker in 0..workers {
            let board = Arc::clone(&team.board);
            let builder = Builder::new().name(format!("sm-{worker}"));
            team.workers.push(builder.spawn(move || board.work(worker)).ok()?);
        }
        Some(team)
    }

    /// Visits the members of two lists of the same length, pair by pair, unless `takes_part` says otherwise of the second.
    /// A visit returns whether it went well.
    pub fn visit<A: Send, B: Send>(
        &mut self,
        first: &mut [A],
        second: &mut [B],
        takes_part: impl Fn(&B) -> bool,
        visit: impl Fn(Turn<'_>, &mut A, &mut B) -> bool + Sync,
    ) {
        let board = &*self.board;
        let members = first.len().min(second.len()).min(board.places.len());
        for (place, member) in board.places.iter().zip(second.iter()) {
            let is_idle = !takes_part(member);
            place.is_claimed.store(is_idle, Relaxed);
            place.is_done.store(is_idle, Relaxed);
        }
        let (first, second) = (Members(first.as_mut_ptr()), Members(second.as_mut_ptr()));
        let visit_pair = |turn: Turn<'_>, index: usize| {
            debug_assert!(index < members, "a member of both lists");
            // SAFETY: `index` is below the length of both lists, and a member is claimed once in a round, so that this
            // is the only reference to either of the two. Both lists are borrowed until the round has closed.
            let (a, b) = unsafe { (&mut *first.at(index), &mut *second.at(index)) };
            visit(turn, a, b)
        };
        let round = Round { board, members, threads: self.workers.len() + 1, visit: &visit_pair };
        self.open(&round);
        round.take_share(self.workers.len());
        // Every member before one that failed is visited, as one thread would have done.
        let _all_are_done = (0..members).all(|index| round.await_member(index, index + 1));
        board.close();
        let panic = board.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }

    /// Shows a round to the workers; it must be closed before it goes out of scope.
    fn open(&self, round: &Round<'_>) {
        let board = &*self.board;
        board.failed.store(usize::MAX, Relaxed);
        let job = NonNull::from(round).cast::<Round<'static>>();
        // SAFETY: no round is open, so no worker reads `job`.
        unsafe { *board.job.get() = Some(job) };
        board.is_open.store(true, SeqCst);
        board.round.fetch_add(1, SeqCst);
        self.wake_workers();
    }

    fn wake_workers(&self) {
        for (is_asleep, worker) in self.board.asleep.iter().zip(&self.workers) {
            if is_asleep.load(SeqCst) {
                worker.thread().unpark();
            }
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.board.is_over.store(true, SeqCst);
        self.board.round.fetch_add(1, SeqCst);
        self.wake_workers();
        for worker in self.workers.drain(..) {
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
        let mut seen = 0;
        loop {
            seen = self.await_round(worker, seen);
            if self.is_over.load(SeqCst) {
                return;
            }
            self.visitors.fetch_add(1, SeqCst);
            if self.is_open.load(SeqCst) {
                // SAFETY: a round is open and cannot close while this worker is counted in `visitors`: `job` is
                // not written, and what it points to lives.
                let job = unsafe { (*self.job.get()).map(|job| job.as_ref()) };
                if let Some(round) = job {
                    round.take_share(worker);
                }
            }
            self.visitors.fetch_sub(1, SeqCst);
        }
    }

    /// Waits for a round other than `seen`, or for the end.
    fn await_round(&self, worker: usize, seen: u64) -> u64 {
        let mut looks = 0;
        loop {
            let round = self.round.load(SeqCst);
            if round != seen {
                return round;
            }
            looks += 1;
            if looks < LOOKS_BEFORE_SLEEP {
                std::hint::spin_loop();
                continue;
            }
            // A round opened after this store wakes this worker; one opened before is seen by the next look.
            self.asleep[worker].store(true, SeqCst);
            if self.round.load(SeqCst) == seen {
                std::thread::park();
            }
            self.asleep[worker].store(false, SeqCst);
        }
    }

    /// Ends the round: afterwards no worker looks at it.
    fn close(&self) {
        self.is_open.store(false, SeqCst);
        let mut looks = 0;
        while self.visitors.load(SeqCst) != 0 {
            pause(&mut looks);
        }
    }
}

impl Round<'_> {
    /// Visits the members of one thread, in order.
    fn take_share(&self, thread: usize) {
        for index in (thread..self.members).step_by(self.threads) {
            if self.board.failed.load(Acquire) < index {
                return;
            }
            self.visit_unclaimed(index);
        }
    }

    /// Waits until member `index` is done, for one that follows. Returns `false` if a member before that one failed.
    #[inline]
    fn await_member(&self, index: usize, follower: usize) -> bool {
        self.board.places[index].is_done.load(Acquire) || self.await_busy_member(index, follower)
    }

    #[cold]
    fn await_busy_member(&self, index: usize, follower: usize) -> bool {
        let mut looks = 0;
        while !self.board.places[index].is_done.load(Acquire) {
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
        if place.is_claimed.swap(true, SeqCst) {
            return false;
        }
        let turn = Turn { round: self, member: index };
        match catch_unwind(AssertUnwindSafe(|| (self.visit)(turn, index))) {
            Ok(true) => place.is_done.store(true, Release),
            Ok(false) => {
                self.board.failed.fetch_min(index, SeqCst);
            }
            Err(payload) => {
                *self.board.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
                self.board.failed.fetch_min(index, SeqCst);
            }
        }
        true
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

    /// Visits all members, numbered from 0.
    fn visit_all(team: &mut Team, visit: impl Fn(&Turn<'_>, &mut usize) -> bool + Sync) {
        let mut numbers: [usize; MEMBERS] = std::array::from_fn(|index| index);
        team.visit(&mut numbers, &mut [(); MEMBERS], |()| true, |turn, number, ()| visit(&turn, number));
    }

    #[test]
    fn turns_come_in_the_order_of_the_list() {
        for threads in [1, 2, 3, 8] {
            let mut team = team(threads);
            for round in 0..200 {
                let order = Mutex::new(Vec::new());
                let mut numbers: [usize; MEMBERS] = std::array::from_fn(|index| index);
                let mut parts: [bool; MEMBERS] = std::array::from_fn(|index| (index + round) % 3 != 0);
                team.visit(
                    &mut numbers,
                    &mut parts,
                    |&takes_part| takes_part,
                    |turn, number, _| {
                        assert!(turn.take());
                        order.lock().unwrap().push(*number);
                        *number += 100;
                        true
                    },
                );
                let expected: Vec<_> = (0..MEMBERS).filter(|index| (index + round) % 3 != 0).collect();
                assert_eq!(order.into_inner().unwrap(), expected, "{threads} threads");
                assert_eq!(numbers.iter().filter(|&&number| number >= 100).count(), expected.len());
            }
        }
    }

    #[test]
    fn no_member_behind_one_that_failed_gets_a_turn() {
        for threads in [1, 2, 4] {
            let mut team = team(threads);
            for _ in 0..200 {
                let shared = Mutex::new(Vec::new());
                visit_all(&mut team, |turn, number| {
                    if *number == 7 || !turn.take() {
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
                turn.take()
            });
        };
        let caught = catch_unwind(AssertUnwindSafe(|| visit(5)));
        assert!(caught.is_err());
        visit(MEMBERS);
    }
}
