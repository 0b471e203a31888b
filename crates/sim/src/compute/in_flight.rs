//! An issued instruction on its way through the pipeline, and the small register sets it waits in.

use arrayvec::ArrayVec;

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
    /// Slot in the load/store unit's operation pool; [`NO_OPERATION`] for arithmetic.
    pub operation: u8,
}

/// The instruction does not access memory.
pub const NO_OPERATION: u8 = u8::MAX;

/// Registers between two pipeline stages; instructions leave oldest first.
#[derive(Clone, Debug)]
pub struct StageRegisters {
    slots: ArrayVec<InFlight, MAX_WIDTH>,
    width: usize,
}

impl StageRegisters {
    /// `width` registers; more than [`MAX_WIDTH`] are never needed.
    pub fn new(width: usize) -> Self {
        Self { slots: ArrayVec::new(), width: width.min(MAX_WIDTH) }
    }

    /// Whether an instruction can enter.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.slots.len() < self.width
    }

    /// Whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Enters; the caller has asked [`StageRegisters::has_room`].
    #[inline]
    pub fn push(&mut self, instruction: InFlight) {
        debug_assert!(self.has_room(), "push into full stage registers");
        self.slots.push(instruction);
    }

    /// The oldest.
    #[inline]
    pub fn oldest(&self) -> Option<&InFlight> {
        self.slots.iter().min_by_key(|instruction| instruction.order)
    }

    /// Takes the oldest.
    #[inline]
    pub fn pop_oldest(&mut self) -> Option<InFlight> {
        let index = (0..self.slots.len()).min_by_key(|&index| self.slots[index].order)?;
        Some(self.slots.swap_remove(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_leaves_first_whatever_the_order_of_entry() {
        let mut stage = StageRegisters::new(2);
        for order in [7, 3] {
            stage.push(InFlight { pc: 0, order, warp: 0, operation: NO_OPERATION });
        }
        assert!(!stage.has_room());
        assert_eq!(stage.pop_oldest().map(|instruction| instruction.order), Some(3));
        assert_eq!(stage.oldest().map(|instruction| instruction.order), Some(7));
    }
}
