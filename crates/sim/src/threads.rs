//! How many threads step the SMs of a machine, and when they do.

mod alone;
mod block_counter;
mod desk;
mod outbox;
mod pace;
mod seat;
mod window;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use alone::AloneWindows;
use desk::{Summary, ThreadDesk};
use pace::Pace;
use seat::{MOST_CYCLES, Seat};
use window::QueueAccount;
pub(crate) use window::{WindowStart, run_window};

use crate::base::{Cycle, Team};
use crate::compute::{Sm, SmSpec};

/// Launches that are shorter than this many cycles stay on one thread: waking others costs more than they save.
const CYCLES_ALONE: u64 = 500;

/// SMs that must be awake in a cycle, for each thread: fewer are stepped sooner than shared.
const SMS_PER_THREAD: usize = 1;

/// Cycles that stay on one thread when there were fewer: their state then is where they are stepped.
const REST_CYCLES: u64 = 256;

/// The most cycles of a window in which cycles are opened.
const OPENED_CYCLES: u64 = 128;

/// Cycles that stay on one thread while others are about to start or to wake.
const WAKE_CYCLES: u64 = 16;

/// The threads of one simulation.
///
/// Every count is the same with any number of threads: what SMs do to device memory, to the network and to each other
/// happens in the order of the SMs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    count: usize,
    cycles_alone: u64,
    sms_per_thread: usize,
    rest_cycles: u64,
    /// Cycles of a window in which cycles are opened.
    opened_cycles: u64,
    /// Whether they are used only while they are faster than one.
    must_gain: bool,
}

impl Threads {
    /// Up to `count` threads, where there is work for them and as long as they are faster than one.
    pub fn new(count: usize) -> Self {
        Self {
            count: count.max(1),
            cycles_alone: CYCLES_ALONE,
            sms_per_thread: SMS_PER_THREAD,
            rest_cycles: REST_CYCLES,
            opened_cycles: OPENED_CYCLES,
            must_gain: true,
        }
    }

    /// `count` threads in every cycle, however little there is to do: for tests.
    pub fn always(count: usize) -> Self {
        Self {
            cycles_alone: 0,
            sms_per_thread: 0,
            rest_cycles: 1,
            opened_cycles: 3 * MOST_CYCLES as u64,
            must_gain: false,
            ..Self::new(count)
        }
    }

    /// How many.
    pub fn count(self) -> usize {
        self.count
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self::new(1)
    }
}

/// The threads of a machine, which are started when a launch first needs them.
#[derive(Debug)]
pub(crate) struct Crew {
    threads: Threads,
    /// When the launch under way may use them.
    from: Cycle,
    /// Until when there is too little for them to do.
    rests_until: Cycle,
    /// Whether they gain, where they must.
    pace: Option<Pace>,
    members: Option<CrewMembers>,
    /// Whether the cycle under way is for several threads, which are not there yet.
    is_missed: bool,
    /// Whether what the machine knows of its SMs is in their seats.
    are_seated: bool,
}

/// Running threads, and what they and the SMs leave for the calling one.
#[derive(Debug)]
pub(crate) struct CrewMembers {
    pub team: Team,
    pub seats: Vec<Seat>,
    /// Per thread.
    pub desks: Vec<ThreadDesk>,
    /// What is known of all SMs.
    pub summary: Summary,
    /// SMs that must be awake.
    pub least_awake: usize,
    /// The most cycles of a window in which cycles are opened.
    pub opened_cycles: u64,
    /// Windows in a row with fewer.
    pub idle_windows: u32,
    /// The most packets that an SM sends in a cycle.
    pub most_packets: usize,
    /// Replies that wait in an SM at most.
    pub reply_places: usize,
    /// Per SM: its thread in this window.
    pub owners: Vec<u16>,
    /// Per SM: what is known of its queue in front of the network.
    pub accounts: Vec<QueueAccount>,
}

impl Default for Crew {
    fn default() -> Self {
        Self::new(Threads::default())
    }
}

impl Crew {
    pub(crate) fn new(threads: Threads) -> Self {
        let pace = (threads.count > 1 && threads.must_gain).then(Pace::new);
        Self {
            threads,
            from: Cycle::NEVER,
            rests_until: Cycle(0),
            pace,
            members: None,
            is_missed: false,
            are_seated: false,
        }
    }

    /// A launch begins.
    pub(crate) fn start_launch(&mut self, now: Cycle) {
        self.from = if self.threads.count > 1 { now + self.threads.cycles_alone } else { Cycle::NEVER };
        self.rests_until = Cycle(0);
        if let Some(pace) = &mut self.pace {
            pace.resume();
        }
    }

    /// Whether the next cycle is for several threads.
    #[inline]
    pub(crate) fn is_wanted(&self, now: Cycle) -> bool {
        now >= self.from && now >= self.rests_until && self.pace.as_ref().is_none_or(Pace::is_shared)
    }

    /// The most cycles for which [`Crew::is_wanted`] holds.
    pub(crate) fn cycles_wanted(&self) -> u64 {
        self.pace.as_ref().map_or(u64::MAX, Pace::cycles_left)
    }

    /// Cycles of the launch have passed.
    #[inline]
    pub(crate) fn note_cycles(&mut self, now: Cycle, cycles: u64) {
        if let Some(pace) = &mut self.pace
            && now >= self.from
        {
            if self.is_missed && pace.is_shared() {
                pace.note_missed(cycles);
            } else {
                pace.note(cycles);
            }
        }
    }

    /// The SMs are not needed side by side for a while.
    pub(crate) fn rest(&mut self, now: Cycle) {
        let cycles = if self.is_missed { WAKE_CYCLES } else { self.threads.rest_cycles };
        self.rests_until = now + cycles;
        if let Some(members) = &mut self.members {
            members.idle_windows = 0;
        }
    }

    /// The threads, with the SMs in their seats. `None` if the system has no threads, or if they are not awake and one thread may
    /// go on alone meanwhile.
    pub(crate) fn take_seats(&mut self, now: Cycle, sms: &[Sm], spec: &SmSpec) -> Option<&mut CrewMembers> {
        self.assemble(sms, spec);
        if let (Some(_), Some(members)) = (&self.pace, &self.members) {
            self.is_missed = !members.team.is_awake();
            if self.is_missed {
                members.team.wake();
                return None;
            }
        }
        if !self.are_seated {
            let members = self.members.as_mut()?;
            members.summary = Summary::default();
            for (seat, sm) in members.seats.iter_mut().zip(sms) {
                seat.renew(sm);
                members.summary.note(sm, seat, now.0);
            }
            self.are_seated = true;
        }
        self.members.as_mut()
    }

    /// What is known of the SMs, if it is in their seats.
    pub(crate) fn summary(&self) -> Option<&Summary> {
        self.members.as_ref().filter(|_| self.are_seated).map(|members| &members.summary)
    }

    /// The SMs are stepped without their seats from now on. Returns whether they were in them.
    pub(crate) fn leave_seats(&mut self) -> bool {
        std::mem::take(&mut self.are_seated)
    }

    fn assemble(&mut self, sms: &[Sm], spec: &SmSpec) {
        if self.members.is_some() {
            return;
        }
        let count = self.threads.count.min(sms.len());
        let Some(team) = Team::new(count, sms.len()) else {
            // Without threads of the system the simulation goes on alone.
            self.threads = Threads::default();
            self.from = Cycle::NEVER;
            return;
        };
        self.members = Some(CrewMembers {
            seats: sms.iter().map(Seat::new).collect(),
            desks: std::iter::repeat_with(ThreadDesk::default).take(team.threads()).collect(),
            summary: Summary::default(),
            least_awake: self.threads.sms_per_thread * count,
            // With more threads than processors, those that have not begun are not awaited so often.
            opened_cycles: if team.is_crowd() { 0 } else { self.threads.opened_cycles },
            idle_windows: 0,
            most_packets: Sm::most_packets_sent(spec),
            reply_places: spec.ejection_entries,
            owners: Vec::new(),
            accounts: vec![QueueAccount::default(); sms.len()],
            team,
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
