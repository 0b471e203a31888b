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
}

impl QueueAhead {
    /// The queue as it is before the network's step in a cycle.
    pub fn new(cycle: u64, queue: RequestQueue) -> Self {
        Self { queue, cycle }
    }

    /// Brings the queue to where it is after the network's step in a cycle.
    #[inline]
    pub fn step_to(&mut self, cycle: u64) {
        let steps = cycle + 1 - self.cycle;
        self.cycle = cycle + 1;
        if self.queue.queue.is_moving() {
            (0..steps).for_each(|_| self.queue.queue.step());
        }
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
