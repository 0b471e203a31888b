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
            self.asleep_until[index] = Cycle(0);
            let sm = &mut self.sms[index];
            sm.receive(now, || side.receive_reply(index, now, memory));
            if sm.replies() > 0 {
                self.with_replies.insert(index);
            } else {
                self.with_replies.remove(index);
            }
        });
    }

    fn step(&mut self, side: &mut MemorySide, now: Cycle) -> Result<(), Box<Fault>> {
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
        if self.blocks.has_more() {
            self.launch_blocks(now);
        }
        Ok(())
    }
}

impl TickingSms<'_, '_> {
    fn launch_blocks(&mut self, now: Cycle) {
        self.blocks.round(self.sms, Sm::has_room_for_block, |index, sm, block| {
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
