//! A memory side with its clocks and device memory; the SMs are what the test does in each core cycle. And what tests of the
//! compression points share.
#![expect(dead_code, reason = "each test and benchmark uses a part of it")]

use std::convert::Infallible;

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry;
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::calibrate::{Machine, case_named};
use shrinkwarp_sim::config::{GpuSpec, load_scheme};
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::memory_side::{MemorySide, Sms};
use shrinkwarp_sim::run::RunOptions;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_sim::{AccessKind, Clocks, Cycle, Now, Packet};

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

/// The scheme `base` with changes, every block decompressed and compared; a trained codec gets tables of zeros.
pub fn scheme_with(base: &str, changes: &[&str]) -> Scheme {
    let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
    let spec = load_scheme(base, &changes).unwrap();
    let tables: Tables = spec
        .profiled_codecs()
        .into_iter()
        .map(|codec| {
            let built = registry::build(&codec, BlockBytes::B128, &[0; 1024]).unwrap();
            (codec, built.tables())
        })
        .collect();
    Scheme::build(spec, &tables, true).unwrap()
}

/// Runs a reference case: (checksum is the reference's, cycles, counters).
pub fn run_case(name: &str, gpu: GpuSpec, scheme: Scheme) -> (bool, u64, MachineCounters) {
    let case = case_named(name).unwrap();
    let mut gpu = Gpu::with_scheme(gpu, scheme);
    let prepared = case.prepare(&mut gpu).unwrap();
    let report = gpu.launch_watched(&prepared.kernel, &prepared.launch, &mut RunOptions::default()).unwrap();
    let checksum = format!("{:016x}", prepared.checksum(&mut gpu).unwrap());
    let is_right = Machine::Linear.measured(name, "checksum") == Some(checksum.as_str());
    (is_right, report.cycles, report.counters)
}

/// A number that follows from `n` and looks like chance.
pub fn scramble(n: u64) -> u64 {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n >> 7).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
}

/// The bytes of a block, of whose words the first `random_words` are chance and the others zero.
pub fn words(block: u64, random_words: usize) -> [u8; 128] {
    let mut bytes = [0; 128];
    for (index, word) in bytes.chunks_exact_mut(4).take(random_words).enumerate() {
        word.copy_from_slice(&(scramble(block * 32 + index as u64) as u32 | 0x8000_0001).to_le_bytes());
    }
    bytes
}

/// What [`send_random`] sent and got.
#[derive(Default)]
pub struct RandomTraffic {
    pub reads: u64,
    pub writes: u64,
    pub replies: u64,
}

/// Sends from all SMs for 3,000 core cycles, a quarter of it writes, and waits until nothing moves. `place` makes address and bytes
/// of an access from whether it is a write and a random number.
pub fn send_random(bench: &mut Bench, place: impl Fn(bool, u64) -> (u64, u16)) -> RandomTraffic {
    let mut traffic = RandomTraffic::default();
    let mut seed = 7u64;
    for _ in 0..3000 {
        let (reads, writes) = (&mut traffic.reads, &mut traffic.writes);
        bench.core_cycle(
            |_, _| traffic.replies += 1,
            |side, now| {
                for sm in 0..15u16 {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let is_write = seed >> 40 & 3 == 0;
                    let kind = if is_write { AccessKind::GlobalWrite } else { AccessKind::GlobalRead };
                    let (address, bytes) = place(is_write, seed);
                    let is_sent = try_send(side, Packet::new(kind, address, bytes, sm, now));
                    *(if is_write { &mut *writes } else { &mut *reads }) += u64::from(is_sent);
                }
            },
        );
    }
    traffic.replies += bench.drain();
    traffic
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
