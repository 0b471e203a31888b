//! Which parameters a kernel reads and writes through: decides whether its thread blocks may run at the same time.
//!
//! Every register carries the set of parameters its value may derive from, over all instructions at once, without
//! regard to control flow. A 64-bit value loaded from memory may point anywhere; a 32-bit one is no pointer.

use shrinkwarp_ptx::ast::{AddressBase, Body, Instruction, Operand, Symbol};
use shrinkwarp_ptx::isa::{Opcode, StateSpace, UnitClass, UnitRule};

/// A set of parameters; the top bit means memory of unknown origin.
pub(crate) type ParameterSet = u64;

/// Memory of unknown origin.
pub(crate) const UNKNOWN: ParameterSet = 1 << 63;

/// Through which parameters a kernel accesses global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Provenance {
    pub read: ParameterSet,
    pub written: ParameterSet,
}

impl Provenance {
    /// Of a kernel's body. A kernel that calls functions counts as unknown.
    pub(crate) fn of(body: &Body) -> Self {
        let sets = parameter_sets(body);
        let mut provenance = Provenance::default();
        for instruction in &body.instructions {
            provenance.add(instruction, &sets);
        }
        provenance
    }

    fn add(&mut self, instruction: &Instruction, sets: &[ParameterSet]) {
        let modifiers = instruction.modifiers();
        match instruction.opcode() {
            Opcode::Ld | Opcode::Ldu | Opcode::St
                if !matches!(modifiers.space, None | Some(StateSpace::Global | StateSpace::Texture)) => {}
            Opcode::Ld | Opcode::Ldu | Opcode::CpAsync => self.read |= address_set(instruction, 1, sets),
            Opcode::St => self.written |= address_set(instruction, 0, sets),
            Opcode::Call | Opcode::Atom | Opcode::Red => {
                self.read |= UNKNOWN;
                self.written |= UNKNOWN;
            }
            // Everything else that reaches memory: textures, matrices, asynchronous copies.
            opcode if opcode.info().unit == UnitRule::Always(UnitClass::Memory) => self.read |= UNKNOWN,
            _ => {}
        }
    }
}

/// For each register the parameters its value may derive from. An instruction is looked at again only when one of
/// its sources has changed.
fn parameter_sets(body: &Body) -> Vec<ParameterSet> {
    let mut readers = vec![Vec::new(); body.registers.len()];
    for (index, instruction) in body.instructions.iter().enumerate() {
        instruction.for_each_use(|register| readers[register.index()].push(index));
    }
    let mut sets = vec![0; body.registers.len()];
    let mut pending: Vec<usize> = (0..body.instructions.len()).rev().collect();
    let mut is_pending = vec![true; body.instructions.len()];
    while let Some(index) = pending.pop() {
        is_pending[index] = false;
        let instruction = &body.instructions[index];
        if !propagate(body, instruction, &mut sets) {
            continue;
        }
        instruction.for_each_def(|register| {
            for &reader in &readers[register.index()] {
                if !std::mem::replace(&mut is_pending[reader], true) {
                    pending.push(reader);
                }
            }
        });
    }
    sets
}

/// Adds what one instruction passes on; whether anything changed.
fn propagate(body: &Body, instruction: &Instruction, sets: &mut [ParameterSet]) -> bool {
    let mut incoming = 0;
    instruction.for_each_use(|register| incoming |= sets.get(register.index()).copied().unwrap_or(0));
    for operand in &instruction.operands {
        incoming |= operand_set(operand);
    }
    let is_load = matches!(instruction.opcode(), Opcode::Ld | Opcode::Ldu);
    let is_parameter = instruction.modifiers().space == Some(StateSpace::Parameter);
    if is_load && !is_parameter {
        incoming = UNKNOWN;
    }
    let mut changed = false;
    instruction.for_each_def(|register| {
        let is_pointer_sized = body.registers.get(register.index()).is_some_and(|r| r.ty.bits() == 64);
        let adds = if is_load && !is_parameter && !is_pointer_sized { 0 } else { incoming };
        if let Some(set) = sets.get_mut(register.index()) {
            changed |= *set | adds != *set;
            *set |= adds;
        }
    });
    changed
}

fn operand_set(operand: &Operand) -> ParameterSet {
    let of_symbol = |symbol: Symbol| match symbol {
        Symbol::Parameter(id) if id.0 < 63 => 1 << id.0,
        _ => UNKNOWN,
    };
    match operand {
        Operand::Symbol(symbol, _) => of_symbol(*symbol),
        Operand::Address(address) => match address.base {
            AddressBase::Symbol(symbol) => of_symbol(symbol),
            _ => 0,
        },
        _ => 0,
    }
}

fn address_set(instruction: &Instruction, at: usize, sets: &[ParameterSet]) -> ParameterSet {
    match instruction.operands.get(at) {
        Some(Operand::Address(address)) => match address.base {
            // An address that derives from no parameter was put together somehow: it may lead anywhere.
            AddressBase::Register(register) => {
                sets.get(register.index()).copied().filter(|&set| set != 0).unwrap_or(UNKNOWN)
            }
            _ => UNKNOWN,
        },
        _ => UNKNOWN,
    }
}
