//! The device's memory: allocations by address, the constant bank and the device-side heap.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::allocation::Allocation;
use super::constants::Constants;
use super::heap::Heap;
use super::local_image::{LOCAL_END, LOCAL_START, LocalImage};
use super::regions::RegionMap;
use super::texture::Texture;
use super::{ALLOCATION_ALIGN, GLOBAL_START};
use crate::device_work::{DeviceQueue, DeviceWork};
use crate::fault::MemoryFaultReason;

/// Memory of a device; more is refused instead of exhausting the host.
pub const DEVICE_BYTES: u64 = 1 << 36;

/// Memory of one device.
#[derive(Debug)]
pub struct Memory {
    allocations: Vec<Allocation>,
    next: u64,
    /// Bytes of the live allocations, without memory of the host.
    used_bytes: u64,
    constants: Constants,
    heap: Mutex<Heap>,
    device_queue: DeviceQueue,
    local: LocalImage,
    /// Bound textures by handle.
    pub(super) textures: BTreeMap<u64, Texture>,
    /// Texture objects made so far.
    pub(super) texture_objects: u64,
    /// Where loads see approximated values.
    pub(super) regions: RegionMap,
    /// Where variables of the next modules lie, by name.
    pub(crate) placed: BTreeMap<String, u64>,
    /// Where kernels may read zeros although no memory is there.
    stray_reads_allowed: Stray,
    stray_reads: AtomicU64,
    /// Where what kernels write goes nowhere.
    stray_writes_allowed: Stray,
    stray_writes: AtomicU64,
    spacing: Spacing,
    /// Where the next small allocation begins, if they lie apart from large ones, and where its page ends.
    small: (u64, u64),
}

/// Which accesses of kernels to places without memory are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stray {
    /// None: they are faults.
    #[default]
    Nowhere,
    /// Those in a page of 2 MiB that a live allocation reaches into: GPUs map whole pages and do not notice them.
    InPages,
    /// All.
    Anywhere,
}

/// Bytes that a GPU maps at a time.
const PAGE_BYTES: u64 = 2 << 20;

/// How allocations follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// One after the other, at multiples of 256 bytes.
    #[default]
    Packed,
    /// As CUDA's driver does it: small ones at multiples of 512 bytes in pages of 2 MiB, large ones in pages of their own.
    Pages,
}

impl Memory {
    /// The variable `name` of a module that is loaded later lies at `address`, in memory that is there already.
    pub fn place_variable(&mut self, name: &str, address: u64) {
        self.placed.insert(name.to_owned(), address);
    }
}

/// The host requested something that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// More than the device has left.
    TooLarge {
        /// Bytes requested.
        bytes: u64,
        /// Bytes left.
        free_bytes: u64,
    },
    /// More than the host can give.
    HostIsFull {
        /// Bytes requested.
        bytes: u64,
    },
    /// Not the start of a live allocation.
    NotAllocated {
        /// The address given.
        address: u64,
    },
    /// A texture that cannot be read as described.
    BadTexture {
        /// What is wrong.
        reason: String,
    },
    /// A number of approximated bits that the elements do not allow.
    BadApproximation {
        /// What is wrong.
        reason: String,
    },
    /// More approximable regions than the map has entries.
    TooManyRegions {
        /// Entries of the map.
        entries: usize,
    },
    /// A copy that leaves its allocation.
    OutOfBounds {
        /// First address of the copy.
        address: u64,
        /// Bytes of the copy.
        bytes: u64,
        /// What lies closest.
        nearest: String,
    },
}

impl std::fmt::Display for MemoryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MemoryError::TooLarge { bytes, free_bytes } => {
                write!(
                    f,
                    "cannot allocate {bytes} bytes: {free_bytes} of the device's {DEVICE_BYTES} are free"
                )
            }
            MemoryError::HostIsFull { bytes } => {
                write!(f, "cannot allocate {bytes} bytes: the host has too little memory")
            }
            MemoryError::BadTexture { reason } => write!(f, "cannot bind the texture: {reason}"),
            MemoryError::BadApproximation { reason } => f.write_str(reason),
            MemoryError::TooManyRegions { entries } => write!(
                f,
                "the table of approximable regions is full: it has {entries} entries; free a region or configure more entries"
            ),
            MemoryError::NotAllocated { address } => {
                write!(f, "{address:#x} is not the start of an allocation")
            }
            MemoryError::OutOfBounds { address, bytes, nearest } => {
                write!(f, "{bytes} bytes at {address:#x} are not inside one allocation; nearest: {nearest}")
            }
        }
    }
}

impl std::error::Error for MemoryError {}

impl Default for Memory {
    fn default() -> Self {
        Self::starting_at(GLOBAL_START)
    }
}

impl Memory {
    /// Empty memory whose first allocation begins at `start`.
    pub fn starting_at(start: u64) -> Self {
        Self {
            allocations: Vec::new(),
            next: start.next_multiple_of(ALLOCATION_ALIGN),
            used_bytes: 0,
            constants: Constants::default(),
            heap: Mutex::new(Heap::default()),
            device_queue: DeviceQueue::default(),
            local: LocalImage::default(),
            textures: BTreeMap::new(),
            texture_objects: 0,
            regions: RegionMap::default(),
            placed: BTreeMap::new(),
            stray_reads_allowed: Stray::default(),
            stray_reads: AtomicU64::new(0),
            stray_writes_allowed: Stray::default(),
            stray_writes: AtomicU64::new(0),
            spacing: Spacing::default(),
            small: (0, 0),
        }
    }

    /// Zeroed memory; an allocation of 0 bytes still has an address of its own.
    pub fn alloc(&mut self, bytes: u64) -> Result<u64, MemoryError> {
        let free_bytes = self.free_bytes();
        if bytes > free_bytes {
            return Err(MemoryError::TooLarge { bytes, free_bytes });
        }
        let start = self.next_start(bytes);
        let allocation = Allocation::new(start, bytes).ok_or(MemoryError::HostIsFull { bytes })?;
        // Shared memory lies behind, so that this is not always the end.
        let index = self.allocations.partition_point(|allocation| allocation.start() < start);
        self.allocations.insert(index, allocation);
        if start >= self.next {
            self.next = start + bytes.max(1).next_multiple_of(ALLOCATION_ALIGN);
        }
        self.used_bytes += bytes;
        Ok(start)
    }

    /// How later allocations follow each other.
    pub fn set_spacing(&mut self, spacing: Spacing) {
        self.spacing = spacing;
    }

    /// Where an allocation begins.
    fn next_start(&mut self, bytes: u64) -> u64 {
        const SMALL_ALIGN: u64 = 512;
        if self.spacing == Spacing::Packed {
            return self.next;
        }
        if bytes > PAGE_BYTES / 2 {
            self.next = self.next.next_multiple_of(PAGE_BYTES);
            return self.next;
        }
        let taken = bytes.max(1).next_multiple_of(SMALL_ALIGN);
        if self.small.0 + taken > self.small.1 {
            let page = self.next.next_multiple_of(PAGE_BYTES);
            self.small = (page, page + PAGE_BYTES);
            self.next = page + PAGE_BYTES;
        }
        let start = self.small.0;
        self.small.0 += taken;
        start
    }

    /// Lets kernels read zeros where no memory is, instead of stopping them; the reads are counted.
    pub fn allow_stray_reads(&mut self, allowed: Stray) {
        self.stray_reads_allowed = allowed;
    }

    /// Reads of places without memory that were allowed.
    pub fn stray_reads(&self) -> u64 {
        self.stray_reads.load(Ordering::Relaxed)
    }

    /// What a read of a place without memory gives.
    #[cold]
    pub(crate) fn stray_read(
        &self,
        address: u64,
        reason: MemoryFaultReason,
    ) -> Result<u64, MemoryFaultReason> {
        if !self.allows(self.stray_reads_allowed, address, reason) {
            return Err(reason);
        }
        self.stray_reads.fetch_add(1, Ordering::Relaxed);
        Ok(0)
    }

    /// Drops what kernels write where no memory is, instead of stopping them; the writes are counted.
    pub fn allow_stray_writes(&mut self, allowed: Stray) {
        self.stray_writes_allowed = allowed;
    }

    /// Writes to places without memory that were dropped.
    pub fn stray_writes(&self) -> u64 {
        self.stray_writes.load(Ordering::Relaxed)
    }

    /// What a write to a place without memory does.
    #[cold]
    pub(crate) fn stray_write(
        &self,
        address: u64,
        reason: MemoryFaultReason,
    ) -> Result<(), MemoryFaultReason> {
        if !self.allows(self.stray_writes_allowed, address, reason) {
            return Err(reason);
        }
        self.stray_writes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Whether an access to a place without memory is allowed. What was freed counts as memory where only pages do: a
    /// kernel that uses it computes with values that are gone.
    fn allows(&self, allowed: Stray, address: u64, reason: MemoryFaultReason) -> bool {
        match allowed {
            Stray::Nowhere => false,
            Stray::Anywhere => true,
            Stray::InPages => reason == MemoryFaultReason::OutOfBounds && self.is_mapped(address),
        }
    }

    /// Whether a live allocation reaches into the page of an address.
    fn is_mapped(&self, address: u64) -> bool {
        let page = address & !(PAGE_BYTES - 1);
        let behind = self
            .allocations
            .partition_point(|allocation| allocation.start() < page.saturating_add(PAGE_BYTES));
        self.allocations[..behind]
            .iter()
            .rev()
            .take_while(|allocation| allocation.end() > page)
            .any(|allocation| !allocation.is_freed())
    }

    /// Bytes that can still be allocated.
    pub fn free_bytes(&self) -> u64 {
        DEVICE_BYTES - self.used_bytes
    }

    /// Memory that the host keeps using, at an address of the host's choice where no allocation has ever been and where
    /// [`alloc`](Self::alloc) never comes.
    pub fn share(&mut self, start: u64, words: &'static [AtomicU32]) -> Result<(), MemoryError> {
        let shared = Allocation::shared(start, words);
        let index = self.allocations.partition_point(|allocation| allocation.start() < start);
        let is_taken =
            |allocation: &Allocation| allocation.start() < shared.end() && start < allocation.end();
        let neighbours = self.allocations.get(index.saturating_sub(1)..).unwrap_or(&[]);
        if neighbours.iter().take(2).any(is_taken) {
            return Err(MemoryError::OutOfBounds {
                address: start,
                bytes: shared.bytes(),
                nearest: self.nearest(start),
            });
        }
        self.allocations.insert(index, shared);
        Ok(())
    }

    /// Forgets memory of the host, which may share it again.
    pub fn unshare(&mut self, start: u64) {
        self.allocations.retain(|allocation| allocation.start() != start);
    }

    /// Gives an allocation back. Its addresses are never used again.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let index = self.index_at(address);
        match index.and_then(|index| self.allocations.get_mut(index)) {
            Some(allocation) if allocation.start() == address && !allocation.is_freed() => {
                self.used_bytes -= allocation.device_bytes();
                allocation.free();
                self.regions.remove(address);
                Ok(())
            }
            _ => Err(MemoryError::NotAllocated { address }),
        }
    }

    /// Host to device.
    pub fn copy_in(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let (allocation, offset) = self.range(address, bytes.len() as u64)?;
        allocation.write(offset, bytes);
        Ok(())
    }

    /// Device to host.
    pub fn copy_out(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        let (allocation, offset) = self.range(address, out.len() as u64)?;
        allocation.read(offset, out);
        Ok(())
    }

    /// Sets bytes.
    pub fn fill(&self, address: u64, value: u8, bytes: u64) -> Result<(), MemoryError> {
        let (allocation, offset) = self.range(address, bytes)?;
        allocation.write(offset, &vec![value; bytes as usize]);
        Ok(())
    }

    /// The bytes of the line that begins at `address`; bytes outside of allocations read as zero.
    ///
    /// This is what a compressor sees: a line may reach over the end of an allocation.
    pub fn read_line(&self, address: u64, out: &mut [u8]) {
        if (LOCAL_START..LOCAL_END).contains(&address) {
            for (word, bytes) in out.chunks_mut(4).enumerate() {
                let stored = self.local.load(address + 4 * word as u64).to_le_bytes();
                bytes.copy_from_slice(&stored[..bytes.len()]);
            }
            return;
        }
        if let Ok((allocation, offset)) = self.range(address, out.len() as u64) {
            allocation.read(offset, out);
            return;
        }
        for (index, byte) in out.iter_mut().enumerate() {
            let at = address.wrapping_add(index as u64);
            *byte = self.find(at, 1).map_or(0, |(allocation, offset)| allocation.load(offset, 1) as u8);
        }
    }

    /// Keeps a word of a thread's local memory where a timing model places it, for [`Memory::read_line`].
    pub fn store_local(&self, address: u64, word: u32) {
        self.local.store(address, word);
    }

    /// The live allocation that holds all `bytes` from `address`, and the offset inside.
    #[inline]
    pub fn find(&self, address: u64, bytes: u64) -> Option<(&Allocation, usize)> {
        let allocation = self.allocations.get(self.index_at(address)?)?;
        allocation.offset_of(address, bytes).map(|offset| (allocation, offset))
    }

    /// Every allocation made so far, freed ones included, by address.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Why `address` is invalid, and which allocation is nearest.
    pub fn diagnose(&self, address: u64) -> (MemoryFaultReason, String) {
        (self.reason_at(address), self.nearest(address))
    }

    /// Why there is no memory at an address.
    pub(crate) fn reason_at(&self, address: u64) -> MemoryFaultReason {
        let inside = self.index_at(address).and_then(|index| self.allocations.get(index));
        let is_freed = inside.is_some_and(|allocation| allocation.is_freed() && address < allocation.end());
        if is_freed { MemoryFaultReason::UseAfterFree } else { MemoryFaultReason::OutOfBounds }
    }

    /// The constant bank.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The constant bank, for loading modules and copying to symbols.
    pub fn constants_mut(&mut self) -> &mut Constants {
        &mut self.constants
    }

    /// Device-side `malloc`; 0 when the heap is full or was never made.
    pub fn heap_alloc(&self, bytes: u64) -> u64 {
        self.heap.lock().map_or(0, |mut heap| heap.alloc(bytes))
    }

    /// Device-side `free`; whether the pointer came from `malloc`.
    pub fn heap_free(&self, address: u64) -> bool {
        self.heap.lock().is_ok_and(|mut heap| heap.free(address))
    }

    /// Gives the device-side heap more room.
    pub fn add_to_heap(&mut self, bytes: u64) -> Result<(), MemoryError> {
        let start = self.alloc(bytes)?;
        if let Ok(heap) = self.heap.get_mut() {
            heap.add(start, bytes);
        }
        Ok(())
    }

    /// Makes the device-side heap, once.
    pub fn make_heap(&mut self, bytes: u64) -> Result<(), MemoryError> {
        if self.heap.get_mut().is_ok_and(|heap| heap.exists()) {
            return Ok(());
        }
        let start = self.alloc(bytes)?;
        if let Ok(heap) = self.heap.get_mut() {
            *heap = Heap::new(start, bytes);
        }
        Ok(())
    }

    /// From now on the host runs what kernels queue, with [`Memory::take_device_work`] after each launch. Without it, kernels
    /// that launch kernels are not loaded.
    pub fn serve_device_work(&mut self) {
        self.device_queue.serve();
    }

    /// Whether the host runs what kernels queue.
    pub(crate) fn serves_device_work(&self) -> bool {
        self.device_queue.is_served()
    }

    /// What kernels have queued since the last call, in the order of their calls.
    pub fn take_device_work(&self) -> Vec<DeviceWork> {
        self.device_queue.take()
    }

    pub(crate) fn queue_device_work(&self, work: DeviceWork) {
        self.device_queue.push(work);
    }

    /// The address of a text for kernels, in the device-side heap; 0 when that is full.
    pub(crate) fn device_text(&self, text: &'static str) -> u64 {
        self.device_queue.text(text, || {
            let address = self.heap_alloc(text.len() as u64 + 1);
            let is_written = self.copy_in(address, &[text.as_bytes(), &[0]].concat()).is_ok();
            if is_written { address } else { 0 }
        })
    }

    fn range(&self, address: u64, bytes: u64) -> Result<(&Allocation, usize), MemoryError> {
        self.find(address, bytes)
            .or_else(|| {
                // Copying nothing is fine even at the end of an allocation.
                (bytes == 0).then(|| self.allocations.first().map(|first| (first, 0))).flatten()
            })
            .ok_or_else(|| MemoryError::OutOfBounds { address, bytes, nearest: self.nearest(address) })
    }

    /// The last allocation that begins at or before `address`.
    #[inline]
    fn index_at(&self, address: u64) -> Option<usize> {
        self.allocations.partition_point(|allocation| allocation.start() <= address).checked_sub(1)
    }

    fn nearest(&self, address: u64) -> String {
        let distance = |allocation: &Allocation| match address {
            before if before < allocation.start() => allocation.start() - before,
            after if after >= allocation.end() => after - allocation.end() + 1,
            _ => 0,
        };
        let closest = self.allocations.iter().enumerate().min_by_key(|(_, allocation)| distance(allocation));
        let Some((index, allocation)) = closest else { return "there are no allocations".into() };
        let (start, end) = (allocation.start(), allocation.end());
        let freed = if allocation.is_freed() { " (freed)" } else { "" };
        let place = match address {
            before if before < start => format!("{} bytes before it", start - before),
            after if after >= end => format!("{} bytes behind its end", after - end),
            inside => format!("at offset {}", inside - start),
        };
        format!("allocation #{index}{freed} [{start:#x}, {end:#x}) of {} bytes, {place}", allocation.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_follow_each_other_at_multiples_of_256() {
        let mut memory = Memory::default();
        assert_eq!(memory.alloc(1), Ok(0xc000_0000));
        assert_eq!(memory.alloc(256), Ok(0xc000_0100));
        assert_eq!(memory.alloc(257), Ok(0xc000_0200));
        assert_eq!(memory.alloc(4), Ok(0xc000_0400));
    }

    #[test]
    fn a_device_gives_no_more_than_it_has() {
        let mut memory = Memory::default();
        let address = memory.alloc(1024).unwrap();
        let too_large = MemoryError::TooLarge { bytes: DEVICE_BYTES, free_bytes: DEVICE_BYTES - 1024 };
        assert_eq!(memory.alloc(DEVICE_BYTES), Err(too_large));
        memory.free(address).unwrap();
        assert_eq!(
            memory.alloc(DEVICE_BYTES + 1).unwrap_err().to_string(),
            "cannot allocate 68719476737 bytes: 68719476736 of the device's 68719476736 are free"
        );
    }

    #[test]
    fn a_freed_allocation_is_recognised() {
        let mut memory = Memory::default();
        let address = memory.alloc(64).unwrap();
        memory.free(address).unwrap();
        assert!(memory.find(address, 4).is_none());
        let (reason, nearest) = memory.diagnose(address + 8);
        assert_eq!(reason, MemoryFaultReason::UseAfterFree);
        assert_eq!(nearest, "allocation #0 (freed) [0xc0000000, 0xc0000040) of 64 bytes, at offset 8");
        assert_eq!(memory.free(address), Err(MemoryError::NotAllocated { address }));
    }

    #[test]
    fn shared_memory_is_one_memory_for_both_sides() {
        let words: &'static [AtomicU32] = Box::leak(Box::new([const { AtomicU32::new(0) }; 4]));
        let mut memory = Memory::default();
        let first = memory.alloc(4).unwrap();
        memory.share(0x10_0000_0000, words).unwrap();
        memory.copy_in(0x10_0000_0004, &[1, 2, 3, 4]).unwrap();
        assert_eq!(words[1].load(std::sync::atomic::Ordering::Relaxed), 0x0403_0201);
        words[2].store(7, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(memory.find(0x10_0000_0008, 4).unwrap().0.load_word(8), 7);
        assert!(memory.share(first - 8, words).is_err(), "it would reach into the first allocation");
        assert_eq!(memory.alloc(4), Ok(first + 256), "memory elsewhere moves nothing");
        assert!(memory.find(first + 256, 4).is_some() && memory.find(0x10_0000_0000, 16).is_some());
        memory.free(0x10_0000_0000).unwrap();
        assert!(memory.find(0x10_0000_0000, 4).is_none());
    }

    #[test]
    fn a_line_reads_zeros_where_nothing_is() {
        let mut memory = Memory::default();
        let address = memory.alloc(2).unwrap();
        memory.copy_in(address, &[7, 8]).unwrap();
        let mut line = [1; 128];
        memory.read_line(address, &mut line);
        assert_eq!(line[..3], [7, 8, 0]);
        assert!(line[3..].iter().all(|&byte| byte == 0));
    }
}
