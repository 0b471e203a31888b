//! A whole PTX file.

use super::{Function, FunctionId, Variable, VariableId};

/// One parsed and checked PTX file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version major.minor`.
    pub version: (u32, u32),
    /// `.target`: the architecture first, then options such as `debug` or `texmode_independent`.
    pub target: Vec<String>,
    /// `.address_size`: 32 or 64 bits. Without the directive it is 32, as the standard says.
    pub address_size_bits: u32,
    /// Variables at module level; [`Symbol::Global`](super::Symbol::Global) indexes them.
    pub globals: Vec<Variable>,
    /// Kernels and device functions, declared or defined; [`Symbol::Function`](super::Symbol::Function) indexes them.
    pub functions: Vec<Function>,
    /// `.alias name, function;` pairs.
    pub aliases: Vec<(String, FunctionId)>,
}

impl Module {
    /// The kernels with a body, in source order.
    pub fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.is_kernel() && function.body.is_some())
    }

    /// The kernel or function of that name.
    pub fn function(&self, name: &str) -> Option<(FunctionId, &Function)> {
        let index = self.functions.iter().position(|function| function.name == name)?;
        Some((FunctionId(index as u32), &self.functions[index]))
    }

    /// The module-level variable of that name.
    pub fn global(&self, name: &str) -> Option<(VariableId, &Variable)> {
        let index = self.globals.iter().position(|variable| variable.name == name)?;
        Some((VariableId(index as u32), &self.globals[index]))
    }
}
