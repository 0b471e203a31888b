//! An SM's door into the request network while it runs ahead of the memory side.

use crate::base::Packet;
use crate::compute::Outlet;
use crate::fabric::RequestQueue;

/// An SM's queue in front of the network, ahead of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueAhead {
    queue: RequestQueue,
    /// The first cycle whose step the queue has not seen.
    cycle: u64,
    /// Flits that have left it.
    departed: i16,
}

impl QueueAhead {
    /// The queue as it is before the network's step in a cycle.
    pub fn new(cycle: u64, queue: RequestQueue) -> Self {
        Self { queue, cycle, departed: 0 }
    }

    /// Brings the queue to where it is after the network's step in a cycle.
    #[inline]
    pub fn step_to(&mut self, cycle: u64) {
        let steps = cycle + 1 - self.cycle;
        self.cycle = cycle + 1;
        let queue = &mut self.queue.queue;
        if queue.is_moving() {
            let before = queue.queued;
            (0..steps).for_each(|_| queue.step());
            self.departed += before - queue.queued;
        }
    }

    /// Learns the queue as it is before the network's step in a cycle, after `departed` flits have left it. This queue may be ahead
    /// of that, for as many steps as were known.
    pub fn learn(&mut self, cycle: u64, queue: &RequestQueue, departed: i16) {
        if self.cycle < cycle {
            self.step_to(cycle - 1);
        }
        let known = &queue.queue;
        let passed = ((self.cycle - cycle) as usize).min(known.returning.len());
        let mut returning = known.returning;
        let returned: i16 = returning[..passed].iter().sum();
        returning[..passed].fill(0);
        returning.rotate_left(passed);
        self.queue.queue.credits = known.credits + returned + departed - self.departed;
        self.queue.queue.returning = returning;
    }
}

/// Where an SM that runs ahead leaves its packets.
pub(crate) struct Outbox<'a> {
    pub queue: &'a mut QueueAhead,
    pub sent: &'a mut Vec<(u16, Packet)>,
    pub sm: u16,
}

impl Outlet for Outbox<'_> {
    #[inline]
    fn has_room(&self, payload_bytes: u32) -> bool {
        self.queue.queue.has_room(payload_bytes)
    }

    fn send(&mut self, packet: Packet) {
        self.queue.queue.send(packet.payload_bytes());
        self.sent.push((self.sm, packet));
    }
}
