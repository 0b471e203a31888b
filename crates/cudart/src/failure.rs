//! Why a call failed: the code for the program, the message for a person.
//!
//! | what went wrong                                     | code                                        |
//! |-----------------------------------------------------|---------------------------------------------|
//! | kernel: address outside, freed or read-only         | `cudaErrorIllegalAddress`                   |
//! | kernel: misaligned address                          | `cudaErrorMisalignedAddress`                |
//! | kernel: `assert`                                    | `cudaErrorAssert`                           |
//! | kernel: barrier that cannot be passed, endless loop | `cudaErrorLaunchTimeout`                    |
//! | kernel: jump to nowhere                             | `cudaErrorInvalidPc`                        |
//! | kernel: stack overflow                              | `cudaErrorHardwareStackError`               |
//! | kernel: barrier number                              | `cudaErrorIllegalInstruction`               |
//! | kernel: `trap`, `free`, unbound texture             | `cudaErrorLaunchFailure`                    |
//! | host: address outside of every allocation           | `cudaErrorInvalidValue`                     |
//! | host: more memory than there is                     | `cudaErrorMemoryAllocation`                 |
//! | PTX that cannot be read or executed                 | `cudaErrorInvalidPtx`                       |

use shrinkwarp_emu::device::DeviceError;
use shrinkwarp_emu::fault::{FaultKind, MemoryFaultReason};
use shrinkwarp_emu::inst::Space;
use shrinkwarp_emu::memory::MemoryError;

use crate::error::CudaError;
use crate::fat_binary::FatBinaryError;

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the program gets.
    pub code: CudaError,
    /// What a person reads; nothing where the code says it all.
    pub message: Option<String>,
}

impl Failure {
    /// A failure with an explanation.
    pub fn new(code: CudaError, message: impl Into<String>) -> Self {
        Self { code, message: Some(message.into()) }
    }
}

impl From<CudaError> for Failure {
    fn from(code: CudaError) -> Self {
        Self { code, message: None }
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        let code = match error {
            MemoryError::TooLarge { .. } | MemoryError::HostIsFull { .. } => CudaError::MemoryAllocation,
            MemoryError::BadTexture { .. } => CudaError::InvalidTexture,
            _ => CudaError::InvalidValue,
        };
        Self::new(code, error.to_string())
    }
}

impl From<FatBinaryError> for Failure {
    fn from(error: FatBinaryError) -> Self {
        let code = match error {
            FatBinaryError::NoPtx { .. } => CudaError::NoKernelImageForDevice,
            _ => CudaError::InvalidKernelImage,
        };
        Self::new(code, error.to_string())
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        let code = match &error {
            DeviceError::Memory(error) => return error.clone().into(),
            DeviceError::Parse(_) | DeviceError::Load(_) => CudaError::InvalidPtx,
            DeviceError::Launch(_) => CudaError::InvalidConfiguration,
            DeviceError::Fault(fault) => fault_code(&fault.kind),
        };
        Self::new(code, error.to_string())
    }
}

/// How to let a kernel go on that leaves its buffers, as many do unnoticed on GPUs; nothing for other faults.
pub fn way_out(error: &DeviceError) -> Option<&'static str> {
    let DeviceError::Fault(fault) = error else { return None };
    let FaultKind::Memory(memory) = &fault.kind else { return None };
    let is_stray = matches!(memory.reason, MemoryFaultReason::OutOfBounds | MemoryFaultReason::UseAfterFree);
    match (is_stray && memory.space == Space::Global, memory.is_write) {
        (false, _) => None,
        (true, false) => Some(
            "GPUs map memory in large pages and may not notice such a read: `shrinkwarp exec --stray-reads zero` \
             (SHRINKWARP_STRAY_READS=zero) lets kernels read zeros there and counts the reads",
        ),
        (true, true) => Some(
            "GPUs map memory in large pages and may not notice such a write: `shrinkwarp exec --stray-writes drop` \
             (SHRINKWARP_STRAY_WRITES=drop) drops what kernels write there and counts the writes",
        ),
    }
}

fn fault_code(kind: &FaultKind) -> CudaError {
    match kind {
        FaultKind::Memory(fault) if fault.reason == MemoryFaultReason::Misaligned => {
            CudaError::MisalignedAddress
        }
        FaultKind::Memory(_) => CudaError::IllegalAddress,
        FaultKind::Assert { .. } => CudaError::Assert,
        FaultKind::BarrierDeadlock { .. }
        | FaultKind::TooManyInstructions { .. }
        | FaultKind::Interrupted => CudaError::LaunchTimeout,
        FaultKind::BadTarget { .. } => CudaError::InvalidPc,
        FaultKind::StackOverflow { .. } => CudaError::HardwareStackError,
        FaultKind::BadBarrier { .. } => CudaError::IllegalInstruction,
        FaultKind::Trap | FaultKind::BadFree { .. } | FaultKind::BadTexture { .. } => {
            CudaError::LaunchFailure
        }
    }
}

#[cfg(test)]
mod tests {
    use shrinkwarp_emu::fault::{Fault, MemoryFault};

    use super::*;

    fn stray(is_write: bool, reason: MemoryFaultReason, space: Space) -> Option<&'static str> {
        let memory = MemoryFault { reason, space, address: 4, bytes: 4, is_write, nearest: String::new() };
        way_out(&DeviceError::Fault(Box::new(Fault {
            kind: FaultKind::Memory(memory),
            kernel: String::new(),
            line: 0,
            block: [0; 3],
            thread: [0; 3],
            printed: Vec::new(),
        })))
    }

    #[test]
    fn a_kernel_that_leaves_its_buffers_is_told_the_option_that_lets_it() {
        let outside = MemoryFaultReason::OutOfBounds;
        assert!(stray(false, outside, Space::Global).is_some_and(|text| text.contains("--stray-reads zero")));
        assert!(stray(true, outside, Space::Global).is_some_and(|text| text.contains("--stray-writes drop")));
        assert_eq!(stray(false, outside, Space::Shared), None);
        assert_eq!(stray(false, MemoryFaultReason::Misaligned, Space::Global), None);
    }
}
