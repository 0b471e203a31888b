//! How many registers a compiler would give a thread of a kernel that comes as PTX alone.
//!
//! The function is lowered to what ptxas would make of it, each block is scheduled, and what is live is counted:
//!
//! | step              | what it does                                                                              |
//! |-------------------|-------------------------------------------------------------------------------------------|
//! | `words`           | 64-bit registers become two words; copies, parameters, constants, known addresses take none |
//! | `lower`           | address offsets and index products are folded; constants that need a register get one     |
//! | `predication`     | short ways lose their branch, so that what is around them is one block                     |
//! | `unroll`          | loops of one block that count in constant steps are repeated; they count once for all     |
//! | `schedule`        | long latencies first, as long as the registers of a full SM last; addresses late          |
//! | `pressure`        | most words live at once, and most with what loads under way still hold                     |
//! | `banks`           | which words ask for one of the two banks of registers since Volta                         |
//!
//! Neither count is what an allocator ends with: it aligns pairs, reserves registers and, before Volta, avoids conflicts of four banks.
//! The weights of `Family` account for these. Of the weights that make no group of `reference/registers.csv` worse than the model before, they are those
//! with the smallest error; docs/cudart.md says what weights give that were fitted to one half of the kernels.

mod banks;
mod lower;
mod op;
mod predication;
mod pressure;
mod schedule;
mod unroll;
mod words;

use std::sync::OnceLock;

use crate::ast::{Body, Function, FunctionId, Module, Operand, Symbol};
use crate::isa::Opcode;

use super::{ControlFlow, Liveness};

/// Changes whenever a kernel may get another estimate, so that kept results of own programs are not mixed.
pub const REGISTER_MODEL_VERSION: u32 = 4;

/// The first architecture whose compiler gives registers as `since_volta` says.
const VOLTA: u32 = 70;

/// Functions with more instructions are not scheduled: the time would grow with the square of a block's length.
const MOST_INSTRUCTIONS: usize = 20_000;

/// Registers of a thread, as a compiler would count them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterEstimate {
    /// For compute capability 3.5 to 6.x.
    pub before_volta: u32,
    /// For compute capability 7.0 and later.
    pub since_volta: u32,
}

/// What a family of architectures has in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    /// Words that a block may keep live while it moves loads up: with more, an SM would hold fewer threads.
    pub schedule_words: u32,
    /// Longest way, in instructions, that becomes predicated.
    pub most_predicated: usize,
    /// Loads and stores under way whose operands stay taken.
    pub accesses_under_way: usize,
    /// Whether registers are chosen by bank, see `banks`, with what loads and stores under way then hold.
    pub has_banks: bool,
    /// Whether a product with a constant and a sum with a constant base need the factor in a register.
    pub factor_needs_register: bool,
    /// Registers that every kernel has.
    base: f64,
    /// Registers for each word that is live.
    per_live_word: f64,
    /// Registers for each word that is live or held by loads and stores under way.
    per_held_word: f64,
    /// Fewest of a kernel that calls functions: the calling convention.
    with_calls: u32,
}

/// As many accesses have a scoreboard to wait for them with.
const SCOREBOARDS: usize = 6;

const BEFORE_VOLTA: Family = Family {
    schedule_words: 31,
    most_predicated: 14,
    accesses_under_way: SCOREBOARDS,
    has_banks: false,
    factor_needs_register: false,
    base: 2.48,
    per_live_word: 0.59,
    per_held_word: 0.3,
    with_calls: 18,
};

const SINCE_VOLTA: Family = Family {
    schedule_words: 29,
    most_predicated: 6,
    // The newest access still waits for a scoreboard.
    accesses_under_way: SCOREBOARDS + 1,
    has_banks: true,
    factor_needs_register: true,
    base: 4.87,
    per_live_word: 0.18,
    per_held_word: 0.77,
    with_calls: 24,
};

impl RegisterEstimate {
    /// Of a kernel with the functions it calls.
    pub fn of(module: &Module, kernel: &Function) -> RegisterEstimate {
        Self::of_functions(&with_callees(module, kernel))
    }

    /// Of a kernel, which comes first, and the functions it calls.
    fn of_functions(functions: &[&Function]) -> RegisterEstimate {
        RegisterEstimate {
            before_volta: most_registers(functions, &BEFORE_VOLTA),
            since_volta: most_registers(functions, &SINCE_VOLTA),
        }
    }

    /// The count for an architecture, 70 for 7.0.
    pub fn on(self, compute_capability: u32) -> u32 {
        if compute_capability >= VOLTA { self.since_volta } else { self.before_volta }
    }
}

/// An estimate that is made when it is first asked for: most kernels of a module are not launched, and many come with a count.
#[derive(Clone, Debug, Default)]
pub struct LateEstimate {
    /// The kernel, and the functions it calls.
    functions: Vec<Function>,
    estimate: OnceLock<RegisterEstimate>,
    live_words: OnceLock<u32>,
}

impl LateEstimate {
    /// Of a kernel with the functions it calls.
    pub fn of(module: &Module, kernel: &Function) -> Self {
        let functions = with_callees(module, kernel).into_iter().cloned().collect();
        Self { functions, ..Self::default() }
    }

    /// The estimate.
    pub fn get(&self) -> RegisterEstimate {
        *self.estimate.get_or_init(|| {
            let functions: Vec<&Function> = self.functions.iter().collect();
            RegisterEstimate::of_functions(&functions)
        })
    }

    /// The most words that are live at once, in the kernel or in a function it calls: what a thread needs if nothing is
    /// reordered or computed again.
    pub fn live_words(&self) -> u32 {
        let of_body = |body| Liveness::of_body(body, &ControlFlow::of_body(body)).register_words;
        *self.live_words.get_or_init(|| {
            let bodies = self.functions.iter().filter_map(|function| function.body.as_ref());
            bodies.map(of_body).max().unwrap_or(0)
        })
    }
}

impl From<RegisterEstimate> for LateEstimate {
    fn from(estimate: RegisterEstimate) -> Self {
        Self { estimate: estimate.into(), ..Self::default() }
    }
}

/// A kernel and the functions it calls.
fn with_callees<'a>(module: &'a Module, kernel: &'a Function) -> Vec<&'a Function> {
    let mut functions = vec![kernel];
    let mut seen = vec![false; module.functions.len()];
    let mut pending = callees(kernel);
    while let Some(id) = pending.pop() {
        if seen.get_mut(id.index()).is_none_or(|seen| std::mem::replace(seen, true)) {
            continue;
        }
        let callee = &module.functions[id.index()];
        functions.push(callee);
        pending.extend(callees(callee));
    }
    functions
}

/// Of a kernel, which comes first, and the functions it calls.
fn most_registers(functions: &[&Function], family: &Family) -> u32 {
    let most = functions.iter().map(|function| alone(function, family)).max().unwrap_or(0);
    let body = functions.first().and_then(|kernel| kernel.body.as_ref());
    if body.is_some_and(has_calls) { most.max(family.with_calls) } else { most }
}

/// Of one function by itself.
fn alone(function: &Function, family: &Family) -> u32 {
    let Some(body) = &function.body else { return 0 };
    let flow = ControlFlow::of_body(body);
    let (live, held) = if body.instructions.len() > MOST_INSTRUCTIONS {
        let words = Liveness::of_body(body, &flow).register_words;
        (words, words)
    } else {
        let lowered = lower::lower(body, &flow, function.is_kernel(), family);
        pressure::of(&lowered, family)
    };
    let registers =
        family.base + family.per_live_word * f64::from(live) + family.per_held_word * f64::from(held);
    registers.round() as u32
}

fn has_calls(body: &Body) -> bool {
    body.instructions.iter().any(|instruction| instruction.opcode() == Opcode::Call)
}

fn callees(function: &Function) -> Vec<FunctionId> {
    let instructions = function.body.as_ref().map_or(&[][..], |body| &body.instructions);
    let calls = instructions.iter().filter(|instruction| instruction.opcode() == Opcode::Call);
    calls
        .filter_map(|call| match call.operands.get(1) {
            Some(Operand::Symbol(Symbol::Function(id), _)) => Some(*id),
            _ => None,
        })
        .collect()
}
