//! Special registers that change while a thread block runs, and addresses in call frames.

use super::Context;
use crate::LANES;
use crate::inst::Inst;
use crate::op::ChangingRegister as R;

impl Context<'_> {
    pub(super) fn read_changing(&mut self, inst: &Inst, register: R) {
        let frame = i64::from(self.frame_base()).wrapping_add(inst.offset) as u64;
        let value = match register {
            R::Clock | R::Clock64 => self.block.clock,
            R::ClockHigh => self.block.clock >> 32,
            R::MultiprocessorId => u64::from(self.block.multiprocessor),
            R::MultiprocessorCount => u64::from(self.block.multiprocessors),
            R::SharedBytes => u64::from(self.block.shared_bytes),
            R::FrameAddress32 | R::FrameAddress64 => frame,
        };
        let lanes = self.lanes;
        let registers = &mut self.state().registers;
        if matches!(register, R::Clock64 | R::FrameAddress64) {
            registers.set64(inst.dst, &[value; LANES], lanes);
        } else {
            registers.set32(inst.dst, &[value as u32; LANES], lanes);
        }
    }
}
