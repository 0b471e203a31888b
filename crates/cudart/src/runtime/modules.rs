//! Loaded modules: their kernels, and where their variables lie.
//!
//! A kernel that cannot be executed is an error when it is launched, not before: a program may never do so.

use std::sync::Arc;

use shrinkwarp_emu::device::DeviceError;
use shrinkwarp_emu::kernel::{Kernel, Module, ModuleVariable};

use super::Machine;
use super::host_memory::HostMemory;
use super::registry::{Registry, Symbol};
use crate::error::CudaError;
use crate::failure::Failure;
use crate::fat_binary::Ptx;

/// Modules, in the order of their registration.
#[derive(Debug, Default)]
pub struct Modules {
    loaded: Vec<Result<Loaded, Failure>>,
}

/// A kernel, and the architecture that its PTX was made for.
#[derive(Debug)]
pub struct LoadedKernel {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// 70 for `compute_70`.
    pub architecture: u32,
}

#[derive(Debug)]
struct Loaded {
    module: Module,
    /// What stops the kernels that are not there.
    errors: Vec<String>,
}

impl Modules {
    /// Loads what was registered since the last time.
    pub fn load_new(&mut self, registry: &Registry, machine: &mut Machine, host_memory: &mut HostMemory) {
        for ptx in &registry.modules[self.loaded.len().min(registry.modules.len())..] {
            let number = self.loaded.len();
            for managed in registry.managed.iter().filter(|managed| managed.symbol.module == number) {
                managed.place(host_memory, machine.memory_mut());
            }
            self.loaded.push(ptx.as_ref().map_err(Failure::clone).and_then(|ptx| load(ptx, machine)));
        }
    }

    /// A kernel by its symbol.
    pub fn kernel(&self, symbol: &Symbol) -> Result<Arc<Kernel>, Failure> {
        let loaded = self.module(symbol)?;
        if let Some(kernel) = loaded.module.kernels.get(&symbol.name) {
            return Ok(Arc::clone(kernel));
        }
        if loaded.errors.is_empty() {
            let message = format!("there is no kernel {} in its module", symbol.name);
            return Err(Failure::new(CudaError::InvalidDeviceFunction, message));
        }
        let message = format!("kernel {} cannot be run:\n{}", symbol.name, loaded.errors.join("\n"));
        Err(Failure::new(CudaError::InvalidPtx, message))
    }

    /// The symbol of the kernel that device code of a module knows by this address.
    pub fn symbol_at(&self, module: usize, address: u64) -> Option<Symbol> {
        let loaded = self.loaded.get(module)?.as_ref().ok()?;
        let name = loaded.module.kernel_addresses.get(&address)?.clone();
        Some(Symbol { module, name })
    }

    /// A variable by its symbol.
    pub fn variable(&self, symbol: &Symbol) -> Result<ModuleVariable, Failure> {
        // A variable that no kernel uses is not in the PTX.
        let variable = self.module(symbol)?.module.variables.get(&symbol.name).copied();
        variable.ok_or_else(|| {
            let message = format!("there is no variable {} in its module", symbol.name);
            Failure::new(CudaError::InvalidSymbol, message)
        })
    }

    /// Whether a module could be read.
    pub fn check(&self, number: usize) -> Result<(), Failure> {
        match self.loaded.get(number) {
            Some(Err(failure)) => Err(failure.clone()),
            _ => Ok(()),
        }
    }

    fn module(&self, symbol: &Symbol) -> Result<&Loaded, Failure> {
        match self.loaded.get(symbol.module) {
            Some(Ok(loaded)) => Ok(loaded),
            Some(Err(failure)) => Err(failure.clone()),
            None => Err(CudaError::InvalidDeviceFunction.into()),
        }
    }
}

fn load(ptx: &Ptx, machine: &mut Machine) -> Result<Loaded, Failure> {
    let ast = shrinkwarp_ptx::parse(&ptx.text)
        .map_err(|errors| DeviceError::Parse(errors.iter().map(ToString::to_string).collect()))?;
    let (mut module, errors) = machine.load(&ast)?;
    // What the compiler gave a kernel is better than our estimate.
    for (name, count) in &ptx.registers {
        if let Some(kernel) = module.kernels.get_mut(name).and_then(Arc::get_mut) {
            kernel.registers.given = Some(*count);
        }
    }
    Ok(Loaded { module, errors: errors.iter().map(ToString::to_string).collect() })
}
