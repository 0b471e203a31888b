//! The error codes of the runtime: number, name and what a person is told.

/// Makes the enum and the table from one list.
macro_rules! errors {
    ($($variant:ident = $code:literal, $name:literal, $text:literal;)*) => {
        /// An error as programs see it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum CudaError {
            $(#[doc = concat!("`", $name, "`: ", $text)] $variant = $code,)*
        }

        /// Every code with its name and text, both ended by a NUL.
        const TABLE: &[(CudaError, &str, &str)] =
            &[$((CudaError::$variant, concat!($name, "\0"), concat!($text, "\0")),)*];
    };
}

errors! {
    Success = 0, "cudaSuccess", "no error";
    InvalidValue = 1, "cudaErrorInvalidValue", "invalid argument";
    MemoryAllocation = 2, "cudaErrorMemoryAllocation", "out of memory";
    InitializationError = 3, "cudaErrorInitializationError", "initialization error";
    InvalidConfiguration = 9, "cudaErrorInvalidConfiguration", "invalid configuration argument";
    InvalidPitchValue = 12, "cudaErrorInvalidPitchValue", "invalid pitch argument";
    InvalidSymbol = 13, "cudaErrorInvalidSymbol", "invalid device symbol";
    InvalidDevicePointer = 17, "cudaErrorInvalidDevicePointer", "invalid device pointer";
    InvalidTexture = 18, "cudaErrorInvalidTexture", "invalid texture reference";
    InvalidTextureBinding = 19, "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer";
    InvalidChannelDescriptor = 20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor";
    InvalidMemcpyDirection = 21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy";
    MissingConfiguration = 52, "cudaErrorMissingConfiguration", "__global__ function call is not configured";
    InvalidDeviceFunction = 98, "cudaErrorInvalidDeviceFunction", "invalid device function";
    NoDevice = 100, "cudaErrorNoDevice", "no CUDA-capable device is detected";
    InvalidDevice = 101, "cudaErrorInvalidDevice", "invalid device ordinal";
    InvalidKernelImage = 200, "cudaErrorInvalidKernelImage", "device kernel image is invalid";
    NoKernelImageForDevice = 209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device";
    UnsupportedLimit = 215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture";
    PeerAccessUnsupported = 217, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices";
    InvalidPtx = 218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed";
    FileNotFound = 301, "cudaErrorFileNotFound", "file not found";
    InvalidResourceHandle = 400, "cudaErrorInvalidResourceHandle", "invalid resource handle";
    SymbolNotFound = 500, "cudaErrorSymbolNotFound", "named symbol not found";
    NotReady = 600, "cudaErrorNotReady", "device not ready";
    IllegalAddress = 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered";
    LaunchOutOfResources = 701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch";
    LaunchTimeout = 702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated";
    Assert = 710, "cudaErrorAssert", "device-side assert triggered";
    HostMemoryAlreadyRegistered = 712, "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped";
    HostMemoryNotRegistered = 713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region";
    HardwareStackError = 714, "cudaErrorHardwareStackError", "hardware stack error";
    IllegalInstruction = 715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered";
    MisalignedAddress = 716, "cudaErrorMisalignedAddress", "misaligned address";
    InvalidPc = 718, "cudaErrorInvalidPc", "invalid program counter";
    LaunchFailure = 719, "cudaErrorLaunchFailure", "unspecified launch failure";
    CooperativeLaunchTooLarge = 720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch";
    NotPermitted = 800, "cudaErrorNotPermitted", "operation not permitted";
    NotSupported = 801, "cudaErrorNotSupported", "operation not supported";
    Unknown = 999, "cudaErrorUnknown", "unknown error";
}

/// Name of a code, ended by a NUL.
pub fn name(code: i32) -> &'static str {
    row(code).map_or("unrecognized error code\0", |row| row.1)
}

/// Name of a code in the driver API, ended by a NUL.
pub fn driver_name(code: i32) -> &'static str {
    DRIVER_NAMES.iter().find(|row| row.0 == code).map_or_else(|| name(code), |row| row.1)
}

/// Names of the driver API that programs look at.
const DRIVER_NAMES: &[(i32, &str)] = &[
    (0, "CUDA_SUCCESS\0"),
    (1, "CUDA_ERROR_INVALID_VALUE\0"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY\0"),
    (3, "CUDA_ERROR_NOT_INITIALIZED\0"),
    (100, "CUDA_ERROR_NO_DEVICE\0"),
    (101, "CUDA_ERROR_INVALID_DEVICE\0"),
    (200, "CUDA_ERROR_INVALID_IMAGE\0"),
    (209, "CUDA_ERROR_NO_BINARY_FOR_GPU\0"),
    (218, "CUDA_ERROR_INVALID_PTX\0"),
    (301, "CUDA_ERROR_FILE_NOT_FOUND\0"),
    (400, "CUDA_ERROR_INVALID_HANDLE\0"),
    (500, "CUDA_ERROR_NOT_FOUND\0"),
    (600, "CUDA_ERROR_NOT_READY\0"),
    (700, "CUDA_ERROR_ILLEGAL_ADDRESS\0"),
    (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES\0"),
    (702, "CUDA_ERROR_LAUNCH_TIMEOUT\0"),
    (719, "CUDA_ERROR_LAUNCH_FAILED\0"),
    (801, "CUDA_ERROR_NOT_SUPPORTED\0"),
    (999, "CUDA_ERROR_UNKNOWN\0"),
];

/// Text of a code, ended by a NUL.
pub fn text(code: i32) -> &'static str {
    row(code).map_or("unrecognized error code\0", |row| row.2)
}

fn row(code: i32) -> Option<&'static (CudaError, &'static str, &'static str)> {
    TABLE.iter().find(|row| row.0 as i32 == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_row_and_rows_are_in_order() {
        assert!(TABLE.windows(2).all(|pair| (pair[0].0 as i32) < pair[1].0 as i32));
        assert_eq!(name(700), "cudaErrorIllegalAddress\0");
        assert_eq!(text(12345), "unrecognized error code\0");
    }
}
