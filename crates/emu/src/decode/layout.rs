//! Where variables lie: shared memory of a kernel, call frames and parameters of a function.

use std::collections::{BTreeMap, BTreeSet};

use shrinkwarp_ptx::ast::{
    AddressBase, Body, Function, FunctionId, Layout, Module, Operand, Symbol, Variable, VariableId,
};
use shrinkwarp_ptx::isa::{SpecialRegister, StateSpace};

use crate::call::FrameSlot;

/// What a symbol refers to once every variable has its address.
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
    pub static_bytes: u64,
    /// Where the memory that the system keeps for itself begins, if a function asks for it.
    pub reserved_at: u64,
}

/// Shared memory that the system keeps for itself in a thread block, as newer GPUs do.
pub(crate) const RESERVED_BYTES: u64 = 1024;

/// Alignment of dynamic shared memory.
const DYNAMIC_ALIGN: u32 = 16;

/// Places the shared variables that the functions use. Arrays without a size come last and share their start.
pub(crate) fn shared_layout(module: &Module, functions: &[FunctionId]) -> SharedLayout {
    let mut offsets = BTreeMap::new();
    let mut dynamic = Vec::new();
    let mut layout = Layout::default();
    let mut place = |key: SharedKey, variable: &Variable| {
        if !matches!(variable.space, StateSpace::Shared | StateSpace::SharedCluster) {
            return;
        }
        if variable.size_bytes == 0 {
            dynamic.push(key);
            return;
        }
        offsets.insert(key, layout.place(variable));
    };
    let bodies =
        || functions.iter().filter_map(|&id| Some((id, module.functions[id.index()].body.as_ref()?)));
    let mentioned: BTreeSet<VariableId> = bodies().flat_map(|(_, body)| mentioned_globals(body)).collect();
    for id in mentioned {
        place((None, id.0), &module.globals[id.index()]);
    }
    for (id, body) in bodies() {
        for (index, variable) in body.variables.iter().enumerate() {
            place((Some(id), index as u32), variable);
        }
    }
    let mut reserved_at = 0;
    if bodies().any(|(_, body)| reads_reserved(body)) {
        layout.align(DYNAMIC_ALIGN);
        reserved_at = layout.bytes();
        layout.skip(RESERVED_BYTES);
    }
    if !dynamic.is_empty() {
        layout.align(DYNAMIC_ALIGN);
    }
    for key in dynamic {
        offsets.insert(key, layout.bytes());
    }
    SharedLayout { offsets, static_bytes: layout.bytes(), reserved_at }
}

/// Whether a body asks where the reserved shared memory lies.
fn reads_reserved(body: &Body) -> bool {
    body.instructions
        .iter()
        .flat_map(|instruction| &instruction.operands)
        .any(|operand| matches!(operand, Operand::Special(special) if reserved_offset(*special, 0).is_some()))
}

/// The value of a special register about reserved shared memory that begins at `start`.
pub(crate) fn reserved_offset(special: SpecialRegister, start: u64) -> Option<u64> {
    use SpecialRegister as S;
    match special {
        S::ReservedSharedBegin | S::ReservedSharedOffset(_) => Some(start),
        S::ReservedSharedEnd => Some(start + RESERVED_BYTES),
        S::ReservedSharedCap => Some(RESERVED_BYTES),
        _ => None,
    }
}

/// The module-level variables that a body uses.
fn mentioned_globals(body: &Body) -> impl Iterator<Item = VariableId> {
    body.instructions.iter().flat_map(|instruction| &instruction.operands).filter_map(|operand| {
        let symbol = match operand {
            Operand::Symbol(symbol, _) => *symbol,
            Operand::Address(address) => match address.base {
                AddressBase::Symbol(symbol) => symbol,
                _ => return None,
            },
            _ => return None,
        };
        match symbol {
            Symbol::Global(id) => Some(id),
            _ => None,
        }
    })
}

/// Call frame of one function: return values, parameters (of a device function), local and outgoing variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameLayout {
    pub returns: Vec<FrameSlot>,
    pub parameters: Vec<FrameSlot>,
    pub variables: Vec<FrameSlot>,
    pub bytes: u64,
}

/// Alignment of a frame.
const FRAME_ALIGN: u32 = 16;

impl FrameLayout {
    pub(crate) fn of(function: &Function) -> Self {
        let mut frame = FrameLayout::default();
        let mut layout = Layout::default();
        // What does not fit 32 bits is far over the limit of a frame, and refused.
        let mut place = |variable: &Variable| FrameSlot {
            offset: layout.place(variable) as u32,
            bytes: variable.size_bytes as u32,
        };
        if !function.is_kernel() {
            frame.returns = function.returns.iter().map(&mut place).collect();
            frame.parameters = function.parameters.iter().map(&mut place).collect();
        }
        let body = function.body.as_ref();
        let is_framed =
            |variable: &Variable| matches!(variable.space, StateSpace::Local | StateSpace::Parameter);
        frame.variables = body
            .map_or(&[][..], |body| &body.variables)
            .iter()
            .map(|variable| if is_framed(variable) { place(variable) } else { FrameSlot::default() })
            .collect();
        layout.align(FRAME_ALIGN);
        frame.bytes = layout.bytes();
        frame
    }
}

/// Offsets of a kernel's parameters, each at its alignment, and the bytes of all.
pub(crate) fn kernel_parameters(function: &Function) -> (Vec<u64>, u64) {
    let mut layout = Layout::default();
    let offsets = function.parameters.iter().map(|parameter| layout.place(parameter)).collect();
    (offsets, layout.bytes())
}
