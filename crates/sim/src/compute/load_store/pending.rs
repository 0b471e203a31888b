//! Loads whose accesses are on their way: an instruction's registers are written when its last access has come back.

/// A load that has left the pipeline's front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingLoad {
    /// Instruction.
    pub pc: u32,
    /// Warp slot.
    pub warp: u8,
    /// Accesses that have not come back.
    pub accesses_left: u16,
    /// The number of an asynchronous copy among those of its warp.
    pub copy: Option<u32>,
}

/// All of them; a packet's handle is the index.
#[derive(Clone, Debug, Default)]
pub struct PendingLoads {
    slots: Vec<PendingLoad>,
    free: Vec<u32>,
    open: usize,
}

impl PendingLoads {
    /// Opens an entry for `accesses`.
    pub fn open(&mut self, pc: u32, warp: u8, accesses: u16, copy: Option<u32>) -> u32 {
        let load = PendingLoad { pc, warp, accesses_left: accesses, copy };
        self.open += 1;
        if let Some(handle) = self.free.pop() {
            self.slots[handle as usize] = load;
            return handle;
        }
        self.slots.push(load);
        self.slots.len() as u32 - 1
    }

    /// One access has come back; returns the load if it was the last.
    #[inline]
    pub fn finish_access(&mut self, handle: u32) -> Option<PendingLoad> {
        let load = &mut self.slots[handle as usize];
        load.accesses_left = load.accesses_left.saturating_sub(1);
        if load.accesses_left > 0 {
            return None;
        }
        let done = *load;
        self.free.push(handle);
        self.open -= 1;
        Some(done)
    }

    /// The load behind a handle.
    #[inline]
    pub fn get(&self, handle: u32) -> &PendingLoad {
        &self.slots[handle as usize]
    }

    /// Loads on their way.
    pub fn len(&self) -> usize {
        self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_access_finishes_the_load_and_frees_its_handle() {
        let mut loads = PendingLoads::default();
        let handle = loads.open(17, 3, 2, None);
        assert_eq!(loads.finish_access(handle), None);
        assert_eq!(loads.finish_access(handle).map(|load| (load.pc, load.warp)), Some((17, 3)));
        assert_eq!((loads.len(), loads.open(1, 1, 1, None)), (0, handle));
    }
}
