//! A slice with compressed lines: the codec, the decompressor in front of the reply queue, and what must be written back.
//!
//! | event                     | what happens                                                                                  |
//! |---------------------------|-----------------------------------------------------------------------------------------------|
//! | read hit, raw line        | as in the plain slice                                                                         |
//! | read hit, compressed line | the reply waits for the decompressor                                                          |
//! | miss                      | a whole line is reserved: dirty lines that leave are written back, as many as there are       |
//! | fill                      | waiting accesses get the block as it came; the line is compressed beside them and gives back what it does not need |
//! | write hit, atomic         | the line is compressed again; if it grows, other lines leave, oldest first                    |
//! | write to a part of a compressed line | the same, decompressed first                                                       |
//! | write-back                | a compressed line is decompressed on its way to the controller                                |
//!
//! With sectors a line is raw until all of them are here, by fetches or whole writes; the event that completes it compresses it as one
//! block. A hit of any sector of a compressed line waits for the decompressor, which needs the whole encoding.
//!
//! One codec, always (Arelakis and Stenström, "SC2", ISCA 2014, and Pekhimenko et al., "Base-Delta-Immediate Compression", PACT 2012, for
//! last-level caches of processors; GPUs since Ampere compress in the L2 by allocation). Our interpretation where they are silent:
//! an encoding that would save no sub-block is not kept. A write is acknowledged at once; a read that hits while the line
//! is compressed again waits for it. Decompression of a line that is written back takes energy and no time, for no access
//! waits for it. A slice looks up no access while a dirty line waits that the cache core does not write back itself.

use std::collections::VecDeque;

use shrinkwarp_emu::memory::Memory;

use super::counters::L2CompressionCounters;
use super::{L2Scheme, SliceLines};
use crate::base::codec_pipeline::CodecPipeline;
use crate::base::codec_unit::bursts;
use crate::base::compressed_lines::{CompressedLines, LinesSpec, StoredForm};
use crate::base::station::{Mismatch, Progress, Station};
use crate::base::tags::LineIndex;
use crate::base::{
    BLOCK_BITS, BLOCK_BYTES, Block, Cache, CacheSpec, CodecUnit, Cycle, Packet, Point, PointSpec, Port,
};

/// The compressing part of a slice.
#[derive(Clone, Debug)]
pub struct CompressedL2 {
    unit: CodecUnit,
    /// Hits that wait for their data.
    decompressor: CodecPipeline,
    /// Dirty lines that had to leave, on their way to the controller.
    writebacks: VecDeque<Packet>,
    sub_block_bytes: u32,
    /// Whether lines are blocks; others stay raw.
    has_blocks: bool,
    counters: L2CompressionCounters,
}

/// What it lies between, beside the cache core.
#[derive(Debug)]
pub struct SlicePorts<'a> {
    /// Answers for the network.
    pub replies: &'a mut Port<Packet>,
    /// Requests for the controller.
    pub misses: &'a mut Port<Packet>,
}

impl CompressedL2 {
    /// The compressing part of a slice whose cache is `spec`, with its empty lines.
    pub fn with_lines(point: PointSpec<'_, L2Scheme>, spec: &CacheSpec) -> (Self, CompressedLines) {
        let PointSpec { keys, codec } = point;
        let line_sub_blocks = spec.line_bytes.div_ceil(keys.sub_block_bytes) as u16;
        let lines = LinesSpec {
            sets: spec.sets,
            tags: spec.ways * keys.tag_factor,
            sub_blocks: spec.ways as u16 * line_sub_blocks,
            line_sub_blocks,
            has_sectors: spec.has_sectors(),
        };
        let compressed = Self {
            unit: CodecUnit::new(codec.clone()),
            decompressor: CodecPipeline::new(codec.costs.cycles.decompress, keys.decompressors),
            writebacks: VecDeque::new(),
            sub_block_bytes: keys.sub_block_bytes as u32,
            has_blocks: spec.line_bytes == BLOCK_BYTES,
            counters: L2CompressionCounters {
                capacity_lines: (spec.sets * spec.ways) as u64,
                ..L2CompressionCounters::default()
            },
        };
        (compressed, CompressedLines::new(lines))
    }

    /// Whether the slice may look up an access: what the last one sent away has left.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.writebacks.is_empty()
    }

    /// The block of `fill` has arrived for a line; with sectors, a sector of it has, or a write that missed has claimed one. Only a
    /// line that is whole is compressed.
    pub fn commit_fill(
        &mut self,
        cache: &mut Cache<SliceLines>,
        line: LineIndex,
        fill: &Packet,
        now: Cycle,
        memory: &Memory,
    ) {
        if !cache.has_whole_block(line, fill.address) {
            return;
        }
        let form = self.form_of(fill, now, memory);
        if let SliceLines::Compressed(lines) = cache.lines_mut() {
            lines.commit_fill(line, form);
        }
    }

    /// An access has hit a line. Returns whether it can be answered now; if not, the reply waits in the decompressor.
    pub fn hit(
        &mut self,
        cache: &mut Cache<SliceLines>,
        line: LineIndex,
        packet: &Packet,
        now: Cycle,
        memory: &Memory,
    ) -> bool {
        let is_whole = cache.has_whole_block(line, packet.address);
        let SliceLines::Compressed(lines) = cache.lines_mut() else { return true };
        let form = lines.form(line);
        let mut is_ready = true;
        if !packet.is_write() {
            self.counters.read_hits += 1;
            is_ready = !form.is_compressed || self.decompress(packet, form, now);
        }
        if is_whole && (packet.is_write() || packet.is_atomic) {
            let new_form = self.rewrite(packet, form, now, memory);
            lines.resize(line, new_form);
        }
        is_ready
    }

    /// Takes over what an access has sent away beyond the cache core's own write-back.
    pub fn collect_victims(&mut self, cache: &mut Cache<SliceLines>, packet: &Packet, now: Cycle) {
        let (kind, bytes) = (cache.spec().writeback_kind, cache.spec().line_bytes as u16);
        let SliceLines::Compressed(lines) = cache.lines_mut() else { return };
        (0..lines.take_compressed_victims()).for_each(|_| self.unit.decompress());
        let before = self.writebacks.len();
        while let Some(block) = lines.take_dirty_victim() {
            self.writebacks.push_back(Packet::new(kind, block.first_byte(), bytes, packet.sm, now));
        }
        cache.counters.writebacks += (self.writebacks.len() - before) as u64;
        while let Some(writeback) = cache.pop_departed(packet.sm, now) {
            self.writebacks.push_back(writeback);
        }
    }

    /// Everything counted so far, with what the lines of `cache` say.
    pub fn counters_with(&self, cache: &Cache<SliceLines>) -> L2CompressionCounters {
        let SliceLines::Compressed(lines) = cache.lines() else { return self.counters() };
        L2CompressionCounters {
            held_lines: lines.held_lines() as u64,
            evicted_lines: lines.evicted_lines,
            multiple_evictions: lines.multiple_evictions,
            unkept_blocks: lines.unkept_blocks,
            ..self.counters()
        }
    }

    /// A hit of a compressed line. Returns whether the data are there at once.
    fn decompress(&mut self, packet: &Packet, form: StoredForm, now: Cycle) -> bool {
        self.counters.decompressed_hits += 1;
        self.unit.decompress();
        let start = now.max(form.ready_at);
        if start == now && self.unit.cycles().decompress == 0 {
            return true;
        }
        let done = self.decompressor.push(*packet, start);
        self.counters.decompression_wait_cycles += done - now;
        false
    }

    /// How a line is kept after a write or an atomic.
    fn rewrite(&mut self, packet: &Packet, form: StoredForm, now: Cycle, memory: &Memory) -> StoredForm {
        let mut start = now.max(form.ready_at);
        if form.is_compressed && !(packet.is_write() && packet.is_whole_block()) {
            start += u64::from(self.unit.cycles().decompress);
            // The read of an atomic has decompressed the line.
            if packet.is_write() {
                self.unit.decompress();
            }
        }
        let new_form = self.form_of(packet, start, memory);
        self.counters.rewritten_lines += 1;
        self.counters.grown_lines += u64::from(new_form.sub_blocks > form.sub_blocks);
        new_form
    }

    /// How the block of `packet` is kept, if the compressor begins at `start`.
    fn form_of(&mut self, packet: &Packet, start: Cycle, memory: &Memory) -> StoredForm {
        let line_sub_blocks = bursts(BLOCK_BITS, self.sub_block_bytes) as u16;
        let raw = StoredForm { sub_blocks: line_sub_blocks, is_compressed: false, ready_at: start };
        if !self.has_blocks || !Point::L2.may_see(packet) {
            return raw;
        }
        let block = Block::read(memory, packet.block());
        let most_bits = BLOCK_BITS - 8 * self.sub_block_bytes;
        let bits = self.unit.compress_up_to(most_bits, packet.block(), &block);
        if bits == BLOCK_BITS {
            return raw;
        }
        StoredForm {
            sub_blocks: bursts(bits, self.sub_block_bytes) as u16,
            is_compressed: true,
            ready_at: start + u64::from(self.unit.cycles().compress),
        }
    }
}

impl Station for CompressedL2 {
    type Ports<'a> = SlicePorts<'a>;
    type Counters = L2CompressionCounters;

    /// A write-back goes to the controller, a hit that is decompressed to the network. Says what the hit did.
    fn step(&mut self, ports: SlicePorts<'_>, now: Cycle, _: &Memory) -> Progress {
        if ports.misses.has_room()
            && let Some(writeback) = self.writebacks.pop_front()
        {
            ports.misses.push(writeback);
        }
        if !self.decompressor.has_done(now) {
            return Progress::Idle;
        }
        if !ports.replies.has_room() {
            return Progress::Blocked;
        }
        if let Some(packet) = self.decompressor.pop_done(now) {
            ports.replies.push(packet.into_reply());
        }
        Progress::Moved
    }

    fn next_event(&self, now: Cycle) -> Option<Cycle> {
        let writeback = (!self.writebacks.is_empty()).then(|| now + 1);
        writeback.or_else(|| self.decompressor.next_done().map(|done| done.max(now + 1)))
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.decompressor.is_empty() && self.writebacks.is_empty()
    }

    fn counters(&self) -> L2CompressionCounters {
        L2CompressionCounters { codec: self.unit.counters, ..self.counters }
    }

    fn mismatch(&self) -> Option<Mismatch> {
        Mismatch::of(Point::L2, &self.unit)
    }

    fn describe_wait(&self) -> Option<String> {
        (!self.is_empty()).then(|| {
            let (hits, writebacks) = (self.decompressor.len(), self.writebacks.len());
            format!("{hits} hits in the decompressor, {writebacks} write-backs")
        })
    }
}
