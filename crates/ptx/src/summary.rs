//! What a function needs and is made of, in numbers.

use crate::ast::{Function, Instruction, Layout, Variable};
use crate::flow::{ControlFlow, Liveness};
use crate::isa::{Opcode, StateSpace, UnitClass};

/// Needs and instruction mix of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Static instructions.
    pub instructions: usize,
    /// Basic blocks.
    pub blocks: usize,
    /// 32-bit registers declared; a 64-bit register counts as two.
    pub declared_register_words: u64,
    /// 32-bit registers a thread needs at once, by liveness.
    pub needed_register_words: u32,
    /// Predicates a thread needs at once, by liveness.
    pub needed_predicates: u32,
    /// Bytes of parameters, each at its alignment.
    pub parameter_bytes: u64,
    /// Bytes of `.shared` variables declared in the body.
    pub shared_bytes: u64,
    /// Bytes of `.local` variables, per thread.
    pub local_bytes: u64,
    /// Instructions by unit, in the order of [`UnitClass::ALL`].
    pub by_unit: [usize; UnitClass::ALL.len()],
    /// Instructions by opcode, in table order; absent ones are left out.
    pub by_opcode: Vec<(Opcode, usize)>,
}

impl Summary {
    /// Counts a function; a declaration has zeros.
    pub fn of(function: &Function) -> Summary {
        let flow = ControlFlow::of(function);
        let liveness = Liveness::of(function, &flow);
        let body = function.body.as_ref();
        let instructions = body.map_or(&[][..], |body| &body.instructions);
        let variables = body.map_or(&[][..], |body| &body.variables);
        Summary {
            instructions: instructions.len(),
            blocks: flow.blocks.len(),
            declared_register_words: body.map_or(0, |body| body.declared_register_words),
            needed_register_words: liveness.register_words,
            needed_predicates: liveness.predicates,
            parameter_bytes: laid_out_bytes(function.parameters.iter()),
            shared_bytes: bytes_in(variables, StateSpace::Shared),
            local_bytes: bytes_in(variables, StateSpace::Local),
            by_unit: by_unit(instructions),
            by_opcode: by_opcode(instructions),
        }
    }
}

/// Bytes that variables of one space take when laid out in order, each at its alignment.
pub fn bytes_in(variables: &[Variable], space: StateSpace) -> u64 {
    laid_out_bytes(variables.iter().filter(|variable| variable.space == space))
}

fn laid_out_bytes<'a>(variables: impl Iterator<Item = &'a Variable>) -> u64 {
    let mut layout = Layout::default();
    variables.for_each(|variable| {
        layout.place(variable);
    });
    layout.bytes()
}

fn by_unit(instructions: &[Instruction]) -> [usize; UnitClass::ALL.len()] {
    let mut counts = [0; UnitClass::ALL.len()];
    for instruction in instructions {
        counts[instruction.variant.unit() as usize] += 1;
    }
    counts
}

fn by_opcode(instructions: &[Instruction]) -> Vec<(Opcode, usize)> {
    let mut counts = vec![0; Opcode::ALL.len()];
    for instruction in instructions {
        counts[instruction.opcode() as usize] += 1;
    }
    Opcode::ALL.iter().copied().zip(counts).filter(|(_, count)| *count > 0).collect()
}
