//! ld, st, atom, red, cp.async.

use shrinkwarp_ptx::ast::{Address, Immediate, Instruction, Operand};
use shrinkwarp_ptx::isa::{
    CacheOp, Kind, Opcode, Operation, ScalarType, Scope, Semantics, StateSpace, VectorWidth,
};

use super::builder::{Bank, Builder};
use super::operand::{bank_of, operand};
use super::{Decoded, Refusal, first_type, not_executable};
use crate::inst::{Access, AccessDirection, CacheOperator, Inst, NO_ROW, Row, Space, Unit};
use crate::kernel::VectorRegister;
use crate::op::{
    AtomicFunction, AtomicOp, AtomicType, Base, CopyAsync, CopyGroups, Extension, Op, Transfer, WideOp,
};

/// Whether a scope reaches beyond the thread block.
pub(crate) fn is_wide(scope: Scope) -> bool {
    !matches!(scope, Scope::Cta)
}

impl Builder<'_> {
    pub(crate) fn memory(&mut self, instruction: &Instruction) -> Decoded {
        let inst = match instruction.opcode() {
            Opcode::Ld | Opcode::Ldu => self.transfer(instruction, true)?,
            Opcode::St => self.transfer(instruction, false)?,
            Opcode::CpAsync => self.copy_async(instruction)?,
            _ => self.atomic(instruction)?,
        };
        Ok(Inst { unit: Unit::Memory, ..inst })
    }

    fn transfer(&mut self, instruction: &Instruction, is_load: bool) -> Decoded {
        let ty = first_type(instruction)?;
        let (address_at, value_at) = if is_load { (1, 0) } else { (0, 1) };
        let (space, base, a, offset) = self.located(instruction, address_at)?;
        let elements = instruction.modifiers().vector.map_or(1, VectorWidth::elements);
        let value = operand(instruction, value_at)?;
        let (d, extension) = self.elements(value, ty, elements, is_load)?;
        if ty.bits() > 64 || elements * ty.bytes() > 32 {
            return not_executable(instruction);
        }
        let transfer =
            Transfer { base, element_bytes: ty.bytes() as u8, elements: elements as u8, extension };
        let cache = cache_operator(instruction);
        let is_ordered = cache == CacheOperator::Volatile && matches!(space, Space::Global | Space::Generic);
        self.kernel.needs_block_order |= is_ordered;
        let kind = if is_load { AccessDirection::Load } else { AccessDirection::Store };
        let access = Access { space, kind, bytes_per_lane: (elements * ty.bytes()) as u16, cache };
        let op = if is_load { Op::Load(transfer) } else { Op::Store(transfer) };
        Ok(Inst { a, d, offset, access: Some(access), ..Inst::blank(op, instruction.span.line) })
    }

    /// Space, base, base row and offset of the address operand. Parameters of device functions lie in local memory.
    pub(super) fn located(
        &mut self,
        instruction: &Instruction,
        at: usize,
    ) -> Result<(Space, Base, Row, i64), Refusal> {
        let Operand::Address(address) = operand(instruction, at)? else {
            return Err(format!("{} needs an address", instruction.variant.spelling));
        };
        let (base, row, offset) = self.address(address)?;
        let is_kernel = self.module.functions[self.unit().id.index()].is_kernel();
        let space = match instruction.modifiers().space {
            None => generic_or_symbol(base, self.symbol_space(address)?),
            Some(StateSpace::Global | StateSpace::Texture) => Space::Global,
            Some(StateSpace::Shared | StateSpace::SharedCluster) => Space::Shared,
            Some(StateSpace::Local) => Space::Local,
            Some(StateSpace::Constant) => Space::Constant,
            Some(StateSpace::Parameter) if base == Base::Frame || !is_kernel => Space::Local,
            Some(StateSpace::Parameter) => Space::Parameter,
            Some(StateSpace::Register) => return not_executable(instruction),
        };
        Ok((space, base, row, offset))
    }

    /// The space of a symbol that is directly in an address.
    fn symbol_space(&self, address: &Address) -> Result<Option<Space>, Refusal> {
        use super::layout::Place;
        let shrinkwarp_ptx::ast::AddressBase::Symbol(symbol) = address.base else { return Ok(None) };
        Ok(Some(match self.place(symbol)? {
            Place::Global(_) | Place::Function(_) => Space::Global,
            Place::Constant(_) => Space::Constant,
            Place::Shared(_) => Space::Shared,
            Place::Frame(_) => Space::Local,
            Place::KernelParameter(_) => Space::Parameter,
        }))
    }

    /// The registers of a scalar or vector operand, as a list.
    pub(super) fn elements(
        &mut self,
        value: &Operand,
        ty: ScalarType,
        count: u32,
        is_load: bool,
    ) -> Result<(u32, Extension), Refusal> {
        let operands = match value {
            Operand::Vector(elements) => &elements[..],
            single => std::slice::from_ref(single),
        };
        if operands.len() != count as usize {
            return Err(format!("{count} elements were expected, {} are given", operands.len()));
        }
        let start = self.kernel.lists.len() as u32;
        let mut extension = Extension::Zero;
        for operand in operands {
            let element = match operand {
                Operand::Register(register) => {
                    let (bank, row) = self.row_of(*register);
                    if is_load && ty.is_signed() {
                        extension = Extension::Sign(self.register_bits(*register));
                    }
                    match bank {
                        Bank::W32 => VectorRegister::Row32(row),
                        Bank::W64 => VectorRegister::Row64(row),
                        Bank::Pred => return Err("a predicate cannot be loaded or stored".into()),
                    }
                }
                Operand::Sink if is_load => VectorRegister::Sink,
                other if !is_load => match bank_of(ty) {
                    Bank::W64 => VectorRegister::Row64(self.source(other, ty)?),
                    _ => VectorRegister::Row32(self.source(other, ty)?),
                },
                _ => return Err("a register was expected".into()),
            };
            self.kernel.lists.push(element);
        }
        Ok((start, extension))
    }

    fn register_bits(&self, register: shrinkwarp_ptx::ast::RegId) -> u8 {
        let body = self.module.functions[self.unit().id.index()].body.as_ref();
        body.and_then(|body| body.registers.get(register.index())).map_or(32, |r| r.ty.bits() as u8)
    }

    fn atomic(&mut self, instruction: &Instruction) -> Decoded {
        let ty = first_type(instruction)?;
        let returns = instruction.opcode() == Opcode::Atom;
        let at = usize::from(returns);
        let (space, base, a, offset) = self.located(instruction, at)?;
        let (Some(function), Some(atomic_ty)) =
            (instruction.modifiers().operation.and_then(atomic_function), atomic_type(ty))
        else {
            return not_executable(instruction);
        };
        if instruction.modifiers().vector.is_some() {
            return not_executable(instruction);
        }
        let is_global = matches!(space, Space::Global | Space::Generic);
        self.kernel.needs_block_order |= is_global;
        let dst = if returns { self.target_at(instruction, 0, ty)? } else { NO_ROW };
        let b = self.source_at(instruction, at + 1, ty)?;
        let is_swap = function == AtomicFunction::CompareAndSwap;
        let c = if is_swap { self.source_at(instruction, at + 2, ty)? } else { NO_ROW };
        let kind = if returns { AccessDirection::Atomic } else { AccessDirection::Reduction };
        let access =
            Access { space, kind, bytes_per_lane: atomic_ty.bytes() as u16, cache: CacheOperator::default() };
        let op = Op::Atomic(AtomicOp { base, function, ty: atomic_ty });
        Ok(Inst { dst, a, b, c, offset, access: Some(access), ..Inst::blank(op, instruction.span.line) })
    }

    fn copy_async(&mut self, instruction: &Instruction) -> Decoded {
        let address = |operand: &Operand| match operand {
            Operand::Address(address) => Some(*address),
            _ => None,
        };
        let (Some(target), Some(source), Some(Operand::Immediate(Immediate::Integer(bytes)))) = (
            address(operand(instruction, 0)?),
            address(operand(instruction, 1)?),
            instruction.operands.get(2),
        ) else {
            return not_executable(instruction);
        };
        let source_bytes = match instruction.operands.get(3) {
            Some(Operand::Register(register)) if self.row_of(*register).0 == Bank::Pred => {
                return not_executable(instruction);
            }
            Some(operand) => Some(self.source(operand, ScalarType::B32)?),
            None => None,
        };
        let (destination, a, offset) = self.address(&target)?;
        let (source, b, source_offset) = self.address(&source)?;
        let copy = CopyAsync { destination, source, source_offset, bytes: *bytes as u32, source_bytes };
        self.kernel.wide.push(WideOp::CopyAsync(copy));
        let op = Op::Wide(self.kernel.wide.len() as u32 - 1);
        let access = Access {
            space: Space::Global,
            kind: AccessDirection::Copy,
            bytes_per_lane: *bytes as u16,
            cache: cache_operator(instruction),
        };
        Ok(Inst { a, b, offset, access: Some(access), ..Inst::blank(op, instruction.span.line) })
    }
}

/// `cp.async.commit_group`, `cp.async.wait_group`, `cp.async.wait_all`.
pub(super) fn copy_groups(instruction: &Instruction) -> Decoded {
    let operation = match (instruction.opcode(), instruction.operands.first()) {
        (Opcode::CpAsyncCommitGroup, _) => CopyGroups::Commit,
        (Opcode::CpAsyncWaitGroup, Some(Operand::Immediate(Immediate::Integer(groups)))) => {
            CopyGroups::WaitForGroups(u32::try_from(*groups).unwrap_or(u32::MAX))
        }
        (Opcode::CpAsyncWaitGroup, _) => return not_executable(instruction),
        _ => CopyGroups::WaitForAll,
    };
    Ok(Inst::blank(Op::CopyGroups(operation), instruction.span.line))
}

fn generic_or_symbol(base: Base, symbol: Option<Space>) -> Space {
    match base {
        Base::Frame => Space::Local,
        _ => symbol.unwrap_or(Space::Generic),
    }
}

fn cache_operator(instruction: &Instruction) -> CacheOperator {
    let modifiers = instruction.modifiers();
    if modifiers.has(Kind::NonCoherent) {
        return CacheOperator::ReadOnly;
    }
    if !matches!(modifiers.semantics, None | Some(Semantics::Weak)) {
        return CacheOperator::Volatile;
    }
    match modifiers.cache {
        Some(CacheOp::Cg) => CacheOperator::Global,
        Some(CacheOp::Cs) => CacheOperator::Streaming,
        Some(CacheOp::Lu) => CacheOperator::LastUse,
        Some(CacheOp::Cv) => CacheOperator::Volatile,
        Some(CacheOp::Wt) => CacheOperator::WriteThrough,
        Some(CacheOp::Ca | CacheOp::Wb) | None => CacheOperator::All,
    }
}

pub(crate) fn atomic_function(operation: Operation) -> Option<AtomicFunction> {
    Some(match operation {
        Operation::Add => AtomicFunction::Add,
        Operation::Min => AtomicFunction::Min,
        Operation::Max => AtomicFunction::Max,
        Operation::And => AtomicFunction::And,
        Operation::Or => AtomicFunction::Or,
        Operation::Xor => AtomicFunction::Xor,
        Operation::Inc => AtomicFunction::Increment,
        Operation::Dec => AtomicFunction::Decrement,
        Operation::Exch => AtomicFunction::Exchange,
        Operation::Cas => AtomicFunction::CompareAndSwap,
        Operation::Popc => return None,
    })
}

pub(crate) fn atomic_type(ty: ScalarType) -> Option<AtomicType> {
    Some(match ty {
        ScalarType::B16 => AtomicType::B16,
        ScalarType::B32 | ScalarType::U32 => AtomicType::U32,
        ScalarType::S32 => AtomicType::S32,
        ScalarType::B64 | ScalarType::U64 => AtomicType::U64,
        ScalarType::S64 => AtomicType::S64,
        ScalarType::F32 => AtomicType::F32,
        ScalarType::F64 => AtomicType::F64,
        ScalarType::F16 => AtomicType::F16,
        ScalarType::F16x2 => AtomicType::F16x2,
        ScalarType::Bf16 => AtomicType::Bf16,
        ScalarType::Bf16x2 => AtomicType::Bf16x2,
        _ => return None,
    })
}
