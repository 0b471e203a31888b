//! The input side of a crossbar port: the node's queue, the channel into the router and the router's buffer.

use crate::base::{Packet, Ring};

/// A packet whose flits have not all left the router.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    pub packet: Packet,
    pub output: u16,
    pub flits: u8,
    /// Cycle of its entry.
    pub entered: u64,
}

/// What the packet at the head of the buffer is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// There is none.
    Absent,
    /// Asks for its output.
    Requests,
    /// Owns its output and sends.
    Sends,
}

/// One input. Flits need no identity: they leave in the order they came, so counts suffice. Those on the channel, and buffer
/// places on their way back, are in the crossbar's calendars.
#[derive(Clone, Debug)]
pub struct Input {
    pub packets: Ring<Queued>,
    /// Flits still in the node's queue.
    pub queued_flits: usize,
    /// Flits in the router's buffer.
    pub buffered_flits: usize,
    /// Buffer places the node knows to be free.
    pub credits: usize,
    pub head: Head,
    /// The output and the flits of the head packet, once it asks; a copy that is looked at for every flit.
    pub head_output: u16,
    pub head_flits: u8,
    /// Flits of the head packet that have left.
    pub sent_flits: u8,
}

impl Input {
    pub fn new(buffer_flits: usize, queue_flits: usize) -> Self {
        Self {
            packets: Ring::new(buffer_flits + queue_flits + 4),
            queued_flits: 0,
            buffered_flits: 0,
            credits: buffer_flits,
            head: Head::Absent,
            head_output: 0,
            head_flits: 0,
            sent_flits: 0,
        }
    }

    /// Whether a flit waits for the channel and there is a place for it.
    #[inline]
    pub fn can_inject(&self) -> bool {
        self.queued_flits > 0 && self.credits > 0
    }

    /// Takes the next flit out of the buffer. Says whether it was the packet's last.
    #[inline]
    pub fn send_flit(&mut self) -> bool {
        self.buffered_flits -= 1;
        self.sent_flits += 1;
        let is_tail = self.sent_flits == self.head_flits;
        if is_tail {
            self.sent_flits = 0;
            self.packets.drop_front();
        }
        is_tail
    }
}
