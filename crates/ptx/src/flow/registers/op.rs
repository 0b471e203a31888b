//! Machine instructions as far as registers are concerned.

use super::words::Word;
use crate::ast::{RegId, Symbol};
use crate::isa::StateSpace;

/// One machine instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Op {
    /// Words written.
    pub writes: Vec<Word>,
    /// Words read, ascending, each once.
    pub reads: Vec<Word>,
    /// Those of the reads that are an address, to which an access adds a constant.
    pub address: Vec<Word>,
    /// What the passes have to know of it.
    pub role: OpRole,
    /// What it adds to an integer, if that is a constant.
    pub adds: Option<i64>,
    /// Which bytes it reads or writes, behind its address.
    pub bytes: Option<Bytes>,
    /// Predicates written.
    pub writes_predicates: Vec<RegId>,
    /// Predicates read.
    pub reads_predicates: Vec<RegId>,
    /// Whether lanes may keep the old values.
    pub is_guarded: bool,
    /// Cycles until the result can be read, roughly: only their order matters.
    pub latency: u32,
    /// What it must not overtake.
    pub order: Order,
    /// Words needed only while it runs: divisions and roots are short programs.
    pub scratch_words: u32,
    /// Whether it reads its operands late, so that their registers stay taken for a while.
    pub holds_operands: bool,
}

/// What is special about an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OpRole {
    /// Nothing.
    #[default]
    Plain,
    /// It jumps to another block.
    Branch,
    /// It loads a constant.
    Constant,
}

/// The bytes of an access: from the variable and the address register, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    /// The variable.
    pub symbol: Option<Symbol>,
    /// The first one.
    pub start: i64,
    /// How many.
    pub count: i64,
}

impl Op {
    /// Whether it jumps to another block.
    pub fn is_branch(&self) -> bool {
        self.role == OpRole::Branch
    }

    /// Whether it loads a constant.
    pub fn is_constant(&self) -> bool {
        self.role == OpRole::Constant
    }

    /// Whether two accesses with the same value in the same address registers never touch the same byte.
    pub fn is_apart_from(&self, other: &Op) -> bool {
        let (Some(own), Some(others)) = (self.bytes, other.bytes) else { return false };
        // Without a register the address is a variable, or a parameter that no register says.
        if self.address != other.address
            || (self.address.is_empty() && own.symbol.is_none_or(|_| others.symbol.is_none()))
        {
            return false;
        }
        if own.symbol != others.symbol {
            return self.address.is_empty();
        }
        own.start >= others.start.saturating_add(others.count)
            || others.start >= own.start.saturating_add(own.count)
    }

    /// Gives words other names.
    pub fn rename(&mut self, name: impl Fn(Word) -> Word) {
        self.writes.iter_mut().chain(&mut self.address).for_each(|word| *word = name(*word));
        self.rename_reads(name);
    }

    /// Gives the words it reads other names, but for those of its address.
    pub fn rename_reads(&mut self, name: impl Fn(Word) -> Word) {
        self.reads.iter_mut().for_each(|word| *word = name(*word));
        self.reads.sort_unstable();
        self.reads.dedup();
    }
}

/// Which other accesses an instruction stays behind or in front of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// None.
    #[default]
    Free,
    /// Stores to the same space.
    Load(Option<StateSpace>),
    /// All accesses to the same space.
    Store(Option<StateSpace>),
    /// Everything: barriers, calls, branches.
    Full,
}
