//! Where an SM and the machine leave things for each other when SMs step side by side.
//!
//! A seat has cache lines of its own. Each side writes there only what has changed, so that a line moves between two processors
//! only when there is news.

use shrinkwarp_emu::fault::Fault;

use crate::base::codec_unit::packet_flits;
use crate::base::{Cycle, Packet, Sharing};
use crate::compute::{Outlet, Program, Sm};

/// The seat of an SM.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct Seat {
    /// Whether the SM steps in this cycle.
    pub is_taken: bool,
    /// Whether it takes replies before: one from here, or one that waits in the SM.
    pub receives: bool,
    outbox: Outbox,
    report: Report,
    /// A reply of the network.
    pub inbox: Option<Packet>,
}

/// What the machine knows of an SM between two cycles without looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SmReport {
    /// Until when it need not be looked at.
    pub asleep_until: Cycle,
    /// What it does at most in its next cycle to what all SMs share.
    pub sharing: Sharing,
    /// Whether it would take a reply from the network.
    pub can_take_reply: bool,
    /// Whether replies wait in it.
    pub has_replies: bool,
    /// Whether a thread block can be launched on it.
    pub has_room_for_block: bool,
}

impl SmReport {
    fn of(sm: &Sm) -> Self {
        Self {
            asleep_until: sm.asleep_until(),
            sharing: sm.sharing(),
            can_take_reply: sm.can_take_reply(),
            has_replies: sm.has_replies(),
            has_room_for_block: sm.has_room_for_block(),
        }
    }
}

/// What a cycle of an SM left.
#[derive(Debug)]
struct Report {
    sm: SmReport,
    /// Thread blocks that ended, or why the SM cannot go on.
    outcome: Result<u32, Box<Fault>>,
}

impl Seat {
    /// A seat for an SM as it is now.
    pub fn new(sm: &Sm) -> Self {
        Self {
            is_taken: false,
            receives: false,
            outbox: Outbox::default(),
            report: Report { sm: SmReport::of(sm), outcome: Ok(0) },
            inbox: None,
        }
    }

    /// What is known of the SM.
    #[inline]
    pub fn report(&self) -> &SmReport {
        &self.report.sm
    }

    /// The SM was changed otherwise than by [`Seat::step`].
    pub fn renew(&mut self, sm: &Sm) {
        let report = SmReport::of(sm);
        if self.report.sm != report {
            self.report.sm = report;
        }
    }

    /// Says whether the SM steps in this cycle.
    #[inline]
    pub fn take(&mut self, is_taken: bool) {
        if self.is_taken != is_taken {
            self.is_taken = is_taken;
        }
    }

    /// A cycle begins, with this room in the network's queue.
    #[inline]
    pub fn open(&mut self, (room, flit_bytes): (usize, Option<u32>)) {
        let outbox = &mut self.outbox;
        if (outbox.room, outbox.flit_bytes) != (room, flit_bytes) {
            (outbox.room, outbox.flit_bytes) = (room, flit_bytes);
        }
    }

    /// One cycle of the SM. Returns whether it went well.
    pub fn step(&mut self, sm: &mut Sm, now: Cycle, program: &Program<'_>) -> bool {
        if self.receives {
            self.receives = false;
            sm.receive(now, || self.inbox.take());
        }
        if !sm.is_empty() && !sm.sleep_on(now, &self.outbox) {
            match sm.run_stages(now, program, &mut self.outbox) {
                Ok(0) => {}
                outcome => self.report.outcome = outcome,
            }
        }
        self.renew(sm);
        self.report.outcome.is_ok()
    }

    /// Takes what the cycle left: the packets, and the thread blocks that ended.
    #[inline]
    pub fn collect(&mut self, send: impl FnMut(Packet)) -> Result<u32, Box<Fault>> {
        if !self.outbox.packets.is_empty() {
            self.outbox.packets.drain(..).for_each(send);
        }
        if matches!(self.report.outcome, Ok(0)) {
            return Ok(0);
        }
        std::mem::replace(&mut self.report.outcome, Ok(0))
    }
}

/// Packets that an SM sends in a cycle, until the network takes them.
#[derive(Debug, Default)]
struct Outbox {
    packets: Vec<Packet>,
    room: usize,
    /// Bytes of a flit, if the room is in flits; it is in packets otherwise.
    flit_bytes: Option<u32>,
}

impl Outbox {
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
