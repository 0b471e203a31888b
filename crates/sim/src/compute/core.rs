//! What the stages of an SM share: warp slots, scoreboard and register banks, as one borrow.

use shrinkwarp_emu::memory::Memory;

use super::async_copies::{AfterCopy, AsyncCopies};
use super::collectors::Collectors;
use super::l1::ToleranceMeter;
use super::scoreboard::Scoreboard;
use super::timing::{InstructionTiming, KernelTiming};
use super::warps::Warps;
use crate::base::Turn;

/// The shared part of an SM during a step.
pub struct Core<'a> {
    /// Warp slots.
    pub warps: &'a mut Warps,
    /// Registers that wait for their value.
    pub scoreboard: &'a mut Scoreboard,
    /// Register banks.
    pub collectors: &'a mut Collectors,
    /// Asynchronous copies.
    pub copies: &'a mut AsyncCopies,
    /// How much latency the schedulers hide.
    pub tolerance: &'a mut ToleranceMeter,
    /// The running kernel.
    pub timing: &'a KernelTiming,
    /// Device memory.
    pub memory: &'a Memory,
    /// The SM's turn at device memory, where SMs step side by side.
    pub turn: Option<Turn<'a>>,
}

/// Borrows the shared part of an SM and leaves the rest to be borrowed apart from it.
macro_rules! core_of {
    ($sm:expr, $program:expr) => {
        $crate::compute::core::Core {
            warps: &mut $sm.warps,
            scoreboard: &mut $sm.scoreboard,
            collectors: &mut $sm.collectors,
            copies: &mut $sm.copies,
            tolerance: &mut $sm.tolerance,
            timing: $program.timing,
            memory: $program.memory,
            turn: $program.turn,
        }
    };
}

pub(super) use core_of;

impl Core<'_> {
    /// The registers that instruction `pc` of `warp` writes have their values.
    pub fn release_registers(&mut self, warp: u8, pc: u32) {
        self.release(warp, self.timing.at(pc));
    }

    #[inline(always)]
    fn release(&mut self, warp: u8, instruction: &InstructionTiming) {
        let slot = usize::from(warp);
        self.scoreboard.release(slot, self.timing.registers(instruction.written));
        if self.warps.at_fence >> slot & 1 == 1 && self.scoreboard.waiting_warps() >> slot & 1 == 0 {
            self.warps.at_fence &= !(1 << slot);
        }
        self.warps.note_release(slot, self.timing, self.scoreboard);
    }

    /// The data of an asynchronous copy have come.
    pub fn finish_copy(&mut self, warp: u8, number: u32) {
        let slot = usize::from(warp);
        let AfterCopy { is_idle, is_released } = self.copies.finish(slot, number);
        self.warps.note_copy(slot, is_idle, is_released);
    }

    /// Writes the banks of the instruction's destination registers, in all of which there must be room: a bank is
    /// written once a cycle. Returns whether it did.
    #[inline]
    pub fn write_banks(&mut self, warp: u8, pc: u32) -> bool {
        let banks = self.collectors.banks_of(self.timing.at(pc).written_banks, warp);
        let all_free = self.collectors.can_be_written(banks);
        if all_free {
            self.collectors.write_banks(banks);
        }
        all_free
    }

    /// An arithmetic result is written, whatever else is written to its banks: it is never held up.
    #[inline(always)]
    pub fn write_result(&mut self, warp: u8, pc: u32) {
        let instruction = self.timing.at(pc);
        self.collectors.write_banks(self.collectors.banks_of(instruction.written_banks, warp));
        self.release(warp, instruction);
        self.warps.leave_pipeline(usize::from(warp));
    }
}
