//! Lane addresses, and which state space a generic address means.

use super::Context;
use crate::LANES;
use crate::inst::{Row, Space};
use crate::memory::{
    CONSTANT_WINDOW, GLOBAL_START, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW_BYTES,
};
use crate::op::Base;

impl Context<'_> {
    /// The address of every lane.
    #[inline]
    pub(super) fn lane_addresses(&self, base: Base, row: Row, offset: i64) -> [u64; LANES] {
        let registers = &self.block.warps[self.warp].registers;
        match base {
            Base::Row64 => {
                let mut addresses = registers.get64(row);
                for address in &mut addresses {
                    *address = address.wrapping_add_signed(offset);
                }
                addresses
            }
            Base::Row32 => {
                let narrow = registers.get32(row);
                std::array::from_fn(|lane| u64::from(narrow[lane].wrapping_add_signed(offset as i32)))
            }
            Base::Absolute => [offset as u64; LANES],
            Base::Frame => [offset.wrapping_add(i64::from(self.frame_base())) as u64; LANES],
        }
    }

    /// Base of the running function's call frame.
    pub(super) fn frame_base(&self) -> u32 {
        self.block.warps[self.warp].stack.top().map_or(0, |top| top.frame_base)
    }
}

/// The space a generic address lies in, and the address there.
#[inline]
pub(crate) fn resolve_generic(address: u64) -> (Space, u64) {
    const WINDOWS: [(u64, u64, Space); 4] = [
        (SHARED_WINDOW, WINDOW_BYTES, Space::Shared),
        (LOCAL_WINDOW, WINDOW_BYTES, Space::Local),
        (CONSTANT_WINDOW, PARAMETER_WINDOW - CONSTANT_WINDOW, Space::Constant),
        (PARAMETER_WINDOW, WINDOW_BYTES, Space::Parameter),
    ];
    if address >= GLOBAL_START {
        return (Space::Global, address);
    }
    for (start, bytes, space) in WINDOWS {
        if address.wrapping_sub(start) < bytes {
            return (space, address - start);
        }
    }
    (Space::Global, address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_do_not_overlap_global_memory() {
        assert_eq!(resolve_generic(SHARED_WINDOW), (Space::Shared, 0));
        assert_eq!(resolve_generic(LOCAL_WINDOW + 4), (Space::Local, 4));
        assert_eq!(resolve_generic(CONSTANT_WINDOW + 8), (Space::Constant, 8));
        assert_eq!(resolve_generic(PARAMETER_WINDOW), (Space::Parameter, 0));
        assert_eq!(resolve_generic(GLOBAL_START), (Space::Global, GLOBAL_START));
        assert_eq!(resolve_generic(0), (Space::Global, 0));
    }
}
