//! What the threads of a team see of each other: how far each is, and the window that is under way.

use std::any::Any;
use std::cell::UnsafeCell;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::turn::Moment;

/// Looks at a memory word between two hints to the processor that this is a waiting loop.
const LOOKS_PER_HINT: u32 = 64;
/// Looks for a worker that is late before the calling thread claims its share.
const LOOKS_BEFORE_HELP: u32 = 10_000;
/// Looks before a waiting thread lets the system run another one; fewer if there are more threads than processors.
const LOOKS_BEFORE_YIELD: u32 = 4_000;
const LOOKS_IN_A_CROWD: u32 = 64;
/// How long a worker looks for a new window before it sleeps: many times as long as it takes to wake one.
const TIME_BEFORE_SLEEP: Duration = Duration::from_millis(1);

/// A value on cache lines of its own: who writes one does not take the lines of others.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Apart<T>(pub T);

/// How far a thread is.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// All cycles before this one are done.
    pub done: AtomicU64,
    /// The last window that the share's thread has left.
    pub left: AtomicU64,
}

/// What a thread says of itself.
#[derive(Debug, Default)]
pub(super) struct ThreadState {
    /// Nothing of this thread is left before this moment that others could see.
    pub moment: Apart<AtomicU64>,
    /// No member of this thread writes before this moment.
    pub calm: Apart<AtomicU64>,
    pub progress: Apart<Progress>,
    /// The last window whose share is claimed: by the worker, or by the calling thread if that has waited too long. Others
    /// seldom look at it, so that claiming is cheap.
    pub claimed: Apart<AtomicU64>,
    pub is_asleep: Apart<AtomicBool>,
    /// Whether a worker that sleeps has been woken, and has not noticed yet.
    pub is_called: AtomicBool,
}

impl ThreadState {
    /// Claims the share of a window. Returns whether it was free.
    pub fn claim(&self, window: u64) -> bool {
        self.claimed.0.fetch_max(window, SeqCst) < window
    }

    /// The worker is awake.
    pub fn rise(&self) {
        self.is_called.store(false, SeqCst);
        self.is_asleep.0.store(false, SeqCst);
    }

    pub fn done(&self) -> u64 {
        self.progress.0.done.load(Acquire)
    }

    pub fn has_left(&self, window: u64) -> bool {
        self.progress.0.left.load(Acquire) == window
    }

    /// The thread is at the start of `cycle`.
    pub fn restart(&self, cycle: u64) {
        self.moment.0.store(Moment::start_of(cycle).0, Relaxed);
        self.calm.0.store(Moment::start_of(cycle).0, Relaxed);
        self.progress.0.done.store(cycle, Relaxed);
    }
}

/// What the workers look for, with the window behind it.
#[repr(C, align(128))]
pub(super) struct Gate {
    /// The number of the window.
    pub number: AtomicU64,
    pub window: UnsafeCell<Option<Window<'static>>>,
}

/// What the threads of a team see of each other.
pub(super) struct Board {
    pub gate: Gate,
    /// No window will follow.
    pub is_over: AtomicBool,
    /// The moment of the first failure in this window.
    pub failed: Apart<AtomicU64>,
    /// The cycle that the aside does next, where it reads what is shared.
    pub aside: Apart<AtomicU64>,
    pub aside_reads: AtomicBool,
    pub states: Vec<ThreadState>,
    pub looks_before_yield: u32,
    pub panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: everything but the gate's window is synchronised by itself. A worker reads the window after it has claimed its share of
// it. The team's owner ends a window, and writes the next one, when each share has been left by its worker or claimed by the
// owner. So writing and reading never overlap, and what the window refers to lives. What it refers to is `Sync`.
unsafe impl Sync for Board {}
// SAFETY: as above.
unsafe impl Send for Board {}

/// Runs the share of a thread; it calls the function before each cycle.
pub(super) type RunShare<'a> = dyn Fn(usize, &mut dyn FnMut(u64)) + Sync + 'a;

/// What the threads do in a window.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    pub number: u64,
    pub run: &'a RunShare<'a>,
}

impl Board {
    /// For the calling thread and some workers, which are about to look for windows.
    pub fn new(workers: usize, is_crowd: bool) -> Self {
        let states: Vec<_> = std::iter::repeat_with(ThreadState::default).take(workers + 1).collect();
        for state in &states[..workers] {
            state.is_asleep.0.store(true, Relaxed);
            state.is_called.store(true, Relaxed);
        }
        Self {
            gate: Gate { number: AtomicU64::new(0), window: UnsafeCell::new(None) },
            is_over: AtomicBool::new(false),
            failed: Apart(AtomicU64::new(Moment::NEVER.0)),
            aside: Apart::default(),
            aside_reads: AtomicBool::new(false),
            states,
            looks_before_yield: if is_crowd { LOOKS_IN_A_CROWD } else { LOOKS_BEFORE_YIELD },
            panic: Mutex::new(None),
        }
    }

    /// Whether there are more threads than processors.
    pub fn is_crowd(&self) -> bool {
        self.looks_before_yield == LOOKS_IN_A_CROWD
    }

    /// What a worker does until the team is over.
    pub fn work(&self, worker: usize) {
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

    pub fn looks_before_help(&self) -> u32 {
        LOOKS_BEFORE_HELP.min(self.looks_before_yield)
    }

    /// Whether a worker has not begun its share of this window.
    pub fn is_one_late(&self) -> bool {
        let window = self.gate.number.load(Relaxed);
        let workers = &self.states[..self.states.len() - 1];
        workers.iter().any(|state| state.claimed.0.load(Relaxed) < window)
    }

    /// Whether all threads have done the cycles before this one.
    #[inline]
    pub fn are_done(&self, cycle: u64) -> bool {
        self.states.iter().all(|state| state.done() >= cycle)
    }

    /// Waits for something, at a moment. Returns `false` if a member failed before.
    #[cold]
    pub fn wait(&self, moment: Moment, is_fine: impl Fn() -> bool) -> bool {
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
    pub fn pause(&self, looks: &mut u32) {
        look_again(looks);
        if *looks >= self.looks_before_yield {
            std::thread::yield_now();
        }
    }

    /// A share, or the aside, panicked: the window ends, and the caller gets the panic.
    pub fn keep_panic(&self, payload: Box<dyn Any + Send>) {
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
