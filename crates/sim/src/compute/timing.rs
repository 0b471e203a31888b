//! What the pipeline must know of each instruction, computed once per kernel.
//!
//! | unit      | pipe | latency and initiation interval                                                     |
//! |-----------|------|--------------------------------------------------------------------------------------|
//! | integer   | SP   | row of the integer table for add, max, mul, mad; all else is one cycle               |
//! | float32   | SP   | row of the fp32 table; all else is one cycle                                         |
//! | float64   | SFU  | row of the fp64 table (there is no separate unit)                                    |
//! | special   | SFU  | division and remainder by type, transcendental functions the special row             |
//! | memory    | MEM  | decided by the load/store unit                                                       |
//! | control, barrier | SP | one cycle                                                                        |
//! | fence     | MEM  | passes the load/store unit in order                                                  |
//!
//! An SM may have units of their own for integers, fp64 and matrices. With integer units, the SP pipe has only the named fp32
//! operations, and everything that has no unit of its own goes to the integer pipe; with fp64 units, the named fp64 operations
//! go there; with tensor units, matrix multiplications do, at the cost of the tensor row or, where a rate is given for the type of their
//! factors, in as many cycles as their multiply-adds take at that rate, and the latency of the row.
//!
//! Instructions occupy eight bytes each in an address space of their own; kernels lie behind each other in the order
//! of the module.

use shrinkwarp_emu::inst::{AccessDirection, Flow, Inst, LatencyClass, Space, Unit};
use shrinkwarp_emu::kernel::{Kernel, TensorType, TensorWork};
use shrinkwarp_emu::op::Op;

use super::write_distance::WriteDistances;
use crate::base::Sharing;

/// Number of [`Pipe`]s.
pub const PIPES: usize = 6;

/// The first pipes, which every SM has; the others need units of their own.
pub const COMMON_PIPES: usize = 3;

/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: u64 = 8;

/// Where instruction addresses begin, away from all data.
const CODE_BASE: u64 = 0xf000_0000;

/// Pipelines an instruction can issue to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// Integer and single precision.
    Sp = 0,
    /// Special functions, division, double precision.
    Sfu = 1,
    /// Load/store.
    Memory = 2,
    /// Integers and everything without a unit of its own, where the SM has units for them.
    Int = 3,
    /// Double precision, where the SM has units for it.
    Fp64 = 4,
    /// Matrix multiplication, where the SM has units for it.
    Tensor = 5,
}

/// Cost of an operation in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Cycles from taking the operation to its last stage.
    pub latency_cycles: u16,
    /// Cycles until the unit takes the next.
    pub initiation_cycles: u16,
}

impl Cost {
    /// The cost of everything no table names.
    pub const ONE: Self = Self { latency_cycles: 1, initiation_cycles: 1 };
}

/// Costs of the five named operations of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostTable {
    /// Addition and subtraction.
    pub add: Cost,
    /// Minimum and maximum.
    pub max: Cost,
    /// Multiplication.
    pub mul: Cost,
    /// Multiply-add.
    pub mad: Cost,
    /// Division and remainder.
    pub div: Cost,
}

/// All costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostSpec {
    /// Integers of any width.
    pub integer: CostTable,
    /// Single precision.
    pub float32: CostTable,
    /// Double precision.
    pub float64: CostTable,
    /// Transcendental functions, reciprocals and roots.
    pub special: Cost,
    /// Matrix multiplication, if there are units for it.
    pub tensor: Cost,
    /// Multiply-adds that a tensor unit does in a cycle.
    pub tensor_rates: TensorRates,
    /// Exchange of registers between lanes.
    pub shuffle: Cost,
    /// Units of each pipe.
    pub units: [usize; PIPES],
}

/// Multiply-adds in a cycle of one tensor unit, by the type of the factors; 0 where every product takes the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorRates {
    /// Half precision.
    pub f16: u32,
    /// bfloat16.
    pub bf16: u32,
    /// TensorFloat-32.
    pub tf32: u32,
    /// Double precision.
    pub f64: u32,
    /// 8-bit integers.
    pub int8: u32,
}

impl CostSpec {
    /// A product's cost: with a rate, the unit is busy until its multiply-adds are done, and the result follows after the latency.
    fn tensor_cost(&self, work: Option<TensorWork>) -> Cost {
        let rate = |work: TensorWork| match work.factors {
            TensorType::F16 => self.tensor_rates.f16,
            TensorType::Bf16 => self.tensor_rates.bf16,
            TensorType::Tf32 => self.tensor_rates.tf32,
            TensorType::F64 => self.tensor_rates.f64,
            TensorType::Int8 => self.tensor_rates.int8,
        };
        let Some((work, rate)) = work.map(|work| (work, rate(work))).filter(|(_, rate)| *rate > 0) else {
            return self.tensor;
        };
        let busy_cycles = work.multiply_adds.div_ceil(rate) as u16;
        Cost { latency_cycles: self.tensor.latency_cycles + busy_cycles, initiation_cycles: busy_cycles }
    }

    fn has_units_for(&self, pipe: Pipe) -> bool {
        self.units[pipe as usize] > 0
    }
}

/// One instruction, as the pipeline sees it: a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct InstructionTiming {
    /// Pipeline it issues to.
    pub pipe: Pipe,
    /// Whether it changes nothing but registers of its lanes, so that issue has little to look after.
    pub is_plain: bool,
    /// Whether its result comes from memory outside the SM.
    pub is_long: bool,
    /// What it does to what all SMs share: device memory, the heap and the output.
    pub sharing: Sharing,
    /// Whether each of its lanes moves a row of a matrix.
    pub moves_matrix_rows: bool,
    /// Cost in its unit.
    pub cost: Cost,
    /// Scoreboard registers that it writes; [`KernelTiming::registers`] names them.
    pub written: WordRange,
    /// The same of those written or read.
    pub touched: WordRange,
    /// Banks of the registers that the collectors read for it, as bits, in a warp whose bank 0 is 0; a guard is not collected.
    pub source_banks: u64,
    repeats_start: u32,
    repeats_len: u8,
    /// Registers that the collectors read for it.
    pub sources: u8,
    /// Banks of the registers that write-back writes for it, as bits, in a warp whose bank 0 is 0.
    pub written_banks: u64,
}

/// What the collectors read for an instruction: the banks as bits, those that are read again in the pool, and the number of reads.
struct Sources {
    banks: u64,
    repeats: PoolRange,
    count: u8,
}

/// A part of a pool.
#[derive(Clone, Copy, Debug)]
struct PoolRange {
    start: u32,
    len: u8,
}

impl PoolRange {
    #[inline]
    fn of<T>(self, pool: &[T]) -> &[T] {
        &pool[self.start as usize..self.start as usize + usize::from(self.len)]
    }
}

/// Registers of an instruction: the first word, which most have only, and a part of the pool.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordRange {
    first_bits: u64,
    rest_start: u32,
    first_word: u16,
    rest_len: u8,
}

impl WordRange {
    #[inline(always)]
    fn of(self, pool: &[RegisterWord]) -> RegisterSet<'_> {
        let first = RegisterWord { word: u32::from(self.first_word), bits: self.first_bits };
        let rest = PoolRange { start: self.rest_start, len: self.rest_len };
        RegisterSet { first, rest: if rest.len == 0 { &[] } else { rest.of(pool) } }
    }
}

/// Some registers of a warp.
#[derive(Clone, Copy, Debug)]
pub struct RegisterSet<'a> {
    /// Those of one word.
    pub first: RegisterWord,
    /// Those of other words.
    pub rest: &'a [RegisterWord],
}

/// Some registers of a warp, in one word of the scoreboard's row: an instruction seldom has registers in more than two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterWord {
    /// Which word of the row.
    pub word: u32,
    /// The registers, as bits.
    pub bits: u64,
}

impl RegisterWord {
    /// Registers in a word.
    pub const REGISTERS: usize = u64::BITS as usize;

    /// The words of some registers.
    pub fn all_of(registers: impl Iterator<Item = u16>) -> Vec<Self> {
        let mut words: Vec<Self> = Vec::new();
        for register in registers {
            let (word, bit) = (u32::from(register) / 64, 1 << (register % 64));
            match words.iter_mut().find(|there| there.word == word) {
                Some(there) => there.bits |= bit,
                None => words.push(Self { word, bits: bit }),
            }
        }
        words
    }
}

/// All instructions of a kernel.
#[derive(Clone, Debug)]
pub struct KernelTiming {
    instructions: Vec<InstructionTiming>,
    /// Per instruction: the registers it reads; few ask for them alone.
    read: Vec<WordRange>,
    registers: Vec<RegisterWord>,
    repeated_banks: Vec<u64>,
    register_banks: usize,
    /// Scoreboard registers of the kernel.
    pub register_count: usize,
    code_address: u64,
    to_write: WriteDistances,
}

impl KernelTiming {
    /// Reads the kernel once, for an SM whose warps each have their registers in `register_banks` banks.
    pub fn new(kernel: &Kernel, costs: &CostSpec, register_banks: usize) -> Self {
        let mut timing = Self {
            instructions: Vec::with_capacity(kernel.code.len()),
            read: Vec::with_capacity(kernel.code.len()),
            registers: Vec::new(),
            repeated_banks: Vec::new(),
            register_banks,
            register_count: kernel.register_count as usize,
            code_address: CODE_BASE + u64::from(kernel.code_offset) * INSTRUCTION_BYTES,
            to_write: WriteDistances::default(),
        };
        for inst in &kernel.code {
            let instruction = timing.describe(kernel, inst, costs);
            timing.instructions.push(instruction);
        }
        timing.to_write = WriteDistances::of(&kernel.code, |pc| {
            timing.instructions[pc as usize].sharing == Sharing::Writes
        });
        timing
    }

    /// What the pipeline must know of an instruction.
    #[inline(always)]
    pub fn at(&self, pc: u32) -> &InstructionTiming {
        &self.instructions[pc as usize]
    }

    /// The same, if the kernel has such an instruction: fetch runs ahead past the end.
    #[inline(always)]
    pub fn get(&self, pc: u32) -> Option<&InstructionTiming> {
        self.instructions.get(pc as usize)
    }

    /// The registers of an instruction of this kernel.
    #[inline(always)]
    pub fn registers(&self, range: WordRange) -> RegisterSet<'_> {
        range.of(&self.registers)
    }

    /// Registers that it reads, guard and address included.
    #[inline]
    pub fn read(&self, pc: u32) -> RegisterSet<'_> {
        self.read[pc as usize].of(&self.registers)
    }

    /// Banks that its sources are read from again: those read at least twice, those read at least three times, and so on.
    #[inline]
    pub fn repeated_banks(&self, instruction: &InstructionTiming) -> &[u64] {
        let repeats = PoolRange { start: instruction.repeats_start, len: instruction.repeats_len };
        if repeats.len == 0 { &[] } else { repeats.of(&self.repeated_banks) }
    }

    /// The longest latency of the kernel's instructions in their units.
    pub fn longest_latency_cycles(&self) -> u16 {
        self.instructions.iter().map(|instruction| instruction.cost.latency_cycles).max().unwrap_or(0)
    }

    /// How many instructions a lane there executes at least before one that changes what all SMs share.
    #[inline]
    pub fn instructions_to_write(&self, pc: u32) -> u8 {
        self.to_write.at(pc)
    }

    /// Address of an instruction.
    #[inline]
    pub fn address(&self, pc: u32) -> u64 {
        self.code_address + u64::from(pc) * INSTRUCTION_BYTES
    }

    fn describe(&mut self, kernel: &Kernel, inst: &Inst, costs: &CostSpec) -> InstructionTiming {
        let (written, read) = (kernel.defs(inst), kernel.uses(inst));
        let guard = kernel.guard_register(inst);
        let collected = read.iter().filter(|&&register| Some(register) != guard);
        let sources = self.add_sources(collected.map(|&register| kernel.name_number(register)));
        let banks = self.register_banks;
        let bank_of = |&register: &u16| usize::from(kernel.name_number(register)) % banks;
        let (pipe, cost) = pipe_and_cost(inst, kernel.tensor_work(inst), costs);
        let read_words = self.add_registers(read.iter().copied());
        self.read.push(read_words);
        InstructionTiming {
            pipe,
            is_plain: matches!(inst.op, Op::Lanes(_)) && inst.flow == Flow::Next && pipe != Pipe::Memory,
            is_long: inst.access.is_some_and(|access| {
                access.kind != AccessDirection::Store
                    && !matches!(access.space, Space::Shared | Space::Constant)
            }),
            sharing: sharing_of(kernel, inst),
            moves_matrix_rows: kernel.moves_matrix_rows(inst),
            cost,
            written: self.add_registers(written.iter().copied()),
            touched: self.add_registers(written.iter().chain(read).copied()),
            source_banks: sources.banks,
            repeats_start: sources.repeats.start,
            repeats_len: sources.repeats.len,
            sources: sources.count,
            written_banks: written.iter().map(bank_of).fold(0, |banks, bank| banks | 1 << bank),
        }
    }

    fn add_registers(&mut self, registers: impl Iterator<Item = u16>) -> WordRange {
        let words = RegisterWord::all_of(registers);
        let (first, rest) = words.split_first().map_or_else(Default::default, |(first, rest)| (*first, rest));
        let rest_start = self.registers.len() as u32;
        self.registers.extend_from_slice(rest);
        // A register number has 16 bits, and so has that of its word.
        WordRange {
            first_bits: first.bits,
            rest_start,
            first_word: first.word as u16,
            rest_len: rest.len() as u8,
        }
    }

    /// The banks of some registers: the set of them, then those that more than one register lies in, and so on.
    fn add_sources(&mut self, numbers: impl Iterator<Item = u16>) -> Sources {
        let (start, mut banks, mut count) = (self.repeated_banks.len(), 0, 0);
        for number in numbers {
            let bit = 1 << (usize::from(number) % self.register_banks);
            count += 1;
            if banks & bit == 0 {
                banks |= bit;
                continue;
            }
            match self.repeated_banks[start..].iter_mut().find(|banks| **banks & bit == 0) {
                Some(banks) => *banks |= bit,
                None => self.repeated_banks.push(bit),
            }
        }
        let len = (self.repeated_banks.len() - start) as u8;
        Sources { banks, repeats: PoolRange { start: start as u32, len }, count }
    }
}

#[cfg(test)]
impl KernelTiming {
    /// A made-up kernel: per instruction its pipe, cost, registers written and registers read, which are also the
    /// numbers in their names.
    pub(crate) fn for_test(instructions: &[(Pipe, Cost, &[u16], &[u16])], register_banks: usize) -> Self {
        let mut timing = Self {
            instructions: Vec::new(),
            read: Vec::new(),
            registers: Vec::new(),
            repeated_banks: Vec::new(),
            register_banks,
            register_count: 64,
            code_address: CODE_BASE,
            to_write: WriteDistances::default(),
        };
        for &(pipe, cost, written, read) in instructions {
            let read_words = timing.add_registers(read.iter().copied());
            timing.read.push(read_words);
            let sources = timing.add_sources(read.iter().copied());
            let instruction = InstructionTiming {
                pipe,
                is_plain: pipe != Pipe::Memory,
                is_long: false,
                sharing: Sharing::Nothing,
                moves_matrix_rows: false,
                cost,
                written: timing.add_registers(written.iter().copied()),
                touched: timing.add_registers(written.iter().chain(read).copied()),
                source_banks: sources.banks,
                repeats_start: sources.repeats.start,
                repeats_len: sources.repeats.len,
                sources: sources.count,
                written_banks: written
                    .iter()
                    .fold(0, |banks, number| banks | 1 << (usize::from(*number) % register_banks)),
            };
            timing.instructions.push(instruction);
        }
        timing
    }
}

fn pipe_and_cost(inst: &Inst, work: Option<TensorWork>, costs: &CostSpec) -> (Pipe, Cost) {
    if inst.access.is_some() {
        return (Pipe::Memory, Cost::ONE);
    }
    if inst.unit == Unit::Tensor && costs.has_units_for(Pipe::Tensor) {
        return (Pipe::Tensor, costs.tensor_cost(work));
    }
    let (pipe, cost) = common_pipe_and_cost(inst, costs);
    let is_named = !matches!(inst.latency, LatencyClass::Other | LatencyClass::Shuffle);
    match (pipe, inst.unit) {
        (Pipe::Sfu, Unit::Float64)
            if is_named && inst.latency != LatencyClass::Div && costs.has_units_for(Pipe::Fp64) =>
        {
            (Pipe::Fp64, cost)
        }
        (Pipe::Sfu, Unit::Float64) if !is_named && costs.has_units_for(Pipe::Int) => (Pipe::Int, cost),
        (Pipe::Sp, unit) if costs.has_units_for(Pipe::Int) && !(unit == Unit::Float32 && is_named) => {
            (Pipe::Int, cost)
        }
        _ => (pipe, cost),
    }
}

/// The pipe among those that every SM has.
fn common_pipe_and_cost(inst: &Inst, costs: &CostSpec) -> (Pipe, Cost) {
    let row = |table: &CostTable| match inst.latency {
        LatencyClass::Add => table.add,
        LatencyClass::Max => table.max,
        LatencyClass::Mul => table.mul,
        LatencyClass::Mad => table.mad,
        LatencyClass::Div => table.div,
        LatencyClass::Shuffle => costs.shuffle,
        LatencyClass::Other => Cost::ONE,
    };
    if inst.latency == LatencyClass::Div {
        return (Pipe::Sfu, row(table_of(inst.data, costs)));
    }
    match inst.unit {
        Unit::Integer => (Pipe::Sp, row(&costs.integer)),
        Unit::Float32 | Unit::Tensor => (Pipe::Sp, row(&costs.float32)),
        Unit::Float64 => (Pipe::Sfu, row(&costs.float64)),
        Unit::Special => (Pipe::Sfu, costs.special),
        Unit::Memory => (Pipe::Memory, Cost::ONE),
        Unit::Barrier if inst.flow == Flow::Next => (Pipe::Memory, Cost::ONE),
        Unit::Control | Unit::Barrier => (Pipe::Sp, Cost::ONE),
    }
}

/// What an instruction does at most to device memory, the heap and the output. Everything counts as a write that is not known
/// to be none.
fn sharing_of(kernel: &Kernel, inst: &Inst) -> Sharing {
    let space = inst.access.map(|access| access.space);
    match inst.op {
        Op::Lanes(_)
        | Op::Branch { .. }
        | Op::Return
        | Op::Exit
        | Op::Nothing
        | Op::CopyGroups(_)
        | Op::Warp(_)
        | Op::ReadChanging(_) => Sharing::Nothing,
        Op::BranchIndexed { .. } | Op::Trap | Op::Barrier(_) => Sharing::MayFail,
        Op::Load(_)
            if matches!(space, Some(Space::Shared | Space::Parameter | Space::Constant | Space::Local)) =>
        {
            Sharing::MayFail
        }
        // Device memory keeps a copy of local memory, for compressors.
        Op::Store(_) | Op::Atomic(_) if space == Some(Space::Shared) => Sharing::MayFail,
        Op::Load(_) => Sharing::Reads,
        Op::Wide(_) if kernel.tensor_work(inst).is_some() => Sharing::MayFail,
        Op::Wide(_) if space == Some(Space::Texture) && is_load(inst) => Sharing::Reads,
        Op::Store(_) | Op::Atomic(_) | Op::Wide(_) | Op::Call(_) => Sharing::Writes,
    }
}

fn is_load(inst: &Inst) -> bool {
    inst.access.is_some_and(|access| access.kind == AccessDirection::Load)
}

fn table_of(data: Unit, costs: &CostSpec) -> &CostTable {
    match data {
        Unit::Float64 => &costs.float64,
        Unit::Float32 => &costs.float32,
        _ => &costs.integer,
    }
}
