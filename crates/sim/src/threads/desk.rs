//! What the threads of a window leave for the calling one.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::lock;
use super::seat::{MOST_CYCLES, Seat};
use crate::base::{Cycle, Packet};
use crate::compute::Sm;

/// What a thread leaves in a window.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct ThreadDesk {
    /// Per cycle of the window: what its SMs did.
    trays: [Tray; MOST_CYCLES],
    summary: Mutex<Summary>,
}

impl ThreadDesk {
    /// Leaves what the SMs did in a cycle, if they did something; the next cycle begins with an empty output.
    pub fn leave(&self, cycle: u64, output: &mut CycleOutput) {
        if output.sent.is_empty() && output.blocks_ended == 0 {
            return;
        }
        let tray = self.tray(cycle);
        std::mem::swap(&mut *lock(&tray.output), output);
        tray.is_used.store(true, Release);
    }

    /// Empties what was left in a cycle, if anything was.
    pub fn take(&self, cycle: u64, empty: impl FnOnce(&mut CycleOutput)) {
        let tray = self.tray(cycle);
        if tray.is_used.load(Acquire) {
            tray.is_used.store(false, Relaxed);
            empty(&mut lock(&tray.output));
        }
    }

    /// A window has no more cycles than there are trays.
    fn tray(&self, cycle: u64) -> &Tray {
        &self.trays[cycle as usize % MOST_CYCLES]
    }

    /// Says what the window did to the thread's SMs.
    pub fn sum_up(&self, summary: Summary) {
        *lock(&self.summary) = summary;
    }

    /// What the last window did to them.
    pub fn summary(&self) -> Summary {
        *lock(&self.summary)
    }
}

#[derive(Debug, Default)]
struct Tray {
    /// Whether there is something in it.
    is_used: AtomicBool,
    output: Mutex<CycleOutput>,
}

#[derive(Debug, Default)]
pub(crate) struct CycleOutput {
    /// Packets, each with its SM.
    pub sent: Vec<(u16, Packet)>,
    pub blocks_ended: u64,
}

/// What is known of a thread's SMs after a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// SMs that have something to do in the next cycle.
    pub awake: usize,
    /// Until when no SM need be looked at.
    pub asleep_until: Cycle,
    /// The most replies that wait in an SM.
    pub most_replies: usize,
    /// Whether an SM has taken no replies because it has no thread block.
    pub is_behind: bool,
}

impl Default for Summary {
    fn default() -> Self {
        Self { awake: 0, asleep_until: Cycle::NEVER, most_replies: 0, is_behind: false }
    }
}

impl Summary {
    pub fn note(&mut self, sm: &Sm, seat: &Seat, next: u64) {
        self.awake += usize::from(seat.asleep_until().0 <= next);
        self.asleep_until = self.asleep_until.min(seat.asleep_until());
        self.most_replies = self.most_replies.max(sm.replies());
        self.is_behind |= seat.is_behind();
    }

    pub fn join(&mut self, other: &Self) {
        self.awake += other.awake;
        self.asleep_until = self.asleep_until.min(other.asleep_until);
        self.most_replies = self.most_replies.max(other.most_replies);
        self.is_behind |= other.is_behind;
    }
}
