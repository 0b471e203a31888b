//! Counters of compressed L1 data caches.

use std::ops::AddAssign;

use serde::Serialize;

use crate::base::codec_counters::CodecCounters;

/// What the L1 data caches did with compressed lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct L1CompressionCounters {
    /// By mode, no compression first; empty where the caches are plain.
    pub modes: Vec<L1ModeCounters>,
    /// Experimental phases that have ended.
    pub phases: u64,
    /// Lines that left to make room for others.
    pub evicted_lines: u64,
    /// Misses and fills that more than one line had to leave for.
    pub multiple_evictions: u64,
    /// Blocks that were not kept because no room could be made.
    pub unkept_blocks: u64,
    /// Codes made from samples of the run.
    pub codes_made: u64,
    /// Lines forgotten because their code was replaced.
    pub outdated_lines: u64,
    /// Cycles that hits waited for the decompressor, its work included.
    pub decompression_wait_cycles: u64,
}

impl L1CompressionCounters {
    /// What the codecs of all modes did.
    pub fn codec(&self) -> CodecCounters {
        let mut sum = CodecCounters::default();
        self.modes.iter().for_each(|mode| sum += &mode.codec);
        sum
    }

    /// Energy of the codecs of all modes, in picojoules.
    pub fn energy_pj(&self) -> u64 {
        self.modes.iter().map(|mode| mode.codec.energy_pj).sum()
    }
}

/// One mode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct L1ModeCounters {
    /// The codec, or `none`.
    pub mode: String,
    /// Reads that hit a line inserted in this mode.
    pub hits: u64,
    /// Of these: hits of compressed lines.
    pub decompressed_hits: u64,
    /// Lines inserted in this mode.
    pub insertions: u64,
    /// Experimental phases that followed this mode.
    pub phases: u64,
    /// Core cycles of these, summed over the SMs.
    pub phase_cycles: u64,
    /// Its codec's.
    pub codec: CodecCounters,
}

impl AddAssign<&L1CompressionCounters> for L1CompressionCounters {
    fn add_assign(&mut self, other: &L1CompressionCounters) {
        if self.modes.is_empty() {
            self.modes = other.modes.iter().map(|mode| L1ModeCounters::named(&mode.mode)).collect();
        }
        for (mine, theirs) in self.modes.iter_mut().zip(&other.modes) {
            *mine += theirs;
        }
        self.phases += other.phases;
        self.evicted_lines += other.evicted_lines;
        self.multiple_evictions += other.multiple_evictions;
        self.unkept_blocks += other.unkept_blocks;
        self.codes_made += other.codes_made;
        self.outdated_lines += other.outdated_lines;
        self.decompression_wait_cycles += other.decompression_wait_cycles;
    }
}

impl L1ModeCounters {
    /// Nothing counted yet.
    pub fn named(mode: &str) -> Self {
        Self { mode: mode.to_owned(), ..Self::default() }
    }
}

impl AddAssign<&L1ModeCounters> for L1ModeCounters {
    fn add_assign(&mut self, other: &L1ModeCounters) {
        self.hits += other.hits;
        self.decompressed_hits += other.decompressed_hits;
        self.insertions += other.insertions;
        self.phases += other.phases;
        self.phase_cycles += other.phase_cycles;
        self.codec += &other.codec;
    }
}
