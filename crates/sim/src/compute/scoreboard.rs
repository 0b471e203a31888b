//! Scoreboard: the registers of each warp that still wait for their value.
//!
//! A register is reserved when its instruction issues and released at write-back. An instruction may not issue
//! while any register it reads or writes is reserved (read-after-write and write-after-write; issue is in order, so
//! write-after-read cannot happen). "Long" marks registers that wait for memory outside the SM: the two-level
//! scheduler parks warps on them.

use super::MAX_WARPS;

const BITS: usize = u64::BITS as usize;

/// One bit per register of each warp slot.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    words_per_warp: usize,
    reserved: Vec<u64>,
    long: Vec<u64>,
    reserved_count: [u16; MAX_WARPS],
    waiting_warps: u64,
}

impl Scoreboard {
    /// For `warps` slots and kernels with up to `registers` registers.
    pub fn new(warps: usize, registers: usize) -> Self {
        let words_per_warp = registers.div_ceil(BITS).max(1);
        Self {
            words_per_warp,
            reserved: vec![0; warps * words_per_warp],
            long: vec![0; warps * words_per_warp],
            reserved_count: [0; MAX_WARPS],
            waiting_warps: 0,
        }
    }

    /// Warps that wait for at least one register.
    #[inline]
    pub fn waiting_warps(&self) -> u64 {
        self.waiting_warps
    }

    /// Whether an instruction of `warp` with these registers must wait.
    #[inline]
    pub fn collides(&self, warp: usize, registers: &[u16]) -> bool {
        let base = warp * self.words_per_warp;
        registers.iter().any(|&register| {
            let (word, bit) = position(register);
            self.reserved[base + word] & bit != 0
        })
    }

    /// Whether one of the registers waits for memory outside the SM.
    pub fn waits_for_memory(&self, warp: usize, registers: &[u16]) -> bool {
        let base = warp * self.words_per_warp;
        registers.iter().any(|&register| {
            let (word, bit) = position(register);
            self.long[base + word] & bit != 0
        })
    }

    /// Reserves the registers an issued instruction writes.
    #[inline]
    pub fn reserve(&mut self, warp: usize, registers: &[u16], is_long: bool) {
        let base = warp * self.words_per_warp;
        for &register in registers {
            let (word, bit) = position(register);
            if self.reserved[base + word] & bit == 0 {
                self.reserved[base + word] |= bit;
                self.reserved_count[warp] += 1;
            }
            if is_long {
                self.long[base + word] |= bit;
            }
        }
        if self.reserved_count[warp] > 0 {
            self.waiting_warps |= 1 << warp;
        }
    }

    /// Releases registers; those not reserved stay as they are.
    #[inline]
    pub fn release(&mut self, warp: usize, registers: &[u16]) {
        let base = warp * self.words_per_warp;
        for &register in registers {
            let (word, bit) = position(register);
            if self.reserved[base + word] & bit != 0 {
                self.reserved[base + word] &= !bit;
                self.long[base + word] &= !bit;
                self.reserved_count[warp] -= 1;
            }
        }
        if self.reserved_count[warp] == 0 {
            self.waiting_warps &= !(1 << warp);
        }
    }
}

#[inline]
fn position(register: u16) -> (usize, u64) {
    (register as usize / BITS, 1 << (register as usize % BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_and_a_second_writer_wait_until_the_release() {
        let mut scoreboard = Scoreboard::new(48, 200);
        scoreboard.reserve(3, &[130], false);
        assert!(scoreboard.collides(3, &[5, 130]));
        assert!(!scoreboard.collides(4, &[130]), "other warps have other registers");
        scoreboard.release(3, &[130]);
        assert!(!scoreboard.collides(3, &[130]));
    }

    #[test]
    fn a_warp_waits_until_its_last_register_is_released() {
        let mut scoreboard = Scoreboard::new(48, 64);
        scoreboard.reserve(0, &[1, 2], true);
        assert!(scoreboard.waits_for_memory(0, &[2]));
        scoreboard.release(0, &[1]);
        assert_eq!(scoreboard.waiting_warps(), 1);
        scoreboard.release(0, &[2]);
        assert_eq!(scoreboard.waiting_warps(), 0);
        assert!(!scoreboard.waits_for_memory(0, &[2]));
    }

    #[test]
    fn releasing_twice_is_harmless() {
        let mut scoreboard = Scoreboard::new(1, 8);
        scoreboard.reserve(0, &[7], false);
        scoreboard.release(0, &[7]);
        scoreboard.release(0, &[7]);
        assert_eq!(scoreboard.waiting_warps(), 0);
    }
}
