//! An L1 data cache with compressed lines: the cache core over [`CompressedLines`], a codec for each mode, the decompressor
//! and the policy that chooses the mode.
//!
//! | event                     | what happens                                                                              |
//! |---------------------------|-------------------------------------------------------------------------------------------|
//! | read hit, raw line        | as in the plain cache                                                                     |
//! | read hit, compressed line | the load waits for the decompressor; with joined hits, for its block if that is queued already |
//! | read miss                 | a line is reserved in its set's mode                                                      |
//! | fill                      | waiting loads get the block as it came; the line is compressed beside them                |
//! | global write              | the line leaves (write-evict), so that it does not have to grow in place; where stores are written through and stay, the line is raw from now on, and others leave for it |
//! | end of an EP              | the policy chooses the mode of the next; at a period's start trained codecs get their code |
//!
//! With sectors a miss reserves a whole line, which is raw until the last of its sectors arrives; then it is compressed as one block.
//!
//! An encoding that would save no sub-block is not kept: a raw line is quicker. Local memory is never compressed,
//! for its bytes are not part of device memory, nor are lines of fewer than 128 bytes. The bytes are those in device
//! memory when the block arrives.

use shrinkwarp_emu::memory::Memory;

use super::code_book::CodeBook;
use super::counters::{L1CompressionCounters, L1ModeCounters};
use super::decompressor::{CompressedHit, Decompressor};
use super::expected_size::ExpectedSize;
use super::phases::{AccessCounter, PeriodClock, PhaseSpec};
use super::policy::{AnyPolicy, Estimates, Hit, Measured, PolicySetup};
use super::record::{L1Record, PhaseRecord};
use super::scheme::{Capacity, L1Scheme, MissLatency, Reservation};
use super::tolerance::ToleranceMeter;
use super::{L1Access, L1Compression};
use crate::base::Point;
use crate::base::cache_counters::AccessOutcome;
use crate::base::codec_unit::bursts;
use crate::base::compressed_lines::{CompressedLines, LinesSpec, Mode, StoredForm};
use crate::base::station::{Mismatch, Progress, Station};
use crate::base::tags::LineIndex;
use crate::base::{BLOCK_BITS, BLOCK_BYTES, Block, Cache, CacheSpec, CodecUnit, Cycle, Packet};

#[derive(Debug)]
struct ModeCodec {
    unit: CodecUnit,
    /// Whether it has a code to compress with.
    has_code: bool,
    expected_size: ExpectedSize,
}

/// How the cache comes to the codes of its trained codecs.
#[derive(Debug)]
struct Training {
    book: CodeBook,
    /// The edition of the book that the cache uses.
    edition: u64,
    clock: PeriodClock,
    /// Periods begun.
    periods: u64,
}

/// The cache.
#[derive(Debug)]
pub struct CompressedL1 {
    /// Tags, miss registers and miss queue.
    pub cache: Cache<CompressedLines>,
    scheme: L1Scheme,
    /// Of mode *i* + 1.
    codecs: Vec<ModeCodec>,
    decompressor: Decompressor,
    policy: AnyPolicy,
    accesses: AccessCounter,
    /// If a codec must be trained.
    training: Option<Training>,
    /// Time from access to fill: sum and number of this EP, and the mean before.
    miss_latency: (u64, u64, f64),
    last_phase_end: Cycle,
    record: L1Record,
    counters: L1CompressionCounters,
}

impl CompressedL1 {
    /// An empty cache; a plain hit takes `hit_cycles`.
    pub fn new(sm: u16, spec: CacheSpec, hit_cycles: usize, compression: &L1Compression) -> Self {
        let scheme = compression.scheme.clone();
        let lines = lines_spec(&spec, &scheme);
        let expected_size = ExpectedSize::new(lines.line_sub_blocks);
        let book = compression.code_book();
        let codecs: Vec<ModeCodec> = compression
            .codecs
            .iter()
            .enumerate()
            .map(|(index, unit)| ModeCodec {
                unit: CodecUnit::new(unit.clone()),
                has_code: !book.as_ref().is_some_and(|book| book.trains(index)),
                expected_size,
            })
            .collect();
        let uncompressed_cycles = 0;
        let decompress_cycles = std::iter::once(uncompressed_cycles)
            .chain(codecs.iter().map(|codec| codec.unit.cycles().decompress))
            .collect();
        let policy = AnyPolicy::new(&PolicySetup {
            scheme: &scheme,
            sets: spec.sets,
            hit_cycles: hit_cycles as u32,
            decompress_cycles,
            has_warm_up: book.is_some(),
            sm,
            shared_tallies: compression.shared.tallies.as_ref(),
        });
        let names = scheme.mode_names();
        let mut l1 = Self {
            cache: Cache::with_lines(spec, CompressedLines::new(lines)),
            decompressor: Decompressor::new(scheme.joined_hits.applies(spec.has_sectors())),
            policy,
            accesses: AccessCounter::new(scheme.phase_accesses),
            training: book.map(|book| Training {
                book,
                edition: 0,
                clock: PeriodClock::new(PhaseSpec::of(&scheme), true),
                periods: 0,
            }),
            miss_latency: (0, 0, 0.0),
            last_phase_end: Cycle(0),
            counters: L1CompressionCounters {
                modes: names.iter().map(|name| L1ModeCounters::named(name)).collect(),
                ..L1CompressionCounters::default()
            },
            record: L1Record::new(sm, names),
            codecs,
            scheme,
        };
        l1.assign_modes();
        l1
    }

    /// A kernel starts.
    pub fn start_kernel(&mut self, kernel: &str) {
        self.policy.start_kernel(kernel);
        self.assign_modes();
    }

    /// One access.
    pub fn access(&mut self, packet: &Packet, now: Cycle, meter: &mut ToleranceMeter) -> L1Access {
        self.adopt_new_codes();
        let access = self.cache.access(packet, now);
        let mut is_data_ready = true;
        if !access.outcome.is_accepted() {
            return L1Access { access, is_data_ready };
        }
        if let Some(line) = access.line.filter(|_| packet.is_write()) {
            self.expand_written(line, now);
        } else if let Some(line) = access.line {
            match access.outcome {
                AccessOutcome::Hit => is_data_ready = self.read_hit(line, packet, now),
                AccessOutcome::Miss | AccessOutcome::SectorMiss => self.count_insertion(line),
                AccessOutcome::HitReserved | AccessOutcome::ReservationFail(_) => {}
            }
        }
        self.drop_departed(now);
        if self.accesses.count() {
            self.end_phase(now, meter);
        }
        L1Access { access, is_data_ready }
    }

    /// Empties the cache, whose sets have the data of `ways` lines from now on.
    pub fn empty_with(&mut self, ways: usize, is_allocated_on_fill: bool) {
        let spec = CacheSpec { ways, ..*self.cache.spec() };
        let mut lines = CompressedLines::new(lines_spec(&spec, &self.scheme));
        lines.go_on_counting(self.cache.lines());
        self.cache.empty_with_lines(ways, is_allocated_on_fill, lines);
        self.assign_modes();
    }

    /// A line that is written and kept is raw from now on; the store does not wait for that.
    fn expand_written(&mut self, line: LineIndex, now: Cycle) {
        let form = self.cache.lines().form(line);
        if !form.is_compressed || !self.cache.spec().write_policy.is_lazy() {
            return;
        }
        let line_sub_blocks = self.cache.spec().line_bytes.div_ceil(self.scheme.sub_block_bytes) as u16;
        let mode = self.cache.lines().mode(line);
        if let Some(codec) = mode.index().checked_sub(1).and_then(|index| self.codecs.get_mut(index)) {
            codec.unit.decompress();
        }
        let raw = StoredForm { sub_blocks: line_sub_blocks, is_compressed: false, ready_at: now };
        self.cache.lines_mut().resize(line, raw);
    }

    /// The sectors of lines that made room leave with them. Writes have gone through, so that nothing is written back.
    #[inline]
    fn drop_departed(&mut self, now: Cycle) {
        while self.cache.pop_departed(0, now).is_some() {}
    }

    /// The block of `reply` has arrived; its bytes are in `memory`.
    pub fn fill(&mut self, reply: &Packet, now: Cycle, memory: &Memory) {
        self.adopt_new_codes();
        let Some(line) = self.cache.fill(reply, now) else { return };
        self.miss_latency.0 += now - reply.born;
        self.miss_latency.1 += 1;
        if !self.cache.has_whole_block(line, reply.address) {
            return;
        }
        let form = self.form_of(reply, line, now, memory);
        self.cache.lines_mut().commit_fill(line, form);
        self.renew_reservation(line, form);
        self.drop_departed(now);
    }

    /// What was decided so far.
    pub fn record(&self) -> &L1Record {
        &self.record
    }

    /// Returns whether the data is there at once.
    fn read_hit(&mut self, line: LineIndex, packet: &Packet, now: Cycle) -> bool {
        let lines = self.cache.lines();
        let (mode, form, set) = (lines.mode(line), lines.form(line), lines.set_of(line));
        let counters = &mut self.counters.modes[mode.index()];
        counters.hits += 1;
        let (mut wait_cycles, mut added_cycles) = (0, 0);
        if form.is_compressed
            && let Some(codec) = self.codecs.get_mut(mode.index() - 1)
        {
            counters.decompressed_hits += 1;
            let cycles = codec.unit.cycles().decompress;
            let hit = CompressedHit { load: packet.handle, block: packet.block(), ready_at: form.ready_at };
            let entry = self.decompressor.enter(hit, now, cycles);
            if !entry.is_joined {
                codec.unit.decompress();
            }
            added_cycles = u64::from(cycles) * (entry.position + 1);
            wait_cycles = entry.wait_cycles;
            self.counters.decompression_wait_cycles += wait_cycles;
        }
        self.policy.observe_hit(Hit { set, mode, added_cycles });
        wait_cycles == 0
    }

    fn count_insertion(&mut self, line: LineIndex) {
        let lines = self.cache.lines();
        let (mode, set) = (lines.mode(line), lines.set_of(line));
        self.counters.modes[mode.index()].insertions += 1;
        self.policy.observe_insertion(set, mode);
    }

    /// How the block that has arrived for `line` is kept.
    fn form_of(&mut self, reply: &Packet, line: LineIndex, now: Cycle, memory: &Memory) -> StoredForm {
        let spec = self.cache.spec();
        let line_sub_blocks = spec.line_bytes.div_ceil(self.scheme.sub_block_bytes) as u16;
        let raw = StoredForm { sub_blocks: line_sub_blocks, is_compressed: false, ready_at: now };
        if !Point::L1.may_see(reply) || spec.line_bytes != BLOCK_BYTES {
            return raw;
        }
        let mode = self.cache.lines().mode(line);
        if mode != Mode::RAW && self.scheme.capacity == Capacity::Plain {
            return StoredForm { is_compressed: true, ..raw };
        }
        let training = self.training.as_ref().filter(|training| training.clock.takes_sample());
        if mode == Mode::RAW && training.is_none() {
            return raw;
        }
        let block = Block::read(memory, reply.block());
        if let Some(training) = training {
            training.book.observe(&block);
        }
        let Some(codec) = mode.index().checked_sub(1).and_then(|index| self.codecs.get_mut(index)) else {
            return raw;
        };
        if !codec.has_code {
            return raw;
        }
        let sub_block_bytes = self.scheme.sub_block_bytes as u32;
        let bits = codec.unit.compress_up_to(BLOCK_BITS - 8 * sub_block_bytes, reply.block(), &block);
        if bits == BLOCK_BITS {
            return raw;
        }
        StoredForm {
            sub_blocks: bursts(bits, sub_block_bytes) as u16,
            is_compressed: true,
            ready_at: now + u64::from(codec.unit.cycles().compress),
        }
    }

    /// Tells the next misses in the mode of `line` how much data to reserve.
    fn renew_reservation(&mut self, line: LineIndex, form: StoredForm) {
        if self.cache.spec().has_sectors() {
            return;
        }
        let mode = self.cache.lines().mode(line);
        let Some(codec) = mode.index().checked_sub(1).and_then(|index| self.codecs.get_mut(index)) else {
            return;
        };
        let line_bytes = self.cache.spec().line_bytes;
        let sub_blocks = match self.scheme.reservation_bytes {
            Reservation::Expected(_) => codec.expected_size.note(form.sub_blocks),
            Reservation::Bytes(_) if !codec.has_code => return,
            Reservation::Bytes(bytes) => bytes.min(line_bytes).div_ceil(self.scheme.sub_block_bytes) as u16,
        };
        self.cache.lines_mut().reserve_in(mode, sub_blocks);
    }

    fn end_phase(&mut self, now: Cycle, meter: &mut ToleranceMeter) {
        let measured =
            Measured { tolerance_cycles: meter.take_cycles(), miss_cycles: self.take_miss_cycles() };
        let mut record = self.begin_record(now, measured);
        record.amat_cycles = self.policy.end_phase(measured);
        self.record.push(record);
        if let Some(training) = &mut self.training {
            training.clock.advance();
            if training.clock.is_first_phase() {
                training.periods += 1;
                self.counters.codes_made += training.book.begin_period(training.periods);
                self.adopt_new_codes();
            }
        }
        self.assign_modes();
    }

    /// Takes codes that are new in the book; lines under the old ones can no longer be read.
    #[inline]
    fn adopt_new_codes(&mut self) {
        if self.training.as_ref().is_some_and(|training| training.edition != training.book.edition()) {
            self.replace_codes();
        }
    }

    fn replace_codes(&mut self) {
        let Some(training) = &mut self.training else { return };
        let codes = training.book.codes_since(training.edition);
        training.edition = training.book.edition();
        for (index, code) in codes {
            let codec = &mut self.codecs[index];
            codec.unit.replace_codec(code);
            codec.has_code = true;
            self.counters.outdated_lines += self.cache.lines_mut().invalidate_mode(Mode(index as u8 + 1));
        }
        self.drop_departed(self.last_phase_end);
    }

    /// Counts an EP that ends, and describes it but for the policy's estimates.
    fn begin_record(&mut self, now: Cycle, measured: Measured) -> PhaseRecord {
        let cycles = now - self.last_phase_end;
        self.last_phase_end = now;
        let winner = self.policy.winner();
        let mode = &mut self.counters.modes[winner.index()];
        mode.phases += 1;
        mode.phase_cycles += cycles;
        let phase = self.counters.phases;
        self.counters.phases += 1;
        let spec = self.cache.spec();
        let held_bytes = self.cache.lines().held_lines() * spec.line_bytes;
        PhaseRecord {
            phase,
            cycle: now.0,
            cycles,
            mode: winner.0,
            is_learning: self.policy.is_learning(),
            tolerance_cycles: measured.tolerance_cycles,
            miss_cycles: measured.miss_cycles,
            amat_cycles: Estimates::default(),
            effective_capacity: held_bytes as f64 / spec.capacity_bytes() as f64,
        }
    }

    fn take_miss_cycles(&mut self) -> f64 {
        if let MissLatency::Cycles(cycles) = self.scheme.miss_cycles {
            return f64::from(cycles);
        }
        let (sum, misses, before) = self.miss_latency;
        // An EP without a fill says nothing of misses; what was known goes on.
        let mean = if misses == 0 { before } else { sum as f64 / misses as f64 };
        self.miss_latency = (0, 0, mean);
        mean
    }

    /// Tells every set which mode its next lines get.
    fn assign_modes(&mut self) {
        for set in 0..self.cache.spec().sets {
            self.cache.lines_mut().insert_as(set, self.policy.mode_of_set(set));
        }
    }
}

impl Station for CompressedL1 {
    /// The load that gets its data.
    type Ports<'a> = &'a mut Option<u32>;
    type Counters = L1CompressionCounters;

    /// The next hit that has been decompressed leaves.
    #[inline]
    fn step(&mut self, load: &mut Option<u32>, now: Cycle, _: &Memory) -> Progress {
        *load = self.decompressor.pop_done(now);
        if load.is_some() { Progress::Moved } else { Progress::Idle }
    }

    fn next_event(&self, _: Cycle) -> Option<Cycle> {
        let next = self.decompressor.next_event();
        (next != Cycle::NEVER).then_some(next)
    }

    fn is_empty(&self) -> bool {
        self.cache.is_idle() && self.decompressor.hits() == 0
    }

    fn counters(&self) -> L1CompressionCounters {
        let mut counters = self.counters.clone();
        for (mode, codec) in counters.modes[1..].iter_mut().zip(&self.codecs) {
            mode.codec = codec.unit.counters;
        }
        let lines = self.cache.lines();
        counters.evicted_lines = lines.evicted_lines;
        counters.multiple_evictions = lines.multiple_evictions;
        counters.unkept_blocks = lines.unkept_blocks;
        counters
    }

    fn mismatch(&self) -> Option<Mismatch> {
        self.codecs.iter().find_map(|codec| Mismatch::of(Point::L1, &codec.unit))
    }

    fn describe_wait(&self) -> Option<String> {
        let hits = self.decompressor.hits();
        (hits > 0).then(|| format!("{hits} hits in the decompressor"))
    }
}

fn lines_spec(spec: &CacheSpec, scheme: &L1Scheme) -> LinesSpec {
    let line_sub_blocks = spec.line_bytes.div_ceil(scheme.sub_block_bytes) as u16;
    LinesSpec {
        sets: spec.sets,
        tags: spec.ways * scheme.tag_factor,
        sub_blocks: spec.ways as u16 * line_sub_blocks,
        line_sub_blocks,
        has_sectors: spec.has_sectors(),
    }
}

#[cfg(test)]
mod tests;
