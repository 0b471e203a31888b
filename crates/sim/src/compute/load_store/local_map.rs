//! Where local memory lies: word `w` of all resident threads of the machine lies together, so that a warp's access to
//! one local variable is one line. The bytes of a store go to that place in device memory, where a codec between the L1 and
//! DRAM sees them.
//!
//! Word `w` of thread `t` in thread block slot `k` of SM `s` lies at
//! `LOCAL_START + 4 × (w × T + B × (s + S × k) + t)`, with `B` the threads of a thread block (whole warps), `S` the SMs and `T`
//! all threads that can be resident.

use shrinkwarp_emu::memory::{LOCAL_START, Memory};
use shrinkwarp_emu::warp::Warp;
use shrinkwarp_emu::{LANES, LaneMask};

use crate::compute::coalescer::{CoalescedAccess, Coalescing, coalesce};

const WORD_BYTES: u64 = 4;

/// Local memory of one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalMap {
    /// All threads that can be resident in the machine.
    pub resident_threads: u64,
    /// Position of the warp's lane 0 among them.
    pub first_thread: u64,
}

impl LocalMap {
    /// The accesses to lane-local `addresses`; wide ones are split into words first.
    pub fn coalesce(
        &self,
        coalescing: Coalescing,
        addresses: &[u64; LANES],
        lanes: LaneMask,
        bytes_per_lane: u16,
        out: &mut Vec<CoalescedAccess>,
    ) {
        let words = u64::from(bytes_per_lane).div_ceil(WORD_BYTES).max(1);
        let chunk_bytes = bytes_per_lane.min(WORD_BYTES as u16);
        let first = out.len();
        for word in 0..words {
            let placed =
                std::array::from_fn(|lane| self.place(addresses[lane] + word * WORD_BYTES, lane as u64));
            coalesce::<false>(coalescing, &placed, lanes, chunk_bytes, out);
        }
        out[first..].sort_by_key(|access| access.address);
    }

    /// Keeps what `lanes` of `warp` have just stored at their local `addresses`.
    pub fn keep(
        &self,
        warp: &Warp,
        addresses: &[u64; LANES],
        lanes: LaneMask,
        bytes_per_lane: u16,
        memory: &Memory,
    ) {
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let first = addresses[lane] / WORD_BYTES;
            let last = (addresses[lane] + u64::from(bytes_per_lane).max(1) - 1) / WORD_BYTES;
            for word in first..=last {
                let value = warp.local_word(word as usize, lane);
                memory.store_local(self.place(word * WORD_BYTES, lane as u64), value);
            }
        }
    }

    fn place(&self, local_address: u64, lane: u64) -> u64 {
        let word = local_address / WORD_BYTES;
        let thread = self.first_thread + lane;
        LOCAL_START + WORD_BYTES * (word * self.resident_threads + thread) + local_address % WORD_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_variable_of_a_warp_is_one_line() {
        let map = LocalMap { resident_threads: 1024, first_thread: 64 };
        let mut out = Vec::new();
        map.coalesce(Coalescing::Segments, &[8; LANES], !0, 4, &mut out);
        assert_eq!(out.len(), 1);
        assert_eq!((out[0].address, out[0].bytes), (LOCAL_START + 4 * (2 * 1024 + 64), 128));
    }

    #[test]
    fn a_double_is_two_lines() {
        let map = LocalMap { resident_threads: 1024, first_thread: 0 };
        let mut out = Vec::new();
        map.coalesce(Coalescing::Segments, &[0; LANES], !0, 8, &mut out);
        assert_eq!(
            out.iter().map(|access| access.address).collect::<Vec<_>>(),
            [LOCAL_START, LOCAL_START + 4096]
        );
    }
}
