//! The SMs in a tick of the machine: one after the other, or side by side with the same result.

use shrinkwarp_emu::fault::Fault;
use shrinkwarp_emu::memory::Memory;

use crate::base::{Cycle, Packet, Turn};
use crate::compute::{Outlet, Program, Sm};
use crate::memory_side::{MemorySide, Sms};
use crate::seat::Seat;
use crate::thread_blocks::ThreadBlockScheduler;
use crate::threads::CrewMembers;

/// The SMs in a tick.
pub(crate) struct TickingSms<'a, 'p> {
    pub sms: &'a mut [Sm],
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
        for (index, sm) in self.sms.iter_mut().enumerate() {
            if sm.has_replies() || side.has_reply(index) {
                sm.receive(now, || side.receive_reply(index, now, memory));
            }
        }
    }

    fn step(&mut self, side: &mut MemorySide, now: Cycle) -> Result<(), Box<Fault>> {
        match self.team.take() {
            None => self.step_in_order(side, now)?,
            Some(team) => self.step_together(team, side, now)?,
        }
        if self.blocks.has_more() {
            self.blocks.round(self.sms, Sm::has_room_for_block, |index, sm, block| {
                sm.start_block(self.program, block);
                (self.on_launch)(index, block);
            });
        }
        Ok(())
    }
}

impl TickingSms<'_, '_> {
    fn step_in_order(&mut self, side: &mut MemorySide, now: Cycle) -> Result<(), Box<Fault>> {
        for (index, sm) in self.sms.iter_mut().enumerate() {
            if !sm.is_empty() {
                let mut outlet = SmOutlet { memory_side: side, sm: index };
                self.blocks_ended += u64::from(sm.step(now, self.program, &mut outlet)?);
            }
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
