//! Which stages of the unit have something to do: each is told when that changes, so that a cycle asks one word and not every
//! cache and queue.

use super::LoadStore;

/// Some stages, as bits.
pub(super) type Stages = u16;

/// Results that wait for the write-back register, by client in ring order.
pub(super) const SHARED_RESULT: Stages = 1 << 0;
pub(super) const TEXTURE_RESULT: Stages = 1 << 1;
pub(super) const CONSTANT_RESULT: Stages = 1 << 2;
pub(super) const UNCACHED_RESULT: Stages = 1 << 3;
pub(super) const L1D_RESULT: Stages = 1 << 4;
pub(super) const RESULTS: Stages = (1 << 5) - 1;
/// A result in the write-back register.
pub(super) const WRITE_BACK: Stages = 1 << 5;
/// Loads in the shared-memory pipeline.
pub(super) const SHARED_PIPELINE: Stages = 1 << 6;
/// Replies.
pub(super) const REPLIES: Stages = 1 << 7;
/// Accesses of the constant or texture cache; for a cycle longer than there are some.
pub(super) const READ_ONLY: Stages = 1 << 8;
/// Misses of the L1D that wait for the network.
pub(super) const L1D_MISS: Stages = 1 << 9;
/// Compressed lines: what their cache does by itself is not told.
pub(super) const COMPRESSED: Stages = 1 << 10;
/// Accesses on their way to the tags of the L1D.
pub(super) const L1D_QUEUES: Stages = 1 << 11;
/// An instruction in the dispatch register.
pub(super) const DISPATCH: Stages = 1 << 12;

impl LoadStore {
    /// Whether some of these stages have something to do.
    #[inline(always)]
    pub(super) fn has_work(&self, stages: Stages) -> bool {
        self.work & stages != 0
    }

    /// Tells whether a stage has something to do.
    #[inline(always)]
    pub(super) fn note_work(&mut self, stage: Stages, has_work: bool) {
        self.work = self.work & !stage | if has_work { stage } else { 0 };
    }

    /// Whether all stages know what they have to do.
    pub(super) fn is_work_noted(&self) -> bool {
        let told = |stage: Stages, has_work: bool| self.has_work(stage) == has_work;
        told(SHARED_PIPELINE, self.shared_loads > 0)
            && told(SHARED_RESULT, self.shared_pipeline[0].is_some())
            && told(TEXTURE_RESULT, self.l1t.has_result())
            && told(CONSTANT_RESULT, self.l1c.has_ready())
            && told(L1D_RESULT, self.l1d.has_ready())
            && told(L1D_MISS, self.l1d.miss_front().is_some())
            && told(REPLIES, !self.replies.is_empty())
            && told(L1D_QUEUES, self.l1d_queues.iter().any(|queue| !queue.is_empty()))
            && told(DISPATCH, self.dispatch.is_some())
            && (self.has_work(READ_ONLY) || self.l1c.is_idle() && self.l1t.is_idle())
    }

    /// The shared-memory pipeline has changed.
    #[inline]
    pub(super) fn note_shared_pipeline(&mut self) {
        self.note_work(SHARED_PIPELINE, self.shared_loads > 0);
        self.note_work(SHARED_RESULT, self.shared_pipeline[0].is_some());
    }

    /// The L1D may have one more miss, or one less.
    #[inline]
    pub(super) fn note_l1d_miss(&mut self) {
        self.note_work(L1D_MISS, self.l1d.miss_front().is_some());
    }

    /// A block has come into the L1D, or an access that waited for one has left it.
    #[inline]
    pub(super) fn note_l1d_result(&mut self) {
        self.note_work(L1D_RESULT, self.l1d.has_ready());
    }

    /// The constant and the texture cache have done something.
    pub(super) fn note_read_only(&mut self) {
        self.note_work(READ_ONLY, !(self.l1c.is_idle() && self.l1t.is_idle()));
        self.note_work(CONSTANT_RESULT, self.l1c.has_ready());
        self.note_work(TEXTURE_RESULT, self.l1t.has_result());
    }
}
