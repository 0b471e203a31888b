//! Memory that host and device share: pinned and managed memory.
//!
//! It lies at the same address on both sides and is one memory: nothing is copied when a kernel starts or ends. The
//! addresses begin at [`SHARED_START`], far from programs and libraries, and follow each other in order, so that two
//! runs of a program see the same ones.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use shrinkwarp_emu::memory::Memory;

use crate::error::CudaError;
use crate::failure::Failure;

/// First address. Sanitizers keep their shadows below, executables and libraries lie above.
const SHARED_START: u64 = 0x2000_0000_0000;
const PAGE_BYTES: u64 = 4096;

/// What the program requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// `cudaMallocHost`, `cudaHostAlloc`
    Pinned,
    /// `cudaMallocManaged`
    Managed,
    /// `cudaHostRegister`: the program's own memory
    Registered,
}

/// Everything shared.
#[derive(Debug, Default)]
pub struct HostMemory {
    blocks: BTreeMap<u64, (u64, HostKind)>,
    used_bytes: u64,
}

impl HostMemory {
    /// Zeroed memory for both sides.
    pub fn alloc(&mut self, memory: &mut Memory, bytes: u64, kind: HostKind) -> Result<u64, Failure> {
        let address = SHARED_START + self.used_bytes;
        let mapped_bytes =
            bytes.max(1).checked_next_multiple_of(PAGE_BYTES).ok_or(CudaError::MemoryAllocation)?;
        let words = map(address, mapped_bytes, bytes)?;
        memory.share(address, words)?;
        self.blocks.insert(address, (mapped_bytes, kind));
        // A page between two blocks makes an access behind the first one a fault.
        self.used_bytes += mapped_bytes + PAGE_BYTES;
        Ok(address)
    }

    /// Lets kernels use the program's own memory at its address, in whole words.
    pub fn register(&mut self, memory: &mut Memory, address: u64, bytes: u64) -> Result<(), Failure> {
        let start = address & !3;
        let end = address.checked_add(bytes).ok_or(CudaError::InvalidValue)?.next_multiple_of(4);
        let is_taken = |at: u64| self.kind_of(at).is_some();
        if is_taken(start) || is_taken(end - 1) || self.blocks.range(start..end).next().is_some() {
            return Err(CudaError::HostMemoryAlreadyRegistered.into());
        }
        // SAFETY: the program says that the memory is its own until it unregisters it. It may write it at any time,
        // which is why the words are atomics.
        let words =
            unsafe { std::slice::from_raw_parts(start as *const AtomicU32, ((end - start) / 4) as usize) };
        memory.share(start, words)?;
        self.blocks.insert(start, (end - start, HostKind::Registered));
        Ok(())
    }

    /// Ends that.
    pub fn unregister(&mut self, memory: &mut Memory, address: u64) -> Result<(), Failure> {
        let start = address & !3;
        match self.blocks.get(&start) {
            Some((_, HostKind::Registered)) => {
                memory.unshare(start);
                self.blocks.remove(&start);
                Ok(())
            }
            _ => Err(CudaError::HostMemoryNotRegistered.into()),
        }
    }

    /// Gives memory of one kind back.
    pub fn free(&mut self, memory: &mut Memory, address: u64, kind: HostKind) -> Result<(), Failure> {
        match self.blocks.get(&address) {
            Some(&(mapped_bytes, found)) if found == kind => {
                memory.free(address)?;
                self.blocks.remove(&address);
                unmap(address, mapped_bytes);
                Ok(())
            }
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    /// The kind of the block that holds an address.
    pub fn kind_of(&self, address: u64) -> Option<HostKind> {
        let (start, (bytes, kind)) = self.blocks.range(..=address).next_back()?;
        (address - start < *bytes).then_some(*kind)
    }
}

/// Maps fresh pages at exactly this address; the words that hold `bytes`.
fn map(address: u64, mapped_bytes: u64, bytes: u64) -> Result<&'static [AtomicU32], Failure> {
    // SAFETY: an anonymous mapping that replaces no other.
    let mapped = unsafe {
        libc::mmap(
            address as *mut libc::c_void,
            mapped_bytes as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
            -1,
            0,
        )
    };
    if mapped as u64 != address {
        let message = format!("{mapped_bytes} bytes of host memory cannot be mapped at {address:#x}");
        return Err(Failure::new(CudaError::MemoryAllocation, message));
    }
    // SAFETY: the pages were mapped for this alone and stay until the device has forgotten them. The host may write
    // them at any time, which is why they are atomics.
    Ok(unsafe { std::slice::from_raw_parts(mapped.cast(), bytes.div_ceil(4) as usize) })
}

fn unmap(address: u64, mapped_bytes: u64) {
    // SAFETY: exactly what `map` has mapped, and no reference to it is left.
    unsafe { libc::munmap(address as *mut libc::c_void, mapped_bytes as usize) };
}
