//! Scoreboard: the registers of each warp that still wait for their value.
//!
//! A register is reserved when its instruction issues and released at write-back. An instruction may not issue
//! while any register it reads or writes is reserved (read-after-write and write-after-write; issue is in order, so
//! write-after-read cannot happen). "Long" marks registers that wait for memory outside the SM: the two-level
//! scheduler parks warps on them.

use super::MAX_WARPS;

/// The register waits for its value.
const RESERVED: u8 = 1;
/// The value comes from memory outside the SM.
const LONG: u8 = 2;

/// What a warp waits for before it can issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// All registers have their values.
    Nothing,
    /// A result of the SM itself.
    Shortly,
    /// Memory outside the SM.
    Memory,
}

/// One byte per register of each warp slot: a look at several registers then needs no shifts.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    registers_per_warp: usize,
    states: Vec<u8>,
    reserved_count: [u16; MAX_WARPS],
    waiting_warps: u64,
}

impl Scoreboard {
    /// For `warps` slots and kernels with up to `registers` registers.
    pub fn new(warps: usize, registers: usize) -> Self {
        Self {
            registers_per_warp: registers,
            states: vec![0; warps * registers],
            reserved_count: [0; MAX_WARPS],
            waiting_warps: 0,
        }
    }

    /// Warps that wait for at least one register.
    #[inline]
    pub fn waiting_warps(&self) -> u64 {
        self.waiting_warps
    }

    /// What an instruction of `warp` with these registers must wait for.
    #[inline]
    pub fn wait_for(&self, warp: usize, registers: &[u16]) -> Wait {
        match self.states_of(warp, registers) {
            0 => Wait::Nothing,
            states if states & LONG != 0 => Wait::Memory,
            _ => Wait::Shortly,
        }
    }

    /// Reserves the registers an issued instruction writes.
    #[inline]
    pub fn reserve(&mut self, warp: usize, registers: &[u16], is_long: bool) {
        let states = self.row(warp);
        let mut reserved = 0;
        for &register in registers {
            let state = &mut states[usize::from(register)];
            reserved += u16::from(*state == 0);
            *state |= if is_long { RESERVED | LONG } else { RESERVED };
        }
        self.reserved_count[warp] += reserved;
        if self.reserved_count[warp] > 0 {
            self.waiting_warps |= 1 << warp;
        }
    }

    /// Releases registers; those not reserved stay as they are.
    #[inline]
    pub fn release(&mut self, warp: usize, registers: &[u16]) {
        let states = self.row(warp);
        let mut released = 0;
        for &register in registers {
            let state = &mut states[usize::from(register)];
            released += u16::from(*state != 0);
            *state = 0;
        }
        self.reserved_count[warp] -= released;
        if self.reserved_count[warp] == 0 {
            self.waiting_warps &= !(1 << warp);
        }
    }

    /// What is true of any of the registers.
    #[inline]
    fn states_of(&self, warp: usize, registers: &[u16]) -> u8 {
        let first = warp * self.registers_per_warp;
        let row = &self.states[first..first + self.registers_per_warp];
        registers.iter().fold(0, |all, &register| all | row[usize::from(register)])
    }

    #[inline]
    fn row(&mut self, warp: usize) -> &mut [u8] {
        let first = warp * self.registers_per_warp;
        &mut self.states[first..first + self.registers_per_warp]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_and_a_second_writer_wait_until_the_release() {
        let mut scoreboard = Scoreboard::new(48, 200);
        scoreboard.reserve(3, &[130], false);
        assert_eq!(scoreboard.wait_for(3, &[5, 130]), Wait::Shortly);
        assert_eq!(scoreboard.wait_for(4, &[130]), Wait::Nothing, "other warps have other registers");
        scoreboard.release(3, &[130]);
        assert_eq!(scoreboard.wait_for(3, &[130]), Wait::Nothing);
    }

    #[test]
    fn a_warp_waits_until_its_last_register_is_released() {
        let mut scoreboard = Scoreboard::new(48, 64);
        scoreboard.reserve(0, &[1, 2], true);
        assert_eq!(scoreboard.wait_for(0, &[2]), Wait::Memory);
        scoreboard.release(0, &[1]);
        assert_eq!(scoreboard.waiting_warps(), 1);
        scoreboard.release(0, &[2]);
        assert_eq!(scoreboard.waiting_warps(), 0);
        assert_eq!(scoreboard.wait_for(0, &[2]), Wait::Nothing);
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
