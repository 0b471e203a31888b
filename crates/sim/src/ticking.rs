//! The SMs in a tick of the machine, one after the other.

use shrinkwarp_emu::fault::Fault;
use shrinkwarp_emu::memory::Memory;

use crate::base::{Cycle, Packet};
use crate::compute::{Outlet, Program, Sm};
use crate::fabric::NodeSet;
use crate::memory_side::{MemorySide, Sms};
use crate::thread_blocks::ThreadBlockScheduler;

/// The SMs in a tick.
pub(crate) struct TickingSms<'a, 'p> {
    pub sms: &'a mut [Sm],
    /// The SMs in which replies wait for their units.
    pub with_replies: &'a mut NodeSet,
    /// Per SM: until when it need not be looked at.
    pub asleep_until: &'a mut [Cycle],
    pub program: &'a Program<'p>,
    pub blocks: &'a mut ThreadBlockScheduler,
    pub on_launch: &'a mut dyn FnMut(usize, u64, u64),
    pub blocks_ended: u64,
}

impl Sms for TickingSms<'_, '_> {
    type Error = Box<Fault>;

    fn receive(&mut self, side: &mut MemorySide, now: Cycle, memory: &Memory) {
        side.sms_with_replies().union(self.with_replies).for_each(|index| {
            self.receive_at(index, now, || side.receive_reply(index, now, memory));
        });
    }

    fn step(&mut self, side: &mut MemorySide, now: Cycle) -> Result<(), Box<Fault>> {
        for index in 0..self.asleep_until.len() {
            if self.asleep_until[index] <= now {
                let mut outlet = SmOutlet { memory_side: side, sm: index };
                self.blocks_ended += u64::from(self.step_sm(index, now, &mut outlet)?);
            }
        }
        if self.blocks.has_more() {
            self.launch_blocks(now, |_, sm| sm.has_room_for_block());
        }
        Ok(())
    }
}

impl TickingSms<'_, '_> {
    /// An SM takes replies, one of them from the network.
    #[inline]
    pub fn receive_at(&mut self, index: usize, now: Cycle, next_reply: impl FnOnce() -> Option<Packet>) {
        self.asleep_until[index] = Cycle(0);
        let sm = &mut self.sms[index];
        sm.receive(now, next_reply);
        if sm.replies() > 0 {
            self.with_replies.insert(index);
        } else {
            self.with_replies.remove(index);
        }
    }

    /// A cycle of an SM that does not sleep. Returns how many thread blocks ended.
    #[inline]
    pub fn step_sm(&mut self, index: usize, now: Cycle, outlet: &mut impl Outlet) -> Result<u32, Box<Fault>> {
        let sm = &mut self.sms[index];
        let ended = if sm.is_empty() { 0 } else { sm.step(now, self.program, outlet)? };
        // Until when the SM rested before is in the past.
        if let Some(until) = sm.rests_until() {
            self.asleep_until[index] = until;
        }
        Ok(ended)
    }

    /// Launches thread blocks at the end of a cycle, on SMs that have room for one.
    pub fn launch_blocks(&mut self, now: Cycle, has_room: impl Fn(usize, &Sm) -> bool) {
        self.blocks.round(self.sms, has_room, |index, sm, block| {
            sm.start_block(self.program, block, now);
            self.asleep_until[index] = Cycle(0);
            (self.on_launch)(index, block, now.0);
        });
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
