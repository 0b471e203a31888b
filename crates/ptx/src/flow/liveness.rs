//! Which registers hold a value that is still needed, and so how many a thread needs at once.
//!
//! For each register the blocks where it is live are found by walking backwards from its uses to its definitions
//! (Boissinot et al., "Fast Liveness Checking for SSA-Form Programs", CGO 2008, the by-variable variant): time and
//! memory grow with the size of the answer.
//!
//! A guarded instruction does not end the life of what it writes: lanes whose guard is false keep the old value.

use fixedbitset::FixedBitSet;

use super::{BlockId, ControlFlow};
use crate::ast::{Body, Function, Instruction, RegId};
use crate::isa::ScalarType;

/// Liveness of one function.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    /// By block: registers live at its start, ascending.
    live_in: Vec<Vec<RegId>>,
    /// Most 32-bit registers live at once; a 64-bit value counts as two, predicates not at all.
    pub register_words: u32,
    /// Most predicates live at once.
    pub predicates: u32,
}

impl Liveness {
    /// Liveness of a function; a declaration needs nothing.
    pub fn of(function: &Function, flow: &ControlFlow) -> Liveness {
        match &function.body {
            Some(body) => Liveness::of_body(body, flow),
            None => Liveness::default(),
        }
    }

    /// Liveness of a body.
    pub fn of_body(body: &Body, flow: &ControlFlow) -> Liveness {
        let mut liveness = Liveness { live_in: live_in(body, flow), ..Liveness::default() };
        liveness.measure(body, flow);
        liveness
    }

    /// Registers live at the start of a block, ascending.
    pub fn live_in(&self, block: super::BlockId) -> &[RegId] {
        &self.live_in[block.index()]
    }

    /// Walks every block backwards and keeps the highest count seen.
    fn measure(&mut self, body: &Body, flow: &ControlFlow) {
        let mut pressure = Pressure::new(body);
        for block in &flow.blocks {
            pressure.clear();
            for successor in &block.successors {
                for register in &self.live_in[successor.index()] {
                    pressure.start(*register);
                }
            }
            for instruction in body.instructions[block.start..block.end].iter().rev() {
                pressure.step_back(instruction);
                self.register_words = self.register_words.max(pressure.peak_words);
                self.predicates = self.predicates.max(pressure.peak_predicates);
            }
        }
    }
}

/// Live registers at one point of a backward walk.
struct Pressure<'a> {
    body: &'a Body,
    live: FixedBitSet,
    members: Vec<RegId>,
    words: u32,
    predicates: u32,
    peak_words: u32,
    peak_predicates: u32,
}

impl<'a> Pressure<'a> {
    fn new(body: &'a Body) -> Pressure<'a> {
        Pressure {
            body,
            live: FixedBitSet::with_capacity(body.registers.len()),
            members: Vec::new(),
            words: 0,
            predicates: 0,
            peak_words: 0,
            peak_predicates: 0,
        }
    }

    fn clear(&mut self) {
        for register in self.members.drain(..) {
            self.live.set(register.index(), false);
        }
        (self.words, self.predicates) = (0, 0);
    }

    fn start(&mut self, register: RegId) {
        if self.live.put(register.index()) {
            return;
        }
        self.members.push(register);
        let (words, predicates) = weight(self.body, register);
        self.words += words;
        self.predicates += predicates;
    }

    fn end(&mut self, register: RegId) {
        if !self.live.contains(register.index()) {
            return;
        }
        self.live.set(register.index(), false);
        let (words, predicates) = weight(self.body, register);
        self.words -= words;
        self.predicates -= predicates;
    }

    /// From after the instruction to before it. A result that is never read still needs a register for a moment.
    fn step_back(&mut self, instruction: &Instruction) {
        instruction.for_each_def(|register| self.start(register));
        (self.peak_words, self.peak_predicates) = (self.words, self.predicates);
        if instruction.guard.is_none() {
            instruction.for_each_def(|register| self.end(register));
        }
        instruction.for_each_use(|register| self.start(register));
        self.peak_words = self.peak_words.max(self.words);
        self.peak_predicates = self.peak_predicates.max(self.predicates);
    }
}

fn weight(body: &Body, register: RegId) -> (u32, u32) {
    match body.registers[register.index()].ty {
        ScalarType::Pred => (0, 1),
        ty => (ty.bits().div_ceil(32), 0),
    }
}

/// What blocks do to the values that cross their borders.
#[derive(Debug)]
pub(super) struct Crossings {
    /// Value and block: read there before any unguarded write.
    exposed: Vec<(u32, u32)>,
    /// Value and block: written there without a guard.
    killed: Vec<(u32, u32)>,
    /// By value: the last block that wrote it, and the last that read it exposed.
    written_in: Vec<u32>,
    exposed_in: Vec<u32>,
}

impl Crossings {
    /// Of values numbered below `count`.
    pub fn new(count: usize) -> Crossings {
        Crossings {
            exposed: Vec::new(),
            killed: Vec::new(),
            written_in: vec![u32::MAX; count],
            exposed_in: vec![u32::MAX; count],
        }
    }

    /// The next instruction of a block reads a value. Blocks come one after the other.
    pub fn read(&mut self, value: u32, block: u32) {
        let is_local = self.written_in[value as usize] == block;
        if !is_local && std::mem::replace(&mut self.exposed_in[value as usize], block) != block {
            self.exposed.push((value, block));
        }
    }

    /// It writes a value without a guard.
    pub fn write(&mut self, value: u32, block: u32) {
        if std::mem::replace(&mut self.written_in[value as usize], block) != block {
            self.killed.push((value, block));
        }
    }
}

/// By block: values live at its start, ascending.
pub(super) fn live_in_of(successors: &[&[BlockId]], mut crossings: Crossings) -> Vec<Vec<u32>> {
    crossings.exposed.sort_unstable();
    crossings.killed.sort_unstable();
    let predecessors = predecessors(successors);
    let mut live_in = vec![Vec::new(); successors.len()];
    // Stamps instead of sets: a block is marked for the value whose number it holds.
    let mut killed_for = vec![u32::MAX; successors.len()];
    let mut live_for = vec![u32::MAX; successors.len()];
    let mut pending: Vec<u32> = Vec::new();
    let mut killed = crossings.killed.iter().peekable();
    for uses in crossings.exposed.chunk_by(|a, b| a.0 == b.0) {
        let value = uses[0].0;
        while let Some((killed_value, block)) = killed.next_if(|(other, _)| *other <= value) {
            killed_for[*block as usize] = *killed_value;
        }
        pending.extend(uses.iter().map(|(_, block)| *block));
        while let Some(block) = pending.pop() {
            if std::mem::replace(&mut live_for[block as usize], value) == value {
                continue;
            }
            live_in[block as usize].push(value);
            let passing = predecessors[block as usize].iter().filter(|p| killed_for[**p as usize] != value);
            pending.extend(passing);
        }
    }
    live_in
}

/// By block: registers live at its start.
fn live_in(body: &Body, flow: &ControlFlow) -> Vec<Vec<RegId>> {
    let mut crossings = Crossings::new(body.registers.len());
    for (block, range) in (0..).zip(&flow.blocks) {
        for instruction in &body.instructions[range.start..range.end] {
            instruction.for_each_use(|register| crossings.read(register.0, block));
            if instruction.guard.is_none() {
                instruction.for_each_def(|register| crossings.write(register.0, block));
            }
        }
    }
    let successors: Vec<&[BlockId]> = flow.blocks.iter().map(|block| block.successors.as_slice()).collect();
    let live_in = live_in_of(&successors, crossings);
    live_in.into_iter().map(|values| values.into_iter().map(RegId).collect()).collect()
}

fn predecessors(successors: &[&[BlockId]]) -> Vec<Vec<u32>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (block, successors) in (0..).zip(successors) {
        for successor in *successors {
            predecessors[successor.index()].push(block);
        }
    }
    predecessors
}
