//! What an SM has to itself while it runs ahead of the memory side: the replies that it will get, and its queue in front of the
//! network.
//!
//! A seat has cache lines of its own, which move between two processors only when there is news.

use std::ops::Range;

use shrinkwarp_emu::fault::Fault;

use super::outbox::{Outbox, QueueAhead};
use crate::base::{Cycle, Packet, Ring, Sharing};
use crate::compute::timing::KernelTiming;
use crate::compute::{Program, Sm};
use crate::fabric::RequestQueue;

/// The most cycles for which an SM runs ahead.
pub(crate) const MOST_CYCLES: usize = 8;

/// Windows for which an SM that may write soon is not asked again.
const WINDOWS_UNASKED: u8 = 3;

/// The seat of an SM.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Seat {
    asleep_until: Cycle,
    /// What the SM does at most in its next cycle to what all SMs share.
    pub sharing: Sharing,
    /// The cycle that it steps next, where it has run ahead of others.
    pub next_cycle: u64,
    /// Replies that wait in it.
    replies: usize,
    /// Whether a thread block can be launched on it.
    pub has_room_for_block: bool,
    /// Whether it has no thread block, and since when.
    is_empty: bool,
    empty_since: u64,
    windows_unasked: u8,
    /// It changes nothing that all SMs share before this cycle.
    calm_until: u64,
    queue: QueueAhead,
    /// Replies, each with the cycle in which it comes.
    inbox: Ring<(u64, Packet)>,
    /// Why the SM cannot go on.
    pub fault: Option<Box<Fault>>,
}

impl Seat {
    /// A seat for an SM as it is now.
    pub fn new(sm: &Sm) -> Self {
        let mut seat = Self {
            asleep_until: Cycle(0),
            sharing: Sharing::Writes,
            next_cycle: 0,
            replies: 0,
            has_room_for_block: false,
            is_empty: true,
            empty_since: 0,
            windows_unasked: 0,
            calm_until: 0,
            queue: QueueAhead::default(),
            inbox: Ring::new(MOST_CYCLES),
            fault: None,
        };
        seat.renew(sm);
        seat
    }

    /// Looks at an SM that was stepped without its seat.
    pub fn renew(&mut self, sm: &Sm) {
        self.look_at(sm);
        self.replies = sm.replies();
        (self.calm_until, self.windows_unasked, self.empty_since) = (0, 0, 0);
        (self.inbox, self.fault) = (Ring::new(MOST_CYCLES), None);
    }

    #[inline]
    fn look_at(&mut self, sm: &Sm) {
        self.asleep_until = sm.asleep_until();
        self.sharing = sm.sharing();
        self.has_room_for_block = sm.has_room_for_block();
        self.is_empty = sm.is_empty();
    }

    /// Until when the SM need not be looked at.
    #[inline]
    pub fn asleep_until(&self) -> Cycle {
        self.asleep_until
    }

    /// The SM will get a reply.
    pub fn expect(&mut self, cycle: u64, reply: Packet) {
        self.inbox.push((cycle, reply));
    }

    /// Replies that wait in the SM, and those that it will get.
    #[inline]
    pub fn waiting(&self) -> usize {
        self.replies + self.inbox.len()
    }

    /// The queue as it is before the step of a cycle, after some flits have left it.
    pub fn learn_queue(&mut self, cycle: u64, queue: &RequestQueue, departed: i16) {
        self.queue.learn(cycle, queue, departed);
    }

    /// The queue as it is before the step of a cycle.
    pub fn open_queue(&mut self, cycle: u64, queue: RequestQueue) {
        self.queue = QueueAhead::new(cycle, queue);
    }

    /// The cycle before which the SM changes nothing that all SMs share, from the next one on, `cycle`; not exactly if it is before
    /// `end`.
    pub fn calm_until(&mut self, sm: &Sm, timing: &KernelTiming, cycle: u64, end: u64) -> u64 {
        if self.calm_until >= end {
            return self.calm_until;
        }
        if self.windows_unasked > 0 {
            self.windows_unasked -= 1;
            return cycle;
        }
        self.calm_until = cycle.saturating_add(sm.cycles_without_write(timing, end - cycle));
        self.windows_unasked = if self.calm_until >= end { 0 } else { WINDOWS_UNASKED };
        self.calm_until
    }

    /// Whether a thread block can be launched on the SM at the end of a cycle, which it has come to and not gone beyond.
    #[inline]
    pub fn has_room_after(&self, cycle: u64) -> bool {
        self.has_room_for_block && self.next_cycle == cycle + 1
    }

    /// Whether the SM has something to do in a cycle. One without a thread block only takes replies, and does it later: no one
    /// but the end of the launch can tell.
    #[inline]
    pub fn is_due(&self, cycle: u64) -> bool {
        !self.is_empty && (self.asleep_until.0 <= cycle || self.receives(cycle))
    }

    #[inline]
    fn receives(&self, cycle: u64) -> bool {
        self.replies > 0 || self.inbox.front().is_some_and(|(due, _)| *due <= cycle)
    }

    /// One cycle of the SM. Returns how many thread blocks ended; `None` if it failed.
    pub fn step(
        &mut self,
        sm: &mut Sm,
        cycle: u64,
        program: &Program<'_>,
        sent: &mut Vec<(u16, Packet)>,
        index: usize,
    ) -> Option<u32> {
        self.receive(sm, cycle);
        self.queue.step_to(cycle);
        let mut outbox = Outbox { queue: &mut self.queue, sent, sm: index as u16 };
        let ended = match sm.step(Cycle(cycle), program, &mut outbox) {
            Ok(ended) => ended,
            Err(fault) => {
                self.fault = Some(fault);
                return None;
            }
        };
        self.look_at(sm);
        if self.is_empty {
            self.empty_since = cycle + 1;
        }
        Some(ended)
    }

    fn receive(&mut self, sm: &mut Sm, cycle: u64) {
        if !self.receives(cycle) {
            return;
        }
        let inbox = &mut self.inbox;
        sm.receive(Cycle(cycle), || {
            let is_due = inbox.front().is_some_and(|(due, _)| *due <= cycle);
            if is_due { inbox.pop().map(|(_, reply)| reply) } else { None }
        });
        self.replies = sm.replies();
    }

    /// Takes the replies of some cycles, if the SM had no thread block to take them for in time.
    pub fn catch_up(&mut self, sm: &mut Sm, cycles: Range<u64>) {
        if self.is_empty {
            (cycles.start.max(self.empty_since)..cycles.end).for_each(|cycle| self.receive(sm, cycle));
        }
    }

    /// Whether the SM has replies that it will take only in [`Seat::catch_up`].
    #[inline]
    pub fn is_behind(&self) -> bool {
        self.is_empty && (self.replies > 0 || !self.inbox.is_empty())
    }

    /// A thread block was launched on the SM; it runs from `cycle` on.
    pub fn note_launch(&mut self, sm: &Sm, timing: &KernelTiming, cycle: u64) {
        self.look_at(sm);
        self.asleep_until = Cycle(0);
        self.calm_until = self.calm_until.min(cycle + u64::from(timing.instructions_to_write(0)));
    }
}
