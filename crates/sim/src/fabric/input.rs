//! The input side of a crossbar port: the node's queue, the channel into the router and the router's buffer.

use std::collections::VecDeque;

use crate::base::Packet;

/// Where a flit put on the channel stands: it is in the router two cycles later.
const CHANNEL_ENTRY: u8 = 1 << 2;
/// Where a buffer place put on the way back stands: the node may use it two cycles later.
const CREDIT_ENTRY: u8 = 1 << 2;

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

/// One input. Flits need no identity: they leave in the order they came, so counts suffice.
#[derive(Clone, Debug)]
pub struct Input {
    pub packets: VecDeque<Queued>,
    /// Flits still in the node's queue.
    pub queued_flits: usize,
    /// Flits on the channel, one bit for each cycle of their way.
    channel: u8,
    /// Flits in the router's buffer.
    pub buffered_flits: usize,
    /// Buffer places the node knows to be free.
    credits: usize,
    /// Freed places on their way to the node.
    returning: u8,
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
            packets: VecDeque::with_capacity(buffer_flits + queue_flits + 4),
            queued_flits: 0,
            channel: 0,
            buffered_flits: 0,
            credits: buffer_flits,
            returning: 0,
            head: Head::Absent,
            head_output: 0,
            head_flits: 0,
            sent_flits: 0,
        }
    }

    /// Moves what is on its way by one cycle and puts the next flit on the channel.
    #[inline]
    pub fn advance(&mut self) {
        self.returning >>= 1;
        self.credits += usize::from(self.returning & 1);
        self.channel >>= 1;
        self.buffered_flits += usize::from(self.channel & 1);
        if self.queued_flits > 0 && self.credits > 0 {
            self.queued_flits -= 1;
            self.credits -= 1;
            self.channel |= CHANNEL_ENTRY;
        }
    }

    /// Whether [`Input::advance`] would do nothing.
    #[inline]
    pub fn is_still(&self) -> bool {
        self.queued_flits == 0 && (self.channel | self.returning) & !1 == 0
    }

    /// Takes the next flit out of the buffer. Says whether it was the packet's last.
    #[inline]
    pub fn send_flit(&mut self) -> bool {
        self.buffered_flits -= 1;
        self.returning |= CREDIT_ENTRY;
        self.sent_flits += 1;
        let is_tail = self.sent_flits == self.head_flits;
        if is_tail {
            self.sent_flits = 0;
            self.packets.pop_front();
        }
        is_tail
    }
}
