//! The registers of a warp: one row of 32 lanes per register, in three flat banks.
//!
//! | bank | holds                              | row            |
//! |------|------------------------------------|----------------|
//! | 32   | 8-, 16- and 32-bit registers       | `[u32; 32]`    |
//! | 64   | 64-bit registers                   | `[u64; 32]`    |
//! | pred | predicates                         | one bit a lane |
//!
//! Narrow registers keep zeros above their width. Immediates and unchanging special registers are rows too, behind
//! the kernel's own registers, so that an operand is always a row and never a case distinction.

use crate::inst::Row;
use crate::{LANES, LaneMask};

/// The register file of one warp.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    /// 32-bit bank.
    pub w32: Vec<[u32; LANES]>,
    /// 64-bit bank.
    pub w64: Vec<[u64; LANES]>,
    /// Predicates.
    pub pred: Vec<LaneMask>,
    /// The carry flag (`CC.CF`).
    pub carry: LaneMask,
}

impl Registers {
    /// A 32-bit row; rows are checked at load, a wrong one reads as zeros.
    #[inline(always)]
    pub fn row32(&self, row: Row) -> &[u32; LANES] {
        self.w32.get(row as usize).unwrap_or(&[0; LANES])
    }

    /// A 64-bit row.
    #[inline(always)]
    pub fn row64(&self, row: Row) -> &[u64; LANES] {
        self.w64.get(row as usize).unwrap_or(&[0; LANES])
    }

    /// A copy of a 32-bit row.
    #[inline(always)]
    pub fn get32(&self, row: Row) -> [u32; LANES] {
        *self.row32(row)
    }

    /// A copy of a 64-bit row.
    #[inline(always)]
    pub fn get64(&self, row: Row) -> [u64; LANES] {
        *self.row64(row)
    }

    /// A predicate.
    #[inline(always)]
    pub fn get_pred(&self, row: Row) -> LaneMask {
        self.pred.get(row as usize).copied().unwrap_or(0)
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub fn set32(&mut self, row: Row, values: &[u32; LANES], mask: LaneMask) {
        if let Some(target) = self.w32.get_mut(row as usize) {
            blend32(target, values, mask);
        }
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub fn set64(&mut self, row: Row, values: &[u64; LANES], mask: LaneMask) {
        if let Some(target) = self.w64.get_mut(row as usize) {
            blend64(target, values, mask);
        }
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub fn set_pred(&mut self, row: Row, values: LaneMask, mask: LaneMask) {
        if let Some(target) = self.pred.get_mut(row as usize) {
            *target = (*target & !mask) | (values & mask);
        }
    }
}

/// Writes the lanes of a mask, without a branch for each lane.
macro_rules! blend {
    ($name:ident, $word:ty) => {
        #[inline(always)]
        fn $name(target: &mut [$word; LANES], values: &[$word; LANES], mask: LaneMask) {
            if mask == LaneMask::MAX {
                *target = *values;
                return;
            }
            for lane in 0..LANES {
                let is_written = <$word>::from(mask >> lane & 1).wrapping_neg();
                target[lane] ^= (target[lane] ^ values[lane]) & is_written;
            }
        }
    };
}

blend!(blend32, u32);
blend!(blend64, u64);

/// The lanes of a mask, lowest first.
#[inline]
pub fn lanes_of(mask: LaneMask) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        (rest != 0).then(|| {
            rest &= rest - 1;
            lane
        })
    })
}
