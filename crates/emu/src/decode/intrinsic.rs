//! Functions that every CUDA program may call without defining them: printf, malloc, free, assert.

use shrinkwarp_ptx::ast::{FunctionId, Instruction};

use super::Decoded;
use super::builder::Builder;
use crate::call::FrameSlot;
use crate::inst::{Flow, Inst};
use crate::op::{Intrinsic, IntrinsicCall, Op, WideOp};

impl Builder<'_> {
    /// A call of a declared function that the device provides.
    pub(crate) fn intrinsic(
        &mut self,
        instruction: &Instruction,
        id: FunctionId,
        arguments: &[FrameSlot],
        returns: &[FrameSlot],
    ) -> Decoded {
        let name = self.module.functions[id.index()].name.as_str();
        let intrinsic = match name {
            "vprintf" => Intrinsic::Printf,
            "malloc" => Intrinsic::Malloc,
            "free" => Intrinsic::Free,
            "__assertfail" => Intrinsic::Assert,
            _ => return Err(format!("function {name} is declared but not defined")),
        };
        let wanted = match intrinsic {
            Intrinsic::Printf => 2,
            Intrinsic::Malloc | Intrinsic::Free => 1,
            Intrinsic::Assert => 4,
        };
        if arguments.len() < wanted {
            return Err(format!("{name} needs {wanted} arguments"));
        }
        if matches!(intrinsic, Intrinsic::Malloc | Intrinsic::Free) {
            self.kernel.uses_heap = true;
            self.kernel.needs_block_order = true;
        }
        let call =
            IntrinsicCall { intrinsic, arguments: arguments.to_vec(), returns: returns.first().copied() };
        self.kernel.wide.push(WideOp::Intrinsic(call));
        let op = Op::Wide(self.kernel.wide.len() as u32 - 1);
        Ok(Inst { flow: Flow::Next, ..Inst::blank(op, instruction.span.line) })
    }
}
