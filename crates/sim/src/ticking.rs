//! The SMs in a tick of the machine: one after the other, or side by side with the same result.

use shrinkwarp_emu::fault::Fault;
use shrinkwarp_emu::memory::Memory;

use crate::base::{Cycle, Packet, Turn};
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
            let sm = &mut self.sms[index];
            sm.receive(now, || side.receive_reply(index, now, memory));
            self.asleep_until[index] = Cycle(0);
            if sm.has_replies() {
                self.with_replies.insert(index);
            } else {
                self.with_replies.remove(index);
            }
        });
    }

    fn step(&mut self, side: &mut MemorySide, now: Cycle) -> Result<(), Box<Fault>> {
        match self.team.take() {
            None => self.step_in_order(side, now)?,
            Some(team) => self.step_together(team, side, now)?,
        }
        if self.blocks.has_more() {
            self.blocks.round(self.sms, Sm::has_room_for_block, |index, sm, block| {
                sm.start_block(self.program, block, now);
                self.asleep_until[index] = Cycle(0);
                (self.on_launch)(index, block);
            });
        }
        Ok(())
    }
}

impl TickingSms<'_, '_> {
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

    /// The same on several threads. An SM touches device memory in its turn, and leaves its packets in its seat; no SM can
    /// tell the packets of another in the same cycle.
    fn step_together(
        &mut self,
        team: &mut CrewMembers,
        side: &mut MemorySide,
        now: Cycle,
    ) -> Result<(), Box<Fault>> {
        let mut awake = 0;
        for (index, (sm, seat)) in self.sms.iter_mut().zip(&mut team.seats).enumerate() {
            let outlet = SmOutlet { memory_side: side, sm: index };
            seat.is_taken = !sm.is_empty() && !sm.sleep_on(now, &outlet);
            self.asleep_until[index] = sm.asleep_until();
            awake += usize::from(seat.is_taken);
        }
        if awake < team.least_awake {
            return self.step_awake(&team.seats, side, now);
        }
        for (index, seat) in team.seats.iter_mut().enumerate().filter(|(_, seat)| seat.is_taken) {
            seat.outbox.open(side.request_room(index));
        }
        let program = self.program;
        let step = |turn: Turn<'_>, sm: &mut Sm, seat: &mut Seat| {
            let program = Program { turn: Some(turn), ..*program };
            seat.outcome = sm.run_stages(now, &program, &mut seat.outbox);
            seat.outcome.is_ok()
        };
        team.team.visit(self.sms, &mut team.seats, |seat| seat.is_taken, step);
        for (index, seat) in team.seats.iter_mut().enumerate().filter(|(_, seat)| seat.is_taken) {
            seat.outbox.packets.drain(..).for_each(|packet| side.send_request(index, packet));
            self.blocks_ended += u64::from(std::mem::replace(&mut seat.outcome, Ok(0))?);
            self.asleep_until[index] = self.sms[index].asleep_until();
        }
        Ok(())
    }

    /// One after the other, those that are known to be awake.
    fn step_awake(&mut self, seats: &[Seat], side: &mut MemorySide, now: Cycle) -> Result<(), Box<Fault>> {
        for (index, (sm, _)) in
            self.sms.iter_mut().zip(seats).enumerate().filter(|(_, (_, seat))| seat.is_taken)
        {
            let mut outlet = SmOutlet { memory_side: side, sm: index };
            self.blocks_ended += u64::from(sm.run_stages(now, self.program, &mut outlet)?);
            self.asleep_until[index] = sm.asleep_until();
        }
        Ok(())
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
