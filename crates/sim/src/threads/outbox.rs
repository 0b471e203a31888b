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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::SendQueue;

    const CYCLES: u64 = 5000;

    /// A number below `end` that follows from `seed`.
    fn chance(seed: u64, end: u64) -> u64 {
        (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % end
    }

    /// The bytes of the packet that the node wants to send in a cycle: bursts in turn with pauses.
    fn wish(cycle: u64) -> Option<u32> {
        let is_burst = chance(cycle / 40, 3) > 0;
        (is_burst && chance(cycle, 3) > 0).then(|| if chance(cycle + 7, 2) == 0 { 0 } else { 128 })
    }

    /// A queue before the network's step in a cycle, how many flits have left it, and what is in it behind the cycle.
    struct Past {
        queue: RequestQueue,
        departed: i16,
        queued_after: i16,
    }

    /// A queue in front of a network that is congested at times, cycle by cycle.
    fn history() -> Vec<Past> {
        let idle = SendQueue { capacity: 9, queued: 0, credits: 8, returning: [0; 2] };
        let mut queue = RequestQueue { queue: idle, flit_bytes: 32 };
        let (mut departed, mut inside) = (0, 0);
        let step = |cycle| {
            let past = Past { queue, departed, queued_after: 0 };
            let before = queue.queue.queued;
            queue.queue.step();
            let left = before - queue.queue.queued;
            departed += left;
            inside += left;
            let freed = if chance(cycle / 30, 3) == 0 { 0 } else { chance(cycle + 3, 3) as i16 }.min(inside);
            inside -= freed;
            queue.queue.returning[1] += freed;
            if let Some(bytes) = wish(cycle).filter(|&bytes| queue.has_room(bytes)) {
                queue.send(bytes);
            }
            Past { queued_after: queue.queue.queued, ..past }
        };
        (0..CYCLES).map(step).collect()
    }

    #[test]
    fn a_queue_that_learns_late_moves_as_the_network_does() {
        let history = history();
        let mut ahead = QueueAhead::new(0, history[0].queue);
        let (mut look, mut cycle, mut until) = (0, 0, history[0].queue.queue.known_steps());
        let mut most_ahead = 0;
        while until < CYCLES {
            for cycle in cycle..until {
                // A node that sleeps does not look at its queue.
                let wish = wish(cycle);
                if wish.is_none() && chance(cycle + 1, 2) == 0 {
                    continue;
                }
                ahead.step_to(cycle);
                if let Some(bytes) = wish.filter(|&bytes| ahead.queue.has_room(bytes)) {
                    ahead.queue.send(bytes);
                }
                assert_eq!(ahead.queue.queue.queued, history[cycle as usize].queued_after, "cycle {cycle}");
            }
            cycle = until;
            look += 1 + chance(look, cycle - look);
            let Past { queue, departed, .. } = &history[look as usize];
            ahead.learn(look, queue, *departed);
            until = until.max(look + queue.queue.known_steps());
            most_ahead = most_ahead.max(until - look);
        }
        assert_eq!(most_ahead, 8, "at times the whole buffer is free");
    }
}
