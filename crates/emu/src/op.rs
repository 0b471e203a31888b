//! What a decoded instruction does.
//!
//! Arithmetic is a function over the register file (`LaneFn`), chosen once at load; everything that touches more
//! than registers has a variant of its own.

use crate::call::FrameSlot;
use crate::lanes::LaneFn;
use crate::matrix::{MatrixProduct, MatrixRows, MatrixTransfer};
use crate::mbarrier::MbarrierOp;
use crate::texture::{SurfaceAccess, TextureFetch, TextureQuery};
use crate::thread_block::ReductionOperation;

/// Operation of an [`Inst`](crate::inst::Inst).
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Registers to registers, lane by lane.
    Lanes(LaneFn),
    /// Memory to registers.
    Load(Transfer),
    /// Registers to memory.
    Store(Transfer),
    /// Read-modify-write.
    Atomic(AtomicOp),
    /// `bra`.
    Branch {
        /// Index of the target.
        target: u32,
        /// Where divergent lanes meet.
        meet: u32,
    },
    /// `brx.idx`: the index is in `a`.
    BranchIndexed {
        /// Row of `Kernel::branch_tables`.
        table: u32,
        /// Where divergent lanes meet.
        meet: u32,
    },
    /// `call`: row of `Kernel::calls`.
    Call(u32),
    /// `ret` of a device function.
    Return,
    /// `exit`, and `ret` of a kernel.
    Exit,
    /// `trap`.
    Trap,
    /// Nothing to do without time: fences, prefetches, `nanosleep`.
    Nothing,
    /// Groups of asynchronous copies; copies are done when they issue, so that only a timing model waits for them.
    CopyGroups(CopyGroups),
    /// `bar`, `barrier`.
    Barrier(BarrierOp),
    /// Lanes of one warp talk to each other.
    Warp(WarpOp),
    /// A special register that changes while a thread block runs.
    ReadChanging(ChangingRegister),
    /// Operations with long descriptors: row of `Kernel::wide`.
    Wide(u32),
}

/// What an instruction does with the asynchronous copies of its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyGroups {
    /// `cp.async.commit_group`: the copies since the last commit are a group.
    Commit,
    /// `cp.async.wait_group`: waits for all groups but the newest ones, of which this many may be under way.
    WaitForGroups(u32),
    /// `cp.async.wait_all`: waits for all copies, committed or not.
    WaitForAll,
}

/// A load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where the address comes from.
    pub base: Base,
    /// Bytes of one element: 1, 2, 4, 8 or 16.
    pub element_bytes: u8,
    /// Elements of a vector access; 1 for a scalar.
    pub elements: u8,
    /// How a narrow element fills its register.
    pub extension: Extension,
}

/// How a narrow value fills a wider register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// Zeros above.
    Zero,
    /// Copies of the sign above, up to this register width in bits.
    Sign(u8),
}

/// Where an address comes from; `Inst::offset` is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Row `a` of the 64-bit bank.
    Row64,
    /// Row `a` of the 32-bit bank.
    Row32,
    /// The offset alone.
    Absolute,
    /// The call frame of the running function, in local memory.
    Frame,
}

/// An atomic operation. Address from `base`; operands in `b` and, for `cas`, `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicOp {
    /// Where the address comes from.
    pub base: Base,
    /// What is combined.
    pub function: AtomicFunction,
    /// How the bits are read.
    pub ty: AtomicType,
}

/// Combining function of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicFunction {
    /// Sum.
    Add,
    /// Smaller.
    Min,
    /// Larger.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Add one, back to zero beyond the operand.
    Increment,
    /// Subtract one, to the operand below zero or above it.
    Decrement,
    /// Exchange.
    Exchange,
    /// Exchange if equal.
    CompareAndSwap,
}

/// Type of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicType {
    /// 16-bit bits (`cas`).
    B16,
    /// Unsigned or bits, 32.
    U32,
    /// Signed 32.
    S32,
    /// Unsigned or bits, 64.
    U64,
    /// Signed 64.
    S64,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Half precision.
    F16,
    /// Two halves.
    F16x2,
    /// bfloat16.
    Bf16,
    /// Two bfloat16.
    Bf16x2,
}

impl AtomicType {
    /// Size in memory.
    pub fn bytes(self) -> u32 {
        match self {
            AtomicType::B16 | AtomicType::F16 | AtomicType::Bf16 => 2,
            AtomicType::U64 | AtomicType::S64 | AtomicType::F64 => 8,
            _ => 4,
        }
    }
}

/// A barrier. Number in `a`, thread count in `b` (rows of the 32-bit bank), predicate of a reduction in `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent suffixes of one instruction")]
pub struct BarrierOp {
    /// Whether a thread count is given.
    pub has_count: bool,
    /// Whether the warp waits (`sync`, `red`) or only arrives.
    pub waits: bool,
    /// Result of a `bar.red`.
    pub reduction: ReductionOperation,
    /// `!p` as the predicate of the reduction.
    pub is_negated: bool,
    /// Whether the result is a predicate.
    pub result_is_predicate: bool,
}

/// Communication inside a warp. A member mask is in row `b` where it does not name every lane; shuffles ignore theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpOp {
    /// `shfl`: value `a`, lane operand `b`, clamp and segment `c`, predicate result in `d` if `has_predicate`.
    Shuffle {
        /// Where the value comes from.
        mode: ShuffleMode,
        /// Whether `d` is a predicate destination.
        has_predicate: bool,
    },
    /// `vote`: predicate `a`.
    Vote {
        /// Quantifier.
        mode: VoteMode,
        /// `!p`.
        is_negated: bool,
    },
    /// `match.any`: value `a`.
    MatchAny {
        /// The value is in the 64-bit bank.
        is_64: bool,
    },
    /// `match.all`: value `a`, predicate result in `d` if `has_predicate`.
    MatchAll {
        /// The value is in the 64-bit bank.
        is_64: bool,
        /// Whether `d` is a predicate destination.
        has_predicate: bool,
    },
    /// `activemask`.
    ActiveMask,
    /// `redux.sync`: value `a`.
    Redux(AtomicFunction, AtomicType),
    /// `elect.sync`: the lowest lane; predicate result in `d`.
    Elect,
}

/// Where a shuffle takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// A lower lane.
    Up,
    /// A higher lane.
    Down,
    /// The lane with these bits flipped.
    Butterfly,
    /// A numbered lane.
    Index,
}

/// Quantifier of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteMode {
    /// True in all lanes.
    All,
    /// True in any lane.
    Any,
    /// The same in all lanes.
    Uniform,
    /// The lanes where it is true.
    Ballot,
}

/// Special registers that change while a thread block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangingRegister {
    /// `%clock`.
    Clock,
    /// `%clock_hi`.
    ClockHigh,
    /// `%clock64`, `%globaltimer`: 64 bits.
    Clock64,
    /// `%smid`.
    MultiprocessorId,
    /// `%nsmid`.
    MultiprocessorCount,
    /// `%total_smem_size`, `%aggr_smem_size`.
    SharedBytes,
    /// The address of a variable in the call frame: `offset` from its base, 32 bits.
    FrameAddress32,
    /// The same in 64 bits.
    FrameAddress64,
}

/// Operations with long descriptors.
#[derive(Clone, Debug)]
pub(crate) enum WideOp {
    /// `cp.async`: bytes from global to shared memory.
    CopyAsync(CopyAsync),
    /// `mbarrier.*`, `cp.async.mbarrier.arrive`.
    Mbarrier(MbarrierOp),
    /// A call of a function that the device provides.
    Intrinsic(IntrinsicCall),
    /// `tex`.
    Texture(TextureFetch),
    /// `txq`, `suq`.
    TextureQuery(TextureQuery),
    /// `suld`, `sust`.
    Surface(SurfaceAccess),
    /// `wmma.load`, `wmma.store`.
    MatrixTransfer(MatrixTransfer),
    /// `wmma.mma`, `mma`.
    MatrixProduct(MatrixProduct),
    /// `ldmatrix`, `stmatrix`.
    MatrixRows(MatrixRows),
}

/// A call of a function that the device provides. Arguments and result lie in the caller's frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IntrinsicCall {
    pub intrinsic: Intrinsic,
    pub arguments: Vec<FrameSlot>,
    pub returns: Option<FrameSlot>,
}

/// Functions that the device provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intrinsic {
    /// `vprintf(format, arguments)`
    Printf,
    /// `malloc(bytes)`
    Malloc,
    /// `free(pointer)`
    Free,
    /// `__assertfail(message, file, line, function, character size)`
    Assert,
    /// A function of the device runtime.
    DeviceRuntime(DeviceRuntime),
}

/// Functions of CUDA's device runtime, for kernels that launch kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceRuntime {
    /// `cudaGetParameterBuffer(alignment, bytes)`
    GetParameterBuffer,
    /// `cudaGetParameterBufferV2(kernel, grid, block, shared bytes)`
    GetParameterBufferV2,
    /// `cudaLaunchDevice(kernel, buffer, grid, block, shared bytes, stream)`
    LaunchDevice,
    /// `cudaLaunchDeviceV2(buffer, stream)`
    LaunchDeviceV2,
    /// `cudaGetLastError()`, `cudaPeekAtLastError()`
    LastError { is_kept: bool },
    /// `cudaGetErrorName(code)`
    ErrorName,
    /// `cudaGetErrorString(code)`
    ErrorString,
    /// A call that only orders work, which is ordered anyway.
    Succeed,
    /// A stream or an event for the pointer that is the first argument.
    MakeHandle,
    /// A number for the pointer that is the first argument.
    GiveWord(u32),
    /// `cudaMalloc(pointer, bytes)`
    Malloc,
    /// `cudaFree(address)`
    Free,
    /// `cudaMemcpyAsync(to, from, bytes, direction, stream)`
    Copy,
    /// `cudaMemcpy2DAsync(to, pitch, from, pitch, row bytes, rows, direction, stream)`
    CopyRows,
    /// `cudaMemsetAsync(at, value, bytes, stream)`
    Fill,
    /// `cudaMemset2DAsync(at, pitch, value, row bytes, rows, stream)`
    FillRows,
}

/// `cp.async`: shared address from `destination` and row `a`, global address from `source`, its offset and row `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopyAsync {
    pub destination: Base,
    pub source: Base,
    pub source_offset: i64,
    pub bytes: u32,
    /// Row of the 32-bit bank with the bytes to read; the rest is zeros.
    pub source_bytes: Option<u32>,
}
