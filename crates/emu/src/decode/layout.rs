//! Where variables lie: shared memory of a kernel, call frames and parameters of a function.

use std::collections::BTreeMap;

use shrinkwarp_ptx::ast::{Function, FunctionId, Module, Symbol, Variable};
use shrinkwarp_ptx::isa::StateSpace;

use crate::call::FrameSlot;

/// What a symbol stands for once everything has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Address in global memory.
    Global(u64),
    /// Offset in the constant bank.
    Constant(u64),
    /// Offset in shared memory.
    Shared(u64),
    /// Offset in the call frame.
    Frame(u32),
    /// Offset in the kernel's parameter space.
    KernelParameter(u32),
    /// Address of a function.
    Function(u64),
}

/// Key of a shared variable: module level, or a function's body.
pub(crate) type SharedKey = (Option<FunctionId>, u32);

/// Shared memory of one kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedLayout {
    pub offsets: BTreeMap<SharedKey, u64>,
    pub static_bytes: u32,
}

/// Alignment of dynamic shared memory.
const DYNAMIC_ALIGN: u64 = 16;

/// Places the shared variables that the functions use. Arrays without a size come last and share their start.
pub(crate) fn shared_layout(module: &Module, functions: &[FunctionId]) -> SharedLayout {
    let mut layout = SharedLayout::default();
    let mut dynamic = Vec::new();
    let mut end = 0u64;
    let mut place = |key: SharedKey, variable: &Variable| {
        if !matches!(variable.space, StateSpace::Shared | StateSpace::SharedCluster) {
            return;
        }
        if variable.size_bytes == 0 {
            dynamic.push(key);
            return;
        }
        end = end.next_multiple_of(u64::from(variable.align_bytes.max(1)));
        layout.offsets.insert(key, end);
        end += variable.size_bytes;
    };
    for (index, variable) in module.globals.iter().enumerate() {
        if functions.iter().any(|&id| mentions(&module.functions[id.index()], index as u32)) {
            place((None, index as u32), variable);
        }
    }
    for &id in functions {
        let body = module.functions[id.index()].body.as_ref();
        for (index, variable) in body.map_or(&[][..], |body| &body.variables).iter().enumerate() {
            place((Some(id), index as u32), variable);
        }
    }
    if !dynamic.is_empty() {
        end = end.next_multiple_of(DYNAMIC_ALIGN);
    }
    for key in dynamic {
        layout.offsets.insert(key, end);
    }
    layout.static_bytes = end as u32;
    layout
}

/// Whether a function uses a module-level variable.
fn mentions(function: &Function, global: u32) -> bool {
    let is_it = |symbol: Symbol| matches!(symbol, Symbol::Global(id) if id.0 == global);
    let body = function.body.as_ref();
    body.is_some_and(|body| {
        body.instructions.iter().flat_map(|instruction| &instruction.operands).any(|operand| match operand {
            shrinkwarp_ptx::ast::Operand::Symbol(symbol, _) => is_it(*symbol),
            shrinkwarp_ptx::ast::Operand::Address(address) => match address.base {
                shrinkwarp_ptx::ast::AddressBase::Symbol(symbol) => is_it(symbol),
                _ => false,
            },
            _ => false,
        })
    })
}

/// Call frame of one function: return values, parameters (of a device function), local and outgoing variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameLayout {
    pub returns: Vec<FrameSlot>,
    pub parameters: Vec<FrameSlot>,
    pub variables: Vec<FrameSlot>,
    pub bytes: u32,
}

/// Alignment of a frame.
const FRAME_ALIGN: u32 = 16;

impl FrameLayout {
    pub(crate) fn of(function: &Function) -> Self {
        let mut layout = FrameLayout::default();
        let mut end = 0u32;
        let mut place = |variable: &Variable| {
            end = end.next_multiple_of(variable.align_bytes.max(1));
            let slot = FrameSlot { offset: end, bytes: variable.size_bytes as u32 };
            end += slot.bytes;
            slot
        };
        if !function.is_kernel() {
            layout.returns = function.returns.iter().map(&mut place).collect();
            layout.parameters = function.parameters.iter().map(&mut place).collect();
        }
        let body = function.body.as_ref();
        let is_framed =
            |variable: &Variable| matches!(variable.space, StateSpace::Local | StateSpace::Parameter);
        layout.variables = body
            .map_or(&[][..], |body| &body.variables)
            .iter()
            .map(|variable| if is_framed(variable) { place(variable) } else { FrameSlot::default() })
            .collect();
        layout.bytes = end.next_multiple_of(FRAME_ALIGN);
        layout
    }
}

/// Offsets of a kernel's parameters, each at its alignment.
pub(crate) fn kernel_parameters(function: &Function) -> (Vec<u32>, u32) {
    let mut end = 0u32;
    let offsets = function.parameters.iter().map(|parameter| {
        end = end.next_multiple_of(parameter.align_bytes.max(1));
        let offset = end;
        end += parameter.size_bytes as u32;
        offset
    });
    (offsets.collect(), end)
}
