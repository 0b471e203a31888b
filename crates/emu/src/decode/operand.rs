//! Operands to rows.

use shrinkwarp_ptx::ast::{Address, AddressBase, Immediate, Instruction, Operand, Symbol};
use shrinkwarp_ptx::isa::{ScalarType, SpecialRegister, StateSpace};

use super::Refusal;
use super::builder::{Bank, Builder};
use super::layout::Place;
use crate::inst::{NO_ROW, Row};
use crate::op::Base;

impl Builder<'_> {
    /// The row of a source in the bank that `ty` lives in.
    pub(crate) fn source(&mut self, operand: &Operand, ty: ScalarType) -> Result<Row, Refusal> {
        let wanted = bank_of(ty);
        match operand {
            Operand::Register(register) => {
                let (bank, row) = self.row_of(*register);
                if bank == wanted { Ok(row) } else { Err(self.wrong_width(operand, ty)) }
            }
            Operand::Immediate(immediate) => self.immediate(*immediate, ty),
            Operand::Special(special) => self.special_source(*special, ty),
            Operand::Symbol(symbol, offset) => {
                let value = self.symbol_value(*symbol)?.wrapping_add_signed(*offset);
                Ok(if wanted == Bank::W64 { self.constant64(value) } else { self.constant32(value as u32) })
            }
            _ => Err(format!("an operand of type .{} was expected", ty.spelling())),
        }
    }

    /// The source at a position.
    pub(crate) fn source_at(
        &mut self,
        instruction: &Instruction,
        position: usize,
        ty: ScalarType,
    ) -> Result<Row, Refusal> {
        self.source(operand(instruction, position)?, ty)
    }

    /// The row of a destination; `_` is no row.
    pub(crate) fn target(&self, operand: &Operand, ty: ScalarType) -> Result<Row, Refusal> {
        match operand {
            Operand::Register(register) => {
                let (bank, row) = self.row_of(*register);
                if bank == bank_of(ty) { Ok(row) } else { Err(self.wrong_width(operand, ty)) }
            }
            Operand::Sink => Ok(NO_ROW),
            _ => Err(format!("a register of type .{} was expected", ty.spelling())),
        }
    }

    /// The destination at a position.
    pub(crate) fn target_at(
        &self,
        instruction: &Instruction,
        position: usize,
        ty: ScalarType,
    ) -> Result<Row, Refusal> {
        self.target(operand(instruction, position)?, ty)
    }

    /// A predicate source and whether it is negated; a missing one is no row.
    pub(crate) fn predicate(&self, operand: Option<&Operand>) -> Result<(Row, bool), Refusal> {
        match operand {
            None => Ok((NO_ROW, false)),
            Some(Operand::Register(register)) => Ok((self.row_of(*register).1, false)),
            Some(Operand::NotPredicate(register)) => Ok((self.row_of(*register).1, true)),
            // No row reads as false; its negation is true.
            Some(Operand::Immediate(Immediate::Integer(value))) => Ok((NO_ROW, *value != 0)),
            Some(_) => Err("a predicate was expected".into()),
        }
    }

    /// A row with the value of an immediate, read as `ty`.
    pub(crate) fn immediate(&mut self, immediate: Immediate, ty: ScalarType) -> Result<Row, Refusal> {
        let bits = immediate_bits(immediate, ty);
        match bank_of(ty) {
            Bank::W64 => Ok(self.constant64(bits)),
            Bank::W32 => Ok(self.constant32(bits as u32)),
            Bank::Pred => Err("a predicate has no literals".into()),
        }
    }

    fn special_source(&mut self, special: SpecialRegister, ty: ScalarType) -> Result<Row, Refusal> {
        if let Some(value) = super::layout::reserved_offset(special, self.shared.reserved_at)
            && bank_of(ty) == Bank::W32
        {
            return Ok(self.constant32(value as u32));
        }
        if is_changing(special) {
            return Err(format!("{} can only be read by mov", special.name()));
        }
        match bank_of(ty) {
            Bank::W32 => Ok(self.special_row(special)),
            _ => Err(format!("{} has 32 bits; read it with a 32-bit type", special.name())),
        }
    }

    fn wrong_width(&self, operand: &Operand, ty: ScalarType) -> Refusal {
        let name = match operand {
            Operand::Register(register) => {
                let function = &self.module.functions[self.unit().id.index()];
                let body = function.body.as_ref();
                body.and_then(|body| body.registers.get(register.index())).map_or("?", |r| r.name.as_str())
            }
            _ => "?",
        };
        format!("register {name} has another width than .{}", ty.spelling())
    }

    /// Where a symbol lies.
    pub(crate) fn place(&self, symbol: Symbol) -> Result<Place, Refusal> {
        let unit = self.unit();
        let function = &self.module.functions[unit.id.index()];
        match symbol {
            Symbol::Function(id) => Ok(Place::Function(crate::load::function_address(id))),
            Symbol::Parameter(id) if function.is_kernel() => {
                let parameter = self.kernel.parameters.get(id.index());
                parameter.map(|p| Place::KernelParameter(p.offset)).ok_or_else(|| "unknown parameter".into())
            }
            Symbol::Parameter(id) => Ok(Place::Frame(unit.frame.parameters[id.index()].offset)),
            Symbol::Return(id) => Ok(Place::Frame(unit.frame.returns[id.index()].offset)),
            Symbol::Global(id) => match self.shared.offsets.get(&(None, id.0)) {
                Some(&offset) => Ok(Place::Shared(offset)),
                None => self.data.global_place(id),
            },
            Symbol::Local(id) => self.body_place(id.0),
        }
    }

    fn body_place(&self, index: u32) -> Result<Place, Refusal> {
        let unit = self.unit();
        if let Some(&offset) = self.shared.offsets.get(&(Some(unit.id), index)) {
            return Ok(Place::Shared(offset));
        }
        let body = self.module.functions[unit.id.index()].body.as_ref();
        match body.and_then(|body| body.variables.get(index as usize)).map(|variable| variable.space) {
            Some(StateSpace::Local | StateSpace::Parameter) => {
                Ok(Place::Frame(unit.frame.variables[index as usize].offset))
            }
            _ => self.data.body_place(unit.id, index),
        }
    }

    /// A symbol as a value: its address in its own space.
    pub(crate) fn symbol_value(&self, symbol: Symbol) -> Result<u64, Refusal> {
        match self.place(symbol)? {
            Place::Global(value) | Place::Constant(value) | Place::Shared(value) | Place::Function(value) => {
                Ok(value)
            }
            Place::KernelParameter(offset) => Ok(u64::from(offset)),
            Place::Frame(_) => Err("the address of a local variable can only be taken by mov or cvta".into()),
        }
    }

    /// Base kind, base row and offset of an address.
    pub(crate) fn address(&self, address: &Address) -> Result<(Base, Row, i64), Refusal> {
        let offset = address.offset_bytes;
        match address.base {
            AddressBase::Register(register) => match self.row_of(register) {
                (Bank::W64, row) => Ok((Base::Row64, row, offset)),
                (Bank::W32, row) => Ok((Base::Row32, row, offset)),
                (Bank::Pred, _) => Err("a predicate is not an address".into()),
            },
            AddressBase::Absolute => Ok((Base::Absolute, NO_ROW, offset)),
            AddressBase::Symbol(symbol) => match self.place(symbol)? {
                Place::Frame(at) => Ok((Base::Frame, NO_ROW, offset.wrapping_add(i64::from(at)))),
                _ => Ok((Base::Absolute, NO_ROW, offset.wrapping_add(self.symbol_value(symbol)? as i64))),
            },
        }
    }
}

/// The operand at a position.
pub(crate) fn operand(instruction: &Instruction, position: usize) -> Result<&Operand, Refusal> {
    instruction
        .operands
        .get(position)
        .ok_or_else(|| format!("{} has too few operands", instruction.variant.spelling))
}

/// The bank that values of a type live in.
pub(crate) fn bank_of(ty: ScalarType) -> Bank {
    match ty.bits() {
        1 => Bank::Pred,
        64.. => Bank::W64,
        _ => Bank::W32,
    }
}

/// The bits of a literal, read as a value of `ty`.
pub(crate) fn immediate_bits(immediate: Immediate, ty: ScalarType) -> u64 {
    let width = if ty.bits() >= 64 { u64::MAX } else { (1 << ty.bits()) - 1 };
    let bits = match (immediate, ty) {
        (Immediate::F32(bits), ScalarType::F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Immediate::F32(bits), ScalarType::F16) => {
            u64::from(half::f16::from_f32(f32::from_bits(bits)).to_bits())
        }
        (Immediate::F64(bits), ScalarType::F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (Immediate::F64(bits), ScalarType::F16) => {
            u64::from(half::f16::from_f64(f64::from_bits(bits)).to_bits())
        }
        (Immediate::F32(bits), _) => u64::from(bits),
        (Immediate::F64(bits) | Immediate::Integer(bits), _) => bits,
    };
    bits & width
}

/// Special registers that change while a thread block runs.
pub(crate) fn is_changing(special: SpecialRegister) -> bool {
    use SpecialRegister as S;
    matches!(
        special,
        S::Clock
            | S::ClockHi
            | S::Clock64
            | S::GlobalTimer
            | S::GlobalTimerLo
            | S::GlobalTimerHi
            | S::SmId
            | S::NsmId
            | S::TotalSharedBytes
            | S::AggregateSharedBytes
            | S::GridId
    )
}
