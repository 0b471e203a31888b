//! The decompressor of an SM's L1: hits of compressed lines queue in front of it.
//!
//! It works on one block at a time, so that of several hits at once the one at position *p* of the queue has its data
//! after (*p* + 1) × latency (LATTE-CC, equation 3). A block that is still being compressed is decompressed when that is done.
//!
//! Where hits are joined, a hit of a block that the queue already holds has its data when that block is decompressed: the block comes out whole, and
//! all that wait for a part of it get theirs. Positions then count blocks.

use std::collections::VecDeque;

use crate::base::{BlockAddress, Cycle};

/// The queue and the unit behind it.
#[derive(Clone, Debug)]
pub struct Decompressor {
    /// Hits that wait for their data, in the order in which they get it.
    queue: VecDeque<Waiting>,
    free_at: Cycle,
    joins_hits: bool,
}

/// A hit in the queue.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    done_at: Cycle,
    load: u32,
    block: BlockAddress,
}

/// A hit of a compressed line.
#[derive(Clone, Copy, Debug)]
pub struct CompressedHit {
    /// The load.
    pub load: u32,
    /// What it hit.
    pub block: BlockAddress,
    /// From when the block can be read.
    pub ready_at: Cycle,
}

/// What becomes of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How long it waits in all.
    pub wait_cycles: u64,
    /// Decompressions in the queue before the one that it waits for.
    pub position: u64,
    /// Whether it has no decompression of its own.
    pub is_joined: bool,
}

impl Decompressor {
    /// An idle one.
    pub fn new(joins_hits: bool) -> Self {
        Self { queue: VecDeque::new(), free_at: Cycle(0), joins_hits }
    }

    /// A hit enters, whose block takes `cycles`; with no cycle to wait it does not enter.
    pub fn enter(&mut self, hit: CompressedHit, now: Cycle, cycles: u32) -> Entry {
        if let Some(entry) = self.join(hit, now) {
            return entry;
        }
        let position = self.position();
        let start = now.max(self.free_at).max(hit.ready_at);
        let done_at = start + u64::from(cycles);
        if done_at > now {
            self.free_at = done_at;
            self.queue.push_back(Waiting { done_at, load: hit.load, block: hit.block });
        }
        Entry { wait_cycles: done_at - now, position, is_joined: false }
    }

    /// Takes the load of the next hit that has its data.
    #[inline]
    pub fn pop_done(&mut self, now: Cycle) -> Option<u32> {
        self.queue.pop_front_if(|hit| hit.done_at <= now).map(|hit| hit.load)
    }

    /// Hits in the queue.
    #[inline]
    pub fn hits(&self) -> usize {
        self.queue.len()
    }

    /// When the next hit has its data.
    pub fn next_event(&self) -> Cycle {
        self.queue.front().map_or(Cycle::NEVER, |hit| hit.done_at)
    }

    /// Puts the hit behind the last one that waits for the same block, if there is one that does not have it yet.
    fn join(&mut self, hit: CompressedHit, now: Cycle) -> Option<Entry> {
        if !self.joins_hits {
            return None;
        }
        let last = self.queue.iter().rposition(|other| other.block == hit.block && other.done_at > now)?;
        let done_at = self.queue[last].done_at;
        let position = self.decompressions(last + 1) - 1;
        self.queue.insert(last + 1, Waiting { done_at, load: hit.load, block: hit.block });
        Some(Entry { wait_cycles: done_at - now, position, is_joined: true })
    }

    /// The position at which the next hit enters.
    fn position(&self) -> u64 {
        if self.joins_hits { self.decompressions(self.queue.len()) } else { self.queue.len() as u64 }
    }

    /// Decompressions that the first `hits` of the queue wait for. No two end in the same cycle.
    fn decompressions(&self, hits: usize) -> u64 {
        let times = self.queue.iter().take(hits).map(|hit| hit.done_at);
        times.fold((0, None), |(count, last), time| (count + u64::from(last != Some(time)), Some(time))).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hit of a block of its own, that can be read at once.
    fn hit(load: u32) -> CompressedHit {
        CompressedHit { load, block: BlockAddress::of(u64::from(load) * 128), ready_at: Cycle(0) }
    }

    fn wait(decompressor: &mut Decompressor, hit: CompressedHit, now: u64, cycles: u32) -> u64 {
        decompressor.enter(hit, Cycle(now), cycles).wait_cycles
    }

    #[test]
    fn a_hit_at_position_p_waits_p_plus_one_latencies() {
        let mut decompressor = Decompressor::new(false);
        // Two hits of one block are two decompressions.
        let hits = [hit(7), hit(8), CompressedHit { load: 9, ..hit(7) }];
        let waits = hits.map(|hit| wait(&mut decompressor, hit, 100, 14));
        assert_eq!(waits, [14, 28, 42]);
        assert_eq!(decompressor.pop_done(Cycle(113)), None);
        assert_eq!(decompressor.pop_done(Cycle(114)), Some(7));
        assert_eq!(decompressor.next_event(), Cycle(128));
    }

    #[test]
    fn joined_hits_of_a_block_get_their_data_together() {
        let mut decompressor = Decompressor::new(true);
        assert_eq!(wait(&mut decompressor, hit(7), 100, 14), 14);
        assert_eq!(wait(&mut decompressor, hit(8), 100, 14), 28);
        let joined = decompressor.enter(CompressedHit { load: 9, ..hit(7) }, Cycle(104), 14);
        assert_eq!(joined, Entry { wait_cycles: 10, position: 0, is_joined: true });
        let third = decompressor.enter(hit(10), Cycle(104), 14);
        assert_eq!(third, Entry { wait_cycles: 38, position: 2, is_joined: false });
        let done: Vec<_> =
            (114..115).flat_map(|now| [now; 3]).map(|now| decompressor.pop_done(Cycle(now))).collect();
        assert_eq!(done, [Some(7), Some(9), None]);
        assert_eq!((decompressor.hits(), decompressor.next_event()), (2, Cycle(128)));
    }

    #[test]
    fn a_block_that_is_done_is_decompressed_again() {
        let mut decompressor = Decompressor::new(true);
        decompressor.enter(hit(7), Cycle(100), 14);
        let again = decompressor.enter(CompressedHit { load: 8, ..hit(7) }, Cycle(114), 14);
        assert!(!again.is_joined && again.wait_cycles == 14);
    }

    #[test]
    fn an_idle_decompressor_starts_at_once() {
        let mut decompressor = Decompressor::new(false);
        wait(&mut decompressor, hit(1), 0, 2);
        assert_eq!(wait(&mut decompressor, hit(2), 50, 2), 2);
    }

    #[test]
    fn a_block_in_the_compressor_is_waited_for() {
        let mut decompressor = Decompressor::new(false);
        let in_compressor = CompressedHit { ready_at: Cycle(13), ..hit(1) };
        assert_eq!(wait(&mut decompressor, in_compressor, 10, 2), 5);
    }

    #[test]
    fn no_latency_means_no_queue() {
        let mut decompressor = Decompressor::new(false);
        assert_eq!(wait(&mut decompressor, CompressedHit { ready_at: Cycle(10), ..hit(1) }, 10, 0), 0);
        assert_eq!(decompressor.pop_done(Cycle(10)), None);
    }
}
