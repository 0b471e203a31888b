//! Loads a module: places its data in memory and decodes its kernels.

use std::collections::BTreeMap;
use std::sync::Arc;

use shrinkwarp_ptx::ast::{FunctionId, Initializer, Linkage, Module as Ast, Symbol, Variable, VariableId};
use shrinkwarp_ptx::isa::StateSpace;

use crate::decode::{CallGraph, Place, decode_kernel};
use crate::device::{DeviceError, LoadError};
use crate::kernel::{Module, ModuleVariable};
use crate::memory::{CONSTANT_BYTES, CONSTANT_WINDOW, Memory, MemoryError};

/// Function pointers are multiples of this, from [`FUNCTION_START`]: no memory lies there.
const FUNCTION_STEP: u64 = 16;
const FUNCTION_START: u64 = 0x1000;

/// Bytes of the device-side heap, as CUDA's default.
const HEAP_BYTES: u64 = 8 << 20;

/// Where the variables of a module lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleData {
    globals: BTreeMap<u32, Place>,
    bodies: BTreeMap<(FunctionId, u32), Place>,
}

impl ModuleData {
    /// A module-level variable.
    pub(crate) fn global_place(&self, id: VariableId) -> Result<Place, String> {
        self.globals.get(&id.0).copied().ok_or_else(|| "this variable has no address here".into())
    }

    /// A `.global` or `.const` variable declared in a body.
    pub(crate) fn body_place(&self, function: FunctionId, index: u32) -> Result<Place, String> {
        self.bodies.get(&(function, index)).copied().ok_or_else(|| "this variable has no address here".into())
    }

    fn address_of(&self, symbol: Symbol, is_generic: bool) -> u64 {
        let place = match symbol {
            Symbol::Function(id) => return function_address(id),
            Symbol::Global(id) => self.globals.get(&id.0),
            Symbol::Parameter(_) | Symbol::Return(_) | Symbol::Local(_) => None,
        };
        match place {
            Some(Place::Global(address)) => *address,
            Some(Place::Constant(offset)) if is_generic => CONSTANT_WINDOW + offset,
            Some(Place::Constant(offset)) => *offset,
            _ => 0,
        }
    }
}

/// The value of a pointer to a function.
pub(crate) fn function_address(id: FunctionId) -> u64 {
    FUNCTION_START + FUNCTION_STEP * u64::from(id.0)
}

/// Loads a parsed module into memory.
pub fn load(ast: &Ast, memory: &mut Memory) -> Result<Module, DeviceError> {
    let (module, mut errors) = load_runnable(ast, memory)?;
    if errors.is_empty() {
        return Ok(module);
    }
    errors.sort_by(|a, b| (a.line, &a.message).cmp(&(b.line, &b.message)));
    errors.dedup();
    Err(DeviceError::Load(errors))
}

/// Loads what can be executed: kernels with something else in them are left out, and the errors say why.
pub fn load_runnable(ast: &Ast, memory: &mut Memory) -> Result<(Module, Vec<LoadError>), DeviceError> {
    let mut module = Module::default();
    let data = place_data(ast, memory, &mut module)?;
    let calls = CallGraph::of(ast);
    let mut errors = Vec::new();
    let mut code_offset = 0;
    for (index, function) in ast.functions.iter().enumerate() {
        let own_offset = code_offset;
        code_offset += function.body.as_ref().map_or(0, |body| body.instructions.len() as u32);
        if !function.is_kernel() || function.body.is_none() {
            continue;
        }
        let id = FunctionId(index as u32);
        module.kernel_addresses.insert(function_address(id), function.name.clone());
        match decode_kernel(ast, &data, &calls, id) {
            Ok(kernel) if kernel.uses_device_runtime && !memory.serves_device_work() => {
                let message = format!("kernel {} launches kernels, which only `exec` runs", kernel.name);
                errors.push(LoadError { line: function.span.line, message });
            }
            Ok(mut kernel) => {
                kernel.code_offset = own_offset;
                if kernel.uses_heap {
                    memory.make_heap(HEAP_BYTES)?;
                }
                module.kernels.insert(function.name.clone(), Arc::new(kernel));
            }
            Err(found) => errors.extend(found),
        }
    }
    make_launchable(&mut module);
    Ok((module, errors))
}

/// Tells kernels that launch kernels how many bytes of arguments each takes.
fn make_launchable(module: &mut Module) {
    let addresses = module.kernel_addresses.iter();
    let parameter_bytes = |name| module.kernels.get(name).map(|kernel| kernel.parameter_bytes);
    let launchable: BTreeMap<u64, u32> =
        addresses.filter_map(|(&address, name)| Some((address, parameter_bytes(name)?))).collect();
    for kernel in module.kernels.values_mut().filter_map(Arc::get_mut) {
        if kernel.uses_device_runtime {
            kernel.launchable.clone_from(&launchable);
        }
    }
}

/// Everything in a module that cannot be executed, without loading it.
pub fn unsupported(ast: &Ast) -> Vec<LoadError> {
    match load(ast, &mut Memory::default()) {
        Err(DeviceError::Load(errors)) => errors,
        _ => Vec::new(),
    }
}

fn place_data(ast: &Ast, memory: &mut Memory, module: &mut Module) -> Result<ModuleData, DeviceError> {
    let mut data = ModuleData::default();
    for (index, variable) in ast.globals.iter().enumerate() {
        let place = place_variable(variable, memory)?;
        if let Some(place) = place {
            data.globals.insert(index as u32, place);
            module.variables.insert(variable.name.clone(), described(place, variable));
        }
    }
    for (id, function) in ast.functions.iter().enumerate() {
        let variables = function.body.as_ref().map_or(&[][..], |body| &body.variables);
        for (index, variable) in variables.iter().enumerate() {
            if let Some(place) = place_variable(variable, memory)? {
                data.bodies.insert((FunctionId(id as u32), index as u32), place);
            }
        }
    }
    for (index, variable) in ast.globals.iter().enumerate() {
        if let (Some(place), Some(initial)) = (data.globals.get(&(index as u32)), &variable.initializer) {
            write_initial(*place, initial, &data, memory)?;
        }
    }
    for (&(function, index), &place) in &data.bodies {
        let body = ast.functions[function.index()].body.as_ref();
        let variable = body.and_then(|body| body.variables.get(index as usize));
        if let Some(initial) = variable.and_then(|variable| variable.initializer.as_ref()) {
            write_initial(place, initial, &data, memory)?;
        }
    }
    Ok(data)
}

/// Gives a variable memory of its space, if that belongs to the module; a refusal names its line.
fn place_variable(variable: &Variable, memory: &mut Memory) -> Result<Option<Place>, DeviceError> {
    if variable.linkage == Linkage::Extern && variable.size_bytes == 0 {
        return Ok(None);
    }
    if let Some(address) = memory.placed.remove(&variable.name) {
        return Ok(Some(Place::Global(address)));
    }
    let place = match variable.space {
        StateSpace::Global | StateSpace::Texture => {
            memory.alloc(variable.size_bytes).map(Place::Global).map_err(|error| error.to_string())
        }
        StateSpace::Constant => {
            let offset = memory.constants_mut().place(variable.size_bytes, variable.align_bytes);
            offset
                .map(Place::Constant)
                .ok_or_else(|| format!("more than {CONSTANT_BYTES} bytes of .const variables"))
        }
        _ => return Ok(None),
    };
    place.map(Some).map_err(|reason| {
        let message = format!("'{}' has no room: {reason}", variable.name);
        DeviceError::Load(vec![LoadError { line: variable.span.line, message }])
    })
}

fn described(place: Place, variable: &Variable) -> ModuleVariable {
    let (address, is_constant) = match place {
        Place::Constant(offset) => (offset, true),
        Place::Global(address) => (address, false),
        _ => (0, false),
    };
    ModuleVariable { address, bytes: variable.size_bytes, is_constant }
}

fn write_initial(
    place: Place,
    initial: &Initializer,
    data: &ModuleData,
    memory: &mut Memory,
) -> Result<(), MemoryError> {
    let mut bytes = initial.bytes.clone();
    for relocation in &initial.relocations {
        let address = data.address_of(relocation.symbol, relocation.is_generic);
        let value = address.wrapping_add_signed(relocation.addend).to_le_bytes();
        let start = relocation.at_byte as usize;
        let source = match relocation.byte_of_address {
            Some(byte) => &value[byte as usize & 7..][..1],
            None => &value[..(relocation.width_bytes as usize).min(8)],
        };
        if let Some(target) = bytes.get_mut(start..start + source.len()) {
            target.copy_from_slice(source);
        }
    }
    match place {
        Place::Global(address) => memory.copy_in(address, &bytes),
        Place::Constant(offset) => {
            memory.constants_mut().write(offset, &bytes);
            Ok(())
        }
        _ => Ok(()),
    }
}
