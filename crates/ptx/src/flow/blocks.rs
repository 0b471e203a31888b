//! Basic blocks: straight lines of code.

use crate::ast::{Body, Instruction, Operand};
use crate::isa::Opcode;

/// Index into [`super::ControlFlow::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Instructions `start..end`, entered only at the first and left only at the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicBlock {
    /// First instruction.
    pub start: usize,
    /// One past the last instruction.
    pub end: usize,
    /// Where control can go next: the fall-through first, then branch targets; each once.
    pub successors: Vec<BlockId>,
    /// Whether control can leave the function here.
    pub leaves: bool,
}

/// Cuts a body into blocks; also gives the block of every instruction.
pub(super) fn split(body: &Body) -> (Vec<BasicBlock>, Vec<BlockId>) {
    let starts = block_starts(body);
    let mut block_of = Vec::with_capacity(body.instructions.len());
    let mut blocks = Vec::with_capacity(starts.len());
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(body.instructions.len());
        block_of.resize(end, BlockId(index as u32));
        blocks.push(BasicBlock { start, end, successors: Vec::new(), leaves: false });
    }
    for block in &mut blocks {
        connect(body, &block_of, block);
    }
    (blocks, block_of)
}

/// The first instruction, every label that something can jump to, and whatever follows a jump.
fn block_starts(body: &Body) -> Vec<usize> {
    let count = body.instructions.len();
    let mut is_start = vec![false; count + 1];
    is_start[0] = true;
    for label in &body.labels {
        is_start[(label.instruction as usize).min(count)] = true;
    }
    for (index, instruction) in body.instructions.iter().enumerate() {
        if instruction.opcode().is_branch() || instruction.opcode().leaves() {
            is_start[index + 1] = true;
        }
    }
    (0..count).filter(|index| is_start[*index]).collect()
}

fn connect(body: &Body, block_of: &[BlockId], block: &mut BasicBlock) {
    let last = &body.instructions[block.end - 1];
    let opcode = last.opcode();
    let ends_here = (opcode.is_branch() || opcode.leaves()) && last.guard.is_none();
    if !ends_here {
        add_edge(block_of, block, block.end);
    }
    if opcode.leaves() {
        block.leaves = true;
    }
    for target in targets(body, last) {
        add_edge(block_of, block, target);
    }
}

/// An edge to the block of `target`; one past the last instruction is the end of the function.
fn add_edge(block_of: &[BlockId], block: &mut BasicBlock, target: usize) {
    // Targets come without repetition, so only the fall-through can be there already.
    match block_of.get(target) {
        Some(id) if block.successors.first() != Some(id) => block.successors.push(*id),
        Some(_) => {}
        None => block.leaves = true,
    }
}

/// Instructions a branch can jump to.
fn targets(body: &Body, instruction: &Instruction) -> Vec<usize> {
    let operand = match instruction.opcode() {
        Opcode::Bra => instruction.operands.first(),
        Opcode::BrxIdx => instruction.operands.get(1),
        _ => None,
    };
    match operand {
        Some(Operand::Label(label)) => vec![body.label_target(*label)],
        Some(Operand::BranchTable(table)) => {
            let mut targets: Vec<usize> = body.branch_tables[table.index()]
                .labels
                .iter()
                .map(|label| body.label_target(*label))
                .collect();
            targets.sort_unstable();
            targets.dedup();
            targets
        }
        _ => Vec::new(),
    }
}
