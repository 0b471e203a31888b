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
