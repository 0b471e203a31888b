//! `kernel_opt`: an oracle that knows the best mode of each kernel (`l1.kernel_modes`) from earlier runs with static policies.

use super::{Policy, PolicySetup};
use crate::base::compressed_lines::Mode;
use crate::compute::l1::scheme::L1Scheme;

/// The oracle.
#[derive(Clone, Debug)]
pub struct KernelOpt {
    scheme: L1Scheme,
    mode: Mode,
}

impl Policy for KernelOpt {
    fn new(setup: &PolicySetup<'_>) -> Self {
        Self { scheme: setup.scheme.clone(), mode: Mode::RAW }
    }

    fn winner(&self) -> Mode {
        self.mode
    }

    fn start_kernel(&mut self, kernel: &str) {
        self.mode = Mode(self.scheme.mode_of_kernel(kernel) as u8);
    }
}
