//! What is loaded: kernels in decoded form and the data of their module.

use std::collections::BTreeMap;
use std::sync::Arc;

pub use shrinkwarp_ptx::flow::{LateEstimate, REGISTER_MODEL_VERSION, RegisterEstimate};
use shrinkwarp_ptx::isa::SpecialRegister;

use crate::inst::{Inst, RegisterNumber, Row};
use crate::lanes::float::MultiplyThenAdd;
use crate::lanes::lanes3;
use crate::launch::{Dim3, Launch};
use crate::matrix::MatrixType;
use crate::op::{Op, WideOp};
use crate::registers::Registers;
use crate::{LANES, LaneMask};

/// What a matrix product multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorWork {
    /// Type of the factors.
    pub factors: TensorType,
    /// Multiplications, each with an addition.
    pub multiply_adds: u32,
}

/// Types of factors that a tensor unit has a rate for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorType {
    /// Half precision.
    F16,
    /// bfloat16.
    Bf16,
    /// TensorFloat-32.
    Tf32,
    /// Double precision.
    F64,
    /// 8-bit integers.
    Int8,
}

/// One kernel with every device function it can reach. Immutable; share it.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are properties that do not depend on each other")]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// The kernel's instructions, then those of its functions. Execution starts at 0.
    pub code: Vec<Inst>,
    /// Instructions of the kernel's own body; functions follow.
    pub body_len: u32,
    /// Formal parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Bytes of the parameter space.
    pub parameter_bytes: u32,
    /// Shared memory declared with a size.
    pub static_shared_bytes: u32,
    /// Local memory of a thread, call frames of non-recursive functions included.
    pub local_bytes_per_thread: u32,
    /// 32-bit registers of a thread, before any limit.
    pub registers: RegisterCount,
    /// Most registers of a thread (`.maxnreg`).
    pub max_registers: Option<u32>,
    /// Most threads of a thread block (`.maxntid`, `.reqntid`); `None` when the source says nothing.
    pub max_threads: Option<u32>,
    /// Thread blocks that an SM is to hold at once (`.minnctapersm`): the compiler keeps the registers within that.
    pub min_blocks_per_sm: Option<u32>,
    /// Whether thread blocks must run in order: global atomics, fences, volatile accesses or a device-side heap.
    pub needs_block_order: bool,
    /// Whether it reads textures.
    pub(crate) fetches_textures: bool,
    /// Through which parameters it reads and writes.
    pub(crate) provenance: crate::decode::Provenance,
    /// Kernels of the module that it can launch: their parameter bytes by their address. Empty where it launches none.
    pub(crate) launchable: BTreeMap<u64, u32>,
    /// Whether it calls the device runtime.
    pub(crate) uses_device_runtime: bool,
    /// Whether it uses device-side `malloc`.
    pub uses_heap: bool,
    /// Registers for a scoreboard: numbers are below this.
    pub register_count: u32,
    /// Instructions of the module in front of this kernel's, in the order of the source.
    pub code_offset: u32,
    /// By scoreboard number: the number in the register's name, 12 for `%rd12`. Register banks go by it.
    pub(crate) name_numbers: Vec<u16>,
    /// Scoreboard number of the predicate bank's first row.
    pub(crate) first_predicate: u32,
    /// Rows of the three banks, constants included.
    pub(crate) rows: Banks,
    /// Immediates of the 32-bit bank: they stand behind the registers. Special registers have a zero here.
    pub(crate) constants32: Vec<u32>,
    pub(crate) constants64: Vec<u64>,
    /// Special registers that do not change while a thread block runs, with their rows in the 32-bit bank.
    pub(crate) specials: Vec<(SpecialRegister, Row)>,
    /// Scoreboard numbers that `Inst::defs` and `Inst::uses` point into.
    pub(crate) operand_pool: Vec<RegisterNumber>,
    /// Row lists of vector operands.
    pub(crate) lists: Vec<VectorRegister>,
    /// Targets of `brx.idx`.
    pub(crate) branch_tables: Vec<Vec<u32>>,
    pub(crate) calls: Vec<crate::call::CallSite>,
    pub(crate) functions: Vec<crate::call::Callee>,
    /// Instructions that are `fma.rn.f32` without further suffixes.
    pub(crate) fused: Vec<u32>,
    /// Descriptors of wide operations.
    pub(crate) wide: Vec<crate::op::WideOp>,
}

/// How many registers a thread of a kernel has.
#[derive(Clone, Debug, Default)]
pub struct RegisterCount {
    /// As a compiler allocated them, if that is known.
    pub given: Option<u32>,
    /// Estimated from the PTX; the GPU decides which count.
    pub estimate: LateEstimate,
}

impl RegisterCount {
    /// The count on a GPU of this compute capability, 70 for 7.0.
    pub fn on(&self, compute_capability: u32) -> u32 {
        self.given.unwrap_or_else(|| self.estimate.get().on(compute_capability))
    }
}

/// Sizes of the banks: rows of registers first, then constants and specials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Banks {
    pub w32: u32,
    pub w64: u32,
    pub pred: u32,
}

/// One register of a vector operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VectorRegister {
    /// Row of the 32-bit bank.
    Row32(Row),
    /// Row of the 64-bit bank.
    Row64(Row),
    /// `_`: the value is dropped.
    Sink,
}

/// A formal parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name as written.
    pub name: String,
    /// Type as written, e.g. `u64` or `b8[16]`.
    pub ty: String,
    /// Offset in the parameter space.
    pub offset: u32,
    /// Size.
    pub bytes: u32,
}

/// A loaded module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Kernels by name.
    pub kernels: BTreeMap<String, Arc<Kernel>>,
    /// Names of kernels by the address that device code has of them; also of those that cannot be executed.
    pub kernel_addresses: BTreeMap<u64, String>,
    /// Module-level variables by name.
    pub variables: BTreeMap<String, ModuleVariable>,
}

/// Where a module-level variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleVariable {
    /// Global address, or offset in the constant bank.
    pub address: u64,
    /// Size.
    pub bytes: u64,
    /// Whether it is in the constant bank.
    pub is_constant: bool,
}

impl Kernel {
    /// The work of a matrix product; `None` for other instructions.
    pub fn tensor_work(&self, inst: &Inst) -> Option<TensorWork> {
        let Op::Wide(index) = inst.op else { return None };
        let Some(WideOp::MatrixProduct(product)) = self.wide.get(index as usize) else { return None };
        let factors = match product.a.ty {
            MatrixType::F16 => TensorType::F16,
            MatrixType::Bf16 => TensorType::Bf16,
            MatrixType::Tf32 | MatrixType::F32 => TensorType::Tf32,
            MatrixType::S8 | MatrixType::U8 | MatrixType::S32 => TensorType::Int8,
            MatrixType::F64 => TensorType::F64,
        };
        Some(TensorWork { factors, multiply_adds: product.multiply_adds() })
    }

    /// Whether each lane of the access moves a row of a matrix (`ldmatrix`, `stmatrix`).
    pub fn moves_matrix_rows(&self, inst: &Inst) -> bool {
        let Op::Wide(index) = inst.op else { return false };
        matches!(self.wide.get(index as usize), Some(WideOp::MatrixRows(_)))
    }

    /// Scoreboard numbers of the registers an instruction writes.
    #[inline]
    pub fn defs(&self, inst: &Inst) -> &[RegisterNumber] {
        self.pool(inst.defs)
    }

    /// Scoreboard numbers of the registers an instruction reads, guard and address base included.
    #[inline]
    pub fn uses(&self, inst: &Inst) -> &[RegisterNumber] {
        self.pool(inst.uses)
    }

    /// The number in the name of a register with this scoreboard number.
    pub fn name_number(&self, register: RegisterNumber) -> u16 {
        self.name_numbers.get(usize::from(register)).copied().unwrap_or(register)
    }

    /// Scoreboard number of an instruction's guard.
    pub fn guard_register(&self, inst: &Inst) -> Option<RegisterNumber> {
        inst.guard.map(|guard| (self.first_predicate + guard.predicate) as RegisterNumber)
    }

    /// The signature as a person would write it: `saxpy(u64 x, f32 a)`.
    pub fn signature(&self) -> String {
        let parameters: Vec<_> =
            self.parameters.iter().map(|parameter| format!("{} {}", parameter.ty, parameter.name)).collect();
        format!("{}({})", self.name, parameters.join(", "))
    }

    /// The same kernel with `fma.rn.f32` rounded twice, as GPGPU-Sim computes it: for comparing results with it bit
    /// by bit. The standard, and every GPU, rounds once.
    #[must_use]
    pub fn with_unfused_multiply_add(&self) -> Kernel {
        let mut kernel = self.clone();
        for &index in &self.fused {
            kernel.code[index as usize].op = Op::Lanes(lanes3::<MultiplyThenAdd<f32>>());
        }
        kernel
    }

    fn pool(&self, range: crate::inst::PoolRange) -> &[RegisterNumber] {
        let start = range.start as usize;
        self.operand_pool.get(start..start + range.len as usize).unwrap_or(&[])
    }

    /// Zeroes a warp's registers; immediates are written only when the rows are new.
    pub(crate) fn clear_registers(&self, registers: &mut Registers, has_constants: bool) {
        let (own32, own64) = (self.own_rows32(), self.own_rows64());
        registers.carry = 0;
        registers.pred.clear();
        registers.pred.resize(self.rows.pred as usize, 0);
        if has_constants {
            registers.w32[..own32].fill([0; LANES]);
            registers.w64[..own64].fill([0; LANES]);
            return;
        }
        registers.w32 = vec![[0; LANES]; self.rows.w32 as usize];
        registers.w64 = vec![[0; LANES]; self.rows.w64 as usize];
        for (row, &value) in registers.w32[own32..].iter_mut().zip(&self.constants32) {
            *row = [value; LANES];
        }
        for (row, &value) in registers.w64[own64..].iter_mut().zip(&self.constants64) {
            *row = [value; LANES];
        }
    }

    /// Fills the rows of special registers for one warp of a thread block.
    pub(crate) fn set_special_rows(
        &self,
        registers: &mut Registers,
        launch: &Launch,
        block: Dim3,
        warp: u32,
    ) {
        for &(special, row) in &self.specials {
            if let Some(target) = registers.w32.get_mut(row as usize) {
                *target = special_row(special, launch, block, warp);
            }
        }
    }

    fn own_rows32(&self) -> usize {
        (self.rows.w32 as usize).saturating_sub(self.constants32.len())
    }

    fn own_rows64(&self) -> usize {
        (self.rows.w64 as usize).saturating_sub(self.constants64.len())
    }
}

/// Lane values of a special register that does not change while a thread block runs.
fn special_row(special: SpecialRegister, launch: &Launch, block: Dim3, warp: u32) -> [u32; LANES] {
    use SpecialRegister as S;
    let thread =
        |axis: usize| std::array::from_fn(|lane| launch.thread_at(warp * LANES as u32 + lane as u32)[axis]);
    let masks = |mask: fn(u32) -> LaneMask| std::array::from_fn(|lane| mask(lane as u32));
    match special {
        S::TidX => thread(0),
        S::TidY => thread(1),
        S::TidZ => thread(2),
        S::NtidX => [launch.block[0]; LANES],
        S::NtidY => [launch.block[1]; LANES],
        S::NtidZ => [launch.block[2]; LANES],
        S::CtaidX | S::ClusterIdX => [block[0]; LANES],
        S::CtaidY | S::ClusterIdY => [block[1]; LANES],
        S::CtaidZ | S::ClusterIdZ => [block[2]; LANES],
        S::NctaidX | S::NclusterIdX => [launch.grid[0]; LANES],
        S::NctaidY | S::NclusterIdY => [launch.grid[1]; LANES],
        S::NctaidZ | S::NclusterIdZ => [launch.grid[2]; LANES],
        S::ClusterNctaidX | S::ClusterNctaidY | S::ClusterNctaidZ | S::ClusterNctaRank => [1; LANES],
        S::LaneId => std::array::from_fn(|lane| lane as u32),
        S::WarpId => [warp; LANES],
        S::NwarpId => [launch.warps_per_block(); LANES],
        S::LaneMaskEq => masks(|lane| 1 << lane),
        S::LaneMaskLt => masks(|lane| (1 << lane) - 1),
        S::LaneMaskLe => masks(|lane| ((1u64 << (lane + 1)) - 1) as u32),
        S::LaneMaskGt => masks(|lane| !((1u64 << (lane + 1)) - 1) as u32),
        S::LaneMaskGe => masks(|lane| !((1u32 << lane) - 1)),
        S::DynamicSharedBytes => [launch.dynamic_shared_bytes; LANES],
        S::Environment(1) => [(launch.barrier_address >> 32) as u32; LANES],
        S::Environment(2) => [launch.barrier_address as u32; LANES],
        _ => [0; LANES],
    }
}
