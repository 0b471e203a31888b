//! Which name means what, here.
//!
//! Names are interned; each has at most one binding at a time. A scope remembers what its bindings hid and puts it
//! back when it closes, so a lookup costs the same at any depth.

use rustc_hash::FxHashMap;

use crate::ast::{FunctionId, Symbol};
use crate::isa::{ScalarType, SpecialRegister};

/// Threads in a warp.
pub const WARP_SIZE: u64 = 32;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameId(u32);

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Registers declared together: one, or the prefix of `%r<10>`.
    Registers(RegisterGroup),
    /// A special register.
    Special(SpecialRegister),
    /// A variable, parameter or function.
    Symbol(Symbol),
    /// `WARP_SZ`.
    Constant(u64),
}

/// A register declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterGroup {
    /// Tells declarations of the same name apart.
    pub serial: u32,
    /// Element type.
    pub ty: ScalarType,
    /// Elements of a vector register; 1 for a scalar.
    pub elements: u32,
    /// `Some(n)` for a range of n registers named prefix + number.
    pub range: Option<u64>,
}

/// The interner and the current bindings.
#[derive(Debug, Default)]
pub struct Names<'src> {
    ids: FxHashMap<&'src str, NameId>,
    /// By name: the binding and the depth of the scope that made it.
    bindings: Vec<Option<(Binding, usize)>>,
    hidden: Vec<(NameId, Option<(Binding, usize)>)>,
    scopes: Vec<usize>,
}

impl<'src> Names<'src> {
    /// Special registers and `WARP_SZ` have meanings from the start.
    pub fn with_predefined() -> Names<'src> {
        let mut names = Names::default();
        for name in SpecialRegister::all_names() {
            if let Some(register) = SpecialRegister::from_name(name) {
                names.bind(name, Binding::Special(register));
            }
        }
        names.bind("WARP_SZ", Binding::Constant(WARP_SIZE));
        names
    }

    /// The id of a name, new or known.
    pub fn intern(&mut self, name: &'src str) -> NameId {
        let next = NameId(self.bindings.len() as u32);
        let id = *self.ids.entry(name).or_insert(next);
        if id == next {
            self.bindings.push(None);
        }
        id
    }

    /// What the name means now.
    pub fn look_up(&self, name: &str) -> Option<Binding> {
        self.bindings[self.ids.get(name)?.0 as usize].map(|(binding, _)| binding)
    }

    /// Gives the name a meaning until the innermost scope closes. Returns the meaning it had, if that was given in
    /// the same scope.
    pub fn bind(&mut self, name: &'src str, binding: Binding) -> Option<Binding> {
        let id = self.intern(name);
        let depth = self.scopes.len();
        let old = self.bindings[id.0 as usize].replace((binding, depth));
        self.hidden.push((id, old));
        old.filter(|(_, old_depth)| *old_depth == depth).map(|(binding, _)| binding)
    }

    /// Takes a name's meaning away for good.
    pub fn forget(&mut self, name: &str) {
        if let Some(id) = self.ids.get(name) {
            self.bindings[id.0 as usize] = None;
        }
    }

    /// Opens a scope.
    pub fn open_scope(&mut self) {
        self.scopes.push(self.hidden.len());
    }

    /// Closes the innermost scope.
    pub fn close_scope(&mut self) {
        let start = self.scopes.pop().unwrap_or(0);
        for (name, old) in self.hidden.drain(start..).rev() {
            self.bindings[name.0 as usize] = old;
        }
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        match self.look_up(name) {
            Some(Binding::Symbol(Symbol::Function(id))) => Some(id),
            _ => None,
        }
    }
}
