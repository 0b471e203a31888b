//! The packets at an input of a crossbar; their flits are counted in [`super::ports`].

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

/// One input.
#[derive(Clone, Debug)]
pub struct Input {
    pub packets: Ring<Queued>,
    /// The output and the flits of the head packet, once it asks; a copy that is looked at for every flit.
    pub head_output: u16,
    head_flits: u8,
    /// Flits of the head packet that have left.
    pub sent_flits: u8,
}

impl Input {
    /// With room for packets of `flits` in all.
    pub fn new(flits: usize) -> Self {
        Self { packets: Ring::new(flits + 4), head_output: 0, head_flits: 0, sent_flits: 0 }
    }

    /// The oldest packet is at the head of the buffer. Returns its output.
    #[inline]
    pub fn begin_packet(&mut self) -> Option<usize> {
        let queued = self.packets.front()?;
        (self.head_output, self.head_flits) = (queued.output, queued.flits);
        Some(usize::from(queued.output))
    }

    /// Flits of the oldest packet that have not left; `None` if there is no packet.
    #[inline]
    pub fn missing_flits(&self) -> Option<u8> {
        Some(self.packets.front()?.flits - self.sent_flits)
    }

    /// The next flit leaves the buffer. Says whether it was the packet's last.
    #[inline]
    pub fn send_flit(&mut self) -> bool {
        self.sent_flits += 1;
        let is_tail = self.sent_flits == self.head_flits;
        if is_tail {
            self.sent_flits = 0;
            self.packets.drop_front();
        }
        is_tail
    }
}
