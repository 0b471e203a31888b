//! Which functions call which, over a whole module.
//!
//! A function whose address is taken anywhere in the module can be called by every function that makes an indirect
//! call.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use shrinkwarp_ptx::ast::{Body, Function, FunctionId, Instruction, Module, Operand, Symbol};
use shrinkwarp_ptx::isa::Opcode;

use super::builder::called_function;
use super::intrinsic::is_provided;

/// The calls of a module.
pub(crate) struct CallGraph {
    functions: Vec<Calls>,
    address_taken: Vec<FunctionId>,
}

/// What one function calls.
struct Calls {
    /// By name, ascending; functions that the device provides are left out.
    direct: Vec<FunctionId>,
    has_indirect: bool,
    /// Whether a call chain leads from it back to it.
    is_recursive: bool,
}

impl CallGraph {
    /// Of all functions of a module.
    pub(crate) fn of(module: &Module) -> Self {
        let functions = module.functions.iter().map(|function| Calls::of(module, function)).collect();
        let mut graph = Self { functions, address_taken: address_taken(module) };
        graph.mark_recursive();
        graph
    }

    /// A kernel and every function it can call, in order of discovery.
    pub(crate) fn reachable(&self, kernel: FunctionId) -> Vec<FunctionId> {
        let mut is_found = vec![false; self.functions.len()];
        is_found[kernel.index()] = true;
        let mut found = vec![kernel];
        let mut next = 0;
        while let Some(&id) = found.get(next) {
            next += 1;
            for callee in self.callees(id) {
                if !std::mem::replace(&mut is_found[callee.index()], true) {
                    found.push(callee);
                }
            }
        }
        found
    }

    /// Whether a call chain leads from the function back to it.
    pub(crate) fn is_recursive(&self, id: FunctionId) -> bool {
        self.functions[id.index()].is_recursive
    }

    fn callees(&self, id: FunctionId) -> Vec<FunctionId> {
        let calls = &self.functions[id.index()];
        let mut callees = calls.direct.clone();
        if calls.has_indirect {
            callees.extend(&self.address_taken);
            callees.sort_unstable();
        }
        callees
    }

    /// Recursive functions are those in a cycle. One node represents all targets of indirect calls, so that the graph
    /// grows with the module and not with its square.
    fn mark_recursive(&mut self) {
        let count = self.functions.len();
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        (0..=count).for_each(|_| {
            graph.add_node(());
        });
        let indirect = NodeIndex::new(count);
        for (index, calls) in self.functions.iter().enumerate() {
            let caller = NodeIndex::new(index);
            for callee in &calls.direct {
                graph.add_edge(caller, NodeIndex::new(callee.index()), ());
            }
            if calls.has_indirect {
                graph.add_edge(caller, indirect, ());
            }
        }
        for callee in &self.address_taken {
            graph.add_edge(indirect, NodeIndex::new(callee.index()), ());
        }
        for component in kosaraju_scc(&graph) {
            let is_cycle = component.len() > 1 || graph.contains_edge(component[0], component[0]);
            for node in component.iter().filter(|_| is_cycle) {
                if let Some(calls) = self.functions.get_mut(node.index()) {
                    calls.is_recursive = true;
                }
            }
        }
    }
}

impl Calls {
    fn of(module: &Module, function: &Function) -> Self {
        let instructions = instructions(function.body.as_ref());
        let calls = instructions.filter(|instruction| instruction.opcode() == Opcode::Call);
        let (direct, indirect): (Vec<_>, Vec<_>) = calls.map(called_function).partition(Option::is_some);
        let mut direct: Vec<FunctionId> = direct.into_iter().flatten().collect();
        direct.retain(|callee| !is_provided(&module.functions[callee.index()]));
        direct.sort_unstable();
        direct.dedup();
        Self { direct, has_indirect: !indirect.is_empty(), is_recursive: false }
    }
}

fn instructions(body: Option<&Body>) -> impl Iterator<Item = &Instruction> {
    body.into_iter().flat_map(|body| &body.instructions)
}

/// Device functions with a body whose address is a value somewhere: in code or in initialised data.
fn address_taken(module: &Module) -> Vec<FunctionId> {
    let relocations = module.globals.iter().filter_map(|variable| variable.initializer.as_ref());
    let in_data = relocations.flat_map(|initial| &initial.relocations).map(|relocation| relocation.symbol);
    let in_code = module
        .functions
        .iter()
        .flat_map(|function| instructions(function.body.as_ref()))
        .filter(|instruction| instruction.opcode() != Opcode::Call)
        .flat_map(|instruction| &instruction.operands)
        .filter_map(|operand| match operand {
            Operand::Symbol(symbol, _) => Some(*symbol),
            _ => None,
        });
    let mut found: Vec<FunctionId> = in_data
        .chain(in_code)
        .filter_map(|symbol| match symbol {
            Symbol::Function(id) => Some(id),
            _ => None,
        })
        .collect();
    found.retain(|&id| {
        let function = &module.functions[id.index()];
        !function.is_kernel() && !is_provided(function)
    });
    found.sort_unstable();
    found.dedup();
    found
}
