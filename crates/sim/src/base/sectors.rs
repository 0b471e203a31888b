//! The sectors of a sectored cache's lines: which are here, on their way, or newer than the next level, and which bytes of a
//! line were written.
//!
//! A line has one tag; each of its sectors has a state of its own. A write that misses claims its sector without a fetch: the
//! sector is modified, and readable only once all of its bytes were written or it has been fetched ("lazy fetch on read").

use super::tags::{LineIndex, LineState};

/// What a look at a sector of a line that is here finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectorLook {
    /// Not here.
    Absent,
    /// On its way.
    Reserved,
    /// Here, as far as the access needs it.
    Here,
}

/// One line. A sector is at most one of reserved, valid and modified; bit 0 is the first sector.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    reserved: u8,
    valid: u8,
    modified: u8,
    /// Modified sectors of which some bytes are unknown.
    unreadable: u8,
    /// Reserved sectors that will be modified when they arrive: they were written.
    modified_on_fill: u8,
    /// Written bytes.
    written: u128,
}

/// What a line that leaves takes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirtySectors {
    /// Bytes of the modified sectors.
    pub bytes: u16,
    /// Their written bytes.
    pub byte_mask: u128,
}

/// The sectors of all lines of a cache.
#[derive(Clone, Debug)]
pub struct Sectors {
    lines: Vec<Line>,
    line_bytes: usize,
    sector_bytes: usize,
    /// Lines with at least one modified sector.
    modified_lines: usize,
}

impl Sectors {
    /// All sectors of `lines` lines empty.
    pub fn new(lines: usize, line_bytes: usize, sector_bytes: usize) -> Self {
        Self { lines: vec![Line::default(); lines], line_bytes, sector_bytes, modified_lines: 0 }
    }

    /// The bit of the sector that holds the byte at `address`.
    #[inline]
    pub fn sector_of(&self, address: u64) -> u8 {
        1 << ((address as usize & (self.line_bytes - 1)) / self.sector_bytes)
    }

    /// What an access to a sector of a line that is here finds.
    #[inline]
    pub fn look(&self, line: LineIndex, sector: u8, is_write: bool) -> SectorLook {
        let line = &self.lines[line.0 as usize];
        if line.reserved & sector != 0 {
            SectorLook::Reserved
        } else if line.valid & sector != 0
            || line.modified & sector != 0 && (is_write || line.unreadable & sector == 0)
        {
            SectorLook::Here
        } else {
            SectorLook::Absent
        }
    }

    /// The line gets another block, of which only this sector is on its way. Returns what the former block takes along.
    pub fn replace(&mut self, line: LineIndex, sector: u8) -> Option<DirtySectors> {
        let dirty = self.clear(line);
        self.lines[line.0 as usize].reserved = sector;
        dirty
    }

    /// The line's block leaves. Returns what it takes along.
    pub fn clear(&mut self, line: LineIndex) -> Option<DirtySectors> {
        let before = std::mem::take(&mut self.lines[line.0 as usize]);
        if before.modified == 0 {
            return None;
        }
        self.modified_lines -= 1;
        let bytes = before.modified.count_ones() as usize * self.sector_bytes;
        Some(DirtySectors { bytes: bytes as u16, byte_mask: before.written & self.bytes_of(before.modified) })
    }

    /// A sector of a line that is here is on its way, too.
    pub fn reserve(&mut self, line: LineIndex, sector: u8) {
        self.change(line, |line| {
            line.modified_on_fill = line.modified_on_fill & !sector | line.modified & sector;
            line.modified &= !sector;
            line.valid &= !sector;
            line.unreadable &= !sector;
            line.reserved |= sector;
        });
    }

    /// Bytes of a sector are written. A miss leaves the other bytes unknown; those of a sector on its way arrive later.
    pub fn write(&mut self, line: LineIndex, sector: u8, byte_mask: u128, is_hit: bool) {
        let sector_bytes = self.bytes_of(sector);
        self.change(line, |line| {
            if !is_hit {
                line.modified_on_fill |= line.reserved & sector;
                line.unreadable |= sector;
            }
            line.reserved &= !sector;
            line.valid &= !sector;
            line.modified |= sector;
            line.written |= byte_mask;
            if line.written & sector_bytes == sector_bytes {
                line.unreadable &= !sector;
            }
        });
    }

    /// A sector that is here is changed by an atomic.
    pub fn modify(&mut self, line: LineIndex, sector: u8, byte_mask: u128) {
        self.change(line, |line| {
            line.valid &= !sector;
            line.modified |= sector;
            line.written |= byte_mask;
        });
    }

    /// A sector has arrived. Nothing happens if its line has been given away: then the sector was written on its way.
    pub fn fill(&mut self, line: LineIndex, sector: u8) {
        self.change(line, |line| {
            if line.modified_on_fill & sector != 0 {
                line.modified |= sector;
                line.unreadable &= !sector;
            } else if line.reserved & sector != 0 {
                line.valid |= sector;
            }
            line.reserved &= !sector;
            line.modified_on_fill &= !sector;
        });
    }

    /// The absent sectors of a line have come along with another. Returns how many there were.
    pub fn fill_absent(&mut self, line: LineIndex) -> u32 {
        let all = self.all_sectors();
        let line = &mut self.lines[line.0 as usize];
        let absent = all & !(line.reserved | line.valid | line.modified);
        line.valid |= absent;
        absent.count_ones()
    }

    /// What the line as a whole is: reserved while any sector is on its way.
    pub fn state(&self, line: LineIndex) -> LineState {
        let line = &self.lines[line.0 as usize];
        if line.reserved != 0 {
            LineState::Reserved
        } else if line.modified != 0 {
            LineState::Modified
        } else if line.valid != 0 {
            LineState::Valid
        } else {
            LineState::Invalid
        }
    }

    /// Whether all bytes of the line are here.
    pub fn is_whole(&self, line: LineIndex) -> bool {
        let line = &self.lines[line.0 as usize];
        (line.valid | line.modified) & !line.unreadable == self.all_sectors()
    }

    /// Lines with at least one modified sector.
    pub fn modified_lines(&self) -> usize {
        self.modified_lines
    }

    fn all_sectors(&self) -> u8 {
        u8::MAX >> (8 - self.line_bytes / self.sector_bytes)
    }

    fn bytes_of(&self, sectors: u8) -> u128 {
        let one = if self.sector_bytes >= 128 { u128::MAX } else { (1 << self.sector_bytes) - 1 };
        let bits = (0..self.line_bytes / self.sector_bytes).filter(|bit| sectors >> bit & 1 == 1);
        bits.fold(0, |mask, bit| mask | one << (bit * self.sector_bytes))
    }

    #[inline]
    fn change(&mut self, line: LineIndex, change: impl FnOnce(&mut Line)) {
        let line = &mut self.lines[line.0 as usize];
        let was_modified = line.modified != 0;
        change(line);
        self.modified_lines =
            self.modified_lines + usize::from(line.modified != 0) - usize::from(was_modified);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: LineIndex = LineIndex(0);

    fn sectors() -> Sectors {
        Sectors::new(1, 128, 32)
    }

    #[test]
    fn a_partly_written_sector_is_not_readable_until_all_its_bytes_were_written() {
        let mut sectors = sectors();
        let second = sectors.sector_of(0x1027);
        assert_eq!(sectors.replace(LINE, second), None);
        sectors.write(LINE, second, 0xffff << 32, false);
        assert_eq!(sectors.look(LINE, second, true), SectorLook::Here);
        assert_eq!(sectors.look(LINE, second, false), SectorLook::Absent);
        sectors.write(LINE, second, 0xffff << 48, true);
        assert_eq!(sectors.look(LINE, second, false), SectorLook::Here);
    }

    #[test]
    fn a_fetched_sector_keeps_what_was_written_before_and_on_its_way() {
        let mut sectors = sectors();
        sectors.replace(LINE, 1);
        sectors.write(LINE, 1, 1, false);
        sectors.reserve(LINE, 1);
        assert_eq!(sectors.state(LINE), LineState::Reserved);
        sectors.fill(LINE, 1);
        assert_eq!(
            (sectors.state(LINE), sectors.look(LINE, 1, false)),
            (LineState::Modified, SectorLook::Here)
        );
        sectors.reserve(LINE, 2);
        sectors.write(LINE, 2, 1 << 32, false);
        sectors.fill(LINE, 2);
        assert_eq!(sectors.look(LINE, 2, false), SectorLook::Here);
        let dirty = DirtySectors { bytes: 64, byte_mask: 1 | 1 << 32 };
        assert_eq!((sectors.replace(LINE, 8), sectors.modified_lines()), (Some(dirty), 0));
    }

    #[test]
    fn absent_sectors_come_along_and_others_stay_as_they_are() {
        let mut sectors = sectors();
        sectors.replace(LINE, 1);
        sectors.reserve(LINE, 2);
        sectors.fill(LINE, 1);
        assert_eq!(sectors.fill_absent(LINE), 2);
        assert_eq!(sectors.look(LINE, 2, false), SectorLook::Reserved);
        assert_eq!(sectors.look(LINE, 8, false), SectorLook::Here);
    }

    #[test]
    fn a_line_is_whole_when_every_byte_was_fetched_or_written() {
        let mut sectors = sectors();
        sectors.replace(LINE, 1);
        sectors.fill(LINE, 1);
        sectors.fill_absent(LINE);
        assert!(sectors.is_whole(LINE));
        sectors.clear(LINE);
        sectors.replace(LINE, 1);
        sectors.fill(LINE, 1);
        for sector in [1, 2] {
            sectors.reserve(LINE, 1 << sector);
            sectors.write(LINE, 1 << sector, 0xffff_ffff << (32 * sector), false);
        }
        sectors.reserve(LINE, 8);
        sectors.write(LINE, 8, 1 << 96, false);
        assert!(!sectors.is_whole(LINE), "of the last sector one byte is known");
        sectors.reserve(LINE, 8);
        sectors.fill(LINE, 8);
        assert!(sectors.is_whole(LINE));
    }

    #[test]
    fn a_line_is_reserved_while_any_sector_is_on_its_way() {
        let mut sectors = sectors();
        sectors.replace(LINE, 1);
        sectors.reserve(LINE, 4);
        sectors.fill(LINE, 1);
        assert_eq!(sectors.state(LINE), LineState::Reserved);
        assert_eq!(sectors.look(LINE, 1, false), SectorLook::Here);
        assert_eq!(sectors.look(LINE, 2, false), SectorLook::Absent);
        sectors.fill(LINE, 4);
        assert_eq!(sectors.state(LINE), LineState::Valid);
    }
}
