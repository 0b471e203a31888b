//! Architectural state of one warp.

use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::registers::Registers;
use crate::simt::SimtStack;
use crate::{LANES, LaneMask};

/// One warp of a resident thread block. What every instruction looks at is in its first cache lines.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub struct Warp {
    /// Which lanes run where.
    pub stack: SimtStack,
    pub(crate) barrier: Option<WaitingAt>,
    /// Registers.
    pub registers: Registers,
    /// Local memory, word `w` of lane `l` at `32 w + l`.
    pub(crate) local: Vec<u32>,
    /// Registers of callers that recursion would overwrite.
    pub(crate) saved: Vec<SavedRegisters>,
}

/// What a warp waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingAt {
    /// Barrier number.
    pub barrier: u32,
    /// PTX line of the barrier instruction.
    pub line: u32,
    /// Where the result of a `bar.red` goes: row and whether it is a predicate.
    pub(crate) result: Option<ReductionTarget>,
}

/// Destination of a `bar.red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReductionTarget {
    pub row: u32,
    pub is_predicate: bool,
    pub lanes: LaneMask,
}

/// Rows of a function's registers, put aside while a recursive call uses them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SavedRegisters {
    pub w32: Vec<[u32; LANES]>,
    pub w64: Vec<[u64; LANES]>,
    pub pred: Vec<LaneMask>,
    /// Lanes that made the call, whose registers are put back.
    pub lanes: LaneMask,
}

impl Warp {
    /// A word of a lane's local memory; zero beyond its end.
    pub fn local_word(&self, word: usize, lane: usize) -> u32 {
        self.local.get(word * LANES + lane).copied().unwrap_or(0)
    }

    /// Index of the next instruction in `Kernel::code`; `None` when all lanes have ended.
    #[inline]
    pub fn pc(&self) -> Option<u32> {
        self.stack.top().map(|top| top.pc)
    }

    /// Whether all lanes have ended.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.stack.top().is_none()
    }

    /// Prepares the warp for its lanes of a new thread block. Rows of immediates survive as long as the kernel is the same.
    pub(crate) fn start(&mut self, kernel: &Kernel, launch: &Launch, index: u32, is_same_kernel: bool) {
        let threads = launch.threads_per_block().saturating_sub(index * LANES as u32);
        // The last warp has fewer lanes where the threads are not a multiple of 32.
        let lanes = if threads >= LANES as u32 { LaneMask::MAX } else { (1 << threads) - 1 };
        self.stack.start(lanes);
        self.saved.clear();
        self.barrier = None;
        self.local.clear();
        self.local.resize(kernel.local_bytes_per_thread.div_ceil(4) as usize * LANES, 0);
        kernel.clear_registers(&mut self.registers, is_same_kernel);
    }
}
