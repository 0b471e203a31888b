//! Compression of read replies between the slices and the SMs.
//!
//! ```text
//! slice ─ reply queue ─ [compressor] ─ network ─ [decompressor] ─ SM
//! ```
//!
//! A reply that carries a whole 128 B block of global memory is compressed while it waits in the slice's reply queue and
//! may enter the network when the compressor is done; in the network it has fewer flits. At the SM it waits for the
//! decompressor. Both work as pipelines: a reply a cycle, each as long as the codec's latency says, in order. Whatever is
//! not compressed (acknowledgements, parts of blocks, instructions, constants, atomics, and local memory, whose bytes no
//! station can see) passes both without delay of its own.
//!
//! The low bits of a block in an approximable region are zeroed first, as the warp that loads it sees them (the emulator
//! does that to the value); lossy compression is therefore lossless here.
//!
//! The thesis behind DSM puts each codec here. C-PACK then keeps its dictionary from block to block, once at each end; the
//! `synchronised` dictionary models that, see `dictionary.rs`.

use std::collections::VecDeque;

use shrinkwarp_emu::memory::Memory;

use super::dictionary::Dictionaries;
use crate::base::packet::CONTROL_BYTES;
use crate::base::{AccessKind, BLOCK_BYTES, CodecUnit, CodecUnitSpec, Cycle, Packet, Port};
use crate::counters::PacketCounters;

/// Energy to approximate a block: the thesis's unit of 20.22 mW for two cycles of 700 MHz.
const APPROXIMATION_PJ: u64 = 58;

/// The compressors of all slices and the decompressors of all SMs.
#[derive(Clone, Debug)]
pub struct CompressedPackets {
    unit: CodecUnit,
    dictionaries: Option<Dictionaries>,
    slices: Vec<SliceEnd>,
    /// Replies in each SM's decompressor, with the cycle in which they leave it.
    sms: Vec<VecDeque<(Cycle, Packet)>>,
    flit_bytes: u32,
    approximate_cycles: u32,
    counters: PacketCounters,
}

/// What a slice's compressor knows of the replies in the slice's queue.
#[derive(Clone, Debug, Default)]
struct SliceEnd {
    compressed: VecDeque<Compressed>,
    /// A control packet that must leave before the next reply.
    control: Option<Packet>,
}

#[derive(Clone, Copy, Debug)]
struct Compressed {
    ready_at: Cycle,
    /// The control packet that follows it.
    control: Option<Packet>,
}

/// What a compressor sends, and how large it is.
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
    /// Whether C-PACK's dictionary lives on from block to block.
    pub is_dictionary_synchronised: bool,
}

impl CompressedPackets {
    /// Idle compressors and decompressors.
    pub fn new(spec: PacketSpec, codec: CodecUnitSpec) -> Self {
        let verifies = codec.verifies;
        Self {
            unit: CodecUnit::new(codec),
            dictionaries: spec
                .is_dictionary_synchronised
                .then(|| Dictionaries::new(spec.slices, spec.sms, verifies)),
            slices: vec![SliceEnd::default(); spec.slices],
            sms: vec![VecDeque::new(); spec.sms],
            flit_bytes: spec.flit_bytes,
            approximate_cycles: spec.approximate_cycles,
            counters: PacketCounters::default(),
        }
    }

    /// Begins to compress the replies that have come into a slice's queue since the last call.
    pub fn compress(&mut self, slice: usize, replies: &mut Port<Packet>, now: Cycle, memory: &Memory) {
        let known = self.slices[slice].compressed.len();
        for reply in replies.iter_mut().skip(known) {
            let compressed = if is_compressible(reply) {
                self.compress_reply(slice, reply, now, memory)
            } else {
                Compressed { ready_at: now, control: None }
            };
            self.slices[slice].compressed.push_back(compressed);
        }
    }

    /// The control packet that a slice must send before anything else.
    pub fn control(&self, slice: usize) -> Option<&Packet> {
        self.slices[slice].control.as_ref()
    }

    /// Takes that control packet.
    pub fn take_control(&mut self, slice: usize) -> Option<Packet> {
        self.slices[slice].control.take()
    }

    /// Whether the compressor is done with the reply at the head of the slice's queue.
    pub fn is_ready(&self, slice: usize, now: Cycle) -> bool {
        self.slices[slice].compressed.front().is_some_and(|head| now >= head.ready_at)
    }

    /// The reply at the head has been sent.
    pub fn note_sent(&mut self, slice: usize) {
        let end = &mut self.slices[slice];
        end.control = end.compressed.pop_front().and_then(|sent| sent.control);
    }

    /// Whether an SM's decompressor takes a packet: it begins one in every cycle.
    pub fn has_room(&self, sm: usize) -> bool {
        self.sms[sm].len() <= self.unit.cycles().decompress as usize
    }

    /// A packet reaches an SM.
    pub fn arrive(&mut self, sm: usize, packet: Packet, now: Cycle) {
        if packet.kind == AccessKind::DictionaryUpdate {
            if let Some(dictionaries) = &mut self.dictionaries {
                dictionaries.apply_update(sm, &packet);
            }
            return;
        }
        let mut ready_at = now;
        if packet.saved_bytes > 0 {
            self.unit.decompress();
            ready_at = now + u64::from(self.unit.cycles().decompress);
        }
        if let Some(dictionaries) = &mut self.dictionaries
            && is_compressible(&packet)
        {
            dictionaries.receive(sm, &packet);
        }
        self.sms[sm].push_back((ready_at, packet));
    }

    /// Takes the next reply that has left an SM's decompressor.
    pub fn leave(&mut self, sm: usize, now: Cycle) -> Option<Packet> {
        let is_done = self.sms[sm].front().is_some_and(|&(ready_at, _)| now >= ready_at);
        if is_done { self.sms[sm].pop_front().map(|(_, packet)| packet) } else { None }
    }

    /// Whether an SM's decompressor holds nothing.
    pub fn is_sm_empty(&self, sm: usize) -> bool {
        self.sms[sm].is_empty()
    }

    /// Whether nothing is here that the slices' queues do not hold too.
    pub fn is_empty(&self) -> bool {
        self.sms.iter().all(VecDeque::is_empty) && self.slices.iter().all(|slice| slice.control.is_none())
    }

    /// Everything counted so far.
    pub fn counters(&self) -> PacketCounters {
        PacketCounters { codec: self.unit.counters, ..self.counters }
    }

    /// The codec, and the first block that did not come back as it went in.
    pub fn mismatch(&self) -> Option<(&str, u64)> {
        let of_dictionary = self.dictionaries.as_ref().and_then(Dictionaries::mismatch);
        self.unit.mismatch().or(of_dictionary).map(|address| (self.unit.name(), address))
    }

    fn compress_reply(
        &mut self,
        slice: usize,
        reply: &mut Packet,
        now: Cycle,
        memory: &Memory,
    ) -> Compressed {
        let mut block = [0; BLOCK_BYTES];
        memory.read_line(reply.address, &mut block);
        let mut ready_at = now + u64::from(self.unit.cycles().compress);
        if let Some(approximation) = memory.approximation_of(reply.address) {
            approximation.apply(&mut block);
            self.counters.approximated_blocks += 1;
            self.unit.counters.energy_pj += APPROXIMATION_PJ;
            ready_at += u64::from(self.approximate_cycles);
        }
        let (bits, control) = match &mut self.dictionaries {
            None => (self.unit.compress(reply.address, &block), None),
            Some(dictionaries) => {
                let sent = dictionaries.send(slice, reply, &block);
                (self.unit.count_compression(sent.bits), sent.update)
            }
        };
        reply.saved_bytes = reply.bytes - bits.div_ceil(8) as u16;
        self.counters.flits_without += self.flits(reply.bytes);
        self.counters.flits_with += self.flits(reply.bytes - reply.saved_bytes);
        if let Some(control) = &control {
            self.counters.control_packets += 1;
            self.counters.flits_with += self.flits(control.bytes);
        }
        Compressed { ready_at, control }
    }

    fn flits(&self, payload_bytes: u16) -> u64 {
        u64::from((CONTROL_BYTES + u32::from(payload_bytes)).div_ceil(self.flit_bytes))
    }
}

/// Whether the reply carries a whole block that a station can see.
fn is_compressible(reply: &Packet) -> bool {
    usize::from(reply.bytes) == BLOCK_BYTES
        && !reply.is_atomic
        && matches!(reply.kind, AccessKind::GlobalRead | AccessKind::TextureRead)
}
