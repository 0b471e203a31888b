//! Control flow: basic blocks, post-dominators, reconvergence points, liveness, registers that a compiler would give.
//!
//! Threads of a warp that part at a branch meet again at the branch's immediate post-dominator: the first block
//! that every path to the end of the function goes through (Fung et al., "Dynamic Warp Formation and Scheduling for
//! Efficient GPU Control Flow", MICRO 2007).

mod blocks;
mod liveness;
mod post_dominators;
mod registers;

pub use blocks::{BasicBlock, BlockId};
pub use liveness::Liveness;
pub use registers::{LateEstimate, REGISTER_MODEL_VERSION, RegisterEstimate};

use crate::ast::{Body, Function};

/// The control-flow graph of one function.
#[derive(Clone, Debug)]
pub struct ControlFlow {
    /// Blocks in source order; the first is the entry.
    pub blocks: Vec<BasicBlock>,
    /// Block of every instruction.
    block_of: Vec<BlockId>,
    /// Immediate post-dominator of every block; `None` is the end of the function.
    post_dominators: Vec<Option<BlockId>>,
}

impl ControlFlow {
    /// The graph of a function; a declaration has no blocks.
    pub fn of(function: &Function) -> ControlFlow {
        match &function.body {
            Some(body) => ControlFlow::of_body(body),
            None => ControlFlow { blocks: Vec::new(), block_of: Vec::new(), post_dominators: Vec::new() },
        }
    }

    /// The graph of a body.
    pub fn of_body(body: &Body) -> ControlFlow {
        let (blocks, block_of) = blocks::split(body);
        let post_dominators = post_dominators::immediate(&blocks);
        ControlFlow { blocks, block_of, post_dominators }
    }

    /// The block an instruction is in.
    pub fn block_of(&self, instruction: usize) -> Option<BlockId> {
        self.block_of.get(instruction).copied()
    }

    /// A block by id.
    pub fn block(&self, id: BlockId) -> &BasicBlock {
        &self.blocks[id.index()]
    }

    /// Immediate post-dominator of a block; `None` is the end of the function.
    pub fn post_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.post_dominators[block.index()]
    }

    /// The instruction at which threads that part at `instruction` meet again; `None` when they meet only after
    /// leaving the function. Meaningful for the last instruction of a block: `bra`, `brx.idx`, guarded `ret` or
    /// `exit`. Threads that make a call meet at the instruction after it.
    pub fn reconvergence(&self, instruction: usize) -> Option<usize> {
        let block = self.block_of(instruction)?;
        if instruction + 1 != self.block(block).end {
            return Some(instruction + 1);
        }
        self.post_dominator(block).map(|block| self.block(block).start)
    }
}
