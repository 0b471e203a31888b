//! What an SM leaves for the machine when it steps side by side with others.

use shrinkwarp_emu::fault::Fault;

use crate::base::Packet;
use crate::base::codec_unit::packet_flits;
use crate::compute::Outlet;

/// What an SM leaves that steps side by side with others.
#[derive(Debug)]
pub(crate) struct Seat {
    /// Whether the SM steps in this cycle.
    pub is_taken: bool,
    pub outbox: Outbox,
    /// Thread blocks that ended, or why the SM cannot go on.
    pub outcome: Result<u32, Box<Fault>>,
}

impl Default for Seat {
    fn default() -> Self {
        Self { is_taken: false, outbox: Outbox::default(), outcome: Ok(0) }
    }
}

/// Packets that an SM sends in a cycle, until the network takes them.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub packets: Vec<Packet>,
    room: usize,
    /// Bytes of a flit, if the room is in flits; it is in packets otherwise.
    flit_bytes: Option<u32>,
}

impl Outbox {
    /// A cycle begins, with this room in the network's queue.
    pub fn open(&mut self, (room, flit_bytes): (usize, Option<u32>)) {
        (self.room, self.flit_bytes) = (room, flit_bytes);
    }

    /// What a packet takes of the room.
    #[inline]
    fn size(&self, payload_bytes: u32) -> usize {
        self.flit_bytes.map_or(1, |flit_bytes| packet_flits(payload_bytes, flit_bytes) as usize)
    }
}

impl Outlet for Outbox {
    #[inline]
    fn has_room(&self, payload_bytes: u32) -> bool {
        self.size(payload_bytes) <= self.room
    }

    fn send(&mut self, packet: Packet) {
        self.room = self.room.saturating_sub(self.size(packet.payload_bytes()));
        self.packets.push(packet);
    }
}
