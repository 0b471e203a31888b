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
//! Choices of ours, where the paper is silent:
//!
//! - Every write is answered, write-backs too; the controller's credit for one comes back with its answer.
//! - A vault moves as many bursts as the stored block needs. A block keeps its 128 bytes of memory; which blocks are raw stands beside
//!   them, as the check bits do.
//! - A write to a part of a block travels raw. Its vault reads the block, decompresses it, merges, compresses and writes, for
//!   which vaults have a codec too. Without a codec nothing is merged: DRAM has byte masks. The paper does not mention
//!   such writes; `partial_writes = "masked"` is its model, in which they cost what they cost without compression.
//! - Instructions, constants and local memory stay raw: their bytes are not part of device memory.
//! - A block has the length that its bytes give when its request leaves the controller.

pub mod bandwidth;
pub mod format;
mod one_way;
mod packer;

use shrinkwarp_emu::memory::{GLOBAL_START, Memory};

use crate::base::{AccessKind, BLOCK_BITS, BLOCK_BYTES, CodecUnit, CodecUnitSpec, Cycle, Packet};
use crate::config::GpuSpec;
use crate::config::scheme::{LinkKind, LinkScheme, PartialWrites};
use crate::counters::LinkCounters;
use crate::scheme::Scheme;
use bandwidth::Bandwidth;
use format::{Towards, is_compressed, is_whole_block};
use one_way::{OneWay, OneWaySpec};
use packer::Packing;

/// Both links and the codecs at their ends. All times are DRAM cycles.
#[derive(Clone, Debug)]
pub struct Links {
    towards_memory: OneWay,
    towards_gpu: OneWay,
    codec: Option<CodecUnit>,
    delays: Delays,
    merges_parts: bool,
    merged_writes: u64,
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
    /// The scheme's links, idle; `None` if the GPU keeps its own DRAM channels.
    pub fn new(gpu: &GpuSpec, scheme: &Scheme) -> Option<Self> {
        let link = &scheme.spec.link;
        let packing = match link.kind {
            LinkKind::Gddr5 => return None,
            LinkKind::Unpacked => Packing::Unpacked,
            LinkKind::Packed => Packing::Packed,
        };
        let spec = OneWaySpec {
            vaults: gpu.dram.channels,
            packing,
            bandwidth: Bandwidth::new(link.gib_per_second, link.bandwidth_divider, gpu.clocks.dram_mhz),
            latency_cycles: link.latency_cycles,
            queue_packets: link.queue_packets,
        };
        Some(Self {
            towards_memory: OneWay::new(&spec, Towards::Memory),
            towards_gpu: OneWay::new(&spec, Towards::Gpu),
            delays: Delays::new(link, packing, scheme.link.as_ref()),
            codec: scheme.link.clone().map(CodecUnit::new),
            merges_parts: link.partial_writes == PartialWrites::Merge,
            merged_writes: 0,
        })
    }

    /// Whether a request of the vault's controller can be taken.
    pub fn can_send_request(&self, vault: usize, packet: &Packet) -> bool {
        self.towards_memory.has_room(vault, packet)
    }

    /// Takes a request; the caller has asked [`Links::can_send_request`].
    pub fn send_request(&mut self, vault: usize, mut packet: Packet, memory: &Memory, now: Cycle) {
        packet.stored_bits = self.stored_bits(&packet, memory);
        let is_compressed_here = packet.is_write() && self.has_codec_for(&packet) && is_whole_block(&packet);
        let delay = if is_compressed_here { self.delays.compress } else { 0 };
        self.towards_memory.send(vault, packet, now + delay);
    }

    /// The oldest request that has come to the vault.
    pub fn front_request(&self, vault: usize, now: Cycle) -> Option<&Packet> {
        let (arrived_at, packet) = self.towards_memory.front(vault)?;
        let delay = if packet.is_write() && is_compressed(packet) { self.delays.size_arriving } else { 0 };
        (arrived_at + delay <= now).then_some(packet)
    }

    /// Takes that request.
    pub fn pop_request(&mut self, vault: usize) -> Option<Packet> {
        self.towards_memory.pop(vault)
    }

    /// Whether the vault must read the block that the write changes.
    pub fn is_merged(&self, packet: &Packet) -> bool {
        packet.is_write() && !is_whole_block(packet) && self.has_codec_for(packet)
    }

    /// DRAM cycles that a vault takes to merge a part into a stored block.
    pub fn merge_cycles(&self) -> u64 {
        self.delays.decompress + self.delays.compress
    }

    /// Whether an answer of the vault can be taken.
    pub fn can_send_answer(&self, vault: usize, packet: &Packet) -> bool {
        self.towards_gpu.has_room(vault, packet)
    }

    /// Takes an answer; the caller has asked [`Links::can_send_answer`].
    pub fn send_answer(&mut self, vault: usize, packet: Packet, now: Cycle) {
        let delay = if !packet.is_write() && is_compressed(&packet) { self.delays.size_leaving } else { 0 };
        self.towards_gpu.send(vault, packet, now + delay);
    }

    /// The oldest answer that has come to the vault's controller.
    pub fn front_answer(&self, vault: usize, now: Cycle) -> Option<&Packet> {
        let (arrived_at, packet) = self.towards_gpu.front(vault)?;
        let delay = if !packet.is_write() && is_compressed(packet) { self.delays.decompress } else { 0 };
        (arrived_at + delay <= now).then_some(packet)
    }

    /// Takes that answer.
    pub fn pop_answer(&mut self, vault: usize) -> Option<Packet> {
        let packet = self.towards_gpu.pop(vault)?;
        if !packet.is_write()
            && is_compressed(&packet)
            && let Some(codec) = &mut self.codec
        {
            codec.decompress();
        }
        Some(packet)
    }

    /// First half of a DRAM cycle: what is due arrives.
    pub fn deliver(&mut self, now: Cycle) {
        self.towards_memory.deliver(now);
        self.towards_gpu.deliver(now);
    }

    /// Second half: packets leave.
    pub fn transmit(&mut self, now: Cycle) {
        self.towards_memory.transmit(now);
        self.towards_gpu.transmit(now);
    }

    /// Whether nothing is here.
    pub fn is_empty(&self) -> bool {
        self.towards_memory.is_empty() && self.towards_gpu.is_empty()
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

    /// The codec, and the first block that did not come back as it went in.
    pub fn mismatch(&self) -> Option<(&str, u64)> {
        let codec = self.codec.as_ref()?;
        Some((codec.name(), codec.mismatch()?))
    }

    /// Whether a codec sees the packet's block: only the bytes of global memory are in a station's reach, and parts of
    /// blocks concern it only where they are merged.
    fn has_codec_for(&self, packet: &Packet) -> bool {
        let is_global = packet.address >= GLOBAL_START && packet.kind != AccessKind::InstructionRead;
        let is_part = packet.is_write() && !is_whole_block(packet);
        self.codec.is_some() && is_global && (self.merges_parts || !is_part)
    }

    /// How long the packet's block is in memory; for a write, from now on.
    fn stored_bits(&mut self, packet: &Packet, memory: &Memory) -> u16 {
        let has_codec = self.has_codec_for(packet);
        let is_merged = self.is_merged(packet);
        let Some(codec) = self.codec.as_mut().filter(|_| has_codec) else { return 8 * packet.bytes };
        let block_address = packet.address & !(BLOCK_BYTES as u64 - 1);
        let mut block = [0; BLOCK_BYTES];
        memory.read_line(block_address, &mut block);
        let bits = if packet.is_write() {
            codec.compress(block_address, &block)
        } else {
            codec.measure(block_address, &block)
        };
        if is_merged {
            codec.decompress();
            self.merged_writes += 1;
        }
        bits.clamp(1, BLOCK_BITS) as u16
    }
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
