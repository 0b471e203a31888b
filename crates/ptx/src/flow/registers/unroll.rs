//! Loops that a compiler repeats: one block that counts in constant steps, without barriers.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::lower::{Op, Order};
use super::words::Word;
use crate::ast::{Body, Instruction, Operand, RegId};
use crate::flow::{BasicBlock, ControlFlow};
use crate::isa::Opcode;

/// How often the body of a loop is repeated.
const TIMES: usize = 4;
/// Longer bodies stay as they are.
const MOST_OPS: usize = 60;

/// Whether a block is a loop by itself whose end a counter with constant steps decides, and may be unrolled.
pub(super) fn is_counted_loop(body: &Body, flow: &ControlFlow, block: &BasicBlock) -> bool {
    let instructions = &body.instructions[block.start..block.end];
    let is_loop = block.successors.iter().any(|successor| flow.block(*successor).start == block.start);
    let is_kept = body.kept_loops.iter().any(|&at| (block.start..block.end).contains(&(at as usize)));
    let Some(guard) = instructions.last().and_then(|branch| branch.guard) else { return false };
    let writes = |instruction: &Instruction, register: RegId| matches!(instruction.operands.first(), Some(Operand::Register(result)) if *result == register);
    let is_step = |instruction: &Instruction| {
        matches!(instruction.opcode(), Opcode::Add | Opcode::Sub)
            && matches!(instruction.operands.get(2), Some(Operand::Immediate(_)))
    };
    let is_counter = |operand: &Operand| match operand {
        Operand::Register(register) => {
            instructions.iter().any(|instruction| writes(instruction, *register) && is_step(instruction))
        }
        _ => false,
    };
    let decides = |instruction: &&Instruction| {
        instruction.opcode() == Opcode::Setp && writes(instruction, guard.predicate)
    };
    let comparison = instructions.iter().find(decides);
    is_loop && !is_kept && comparison.is_some_and(|comparison| comparison.operands.iter().any(is_counter))
}

/// The instructions of a loop, repeated; values that stay inside get new words each time. `None` where it stays as it is.
pub(super) fn unrolled(ops: &[Op], live_out: &FixedBitSet, words: &mut u32) -> Option<Vec<Op>> {
    let (branch, body) = ops.split_last()?;
    if ops.len() > MOST_OPS || body.iter().any(|op| op.order == Order::Full) {
        return None;
    }
    let mut all = Vec::with_capacity(TIMES * body.len() + 1);
    all.extend_from_slice(body);
    for _ in 1..TIMES {
        let mut renamed: FxHashMap<Word, Word> = FxHashMap::default();
        for &word in body.iter().flat_map(|op| &op.writes) {
            if !live_out.contains(word as usize) {
                renamed.entry(word).or_insert_with(|| {
                    *words += 1;
                    *words - 1
                });
            }
        }
        for op in body {
            let mut op = op.clone();
            for word in op.writes.iter_mut().chain(&mut op.reads) {
                *word = renamed.get(word).copied().unwrap_or(*word);
            }
            all.push(op);
        }
    }
    all.push(branch.clone());
    Some(all)
}
