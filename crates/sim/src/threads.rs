//! How many threads step the SMs of a machine, and when they do.

use crate::base::{Cycle, Team};
use crate::compute::{Sm, SmSpec};
use crate::pace::Pace;
use crate::seat::Seat;

/// Launches that are shorter than this many cycles stay on one thread: waking others costs more than they save.
const CYCLES_ALONE: u64 = 2000;

/// SMs that must be awake in a cycle, for each thread: fewer are stepped sooner than shared.
const SMS_PER_THREAD: usize = 2;

/// The threads of one simulation.
///
/// Every count is the same with any number of threads: what SMs do to device memory, to the network and to each other
/// happens in the order of the SMs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    count: usize,
    cycles_alone: u64,
    sms_per_thread: usize,
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
            must_gain: true,
        }
    }

    /// `count` threads in every cycle with two SMs awake, however little there is to do: for tests.
    pub fn always(count: usize) -> Self {
        Self { cycles_alone: 0, sms_per_thread: 0, must_gain: false, ..Self::new(count) }
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
    /// Whether they gain, where they must.
    pace: Option<Pace>,
    members: Option<CrewMembers>,
    /// Whether the SMs have been stepped without their seats since these were last up to date.
    are_seats_stale: bool,
}

/// Running threads, and what each SM leaves for the calling one.
#[derive(Debug)]
pub(crate) struct CrewMembers {
    pub team: Team,
    pub seats: Vec<Seat>,
    /// SMs that must be awake.
    pub least_awake: usize,
    /// The most packets that an SM sends in a cycle.
    pub most_packets: usize,
}

impl Default for Crew {
    fn default() -> Self {
        Self::new(Threads::default())
    }
}

impl Crew {
    pub(crate) fn new(threads: Threads) -> Self {
        let pace = (threads.count > 1 && threads.must_gain).then(Pace::new);
        Self { threads, from: Cycle::NEVER, pace, members: None, are_seats_stale: true }
    }

    /// A launch begins.
    pub(crate) fn start_launch(&mut self, now: Cycle) {
        self.from = if self.threads.count > 1 { now + self.threads.cycles_alone } else { Cycle::NEVER };
        self.are_seats_stale = true;
        if let Some(pace) = &mut self.pace {
            pace.resume();
        }
    }

    /// The team for these SMs, if the launch is long enough for one and it is worth it.
    #[inline]
    pub(crate) fn team(&mut self, now: Cycle, sms: &[Sm], spec: &SmSpec) -> Option<&mut CrewMembers> {
        let is_alone = now < self.from || self.pace.as_mut().is_some_and(|pace| !pace.is_shared());
        if is_alone {
            self.are_seats_stale = true;
            return None;
        }
        self.assemble(sms, spec);
        if std::mem::take(&mut self.are_seats_stale)
            && let Some(members) = &mut self.members
        {
            members.seats.iter_mut().zip(sms).for_each(|(seat, sm)| seat.renew(sm));
        }
        self.members.as_mut()
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
            team,
            seats: sms.iter().map(Seat::new).collect(),
            least_awake: (self.threads.sms_per_thread * count).max(2),
            most_packets: Sm::most_packets_sent(spec),
        });
    }
}
