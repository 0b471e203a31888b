//! Compression of read replies between the slices and the SMs.
//!
//! ```text
//! slice ─ reply queue ─ [compressor] ─ network ─ [decompressor] ─ SM
//! ```
//!
//! A reply that carries a whole block of global memory is compressed while it keeps its place in the slice's reply queue and
//! may enter the network when the compressor is done; in the network it has fewer flits. At the SM it waits for the
//! decompressor. Both work as pipelines: one reply per cycle, each as long as the codec's latency says, in order. Whatever is
//! not compressed (acknowledgements, parts of blocks, instructions, constants, atomics, and local memory, whose bytes no
//! station can see) passes both without delay of its own.
//!
//! Where SMs ask for sectors, a reply of one sector is compressed by itself, with the same codec made for 32 bytes and in the same cycles.
//!
//! The low bits of a block in an approximable region are zeroed first, as the warp that loads it sees them (the emulator
//! does that to the value); lossy compression is therefore lossless here.
//!
//! The thesis behind DSM puts each codec here. Its simulator has the compressor behind the reply queue, so that a reply gives
//! up its place when it enters (`packets.compressor = "behind_queue"`). C-PACK then keeps its dictionary from block to block;
//! `dictionary.rs` has the `synchronised` and the `per_slice` one.

use shrinkwarp_emu::memory::Memory;

use super::Switch;
use super::counters::PacketCounters;
use super::dictionary::{Dictionaries, Sharing};
use super::node_set::NodeSet;
use crate::base::Point;
use crate::base::block::{BLOCK_BYTES, SECTOR_BYTES};
use crate::base::codec_unit::packet_flits;
use crate::base::station::{Cause, Mismatch, Progress, Station};
use crate::base::{AccessKind, Attachment, Block, CodecUnit, CodecUnitSpec, Cycle, DelayLine, Packet, Port};

/// Energy to approximate a block: the thesis's unit of 20.22 mW for two cycles of 700 MHz.
const APPROXIMATION_PJ: u64 = 58;

/// What was configured.
#[derive(Clone, Copy, Debug)]
pub struct PacketSpec {
    /// SMs.
    pub sms: usize,
    /// Slices.
    pub slices: usize,
    /// Bytes of a flit.
    pub flit_bytes: u32,
    /// Core cycles that the approximation of a block takes, before it is compressed.
    pub approximate_cycles: u32,
    /// Who shares C-PACK's dictionary, where it lives on from block to block.
    pub dictionary: Option<Sharing>,
    /// Whether a reply gives up its place in the slice's queue when it enters the compressor.
    pub is_behind_queue: bool,
    /// Whether SMs ask for sectors, so that a reply of one is compressed by itself.
    pub has_sectors: bool,
}

impl PacketSpec {
    /// Bytes that the codec sees of a reply; `None` if it sees none.
    fn visible_bytes(&self, reply: &Packet) -> Option<usize> {
        if Point::Packets.may_see(reply) {
            return Some(BLOCK_BYTES);
        }
        let block = Packet { address: reply.block().first_byte(), bytes: BLOCK_BYTES as u16, ..*reply };
        let is_sector = self.has_sectors && usize::from(reply.bytes) == SECTOR_BYTES;
        (is_sector && Point::Packets.may_see(&block)).then_some(SECTOR_BYTES)
    }
}

/// The compressors of all slices and the decompressors of all SMs.
#[derive(Clone, Debug)]
pub struct CompressedPackets {
    compressors: Vec<ReplyCompressor>,
    decompressors: Vec<ReplyDecompressor>,
    /// Both ends of C-PACK's dictionaries, where they live on from block to block.
    dictionaries: Option<Dictionaries>,
}

impl CompressedPackets {
    /// Idle compressors and decompressors.
    pub fn new(spec: PacketSpec, codec: &CodecUnitSpec) -> Self {
        let compressor = |slice| ReplyCompressor {
            slice,
            spec,
            unit: CodecUnit::new(codec.clone()),
            replies: DelayLine::default(),
            counters: PacketCounters::default(),
        };
        let decompressor = |sm| ReplyDecompressor {
            sm,
            unit: CodecUnit::new(codec.clone()),
            replies: DelayLine::bounded(codec.costs.cycles.decompress as usize + 1),
        };
        Self {
            compressors: (0..spec.slices).map(compressor).collect(),
            decompressors: (0..spec.sms).map(decompressor).collect(),
            dictionaries: spec
                .dictionary
                .map(|sharing| Dictionaries::new(spec.slices, spec.sms, sharing, codec.verifies)),
        }
    }

    /// One interconnect cycle of a slice's compressor.
    pub fn step_slice(
        &mut self,
        slice: usize,
        replies: &mut Port<Packet>,
        network: &mut Switch,
        now: Cycle,
        memory: &Memory,
    ) -> Progress {
        let ports = SlicePorts { replies, network, dictionaries: self.dictionaries.as_mut() };
        self.compressors[slice].step(ports, now, memory)
    }

    /// One core cycle of an SM's decompressor. Returns the reply that leaves it.
    pub fn step_sm(
        &mut self,
        sm: usize,
        network: &mut Switch,
        now: Cycle,
        memory: &Memory,
    ) -> Option<Packet> {
        let mut reply = None;
        let ports = SmPorts { network, reply: &mut reply, dictionaries: self.dictionaries.as_mut() };
        let _moved = self.decompressors[sm].step(ports, now, memory);
        reply
    }

    /// Whether the compressor of a slice holds replies.
    #[inline]
    pub fn is_compressing_for(&self, slice: usize) -> bool {
        !self.compressors[slice].is_empty()
    }

    /// The SMs whose decompressors hold replies.
    pub fn busy_sms(&self) -> NodeSet {
        let mut busy = NodeSet::default();
        let decompressors = self.decompressors.iter().enumerate();
        decompressors.filter(|(_, point)| !point.is_empty()).for_each(|(sm, _)| busy.insert(sm));
        busy
    }

    /// Whether no packet is in any of the stations.
    pub fn is_empty(&self) -> bool {
        self.decompressors.iter().all(Station::is_empty) && self.compressors.iter().all(Station::is_empty)
    }

    /// Everything counted so far.
    pub fn counters(&self) -> PacketCounters {
        let mut sum = PacketCounters::default();
        self.compressors.iter().for_each(|station| sum += &station.counters());
        self.decompressors.iter().for_each(|station| sum += &station.counters());
        sum
    }

    /// The first block that verification found changed.
    pub fn mismatch(&self) -> Option<Mismatch> {
        let of_codec = self.compressors.iter().find_map(Station::mismatch);
        of_codec.or_else(|| {
            let block = self.dictionaries.as_ref().and_then(Dictionaries::mismatch)?;
            let codec = self.compressors.first()?.unit.name().to_owned();
            Some(Mismatch { point: Point::Packets, codec, block, cause: Cause::Codec })
        })
    }

    /// What the stations wait for, one line each.
    pub fn describe_waits(&self) -> impl Iterator<Item = String> {
        let at_slices = self.compressors.iter().filter_map(Station::describe_wait);
        at_slices.chain(self.decompressors.iter().filter_map(Station::describe_wait))
    }
}

/// The compressor of a slice.
#[derive(Clone, Debug)]
pub struct ReplyCompressor {
    slice: usize,
    spec: PacketSpec,
    unit: CodecUnit,
    /// Replies in the compressor or behind one that is, each followed by the control packet that it causes.
    replies: DelayLine<Packet>,
    counters: PacketCounters,
}

/// What a slice's compressor lies between.
#[derive(Debug)]
pub struct SlicePorts<'a> {
    /// The slice's reply queue; a reply keeps its place there until it is sent.
    pub replies: &'a mut Port<Packet>,
    /// The reply network.
    pub network: &'a mut Switch,
    /// The dictionaries that both ends share.
    pub dictionaries: Option<&'a mut Dictionaries>,
}

impl Station for ReplyCompressor {
    type Ports<'a> = SlicePorts<'a>;
    type Counters = PacketCounters;

    fn step(&mut self, mut ports: SlicePorts<'_>, now: Cycle, memory: &Memory) -> Progress {
        let mut places = self.free_places();
        while places > 0
            && let Some(reply) = ports.replies.take_keeping_place()
        {
            places -= 1;
            if self.spec.is_behind_queue {
                ports.replies.free_place();
            }
            self.begin(reply, ports.dictionaries.as_deref_mut(), now, memory);
        }
        let Some(packet) = self.replies.due(now) else { return Progress::Idle };
        let flits = packet.flits(self.spec.flit_bytes);
        if !ports.network.has_room(self.slice, flits) {
            return Progress::Blocked;
        }
        if let Some(packet) = self.replies.pop_due(now) {
            if packet.kind != AccessKind::DictionaryUpdate && !self.spec.is_behind_queue {
                ports.replies.free_place();
            }
            ports.network.send(self.slice, usize::from(packet.sm), packet, flits);
        }
        Progress::Moved
    }

    fn next_event(&self, now: Cycle) -> Option<Cycle> {
        self.replies.next_due().map(|due| due.max(now + 1))
    }

    fn is_empty(&self) -> bool {
        self.replies.is_empty()
    }

    fn counters(&self) -> PacketCounters {
        PacketCounters { codec: self.unit.counters, ..self.counters }
    }

    fn mismatch(&self) -> Option<Mismatch> {
        Mismatch::of(Point::Packets, &self.unit)
    }

    fn describe_wait(&self) -> Option<String> {
        let count = self.replies.len();
        (count > 0).then(|| format!("slice {}: {count} replies in the compressor", self.slice))
    }
}

impl ReplyCompressor {
    /// Replies that the compressor takes in this cycle. Behind the queue it is a pipeline: one reply in a cycle, as many inside
    /// as it has stages. In the queue it works on replies where they are.
    fn free_places(&self) -> usize {
        if !self.spec.is_behind_queue {
            return usize::MAX;
        }
        let stages = self.unit.cycles().compress + self.spec.approximate_cycles;
        usize::from(self.replies.len() <= stages as usize)
    }

    /// Begins to compress a reply, if it can be compressed.
    fn begin(
        &mut self,
        mut reply: Packet,
        dictionaries: Option<&mut Dictionaries>,
        now: Cycle,
        memory: &Memory,
    ) {
        let Some(bytes) = self.spec.visible_bytes(&reply) else {
            self.replies.push(now, reply);
            return;
        };
        let mut block = Block::read(memory, reply.block());
        let mut ready_at = now + u64::from(self.unit.cycles().compress);
        if let Some(approximation) = memory.approximation_of(reply.address) {
            approximation.apply(&mut *block);
            self.counters.approximated_blocks += 1;
            self.unit.counters.energy_pj += APPROXIMATION_PJ;
            ready_at += u64::from(self.spec.approximate_cycles);
        }
        let (bits, update_bytes) = match dictionaries {
            None if bytes == SECTOR_BYTES => {
                (self.unit.compress_sector(reply.block(), &sector_of(&reply, &block)), None)
            }
            None => (self.unit.compress(reply.block(), &block), None),
            Some(dictionaries) => {
                let sent = dictionaries.send(self.slice, usize::from(reply.sm), &block);
                (self.unit.count_compression(sent.bits), sent.update_bytes)
            }
        };
        let saved_bytes = reply.bytes - bits.div_ceil(8) as u16;
        let slice = self.slice as u16;
        self.counters.flits_without += self.flits(u32::from(reply.bytes));
        reply.attachment = Attachment::Reply { saved_bytes, slice };
        self.counters.flits_with += self.flits(reply.payload_bytes());
        self.replies.push(ready_at, reply);
        if let Some(bytes) = update_bytes {
            let control = Packet {
                kind: AccessKind::DictionaryUpdate,
                bytes,
                attachment: Attachment::Reply { saved_bytes: 0, slice },
                ..reply
            };
            self.counters.control_packets += 1;
            // The thesis's ratio leaves its control messages out.
            if self.spec.dictionary == Some(Sharing::PerPair) {
                self.counters.flits_with += self.flits(control.payload_bytes());
            }
            self.replies.push(ready_at, control);
        }
    }

    fn flits(&self, payload_bytes: u32) -> u64 {
        u64::from(packet_flits(payload_bytes, self.spec.flit_bytes))
    }
}

/// The decompressor of an SM. It begins a reply in every cycle.
#[derive(Clone, Debug)]
pub struct ReplyDecompressor {
    sm: usize,
    unit: CodecUnit,
    replies: DelayLine<Packet>,
}

/// What an SM's decompressor lies between.
#[derive(Debug)]
pub struct SmPorts<'a> {
    /// The reply network.
    pub network: &'a mut Switch,
    /// The reply that the SM gets in this cycle.
    pub reply: &'a mut Option<Packet>,
    /// The dictionaries that both ends share.
    pub dictionaries: Option<&'a mut Dictionaries>,
}

impl Station for ReplyDecompressor {
    type Ports<'a> = SmPorts<'a>;
    type Counters = PacketCounters;

    fn step(&mut self, ports: SmPorts<'_>, now: Cycle, _: &Memory) -> Progress {
        if self.replies.has_room()
            && let Some(packet) = ports.network.receive(self.sm)
        {
            self.begin(packet, ports.dictionaries, now);
        }
        *ports.reply = self.replies.pop_due(now);
        if ports.reply.is_some() { Progress::Moved } else { Progress::Idle }
    }

    fn next_event(&self, now: Cycle) -> Option<Cycle> {
        self.replies.next_due().map(|due| due.max(now + 1))
    }

    fn is_empty(&self) -> bool {
        self.replies.is_empty()
    }

    fn counters(&self) -> PacketCounters {
        PacketCounters { codec: self.unit.counters, ..PacketCounters::default() }
    }

    fn mismatch(&self) -> Option<Mismatch> {
        Mismatch::of(Point::Packets, &self.unit)
    }

    fn describe_wait(&self) -> Option<String> {
        let count = self.replies.len();
        (count > 0).then(|| format!("SM {}: {count} replies in the decompressor", self.sm))
    }
}

impl ReplyDecompressor {
    /// A packet has come out of the network.
    fn begin(&mut self, packet: Packet, dictionaries: Option<&mut Dictionaries>, now: Cycle) {
        if packet.kind == AccessKind::DictionaryUpdate {
            if let Some(dictionaries) = dictionaries {
                dictionaries.apply_update(self.sm, slice_of(&packet));
            }
            return;
        }
        let mut ready_at = now;
        if packet.saved_bytes() > 0 {
            self.unit.decompress();
            ready_at = now + u64::from(self.unit.cycles().decompress);
        }
        if let Some(dictionaries) = dictionaries
            && Point::Packets.may_see(&packet)
        {
            dictionaries.receive(self.sm, slice_of(&packet), packet.block());
        }
        self.replies.push(ready_at, packet);
    }
}

/// The bytes of a reply's sector.
fn sector_of(reply: &Packet, block: &Block) -> [u8; SECTOR_BYTES] {
    let mut sector = [0; SECTOR_BYTES];
    let first = (reply.address - reply.block().first_byte()) as usize / SECTOR_BYTES * SECTOR_BYTES;
    sector.copy_from_slice(&block[first..first + SECTOR_BYTES]);
    sector
}

/// The slice that compressed the packet.
fn slice_of(packet: &Packet) -> usize {
    if let Attachment::Reply { slice, .. } = packet.attachment { usize::from(slice) } else { 0 }
}
