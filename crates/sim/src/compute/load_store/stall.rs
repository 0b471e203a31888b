//! What keeps the unit from moving, and how its cycles are counted, also while the unit sleeps.

use super::{LoadStore, MAX_L1_BANKS};
use crate::base::AccessKind;
use crate::base::cache_counters::FailReason;

/// What a cycle without progress repeats.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stall {
    /// By bank.
    pub(super) l1d_fails: [Option<(AccessKind, FailReason)>; MAX_L1_BANKS],
    pub(super) constant_fail: Option<FailReason>,
    pub(super) texture_fail: Option<FailReason>,
    pub(super) cause: Option<StallCause>,
}

/// Why the dispatch register did not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StallCause {
    SharedBanks,
    ConstantCache,
    TextureCache,
    /// More accesses of the instruction follow.
    MoreAccesses,
    L1Queue,
    Network,
}

impl StallCause {
    /// What the dispatch register waits for, in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::SharedBanks => "the banks of shared memory",
            Self::ConstantCache => "the constant cache",
            Self::TextureCache => "the texture cache",
            Self::MoreAccesses => "the other accesses of its instruction",
            Self::L1Queue => "the queue of the L1D",
            Self::Network => "the network",
        }
    }
}

impl LoadStore {
    /// Counts what `cycles` more cycles like the last one would have counted, at the latest when the unit moves again.
    #[inline]
    pub fn count_idle(&mut self, cycles: u64) {
        self.idle_cycles += cycles;
    }

    /// Brings the counters up to date.
    #[inline]
    pub fn settle(&mut self) {
        if self.idle_cycles > 0 {
            let cycles = std::mem::take(&mut self.idle_cycles);
            self.count_stalls(cycles);
        }
    }

    #[inline(never)]
    fn count_stalls(&mut self, cycles: u64) {
        for (kind, reason) in self.stall.l1d_fails.into_iter().flatten() {
            self.l1d.count_repeated_fails(kind, reason, cycles);
        }
        if let Some(reason) = self.stall.constant_fail {
            self.l1c.count_repeated_fails(AccessKind::ConstantRead, reason, cycles);
        }
        if let Some(reason) = self.stall.texture_fail {
            self.l1t.count_repeated_fails(reason, cycles);
        }
        if let Some(cause) = self.stall.cause {
            self.count_stall(cause, cycles);
        }
    }

    pub(super) fn count_stall(&mut self, cause: StallCause, cycles: u64) {
        let counters = &mut self.counters;
        let counter = match cause {
            StallCause::SharedBanks => &mut counters.shared_bank_stall_cycles,
            StallCause::ConstantCache => &mut counters.constant_stall_cycles,
            StallCause::TextureCache => &mut counters.texture_stall_cycles,
            StallCause::MoreAccesses => &mut counters.coalescing_stall_cycles,
            StallCause::L1Queue => &mut counters.l1d_stall_cycles,
            StallCause::Network => &mut counters.network_stall_cycles,
        };
        *counter += cycles;
    }
}
