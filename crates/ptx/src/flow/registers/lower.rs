//! Instructions as the machine would have them: which words they read and write, and how long they take.

use rustc_hash::FxHashMap;

use super::Family;
use super::unroll;
use super::words::{Source, Word, Words, is_zero};
use crate::ast::{AddressBase, Body, Immediate, Instruction, Operand, RegId, Symbol};
use crate::flow::ControlFlow;
use crate::isa::{Kind, Opcode, Role, ScalarType, StateSpace, UnitClass};

/// One machine instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Op {
    /// Words written.
    pub writes: Vec<Word>,
    /// Words read, ascending, each once.
    pub reads: Vec<Word>,
    /// Predicates written.
    pub writes_predicates: Vec<RegId>,
    /// Predicates read.
    pub reads_predicates: Vec<RegId>,
    /// Whether lanes may keep the old values.
    pub is_guarded: bool,
    /// Cycles until the result can be read, roughly: only their order matters.
    pub latency: u32,
    /// What it must not overtake.
    pub order: Order,
    /// Words needed only while it runs: divisions and roots are short programs.
    pub scratch_words: u32,
    /// Whether it reads its operands late, so that their registers stay taken for a while.
    pub holds_operands: bool,
}

/// Which other accesses an instruction stays behind or in front of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// None.
    #[default]
    Free,
    /// Stores to the same space.
    Load(Option<StateSpace>),
    /// All accesses to the same space.
    Store(Option<StateSpace>),
    /// Everything: barriers, calls, branches.
    Full,
}

/// A function.
#[derive(Debug, Default)]
pub(super) struct Lowered {
    /// By block.
    pub blocks: Vec<Vec<Op>>,
    /// By block: whether it is a loop that a compiler unrolls.
    pub unrolls: Vec<bool>,
    /// How many words there are.
    pub words: u32,
}

/// Lowers a body.
pub(super) fn lower(body: &Body, flow: &ControlFlow, is_kernel: bool, family: &Family) -> Lowered {
    let words = Words::of(body, is_kernel);
    let lower_block = |start: usize, end: usize| -> Vec<Lowering> {
        let left = (start..end).filter(|&index| !words.is_folded[index]);
        left.map(|index| Lowering::of(&words, &body.instructions[index], family)).collect()
    };
    let mut blocks: Vec<_> = flow.blocks.iter().map(|block| lower_block(block.start, block.end)).collect();
    remove_unread(&mut blocks, words.count() as usize, body.registers.len());
    let unrolls = flow.blocks.iter().map(|block| unroll::is_counted_loop(body, flow, block)).collect();
    let mut lowered = Lowered { blocks: Vec::with_capacity(blocks.len()), unrolls, words: words.count() };
    for block in blocks {
        let ops = with_constants(block, &mut lowered.words);
        lowered.blocks.push(ops);
    }
    lowered
}

/// An instruction and the constants that it needs in registers.
struct Lowering {
    op: Op,
    constants: Vec<Constant>,
}

/// A constant, so that instructions of a block share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Constant {
    Value(u64),
    Part(RegId, u32),
    SymbolWord(Symbol, u32),
    /// One of several of an instruction.
    Another(usize),
}

impl Lowering {
    fn of(words: &Words<'_>, instruction: &Instruction, family: &Family) -> Lowering {
        let mut op = Op {
            is_guarded: instruction.guard.is_some(),
            latency: latency(instruction),
            order: order(instruction),
            scratch_words: scratch_words(instruction),
            holds_operands: is_access(instruction) || instruction.opcode() == Opcode::Shfl,
            ..Op::default()
        };
        op.reads_predicates.extend(instruction.guard.map(|guard| guard.predicate));
        instruction.for_each_def(|register| {
            if words.width(register) == 0 {
                op.writes_predicates.push(register);
            }
            op.writes.extend(words.written(register));
        });
        let mut lowering = Lowering { op, constants: Vec::new() };
        if let Some((base, scaled)) = words.scaled_sum(instruction) {
            lowering.read_words(words, scaled.index, if scaled.is_narrow { 1 } else { 2 });
            match base {
                Operand::Register(base) if !words.is_constant(*base) => {
                    lowering.read_words(words, *base, words.width(*base));
                }
                _ if family.factor_needs_register => lowering.constants.push(Constant::Value(4)),
                _ => {}
            }
        } else {
            lowering.read_operands(words, instruction);
        }
        lowering.op.reads.sort_unstable();
        lowering.op.reads.dedup();
        lowering
    }

    fn read_words(&mut self, words: &Words<'_>, register: RegId, count: u32) {
        for part in 0..count {
            if let Source::Word(word) = words.source(register, part) {
                self.op.reads.push(word);
            }
        }
    }

    /// An operand that may be a constant only where `takes_constants`; whether it is one and may.
    fn read(&mut self, words: &Words<'_>, register: RegId, takes_constants: bool) -> bool {
        let width = words.width(register);
        if width == 0 {
            self.op.reads_predicates.push(register);
            return false;
        }
        self.read_words(words, register, width);
        let constants = (0..width).filter(|&part| words.source(register, part) == Source::Constant);
        if takes_constants {
            return constants.count() > 0;
        }
        self.constants.extend(constants.map(|part| Constant::Part(register, part)));
        false
    }

    fn read_operands(&mut self, words: &Words<'_>, instruction: &Instruction) {
        let shape = &instruction.opcode().info().shape;
        let space = instruction.modifiers().space;
        let takes_constants = !is_access(instruction) && instruction.opcode() != Opcode::Shfl;
        let mut constants = 0;
        for (position, operand) in instruction.operands.iter().enumerate() {
            if shape.role(position) == Role::Destination {
                continue;
            }
            match operand {
                Operand::Address(address) => match address.base {
                    AddressBase::Register(register) => {
                        let takes_constants =
                            matches!(space, Some(StateSpace::Shared | StateSpace::Constant));
                        self.read(words, words.address_base(register), takes_constants);
                    }
                    AddressBase::Symbol(symbol) if matches!(space, None | Some(StateSpace::Global)) => {
                        self.constants.extend((0..2).map(|part| Constant::SymbolWord(symbol, part)));
                    }
                    _ => {}
                },
                Operand::Texture(texture) => {
                    self.read_plain(words, &texture.texture, true);
                    self.read_plain(words, &texture.coordinates, false);
                }
                operand => constants += self.read_plain(words, operand, takes_constants),
            }
        }
        // One operand of an instruction may be a constant, the others are in registers.
        let others = 1..constants.max(1);
        self.constants.extend(others.map(Constant::Another));
    }

    /// Registers, constants and vectors of them; how many constants it takes as they are.
    fn read_plain(&mut self, words: &Words<'_>, operand: &Operand, takes_constants: bool) -> usize {
        match operand {
            Operand::Register(register) | Operand::NotPredicate(register) => {
                usize::from(self.read(words, *register, takes_constants))
            }
            Operand::Immediate(value) if is_zero(value) => 0,
            Operand::Immediate(value) if !takes_constants => {
                self.constants.push(Constant::Value(bits_of(value)));
                0
            }
            Operand::Immediate(_) | Operand::Symbol(..) => 1,
            Operand::Vector(parts) | Operand::List(parts) => {
                for part in parts {
                    match part {
                        Operand::Register(register) => {
                            self.read(words, *register, takes_constants);
                        }
                        Operand::Immediate(value) if !takes_constants && !is_zero(value) => {
                            self.constants.push(Constant::Value(bits_of(value)));
                        }
                        _ => {}
                    }
                }
                0
            }
            _ => 0,
        }
    }
}

/// Puts an instruction in front of the first one of a block that needs a constant in a register.
fn with_constants(block: Vec<Lowering>, words: &mut u32) -> Vec<Op> {
    let mut ops = Vec::with_capacity(block.len());
    let mut known: FxHashMap<Constant, Word> = FxHashMap::default();
    for Lowering { mut op, constants } in block {
        for constant in constants {
            let word = *known.entry(constant).or_insert_with(|| {
                let word = *words;
                *words += 1;
                ops.push(Op { writes: vec![word], latency: ARITHMETIC, ..Op::default() });
                word
            });
            op.reads.push(word);
        }
        op.reads.sort_unstable();
        op.reads.dedup();
        ops.push(op);
    }
    ops
}

/// Removes instructions whose results nothing reads, and results of arithmetic that nothing reads.
fn remove_unread(blocks: &mut [Vec<Lowering>], words: usize, registers: usize) {
    loop {
        let mut is_read = vec![false; words];
        let mut is_read_predicate = vec![false; registers];
        for Lowering { op, .. } in blocks.iter().flatten() {
            op.reads.iter().for_each(|&word| is_read[word as usize] = true);
            op.reads_predicates.iter().for_each(|predicate| is_read_predicate[predicate.index()] = true);
        }
        let is_needed = |op: &Op| {
            matches!(op.order, Order::Store(_) | Order::Full)
                || (op.writes.is_empty() && op.writes_predicates.is_empty())
                || op.writes.iter().any(|&word| is_read[word as usize])
                || op.writes_predicates.iter().any(|predicate| is_read_predicate[predicate.index()])
        };
        let mut is_changed = false;
        for block in blocks.iter_mut() {
            let before = block.len();
            block.retain(|lowering| is_needed(&lowering.op));
            is_changed |= block.len() != before;
            for Lowering { op, .. } in block.iter_mut().filter(|lowering| !lowering.op.holds_operands) {
                op.writes.retain(|&word| is_read[word as usize]);
            }
        }
        if !is_changed {
            return;
        }
    }
}

const ARITHMETIC: u32 = 5;
const DOUBLE: u32 = 10;
const SPECIAL: u32 = 18;
const EXCHANGE: u32 = 20;
const SHARED_LOAD: u32 = 24;
const CONSTANT_LOAD: u32 = 8;
const GLOBAL_LOAD: u32 = 40;
const DIVISION: u32 = 60;

fn latency(instruction: &Instruction) -> u32 {
    use Opcode as O;
    let modifiers = instruction.modifiers();
    match instruction.opcode() {
        O::Ld | O::Ldu | O::Tex | O::Atom => match modifiers.space {
            Some(StateSpace::Shared) => SHARED_LOAD,
            Some(StateSpace::Constant | StateSpace::Parameter) => CONSTANT_LOAD,
            _ => GLOBAL_LOAD,
        },
        O::Mov if matches!(instruction.operands.get(1), Some(Operand::Special(_))) => EXCHANGE,
        O::Shfl => EXCHANGE,
        O::Div | O::Rem => DIVISION,
        O::Sqrt | O::Rcp | O::Rsqrt | O::Sin | O::Cos | O::Ex2 | O::Lg2 | O::Tanh => SPECIAL,
        _ if modifiers.types.first() == Some(ScalarType::F64) => DOUBLE,
        _ => ARITHMETIC,
    }
}

/// Registers of the short programs that compilers put for these operations.
fn scratch_words(instruction: &Instruction) -> u32 {
    use Opcode as O;
    let modifiers = instruction.modifiers();
    let Some(ty) = modifiers.types.first() else { return 0 };
    let is_approximate = modifiers.has(Kind::Approx) || modifiers.has(Kind::Full);
    match (instruction.opcode(), ty.is_float(), ty.bits()) {
        (O::Div | O::Rem, false, 64) => 10,
        (O::Div | O::Rem, false, _) => match instruction.operands.get(2) {
            Some(Operand::Immediate(_)) => 1,
            _ => 5,
        },
        (O::Div, true, 64) => 14,
        (O::Rcp | O::Sqrt | O::Rsqrt, true, 64) => 12,
        (O::Div, true, _) if is_approximate => 1,
        (O::Div, true, _) => 8,
        (O::Rcp | O::Sqrt, true, _) if !is_approximate => 6,
        _ => 0,
    }
}

fn order(instruction: &Instruction) -> Order {
    use Opcode as O;
    let modifiers = instruction.modifiers();
    match instruction.opcode() {
        O::Ld | O::Ldu
            if modifiers.has(Kind::NonCoherent) || modifiers.space == Some(StateSpace::Constant) =>
        {
            Order::Free
        }
        O::Ld | O::Ldu | O::WmmaLoad | O::Ldmatrix => Order::Load(modifiers.space),
        O::St | O::WmmaStore | O::Stmatrix | O::Atom | O::Red => Order::Store(modifiers.space),
        O::SustB | O::SustP | O::SuredB | O::SuredP => Order::Store(None),
        O::Vote | O::Match | O::Activemask => Order::Full,
        _ => match instruction.variant.unit() {
            UnitClass::Control | UnitClass::Barrier | UnitClass::Memory => Order::Full,
            _ => Order::Free,
        },
    }
}

fn is_access(instruction: &Instruction) -> bool {
    use Opcode as O;
    matches!(instruction.opcode(), O::Ld | O::Ldu | O::St | O::Atom | O::Red | O::Tex)
}

fn bits_of(value: &Immediate) -> u64 {
    match value {
        Immediate::Integer(bits) | Immediate::F64(bits) => *bits,
        Immediate::F32(bits) => u64::from(*bits),
    }
}
