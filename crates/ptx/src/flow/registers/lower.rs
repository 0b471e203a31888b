//! Instructions as the machine would have them: which words they read and write, and how long they take.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Family;
use super::op::{Bytes, Op, OpRole, Order};
use super::predication;
use super::words::{Scaled, Source, Word, Words, constant_added, is_zero};
use crate::ast::{Address, AddressBase, Body, Immediate, Instruction, Operand, RegId, Symbol};
use crate::flow::{BlockId, ControlFlow};
use crate::isa::{Kind, Opcode, Product, Role, ScalarType, StateSpace, UnitClass};

/// A basic block.
#[derive(Debug, Default)]
pub(super) struct LoweredBlock {
    /// Its instructions.
    pub ops: Vec<Op>,
    /// Where control can go next.
    pub successors: Vec<BlockId>,
    /// Whether the source forbids to unroll the loop that it ends.
    pub is_kept_loop: bool,
}

/// A function.
#[derive(Debug, Default)]
pub(super) struct Lowered {
    /// In the order of the source; those that another took in are empty.
    pub blocks: Vec<LoweredBlock>,
    /// How many words there are.
    pub words: u32,
}

/// Lowers a body.
pub(super) fn lower(body: &Body, flow: &ControlFlow, is_kernel: bool, family: &Family) -> Lowered {
    let words = Words::of(body, is_kernel);
    let lower_block = |start: usize, end: usize| -> Vec<Lowering> {
        let left = (start..end).filter(|&index| !words.is_folded[index]);
        left.map(|index| {
            Lowering::of(&words, &body.instructions[index], words.scaled_sum(start, index), family)
        })
        .collect()
    };
    let mut blocks: Vec<_> = flow.blocks.iter().map(|block| lower_block(block.start, block.end)).collect();
    remove_unread(&mut blocks, words.count() as usize, body.registers.len());
    let mut lowered = Lowered { blocks: Vec::with_capacity(blocks.len()), words: words.count() };
    let mut known: FxHashMap<Constant, Word> = FxHashMap::default();
    for (block, source) in blocks.into_iter().zip(&flow.blocks) {
        let ops = with_constants(block, &mut known, &mut lowered.words);
        let is_kept_loop =
            body.kept_loops.iter().any(|&at| (source.start..source.end).contains(&(at as usize)));
        lowered.blocks.push(LoweredBlock { ops, successors: source.successors.clone(), is_kept_loop });
    }
    predication::predicate(&mut lowered.blocks, family.most_predicated);
    lowered.blocks.iter_mut().for_each(|block| share_constants(&mut block.ops));
    if family.factor_needs_register {
        keep_constants(&mut lowered.blocks);
    }
    lowered
}

/// An instruction and the constants that it needs in registers.
struct Lowering {
    op: Op,
    constants: Vec<Constant>,
    /// What it reads if nothing reads more than the low words of its results.
    low_reads: Option<Vec<Word>>,
}

/// A constant, so that instructions of a block share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Constant {
    Value(u64),
    Part(RegId, u32),
    SymbolWord(Symbol, u32),
    /// One of several of an instruction.
    Another(usize),
    /// A half of an element of a vector.
    Element(usize, usize),
}

impl Lowering {
    fn of(
        words: &Words<'_>,
        instruction: &Instruction,
        scaled_sum: Option<(&Operand, Scaled)>,
        family: &Family,
    ) -> Lowering {
        let mut op = Op {
            is_guarded: instruction.guard.is_some(),
            latency: latency(instruction),
            order: order(instruction),
            scratch_words: scratch_words(instruction),
            holds_operands: is_access(instruction) || instruction.opcode() == Opcode::Shfl,
            role: if instruction.opcode() == Opcode::Bra { OpRole::Branch } else { OpRole::Plain },
            adds: constant_added(instruction),
            ..Op::default()
        };
        op.reads_predicates.extend(instruction.guard.map(|guard| guard.predicate));
        instruction.for_each_def(|register| {
            if words.width(register) == 0 {
                op.writes_predicates.push(register);
            }
            op.writes.extend(words.written(register));
        });
        let mut lowering = Lowering { op, constants: Vec::new(), low_reads: None };
        if let Some((base, scaled)) = scaled_sum {
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
        lowering.low_reads =
            low_reads(words, instruction, scaled_sum.map(|(base, scaled)| (base, scaled.index)));
        lowering
    }

    /// Leaves the results out that nothing reads.
    fn narrow(&mut self, is_read: &[bool]) {
        let results = self.op.writes.len();
        self.op.writes.retain(|&word| is_read[word as usize]);
        if results == 2
            && self.op.writes.len() == 1
            && let Some(low_reads) = self.low_reads.take()
        {
            self.op.reads = low_reads;
            self.constants.clear();
        }
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
        let takes_constants = !is_access(instruction) && instruction.opcode() != Opcode::Shfl;
        let mut constants = 0;
        for (position, operand) in instruction.operands.iter().enumerate() {
            if shape.role(position) == Role::Destination {
                continue;
            }
            match operand {
                Operand::Address(address) => self.read_address(words, instruction, address),
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

    /// The address of an access, with the bytes that it is of.
    fn read_address(&mut self, words: &Words<'_>, instruction: &Instruction, address: &Address) {
        let space = instruction.modifiers().space;
        let mut bytes = Bytes { symbol: None, start: address.offset_bytes, count: access_bytes(instruction) };
        match address.base {
            AddressBase::Register(register) => {
                let (base, offset) = words.address_base(register);
                bytes.start = bytes.start.wrapping_add(offset);
                let before = self.op.reads.len();
                // Addresses in these spaces have 32 bits.
                if matches!(space, Some(StateSpace::Shared | StateSpace::Local)) {
                    self.read_words(words, base, 1);
                } else {
                    self.read(words, base, space == Some(StateSpace::Constant));
                }
                self.op.address.extend_from_slice(&self.op.reads[before..]);
            }
            AddressBase::Symbol(symbol) => {
                bytes.symbol = Some(symbol);
                if matches!(space, None | Some(StateSpace::Global)) {
                    self.constants.extend((0..2).map(|part| Constant::SymbolWord(symbol, part)));
                }
            }
            AddressBase::Absolute => return,
        }
        self.op.bytes = is_plain_access(instruction).then_some(bytes);
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
                for (position, part) in parts.iter().enumerate() {
                    self.read_part(words, part, position, takes_constants);
                }
                0
            }
            _ => 0,
        }
    }
}

impl Lowering {
    /// An element of a vector, which is in a register of its own next to the others.
    fn read_part(&mut self, words: &Words<'_>, part: &Operand, position: usize, takes_constants: bool) {
        match part {
            Operand::Register(register) => {
                self.read(words, *register, takes_constants);
                let zeros =
                    (0..words.width(*register)).filter(|&half| words.source(*register, half) == Source::Zero);
                let zeros = if takes_constants { 0 } else { zeros.count() };
                self.constants.extend((0..zeros).map(|half| Constant::Element(position, half)));
            }
            Operand::Immediate(_) if !takes_constants => self.constants.push(Constant::Element(position, 0)),
            _ => {}
        }
    }
}

/// Puts an instruction in front of each that needs a constant in a register; a constant is the same word everywhere.
fn with_constants(block: Vec<Lowering>, known: &mut FxHashMap<Constant, Word>, words: &mut u32) -> Vec<Op> {
    let mut ops = Vec::with_capacity(block.len());
    for Lowering { mut op, constants, .. } in block {
        for constant in constants {
            let word = *known.entry(constant).or_insert_with(|| {
                *words += 1;
                *words - 1
            });
            ops.push(Op { writes: vec![word], latency: ARITHMETIC, role: OpRole::Constant, ..Op::default() });
            op.reads.push(word);
        }
        op.reads.sort_unstable();
        op.reads.dedup();
        ops.push(op);
    }
    ops
}

/// Loads each constant once in a block.
fn share_constants(ops: &mut Vec<Op>) {
    let mut is_loaded: FxHashSet<Word> = FxHashSet::default();
    ops.retain(|op| !op.is_constant() || is_loaded.insert(op.writes[0]));
}

/// Loads no constant again that every way to a block has loaded before; it stays in its register.
fn keep_constants(blocks: &mut [LoweredBlock]) {
    let mut ways_to: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        // A way back comes from a block that has what the loop started with.
        for successor in block.successors.iter().filter(|successor| successor.index() > index) {
            ways_to[successor.index()].push(index);
        }
    }
    let mut loaded: Vec<FxHashSet<Word>> = Vec::with_capacity(blocks.len());
    for (block, ways) in blocks.iter_mut().zip(&ways_to) {
        let mut here = ways.first().map(|&way| loaded[way].clone()).unwrap_or_default();
        here.retain(|word| ways.iter().all(|&way| loaded[way].contains(word)));
        block.ops.retain(|op| !op.is_constant() || here.insert(op.writes[0]));
        loaded.push(here);
    }
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
            // Loads of vectors become narrower; atomics and texture fetches do not.
            let may_shrink = |op: &Op| !op.holds_operands || op.bytes.is_some();
            for lowering in block.iter_mut().filter(|lowering| may_shrink(&lowering.op)) {
                let before = lowering.op.reads.len();
                lowering.narrow(&is_read);
                is_changed |= lowering.op.reads.len() != before;
            }
        }
        if !is_changed {
            return;
        }
    }
}

/// The low words of the operands, where they decide about the low word of a result of 64 bits.
fn low_reads(
    words: &Words<'_>,
    instruction: &Instruction,
    sum: Option<(&Operand, RegId)>,
) -> Option<Vec<Word>> {
    use Opcode as O;
    let modifiers = instruction.modifiers();
    let is_low = match instruction.opcode() {
        O::Add | O::Sub | O::Shl | O::And | O::Or | O::Xor | O::Not => true,
        O::Mul | O::Mad => modifiers.product == Some(Product::Lo),
        _ => false,
    };
    if !is_low || modifiers.types.first().is_none_or(|ty| ty.is_float() || ty.bits() != 64) {
        return None;
    }
    let operands: Vec<&Operand> = match &sum {
        Some((base, _)) => vec![base],
        None => instruction.operands.iter().skip(1).collect(),
    };
    let registers = operands.into_iter().filter_map(|operand| match operand {
        Operand::Register(register) => Some(*register),
        _ => None,
    });
    let registers = registers.chain(sum.map(|(_, index)| index));
    let mut reads: Vec<Word> = registers
        .filter_map(|register| match words.source(register, 0) {
            Source::Word(word) => Some(word),
            _ => None,
        })
        .collect();
    reads.sort_unstable();
    reads.dedup();
    Some(reads)
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

fn is_plain_access(instruction: &Instruction) -> bool {
    matches!(instruction.opcode(), Opcode::Ld | Opcode::Ldu | Opcode::St)
}

/// How many bytes an access has.
fn access_bytes(instruction: &Instruction) -> i64 {
    let element = instruction.modifiers().types.first().map_or(0, ScalarType::bits) / 8;
    let elements = instruction.operands.iter().find_map(|operand| match operand {
        Operand::Vector(parts) => Some(parts.len()),
        _ => None,
    });
    i64::from(element) * elements.unwrap_or(1) as i64
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
