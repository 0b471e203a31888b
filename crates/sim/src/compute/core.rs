//! What the stages of an SM share: warp slots, scoreboard and register banks.

use super::async_copies::{AfterCopy, AsyncCopies};
use super::collectors::Collectors;
use super::l1::ToleranceMeter;
use super::scoreboard::Scoreboard;
use super::timing::{InstructionTiming, KernelTiming};
use super::warps::Warps;

/// The shared part of an SM: a borrow of it leaves the stages to be borrowed apart from it.
#[derive(Debug)]
pub struct Core {
    /// Warp slots.
    pub warps: Warps,
    /// Registers that wait for their value.
    pub scoreboard: Scoreboard,
    /// Register banks.
    pub collectors: Collectors,
    /// Asynchronous copies.
    pub copies: AsyncCopies,
    /// How much latency the schedulers hide.
    pub tolerance: ToleranceMeter,
}

impl Core {
    /// The registers that instruction `pc` of `warp` writes have their values.
    pub fn release_registers(&mut self, warp: u8, pc: u32, timing: &KernelTiming) {
        self.release(warp, timing.at(pc), timing);
    }

    #[inline(always)]
    fn release(&mut self, warp: u8, instruction: &InstructionTiming, timing: &KernelTiming) {
        let slot = usize::from(warp);
        self.scoreboard.release(slot, timing.registers(instruction.written));
        if self.warps.at_fence != 0 {
            // A warp behind a fence goes on when all its registers have their values.
            self.warps.at_fence &= self.scoreboard.waiting_warps() | !(1 << slot);
        }
        self.warps.note_release(slot, timing, &self.scoreboard);
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
    pub fn write_banks(&mut self, warp: u8, pc: u32, timing: &KernelTiming) -> bool {
        let banks = self.collectors.banks_of(timing.at(pc).written_banks, warp);
        let all_free = self.collectors.can_be_written(banks);
        if all_free {
            self.collectors.write_banks(banks);
        }
        all_free
    }

    /// An arithmetic result is written, whatever else is written to its banks: it is never held up.
    ///
    /// Not inlined: in a loop, what is the same for all results would be kept where it has to be read again.
    #[inline(never)]
    pub fn write_result(&mut self, warp: u8, pc: u32, timing: &KernelTiming) {
        let instruction = timing.at(pc);
        self.collectors.write_banks(self.collectors.banks_of(instruction.written_banks, warp));
        self.release(warp, instruction, timing);
        self.warps.leave_pipeline(usize::from(warp));
    }
}
