//! Registers as 32-bit words, and which of them need no register of the machine.
//!
//! A register that is written once can be another name for what was written: the source of a copy, a half of a pair, a
//! parameter or a constant. Parameters and constants are operands of machine instructions by themselves.

use rustc_hash::FxHashMap;

use crate::ast::{Address, AddressBase, Body, Immediate, Instruction, Operand, RegId, Symbol};
use crate::isa::{Opcode, Product, ScalarType, SpecialRegister, StateSpace};

/// Number of a word.
pub(super) type Word = u32;

/// Stands for zero, which the machine has a register for.
const ZERO: Word = u32::MAX;
/// Stands for a constant or a parameter.
const CONSTANT: Word = u32::MAX - 1;

/// What a word really is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A word that needs a register.
    Word(Word),
    /// A constant or a parameter.
    Constant,
    /// Zero.
    Zero,
}

/// A 64-bit product of an index and a constant: `base + index * 4` is one machine instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    /// The index.
    pub index: RegId,
    /// Whether it has 32 bits.
    pub is_narrow: bool,
    /// The instruction that multiplies.
    product: u32,
}

/// The words of a body.
#[derive(Debug)]
pub(super) struct Words<'a> {
    body: &'a Body,
    is_kernel: bool,
    /// By register: its only writer; `None` where there are several or it is guarded.
    writers: Vec<Option<u32>>,
    /// By register: its first word.
    first: Vec<Word>,
    /// By word: what it is another name for, itself if nothing.
    names: Vec<Word>,
    /// By instruction: whether nothing is left of it.
    pub is_folded: Vec<bool>,
    scaled: Vec<Option<Scaled>>,
    /// By register: whether it is a number or an address that is known when the kernel is compiled.
    is_fixed: Vec<bool>,
    /// The instructions that write a register which several write, ascending.
    rewriters: FxHashMap<RegId, Vec<u32>>,
}

impl<'a> Words<'a> {
    /// Of a body; only kernels have their parameters in the constant bank.
    pub fn of(body: &'a Body, is_kernel: bool) -> Words<'a> {
        let mut first = Vec::with_capacity(body.registers.len());
        let mut count = 0;
        for register in &body.registers {
            first.push(count);
            count += words_in(register.ty);
        }
        let mut words = Words {
            body,
            is_kernel,
            writers: writers(body),
            first,
            names: (0..count).collect(),
            is_folded: vec![false; body.instructions.len()],
            scaled: vec![None; body.registers.len()],
            is_fixed: vec![false; body.registers.len()],
            rewriters: FxHashMap::default(),
        };
        words.note_rewriters();
        for (index, instruction) in body.instructions.iter().enumerate() {
            if instruction.guard.is_none() {
                words.is_folded[index] = words.fold(instruction);
            }
        }
        for (at, instruction) in (0..).zip(&body.instructions) {
            words.note_scaled(at, instruction);
        }
        words
    }

    /// How many words there are.
    pub fn count(&self) -> u32 {
        self.names.len() as u32
    }

    /// Words of a register; a predicate has none.
    pub fn width(&self, register: RegId) -> u32 {
        words_in(self.body.registers[register.index()].ty)
    }

    /// What a word of a register is.
    pub fn source(&self, register: RegId, part: u32) -> Source {
        match self.resolve(self.first[register.index()] + part) {
            ZERO => Source::Zero,
            CONSTANT => Source::Constant,
            word => Source::Word(word),
        }
    }

    /// The words that writing a register writes: those that are not names for others.
    pub fn written(&self, register: RegId) -> impl Iterator<Item = Word> {
        let first = self.first[register.index()];
        (first..first + self.width(register)).filter(|&word| self.names[word as usize] == word)
    }

    /// Whether all of a register is constant.
    pub fn is_constant(&self, register: RegId) -> bool {
        let width = self.width(register);
        width > 0 && (0..width).all(|part| !matches!(self.source(register, part), Source::Word(_)))
    }

    /// The only writer of a register.
    fn writer(&self, register: RegId) -> Option<&'a Instruction> {
        self.writers[register.index()].map(|index| &self.body.instructions[index as usize])
    }

    /// The register that an address has after constant offsets moved into the access, and the offsets.
    pub fn address_base(&self, register: RegId) -> (RegId, i64) {
        /// Longer chains of offsets end somewhere on the way; a register may even be its own offset.
        const LONGEST_CHAIN: usize = 64;
        let (mut base, mut offset) = (register, 0_i64);
        for _ in 0..LONGEST_CHAIN {
            match self.writer(base).and_then(|writer| self.without_offset(writer)) {
                Some((source, more)) => (base, offset) = (source, offset.wrapping_add(more)),
                None => break,
            }
        }
        (base, offset)
    }

    fn without_offset(&self, writer: &Instruction) -> Option<(RegId, i64)> {
        let Some(Operand::Register(source)) = writer.operands.get(1) else { return None };
        let offset = match writer.opcode() {
            Opcode::Add | Opcode::Sub if !self.is_constant(*source) => constant_added(writer)?,
            Opcode::Mov | Opcode::Cvta => 0,
            _ => return None,
        };
        self.writer(*source).is_some().then_some((*source, offset))
    }

    fn note_rewriters(&mut self) {
        for (at, instruction) in (0..).zip(&self.body.instructions) {
            instruction.for_each_def(|register| {
                if self.writers[register.index()].is_none() {
                    self.rewriters.entry(register).or_default().push(at);
                }
            });
        }
    }

    /// Whether a register still has at an instruction of a block what it had at an earlier one.
    fn is_kept(&self, register: RegId, since: u32, block_start: u32, at: u32) -> bool {
        let Some(rewriters) = self.rewriters.get(&register) else { return true };
        let next = rewriters.partition_point(|&rewriter| rewriter < since);
        since >= block_start && since < at && rewriters.get(next).is_none_or(|&rewriter| rewriter >= at)
    }

    /// The other summand and the index, where an instruction of a block adds a scaled index.
    pub fn scaled_sum(&self, block_start: usize, at: usize) -> Option<(&'a Operand, Scaled)> {
        let instruction = &self.body.instructions[at];
        let ty = instruction.modifiers().types.first()?;
        if instruction.opcode() != Opcode::Add || ty.bits() != 64 || ty.is_float() {
            return None;
        }
        [(1, 2), (2, 1)].into_iter().find_map(|(product, other)| {
            let Some(Operand::Register(register)) = instruction.operands.get(product) else { return None };
            let scaled = self.scaled[register.index()]?;
            let is_kept = self.is_kept(scaled.index, scaled.product, block_start as u32, at as u32);
            is_kept.then_some((instruction.operands.get(other)?, scaled))
        })
    }

    fn resolve(&self, mut word: Word) -> Word {
        while word < CONSTANT && self.names[word as usize] != word {
            word = self.names[word as usize];
        }
        word
    }

    fn rename(&mut self, register: RegId, part: u32, to: Word) {
        let word = self.first[register.index()] + part;
        self.names[word as usize] = to;
    }

    fn rename_all(&mut self, register: RegId, to: Word) {
        for part in 0..self.width(register) {
            self.rename(register, part, to);
        }
    }

    /// Gives results another name where they need no instruction; whether nothing is left of the instruction.
    fn fold(&mut self, instruction: &Instruction) -> bool {
        let mut has_single_results = true;
        instruction.for_each_def(|register| {
            has_single_results &= self.writer(register).is_some() && self.width(register) > 0;
        });
        if !has_single_results {
            return false;
        }
        match (instruction.opcode(), instruction.operands.as_slice()) {
            (Opcode::Ld, [_, Operand::Address(address), ..]) => self.fold_load(instruction, address),
            (Opcode::Mov | Opcode::Cvta, [Operand::Register(result), source]) => {
                self.fold_copy(*result, source)
            }
            (Opcode::Mov, [Operand::Vector(parts), Operand::Register(source)]) => self.unpack(parts, *source),
            (Opcode::Add | Opcode::Sub, [Operand::Register(result), left, right]) => {
                self.fold_sum(*result, left, right)
            }
            (Opcode::Cvt, [Operand::Register(result), Operand::Register(source), ..]) => {
                self.fold_conversion(instruction, *result, *source)
            }
            _ => false,
        }
    }

    /// Parameters of kernels and named constants are operands by themselves.
    fn fold_load(&mut self, instruction: &Instruction, address: &Address) -> bool {
        let is_constant = match (instruction.modifiers().space, address.base) {
            (Some(StateSpace::Parameter), AddressBase::Symbol(Symbol::Parameter(_))) => self.is_kernel,
            (Some(StateSpace::Constant), AddressBase::Symbol(_)) => true,
            _ => false,
        };
        if is_constant {
            let mut results = Vec::new();
            instruction.for_each_def(|register| results.push(register));
            for register in results {
                self.rename_all(register, CONSTANT);
            }
        }
        is_constant
    }

    /// A sum of constants is one: an offset in a variable is part of its address.
    fn fold_sum(&mut self, result: RegId, left: &Operand, right: &Operand) -> bool {
        let is_fixed = self.is_fixed(left) && self.is_fixed(right);
        if is_fixed {
            self.rename_all(result, CONSTANT);
            self.is_fixed[result.index()] = true;
        }
        is_fixed
    }

    fn is_fixed(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Immediate(_) | Operand::Symbol(..) => true,
            Operand::Register(register) => self.is_fixed[register.index()],
            _ => false,
        }
    }

    fn fold_copy(&mut self, result: RegId, source: &Operand) -> bool {
        self.is_fixed[result.index()] = self.is_fixed(source);
        match source {
            Operand::Immediate(value) if is_zero(value) => self.rename_all(result, ZERO),
            Operand::Immediate(_) | Operand::Symbol(..) => self.rename_all(result, CONSTANT),
            Operand::Special(special) if is_in_constant_bank(*special) => self.rename_all(result, CONSTANT),
            Operand::Register(source)
                if self.writer(*source).is_some() && self.width(*source) == self.width(result) =>
            {
                for part in 0..self.width(result) {
                    self.rename(result, part, self.resolve(self.first[source.index()] + part));
                }
            }
            Operand::Vector(parts) => return self.pack(result, parts),
            _ => return false,
        }
        true
    }

    /// `mov.b64 %rd1, {%r1, %r2}`
    fn pack(&mut self, result: RegId, parts: &[Operand]) -> bool {
        let is_word = |part: &Operand| match part {
            Operand::Register(register) => self.writer(*register).is_some() && self.width(*register) == 1,
            Operand::Immediate(_) => true,
            _ => false,
        };
        if parts.len() < 2 || parts.len() as u32 != self.width(result) || !parts.iter().all(is_word) {
            return false;
        }
        for (part, operand) in (0..).zip(parts) {
            let name = match operand {
                Operand::Register(register) => self.resolve(self.first[register.index()]),
                _ => CONSTANT,
            };
            self.rename(result, part, name);
        }
        true
    }

    /// `mov.b64 {%r1, %r2}, %rd1`
    fn unpack(&mut self, parts: &[Operand], source: RegId) -> bool {
        let is_word = |part: &Operand| match part {
            Operand::Register(register) => self.width(*register) == 1,
            _ => true,
        };
        let fits = parts.len() > 1 && parts.len() as u32 == self.width(source) && parts.iter().all(is_word);
        if !fits || self.writer(source).is_none() {
            return false;
        }
        for (part, operand) in (0..).zip(parts) {
            if let Operand::Register(register) = operand {
                self.rename(*register, 0, self.resolve(self.first[source.index()] + part));
            }
        }
        true
    }

    /// The low word of a conversion between integers is the source; an unsigned one has zeros above it.
    fn fold_conversion(&mut self, instruction: &Instruction, result: RegId, source: RegId) -> bool {
        let mut types = instruction.modifiers().types.iter();
        let (Some(to), Some(from)) = (types.next(), types.next()) else { return false };
        let is_extended = from.is_signed() && from.bits() < to.bits();
        let keeps_low_word = !to.is_float() && !from.is_float() && to.bits() >= 16;
        if !keeps_low_word || self.writer(source).is_none() || (is_extended && from.bits() < 32) {
            return false;
        }
        let low = self.resolve(self.first[source.index()]);
        self.rename(result, 0, low);
        match (self.width(result), self.width(source)) {
            (1, _) => true,
            (2, 2) => {
                self.rename(result, 1, self.resolve(self.first[source.index()] + 1));
                true
            }
            (2, 1) if low >= CONSTANT || !is_extended => {
                self.rename(result, 1, if is_extended { low } else { ZERO });
                true
            }
            _ => false,
        }
    }

    fn note_scaled(&mut self, product: u32, instruction: &Instruction) {
        let [Operand::Register(result), Operand::Register(index), factor, ..] =
            instruction.operands.as_slice()
        else {
            return;
        };
        if self.writer(*result).is_none() || self.width(*result) != 2 {
            return;
        }
        let is_fixed = match factor {
            Operand::Immediate(_) => true,
            Operand::Register(register) => self.is_constant(*register),
            _ => false,
        };
        self.scaled[result.index()] = match instruction.opcode() {
            Opcode::Mul if instruction.modifiers().product == Some(Product::Wide) && is_fixed => {
                Some(Scaled { index: *index, is_narrow: true, product })
            }
            Opcode::Shl if is_fixed => Some(self.widened(*index, product)),
            _ => None,
        };
    }

    /// A 64-bit index, or the 32-bit one that it was made of.
    fn widened(&self, index: RegId, product: u32) -> Scaled {
        let narrow = self.writer(index).filter(|writer| writer.opcode() == Opcode::Cvt);
        match narrow.and_then(|writer| writer.operands.get(1)) {
            Some(Operand::Register(source)) if self.width(*source) == 1 && self.writer(*source).is_some() => {
                Scaled { index: *source, is_narrow: true, product }
            }
            _ => Scaled { index, is_narrow: false, product },
        }
    }
}

/// The constant that an instruction adds to an integer.
pub(super) fn constant_added(instruction: &Instruction) -> Option<i64> {
    let Some(Operand::Immediate(Immediate::Integer(constant))) = instruction.operands.get(2) else {
        return None;
    };
    match instruction.opcode() {
        Opcode::Add => Some(*constant as i64),
        Opcode::Sub => Some((*constant as i64).wrapping_neg()),
        _ => None,
    }
}

/// By register: its only writer, if that is not guarded.
fn writers(body: &Body) -> Vec<Option<u32>> {
    let mut writers = vec![None; body.registers.len()];
    let mut is_written = vec![false; body.registers.len()];
    for (index, instruction) in body.instructions.iter().enumerate() {
        instruction.for_each_def(|register| {
            let again = std::mem::replace(&mut is_written[register.index()], true);
            let is_only = !again && instruction.guard.is_none();
            writers[register.index()] = is_only.then_some(index as u32);
        });
    }
    writers
}

pub(super) fn is_zero(value: &Immediate) -> bool {
    matches!(value, Immediate::Integer(0) | Immediate::F32(0) | Immediate::F64(0))
}

/// Extents of grid and thread block are in the constant bank; indices are not.
fn is_in_constant_bank(special: SpecialRegister) -> bool {
    use SpecialRegister as S;
    matches!(special, S::NtidX | S::NtidY | S::NtidZ | S::NctaidX | S::NctaidY | S::NctaidZ)
}

fn words_in(ty: ScalarType) -> u32 {
    if ty == ScalarType::Pred { 0 } else { ty.bits().div_ceil(32) }
}
