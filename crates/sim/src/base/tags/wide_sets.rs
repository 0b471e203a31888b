//! Sets of many ways: where each block is, which ways are empty, and in which order the lines were used, so that neither a look-up
//! nor the choice of a victim goes over all ways.
//!
//! The L1D of a Volta has 256 ways in a set. A block is found through a hash table, the last empty way in a set of bits, and the
//! least recently used line at the head of a list. Clean and modified lines have a list each, because modified ones may be
//! protected; a line that is on its way is in none.

use super::{Line, LineAddress, LineState};
use crate::base::Cycle;

/// No line.
const NONE: u32 = u32::MAX;

/// The lists of a set.
const LISTS: usize = 2;

/// Which list a line in this state is in.
#[inline]
fn list_of(state: LineState) -> Option<usize> {
    match state {
        LineState::Valid => Some(0),
        LineState::Modified => Some(1),
        LineState::Invalid | LineState::Reserved => None,
    }
}

/// The sets of a tag array, seen from the side.
#[derive(Clone, Debug)]
pub(super) struct WideSets {
    ways: usize,
    /// Per bucket of the hash table: its first line. The number of buckets is a power of two.
    buckets: Vec<u32>,
    links: Vec<Links>,
    /// Per set and list: its ends.
    ends: Vec<[Ends; LISTS]>,
    /// Per set: its empty ways, as bits.
    empty: Vec<u64>,
    empty_words: usize,
}

/// The neighbours of a line.
#[derive(Clone, Copy, Debug)]
struct Links {
    next_in_bucket: u32,
    older: u32,
    newer: u32,
}

/// The ends of a list.
#[derive(Clone, Copy, Debug)]
struct Ends {
    oldest: u32,
    newest: u32,
}

impl WideSets {
    /// All ways empty.
    pub(super) fn new(sets: usize, ways: usize) -> Self {
        let empty_words = ways.div_ceil(64);
        let word = |word: usize| u64::MAX >> (64 - (ways - 64 * word).min(64));
        let empty_set: Vec<u64> = (0..empty_words).map(word).collect();
        let no_links = Links { next_in_bucket: NONE, older: NONE, newer: NONE };
        Self {
            ways,
            buckets: vec![NONE; (sets * ways).next_power_of_two()],
            links: vec![no_links; sets * ways],
            ends: vec![[Ends { oldest: NONE, newest: NONE }; LISTS]; sets],
            empty: empty_set.repeat(sets),
            empty_words,
        }
    }

    #[inline]
    fn bucket_of(&self, address: LineAddress) -> usize {
        // Lines have at least 32 bytes; neighbours get different buckets.
        let line = address.first_byte() >> 5;
        (line ^ line >> 2 ^ line >> 13) as usize & (self.buckets.len() - 1)
    }

    /// The line of a block.
    #[inline]
    pub(super) fn find(&self, addresses: &[LineAddress], address: LineAddress) -> Option<usize> {
        let mut line = self.buckets[self.bucket_of(address)];
        while line != NONE {
            if addresses[line as usize] == address {
                return Some(line as usize);
            }
            line = self.links[line as usize].next_in_bucket;
        }
        None
    }

    /// The line that a block which is not here would take: the last empty one, else the least recently used that may leave.
    #[inline]
    pub(super) fn victim(&self, lines: &[Line], set: usize, is_modified_protected: bool) -> Option<usize> {
        let words = &self.empty[set * self.empty_words..(set + 1) * self.empty_words];
        if let Some((word, bits)) = words.iter().enumerate().rev().find(|(_, bits)| **bits != 0) {
            return Some(set * self.ways + 64 * word + bits.ilog2() as usize);
        }
        let [clean, modified] = self.ends[set].map(|ends| ends.oldest);
        match (clean, if is_modified_protected { NONE } else { modified }) {
            (NONE, NONE) => None,
            (line, NONE) | (NONE, line) => Some(line as usize),
            (clean, modified) => {
                let age = |line: u32| (lines[line as usize].last_use, line);
                Some(if age(clean) < age(modified) { clean } else { modified } as usize)
            }
        }
    }

    /// The line holds the block at `after` in place of the one at `before`.
    pub(super) fn rename(&mut self, line: usize, before: LineAddress, after: LineAddress) {
        if before == after {
            return;
        }
        if before != LineAddress::NONE {
            let bucket = self.bucket_of(before);
            let next = self.links[line].next_in_bucket;
            if self.buckets[bucket] == line as u32 {
                self.buckets[bucket] = next;
            } else {
                let mut at = self.buckets[bucket];
                while at != NONE {
                    let link = &mut self.links[at as usize].next_in_bucket;
                    if *link == line as u32 {
                        *link = next;
                        break;
                    }
                    at = *link;
                }
            }
        }
        if after != LineAddress::NONE {
            let bucket = self.bucket_of(after);
            self.links[line].next_in_bucket = std::mem::replace(&mut self.buckets[bucket], line as u32);
        }
    }

    /// The line's state or age, which `lines` has already, was `before`.
    pub(super) fn note_change(&mut self, lines: &[Line], line: usize, before: Line) {
        let after = lines[line];
        let (set, way) = (line as u32 / self.ways as u32, line as u32 % self.ways as u32);
        let (set, way) = (set as usize, way as usize);
        if (before.state == LineState::Invalid) != (after.state == LineState::Invalid) {
            self.empty[set * self.empty_words + way / 64] ^= 1 << (way % 64);
        }
        let lists = (list_of(before.state), list_of(after.state));
        if lists.0 == lists.1 && before.last_use == after.last_use {
            return;
        }
        if let Some(list) = lists.0 {
            self.unlink(set, list, line);
        }
        if let Some(list) = lists.1 {
            self.link(lines, set, list, line, after.last_use);
        }
    }

    fn unlink(&mut self, set: usize, list: usize, line: usize) {
        let Links { older, newer, .. } = self.links[line];
        let ends = &mut self.ends[set][list];
        if older == NONE {
            ends.oldest = newer;
        } else {
            self.links[older as usize].newer = newer;
        }
        if newer == NONE {
            ends.newest = older;
        } else {
            self.links[newer as usize].older = older;
        }
    }

    /// Puts a line behind those that were used before it; of lines used in one cycle the first way is the oldest.
    fn link(&mut self, lines: &[Line], set: usize, list: usize, line: usize, last_use: Cycle) {
        let ends = &mut self.ends[set][list];
        let (mut older, mut newer) = (ends.newest, NONE);
        let is_newer = |other: u32| {
            let used_at = lines[other as usize].last_use;
            used_at > last_use || used_at == last_use && other as usize > line
        };
        while older != NONE && is_newer(older) {
            newer = older;
            older = self.links[older as usize].older;
        }
        if older == NONE {
            ends.oldest = line as u32;
        } else {
            self.links[older as usize].newer = line as u32;
        }
        if newer == NONE {
            ends.newest = line as u32;
        } else {
            self.links[newer as usize].older = line as u32;
        }
        (self.links[line].older, self.links[line].newer) = (older, newer);
    }
}
