//! The lines of a compressed cache: more tags than data, and data in sub-blocks.
//!
//! A set has `tag_factor` times the tags that its data would need uncompressed, and the data of its ways as one pool of
//! sub-blocks (32 bytes each). A line takes as many sub-blocks as its block needs; the sub-blocks of a line need
//! not lie together.
//!
//! | moment            | data that the line occupies                                                                   |
//! |-------------------|-----------------------------------------------------------------------------------------------|
//! | miss              | what is reserved for its mode: the whole line where nothing is compressed                     |
//! | fill              | what the block needs; sub-blocks that it does not need are free at once                       |
//! | fill, needs more  | clean lines leave, oldest first; where they do not suffice, the block is not kept             |
//!
//! To make room the least recently used line leaves, then the next, until there is enough; reserved lines stay. With
//! nothing compressed and whole lines reserved that is the plain cache: as many lines, the same victims.
//!
//! With sectors a line is raw, and takes a whole line of data, until all of its sectors are here; then it is compressed as one block.
//!
//! In an L1 a dirty line is always a raw one (a write makes it one), so at most one leaves
//! for a miss. In an L2 compressed lines are dirty too: several may leave for a miss, and a write may make a line grow. What must be
//! written back beside the one block that a cache core expects is in [`CompressedLines::take_dirty_victim`].

use std::collections::VecDeque;

use super::Cycle;
use super::tags::{Departure, LineAddress, LineIndex, LineState, LineStore, Probe, TagArray};

/// How the lines of a set are inserted: index 0 is uncompressed, the others are the codecs of the scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode(pub u8);

impl Mode {
    /// No compression.
    pub const RAW: Self = Self(0);

    /// Its position in tables by mode.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Most modes, no compression included: a tag has two bits for its policy.
pub const MAX_MODES: usize = 4;

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinesSpec {
    /// Sets.
    pub sets: usize,
    /// Tags of a set.
    pub tags: usize,
    /// Sub-blocks of a set's data.
    pub sub_blocks: u16,
    /// Sub-blocks of a whole line.
    pub line_sub_blocks: u16,
    /// Whether the cache keeps a state of sectors, which must hear of every line that leaves.
    pub has_sectors: bool,
}

/// How the data array stores a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredForm {
    /// Data that it takes.
    pub sub_blocks: u16,
    /// Whether a hit must decompress it.
    pub is_compressed: bool,
    /// When the compressor is done with it.
    pub ready_at: Cycle,
}

/// How a tag's data is kept, and the mode that it was claimed in.
#[derive(Clone, Copy, Debug)]
struct LineData {
    form: StoredForm,
    mode: Mode,
}

/// All lines.
#[derive(Clone, Debug)]
pub struct CompressedLines {
    spec: LinesSpec,
    /// Which block is where, and which line is the oldest: as in a plain cache, with more tags.
    tags: TagArray,
    /// By line, as in the tags.
    data: Vec<LineData>,
    /// By set: the mode of lines that it claims from now on.
    modes: Vec<Mode>,
    /// By mode: data that a line reserves until its block is here.
    reserved_sub_blocks: [u16; MAX_MODES],
    /// Lines that left to make room.
    pub evicted_lines: u64,
    /// Misses and fills that more than one line had to leave for.
    pub multiple_evictions: u64,
    /// Blocks that were not kept because no room could be made.
    pub unkept_blocks: u64,
    /// Dirty blocks that left, beside the one that [`LineStore::reserve`] returns. Those of a cache with sectors are departures.
    dirty_victims: VecDeque<LineAddress>,
    /// Lines of a cache with sectors that left.
    departures: VecDeque<Departure>,
    /// Dirty lines that left compressed since [`CompressedLines::take_compressed_victims`].
    compressed_victims: u64,
}

impl CompressedLines {
    /// No lines; all sets insert uncompressed.
    pub fn new(spec: LinesSpec) -> Self {
        let form = StoredForm { sub_blocks: 0, is_compressed: false, ready_at: Cycle(0) };
        Self {
            spec,
            tags: TagArray::new(spec.sets, spec.tags),
            data: vec![LineData { form, mode: Mode::RAW }; spec.sets * spec.tags],
            modes: vec![Mode::RAW; spec.sets],
            reserved_sub_blocks: [spec.line_sub_blocks; MAX_MODES],
            evicted_lines: 0,
            multiple_evictions: 0,
            unkept_blocks: 0,
            dirty_victims: VecDeque::new(),
            departures: VecDeque::new(),
            compressed_victims: 0,
        }
    }

    /// Takes over the counts, and what is reserved in each mode, of the lines that these take the place of.
    pub fn go_on_counting(&mut self, before: &Self) {
        self.reserved_sub_blocks = before.reserved_sub_blocks;
        self.evicted_lines = before.evicted_lines;
        self.multiple_evictions = before.multiple_evictions;
        self.unkept_blocks = before.unkept_blocks;
    }

    /// Lines that `set` claims from now on have this mode.
    pub fn insert_as(&mut self, set: usize, mode: Mode) {
        self.modes[set] = mode;
    }

    /// Lines that are claimed in this mode from now on reserve this much data.
    pub fn reserve_in(&mut self, mode: Mode, sub_blocks: u16) {
        self.reserved_sub_blocks[mode.index()] = sub_blocks;
    }

    fn reserved_in(&self, set: usize) -> u16 {
        self.reserved_sub_blocks[self.modes[set].index()]
    }

    /// The set of a line.
    pub fn set_of(&self, line: LineIndex) -> usize {
        self.tags.set_of(line)
    }

    /// The mode a line was claimed in.
    pub fn mode(&self, line: LineIndex) -> Mode {
        self.data[line.0 as usize].mode
    }

    /// How a line is kept.
    pub fn form(&self, line: LineIndex) -> StoredForm {
        self.data[line.0 as usize].form
    }

    fn form_mut(&mut self, line: LineIndex) -> &mut StoredForm {
        &mut self.data[line.0 as usize].form
    }

    /// The line's block has arrived in this form. Returns whether it is kept.
    pub fn commit_fill(&mut self, line: LineIndex, form: StoredForm) -> bool {
        let set = self.set_of(line);
        let others = self.room(set) + self.form(line).sub_blocks;
        self.form_mut(line).sub_blocks = 0;
        let is_kept = others >= form.sub_blocks || self.evict_clean(set, line, form.sub_blocks);
        if is_kept {
            *self.form_mut(line) = form;
        } else {
            self.forget(line);
            self.unkept_blocks += 1;
        }
        is_kept
    }

    /// A write has changed the block of a line, which is now kept in this form. If it has grown, other lines leave, oldest first, dirty
    /// ones too; where they do not suffice the line itself leaves. Returns whether it stays.
    pub fn resize(&mut self, line: LineIndex, form: StoredForm) -> bool {
        let set = self.set_of(line);
        self.form_mut(line).sub_blocks = 0;
        let mut leaving = 0;
        while self.room(set) < form.sub_blocks {
            let Some(victim) = self.oldest_but(set, Some(line)) else { break };
            let dirty_block = self.evict(victim);
            self.dirty_victims.extend(dirty_block);
            leaving += 1;
        }
        self.multiple_evictions += u64::from(leaving > 1);
        let is_kept = self.room(set) >= form.sub_blocks;
        *self.form_mut(line) = form;
        if !is_kept {
            let dirty_block = self.evict(line);
            self.dirty_victims.extend(dirty_block);
            self.unkept_blocks += 1;
        }
        is_kept
    }

    /// Takes a dirty block that was evicted and is written back nowhere else.
    pub fn take_dirty_victim(&mut self) -> Option<LineAddress> {
        self.dirty_victims.pop_front()
    }

    /// How many dirty lines have left compressed since the last call: each is decompressed on its way.
    pub fn take_compressed_victims(&mut self) -> u64 {
        std::mem::take(&mut self.compressed_victims)
    }

    /// Forgets the compressed lines of a mode, whose code is no longer known. Returns how many there were.
    pub fn invalidate_mode(&mut self, mode: Mode) -> u64 {
        let is_old = |lines: &Self, line| {
            let LineData { form, mode: claimed_in } = lines.data[line as usize];
            lines.tags.state(LineIndex(line)) == LineState::Valid && form.is_compressed && claimed_in == mode
        };
        let mut forgotten_lines = 0;
        for line in 0..self.data.len() as u32 {
            if is_old(self, line) {
                self.forget(LineIndex(line));
                forgotten_lines += 1;
            }
        }
        forgotten_lines
    }

    /// Lines that hold a block.
    pub fn held_lines(&self) -> usize {
        (0..self.data.len() as u32).filter(|&line| self.tags.state(LineIndex(line)).can_leave()).count()
    }

    /// Free sub-blocks of a set.
    fn room(&self, set: usize) -> u16 {
        let occupied = self.sub_blocks_of(set, |_, state| state != LineState::Invalid);
        self.spec.sub_blocks.saturating_sub(occupied)
    }

    /// Sub-blocks of the lines of a set that `counts`.
    fn sub_blocks_of(&self, set: usize, counts: impl Fn(LineIndex, LineState) -> bool) -> u16 {
        let lines = self.tags.lines_of(set).filter(|&line| counts(line, self.tags.state(line)));
        lines.map(|line| self.form(line).sub_blocks).sum()
    }

    /// Takes a line away. Returns its block if that is dirty.
    fn evict(&mut self, line: LineIndex) -> Option<LineAddress> {
        let dirty_block = self.tags.evict(line);
        self.evicted_lines += 1;
        self.compressed_victims += u64::from(dirty_block.is_some() && self.form(line).is_compressed);
        if !self.spec.has_sectors {
            return dirty_block;
        }
        self.departures.push_back(Departure { line, dirty_block });
        None
    }

    /// Empties a clean line.
    fn forget(&mut self, line: LineIndex) {
        self.tags.set_state(line, LineState::Invalid);
        if self.spec.has_sectors {
            self.departures.push_back(Departure { line, dirty_block: None });
        }
    }

    /// The line that leaves first, if any may: not `keeper`.
    fn oldest_but(&self, set: usize, keeper: Option<LineIndex>) -> Option<LineIndex> {
        self.tags.oldest(set, |line, state| self.tags.may_leave(state) && Some(line) != keeper)
    }

    /// Evicts clean lines other than `keeper` until there is room; nothing leaves if that cannot be reached.
    fn evict_clean(&mut self, set: usize, keeper: LineIndex, sub_blocks: u16) -> bool {
        let may_leave = |line: LineIndex, state: LineState| state == LineState::Valid && line != keeper;
        if self.room(set) + self.sub_blocks_of(set, may_leave) < sub_blocks {
            return false;
        }
        let mut leaving = 0;
        while self.room(set) < sub_blocks {
            let Some(victim) = self.tags.oldest(set, may_leave) else { break };
            self.evict(victim);
            leaving += 1;
        }
        self.multiple_evictions += u64::from(leaving > 1);
        true
    }
}

impl LineStore for CompressedLines {
    #[inline]
    fn probe(&self, set: usize, address: LineAddress) -> Probe {
        let probe = self.tags.probe(set, address);
        if !matches!(probe, Probe::Miss(_)) {
            return probe;
        }
        let is_held = |_, state| state != LineState::Invalid && !self.tags.may_leave(state);
        let held = self.sub_blocks_of(set, is_held);
        if self.spec.sub_blocks - held >= self.reserved_in(set) { probe } else { Probe::AllReserved }
    }

    #[inline]
    fn touch(&mut self, line: LineIndex, now: Cycle) {
        self.tags.touch(line, now);
    }

    fn reserve(&mut self, line: LineIndex, address: LineAddress, now: Cycle) -> Option<LineAddress> {
        let set = self.set_of(line);
        let (mode, reserved_sub_blocks) = (self.modes[set], self.reserved_in(set));
        let mut leaving = 0;
        let mut dirty_block = None;
        // Without a free tag the probe has chosen the oldest line's.
        if self.tags.state(line).can_leave() {
            dirty_block = self.evict(line);
            leaving += 1;
        }
        while self.room(set) < reserved_sub_blocks {
            let Some(victim) = self.oldest_but(set, None) else { break };
            match (self.evict(victim), dirty_block) {
                (Some(further), Some(_)) => self.dirty_victims.push_back(further),
                (first, None) => dirty_block = first,
                (None, Some(_)) => {}
            }
            leaving += 1;
        }
        self.multiple_evictions += u64::from(leaving > 1);
        let form = StoredForm { sub_blocks: reserved_sub_blocks, is_compressed: false, ready_at: now };
        self.data[line.0 as usize] = LineData { form, mode };
        self.tags.reserve(line, address, now);
        dirty_block
    }

    fn install(&mut self, line: LineIndex, address: LineAddress, now: Cycle) {
        self.reserve(line, address, now);
        self.set_state(line, LineState::Valid);
    }

    fn set_state(&mut self, line: LineIndex, state: LineState) {
        self.tags.set_state(line, state);
    }

    fn protect_modified(&mut self, is_protected: bool) {
        self.tags.protect_modified(is_protected);
    }

    fn tag_count(&self) -> usize {
        self.tags.tag_count()
    }

    fn holds(&self, line: LineIndex, address: LineAddress) -> bool {
        self.tags.holds(line, address)
    }

    fn pop_departure(&mut self) -> Option<Departure> {
        self.departures.pop_front()
    }
}

#[cfg(test)]
mod tests;
