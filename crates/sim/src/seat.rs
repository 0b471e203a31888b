//! Where an SM and the machine leave things for each other when SMs step side by side.
//!
//! A seat has cache lines of its own. Each side writes there only what has changed, so that a line moves between two processors
//! only when there is news.

use shrinkwarp_emu::fault::Fault;

use crate::base::codec_unit::packet_flits;
use crate::base::{Cycle, Packet};
use crate::compute::{Outlet, Program, Sm};

/// The seat of an SM.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct Seat {
    /// Whether the SM steps in this cycle.
    pub is_taken: bool,
    /// Whether it takes replies before: one from here, or one that waits in the SM.
    pub receives: bool,
    always_may_write: bool,
    report: SmReport,
    /// Thread blocks that ended.
    blocks_ended: u32,
    /// Why the SM cannot go on.
    fault: Option<Box<Fault>>,
    outbox: Outbox,
    /// A reply of the network.
    pub inbox: Option<Packet>,
}

/// What the machine knows of an SM between two cycles without looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are claims about an SM that do not depend on each other"
)]
pub(crate) struct SmReport {
    /// Until when it need not be looked at.
    pub asleep_until: Cycle,
    /// Whether it may change in its next cycle what all SMs share.
    pub may_write: bool,
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
            may_write: sm.always_may_write() || sm.may_write(),
            can_take_reply: sm.can_take_reply(),
            has_replies: sm.has_replies(),
            has_room_for_block: sm.has_room_for_block(),
        }
    }
}

impl Seat {
    /// A seat for an SM as it is now.
    pub fn new(sm: &Sm) -> Self {
        Self {
            is_taken: false,
            receives: false,
            always_may_write: sm.always_may_write(),
            report: SmReport::of(sm),
            blocks_ended: 0,
            fault: None,
            outbox: Outbox::default(),
            inbox: None,
        }
    }

    /// What is known of the SM.
    #[inline]
    pub fn report(&self) -> &SmReport {
        &self.report
    }

    /// The SM was changed otherwise than by [`Seat::step`].
    pub fn renew(&mut self, sm: &Sm) {
        self.set_report(SmReport::of(sm));
    }

    #[inline]
    fn set_report(&mut self, report: SmReport) {
        if self.report != report {
            self.report = report;
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
        let room = (room.min(usize::from(u16::MAX)) as u16, flit_bytes.unwrap_or(0));
        if (outbox.room, outbox.flit_bytes) != room {
            (outbox.room, outbox.flit_bytes) = room;
        }
    }

    /// One cycle of the SM. Returns whether it went well.
    pub fn step(&mut self, sm: &mut Sm, now: Cycle, program: &Program<'_>) -> bool {
        let mut report = self.report;
        let receives = self.receives;
        if receives {
            self.receives = false;
            sm.receive(now, || self.inbox.take());
        }
        if !sm.is_empty() && !sm.sleep_on(now, &self.outbox) {
            match sm.run_stages(now, program, &mut self.outbox) {
                Ok(0) => {}
                Ok(ended) => {
                    self.blocks_ended = ended;
                    report.has_room_for_block = sm.has_room_for_block();
                }
                Err(fault) => {
                    self.fault = Some(fault);
                    return false;
                }
            }
        }
        report.asleep_until = sm.asleep_until();
        report.may_write = self.always_may_write || sm.may_write();
        // Without a reply there is none to be moved on.
        if receives {
            (report.can_take_reply, report.has_replies) = (sm.can_take_reply(), sm.has_replies());
        }
        self.set_report(report);
        true
    }

    /// Takes what the cycle left: the packets, and the thread blocks that ended.
    #[inline]
    pub fn collect(&mut self, send: impl FnMut(Packet)) -> Result<u32, Box<Fault>> {
        if !self.outbox.packets.is_empty() {
            self.outbox.packets.drain(..).for_each(send);
        }
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if self.blocks_ended == 0 { Ok(0) } else { Ok(std::mem::take(&mut self.blocks_ended)) }
    }
}

/// Packets that an SM sends in a cycle, until the network takes them.
#[derive(Debug, Default)]
struct Outbox {
    packets: Vec<Packet>,
    room: u16,
    /// Bytes of a flit, if the room is in flits; 0 if it is in packets.
    flit_bytes: u32,
}

impl Outbox {
    /// What a packet takes of the room.
    #[inline]
    fn size(&self, payload_bytes: u32) -> u16 {
        if self.flit_bytes == 0 { 1 } else { packet_flits(payload_bytes, self.flit_bytes) as u16 }
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
