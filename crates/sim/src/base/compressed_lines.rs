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
//! In an L1 a dirty line is always a raw one (only local memory is written there, and its lines are not compressed), so at most one leaves
//! for a miss. In an L2 compressed lines are dirty too: several may leave for a miss, and a write may make a line grow. What must be
//! written back beside the one block that a cache core expects is in [`CompressedLines::take_dirty_victim`].

use std::collections::VecDeque;

use super::Cycle;
use super::tags::{LineAddress, LineIndex, LineState, LineStore, Probe};

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

/// One line.
#[derive(Clone, Copy, Debug)]
struct Line {
    address: LineAddress,
    last_use: Cycle,
    form: StoredForm,
    mode: Mode,
    state: LineState,
}

impl Line {
    fn can_leave(&self) -> bool {
        matches!(self.state, LineState::Valid | LineState::Modified)
    }
}

/// All lines.
#[derive(Clone, Debug)]
pub struct CompressedLines {
    spec: LinesSpec,
    lines: Vec<Line>,
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
    /// Dirty blocks that left, beside the one that [`LineStore::reserve`] returns.
    dirty_victims: VecDeque<LineAddress>,
    /// Dirty lines that left compressed since [`CompressedLines::take_compressed_victims`].
    compressed_victims: u64,
}

impl CompressedLines {
    /// No lines; all sets insert uncompressed.
    pub fn new(spec: LinesSpec) -> Self {
        let form = StoredForm { sub_blocks: 0, is_compressed: false, ready_at: Cycle(0) };
        let empty = Line {
            address: LineAddress::NONE,
            last_use: Cycle(0),
            form,
            mode: Mode::RAW,
            state: LineState::Invalid,
        };
        Self {
            spec,
            lines: vec![empty; spec.sets * spec.tags],
            modes: vec![Mode::RAW; spec.sets],
            reserved_sub_blocks: [spec.line_sub_blocks; MAX_MODES],
            evicted_lines: 0,
            multiple_evictions: 0,
            unkept_blocks: 0,
            dirty_victims: VecDeque::new(),
            compressed_victims: 0,
        }
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
        line.0 as usize / self.spec.tags
    }

    /// The mode a line was claimed in.
    pub fn mode(&self, line: LineIndex) -> Mode {
        self.lines[line.0 as usize].mode
    }

    /// How a line is kept.
    pub fn form(&self, line: LineIndex) -> StoredForm {
        self.lines[line.0 as usize].form
    }

    /// The line's block has arrived in this form. Returns whether it is kept.
    pub fn commit_fill(&mut self, line: LineIndex, form: StoredForm) -> bool {
        let set = self.set_of(line);
        let others = self.room(set) + self.form(line).sub_blocks;
        self.lines[line.0 as usize].form.sub_blocks = 0;
        let is_kept = others >= form.sub_blocks || self.evict_clean(set, line, form.sub_blocks);
        if is_kept {
            self.lines[line.0 as usize].form = form;
        } else {
            self.lines[line.0 as usize].state = LineState::Invalid;
            self.unkept_blocks += 1;
        }
        is_kept
    }

    /// A write has changed the block of a line, which is now kept in this form. If it has grown, other lines leave, oldest first, dirty
    /// ones too; where they do not suffice the line itself leaves. Returns whether it stays.
    pub fn resize(&mut self, line: LineIndex, form: StoredForm) -> bool {
        let (set, index) = (self.set_of(line), line.0 as usize);
        let address = self.lines[index].address;
        self.lines[index].form.sub_blocks = 0;
        let mut leaving = 0;
        while self.room(set) < form.sub_blocks {
            let Some(victim) = self.oldest(set, |other| other.can_leave() && other.address != address) else {
                break;
            };
            let dirty_block = self.evict(victim);
            self.dirty_victims.extend(dirty_block);
            leaving += 1;
        }
        self.multiple_evictions += u64::from(leaving > 1);
        let is_kept = self.room(set) >= form.sub_blocks;
        self.lines[index].form = form;
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
        let old = self
            .lines
            .iter_mut()
            .filter(|line| line.state == LineState::Valid && line.form.is_compressed && line.mode == mode);
        old.map(|line| line.state = LineState::Invalid).count() as u64
    }

    /// Lines that hold a block.
    pub fn held_lines(&self) -> usize {
        self.lines.iter().filter(|line| line.can_leave()).count()
    }

    fn lines_of(&self, set: usize) -> &[Line] {
        &self.lines[set * self.spec.tags..(set + 1) * self.spec.tags]
    }

    /// Free sub-blocks of a set.
    fn room(&self, set: usize) -> u16 {
        let held = self.lines_of(set).iter().filter(|line| line.state != LineState::Invalid);
        self.spec.sub_blocks.saturating_sub(held.map(|line| line.form.sub_blocks).sum())
    }

    /// The least recently used line of a set among those that `may_go`.
    fn oldest(&self, set: usize, may_go: impl Fn(&Line) -> bool) -> Option<LineIndex> {
        let lines = self.lines_of(set).iter().enumerate().filter(|(_, line)| may_go(line));
        let (way, _) = lines.min_by_key(|(_, line)| line.last_use)?;
        Some(LineIndex((set * self.spec.tags + way) as u32))
    }

    /// Takes a line away. Returns its block if that is dirty.
    fn evict(&mut self, line: LineIndex) -> Option<LineAddress> {
        let line = &mut self.lines[line.0 as usize];
        let is_dirty = line.state == LineState::Modified;
        line.state = LineState::Invalid;
        self.evicted_lines += 1;
        self.compressed_victims += u64::from(is_dirty && line.form.is_compressed);
        is_dirty.then_some(line.address)
    }

    /// Evicts clean lines other than `keeper` until there is room; nothing leaves if that cannot be reached.
    fn evict_clean(&mut self, set: usize, keeper: LineIndex, sub_blocks: u16) -> bool {
        let keeper_way = keeper.0 as usize % self.spec.tags;
        let others = self.lines_of(set).iter().enumerate();
        let clean = others.filter(|(way, line)| *way != keeper_way && line.state == LineState::Valid);
        if self.room(set) + clean.map(|(_, line)| line.form.sub_blocks).sum::<u16>() < sub_blocks {
            return false;
        }
        let keeper_address = self.lines[keeper.0 as usize].address;
        let mut leaving = 0;
        while self.room(set) < sub_blocks {
            let may_go = |line: &Line| line.state == LineState::Valid && line.address != keeper_address;
            let Some(victim) = self.oldest(set, may_go) else { break };
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
        let first = set * self.spec.tags;
        let mut free_tag = None;
        let mut oldest: Option<(Cycle, usize)> = None;
        let mut reserved_sub_blocks = 0;
        for (way, line) in self.lines_of(set).iter().enumerate() {
            match line.state {
                LineState::Invalid => free_tag = Some(way),
                LineState::Reserved if line.address == address => {
                    return Probe::HitReserved(LineIndex((first + way) as u32));
                }
                LineState::Reserved => reserved_sub_blocks += line.form.sub_blocks,
                LineState::Valid | LineState::Modified if line.address == address => {
                    return Probe::Hit(LineIndex((first + way) as u32));
                }
                LineState::Valid | LineState::Modified => {
                    if oldest.is_none_or(|(age, _)| line.last_use < age) {
                        oldest = Some((line.last_use, way));
                    }
                }
            }
        }
        let most_room = self.spec.sub_blocks - reserved_sub_blocks;
        match free_tag.or(oldest.map(|(_, way)| way)) {
            Some(way) if most_room >= self.reserved_in(set) => Probe::Miss(LineIndex((first + way) as u32)),
            _ => Probe::AllReserved,
        }
    }

    #[inline]
    fn touch(&mut self, line: LineIndex, now: Cycle) {
        self.lines[line.0 as usize].last_use = now;
    }

    fn reserve(&mut self, line: LineIndex, address: LineAddress, now: Cycle) -> Option<LineAddress> {
        let set = self.set_of(line);
        let (mode, reserved_sub_blocks) = (self.modes[set], self.reserved_in(set));
        let mut leaving = 0;
        let mut dirty_block = None;
        // Without a free tag the probe has chosen the oldest line's.
        if self.lines[line.0 as usize].can_leave() {
            dirty_block = self.evict(line);
            leaving += 1;
        }
        while self.room(set) < reserved_sub_blocks {
            let Some(victim) = self.oldest(set, Line::can_leave) else { break };
            match (self.evict(victim), dirty_block) {
                (Some(further), Some(_)) => self.dirty_victims.push_back(further),
                (first, None) => dirty_block = first,
                (None, Some(_)) => {}
            }
            leaving += 1;
        }
        self.multiple_evictions += u64::from(leaving > 1);
        let form = StoredForm { sub_blocks: reserved_sub_blocks, is_compressed: false, ready_at: now };
        self.lines[line.0 as usize] = Line { address, last_use: now, form, mode, state: LineState::Reserved };
        dirty_block
    }

    fn install(&mut self, line: LineIndex, address: LineAddress, now: Cycle) {
        self.reserve(line, address, now);
        self.set_state(line, LineState::Valid);
    }

    fn set_state(&mut self, line: LineIndex, state: LineState) {
        self.lines[line.0 as usize].state = state;
    }
}

#[cfg(test)]
mod tests;
