//! Kernels and device functions.

use super::{FunctionId, Instruction, LabelId, Linkage, Span, Variable};
use crate::isa::ScalarType;

/// A kernel (`.entry`) or a device function (`.func`), declared or defined.
#[derive(Clone, Debug)]
pub struct Function {
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// Name as written.
    pub name: String,
    /// Linkage directive.
    pub linkage: Linkage,
    /// Formal parameters, in order; [`super::Symbol::Parameter`] indexes them.
    pub parameters: Vec<Variable>,
    /// Return parameters of a `.func`; [`super::Symbol::Return`] indexes them.
    pub returns: Vec<Variable>,
    /// Launch limits and hints.
    pub performance: Performance,
    /// `.noreturn` on a function.
    pub is_noreturn: bool,
    /// The code; `None` for a declaration.
    pub body: Option<Body>,
    /// Where the name is.
    pub span: Span,
}

impl Function {
    /// Whether this is an `.entry`.
    pub fn is_kernel(&self) -> bool {
        self.kind == FunctionKind::Kernel
    }
}

/// What a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// `.entry`: launched from the host.
    Kernel,
    /// `.func`: called from device code.
    Device,
}

/// Performance-tuning directives. `None` where the source says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Performance {
    /// `.maxntid x, y, z`: most threads per block.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid x, y, z`: exact threads per block.
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm n`.
    pub min_blocks_per_sm: Option<u32>,
    /// `.maxnctapersm n` (deprecated).
    pub max_blocks_per_sm: Option<u32>,
    /// `.maxnreg n`.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster x, y, z`.
    pub required_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank n`.
    pub max_cluster_rank: Option<u32>,
    /// `.pragma "…";` strings inside the function.
    pub pragmas: Vec<String>,
}

/// The code of a function and the tables its operands index.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Registers that the code names, in order of first appearance. Declared but unused ones are not here.
    pub registers: Vec<Register>,
    /// 32-bit registers declared (a 64-bit register counts twice, a predicate not at all).
    pub declared_register_words: u64,
    /// Predicate registers declared.
    pub declared_predicates: u64,
    /// Variables declared in the body: `.shared`, `.local`, `.param` and also `.global`/`.const`.
    pub variables: Vec<Variable>,
    /// The instructions, in order.
    pub instructions: Vec<Instruction>,
    /// Instructions that a `.pragma "nounroll"` precedes, ascending: the loops there stay as they are.
    pub kept_loops: Vec<u32>,
    /// Labels and the instruction that each precedes.
    pub labels: Vec<Label>,
    /// `.branchtargets` lists.
    pub branch_tables: Vec<BranchTable>,
    /// `.calltargets` lists.
    pub call_tables: Vec<CallTable>,
    /// `.callprototype` signatures.
    pub prototypes: Vec<Prototype>,
}

impl Body {
    /// The instruction that a label precedes; equal to `instructions.len()` for one at the very end.
    pub fn label_target(&self, label: LabelId) -> usize {
        self.labels.get(label.0 as usize).map_or(self.instructions.len(), |label| label.instruction as usize)
    }
}

/// One virtual register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Name as written, e.g. `%r12`; an element of a vector register has its suffix, e.g. `%v.x`.
    pub name: String,
    /// Declared type.
    pub ty: ScalarType,
}

/// A label and where it points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Name as written.
    pub name: String,
    /// Index of the instruction after the label.
    pub instruction: u32,
}

/// A `.branchtargets` list.
#[derive(Clone, Debug)]
pub struct BranchTable {
    /// Label of the directive.
    pub name: String,
    /// Targets, in index order.
    pub labels: Vec<LabelId>,
}

/// A `.calltargets` list.
#[derive(Clone, Debug)]
pub struct CallTable {
    /// Label of the directive.
    pub name: String,
    /// The functions an indirect call may reach.
    pub functions: Vec<FunctionId>,
}

/// A `.callprototype` signature.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// Label of the directive.
    pub name: String,
    /// Return parameters.
    pub returns: Vec<Variable>,
    /// Formal parameters.
    pub parameters: Vec<Variable>,
}
