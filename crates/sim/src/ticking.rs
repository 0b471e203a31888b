//! The SMs in a tick of the machine: one after the other, or side by side with the same result.

use shrinkwarp_emu::fault::Fault;
use shrinkwarp_emu::memory::Memory;

use crate::base::{AsideKind, Cycle, Edges, Now, Packet, Turn};
use crate::compute::{Outlet, Program, Sm};
use crate::fabric::NodeSet;
use crate::memory_side::{MemorySide, Sms};
use crate::seat::Seat;
use crate::thread_blocks::ThreadBlockScheduler;
use crate::threads::CrewMembers;

/// The SMs in a tick.
pub(crate) struct TickingSms<'a, 'p> {
    pub sms: &'a mut [Sm],
    /// The SMs in which replies wait for their units.
    pub with_replies: &'a mut NodeSet,
    /// Per SM: until when it need not be looked at.
    pub asleep_until: &'a mut [Cycle],
    pub program: &'a Program<'p>,
    pub blocks: &'a mut ThreadBlockScheduler,
    pub on_launch: &'a mut dyn FnMut(usize, u64),
    /// Threads, if SMs may step side by side.
    pub team: Option<&'a mut CrewMembers>,
    pub blocks_ended: u64,
}

impl Sms for TickingSms<'_, '_> {
    type Error = Box<Fault>;

    fn receive(&mut self, side: &mut MemorySide, now: Cycle, memory: &Memory) {
        side.sms_with_replies().union(self.with_replies).for_each(|index| {
            self.asleep_until[index] = Cycle(0);
            if let Some(team) = &mut self.team {
                let seat = &mut team.seats[index];
                seat.receives = true;
                if seat.report().can_take_reply {
                    seat.inbox = side.receive_reply(index, now, memory);
                }
                return;
            }
            let sm = &mut self.sms[index];
            sm.receive(now, || side.receive_reply(index, now, memory));
            note(self.with_replies, index, sm.has_replies());
        });
    }

    fn step(
        &mut self,
        side: &mut MemorySide,
        edges: Edges,
        now: Now,
        memory: &Memory,
    ) -> Result<(), Box<Fault>> {
        match self.team.take() {
            None => {
                side.move_packets(edges, now, memory);
                self.step_in_order(side, now.core)?;
                if self.blocks.has_more() {
                    self.launch_blocks(now.core, None);
                }
            }
            Some(team) => {
                self.step_together(team, side, edges, now, memory)?;
                if self.blocks.has_more() && team.seats.iter().any(|seat| seat.report().has_room_for_block) {
                    self.launch_blocks(now.core, Some(team));
                }
            }
        }
        Ok(())
    }
}

impl TickingSms<'_, '_> {
    fn launch_blocks(&mut self, now: Cycle, mut team: Option<&mut CrewMembers>) {
        self.blocks.round(self.sms, Sm::has_room_for_block, |index, sm, block| {
            sm.start_block(self.program, block, now);
            self.asleep_until[index] = Cycle(0);
            if let Some(team) = &mut team {
                team.seats[index].renew(sm);
            }
            (self.on_launch)(index, block);
        });
    }

    fn step_in_order(&mut self, side: &mut MemorySide, now: Cycle) -> Result<(), Box<Fault>> {
        for (index, asleep_until) in self.asleep_until.iter_mut().enumerate() {
            if *asleep_until > now {
                continue;
            }
            let sm = &mut self.sms[index];
            if !sm.is_empty() {
                let mut outlet = SmOutlet { memory_side: side, sm: index };
                self.blocks_ended += u64::from(sm.step(now, self.program, &mut outlet)?);
            }
            *asleep_until = sm.asleep_until();
        }
        Ok(())
    }

    /// The same on several threads, beside the memory side. An SM touches device memory in its turn, and leaves its packets in its
    /// seat; no SM can tell the packets of another in the same cycle, and the room that the memory side makes for them is known
    /// beforehand.
    fn step_together(
        &mut self,
        team: &mut CrewMembers,
        side: &mut MemorySide,
        edges: Edges,
        now: Now,
        memory: &Memory,
    ) -> Result<(), Box<Fault>> {
        let CrewMembers { team: threads, seats, least_awake, most_packets } = team;
        let (mut awake, mut is_room_known) = (0, true);
        for (index, (seat, &asleep_until)) in seats.iter_mut().zip(&*self.asleep_until).enumerate() {
            let is_awake = asleep_until <= now.core;
            seat.take(is_awake);
            if is_awake {
                awake += 1;
                match side.request_room_after(edges, index, *most_packets) {
                    Some(room) => seat.open(room),
                    None => is_room_known = false,
                }
            }
        }
        let program = self.program;
        if awake < *least_awake || !is_room_known {
            side.move_packets(edges, now, memory);
            for (index, (sm, seat)) in self.sms.iter_mut().zip(&mut *seats).enumerate() {
                if seat.is_taken {
                    seat.open(side.request_room(index));
                    if !seat.step(sm, now.core, program) {
                        break;
                    }
                }
            }
        } else {
            let step = |turn: Turn<'_>, sm: &mut Sm, seat: &mut Seat| {
                seat.step(sm, now.core, &Program { turn: Some(turn), ..*program })
            };
            let may_write = |seat: &Seat| seat.is_taken.then(|| seat.report().may_write);
            let kind = if side.reads_memory() { AsideKind::Reads } else { AsideKind::Apart };
            let move_packets = || side.move_packets(edges, now, memory);
            threads.visit((&mut *self.sms, &mut seats[..]), may_write, step, kind, move_packets);
        }
        for (index, seat) in seats.iter_mut().enumerate().filter(|(_, seat)| seat.is_taken) {
            self.blocks_ended += u64::from(seat.collect(|packet| side.send_request(index, packet))?);
            let report = seat.report();
            self.asleep_until[index] = report.asleep_until;
            note(self.with_replies, index, report.has_replies);
        }
        Ok(())
    }
}

/// Makes an SM one of a set, or not.
fn note(set: &mut NodeSet, index: usize, is_in: bool) {
    if is_in {
        set.insert(index);
    } else {
        set.remove(index);
    }
}

/// An SM's door into the request network.
struct SmOutlet<'a> {
    memory_side: &'a mut MemorySide,
    sm: usize,
}

impl Outlet for SmOutlet<'_> {
    #[inline]
    fn has_room(&self, payload_bytes: u32) -> bool {
        self.memory_side.has_room_for_request(self.sm, payload_bytes)
    }

    fn send(&mut self, packet: Packet) {
        self.memory_side.send_request(self.sm, packet);
    }
}
