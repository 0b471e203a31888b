//! The compressors or decompressors of a station: blocks go in, and come out when their cycles are over.

use std::collections::VecDeque;

use super::{Cycle, DelayLine, Packet};

/// Units that all take the same time for a block, in cycles of the station that they belong to.
#[derive(Clone, Debug)]
pub struct CodecPipeline {
    cycles: u64,
    /// When each unit is free, the soonest first; empty if the units are one pipeline that takes a block in every cycle.
    free_at: VecDeque<Cycle>,
    /// Blocks inside. All take the same time, so the first in is the first out.
    blocks: DelayLine<Packet>,
}

impl CodecPipeline {
    /// Idle units. A block keeps one of them for `cycles`; with no `units` a block can begin in every cycle.
    pub fn new(cycles: u32, units: usize) -> Self {
        Self {
            cycles: u64::from(cycles),
            free_at: vec![Cycle(0); units].into(),
            blocks: DelayLine::default(),
        }
    }

    /// Hands in a block, which begins at `start` or when a unit is free. Returns when it is done.
    pub fn push(&mut self, packet: Packet, start: Cycle) -> Cycle {
        let done = match self.free_at.pop_front() {
            None => start + self.cycles,
            Some(free_at) => {
                let done = free_at.max(start) + self.cycles;
                self.free_at.push_back(done);
                done
            }
        };
        self.blocks.push(done, packet);
        done
    }

    /// Whether the oldest block is done.
    #[inline]
    pub fn has_done(&self, now: Cycle) -> bool {
        self.blocks.due(now).is_some()
    }

    /// When the oldest block is done.
    pub fn next_done(&self) -> Option<Cycle> {
        self.blocks.next_due()
    }

    /// Blocks inside.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Takes the oldest block if it is done.
    pub fn pop_done(&mut self, now: Cycle) -> Option<Packet> {
        self.blocks.pop_due(now)
    }

    /// Whether no block is inside.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::AccessKind;

    /// The cycles in which `blocks` handed in at cycle 10 come out.
    fn done_at(mut pipeline: CodecPipeline, blocks: u64) -> Vec<u64> {
        for block in 0..blocks {
            pipeline.push(Packet::new(AccessKind::GlobalRead, 128 * block, 128, 0, Cycle(0)), Cycle(10));
        }
        let mut done = Vec::new();
        for now in 10..100 {
            while pipeline.pop_done(Cycle(now)).is_some() {
                done.push(now);
            }
        }
        assert!(pipeline.is_empty());
        done
    }

    #[test]
    fn a_pipeline_takes_any_number_of_blocks_at_once() {
        assert_eq!(done_at(CodecPipeline::new(20, 0), 3), [30, 30, 30]);
        assert_eq!(done_at(CodecPipeline::new(0, 0), 2), [10, 10]);
    }

    #[test]
    fn with_two_units_the_third_block_waits_for_the_first() {
        assert_eq!(done_at(CodecPipeline::new(20, 2), 5), [30, 30, 50, 50, 70]);
    }
}
