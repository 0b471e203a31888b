//! The queue in front of a crossbar's input, as its node sees it ahead of the crossbar.
//!
//! In each step one flit leaves the queue if the node knows of a free place in the router's buffer. Places that become free are
//! known two steps later. So what the queue does in the next two steps is known, and in further ones as long as the places last
//! that are known now.

use crate::base::codec_unit::packet_flits;

/// Steps in which returning places are known.
const KNOWN_STEPS: usize = 2;

/// The queue of one input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendQueue {
    /// Flits that fit.
    pub capacity: i16,
    /// Flits inside.
    pub queued: i16,
    /// Places in the router's buffer that the node knows to be free.
    pub credits: i16,
    /// Places that become known in the next step, and in the one after it.
    pub returning: [i16; KNOWN_STEPS],
}

impl SendQueue {
    /// The number of steps for which [`SendQueue::step`] does what the crossbar will do, whatever is sent meanwhile.
    #[inline]
    pub fn known_steps(&self) -> u64 {
        let places = self.credits + self.returning.iter().sum::<i16>();
        (places.max(0) as u64).max(KNOWN_STEPS as u64)
    }

    /// Whether a step changes anything.
    #[inline]
    pub fn is_moving(&self) -> bool {
        self.queued > 0 || self.returning != [0; KNOWN_STEPS]
    }

    /// One step of the crossbar.
    #[inline]
    pub fn step(&mut self) {
        self.credits += self.returning[0];
        self.returning = [self.returning[1], 0];
        if self.queued > 0 && self.credits > 0 {
            self.queued -= 1;
            self.credits -= 1;
        }
    }

    /// Whether a packet of `flits` fits.
    #[inline]
    pub fn has_room(&self, flits: i16) -> bool {
        self.queued + flits <= self.capacity
    }
}

/// An SM's queue in front of the request network, of flits or of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestQueue {
    /// The queue, in units of [`RequestQueue::size`].
    pub queue: SendQueue,
    /// Bytes of a flit; 0 if the queue is of packets.
    pub flit_bytes: u32,
}

impl RequestQueue {
    /// What a packet takes of the queue.
    #[inline]
    pub fn size(&self, payload_bytes: u32) -> i16 {
        if self.flit_bytes == 0 { 1 } else { packet_flits(payload_bytes, self.flit_bytes) as i16 }
    }

    /// Whether a packet with `payload_bytes` of data fits.
    #[inline]
    pub fn has_room(&self, payload_bytes: u32) -> bool {
        self.queue.has_room(self.size(payload_bytes))
    }

    /// Such a packet is sent.
    #[inline]
    pub fn send(&mut self, payload_bytes: u32) {
        self.queue.queued += self.size(payload_bytes);
    }
}
