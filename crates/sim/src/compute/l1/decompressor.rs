//! The decompressor of an SM's L1: hits of compressed lines queue in front of it.
//!
//! It works on one block at a time, so that of several hits at once the one at position *p* of the queue has its data
//! after (*p* + 1) × latency (LATTE-CC, equation 3). A block that is still being compressed is decompressed when that is done.

use crate::base::{Cycle, DelayLine};

/// The queue and the unit behind it.
#[derive(Clone, Debug, Default)]
pub struct Decompressor {
    /// The loads of hits that wait for their data.
    queue: DelayLine<u32>,
    free_at: Cycle,
}

impl Decompressor {
    /// A hit enters, whose line can be read from `ready_at` and takes `cycles`. Returns how long it waits in all;
    /// with no cycle to wait it does not enter.
    pub fn enter(&mut self, handle: u32, now: Cycle, ready_at: Cycle, cycles: u32) -> u64 {
        let start = now.max(self.free_at).max(ready_at);
        let done_at = start + u64::from(cycles);
        if done_at > now {
            self.free_at = done_at;
            self.queue.push(done_at, handle);
        }
        done_at - now
    }

    /// Takes the load of the next hit that has its data.
    #[inline]
    pub fn pop_done(&mut self, now: Cycle) -> Option<u32> {
        self.queue.pop_due(now)
    }

    /// Hits in the queue: the position at which the next one enters.
    #[inline]
    pub fn position(&self) -> usize {
        self.queue.len()
    }

    /// When the next hit has its data.
    pub fn next_event(&self) -> Cycle {
        self.queue.next_due().unwrap_or(Cycle::NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_at_position_p_waits_p_plus_one_latencies() {
        let mut decompressor = Decompressor::default();
        let waits = [7, 8, 9].map(|handle| decompressor.enter(handle, Cycle(100), Cycle(0), 14));
        assert_eq!(waits, [14, 28, 42]);
        assert_eq!(decompressor.pop_done(Cycle(113)), None);
        assert_eq!(decompressor.pop_done(Cycle(114)), Some(7));
        assert_eq!(decompressor.next_event(), Cycle(128));
    }

    #[test]
    fn an_idle_decompressor_starts_at_once() {
        let mut decompressor = Decompressor::default();
        decompressor.enter(1, Cycle(0), Cycle(0), 2);
        assert_eq!(decompressor.enter(2, Cycle(50), Cycle(0), 2), 2);
    }

    #[test]
    fn a_block_in_the_compressor_is_waited_for() {
        let mut decompressor = Decompressor::default();
        assert_eq!(decompressor.enter(1, Cycle(10), Cycle(13), 2), 5);
    }

    #[test]
    fn no_latency_means_no_queue() {
        let mut decompressor = Decompressor::default();
        assert_eq!(decompressor.enter(1, Cycle(10), Cycle(10), 0), 0);
        assert_eq!(decompressor.pop_done(Cycle(10)), None);
    }
}
