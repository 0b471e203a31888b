//! What one instruction did, for those who count or time it.

use crate::inst::{AccessDirection, Space};
use crate::{LANES, LaneMask};

/// Written anew by every step; reuse one value.
#[derive(Clone, Debug)]
pub struct Effects {
    /// Lanes that executed: active, and the guard true. Its population count is the number of thread instructions,
    /// so a guarded branch counts only in the lanes that take it.
    pub executed: LaneMask,
    /// Index of the instruction in `Kernel::code`.
    pub pc: u32,
    /// Memory traffic; `None` when no lane accessed memory.
    pub access: Option<MemoryAccess>,
    /// Lane addresses of `access`, in the numbering of its space; meaningful in lanes of its mask.
    pub addresses: [u64; LANES],
    /// The warp arrived at a barrier; `ThreadBlock::is_waiting` says whether it must wait there.
    pub arrived_at_barrier: bool,
    /// All lanes of the warp have ended.
    pub warp_finished: bool,
    /// The lanes of `access` arrive at the barrier objects at their addresses when their asynchronous copies are done
    /// (`ThreadBlock::defers_copy_arrivals`).
    pub awaits_copies: bool,
}

/// Memory traffic of one warp instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Resolved space, never generic. Should one generic instruction reach several spaces, the space of the lowest
    /// lane is reported and `lanes` holds the lanes that reach it.
    pub space: Space,
    /// Direction.
    pub kind: AccessDirection,
    /// Bytes each lane moves.
    pub bytes_per_lane: u16,
    /// Lanes that access memory.
    pub lanes: LaneMask,
}

impl Default for Effects {
    fn default() -> Self {
        Self {
            executed: 0,
            pc: 0,
            access: None,
            addresses: [0; LANES],
            arrived_at_barrier: false,
            warp_finished: false,
            awaits_copies: false,
        }
    }
}

impl Effects {
    /// Thread instructions of the step.
    #[inline]
    pub fn thread_instructions(&self) -> u32 {
        // Full warps are frequent, and counting bits takes many instructions on processors from before 2008, for which this is built.
        if self.executed == LaneMask::MAX { LANES as u32 } else { self.executed.count_ones() }
    }
}
