//! An issued instruction on its way through the pipeline, and the small register sets it waits in.

use super::timing::Pipe;

/// Widest pipeline register set.
pub const MAX_WIDTH: usize = 4;

/// What the pipeline carries: everything else is looked up by `pc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// Index of the instruction in the kernel's code.
    pub pc: u32,
    /// Counts up with every issue of the SM; the smaller is the older.
    pub order: u32,
    /// Warp slot.
    pub warp: u8,
    /// The sub-core of its warp; 0 in an SM that is not divided.
    pub sub_core: u8,
    /// Slot in the load/store unit's operation pool; [`NO_OPERATION`] for arithmetic.
    pub operation: u8,
    /// Where it goes.
    pub pipe: Pipe,
}

impl InFlight {
    /// What a register holds that is not taken.
    pub const IDLE: Self =
        Self { pc: 0, order: 0, warp: 0, sub_core: 0, operation: NO_OPERATION, pipe: Pipe::Sp };
}

/// The instruction does not access memory.
pub const NO_OPERATION: u8 = u8::MAX;

/// Registers between two pipeline stages; instructions leave oldest first. In an SM of sub-cores, each has one register here, the
/// one with its number.
#[derive(Clone, Debug)]
pub struct StageRegisters {
    slots: [InFlight; MAX_WIDTH],
    /// Registers that are taken, as bits.
    taken: u8,
    /// All registers.
    all: u8,
}

impl StageRegisters {
    /// `width` registers; more than [`MAX_WIDTH`] are never needed.
    pub fn new(width: usize) -> Self {
        Self { slots: [InFlight::IDLE; MAX_WIDTH], taken: 0, all: (1 << width.min(MAX_WIDTH)) - 1 }
    }

    /// Whether an instruction can enter.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.taken != self.all
    }

    /// Whether none waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Enters; the caller has asked [`StageRegisters::has_room`] or [`StageRegisters::has_room_for`].
    #[inline(always)]
    pub fn push(&mut self, instruction: &InFlight) {
        debug_assert!(self.has_room(), "push into full stage registers");
        let (free, own) = (!u32::from(self.taken), 1 << instruction.sub_core);
        let slot = if free & own == 0 { free } else { own }.trailing_zeros();
        self.slots[slot as usize % MAX_WIDTH] = *instruction;
        self.taken |= 1 << slot;
    }

    /// Whether the register of a sub-core is free.
    #[inline]
    pub fn has_room_for(&self, sub_core: u8) -> bool {
        self.taken >> sub_core & 1 == 0
    }

    /// The registers that are taken, as bits; in an SM of sub-cores these.
    #[inline]
    pub fn taken(&self) -> u8 {
        self.taken
    }

    /// The instruction in a register that is taken.
    #[inline(always)]
    pub fn at(&self, slot: u8) -> &InFlight {
        &self.slots[usize::from(slot) % MAX_WIDTH]
    }

    /// Empties a register that is taken.
    #[inline(always)]
    pub fn free(&mut self, slot: u8) {
        debug_assert!(self.taken >> slot & 1 == 1, "nothing waits there");
        self.taken &= !(1 << slot);
    }

    /// The register of the oldest instruction.
    #[inline(always)]
    pub fn oldest_slot(&self) -> Option<u8> {
        if self.taken == 0 {
            return None;
        }
        let mut oldest = self.taken.trailing_zeros() as u8;
        let mut rest = self.taken & (self.taken - 1);
        while rest != 0 {
            let slot = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            if self.at(slot).order < self.at(oldest).order {
                oldest = slot;
            }
        }
        Some(oldest)
    }

    /// Takes the oldest.
    #[inline]
    pub fn pop_oldest(&mut self) -> Option<InFlight> {
        let slot = self.oldest_slot()?;
        self.free(slot);
        Some(*self.at(slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_leaves_first_whatever_the_order_of_entry() {
        let mut stage = StageRegisters::new(2);
        for order in [7, 3] {
            stage.push(&InFlight { order, ..InFlight::IDLE });
        }
        assert!(!stage.has_room());
        assert_eq!(stage.pop_oldest().map(|instruction| instruction.order), Some(3));
        assert_eq!(stage.pop_oldest().map(|instruction| instruction.order), Some(7));
    }
}
