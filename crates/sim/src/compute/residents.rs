//! The thread blocks that live on an SM: slots of equal size, reused as thread blocks come and go.

use std::sync::Arc;

use shrinkwarp_emu::kernel::Kernel;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::thread_block::ThreadBlock;

use super::MAX_WARPS;
use super::load_store::LocalMap;
use super::warps::WarpMask;

/// One thread block slot.
#[derive(Clone, Debug, Default)]
pub struct Resident {
    /// Architectural state.
    pub block: ThreadBlock,
    /// Number in the grid.
    pub number: u64,
    /// Warp slots it occupies.
    pub warps: WarpMask,
    /// Warps that have not left their slots.
    warps_left: u32,
}

/// All thread block slots of an SM.
#[derive(Clone, Debug)]
pub struct Residents {
    slots: Vec<Resident>,
    /// Per warp slot: its thread block slot, and its number in the thread block.
    places: [(u8, u8); MAX_WARPS],
    warps_per_block: usize,
    capacity: usize,
    sm: u64,
    sms: u64,
    live: usize,
}

impl Residents {
    /// Moves what the thread blocks have printed so far to the end of `output`.
    pub fn append_output(&mut self, output: &mut Vec<u8>) {
        self.slots.iter_mut().for_each(|slot| output.append(&mut slot.block.output));
    }

    /// SM number `sm` of `sms`, without slots.
    pub fn new(sm: u64, sms: u64) -> Self {
        Self {
            slots: Vec::new(),
            places: [(0, 0); MAX_WARPS],
            warps_per_block: 1,
            capacity: 0,
            sm,
            sms,
            live: 0,
        }
    }

    /// Prepares for a launch with `capacity` resident thread blocks of `warps_per_block`. No thread block is resident.
    pub fn prepare(&mut self, capacity: usize, warps_per_block: usize) {
        self.slots.resize_with(capacity, Resident::default);
        self.slots.iter_mut().for_each(|slot| slot.warps = 0);
        (self.capacity, self.warps_per_block, self.live) = (capacity, warps_per_block, 0);
        for (warp, place) in self.places.iter_mut().enumerate() {
            *place = ((warp / warps_per_block) as u8, (warp % warps_per_block) as u8);
        }
    }

    /// Whether a thread block slot is free.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.live < self.capacity
    }

    /// Whether no thread block is resident.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Makes thread block `index` resident in the first free slot; returns its warp slots.
    pub fn start(&mut self, kernel: &Arc<Kernel>, launch: &Launch, index: u64) -> WarpMask {
        let Some(slot) = self.slots.iter().position(|slot| slot.warps == 0) else { return 0 };
        let first = slot * self.warps_per_block;
        let resident = &mut self.slots[slot];
        resident.block.multiprocessor = self.sm as u32;
        resident.block.multiprocessors = self.sms as u32;
        resident.block.defers_copy_arrivals = true;
        resident.block.start(kernel, launch, launch.block_at(index));
        resident.warps = mask_of(self.warps_per_block) << first;
        resident.warps_left = self.warps_per_block as u32;
        resident.number = index;
        self.live += 1;
        resident.warps
    }

    /// The thread block of a warp slot, and the warp's number in it.
    #[inline]
    pub fn of_warp(&mut self, warp: usize) -> (&mut Resident, usize) {
        let (slot, index) = self.places[warp];
        (&mut self.slots[usize::from(slot)], usize::from(index))
    }

    /// A warp has left its slot. Returns the thread block if it was the last.
    pub fn retire(&mut self, warp: usize) -> Option<&mut Resident> {
        let slot = warp / self.warps_per_block;
        let resident = &mut self.slots[slot];
        resident.warps_left -= 1;
        if resident.warps_left > 0 {
            return None;
        }
        self.live -= 1;
        Some(resident)
    }

    /// Warp slots of the thread block of `warp` that wait at a barrier.
    pub fn waiting_at_barrier(&mut self, warp: usize) -> (WarpMask, WarpMask) {
        let per_block = self.warps_per_block;
        let first = warp / per_block * per_block;
        let (resident, _) = self.of_warp(warp);
        let waiting = (0..per_block).filter(|&index| resident.block.is_waiting(index));
        (resident.warps, waiting.fold(0, |mask, index| mask | 1 << (first + index)))
    }

    /// Where the local memory of a warp lies.
    pub fn local_map(&self, warp: usize) -> LocalMap {
        let threads_per_block = (self.warps_per_block * shrinkwarp_emu::LANES) as u64;
        let slot = (warp / self.warps_per_block) as u64;
        let within = (warp % self.warps_per_block * shrinkwarp_emu::LANES) as u64;
        LocalMap {
            resident_threads: threads_per_block * self.capacity as u64 * self.sms,
            first_thread: threads_per_block * (self.sm + self.sms * slot) + within,
        }
    }

    /// Resident thread blocks, for reports.
    pub fn iter(&self) -> impl Iterator<Item = &Resident> {
        self.slots.iter().filter(|slot| slot.warps != 0)
    }
}

fn mask_of(bits: usize) -> WarpMask {
    if bits >= WarpMask::BITS as usize { WarpMask::MAX } else { (1 << bits) - 1 }
}
