//! One decoded instruction: what to execute, and what a timing model needs to know about it.
//!
//! Everything here is computed once, when the module is loaded. One entry is exactly one PTX instruction,
//! so instruction counts equal PTX counts.

use crate::op::Op;

/// A decoded instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Lanes in which it acts.
    pub guard: Option<Guard>,
    /// First destination: a row of the bank that `op` writes.
    pub dst: Row,
    /// First source.
    pub a: Row,
    /// Second source.
    pub b: Row,
    /// Third source.
    pub c: Row,
    /// Fourth source, second destination, or the start of a list in `Kernel::lists`.
    pub d: Row,
    /// Byte offset of an address, or a small constant of the operation.
    pub offset: i64,
    /// The execution unit it needs.
    pub unit: Unit,
    /// What its data is: integer, single or double precision. Chooses the latency table.
    pub data: Unit,
    /// Row of the latency table.
    pub latency: LatencyClass,
    /// How it moves the program counter.
    pub flow: Flow,
    /// What it does to memory; `None` for arithmetic.
    pub access: Option<Access>,
    /// Registers written: a range of the kernel's operand pool, read through `Kernel::defs`.
    pub defs: PoolRange,
    /// Registers read, guard and address base included; read through `Kernel::uses`.
    pub uses: PoolRange,
    /// Line of the PTX source, from 1.
    pub line: u32,
}

impl Inst {
    /// An instruction that does nothing, for a decoder to fill in.
    pub(crate) fn blank(op: Op, line: u32) -> Self {
        Self {
            op,
            guard: None,
            dst: NO_ROW,
            a: NO_ROW,
            b: NO_ROW,
            c: NO_ROW,
            d: NO_ROW,
            offset: 0,
            unit: Unit::Integer,
            data: Unit::Integer,
            latency: LatencyClass::Other,
            flow: Flow::Next,
            access: None,
            defs: PoolRange::default(),
            uses: PoolRange::default(),
            line,
        }
    }

    /// Whether it ends threads.
    pub fn is_exit(&self) -> bool {
        self.flow == Flow::Exit
    }

    /// Whether other threads can see what it stores.
    #[inline]
    pub(crate) fn is_seen_by_others(&self) -> bool {
        self.access.is_some_and(|access| {
            access.kind == AccessDirection::Store
                && matches!(access.space, Space::Global | Space::Shared | Space::Generic)
        })
    }

    /// Whether it may jump.
    pub fn is_branch(&self) -> bool {
        matches!(self.flow, Flow::Branch | Flow::Call | Flow::Return)
    }
}

/// Index of a register inside its bank (32-bit, 64-bit or predicate).
pub type Row = u32;

/// No register: reads as zeros, writes go nowhere.
pub const NO_ROW: Row = Row::MAX;

/// Number of a register for a scoreboard: dense over all banks of a kernel, see `Kernel::register_count`.
pub type RegisterNumber = u16;

/// A slice of the kernel's operand pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolRange {
    /// First element.
    pub start: u32,
    /// Elements.
    pub len: u16,
}

/// Guard predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Row of the predicate bank.
    pub predicate: Row,
    /// Act where it is false.
    pub is_negated: bool,
}

/// Kind of execution unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Integer, logic, comparison, conversion and moves.
    Integer,
    /// 32-bit and 16-bit floating point.
    Float32,
    /// 64-bit floating point.
    Float64,
    /// Transcendental functions, reciprocals and roots; division.
    Special,
    /// Loads, stores, atomics, textures.
    Memory,
    /// Branches, calls, returns.
    Control,
    /// Barriers and fences.
    Barrier,
    /// Matrix multiply-accumulate.
    Tensor,
}

/// Row of a latency table, as reference simulators group operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LatencyClass {
    /// Add, subtract and everything of that cost.
    Add,
    /// Minimum, maximum, comparison-like.
    Max,
    /// Multiplication.
    Mul,
    /// Multiply-add.
    Mad,
    /// Division, remainder, square root.
    Div,
    /// Exchange of registers between lanes.
    Shuffle,
    /// What no row names.
    Other,
}

/// How an instruction moves the program counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// `bra`, `brx.idx`.
    Branch,
    /// `call`.
    Call,
    /// `ret` of a device function.
    Return,
    /// `exit`, and `ret` of a kernel.
    Exit,
    /// To the next instruction, perhaps after waiting.
    Barrier,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The state space as written; [`Space::Generic`] is resolved per lane in [`crate::effects::MemoryAccess`].
    pub space: Space,
    /// Read, write or both.
    pub kind: AccessDirection,
    /// Bytes each lane moves, all vector elements together.
    pub bytes_per_lane: u16,
    /// Cache operator or volatility, where written.
    pub cache: CacheOperator,
}

/// State space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Device memory.
    Global,
    /// Memory of the thread block.
    Shared,
    /// Memory of the thread.
    Local,
    /// Constant bank.
    Constant,
    /// Kernel parameters.
    Parameter,
    /// Texture memory.
    Texture,
    /// Decided by the address.
    Generic,
}

/// Direction of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessDirection {
    /// Memory to register.
    Load,
    /// Register to memory.
    Store,
    /// Read-modify-write that returns the old value.
    Atomic,
    /// Read-modify-write that returns nothing (`red`).
    Reduction,
    /// Global to shared memory without a register (`cp.async`); addresses are those of the global side.
    Copy,
}

/// Cache operators that a timing model may honour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CacheOperator {
    /// `.ca`, `.wb` or nothing written.
    #[default]
    All,
    /// `.cg`: second level only.
    Global,
    /// `.cs`: streaming.
    Streaming,
    /// `.lu`: last use.
    LastUse,
    /// `.cv`, `.volatile`, `.relaxed` and stronger: do not trust the first level.
    Volatile,
    /// `.wt`: write through.
    WriteThrough,
    /// `.nc`: through the read-only cache.
    ReadOnly,
}
