//! Labels: names of places and of target lists, which may be used before they are defined.
//!
//! A reference is resolved when a scope that defines the label closes; an inner definition wins over an outer one
//! wherever it is in its scope.

use rustc_hash::FxHashMap;

use crate::ast::{BranchTableId, CallTableId, LabelId, Operand, PrototypeId, Span};

/// What a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A place in the code.
    Label(LabelId),
    /// A `.branchtargets` list.
    BranchTable(BranchTableId),
    /// A `.calltargets` list.
    CallTable(CallTableId),
    /// A `.callprototype`.
    Prototype(PrototypeId),
}

impl Target {
    /// As an operand.
    pub fn operand(self) -> Operand {
        match self {
            Target::Label(id) => Operand::Label(id),
            Target::BranchTable(id) => Operand::BranchTable(id),
            Target::CallTable(id) => Operand::CallTable(id),
            Target::Prototype(id) => Operand::Prototype(id),
        }
    }
}

/// Where a reference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Operand of an instruction.
    Operand {
        /// Index of the instruction.
        instruction: usize,
        /// Index of the operand.
        operand: usize,
    },
    /// Entry of a `.branchtargets` list.
    Table {
        /// Index of the list.
        table: usize,
        /// Index in the list.
        entry: usize,
    },
}

/// A use of a label.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'src> {
    /// The label's name.
    pub name: &'src str,
    /// Where the use is in the source.
    pub span: Span,
    /// What to fill in.
    pub place: Place,
}

/// Labels of the open scopes of one function.
#[derive(Debug, Default)]
pub struct Targets<'src> {
    scopes: Vec<Scope<'src>>,
}

#[derive(Debug, Default)]
struct Scope<'src> {
    defined: FxHashMap<&'src str, Target>,
    pending: Vec<Reference<'src>>,
}

impl<'src> Targets<'src> {
    /// Opens a scope.
    pub fn open_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Defines a label; `false` when the scope already has one of that name.
    pub fn define(&mut self, name: &'src str, target: Target) -> bool {
        match self.scopes.last_mut() {
            Some(scope) => scope.defined.insert(name, target).is_none(),
            None => true,
        }
    }

    /// Notes a use.
    pub fn refer(&mut self, reference: Reference<'src>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.pending.push(reference);
        }
    }

    /// Closes the innermost scope: calls `resolve` for the references it settles and returns those that no scope
    /// can settle any more (only when the outermost scope closes).
    pub fn close_scope(&mut self, mut resolve: impl FnMut(Reference<'src>, Target)) -> Vec<Reference<'src>> {
        let Some(mut scope) = self.scopes.pop() else { return Vec::new() };
        scope.pending.retain(|reference| match scope.defined.get(reference.name) {
            Some(target) => {
                resolve(*reference, *target);
                false
            }
            None => true,
        });
        match self.scopes.last_mut() {
            Some(outer) => {
                outer.pending.append(&mut scope.pending);
                Vec::new()
            }
            None => scope.pending,
        }
    }
}
