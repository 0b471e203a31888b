//! Where local memory lies: word `w` of all resident threads of the machine lies together, so that a warp's access to
//! one local variable is one line.
//!
//! Word `w` of thread `t` in block slot `k` of SM `s` lies at
//! `LOCAL_BASE + 4 × (w × T + B × (s + S × k) + t)`, with `B` the threads of a block (whole warps), `S` the SMs and `T`
//! all threads that can be resident.

use shrinkwarp_emu::{LANES, LaneMask};

use crate::compute::coalescer::{CoalescedAccess, coalesce};

/// First byte of local memory; between the constants and the global addresses.
const LOCAL_BASE: u64 = 0x4000_0000;

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
            coalesce(&placed, lanes, chunk_bytes, out);
        }
        out[first..].sort_by_key(|access| access.address);
    }

    fn place(&self, local_address: u64, lane: u64) -> u64 {
        let word = local_address / WORD_BYTES;
        let thread = self.first_thread + lane;
        LOCAL_BASE + WORD_BYTES * (word * self.resident_threads + thread) + local_address % WORD_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_variable_of_a_warp_is_one_line() {
        let map = LocalMap { resident_threads: 1024, first_thread: 64 };
        let mut out = Vec::new();
        map.coalesce(&[8; LANES], !0, 4, &mut out);
        assert_eq!(out.len(), 1);
        assert_eq!((out[0].address, out[0].bytes), (LOCAL_BASE + 4 * (2 * 1024 + 64), 128));
    }

    #[test]
    fn a_double_is_two_lines() {
        let map = LocalMap { resident_threads: 1024, first_thread: 0 };
        let mut out = Vec::new();
        map.coalesce(&[0; LANES], !0, 8, &mut out);
        assert_eq!(
            out.iter().map(|access| access.address).collect::<Vec<_>>(),
            [LOCAL_BASE, LOCAL_BASE + 4096]
        );
    }
}
