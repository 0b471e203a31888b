//! Video instructions on words, halves and bytes.

use shrinkwarp_ptx::ast::Instruction;
use shrinkwarp_ptx::isa::{Compare, Kind, Opcode, Operation, Overflow, ScalarType};

use super::builder::Builder;
use super::{Decoded, lanes, not_executable};
use crate::inst::{Inst, NO_ROW};
use crate::lanes::LaneFn;
use crate::lanes::video::{SecondOperation, VideoOp, VideoOperation, video_op};

impl Builder<'_> {
    pub(crate) fn video(&mut self, instruction: &Instruction) -> Decoded {
        let modifiers = instruction.modifiers();
        let Some((operation, part_bits)) = operation(instruction) else { return not_executable(instruction) };
        let second = match modifiers.operation {
            None => SecondOperation::None,
            Some(Operation::Add) => SecondOperation::Add,
            Some(Operation::Min) if part_bits == 32 => SecondOperation::Min,
            Some(Operation::Max) if part_bits == 32 => SecondOperation::Max,
            Some(_) => return not_executable(instruction),
        };
        let is_comparison = modifiers.compare.is_some();
        let types = modifiers.types;
        let is_signed = |position| types.get(position).is_some_and(ScalarType::is_signed);
        // A comparison has no result type.
        let first_source = usize::from(!is_comparison);
        let operation = VideoOp {
            operation,
            part_bits,
            a_is_signed: is_signed(first_source),
            b_is_signed: is_signed(first_source + 1),
            result_is_signed: !is_comparison && is_signed(0),
            saturate: modifiers.has(Kind::Saturate),
            second,
        };
        let dst = self.target_at(instruction, 0, ScalarType::B32)?;
        let a = self.source_at(instruction, 1, ScalarType::B32)?;
        let b = self.source_at(instruction, 2, ScalarType::B32)?;
        let c = match instruction.operands.get(3) {
            Some(operand) => self.source(operand, ScalarType::B32)?,
            None if second == SecondOperation::None => NO_ROW,
            None => return not_executable(instruction),
        };
        let inst = lanes(LaneFn::plain(video_op), instruction);
        Ok(Inst { dst, a, b, c, offset: operation.pack(), ..inst })
    }
}

/// What is done to parts of which width.
fn operation(instruction: &Instruction) -> Option<(VideoOperation, u32)> {
    use Opcode as O;
    use VideoOperation as V;
    let wraps = instruction.modifiers().overflow == Some(Overflow::Wrap);
    Some(match instruction.opcode() {
        O::Vadd => (V::Add, 32),
        O::Vsub => (V::Sub, 32),
        O::Vabsdiff => (V::AbsoluteDifference, 32),
        O::Vmin => (V::Min, 32),
        O::Vmax => (V::Max, 32),
        O::Vset => (comparison(instruction.modifiers().compare?)?, 32),
        O::Vshl if wraps => (V::ShiftLeftWrap, 32),
        O::Vshl => (V::ShiftLeftClamp, 32),
        O::Vshr if wraps => (V::ShiftRightWrap, 32),
        O::Vshr => (V::ShiftRightClamp, 32),
        O::Vadd2 => (V::Add, 16),
        O::Vsub2 => (V::Sub, 16),
        O::Vavrg2 => (V::Average, 16),
        O::Vabsdiff2 => (V::AbsoluteDifference, 16),
        O::Vmin2 => (V::Min, 16),
        O::Vmax2 => (V::Max, 16),
        O::Vset2 => (comparison(instruction.modifiers().compare?)?, 16),
        O::Vadd4 => (V::Add, 8),
        O::Vsub4 => (V::Sub, 8),
        O::Vavrg4 => (V::Average, 8),
        O::Vabsdiff4 => (V::AbsoluteDifference, 8),
        O::Vmin4 => (V::Min, 8),
        O::Vmax4 => (V::Max, 8),
        O::Vset4 => (comparison(instruction.modifiers().compare?)?, 8),
        _ => return None,
    })
}

fn comparison(compare: Compare) -> Option<VideoOperation> {
    Some(match compare {
        Compare::Eq => VideoOperation::SetEqual,
        Compare::Ne => VideoOperation::SetNotEqual,
        Compare::Lt => VideoOperation::SetLess,
        Compare::Le => VideoOperation::SetLessEqual,
        Compare::Gt => VideoOperation::SetGreater,
        Compare::Ge => VideoOperation::SetGreaterEqual,
        _ => return None,
    })
}
