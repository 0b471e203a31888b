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
    /// The sub-core of its warp; 0 in an SM that is not divided.
    pub sub_core: u8,
    /// Slot in the load/store unit's operation pool; [`NO_OPERATION`] for arithmetic.
    pub operation: u8,
}

/// The instruction does not access memory.
pub const NO_OPERATION: u8 = u8::MAX;

/// Registers between two pipeline stages; instructions leave oldest first.
#[derive(Clone, Debug)]
pub struct StageRegisters {
    /// A ring: `len` from `first` on are in use, oldest first.
    slots: [InFlight; MAX_WIDTH],
    first: u8,
    len: u8,
    width: u8,
}

impl StageRegisters {
    /// `width` registers; more than [`MAX_WIDTH`] are never needed.
    pub fn new(width: usize) -> Self {
        let idle = InFlight { pc: 0, order: 0, warp: 0, sub_core: 0, operation: NO_OPERATION };
        Self { slots: [idle; MAX_WIDTH], first: 0, len: 0, width: width.min(MAX_WIDTH) as u8 }
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

    /// The slot of the instruction behind `place` older ones.
    #[inline]
    fn slot(&self, place: u8) -> usize {
        usize::from(self.first.wrapping_add(place)) % MAX_WIDTH
    }

    /// Enters; the caller has asked [`StageRegisters::has_room`].
    #[inline]
    pub fn push(&mut self, instruction: InFlight) {
        debug_assert!(self.has_room(), "push into full stage registers");
        let mut place = self.len;
        // Nearly always the newcomer is the youngest.
        while place > 0 && self.slots[self.slot(place - 1)].order > instruction.order {
            self.slots[self.slot(place)] = self.slots[self.slot(place - 1)];
            place -= 1;
        }
        self.slots[self.slot(place)] = instruction;
        self.len += 1;
    }

    /// Where the instruction in the register of a sub-core is; each has one.
    #[inline]
    fn place_of(&self, sub_core: u8) -> Option<u8> {
        (0..self.len).find(|&place| self.slots[self.slot(place)].sub_core == sub_core)
    }

    /// Whether the register of a sub-core is free.
    #[inline]
    pub fn has_room_for(&self, sub_core: u8) -> bool {
        self.place_of(sub_core).is_none()
    }

    /// The instruction in the register of a sub-core.
    #[inline]
    pub fn of_sub_core(&self, sub_core: u8) -> Option<&InFlight> {
        self.place_of(sub_core).map(|place| &self.slots[self.slot(place)])
    }

    /// Takes the instruction out of the register of a sub-core.
    pub fn drop_of_sub_core(&mut self, sub_core: u8) {
        let Some(place) = self.place_of(sub_core) else { return };
        for place in place + 1..self.len {
            self.slots[self.slot(place - 1)] = self.slots[self.slot(place)];
        }
        self.len -= 1;
    }

    /// The oldest.
    #[inline]
    pub fn oldest(&self) -> Option<&InFlight> {
        if self.len == 0 { None } else { Some(&self.slots[self.slot(0)]) }
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
        self.first = self.first.wrapping_add(1);
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
            stage.push(InFlight { pc: 0, order, warp: 0, sub_core: 0, operation: NO_OPERATION });
        }
        assert!(!stage.has_room());
        assert_eq!(stage.pop_oldest().map(|instruction| instruction.order), Some(3));
        assert_eq!(stage.oldest().map(|instruction| instruction.order), Some(7));
    }
}
