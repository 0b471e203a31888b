//! Runs what kernels launch, copy and fill (dynamic parallelism).
//!
//! The order is one that CUDA allows: a grid runs to its end, then what it asked for in the order of its calls, each with all
//! that follows from it, then what it put into `cudaStreamTailLaunch`. Each grid is a launch with its own report.

use shrinkwarp_emu::device::DeviceError;
use shrinkwarp_emu::device_work::{ChildLaunch, DeviceWork, DeviceWorkKind};

use super::Context;
use super::launch::{Arguments, LaunchRequest};
use crate::error::CudaError;
use crate::failure::Failure;

impl Context {
    /// Runs what the grid that has just ended asked for, and what follows from it. A failure ends all of it.
    pub(super) fn run_device_work(&mut self, module: usize) {
        let mut stack = Vec::new();
        self.push_device_work(&mut stack);
        while let (None, Some(work)) = (self.fault, stack.pop()) {
            if let Err(failure) = self.do_device_work(module, work.kind) {
                self.fault = Some(failure.code);
                if let Some(message) = &failure.message {
                    crate::guard::tell(message);
                }
            }
            self.push_device_work(&mut stack);
        }
    }

    /// Puts what was queued on the stack: tail launches below the rest, the first of each on top.
    fn push_device_work(&mut self, stack: &mut Vec<DeviceWork>) {
        let queued = self.machine.memory().take_device_work();
        let (tail, others): (Vec<_>, Vec<_>) = queued.into_iter().partition(|work| work.is_tail);
        stack.extend(tail.into_iter().rev());
        stack.extend(others.into_iter().rev());
    }

    fn do_device_work(&mut self, module: usize, work: DeviceWorkKind) -> Result<(), Failure> {
        match work {
            DeviceWorkKind::Launch(child) => self.run_child(module, &child),
            DeviceWorkKind::Copy { to, from, to_pitch, from_pitch, row_bytes, rows } => {
                let mut row = vec![0; row_bytes as usize];
                for index in 0..rows {
                    let device = self.machine.device();
                    device.copy_out(from + index * from_pitch, &mut row).map_err(|error| as_fault(&error))?;
                    device.copy_in(to + index * to_pitch, &row).map_err(|error| as_fault(&error))?;
                }
                Ok(())
            }
            DeviceWorkKind::Fill { at, pitch, value, row_bytes, rows } => (0..rows).try_for_each(|index| {
                self.machine
                    .device()
                    .fill(at + index * pitch, value, row_bytes)
                    .map_err(|error| as_fault(&error))
            }),
        }
    }

    fn run_child(&mut self, module: usize, child: &ChildLaunch) -> Result<(), Failure> {
        let Some(symbol) = self.modules.symbol_at(module, child.kernel) else {
            let message = format!("a kernel launched what is no kernel, at address {:#x}", child.kernel);
            return Err(Failure::new(CudaError::InvalidDeviceFunction, message));
        };
        let request = LaunchRequest {
            grid: child.grid,
            block: child.block,
            shared_bytes: u64::from(child.shared_bytes),
            arguments: Arguments::Given(&child.parameters),
            is_cooperative: false,
        };
        let prepared = self.prepare(&symbol, &request)?;
        self.run_grid(&prepared);
        Ok(())
    }
}

/// A copy or fill that leaves its memory is a fault of the kernel that asked for it.
fn as_fault(error: &DeviceError) -> Failure {
    Failure::new(CudaError::IllegalAddress, format!("a copy or fill that a kernel asked for: {error}"))
}
