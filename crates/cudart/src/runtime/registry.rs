//! What the program's start-up code registers: fat binaries, and which host symbol belongs to which device symbol.

use std::collections::BTreeMap;

use shrinkwarp_emu::memory::Memory;

use super::host_memory::{HostKind, HostMemory};
use crate::failure::Failure;
use crate::fat_binary::Ptx;
use crate::foreign::host_bytes_mut;

/// Everything registered, by address on the host.
#[derive(Debug, Default)]
pub struct Registry {
    /// The PTX of every fat binary, in order, or why there is none.
    pub modules: Vec<Result<Ptx, Failure>>,
    /// Variables that host and device share.
    pub managed: Vec<ManagedSymbol>,
    kernels: BTreeMap<u64, Symbol>,
    variables: BTreeMap<u64, VariableSymbol>,
    textures: BTreeMap<u64, TextureSymbol>,
}

/// A name in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Number of the module.
    pub module: usize,
    /// Name in its PTX.
    pub name: String,
}

/// A `__device__` or `__constant__` variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableSymbol {
    /// Which.
    pub symbol: Symbol,
    /// Size.
    pub bytes: u64,
}

/// A `__managed__` variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedSymbol {
    /// Which.
    pub symbol: Symbol,
    /// Size.
    pub bytes: u64,
    /// Where the host keeps the address of the variable.
    pub pointer: u64,
}

impl ManagedSymbol {
    /// Gives the variable memory that both sides use, before its module is loaded, and tells the host where it is.
    pub fn place(&self, host_memory: &mut HostMemory, memory: &mut Memory) {
        let Ok(address) = host_memory.alloc(memory, self.bytes, HostKind::Managed) else {
            crate::guard::tell(&format!("there is no memory for the managed variable {}", self.symbol.name));
            return;
        };
        memory.place_variable(&self.symbol.name, address);
        if let Ok(pointer) = host_bytes_mut(self.pointer, 8) {
            pointer.copy_from_slice(&address.to_le_bytes());
        }
    }
}

/// A texture reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureSymbol {
    /// Which.
    pub symbol: Symbol,
    /// Integer texels are read as fractions.
    pub reads_normalised: bool,
}

impl Registry {
    /// Adds a module; its number.
    pub fn add_module(&mut self, ptx: Result<Ptx, Failure>) -> usize {
        self.modules.push(ptx);
        self.modules.len() - 1
    }

    /// A kernel's host stub.
    pub fn add_kernel(&mut self, host: u64, symbol: Symbol) {
        self.kernels.insert(host, symbol);
    }

    /// A variable's host shadow.
    pub fn add_variable(&mut self, host: u64, variable: VariableSymbol) {
        self.variables.insert(host, variable);
    }

    /// A texture reference of the host.
    pub fn add_texture(&mut self, host: u64, texture: TextureSymbol) {
        self.textures.insert(host, texture);
    }

    /// The kernel that a host stub launches.
    pub fn kernel(&self, host: u64) -> Option<&Symbol> {
        self.kernels.get(&host)
    }

    /// The device variable of a host shadow.
    pub fn variable(&self, host: u64) -> Option<&VariableSymbol> {
        self.variables.get(&host)
    }

    /// The device's texture reference.
    pub fn texture(&self, host: u64) -> Option<&TextureSymbol> {
        self.textures.get(&host)
    }

    /// Forgets the host symbols of a module: its code is about to leave the process.
    pub fn remove_symbols(&mut self, module: usize) {
        self.kernels.retain(|_, symbol| symbol.module != module);
        self.variables.retain(|_, variable| variable.symbol.module != module);
        self.textures.retain(|_, texture| texture.symbol.module != module);
    }

    /// The architecture that a symbol's module was made for.
    pub fn architecture(&self, symbol: &Symbol) -> u32 {
        match self.modules.get(symbol.module) {
            Some(Ok(ptx)) => ptx.architecture,
            _ => 0,
        }
    }

    /// The newest architecture that any PTX was made for.
    pub fn newest_architecture(&self) -> Option<u32> {
        self.modules.iter().filter_map(|module| module.as_ref().ok()).map(|ptx| ptx.architecture).max()
    }
}
