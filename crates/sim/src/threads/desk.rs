//! What the threads of a window leave for the calling one.

use std::sync::Mutex;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::lock;
use super::seat::{MOST_CYCLES, Seat};
use crate::base::{Cycle, Packet};
use crate::compute::Sm;
use crate::fabric::RequestQueue;

/// What a thread leaves in a window.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct ThreadDesk {
    /// Per cycle of the window: what its SMs did.
    trays: [Tray; MOST_CYCLES],
    summary: Mutex<Summary>,
    standing: Standing,
    news: Mutex<Vec<News>>,
}

/// What a thread says of its SMs while it steps them, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Standing {
    /// Before this cycle, they have room for all replies that come.
    room_until: AtomicU64,
    /// The last cycle in which one of them had something to do.
    busy_at: AtomicU64,
}

/// What a thread is told of the network in front of its SMs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum News {
    /// An SM will get a reply in a cycle.
    Reply { sm: u16, cycle: u64, reply: Packet },
    /// The queue of an SM before the step of a cycle, after some flits have left it.
    Queue { sm: u16, cycle: u64, queue: RequestQueue, departed: i16 },
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

    /// Says until when the SMs have room for replies, and in which cycle one of them had something to do, before the cycle is
    /// finished.
    #[inline]
    pub fn stand(&self, room_until: u64, busy_at: Option<u64>) {
        self.standing.room_until.store(room_until, Relaxed);
        if let Some(cycle) = busy_at {
            self.standing.busy_at.store(cycle, Relaxed);
        }
    }

    /// Until when the SMs have room for replies.
    pub fn room_until(&self) -> u64 {
        self.standing.room_until.load(Relaxed)
    }

    /// The last cycle in which one of the SMs had something to do.
    pub fn busy_at(&self) -> u64 {
        self.standing.busy_at.load(Relaxed)
    }

    /// Tells the thread something.
    pub fn tell(&self, news: News) {
        lock(&self.news).push(news);
    }

    /// What the thread was told since it last asked.
    pub fn hear(&self, heard: impl FnMut(News)) {
        lock(&self.news).drain(..).for_each(heard);
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
