//! A memory side with its clocks and device memory; the SMs are what the test does in each core cycle.
#![expect(dead_code, reason = "each test and benchmark uses a part of it")]

use std::convert::Infallible;

use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::memory_side::{MemorySide, Sms};
use shrinkwarp_sim::scheme::Scheme;
use shrinkwarp_sim::{Clocks, Cycle, Now, Packet};

/// The machine without its SMs.
pub struct Bench {
    pub side: MemorySide,
    pub memory: Memory,
    pub sms: usize,
    clocks: Clocks,
    now: Cycle,
}

impl Bench {
    /// An idle memory side in front of `memory`.
    pub fn new(gpu: &GpuSpec, scheme: &Scheme, memory: Memory) -> Self {
        Self {
            side: MemorySide::new(gpu, scheme),
            memory,
            sms: gpu.sm.count,
            clocks: Clocks::new(&gpu.clocks),
            now: Cycle(0),
        }
    }

    /// Core cycles so far.
    pub fn cycles(&self) -> u64 {
        self.now.0
    }

    /// Runs one core cycle: `receive` sees each reply, `send` may send.
    pub fn core_cycle(
        &mut self,
        receive: impl FnMut(Packet, Cycle),
        send: impl FnMut(&mut MemorySide, Cycle),
    ) {
        let mut sms = ScriptedSms { count: self.sms, receive, send };
        loop {
            let edges = self.clocks.advance();
            let now = Now { core: self.now, dram: Cycle(self.clocks.dram_cycles()) };
            let Ok(()) = self.side.tick(edges, now, &self.memory, &mut sms);
            if edges.core {
                self.now += 1;
                return;
            }
        }
    }

    /// Sends one packet and returns the core cycles until its reply.
    pub fn round_trip(&mut self, packet: Packet) -> u64 {
        let (mut start, mut end) = (None, None);
        while end.is_none() {
            self.core_cycle(
                |_, now| end = Some(now),
                |side, now| {
                    if start.is_none() && try_send(side, packet) {
                        start = Some(now);
                    }
                },
            );
        }
        end.zip(start).map_or(0, |(end, start)| end - start)
    }

    /// Runs until nothing moves. Returns the replies.
    pub fn drain(&mut self) -> u64 {
        let mut replies = 0;
        while !self.side.is_empty() {
            self.core_cycle(|_, _| replies += 1, |_, _| {});
        }
        replies
    }
}

/// Sends the packet from its SM, if there is room.
pub fn try_send(side: &mut MemorySide, packet: Packet) -> bool {
    let sm = usize::from(packet.sm);
    let has_room = side.has_room_for_request(sm, packet.payload_bytes());
    if has_room {
        side.send_request(sm, packet);
    }
    has_room
}

struct ScriptedSms<R, S> {
    count: usize,
    receive: R,
    send: S,
}

impl<R: FnMut(Packet, Cycle), S: FnMut(&mut MemorySide, Cycle)> Sms for ScriptedSms<R, S> {
    type Error = Infallible;

    fn receive(&mut self, side: &mut MemorySide, now: Cycle, memory: &Memory) {
        for sm in 0..self.count {
            if let Some(reply) = side.receive_reply(sm, now, memory) {
                (self.receive)(reply, now);
            }
        }
    }

    fn step(&mut self, side: &mut MemorySide, now: Cycle) -> Result<(), Infallible> {
        (self.send)(side, now);
        Ok(())
    }
}
