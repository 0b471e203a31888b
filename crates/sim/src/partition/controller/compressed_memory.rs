//! Compression in the memory controller: what lies in DRAM is compressed, what the L2 sees is not.
//!
//! Lal, Lucas, Juurlink, "E2MC: Entropy Encoding Based Memory Compression for GPUs", IPDPS 2017, section III; with any
//! codec in place of theirs.
//!
//! ```text
//! L2 -> [fixed delay] -> metadata -+-> read --------------------------------+-> queue -> DRAM
//!                                  +-> write -> compressor -----------------+             |
//! L2 <-------------------------------------------------------- decompressor <-------------+
//! ```
//!
//! | access               | block is raw                           | block is compressed                                 |
//! |----------------------|----------------------------------------|-----------------------------------------------------|
//! | read                 | all its bursts                         | the bursts that hold it, then the decompressor      |
//! | write of a block     | the compressor, then the bursts it now takes | the same                                      |
//! | write of a part      | the bursts of the part; it stays raw   | read, decompressor, compressor, then a whole write  |
//! | the same, `partial_writes = "as_paper"` | the compressor, then the bursts of the part, at most the block's | the same |
//!
//! In front of an L2 with sectors, a read of a sector fetches the whole encoding of a compressed block, and of a raw block only its
//! own bursts (`fetch = "needed_atoms"`) or the block (`"block"`). A read of a block that is being fetched whole waits for that fetch
//! and asks DRAM for nothing. A write-back of some sectors is a write of a part.
//!
//! Sizes come from the metadata ([`super::metadata_cache`]), and an access waits until they are here. An access to a block
//! whose write is still in the compressor waits for it, so that a block's accesses reach DRAM in the order they came.
//!
//! Our interpretation where the paper is silent: the size of a block is taken when its write enters the compressor, from the bytes that device
//! memory has then. A host copy compresses, and leaves the metadata in the cache, at once. Memory is cleared when it is
//! allocated, as drivers do, and zeros take what they take. While a trained codec still collects its sample there is
//! nothing to decompress, and no access looks up metadata. Constants lie below global memory and have no metadata. Code lies
//! above its first address: it is never written, so its blocks stay raw, but its metadata are looked up.

mod requests;
mod spec;

pub use spec::CompressionSpec;

use std::collections::VecDeque;
use std::sync::Arc;

use shrinkwarp_codec::BlockCodec;
use shrinkwarp_emu::memory::Memory;

use super::address_map::AddressMap;
use super::counters::MemoryCompressionCounters;
use super::dram::{Channel, Request};
use super::metadata_cache::{LookUp, MetadataCache, MetadataLine};
use super::scheme::{ControllerPort, EarlierBlocks, SectorFetch};
use super::stored_blocks::{EncodedBits, Layout, StoredBlocks};
use super::{MemoryPorts, MemoryStation};
use crate::base::Point;
use crate::base::codec_pipeline::CodecPipeline;
use crate::base::codec_unit::bursts;
use crate::base::station::{Mismatch, Progress, Station};
use crate::base::{AccessKind, Block, BlockAddress, BlockFetches, CodecUnit, Cycle, Packet};

/// The compressing part of a controller. All times are DRAM cycles.
#[derive(Clone, Debug)]
pub struct CompressedMemory {
    layout: Layout,
    map: AddressMap,
    blocks: StoredBlocks,
    codec: CodecUnit,
    /// For what the host copies in: it takes no time, and its energy is not the kernels'.
    host_codec: CodecUnit,
    merges_for_free: bool,
    sees_local: bool,
    fetch: SectorFetch,
    port: ControllerPort,
    is_sampling: bool,
    earlier_blocks: EarlierBlocks,
    /// A block of zeros.
    zeros: EncodedBits,
    metadata: MetadataCache,
    compressor: CodecPipeline,
    decompressor: CodecPipeline,
    /// Accesses that cannot go on yet, oldest first.
    waiting: Vec<(Cause, Packet)>,
    /// Blocks whose write is on its way through decompressor and compressor, and what sort of write it is.
    writing: Vec<(BlockAddress, AccessKind)>,
    /// Blocks that are fetched whole for a read of a sector.
    fetches: BlockFetches,
    /// What DRAM is to do next.
    requests: VecDeque<Request>,
    /// What goes back to the L2 next.
    returns: VecDeque<Packet>,
    counters: MemoryCompressionCounters,
}

/// What an access waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Metadata(MetadataLine),
    WriteOf(BlockAddress),
}

impl CompressedMemory {
    /// Memory in which nothing is compressed yet.
    pub fn new(spec: CompressionSpec, map: AddressMap) -> Self {
        let cycles = spec.codec.costs.cycles;
        let zeros = encoded_zeros(&*spec.codec.codec);
        Self {
            layout: spec.layout,
            blocks: StoredBlocks::new(map.clone()),
            map,
            codec: CodecUnit::new(spec.codec.clone()),
            host_codec: CodecUnit::new(spec.codec),
            merges_for_free: spec.merges_for_free,
            sees_local: spec.sees_local,
            fetch: spec.fetch,
            port: spec.port,
            is_sampling: spec.is_sampled,
            // With offline tables all blocks are compressed when they are written.
            earlier_blocks: if spec.is_sampled { spec.earlier_blocks } else { EarlierBlocks::Raw },
            zeros,
            metadata: MetadataCache::new(spec.metadata),
            compressor: CodecPipeline::new(cycles.compress, spec.compressors),
            decompressor: CodecPipeline::new(cycles.decompress, spec.decompressors),
            waiting: Vec::new(),
            writing: Vec::new(),
            fetches: BlockFetches::default(),
            requests: VecDeque::new(),
            returns: VecDeque::new(),
            counters: MemoryCompressionCounters::default(),
        }
    }

    /// Whether the codec sees the packet's block.
    fn sees(&self, packet: &Packet) -> bool {
        Point::Memory.may_see(packet) && (self.sees_local || !packet.block().is_local())
    }

    /// Takes an access that has had its delay. Returns whether it could.
    fn admit(&mut self, packet: Packet, now: Cycle, memory: &Memory) -> bool {
        if self.is_sampling || !self.sees(&packet) {
            self.go_on(packet, now, memory);
            return true;
        }
        let line = self.metadata.spec().line_of(&self.map, packet.address);
        let found = self.metadata.look_up(line);
        match found {
            LookUp::NoRoom => return false,
            LookUp::Hit => self.counters.metadata_hits += 1,
            LookUp::OnItsWay => self.counters.metadata_hits_on_the_way += 1,
            LookUp::Miss { dirty } => {
                self.counters.metadata_misses += 1;
                self.request_metadata(AccessKind::MetadataRead, line);
                if let Some(dirty) = dirty {
                    self.request_metadata(AccessKind::MetadataWriteback, dirty);
                }
            }
        }
        // A write that replaces the block does not depend on what the block took before.
        if found == LookUp::Hit || self.needs_no_read(&packet) {
            self.go_on(packet, now, memory);
        } else {
            self.waiting.push((Cause::Metadata(line), packet));
        }
        true
    }

    /// Writes that are compressed join the requests.
    fn leave_compressor(&mut self, now: Cycle, memory: &Memory) {
        while let Some(packet) = self.compressor.pop_done(now) {
            let block = packet.block();
            let encoded = self.blocks.encoded(block);
            if self.merges_for_free && !is_whole_write(&packet) {
                self.request_part(packet, encoded);
            } else {
                self.request_block(packet, encoded);
                self.counters.writes += &self.traffic_of(encoded);
            }
            self.writing.retain(|(written, _)| *written != block);
            self.resume(Cause::WriteOf(block), now, memory);
        }
    }

    /// Takes what DRAM has done.
    fn take_return(&mut self, packet: Packet, now: Cycle, memory: &Memory) {
        if packet.kind == AccessKind::MetadataRead {
            let line = MetadataLine(packet.address);
            self.metadata.arrive(line);
            self.resume(Cause::Metadata(line), now, memory);
        } else if packet.is_stored_compressed() && !packet.is_write() {
            self.codec.decompress();
            self.decompressor.push(packet, now);
        } else {
            self.answer(packet);
        }
    }

    /// An access goes back to its slice, and with it those that waited for the same fetch.
    fn answer(&mut self, packet: Packet) {
        self.returns.push_back(packet);
        self.fetches.finish(&packet, |joined| self.returns.push_back(joined));
    }

    /// Blocks that are decompressed go to the L2, or into the compressor if a write changes a part of them.
    fn leave_decompressor(&mut self, now: Cycle, memory: &Memory) {
        while let Some(packet) = self.decompressor.pop_done(now) {
            if packet.kind == AccessKind::MergeRead {
                let write = self.writing.iter().find(|(block, _)| *block == packet.block());
                let kind = write.map_or(AccessKind::GlobalWrite, |(_, kind)| *kind);
                self.compress(Packet { kind, ..packet }, now, memory);
            } else {
                self.answer(packet);
            }
        }
    }

    /// As without compression one request enters the queue in a cycle; what the compression wants goes first. With a port as wide as a block, the
    /// reads of its further sectors are admitted with the first, and what they ask of DRAM enters the queue with it: one at a time, four
    /// accesses to one bank would wait for each other.
    fn send_request(&mut self, ports: &mut MemoryPorts<'_>, now: Cycle, memory: &Memory) -> Progress {
        self.leave_compressor(now, memory);
        let mut most_requests = 1;
        if self.requests.is_empty()
            && let Some(&packet) = ports.requests.front()
            && self.admit(packet, now, memory)
        {
            ports.requests.pop();
            self.leave_compressor(now, memory);
            while let Some(&next) = ports.requests.front()
                && self.passes_with(&packet, &next)
                && self.admit(next, now, memory)
            {
                ports.requests.pop();
                most_requests += 1;
            }
        }
        if self.requests.is_empty() {
            return Progress::Idle;
        }
        if ports.channel.is_queue_full() {
            return Progress::Blocked;
        }
        for _ in 0..most_requests {
            if !ports.channel.is_queue_full()
                && let Some(request) = self.requests.pop_front()
            {
                ports.channel.push(request);
            }
        }
        Progress::Moved
    }

    /// The host has written the block.
    pub fn store_from_host(&mut self, address: BlockAddress, memory: &Memory) {
        if self.is_sampling || !address.is_global() {
            return;
        }
        let block = Block::read(memory, address);
        let encoded = EncodedBits(self.host_codec.compress(address, &block));
        self.blocks.store(address, encoded);
        self.metadata.install(self.metadata.spec().line_of(&self.map, address.first_byte()));
    }

    /// The block has been allocated: it is zero without having been written.
    pub fn clear(&mut self, address: BlockAddress) {
        if !self.is_sampling {
            self.blocks.store(address, self.zeros);
        }
    }

    /// The sample is complete: what is written from now on is compressed with `codec`.
    pub fn finish_sampling(&mut self, codec: &Arc<dyn BlockCodec>) {
        self.codec.replace_codec(codec.clone());
        self.host_codec.replace_codec(codec.clone());
        self.zeros = encoded_zeros(&**codec);
        self.is_sampling = false;
    }

    /// Takes over what lies in memory, and the code it was written with, from another controller of the same channel.
    pub fn inherit_blocks(&mut self, other: &Self) {
        self.blocks = other.blocks.clone();
        self.zeros = other.zeros;
        self.is_sampling = other.is_sampling;
        self.codec.replace_codec(other.codec.codec().clone());
        self.host_codec.replace_codec(other.codec.codec().clone());
    }

    /// The size of the block is known, or does not matter: the access goes where the table says.
    fn go_on(&mut self, packet: Packet, now: Cycle, memory: &Memory) {
        let block = packet.block();
        if self.writing.iter().any(|(written, _)| *written == block) {
            self.counters.waits_for_write += 1;
            self.waiting.push((Cause::WriteOf(block), packet));
            return;
        }
        self.compress_earlier(&packet, memory);
        let encoded = self.blocks.encoded(block);
        if !self.sees(&packet) {
            self.request_as_is(packet);
        } else if !packet.is_write() && !packet.is_whole_block() {
            self.read_sector(packet, encoded);
        } else if !packet.is_write() {
            self.counters.reads += &self.traffic_of(encoded);
            self.request_block(packet, encoded);
        } else if is_whole_write(&packet) && self.is_sampling {
            self.counters.writes += &self.traffic_of(encoded);
            self.request_block(packet, encoded);
        } else if self.needs_no_read(&packet) && !self.is_sampling {
            self.counters.partial_writes += u64::from(!is_whole_write(&packet));
            self.writing.push((block, packet.kind));
            self.compress(packet, now, memory);
        } else if self.layout.is_compressed(encoded) {
            self.counters.partial_writes += 1;
            self.counters.merge_reads += &self.traffic_of(encoded);
            self.writing.push((block, packet.kind));
            self.request_block(Packet { kind: AccessKind::MergeRead, ..packet }, encoded);
        } else {
            self.counters.partial_writes += 1;
            self.request_as_is(packet);
        }
    }

    /// A block from before the end of the sample is compressed as if the host had just copied it, where the scheme says so.
    fn compress_earlier(&mut self, packet: &Packet, memory: &Memory) {
        let address = packet.block();
        let has_bytes = address.is_global() || address.is_local();
        if self.earlier_blocks == EarlierBlocks::Compressed
            && !self.is_sampling
            && has_bytes
            && self.sees(packet)
            && self.blocks.known(address).is_none()
        {
            let encoded = self.host_codec.compress(address, &Block::read(memory, address));
            self.blocks.store(address, EncodedBits(encoded));
        }
    }

    /// A read of a part of a block: it joins a fetch of the block, begins one, or fetches its own bursts.
    fn read_sector(&mut self, packet: Packet, encoded: EncodedBits) {
        let block = packet.block();
        if self.fetches.join(&packet) {
            self.counters.joined_reads += 1;
        } else if self.fetch == SectorFetch::Block || self.layout.is_compressed(encoded) {
            self.counters.reads += &self.traffic_of(encoded);
            self.fetches.begin(block);
            self.request_block(packet, encoded);
        } else {
            self.counters.sector_reads += 1;
            let bursts = bursts(8 * u32::from(packet.bytes), self.layout.burst_bytes);
            self.counters.sector_read_bursts += u64::from(bursts);
            self.request(packet, self.map.location(packet.address), bursts);
        }
    }

    /// A write enters the compressor, which finds the block's new size.
    fn compress(&mut self, packet: Packet, now: Cycle, memory: &Memory) {
        let address = packet.block();
        let before = self.blocks.encoded(address);
        let encoded = EncodedBits(self.codec.compress(address, &Block::read(memory, address)));
        self.blocks.store(address, encoded);
        self.compressor.push(packet, now);
        if self.layout.bursts(before) == self.layout.bursts(encoded) {
            return;
        }
        let line = self.metadata.spec().line_of(&self.map, address.first_byte());
        if !self.metadata.change(line) {
            self.request_metadata(AccessKind::MetadataWriteback, line);
        }
    }

    /// Accesses that waited for `cause` go on, in the order they came.
    fn resume(&mut self, cause: Cause, now: Cycle, memory: &Memory) {
        let mut index = 0;
        let mut resumed = Vec::new();
        while let Some(&(waits_for, packet)) = self.waiting.get(index) {
            if waits_for == cause {
                self.waiting.remove(index);
                resumed.push(packet);
            } else {
                index += 1;
            }
        }
        for packet in resumed {
            self.go_on(packet, now, memory);
        }
    }

    fn needs_no_read(&self, packet: &Packet) -> bool {
        packet.is_write() && (self.merges_for_free || is_whole_write(packet))
    }
}

impl Station for CompressedMemory {
    type Ports<'a> = MemoryPorts<'a>;
    type Counters = MemoryCompressionCounters;

    fn step(&mut self, mut ports: MemoryPorts<'_>, now: Cycle, memory: &Memory) -> Progress {
        while let Some(packet) = ports.channel.pop_return() {
            self.take_return(packet, now, memory);
        }
        self.leave_decompressor(now, memory);
        self.send_request(&mut ports, now, memory)
    }

    /// At once: how long a codec takes is in DRAM cycles, which the caller does not count.
    fn next_event(&self, now: Cycle) -> Option<Cycle> {
        (!self.is_empty()).then(|| now + 1)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.requests.is_empty()
            && self.returns.is_empty()
            && self.compressor.is_empty()
            && self.decompressor.is_empty()
            && self.waiting.is_empty()
            && self.fetches.is_empty()
    }

    fn counters(&self) -> MemoryCompressionCounters {
        MemoryCompressionCounters {
            codec: self.codec.counters,
            host_copies: self.host_codec.counters,
            ..self.counters
        }
    }

    fn mismatch(&self) -> Option<Mismatch> {
        Mismatch::of(Point::Memory, &self.codec).or_else(|| Mismatch::of(Point::Memory, &self.host_codec))
    }

    fn describe_wait(&self) -> Option<String> {
        (!self.is_empty()).then(|| {
            format!(
                "compression: {} accesses wait for metadata or writes, {} requests for DRAM, {} answers for slices",
                self.waiting.len(),
                self.requests.len(),
                self.returns.len()
            )
        })
    }
}

impl MemoryStation for CompressedMemory {
    const WAITS_FOR_QUEUE: bool = true;

    #[inline]
    fn passes_with(&self, packet: &Packet, next: &Packet) -> bool {
        let is_part = |packet: &Packet| !packet.is_write() && !packet.is_whole_block();
        self.port == ControllerPort::Block
            && is_part(packet)
            && is_part(next)
            && packet.block() == next.block()
    }

    fn front_answer<'a>(&'a self, _: &'a Channel, _: Cycle) -> Option<&'a Packet> {
        self.returns.front()
    }

    fn pop_answer(&mut self, _: &mut Channel, _: Cycle) -> Option<Packet> {
        self.returns.pop_front()
    }
}

fn is_whole_write(packet: &Packet) -> bool {
    packet.is_write() && packet.is_whole_block()
}

fn encoded_zeros(codec: &dyn BlockCodec) -> EncodedBits {
    EncodedBits(codec.size_bits(&*Block::ZEROS).min(EncodedBits::RAW.0))
}
