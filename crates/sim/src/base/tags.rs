//! The tag array of a set-associative cache with LRU replacement.
//!
//! A line is reserved from the miss until the fill, so that later accesses to it wait instead of asking again; a
//! reserved line is never a victim. Among invalid ways the last one is taken, among valid ones the least recently used.
//!
//! A look goes over all ways of a set, unless there are many ([`wide_sets`]).

mod wide_sets;

use super::Cycle;
use wide_sets::WideSets;

/// Sets with more ways than this are not looked through.
const NARROW_WAYS: usize = 16;

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineState {
    /// Nothing.
    Invalid,
    /// A block that is on its way.
    Reserved,
    /// A block equal to the next level's.
    Valid,
    /// A block newer than the next level's.
    Modified,
}

impl LineState {
    /// Whether another block may take the line's place.
    #[inline]
    pub fn can_leave(self) -> bool {
        matches!(self, Self::Valid | Self::Modified)
    }
}

/// What a look at the tags finds; nothing has changed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The block is here.
    Hit(LineIndex),
    /// The block is on its way.
    HitReserved(LineIndex),
    /// The line is here, the sector is not.
    SectorMiss(LineIndex),
    /// Not here; this line could make room.
    Miss(LineIndex),
    /// Not here, and every way of the set is reserved or protected.
    AllReserved,
}

/// Position of a line in the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineIndex(pub u32);

/// The address of the first byte of a cache line: index and tag together, so that any set index function works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineAddress(u64);

impl LineAddress {
    /// The address of no line: all others are multiples of the line size.
    pub const NONE: Self = Self(u64::MAX);

    /// The line of `line_bytes`, a power of two, that holds the byte at `address`.
    #[inline]
    pub fn of(address: u64, line_bytes: usize) -> Self {
        Self(address & !(line_bytes as u64 - 1))
    }

    /// The address of its first byte.
    #[inline]
    pub fn first_byte(self) -> u64 {
        self.0
    }
}

/// Where a cache keeps its lines: which block is where, and what must leave when another comes.
pub trait LineStore {
    /// Looks for the line at `address` in `set`.
    fn probe(&self, set: usize, address: LineAddress) -> Probe;

    /// Marks a line as used now.
    fn touch(&mut self, line: LineIndex, now: Cycle);

    /// Gives the line to the block at `address`, which is on its way. Returns the block that must be written back first.
    fn reserve(&mut self, line: LineIndex, address: LineAddress, now: Cycle) -> Option<LineAddress>;

    /// Gives the line to the block at `address`, which has arrived.
    fn install(&mut self, line: LineIndex, address: LineAddress, now: Cycle);

    /// Changes what a line holds.
    fn set_state(&mut self, line: LineIndex, state: LineState);

    /// Whether modified lines may not leave from now on.
    fn protect_modified(&mut self, _is_protected: bool) {}

    /// How many lines there are tags for.
    fn tag_count(&self) -> usize;

    /// Whether the line is the block's.
    fn holds(&self, line: LineIndex, address: LineAddress) -> bool;

    /// Whether the line is the block's, which has arrived.
    fn holds_all_of(&self, _line: LineIndex, _address: LineAddress) -> bool {
        false
    }

    /// Takes a line that has left beside the one that was given away, oldest departure first; the state of its sectors leaves with it.
    fn pop_departure(&mut self) -> Option<Departure> {
        None
    }
}

/// A line that has left so that others have room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Where it was.
    pub line: LineIndex,
    /// Its block, if that is dirty.
    pub dirty_block: Option<LineAddress>,
}

/// The tags of all sets. What a look-up compares lies together, apart from what only a miss or a fill needs.
#[derive(Clone, Debug)]
pub struct TagArray {
    /// Per line: the address of its block; [`LineAddress::NONE`] in an invalid one.
    addresses: Vec<LineAddress>,
    lines: Vec<Line>,
    /// Per line: which leaves first, the smallest; see [`Line::rank`]. Nothing where sets are wide.
    ranks: Vec<u64>,
    wide: Option<Box<WideSets>>,
    ways: usize,
    is_modified_protected: bool,
}

/// A line's state and age.
#[derive(Clone, Copy, Debug)]
struct Line {
    last_use: Cycle,
    state: LineState,
}

/// The lower bits of a rank name the line: an array of more lines keeps its sets as wide ones.
const RANKED_LINES: u64 = 1 << 20;

/// The rank of lines that never leave.
const STAYS: u64 = u64::MAX;

impl Line {
    /// A line with a lower rank leaves before one with a higher: the last invalid one, else the least recently used, of those used in
    /// one cycle the first. A reserved line stays.
    #[inline]
    fn rank(self, index: usize) -> u64 {
        match self.state {
            LineState::Invalid => RANKED_LINES - 1 - index as u64,
            LineState::Reserved => STAYS,
            LineState::Valid | LineState::Modified => (self.last_use.0 + 1) * RANKED_LINES + index as u64,
        }
    }
}

/// The line with this rank, as a victim.
#[inline]
fn victim_of_rank(rank: u64) -> Probe {
    match rank {
        STAYS => Probe::AllReserved,
        0..RANKED_LINES => Probe::Miss(LineIndex((RANKED_LINES - 1 - rank) as u32)),
        _ => Probe::Miss(LineIndex((rank % RANKED_LINES) as u32)),
    }
}

impl TagArray {
    /// An empty array.
    pub fn new(sets: usize, ways: usize) -> Self {
        Self::of_kind(sets, ways, ways > NARROW_WAYS || (sets * ways) as u64 > RANKED_LINES)
    }

    fn of_kind(sets: usize, ways: usize, is_wide: bool) -> Self {
        let empty = Line { last_use: Cycle(0), state: LineState::Invalid };
        Self {
            addresses: vec![LineAddress::NONE; sets * ways],
            lines: vec![empty; sets * ways],
            ranks: (0..if is_wide { 0 } else { sets * ways }).map(|index| empty.rank(index)).collect(),
            wide: is_wide.then(|| Box::new(WideSets::new(sets, ways))),
            ways,
            is_modified_protected: false,
        }
    }

    /// The line that a block which is not here would take: the last invalid one, else the least recently used.
    fn victim(&self, set: usize) -> Probe {
        if let Some(wide) = &self.wide {
            let victim = wide.victim(&self.lines, set, self.is_modified_protected);
            return victim.map_or(Probe::AllReserved, |line| Probe::Miss(LineIndex(line as u32)));
        }
        let first = set * self.ways;
        if self.is_modified_protected {
            return self.clean_victim(first);
        }
        let mut least = STAYS;
        // The last invalid line is the first from behind; an end to the loop there also keeps it from being made of vectors, which
        // have no minimum of 64 bits.
        for &rank in self.ranks[first..first + self.ways].iter().rev() {
            least = least.min(rank);
            if rank < RANKED_LINES {
                break;
            }
        }
        victim_of_rank(least)
    }

    /// The same where modified lines stay.
    fn clean_victim(&self, first: usize) -> Probe {
        let lines = first..first + self.ways;
        let leaving = lines.filter(|&index| self.lines[index].state != LineState::Modified);
        victim_of_rank(leaving.map(|index| self.ranks[index]).min().unwrap_or(STAYS))
    }

    /// Whether a line in this state may make room for another.
    #[inline]
    pub(super) fn may_leave(&self, state: LineState) -> bool {
        state.can_leave() && !(self.is_modified_protected && state == LineState::Modified)
    }

    /// The least recently used line of a set among those that `may_leave`.
    pub(super) fn oldest(
        &self,
        set: usize,
        may_leave: impl Fn(LineIndex, LineState) -> bool,
    ) -> Option<LineIndex> {
        let leaving = self.lines_of(set).filter(|&line| may_leave(line, self.state(line)));
        leaving.min_by_key(|line| self.lines[line.0 as usize].last_use)
    }

    /// The lines of a set.
    pub(super) fn lines_of(&self, set: usize) -> impl Iterator<Item = LineIndex> + use<> {
        (set * self.ways..(set + 1) * self.ways).map(|index| LineIndex(index as u32))
    }

    /// The set of a line.
    pub(super) fn set_of(&self, line: LineIndex) -> usize {
        line.0 as usize / self.ways
    }

    /// What a line holds.
    #[inline]
    pub(super) fn state(&self, line: LineIndex) -> LineState {
        self.lines[line.0 as usize].state
    }

    /// Empties a line. Returns its block if that is dirty.
    pub(super) fn evict(&mut self, line: LineIndex) -> Option<LineAddress> {
        let dirty_block = self.dirty_block(line);
        self.set_state(line, LineState::Invalid);
        dirty_block
    }

    fn dirty_block(&self, line: LineIndex) -> Option<LineAddress> {
        (self.state(line) == LineState::Modified).then_some(self.addresses[line.0 as usize])
    }

    fn set(&mut self, line: LineIndex, address: LineAddress, now: Cycle, state: LineState) {
        self.rename(line, address);
        self.change(line, |_| Line { last_use: now, state });
    }

    #[inline]
    fn rename(&mut self, line: LineIndex, address: LineAddress) {
        let index = line.0 as usize;
        let before = std::mem::replace(&mut self.addresses[index], address);
        if let Some(wide) = &mut self.wide {
            wide.rename(index, before, address);
        }
    }

    #[inline]
    fn change(&mut self, line: LineIndex, change: impl FnOnce(Line) -> Line) {
        let index = line.0 as usize;
        let before = self.lines[index];
        let changed = change(before);
        self.lines[index] = changed;
        match &mut self.wide {
            None => self.ranks[index] = changed.rank(index),
            Some(wide) => wide.note_change(&self.lines, index, before),
        }
    }
}

impl LineStore for TagArray {
    #[inline]
    fn probe(&self, set: usize, address: LineAddress) -> Probe {
        let first = set * self.ways;
        let found = match &self.wide {
            None => {
                let held = &self.addresses[first..first + self.ways];
                held.iter().position(|&held| held == address).map(|way| first + way)
            }
            Some(wide) => wide.find(&self.addresses, address),
        };
        let Some(index) = found else { return self.victim(set) };
        let line = LineIndex(index as u32);
        if self.lines[index].state == LineState::Reserved {
            Probe::HitReserved(line)
        } else {
            Probe::Hit(line)
        }
    }

    #[inline]
    fn touch(&mut self, line: LineIndex, now: Cycle) {
        self.change(line, |line| Line { last_use: now, ..line });
    }

    fn reserve(&mut self, line: LineIndex, address: LineAddress, now: Cycle) -> Option<LineAddress> {
        let dirty_block = self.dirty_block(line);
        self.set(line, address, now, LineState::Reserved);
        dirty_block
    }

    fn install(&mut self, line: LineIndex, address: LineAddress, now: Cycle) {
        self.set(line, address, now, LineState::Valid);
    }

    fn set_state(&mut self, line: LineIndex, state: LineState) {
        self.change(line, |line| Line { state, ..line });
        if state == LineState::Invalid {
            self.rename(line, LineAddress::NONE);
        }
    }

    fn protect_modified(&mut self, is_protected: bool) {
        self.is_modified_protected = is_protected;
    }

    fn tag_count(&self) -> usize {
        self.lines.len()
    }

    #[inline]
    fn holds(&self, line: LineIndex, address: LineAddress) -> bool {
        self.addresses[line.0 as usize] == address
    }

    #[inline]
    fn holds_all_of(&self, line: LineIndex, address: LineAddress) -> bool {
        self.holds(line, address) && self.state(line) != LineState::Reserved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(blocks: &[u64]) -> TagArray {
        let mut tags = TagArray::new(1, blocks.len());
        for (way, &block) in blocks.iter().enumerate() {
            tags.install(LineIndex(way as u32), LineAddress(block), Cycle(way as u64));
        }
        tags
    }

    #[test]
    fn the_least_recently_used_line_goes_first() {
        let mut tags = filled(&[0x000, 0x080, 0x100, 0x180]);
        tags.touch(LineIndex(0), Cycle(10));
        assert_eq!(tags.probe(0, LineAddress(0x200)), Probe::Miss(LineIndex(1)));
    }

    #[test]
    fn an_invalid_line_goes_before_any_valid_one() {
        let mut tags = filled(&[0x000, 0x080]);
        tags.set_state(LineIndex(1), LineState::Invalid);
        assert_eq!(tags.probe(0, LineAddress(0x200)), Probe::Miss(LineIndex(1)));
    }

    #[test]
    fn a_set_of_reserved_lines_has_no_room() {
        let mut tags = TagArray::new(1, 2);
        tags.reserve(LineIndex(0), LineAddress(0x000), Cycle(0));
        tags.reserve(LineIndex(1), LineAddress(0x080), Cycle(0));
        assert_eq!(tags.probe(0, LineAddress(0x200)), Probe::AllReserved);
        assert_eq!(tags.probe(0, LineAddress(0x080)), Probe::HitReserved(LineIndex(1)));
    }

    #[test]
    fn a_dirty_victim_must_be_written_back() {
        let mut tags = filled(&[0x040]);
        assert_eq!(tags.clone().reserve(LineIndex(0), LineAddress(0x200), Cycle(5)), None);
        tags.set_state(LineIndex(0), LineState::Modified);
        assert_eq!(tags.reserve(LineIndex(0), LineAddress(0x200), Cycle(5)), Some(LineAddress(0x040)));
    }

    #[test]
    fn wide_sets_give_the_same_answers_as_a_look_at_all_ways() {
        let (sets, ways) = (2, 70);
        let mut arrays = [false, true].map(|is_wide| TagArray::of_kind(sets, ways, is_wide));
        let states = [
            LineState::Valid,
            LineState::Modified,
            LineState::Reserved,
            LineState::Invalid,
            LineState::Valid,
        ];
        let (mut chance, mut now) = (1_u64, 0);
        let mut next = |below: u64| {
            chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (chance >> 33) % below
        };
        for _ in 0..20_000 {
            let block = next(300);
            let (set, address) = ((block % 2) as usize, LineAddress(128 * block));
            let is_protected = next(3) == 0;
            let [narrow, wide] = arrays.each_mut().map(|tags| {
                tags.protect_modified(is_protected);
                tags.probe(set, address)
            });
            assert_eq!(narrow, wide);
            now += next(2);
            let (state, is_reserved) = (states[next(5) as usize], next(2) == 0);
            for tags in &mut arrays {
                match narrow {
                    Probe::Miss(line) if is_reserved => {
                        tags.reserve(line, address, Cycle(now));
                    }
                    Probe::Miss(line) => tags.install(line, address, Cycle(now)),
                    Probe::Hit(line) if is_reserved => tags.touch(line, Cycle(now)),
                    Probe::Hit(line) | Probe::HitReserved(line) => tags.set_state(line, state),
                    Probe::AllReserved | Probe::SectorMiss(_) => {}
                }
            }
        }
    }

    #[test]
    fn protected_modified_lines_stay() {
        let mut tags = filled(&[0x000, 0x080]);
        tags.set_state(LineIndex(0), LineState::Modified);
        assert_eq!(tags.probe(0, LineAddress(0x200)), Probe::Miss(LineIndex(0)));
        tags.protect_modified(true);
        assert_eq!(tags.probe(0, LineAddress(0x200)), Probe::Miss(LineIndex(1)));
        tags.set_state(LineIndex(1), LineState::Modified);
        assert_eq!(tags.probe(0, LineAddress(0x200)), Probe::AllReserved);
    }
}
