//! Scoreboard: the registers of each warp that still wait for their value.
//!
//! A register is reserved when its instruction issues and released at write-back. An instruction may not issue
//! while any register it reads or writes is reserved (read-after-write and write-after-write; issue is in order, so
//! write-after-read cannot happen). "Long" marks registers that wait for memory outside the SM: the two-level
//! scheduler parks warps on them.

use super::timing::{RegisterSet, RegisterWord};

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

/// One bit per register of each warp slot, in rows of words: a look at the registers of an instruction is a look at one or two
/// words.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    words_per_warp: usize,
    words: Vec<StateWord>,
    waiting_warps: u64,
}

/// The state of 64 registers of a warp.
#[derive(Clone, Copy, Debug, Default)]
struct StateWord {
    /// Those that wait for their value.
    reserved: u64,
    /// Of these: those whose value comes from memory outside the SM.
    long: u64,
}

impl Scoreboard {
    /// For `warps` slots and kernels with up to `registers` registers.
    pub fn new(warps: usize, registers: usize) -> Self {
        let words_per_warp = registers.div_ceil(RegisterWord::REGISTERS).max(1);
        Self { words_per_warp, words: vec![StateWord::default(); warps * words_per_warp], waiting_warps: 0 }
    }

    /// Warps that wait for at least one register.
    #[inline]
    pub fn waiting_warps(&self) -> u64 {
        self.waiting_warps
    }

    /// What an instruction of `warp` with these registers must wait for.
    #[inline(always)]
    pub fn wait_for(&self, warp: usize, registers: RegisterSet<'_>) -> Wait {
        let row = warp * self.words_per_warp;
        let mut any = self.state_of(row, registers.first);
        if !registers.rest.is_empty() {
            any = self.add_state(any, row, registers.rest);
        }
        if any.reserved == 0 {
            return Wait::Nothing;
        }
        if any.long == 0 { Wait::Shortly } else { Wait::Memory }
    }

    /// The state of some registers of one word.
    #[inline(always)]
    fn state_of(&self, row: usize, registers: RegisterWord) -> StateWord {
        let word = &self.words[row + registers.word as usize];
        StateWord { reserved: word.reserved & registers.bits, long: word.long & registers.bits }
    }

    /// Adds the state of registers of further words, which few instructions have.
    #[cold]
    fn add_state(&self, mut any: StateWord, row: usize, registers: &[RegisterWord]) -> StateWord {
        for &registers in registers {
            let state = self.state_of(row, registers);
            any.reserved |= state.reserved;
            any.long |= state.long;
        }
        any
    }

    /// Reserves the registers an issued instruction writes.
    #[inline(always)]
    pub fn reserve(&mut self, warp: usize, registers: RegisterSet<'_>, is_long: bool) {
        self.reserve_word(warp, registers.first, is_long);
        if !registers.rest.is_empty() {
            self.reserve_rest(warp, registers.rest, is_long);
        }
    }

    #[inline(always)]
    fn reserve_word(&mut self, warp: usize, registers: RegisterWord, is_long: bool) {
        let word = &mut self.words[warp * self.words_per_warp + registers.word as usize];
        word.reserved |= registers.bits;
        word.long |= if is_long { registers.bits } else { 0 };
        self.waiting_warps |= u64::from(registers.bits != 0) << warp;
    }

    #[cold]
    fn reserve_rest(&mut self, warp: usize, registers: &[RegisterWord], is_long: bool) {
        for &registers in registers {
            self.reserve_word(warp, registers, is_long);
        }
    }

    /// Releases registers; those not reserved stay as they are.
    #[inline(always)]
    pub fn release(&mut self, warp: usize, registers: RegisterSet<'_>) {
        let row = warp * self.words_per_warp;
        let left = self.release_word(row, registers.first);
        let is_waiting =
            if self.words_per_warp == 1 { left != 0 } else { self.release_rest(row, registers.rest) };
        if !is_waiting {
            self.waiting_warps &= !(1 << warp);
        }
    }

    /// Returns the registers of the word that are still reserved.
    #[inline(always)]
    fn release_word(&mut self, row: usize, registers: RegisterWord) -> u64 {
        let word = &mut self.words[row + registers.word as usize];
        word.reserved &= !registers.bits;
        word.long &= !registers.bits;
        word.reserved
    }

    /// Returns whether any register of the row is still reserved.
    #[inline(never)]
    fn release_rest(&mut self, row: usize, registers: &[RegisterWord]) -> bool {
        for &registers in registers {
            self.release_word(row, registers);
        }
        self.words[row..row + self.words_per_warp].iter().any(|word| word.reserved != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers of one word.
    fn word_of(registers: &[u16]) -> RegisterSet<'static> {
        RegisterSet { first: RegisterWord::all_of(registers.iter().copied())[0], rest: &[] }
    }

    #[test]
    fn a_reader_and_a_second_writer_wait_until_the_release() {
        let mut scoreboard = Scoreboard::new(48, 200);
        scoreboard.reserve(3, word_of(&[130]), false);
        assert_eq!(scoreboard.wait_for(3, word_of(&[130])), Wait::Shortly);
        assert_eq!(
            scoreboard.wait_for(4, word_of(&[130])),
            Wait::Nothing,
            "other warps have other registers"
        );
        scoreboard.release(3, word_of(&[130]));
        assert_eq!(scoreboard.wait_for(3, word_of(&[130])), Wait::Nothing);
    }

    #[test]
    fn a_warp_waits_until_its_last_register_is_released() {
        let mut scoreboard = Scoreboard::new(48, 64);
        scoreboard.reserve(0, word_of(&[1, 2]), true);
        assert_eq!(scoreboard.wait_for(0, word_of(&[2])), Wait::Memory);
        scoreboard.release(0, word_of(&[1]));
        assert_eq!(scoreboard.waiting_warps(), 1);
        scoreboard.release(0, word_of(&[2]));
        assert_eq!(scoreboard.waiting_warps(), 0);
        assert_eq!(scoreboard.wait_for(0, word_of(&[2])), Wait::Nothing);
    }

    #[test]
    fn releasing_twice_is_harmless() {
        let mut scoreboard = Scoreboard::new(1, 8);
        scoreboard.reserve(0, word_of(&[7]), false);
        scoreboard.release(0, word_of(&[7]));
        scoreboard.release(0, word_of(&[7]));
        assert_eq!(scoreboard.waiting_warps(), 0);
    }
}
