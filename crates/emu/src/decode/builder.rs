//! Decodes one kernel with every device function it can reach.

use std::collections::BTreeMap;

use shrinkwarp_ptx::ast::{Body, Function, FunctionId, Instruction, Module, Operand, RegId, Symbol};
use shrinkwarp_ptx::flow::{ControlFlow, LateEstimate};
use shrinkwarp_ptx::isa::{Opcode, ScalarType};

use super::layout::{FrameLayout, SharedLayout, kernel_parameters, shared_layout};
use super::{CallGraph, Decoded, classify, not_executable, pragma};
use crate::call::{Callee, RowRanges};
use crate::device::LoadError;
use crate::inst::{Flow, Guard, Inst, LatencyClass, NO_ROW, PoolRange, RegisterNumber, Row, Unit};
use crate::kernel::{Banks, Kernel, Parameter, RegisterCount};
use crate::load::ModuleData;
use crate::op::Op;
use crate::simt::NOWHERE;

/// Where a register lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bank {
    W32,
    W64,
    Pred,
}

/// State while a kernel is decoded.
pub(crate) struct Builder<'a> {
    pub module: &'a Module,
    pub data: &'a ModuleData,
    pub kernel: Kernel,
    pub shared: SharedLayout,
    /// Functions of this kernel, the kernel itself first.
    pub order: Vec<FunctionId>,
    pub units: Vec<FunctionUnit>,
    /// The function being decoded: index into `units`.
    pub current: usize,
    pub(super) constants32: BTreeMap<u32, Row>,
    pub(super) constants64: BTreeMap<u64, Row>,
    own: Banks,
}

/// What is known of one function before its code is decoded.
pub(crate) struct FunctionUnit {
    pub id: FunctionId,
    /// Bank and row of every register.
    pub rows: Vec<(Bank, Row)>,
    pub ranges: RowRanges,
    pub frame: FrameLayout,
    /// Index of its first instruction in `Kernel::code`.
    pub start: u32,
    /// Whether a call chain leads from it back to it.
    pub is_recursive: bool,
}

/// Decodes the kernel `id`, or says all that cannot be executed.
pub(crate) fn decode_kernel(
    module: &Module,
    data: &ModuleData,
    calls: &CallGraph,
    id: FunctionId,
) -> Result<Kernel, Vec<LoadError>> {
    let function = &module.functions[id.index()];
    let order = calls.reachable(id);
    let mut builder = Builder {
        module,
        data,
        kernel: Kernel { name: function.name.clone(), ..Kernel::default() },
        shared: shared_layout(module, &order),
        units: Vec::new(),
        order,
        current: 0,
        constants32: BTreeMap::new(),
        constants64: BTreeMap::new(),
        own: Banks::default(),
    };
    builder.place_functions(calls);
    let parameter_bytes = builder.describe(function);
    let mut errors = builder.over_limit(id, parameter_bytes);
    errors.extend(builder.count_registers(function).err());
    errors.extend(builder.decode_functions());
    if errors.is_empty() { Ok(builder.finish()) } else { Err(errors) }
}

impl<'a> Builder<'a> {
    /// Gives every function its rows, frame and place in the code.
    fn place_functions(&mut self, calls: &CallGraph) {
        let mut start = 0;
        for id in self.order.clone() {
            let function = &self.module.functions[id.index()];
            let Some(body) = &function.body else { continue };
            let before = self.own;
            let rows = body.registers.iter().map(|register| self.own.take(register.ty)).collect();
            let ranges = before.until(self.own);
            self.units.push(FunctionUnit {
                id,
                rows,
                ranges,
                frame: FrameLayout::of(function),
                start,
                is_recursive: calls.is_recursive(id),
            });
            start += body.instructions.len() as u32 + u32::from(falls_off_the_end(body));
        }
        self.kernel.rows = self.own;
        self.kernel.register_count = self.own.w32 + self.own.w64 + self.own.pred;
        self.kernel.first_predicate = self.own.w32 + self.own.w64;
        self.kernel.name_numbers = self.name_numbers();
    }

    /// The numbers in the names of all registers, by scoreboard number.
    fn name_numbers(&self) -> Vec<u16> {
        let mut numbers = vec![0; self.kernel.register_count as usize];
        for unit in &self.units {
            let body = self.module.functions[unit.id.index()].body.as_ref();
            for (register, &place) in body.map_or(&[][..], |body| &body.registers).iter().zip(&unit.rows) {
                if let Some(number) = numbers.get_mut(usize::from(self.number_of(place))) {
                    *number = digits_of(&register.name);
                }
            }
        }
        numbers
    }

    /// What hosts and timing models want to know. Gives back the bytes of all parameters, however many.
    fn describe(&mut self, function: &Function) -> u64 {
        let (offsets, bytes) = kernel_parameters(function);
        let describe = |(parameter, offset): (&shrinkwarp_ptx::ast::Variable, u64)| Parameter {
            name: parameter.name.clone(),
            ty: type_name(parameter),
            offset: offset as u32,
            bytes: parameter.size_bytes as u32,
        };
        self.kernel.parameters = function.parameters.iter().zip(offsets).map(describe).collect();
        self.kernel.parameter_bytes = bytes as u32;
        self.kernel.static_shared_bytes = self.shared.static_bytes as u32;
        self.kernel.local_bytes_per_thread = self.units.first().map_or(0, |unit| unit.frame.bytes as u32);
        let most = function.performance.required_threads.or(function.performance.max_threads);
        self.kernel.max_threads =
            most.map(|extents| extents.iter().fold(1u32, |all, &extent| all.saturating_mul(extent.max(1))));
        self.kernel.provenance = function.body.as_ref().map(super::Provenance::of).unwrap_or_default();
        self.kernel.max_registers = function.performance.max_registers.filter(|&most| most > 0);
        self.kernel.min_blocks_per_sm = function.performance.min_blocks_per_sm.filter(|&blocks| blocks > 0);
        self.kernel.functions = self.units.iter().skip(1).map(Self::callee).collect();
        bytes
    }

    /// As the kernel says, or estimated.
    fn count_registers(&mut self, function: &Function) -> Result<(), LoadError> {
        self.kernel.registers = RegisterCount {
            given: pragma::registers(function)?,
            estimate: LateEstimate::of(self.module, function),
        };
        Ok(())
    }

    fn callee(unit: &FunctionUnit) -> Callee {
        Callee {
            address: crate::load::function_address(unit.id),
            entry: unit.start,
            parameters: unit.frame.parameters.clone(),
            returns: unit.frame.returns.clone(),
            frame_bytes: unit.frame.bytes as u32,
        }
    }

    fn decode_functions(&mut self) -> Vec<LoadError> {
        let mut errors = Vec::new();
        let module: &'a Module = self.module;
        for index in 0..self.units.len() {
            self.current = index;
            let function = &module.functions[self.units[index].id.index()];
            let Some(body) = &function.body else { continue };
            let flow = ControlFlow::of_body(body);
            for (position, instruction) in body.instructions.iter().enumerate() {
                let meet = flow.reconvergence(position);
                match self.decode(instruction, body, meet) {
                    Ok(inst) => {
                        if &*instruction.variant.spelling == "fma.rn.f32" {
                            self.kernel.fused.push(self.kernel.code.len() as u32);
                        }
                        self.push(inst, instruction);
                    }
                    Err(message) => {
                        let message = format!("{message} (in {})", function.name);
                        errors.push(LoadError { line: instruction.span.line, message });
                    }
                }
            }
            if falls_off_the_end(body) {
                let op = if function.is_kernel() { Op::Exit } else { Op::Return };
                let flow = if function.is_kernel() { Flow::Exit } else { Flow::Return };
                let line = body.instructions.last().map_or(function.span.line, |last| last.span.line);
                self.kernel.code.push(Inst { flow, unit: Unit::Control, ..Inst::blank(op, line) });
            }
            if index == 0 {
                self.kernel.body_len = self.kernel.code.len() as u32;
            }
        }
        errors
    }

    /// The function being decoded.
    pub(crate) fn unit(&self) -> &FunctionUnit {
        &self.units[self.current]
    }

    /// Index in the kernel's code of an instruction of the current function.
    pub(crate) fn code_index(&self, position: usize) -> u32 {
        self.unit().start + position as u32
    }

    /// The same for a place to meet.
    pub(crate) fn meeting_point(&self, meet: Option<usize>) -> u32 {
        meet.map_or(NOWHERE, |position| self.code_index(position))
    }

    fn decode(&mut self, instruction: &Instruction, body: &Body, meet: Option<usize>) -> Decoded {
        use Opcode as O;
        match instruction.opcode() {
            O::Add
            | O::Sub
            | O::Mul
            | O::Mad
            | O::Fma
            | O::Div
            | O::Rem
            | O::Abs
            | O::Neg
            | O::Min
            | O::Max
            | O::Addc
            | O::Subc
            | O::Madc
            | O::Mul24
            | O::Mad24
            | O::Sad
            | O::Dp4a
            | O::Dp2a => self.arithmetic(instruction),
            O::Rcp | O::Sqrt | O::Rsqrt | O::Sin | O::Cos | O::Lg2 | O::Ex2 | O::Tanh | O::Copysign => {
                self.special_function(instruction)
            }
            O::And
            | O::Or
            | O::Xor
            | O::Not
            | O::Cnot
            | O::Shl
            | O::Shr
            | O::Shf
            | O::Lop3
            | O::Prmt
            | O::Popc
            | O::Clz
            | O::Brev
            | O::Bfind
            | O::Bfe
            | O::Bfi
            | O::Fns
            | O::Szext
            | O::Bmsk => self.bit_operation(instruction),
            O::Setp | O::Set | O::Selp | O::Slct | O::Testp => self.comparison(instruction),
            O::Mov | O::Cvt | O::Cvta | O::Isspacep => self.conversion(instruction),
            O::Ld | O::Ldu | O::St | O::Atom | O::Red | O::CpAsync => self.memory(instruction),
            O::Shfl | O::Vote | O::Match | O::Activemask | O::Redux | O::ElectSync => self.warp(instruction),
            O::Tex | O::Tld4 => self.texture(instruction),
            O::Txq | O::Suq => self.texture_query(instruction),
            O::Suld | O::SustB | O::SustP => self.surface(instruction),
            O::MbarrierInit
            | O::MbarrierInval
            | O::MbarrierExpectTx
            | O::MbarrierCompleteTx
            | O::MbarrierArrive
            | O::MbarrierArriveDrop
            | O::MbarrierTestWait
            | O::MbarrierTryWait
            | O::MbarrierPending
            | O::CpAsyncMbarrier => self.mbarrier(instruction),
            O::WmmaLoad | O::WmmaStore | O::WmmaMma | O::Mma | O::Ldmatrix | O::Stmatrix => {
                self.matrix(instruction)
            }
            O::Vadd
            | O::Vsub
            | O::Vabsdiff
            | O::Vmin
            | O::Vmax
            | O::Vset
            | O::Vshl
            | O::Vshr
            | O::Vadd2
            | O::Vsub2
            | O::Vavrg2
            | O::Vabsdiff2
            | O::Vmin2
            | O::Vmax2
            | O::Vset2
            | O::Vadd4
            | O::Vsub4
            | O::Vavrg4
            | O::Vabsdiff4
            | O::Vmin4
            | O::Vmax4
            | O::Vset4 => self.video(instruction),
            O::Bra | O::BrxIdx | O::Call | O::Ret | O::Exit | O::Trap => {
                self.control(instruction, body, meet)
            }
            O::BarSync | O::BarArrive | O::BarRed | O::BarrierSync | O::BarrierArrive | O::BarrierRed => {
                self.barrier(instruction)
            }
            O::Membar | O::Fence => {
                self.kernel.needs_block_order |=
                    instruction.modifiers().scope.is_none_or(super::memory::is_wide);
                Ok(Inst::blank(Op::Nothing, instruction.span.line))
            }
            O::Prefetch
            | O::Prefetchu
            | O::Applypriority
            | O::Discard
            | O::Nanosleep
            | O::Pmevent
            | O::FenceProxy
            | O::FenceMbarrierInit
            | O::Griddepcontrol
            | O::BarWarpSync => Ok(Inst::blank(Op::Nothing, instruction.span.line)),
            O::CpAsyncCommitGroup | O::CpAsyncWaitGroup | O::CpAsyncWaitAll => {
                super::memory::copy_groups(instruction)
            }
            _ => not_executable(instruction),
        }
    }

    /// Adds the guard, the scoreboard numbers and the timing class, and appends the instruction.
    fn push(&mut self, mut inst: Inst, instruction: &Instruction) {
        let is_decided = inst.unit != Unit::Integer || inst.latency != LatencyClass::Other;
        if !is_decided {
            classify(&mut inst, instruction);
        }
        inst.guard = instruction
            .guard
            .map(|guard| Guard { predicate: self.row_of(guard.predicate).1, is_negated: guard.is_negated });
        let mut defs = Vec::new();
        let mut uses = Vec::new();
        instruction.for_each_def(|register| defs.push(register));
        instruction.for_each_use(|register| uses.push(register));
        inst.defs = self.pool(&defs);
        inst.uses = self.pool(&uses);
        self.kernel.code.push(inst);
    }

    fn pool(&mut self, registers: &[RegId]) -> PoolRange {
        let start = self.kernel.operand_pool.len() as u32;
        let mut numbers: Vec<RegisterNumber> =
            registers.iter().map(|&register| self.scoreboard_number(register)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        self.kernel.operand_pool.extend(&numbers);
        PoolRange { start, len: numbers.len() as u16 }
    }

    /// Bank and row of a register of the current function.
    pub(crate) fn row_of(&self, register: RegId) -> (Bank, Row) {
        self.unit().rows.get(register.index()).copied().unwrap_or((Bank::W32, NO_ROW))
    }

    fn scoreboard_number(&self, register: RegId) -> RegisterNumber {
        self.number_of(self.row_of(register))
    }

    fn number_of(&self, (bank, row): (Bank, Row)) -> RegisterNumber {
        let first = match bank {
            Bank::W32 => 0,
            Bank::W64 => self.own.w32,
            Bank::Pred => self.own.w32 + self.own.w64,
        };
        (first + row) as RegisterNumber
    }

    /// The row that holds a 32-bit constant.
    pub(crate) fn constant32(&mut self, value: u32) -> Row {
        let (rows, constants) = (&mut self.kernel.rows.w32, &mut self.kernel.constants32);
        *self.constants32.entry(value).or_insert_with(|| {
            constants.push(value);
            *rows += 1;
            *rows - 1
        })
    }

    /// The row that holds a 64-bit constant.
    pub(crate) fn constant64(&mut self, value: u64) -> Row {
        let (rows, constants) = (&mut self.kernel.rows.w64, &mut self.kernel.constants64);
        *self.constants64.entry(value).or_insert_with(|| {
            constants.push(value);
            *rows += 1;
            *rows - 1
        })
    }

    /// The row that a special register fills at the start of a thread block.
    pub(crate) fn special_row(&mut self, special: shrinkwarp_ptx::isa::SpecialRegister) -> Row {
        if let Some(&(_, row)) = self.kernel.specials.iter().find(|(known, _)| *known == special) {
            return row;
        }
        let row = self.kernel.rows.w32;
        self.kernel.rows.w32 += 1;
        self.kernel.constants32.push(0);
        self.kernel.specials.push((special, row));
        row
    }

    fn finish(self) -> Kernel {
        self.kernel
    }
}

impl Banks {
    /// The next free row for a register of that type.
    fn take(&mut self, ty: ScalarType) -> (Bank, Row) {
        let (bank, next) = match ty.bits() {
            1 => (Bank::Pred, &mut self.pred),
            0..=32 => (Bank::W32, &mut self.w32),
            _ => (Bank::W64, &mut self.w64),
        };
        *next += 1;
        (bank, *next - 1)
    }

    fn until(self, end: Banks) -> RowRanges {
        RowRanges {
            w32: (self.w32, end.w32 - self.w32),
            w64: (self.w64, end.w64 - self.w64),
            pred: (self.pred, end.pred - self.pred),
        }
    }
}

/// The first run of digits in a name, as a number.
fn digits_of(name: &str) -> u16 {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(0)
}

/// Whether control can run past the last instruction, where PTX means a return.
fn falls_off_the_end(body: &Body) -> bool {
    let ends = |last: &Instruction| {
        last.guard.is_none()
            && matches!(
                last.opcode(),
                Opcode::Ret | Opcode::Exit | Opcode::Bra | Opcode::Trap | Opcode::BrxIdx
            )
    };
    let has_end_label = body.labels.iter().any(|label| label.instruction as usize >= body.instructions.len());
    has_end_label || !body.instructions.last().is_some_and(ends)
}

fn type_name(parameter: &shrinkwarp_ptx::ast::Variable) -> String {
    let element = match parameter.element {
        shrinkwarp_ptx::ast::VariableType::Scalar(ty) => ty.spelling(),
        _ => "opaque",
    };
    match parameter.dimensions.first() {
        Some(_) => format!("{element}[{}]", parameter.size_bytes),
        None => element.into(),
    }
}

/// The function that a call names; `None` when its address is in a register.
pub(crate) fn called_function(instruction: &Instruction) -> Option<FunctionId> {
    match instruction.operands.get(1) {
        Some(Operand::Symbol(Symbol::Function(id), _)) => Some(*id),
        _ => None,
    }
}
