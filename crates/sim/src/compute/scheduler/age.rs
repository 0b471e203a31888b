//! The age of warps: thread blocks in the order they were launched, within a thread block in the order of slots.

use arrayvec::ArrayVec;

use crate::compute::MAX_WARPS;
use crate::compute::warps::WarpMask;

/// Resident thread blocks, oldest first, each as the set of its warp slots.
#[derive(Clone, Debug, Default)]
pub struct AgeOrder {
    blocks: ArrayVec<WarpMask, MAX_WARPS>,
}

impl AgeOrder {
    /// A thread block was launched into these slots.
    pub fn push(&mut self, warps: WarpMask) {
        self.blocks.push(warps);
    }

    /// A thread block has ended.
    pub fn remove(&mut self, warps: WarpMask) {
        self.blocks.retain(|block| *block != warps);
    }

    /// The oldest of some warps.
    #[inline]
    pub fn oldest(&self, warps: WarpMask) -> Option<usize> {
        if warps == 0 {
            return None;
        }
        for &block in &self.blocks {
            if block & warps != 0 {
                return Some((block & warps).trailing_zeros() as usize);
            }
        }
        None
    }

    /// All warps older than `warp`.
    #[inline]
    pub fn older_than(&self, warp: usize) -> WarpMask {
        let mut older = 0;
        for &block in &self.blocks {
            if block >> warp & 1 == 1 {
                return older | block & ((1 << warp) - 1);
            }
            older |= block;
        }
        older
    }
}
