//! How a kernel runs: checked as a real device checks it, then to its end.

use std::ffi::c_void;
use std::sync::Arc;

use shrinkwarp_emu::device::DeviceError;
use shrinkwarp_emu::functional::{MAX_SHARED_BYTES, MAX_THREADS_PER_BLOCK};
use shrinkwarp_emu::kernel::Kernel;
use shrinkwarp_emu::launch::{Dim3, Launch};
use shrinkwarp_sim::SmSpec;
use shrinkwarp_sim::{Misfit, ThreadBlockNeeds, blocks_per_sm};

use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::launch::RunReport;

use super::Context;
use super::registry::Symbol;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, host_bytes};

/// Largest grid in y and z; x may be larger than any grid that is run.
const MAX_GRID: Dim3 = [0x7fff_ffff, 65_535, 65_535];
/// Largest thread block in each dimension.
const MAX_BLOCK: Dim3 = [1024, 1024, 64];
/// A grid that no machine is large enough to spread evenly, so that occupancy is what one SM can hold.
const ENDLESS_GRID: u64 = u64::MAX;

/// What a program asks for.
#[derive(Clone, Copy, Debug)]
pub struct LaunchRequest<'a> {
    /// Thread blocks.
    pub grid: Dim3,
    /// Threads.
    pub block: Dim3,
    /// Dynamic shared memory.
    pub shared_bytes: u64,
    /// Where the arguments are.
    pub arguments: Arguments<'a>,
    /// Whether all thread blocks must be resident at once.
    pub is_cooperative: bool,
}

/// Where the arguments of a launch are.
#[derive(Clone, Copy, Debug)]
pub enum Arguments<'a> {
    /// A pointer to the value of each.
    Each(In<*const c_void>),
    /// The parameter space as it is, and its size.
    Whole(u64, u64),
    /// The parameter space, as a kernel that launches this one filled it.
    Given(&'a [u8]),
}

impl Arguments<'_> {
    /// As the driver API passes them: a pointer to each, or words (1, address, 2, pointer to the size, 0).
    pub fn of(arguments: In<*const c_void>, extra: u64) -> Result<Self, Failure> {
        const ADDRESS: u64 = 1;
        const SIZE: u64 = 2;
        if extra == 0 || arguments.address() != 0 {
            return Ok(Self::Each(arguments));
        }
        let words = In::<u64>::at(extra);
        let (mut address, mut bytes) = (0, 0);
        for at in (0..).step_by(2) {
            match words.get_at(at)? {
                ADDRESS => address = words.get_at(at + 1)?,
                SIZE => bytes = In::<u64>::at(words.get_at(at + 1)?).get()?,
                0 => break,
                _ => return Err(CudaError::InvalidValue.into()),
            }
        }
        Ok(Self::Whole(address, bytes))
    }
}

/// A launch that was checked and has its arguments.
#[derive(Clone, Debug)]
pub struct PreparedLaunch {
    kernel: Arc<Kernel>,
    /// What is launched: grid, thread block and arguments.
    pub launch: Launch,
    /// The kernel as the program names it; 0 where another kernel launched it.
    pub function: u64,
    /// Where the program finds each argument of a node of a graph, once it asked.
    pub argument_places: Vec<u64>,
    /// Number of the kernel's module: kernels that it launches are there too.
    module: usize,
}

impl PreparedLaunch {
    /// Addresses of the arguments, in a list that stays where it is until the launch is changed.
    pub fn list_arguments(&mut self) -> u64 {
        let start = self.launch.parameters.as_ptr() as u64;
        let places = self.kernel.parameters.iter().map(|parameter| start + u64::from(parameter.offset));
        self.argument_places = places.collect();
        self.argument_places.as_ptr() as u64
    }
}

impl Context {
    /// Checks a launch. One that is refused is remembered: programs do not always look.
    pub fn prepare(
        &mut self,
        symbol: &Symbol,
        request: &LaunchRequest<'_>,
    ) -> Result<PreparedLaunch, Failure> {
        self.try_prepare(symbol, request).inspect_err(|failure| {
            let reason = failure.message.clone().unwrap_or_else(|| format!("{:?}", failure.code));
            let reason = reason.lines().next().unwrap_or_default().to_owned();
            self.refused.push(format!("{}: {reason}", symbol.name));
        })
    }

    fn try_prepare(
        &mut self,
        symbol: &Symbol,
        request: &LaunchRequest<'_>,
    ) -> Result<PreparedLaunch, Failure> {
        let kernel = self.modules.kernel(symbol)?;
        self.check(&kernel, request)?;
        let mut launch = Launch::new(request.grid, request.block, pack(&kernel, request.arguments)?);
        launch.dynamic_shared_bytes = request.shared_bytes as u32;
        launch.max_thread_instructions = self.settings.max_thread_instructions;
        if request.is_cooperative {
            launch.barrier_address = self.grid_barrier()?;
        }
        Ok(PreparedLaunch { kernel, launch, function: 0, argument_places: Vec::new(), module: symbol.module })
    }

    /// Runs a kernel and what it launches. An error in it is kept for the next call that waits for the device.
    pub fn run(&mut self, prepared: &PreparedLaunch) -> Result<(), Failure> {
        self.run_grid(prepared);
        self.run_device_work(prepared.module);
        Ok(())
    }

    /// Runs one grid.
    pub(super) fn run_grid(&mut self, prepared: &PreparedLaunch) {
        let PreparedLaunch { kernel, launch, .. } = prepared;
        let sm = SmSpec::from(&self.settings.gpu);
        let needs = ThreadBlockNeeds::of(kernel, launch.threads_per_block(), 0, &sm.resources);
        if !self.settings.is_without_timing && needs.spills() {
            self.spilled_launches += 1;
        }
        match self.machine.launch(kernel, launch, &self.settings) {
            Ok(mut report) => {
                self.printed.append(&mut report.output);
                self.cycles += self.duration(&report);
                // The totals are read once, at the end.
                report.counters = MachineCounters::default();
                self.launches.push(report);
            }
            Err(error) => {
                self.faulted.push(error.to_string().lines().next().unwrap_or_default().to_owned());
                self.note_fault(error);
            }
        }
    }

    /// Core cycles of a launch. Without timing it is what its SMs need to issue one warp instruction in each cycle: no
    /// measurement, but programs divide by the time that events tell, or repeat kernels until some has passed.
    fn duration(&self, report: &RunReport) -> u64 {
        if self.settings.is_without_timing {
            return report.warp_instructions.div_ceil(self.settings.gpu.sm.count as u64).max(1);
        }
        report.cycles
    }

    /// Keeps what a kernel did wrong. The launch was possible, so that what is no fault was stopped: it did not end.
    fn note_fault(&mut self, error: DeviceError) {
        let was_stopped = matches!(error, DeviceError::Launch(_));
        if let DeviceError::Fault(fault) = &error {
            self.printed.extend(&fault.printed);
        }
        let failure = Failure::from(error);
        self.fault = Some(if was_stopped { CudaError::LaunchTimeout } else { failure.code });
        if let Some(message) = failure.message {
            crate::guard::tell(&message);
        }
    }

    /// Memory for barriers of the whole grid.
    fn grid_barrier(&mut self) -> Result<u64, Failure> {
        const BARRIER_BYTES: u64 = 8;
        if let Some(address) = self.grid_barrier {
            return Ok(address);
        }
        let address = self.machine.device().alloc(BARRIER_BYTES)?;
        self.grid_barrier = Some(address);
        Ok(address)
    }

    /// Thread blocks of a kernel that an SM holds at once.
    pub fn blocks_per_sm(&self, kernel: &Kernel, threads: u32, shared_bytes: u64) -> Result<u32, Misfit> {
        let sm = SmSpec::from(&self.settings.gpu);
        let shared_bytes = shared_bytes.min(u64::from(u32::MAX)) as u32;
        let needs = ThreadBlockNeeds::of(kernel, threads, shared_bytes, &sm.resources);
        blocks_per_sm(&sm.resources, &needs, ENDLESS_GRID, self.settings.gpu.sm.count as u64)
    }

    fn check(&self, kernel: &Kernel, request: &LaunchRequest<'_>) -> Result<(), Failure> {
        let threads: u64 = request.block.iter().map(|&extent| u64::from(extent)).product();
        let is_inside = |extents: Dim3, limits: Dim3| {
            extents.iter().zip(limits).all(|(&extent, limit)| extent >= 1 && extent <= limit)
        };
        let describe = |code: CudaError, what: &str| {
            let message = format!(
                "kernel {}: {what} (grid {:?}, block {:?}, {} bytes of dynamic shared memory)",
                kernel.name, request.grid, request.block, request.shared_bytes
            );
            Err(Failure::new(code, message))
        };
        if !is_inside(request.grid, MAX_GRID) {
            return describe(
                CudaError::InvalidConfiguration,
                "a grid has 1 to 2147483647 x 65535 x 65535 thread blocks",
            );
        }
        if !is_inside(request.block, MAX_BLOCK) || threads > MAX_THREADS_PER_BLOCK {
            return describe(CudaError::InvalidConfiguration, "a thread block has at most 1024 threads");
        }
        if kernel.max_threads.is_some_and(|most| threads > u64::from(most)) {
            return describe(CudaError::LaunchOutOfResources, "more threads than its launch bounds allow");
        }
        if self.settings.is_without_timing {
            // What an SM holds matters only to time.
            return match u64::from(kernel.static_shared_bytes).saturating_add(request.shared_bytes) {
                0..=MAX_SHARED_BYTES => Ok(()),
                _ => describe(CudaError::InvalidValue, "more shared memory than any GPU has"),
            };
        }
        match self.blocks_per_sm(kernel, threads as u32, request.shared_bytes) {
            Err(Misfit::SharedMemory) => {
                describe(CudaError::InvalidValue, "more shared memory than an SM has")
            }
            Err(Misfit::Threads) => describe(CudaError::InvalidConfiguration, "more threads than an SM has"),
            Ok(resident) if request.is_cooperative => {
                let blocks: u64 = request.grid.iter().map(|&extent| u64::from(extent)).product();
                if blocks > u64::from(resident) * self.settings.gpu.sm.count as u64 {
                    return describe(
                        CudaError::CooperativeLaunchTooLarge,
                        "not all thread blocks fit on the SMs at once",
                    );
                }
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }
}

/// The parameter space, from a pointer to each value.
fn pack(kernel: &Arc<Kernel>, arguments: Arguments<'_>) -> Result<Vec<u8>, Failure> {
    let mut bytes = vec![0; kernel.parameter_bytes as usize];
    let arguments = match arguments {
        Arguments::Each(arguments) => arguments,
        Arguments::Given(given) => {
            let kept = given.len().min(bytes.len());
            bytes[..kept].copy_from_slice(&given[..kept]);
            return Ok(bytes);
        }
        Arguments::Whole(address, given) => {
            let kept = given.min(bytes.len() as u64);
            bytes[..kept as usize].copy_from_slice(host_bytes(address, kept)?);
            return Ok(bytes);
        }
    };
    for (index, parameter) in kernel.parameters.iter().enumerate() {
        let value = host_bytes(arguments.get_at(index)? as u64, u64::from(parameter.bytes))?;
        let start = parameter.offset as usize;
        if let Some(target) = bytes.get_mut(start..start + value.len()) {
            target.copy_from_slice(value);
        }
    }
    Ok(bytes)
}
