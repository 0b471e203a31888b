//! bra, brx.idx, call, ret, exit, trap and barriers.

use shrinkwarp_ptx::ast::{Body, Instruction, Operand, Symbol};
use shrinkwarp_ptx::isa::{Opcode, Operation, ScalarType};

use super::builder::{Builder, called_function};
use super::intrinsic::is_provided;
use super::layout::Place;
use super::operand::operand;
use super::{Decoded, Refusal, first_type, not_executable};
use crate::call::{CallSite, FrameSlot};
use crate::inst::{Flow, Inst, NO_ROW};
use crate::op::{BarrierOp, Op};
use crate::thread_block::ReductionOperation;

impl Builder<'_> {
    pub(crate) fn control(&mut self, instruction: &Instruction, body: &Body, meet: Option<usize>) -> Decoded {
        let line = instruction.span.line;
        let is_kernel = self.current == 0;
        match instruction.opcode() {
            Opcode::Bra => {
                let Operand::Label(label) = operand(instruction, 0)? else {
                    return Err("bra needs a label".into());
                };
                let target = self.code_index(body.label_target(*label));
                let meet = self.meeting_point(meet);
                Ok(Inst { flow: Flow::Branch, ..Inst::blank(Op::Branch { target, meet }, line) })
            }
            Opcode::BrxIdx => self.branch_indexed(instruction, body, meet),
            Opcode::Call => self.call(instruction),
            Opcode::Ret if !is_kernel => Ok(Inst { flow: Flow::Return, ..Inst::blank(Op::Return, line) }),
            Opcode::Ret | Opcode::Exit => Ok(Inst { flow: Flow::Exit, ..Inst::blank(Op::Exit, line) }),
            _ => Ok(Inst::blank(Op::Trap, line)),
        }
    }

    fn branch_indexed(&mut self, instruction: &Instruction, body: &Body, meet: Option<usize>) -> Decoded {
        let Operand::BranchTable(id) = operand(instruction, 1)? else {
            return Err("brx.idx needs a .branchtargets list".into());
        };
        let Some(table) = body.branch_tables.get(id.index()) else { return not_executable(instruction) };
        let targets = table.labels.iter().map(|&label| self.code_index(body.label_target(label))).collect();
        let a = self.source_at(instruction, 0, ScalarType::U32)?;
        let op = Op::BranchIndexed {
            table: self.kernel.branch_tables.len() as u32,
            meet: self.meeting_point(meet),
        };
        self.kernel.branch_tables.push(targets);
        Ok(Inst { a, flow: Flow::Branch, ..Inst::blank(op, instruction.span.line) })
    }

    fn call(&mut self, instruction: &Instruction) -> Decoded {
        let arguments = self.frame_slots(instruction, 2)?;
        let returns = self.frame_slots(instruction, 0)?;
        let line = instruction.span.line;
        let target = called_function(instruction);
        if let Some(id) = target
            && is_provided(&self.module.functions[id.index()])
        {
            return self.intrinsic(instruction, id, &arguments, &returns);
        }
        let callee = match target {
            None => None,
            Some(id) => {
                let position = self.units.iter().position(|unit| unit.id == id);
                Some(position.and_then(|p| p.checked_sub(1)).ok_or("a kernel cannot be called")? as u32)
            }
        };
        let a = match (target, operand(instruction, 1)?) {
            (None, Operand::Register(register)) => self.row_of(*register).1,
            _ => NO_ROW,
        };
        let unit = self.unit();
        let may_come_back = unit.is_recursive;
        self.kernel.calls.push(CallSite {
            callee,
            arguments,
            returns,
            caller_frame_bytes: unit.frame.bytes as u32,
            saved_rows: may_come_back.then_some(unit.ranges),
        });
        let op = Op::Call(self.kernel.calls.len() as u32 - 1);
        Ok(Inst { a, flow: Flow::Call, ..Inst::blank(op, line) })
    }

    /// The `.param` variables that a call passes, as slots of the caller's frame.
    fn frame_slots(&self, instruction: &Instruction, at: usize) -> Result<Vec<FrameSlot>, Refusal> {
        let Operand::List(list) = operand(instruction, at)? else { return Ok(Vec::new()) };
        list.iter()
            .map(|operand| match operand {
                Operand::Symbol(symbol, 0) => match self.place(*symbol)? {
                    Place::Frame(offset) => Ok(FrameSlot { offset, bytes: self.variable_bytes(*symbol) }),
                    _ => Err("only .param variables can be passed to a call".into()),
                },
                _ => Err("only .param variables can be passed to a call".into()),
            })
            .collect()
    }

    fn variable_bytes(&self, symbol: Symbol) -> u32 {
        let function = &self.module.functions[self.unit().id.index()];
        let variable = match symbol {
            Symbol::Local(id) => function.body.as_ref().and_then(|body| body.variables.get(id.index())),
            Symbol::Parameter(id) => function.parameters.get(id.index()),
            Symbol::Return(id) => function.returns.get(id.index()),
            Symbol::Global(_) | Symbol::Function(_) => None,
        };
        variable.map_or(0, |variable| variable.size_bytes as u32)
    }

    pub(crate) fn barrier(&mut self, instruction: &Instruction) -> Decoded {
        use Opcode as O;
        let is_reduction = matches!(instruction.opcode(), O::BarRed | O::BarrierRed);
        let first = usize::from(is_reduction);
        let count_at = first + 1;
        let has_count = instruction.operands.len() > count_at + usize::from(is_reduction);
        let a = self.source_at(instruction, first, ScalarType::U32)?;
        let b = if has_count { self.source_at(instruction, count_at, ScalarType::U32)? } else { NO_ROW };
        let mut operation = BarrierOp {
            has_count,
            waits: !matches!(instruction.opcode(), O::BarArrive | O::BarrierArrive),
            reduction: ReductionOperation::None,
            is_negated: false,
            result_is_predicate: false,
        };
        let (mut dst, mut c) = (NO_ROW, NO_ROW);
        if is_reduction {
            let ty = first_type(instruction)?;
            operation.result_is_predicate = ty == ScalarType::Pred;
            operation.reduction = match instruction.modifiers().operation {
                Some(Operation::And) => ReductionOperation::And,
                Some(Operation::Or) => ReductionOperation::Or,
                Some(Operation::Popc) => ReductionOperation::PopulationCount,
                _ => return not_executable(instruction),
            };
            (c, operation.is_negated) = self.predicate(instruction.operands.last())?;
            dst = self.target_at(instruction, 0, ty)?;
        }
        let inst = Inst::blank(Op::Barrier(operation), instruction.span.line);
        Ok(Inst { dst, a, b, c, flow: Flow::Barrier, ..inst })
    }
}
