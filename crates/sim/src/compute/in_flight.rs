//! An issued instruction on its way through the pipeline, and the small register sets it waits in.

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
    /// The first `len` are in use, oldest first.
    slots: [InFlight; MAX_WIDTH],
    len: u8,
    width: u8,
}

impl StageRegisters {
    /// `width` registers; more than [`MAX_WIDTH`] are never needed.
    pub fn new(width: usize) -> Self {
        let idle = InFlight { pc: 0, order: 0, warp: 0, operation: NO_OPERATION };
        Self { slots: [idle; MAX_WIDTH], len: 0, width: width.min(MAX_WIDTH) as u8 }
    }

    /// Whether an instruction can enter.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.len < self.width
    }

    /// Whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Enters; the caller has asked [`StageRegisters::has_room`].
    #[inline]
    pub fn push(&mut self, instruction: InFlight) {
        debug_assert!(self.has_room(), "push into full stage registers");
        let mut place = usize::from(self.len) % MAX_WIDTH;
        // Nearly always the newcomer is the youngest.
        while place > 0 && self.slots[place - 1].order > instruction.order {
            self.slots[place] = self.slots[place - 1];
            place -= 1;
        }
        self.slots[place] = instruction;
        self.len += 1;
    }

    /// Enters behind all others, whatever their age: results leave in the order of their units.
    #[inline]
    pub fn append(&mut self, instruction: InFlight) {
        debug_assert!(self.has_room(), "append to full stage registers");
        self.slots[usize::from(self.len) % MAX_WIDTH] = instruction;
        self.len += 1;
    }

    /// Takes all.
    #[inline]
    pub fn take(&mut self) -> Self {
        let all = self.clone();
        self.len = 0;
        all
    }

    /// How many are in use.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Those in use, in order.
    #[inline]
    pub fn as_slice(&self) -> &[InFlight] {
        self.slots.get(..self.len()).unwrap_or(&self.slots)
    }

    /// The oldest.
    #[inline]
    pub fn oldest(&self) -> Option<&InFlight> {
        if self.len == 0 { None } else { Some(&self.slots[0]) }
    }

    /// Takes the oldest.
    #[inline]
    pub fn pop_oldest(&mut self) -> Option<InFlight> {
        let oldest = *self.oldest()?;
        self.drop_oldest();
        Some(oldest)
    }

    /// Takes the oldest without a look at it; there is one.
    #[inline]
    pub fn drop_oldest(&mut self) {
        debug_assert!(self.len > 0, "nothing waits");
        // Moved one by one, which the compiler does in registers.
        for slot in 1..MAX_WIDTH {
            self.slots[slot - 1] = self.slots[slot];
        }
        self.len -= 1;
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
