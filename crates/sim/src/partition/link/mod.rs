//! HMC-like links between the memory controllers and memory, with compression.
//!
//! ```text
//! controllers ─ [compressor] ─ packer ═══ towards memory ═══ [sizes] ─ vaults
//! controllers ─ [decompressor] ══════════ towards the GPU ══ packer ─ [sizes] ─ vaults
//! ```
//!
//! Kim, Sullivan, Choukse, Erez, "Bit-Plane Compression: Transforming Data for Better Compression in Many-Core Architectures",
//! ISCA 2016, section V-C. One pair of links serves the whole GPU; a vault takes the place of each DRAM channel. Blocks are
//! compressed on the GPU's side and stored as they come; the memory's side finds out how long a block is by decoding it in part.
//!
//! | DRAM cycles      | key                       | which transfers pay them                                                |
//! |------------------|---------------------------|-------------------------------------------------------------------------|
//! | 6, each way      | `latency_cycles`          | all: packets are made, serialised, and put together again               |
//! | 11 (BPC)         | `compress_cycles`         | whole blocks towards memory                                             |
//! | 11 (BPC)         | `decompress_cycles`       | compressed blocks, when they have arrived at the GPU                    |
//! | 4                | `partial_decode_cycles`   | compressed blocks that leave memory; on packed links those that come, too |
//!
//! Our interpretation where the paper is silent:
//!
//! - Every write is answered, write-backs too; the controller's credit for one comes back with its answer.
//! - A vault moves as many bursts as the stored block needs. A block keeps its 128 bytes of memory; which blocks are raw is kept beside
//!   them, as the check bits do.
//! - A write to a part of a block travels raw. Its vault reads the block, decompresses it, merges, compresses and writes, for
//!   which vaults have a codec too. Without a codec nothing is merged: DRAM has byte masks. The paper does not mention
//!   such writes; `partial_writes = "masked"` is its model, in which they cost what they cost without compression.
//! - Instructions and constants stay raw: their bytes are not part of device memory.
//! - A block has the length that its bytes give when its request leaves the controller.
//! - Behind an L2 with sectors, a read of a sector of a compressed block brings its whole encoding, of a raw block the sector alone. A read of
//!   another sector that comes meanwhile is answered with the same transfer. The L2 keeps all sectors of a block that came whole.

pub mod bandwidth;
pub mod counters;
pub mod format;
mod one_way;
mod packer;
pub mod scheme;

use std::collections::VecDeque;

use shrinkwarp_emu::memory::Memory;

use super::controller::dram::config::DramConfig;
use super::controller::dram::{Channel, Request};
use super::controller::{AddressMap, DueRequests, Location, MemoryPorts, MemoryStation};
use crate::base::codec_unit::bursts;
use crate::base::station::{Mismatch, Progress, Station};
use crate::base::{
    Attachment, BLOCK_BITS, Block, BlockFetches, CodecUnit, CodecUnitSpec, Cycle, Packet, Point,
};
use bandwidth::Bandwidth;
use counters::LinkCounters;
use format::Towards;
use one_way::{OneWay, OneWaySpec};
use packer::Packing;
use scheme::{LinkKind, LinkScheme, PartialWrites};

/// Both links and the codecs at their ends. All times are DRAM cycles.
#[derive(Clone, Debug)]
pub struct Links {
    towards_memory: OneWay,
    towards_gpu: OneWay,
    codec: Option<CodecUnit>,
    delays: Delays,
    merges_parts: bool,
    merged_writes: u64,
    map: AddressMap,
    burst_bytes: u32,
    /// By vault: blocks whose whole encoding travels for a read of a sector, and reads that are answered with them.
    fetches: Vec<BlockFetches>,
    joined_answers: Vec<VecDeque<Packet>>,
    /// Packets in the latter.
    joined_waiting: usize,
}

/// What the ends of the links add, for blocks.
#[derive(Clone, Copy, Debug)]
struct Delays {
    compress: u64,
    decompress: u64,
    /// On the memory's side, before a block leaves.
    size_leaving: u64,
    /// On the memory's side, when a block has come.
    size_arriving: u64,
}

impl Links {
    /// The links in front of `dram`, idle; `None` if the GPU keeps its own DRAM channels.
    pub fn new(
        dram: &DramConfig,
        dram_mhz: u32,
        link: &LinkScheme,
        codec: Option<&CodecUnitSpec>,
    ) -> Option<Self> {
        let packing = match link.kind {
            LinkKind::Gddr5 => return None,
            LinkKind::Unpacked => Packing::Unpacked,
            LinkKind::Packed => Packing::Packed,
        };
        let spec = OneWaySpec {
            vaults: dram.channels,
            packing,
            bandwidth: Bandwidth::new(link.gib_per_second, link.bandwidth_divider, dram_mhz),
            latency_cycles: link.latency_cycles,
            queue_packets: link.queue_packets,
        };
        Some(Self {
            towards_memory: OneWay::new(&spec, Towards::Memory),
            towards_gpu: OneWay::new(&spec, Towards::Gpu),
            delays: Delays::new(link, packing, codec),
            codec: codec.cloned().map(CodecUnit::new),
            merges_parts: link.partial_writes == PartialWrites::Merge,
            merged_writes: 0,
            map: AddressMap::new(dram),
            burst_bytes: dram.burst_bytes() as u32,
            fetches: vec![BlockFetches::default(); dram.channels],
            joined_answers: vec![VecDeque::new(); dram.channels],
            joined_waiting: 0,
        })
    }

    /// A vault's end of the links.
    pub fn end(&mut self, vault: usize) -> VaultLink<'_> {
        VaultLink { links: self, vault }
    }

    /// DRAM cycles that a vault takes to merge a part into a stored block.
    pub fn merge_cycles(&self) -> u64 {
        self.delays.decompress + self.delays.compress
    }

    /// First part of a DRAM cycle: what is due arrives.
    pub fn deliver(&mut self, now: Cycle) {
        if self.is_empty() {
            return;
        }
        let Delays { decompress, size_arriving, .. } = self.delays;
        let write_cycles = |packet: &Packet| if is_compressed_write(packet) { size_arriving } else { 0 };
        let read_cycles = |packet: &Packet| if is_compressed_read(packet) { decompress } else { 0 };
        self.towards_memory.deliver(now, write_cycles);
        self.towards_gpu.deliver(now, read_cycles);
    }

    /// Last part, after the vaults: packets leave.
    pub fn transmit(&mut self, now: Cycle) {
        if self.is_empty() {
            return;
        }
        self.towards_memory.transmit(now);
        self.towards_gpu.transmit(now);
    }

    /// Whether nothing is here.
    pub fn is_empty(&self) -> bool {
        self.towards_memory.is_empty() && self.towards_gpu.is_empty() && self.joined_waiting == 0
    }

    /// Everything counted so far.
    pub fn counters(&self) -> LinkCounters {
        LinkCounters {
            codec: self.codec.as_ref().map(|codec| codec.counters).unwrap_or_default(),
            towards_memory: self.towards_memory.traffic(),
            towards_gpu: self.towards_gpu.traffic(),
            merged_writes: self.merged_writes,
        }
    }

    /// The first block that verification found changed.
    pub fn mismatch(&self) -> Option<Mismatch> {
        Mismatch::of(Point::Link, self.codec.as_ref()?)
    }

    /// What the links wait for, in words; `None` if they are empty.
    pub fn describe_wait(&self) -> Option<String> {
        let under_way = |link: &OneWay| link.traffic().transfers_in - link.traffic().transfers_out;
        (!self.is_empty()).then(|| {
            let (down, up) = (under_way(&self.towards_memory), under_way(&self.towards_gpu));
            format!("memory links: {down} packets under way to memory, {up} to the GPU")
        })
    }

    /// Whether a codec sees the packet's block; parts of blocks concern it only where they are merged.
    fn has_codec_for(&self, packet: &Packet) -> bool {
        let is_part = packet.is_write() && !packet.is_whole_block();
        self.codec.is_some() && Point::Link.may_see(packet) && (self.merges_parts || !is_part)
    }

    /// Whether the vault must read the block that the write changes.
    fn is_merged(&self, packet: &Packet) -> bool {
        packet.is_write() && !packet.is_whole_block() && self.has_codec_for(packet)
    }

    /// How the packet's block is stored in memory; for a write, from now on.
    fn measure(&mut self, packet: &Packet, memory: &Memory) -> Attachment {
        let has_codec = self.has_codec_for(packet);
        let is_merged = self.is_merged(packet);
        let Some(codec) = self.codec.as_mut().filter(|_| has_codec) else {
            return Attachment::stored(8 * u32::from(packet.bytes), false);
        };
        let block = Block::read(memory, packet.block());
        let bits = if packet.is_write() {
            codec.compress(packet.block(), &block)
        } else {
            codec.measure(packet.block(), &block)
        };
        if is_merged {
            codec.decompress();
            self.merged_writes += 1;
        }
        let is_compressed = bits < BLOCK_BITS;
        if packet.is_whole_block() {
            return Attachment::stored(bits.max(1), is_compressed);
        }
        if packet.is_write() {
            return Attachment::stored(bits.max(1), false);
        }
        // Of a compressed block the whole encoding travels, of a raw one the sector.
        let bits = if is_compressed { bits.max(1) } else { 8 * u32::from(packet.bytes) };
        Attachment::stored(bits, is_compressed)
    }

    /// Lets a read of a sector wait for its block, if that is on its way. Returns whether it is.
    fn join(&mut self, vault: usize, packet: &Packet) -> bool {
        !packet.is_write() && !packet.is_whole_block() && self.fetches[vault].join(packet)
    }

    /// Takes a request of a vault's controller; there is room for it.
    fn send_request(&mut self, vault: usize, mut packet: Packet, now: Cycle, memory: &Memory) {
        packet.attachment = self.measure(&packet, memory);
        if is_compressed_read(&packet) && !packet.is_whole_block() {
            self.fetches[vault].begin(packet.block());
        }
        let is_compressed_here = packet.is_write() && self.has_codec_for(&packet) && packet.is_whole_block();
        let delay = if is_compressed_here { self.delays.compress } else { 0 };
        self.towards_memory.send(vault, packet, now + delay);
    }

    /// Takes an answer of a vault; there is room for it.
    fn send_answer(&mut self, vault: usize, packet: Packet, now: Cycle) {
        let delay = if is_compressed_read(&packet) { self.delays.size_leaving } else { 0 };
        self.towards_gpu.send(vault, packet, now + delay);
    }
}

/// One vault's end of the links: a station between its controller's delay and its DRAM channel.
#[derive(Debug)]
pub struct VaultLink<'l> {
    links: &'l mut Links,
    vault: usize,
}

impl VaultLink<'_> {
    /// From the vault to the link.
    fn send_answer(&mut self, channel: &mut Channel, now: Cycle) -> bool {
        let answer = channel.front_return();
        if !answer.is_some_and(|answer| self.links.towards_gpu.has_room(self.vault, answer)) {
            return false;
        }
        let answer = channel.pop_return();
        answer.map(|answer| self.links.send_answer(self.vault, answer, now)).is_some()
    }

    /// From the link to the vault.
    fn take_request(&mut self, channel: &mut Channel, now: Cycle) -> bool {
        if channel.is_queue_full() {
            return false;
        }
        let Some(packet) = self.links.towards_memory.pop_due(self.vault, now) else { return false };
        let Location { bank, row } = self.links.map.location(packet.address);
        let bursts = bursts(packet.stored_bits(), self.links.burst_bytes) as u8;
        let merge_bursts = if self.links.is_merged(&packet) { bursts } else { 0 };
        channel.push(Request { packet, bank, row, bursts, merge_bursts });
        true
    }

    /// From the controller to the link.
    fn send_request(&mut self, requests: &mut DueRequests<'_>, now: Cycle, memory: &Memory) -> bool {
        let Some(due) = requests.front() else { return false };
        if self.links.join(self.vault, due) {
            requests.pop();
            return true;
        }
        if !self.links.towards_memory.has_room(self.vault, due) {
            return false;
        }
        let packet = requests.pop();
        packet.map(|packet| self.links.send_request(self.vault, packet, now, memory)).is_some()
    }
}

impl Station for VaultLink<'_> {
    type Ports<'a> = MemoryPorts<'a>;
    type Counters = LinkCounters;

    /// At most one packet moves at each place, the last place of the round trip first.
    fn step(&mut self, mut ports: MemoryPorts<'_>, now: Cycle, memory: &Memory) -> Progress {
        let has_moved = self.send_answer(ports.channel, now)
            | self.take_request(ports.channel, now)
            | self.send_request(&mut ports.requests, now, memory);
        if has_moved { Progress::Moved } else { Progress::Idle }
    }

    /// At once: what the links take is in DRAM cycles, which the caller does not count.
    fn next_event(&self, now: Cycle) -> Option<Cycle> {
        (!self.is_empty()).then(|| now + 1)
    }

    fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    fn counters(&self) -> LinkCounters {
        self.links.counters()
    }

    fn mismatch(&self) -> Option<Mismatch> {
        self.links.mismatch()
    }

    fn describe_wait(&self) -> Option<String> {
        self.links.describe_wait()
    }
}

impl MemoryStation for VaultLink<'_> {
    /// Requests wait in the link's queues.
    const WAITS_FOR_QUEUE: bool = false;

    fn front_answer<'a>(&'a self, _: &'a Channel, now: Cycle) -> Option<&'a Packet> {
        let joined = self.links.joined_answers[self.vault].front();
        joined.or_else(|| self.links.towards_gpu.due(self.vault, now))
    }

    fn pop_answer(&mut self, _: &mut Channel, now: Cycle) -> Option<Packet> {
        if let Some(joined) = self.links.joined_answers[self.vault].pop_front() {
            self.links.joined_waiting -= 1;
            return Some(joined);
        }
        let packet = self.links.towards_gpu.pop_due(self.vault, now)?;
        let answers = &mut self.links.joined_answers[self.vault];
        let before = answers.len();
        self.links.fetches[self.vault].finish(&packet, |joined| answers.push_back(joined));
        self.links.joined_waiting += answers.len() - before;
        if is_compressed_read(&packet)
            && let Some(codec) = &mut self.links.codec
        {
            codec.decompress();
        }
        Some(packet)
    }
}

fn is_compressed_read(packet: &Packet) -> bool {
    !packet.is_write() && packet.is_stored_compressed()
}

fn is_compressed_write(packet: &Packet) -> bool {
    packet.is_write() && packet.is_stored_compressed()
}

impl Delays {
    fn new(link: &LinkScheme, packing: Packing, codec: Option<&CodecUnitSpec>) -> Self {
        let partial_decode = link.partial_decode_cycles;
        let cycles = codec.map(|codec| codec.costs.cycles);
        Self {
            compress: cycles.map_or(0, |cycles| u64::from(cycles.compress)),
            decompress: cycles.map_or(0, |cycles| u64::from(cycles.decompress)),
            size_leaving: partial_decode,
            size_arriving: if packing == Packing::Packed { partial_decode } else { 0 },
        }
    }
}
