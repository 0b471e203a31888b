//! Device memory: allocations in one address space, checked access, and where each state space lies in it.
//!
//! | generic addresses            | space                                            |
//! |------------------------------|--------------------------------------------------|
//! | `0x8000_0000` + 16 MiB       | shared memory of the thread block                |
//! | `0x9000_0000` + 16 MiB       | local memory of the thread                       |
//! | `0xa000_0000` + 256 MiB      | constant bank                                    |
//! | `0xb000_0000` + 16 MiB       | kernel parameters                                |
//! | `0xc000_0000` and up         | global memory, the first allocation first        |
//!
//! Global memory is placed as GPGPU-Sim's `cudaMalloc` places it: from `0xc000_0000` upwards, each allocation at
//! the next multiple of 256 bytes, no address used twice; [`Spacing`] can be as CUDA's driver has it. A freed allocation therefore stays recognisable.
//!
//! Words are relaxed atomics: thread blocks of one launch may run on several threads, and a kernel's race must stay a
//! race of the kernel, never undefined behaviour of ours.

mod allocation;
mod constants;
mod global;
mod heap;
mod local_image;
mod regions;
mod texture;

pub use allocation::Allocation;
pub use constants::CONSTANT_BYTES;
pub use global::{DEVICE_BYTES, Memory, MemoryError, Spacing, Stray};
pub use local_image::{LOCAL_END, LOCAL_START};
pub use regions::DEFAULT_REGION_ENTRIES;
pub use shrinkwarp_codec::transform::{Approximation, FloatFormat};
pub use texture::{Addressing, ChannelKind, Filter, TexelFormat, Texture};

/// First global address by default.
pub const GLOBAL_START: u64 = 0xc000_0000;
/// Alignment of allocations.
pub const ALLOCATION_ALIGN: u64 = 256;
/// Generic addresses of shared memory start here.
pub const SHARED_WINDOW: u64 = 0x8000_0000;
/// Generic addresses of local memory start here.
pub const LOCAL_WINDOW: u64 = 0x9000_0000;
/// Generic addresses of the constant bank start here.
pub const CONSTANT_WINDOW: u64 = 0xa000_0000;
/// Generic addresses of kernel parameters start here.
pub const PARAMETER_WINDOW: u64 = 0xb000_0000;
/// Bytes of a window.
pub const WINDOW_BYTES: u64 = 0x0100_0000;
