//! What a program uses of the device.

use std::collections::BTreeMap;

use shrinkwarp_machine::traffic::TrafficTap;
use shrinkwarp_sim::launch::RunReport;

use super::Machine;
use super::array::Array;
use super::graph::{Capture, Graph};
use super::handles::Handles;
use super::host_memory::HostMemory;
use super::machine::milliseconds;
use super::modules::Modules;
use super::objects::DescribedObject;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::version::RuntimeVersion;

/// The device and everything on it.
pub struct Context {
    /// What was requested.
    pub settings: Settings,
    /// The runtime that the program was built for.
    pub version: RuntimeVersion,
    /// The device.
    pub machine: Machine,
    /// Loaded modules.
    pub modules: Modules,
    /// Pinned and managed memory.
    pub host_memory: HostMemory,
    /// Streams, with their flags and priority.
    pub streams: Handles<(u32, i32)>,
    /// Events, with the simulated cycle they were recorded at.
    pub events: Handles<Option<u64>>,
    /// CUDA arrays.
    pub arrays: Handles<Array>,
    /// Texture and surface objects, by handle.
    pub objects: BTreeMap<u64, DescribedObject>,
    /// Graphs.
    pub graphs: Handles<Graph>,
    /// Graphs that can be launched.
    pub executables: Handles<Graph>,
    /// Linkers of the driver API, with the PTX that they were given.
    pub linkers: Handles<Vec<u8>>,
    /// What a stream records now.
    pub capture: Option<Capture>,
    /// Bytes of the heap of kernels.
    pub heap_bytes: u64,
    /// Nodes of graphs made so far.
    pub(super) nodes_made: u64,
    /// Kernels that were looked up with the driver API.
    pub driver_functions: u64,
    /// Launches that never began, and why.
    pub refused: Vec<String>,
    /// Launches that a fault ended, and which.
    pub faulted: Vec<String>,
    /// Launches whose threads have fewer registers than they need.
    pub spilled_launches: u64,
    /// Reports of all launches that ended.
    pub launches: Vec<RunReport>,
    /// What kernels printed since the program last waited for them.
    pub(super) printed: Vec<u8>,
    /// Where grids meet, once a launch was cooperative.
    pub(super) grid_barrier: Option<u64>,
    /// What a kernel did wrong: every later call fails like it.
    pub fault: Option<CudaError>,
    /// Core cycles of all launches, for events.
    pub cycles: u64,
    /// What crosses the DRAM link, where a profile is wanted.
    pub tap: Option<TrafficTap>,
    allocations: u64,
}

impl Context {
    /// An idle device.
    pub fn new(settings: Settings, version: RuntimeVersion) -> Self {
        let mut machine = Machine::new(&settings);
        Self {
            tap: settings.profile.as_ref().map(|_| machine.tap()),
            machine,
            settings,
            version,
            modules: Modules::default(),
            host_memory: HostMemory::default(),
            streams: Handles::default(),
            events: Handles::default(),
            arrays: Handles::default(),
            objects: BTreeMap::new(),
            graphs: Handles::default(),
            executables: Handles::default(),
            linkers: Handles::default(),
            capture: None,
            heap_bytes: 8 << 20,
            nodes_made: 0,
            driver_functions: 0,
            refused: Vec::new(),
            faulted: Vec::new(),
            spilled_launches: 0,
            launches: Vec::new(),
            printed: Vec::new(),
            grid_barrier: None,
            fault: None,
            cycles: 0,
            allocations: 0,
        }
    }

    /// Device memory of the program's own; the settings may let it be approximated.
    pub fn alloc(&mut self, bytes: u64) -> Result<u64, Failure> {
        let number = self.allocations;
        self.allocations += 1;
        let device = self.machine.device();
        let wish = self.settings.approximable.iter().find(|wish| wish.number == number);
        Ok(match wish {
            Some(wish) => device.alloc_approximable(bytes, wish.element, wish.bits)?,
            None => device.alloc(bytes)?,
        })
    }

    /// Waits for the device: what kernels printed comes out now, and what they did wrong is told.
    pub fn synchronize(&mut self) -> Result<(), Failure> {
        self.flush_printed();
        match self.fault {
            Some(code) => Err(code.into()),
            None => Ok(()),
        }
    }

    /// Simulated time since the device was made.
    pub fn milliseconds(&self, cycles: u64) -> f64 {
        milliseconds(&self.settings.gpu, cycles)
    }

    /// Writes what kernels printed through C's standard output, so that it keeps its place among the program's own.
    pub fn flush_printed(&mut self) {
        if self.printed.is_empty() {
            return;
        }
        // SAFETY: `stdout` is C's stream, and the bytes are ours.
        unsafe { libc::fwrite(self.printed.as_ptr().cast(), 1, self.printed.len(), stdout) };
        self.printed.clear();
    }
}

unsafe extern "C" {
    /// C's standard output.
    static stdout: *mut libc::FILE;
}
