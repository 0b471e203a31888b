//! Atomics and reductions, lane by lane from the lowest.

use half::{bf16, f16};

use super::access::{Failure, with_view};
use super::spaces::{GlobalView, LocalView, ReadOnlyView, SharedView, SpaceView};
use super::{Context, StepResult};
use crate::inst::{Inst, Space};
use crate::op::{AtomicFunction as F, AtomicOp, AtomicType as T};
use crate::registers::lanes_of;
use crate::{LANES, LaneMask};

impl Context<'_> {
    pub(super) fn atomic(&mut self, inst: &Inst, atomic: AtomicOp) -> StepResult {
        let Some(access) = inst.access else { return Ok(()) };
        if self.lanes == 0 {
            return Ok(());
        }
        let addresses = self.lane_addresses(atomic.base, inst.a, inst.offset);
        self.effects.addresses = addresses;
        self.check_alignment(&addresses, atomic.ty.bytes(), access)?;
        let (operand, second) =
            (self.atomic_operand(inst.b, atomic.ty), self.atomic_operand(inst.c, atomic.ty));
        let returns = access.kind == crate::inst::AccessDirection::Atomic;
        self.each_space(access, atomic.ty.bytes(), &mut |context, space, lanes| {
            let addresses = context.effects.addresses;
            let old = with_view!(context, space, |view| {
                update_lanes(&mut view, atomic, &addresses, &operand, &second, lanes)
            })?;
            if returns {
                context.put_atomic(inst.dst, atomic.ty, &old, lanes);
            }
            Ok(())
        })
    }

    fn atomic_operand(&self, row: u32, ty: T) -> [u64; LANES] {
        let registers = &self.block.warps[self.warp].registers;
        if ty.bytes() == 8 { registers.get64(row) } else { registers.get32(row).map(u64::from) }
    }

    fn put_atomic(&mut self, row: u32, ty: T, values: &[u64; LANES], lanes: LaneMask) {
        let registers = &mut self.state().registers;
        if ty.bytes() == 8 {
            registers.set64(row, values, lanes);
        } else {
            registers.set32(row, &values.map(|value| value as u32), lanes);
        }
    }
}

fn update_lanes(
    view: &mut impl SpaceView,
    atomic: AtomicOp,
    addresses: &[u64; LANES],
    operand: &[u64; LANES],
    second: &[u64; LANES],
    lanes: LaneMask,
) -> Result<[u64; LANES], Failure> {
    let mut old = [0; LANES];
    for lane in lanes_of(lanes) {
        let mut function = |value| combine(atomic.function, atomic.ty, value, operand[lane], second[lane]);
        old[lane] = view
            .update(lane, addresses[lane], atomic.ty.bytes(), &mut function)
            .map_err(|reason| (lane, reason))?;
    }
    Ok(old)
}

/// The new value of an atomic: `old` combined with the operand. For `cas` the operand is compared, `second` stored.
pub(super) fn combine(function: F, ty: T, old: u64, operand: u64, second: u64) -> u64 {
    let width = if ty.bytes() == 8 { u64::MAX } else { (1 << (8 * ty.bytes())) - 1 };
    let value = match function {
        F::Exchange => operand,
        F::CompareAndSwap if old & width == operand & width => second,
        F::CompareAndSwap => old,
        F::And => old & operand,
        F::Or => old | operand,
        F::Xor => old ^ operand,
        F::Increment if old >= operand => 0,
        F::Increment => old + 1,
        F::Decrement if old == 0 || old > operand => operand,
        F::Decrement => old - 1,
        F::Add => add(ty, old, operand),
        F::Min | F::Max => extreme(function == F::Max, ty, old, operand),
    };
    value & width
}

fn add(ty: T, a: u64, b: u64) -> u64 {
    let halves = |one: fn(u16, u16) -> u16| {
        let low = one(a as u16, b as u16);
        let high = one((a >> 16) as u16, (b >> 16) as u16);
        u64::from(low) | u64::from(high) << 16
    };
    let f16_sum = |a: u16, b: u16| (f16::from_bits(a) + f16::from_bits(b)).to_bits();
    let bf16_sum = |a: u16, b: u16| (bf16::from_bits(a) + bf16::from_bits(b)).to_bits();
    match ty {
        T::F32 => u64::from((f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits()),
        T::F64 => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        T::F16 => u64::from(f16_sum(a as u16, b as u16)),
        T::Bf16 => u64::from(bf16_sum(a as u16, b as u16)),
        T::F16x2 => halves(f16_sum),
        T::Bf16x2 => halves(bf16_sum),
        T::B16 | T::U32 | T::S32 | T::U64 | T::S64 => a.wrapping_add(b),
    }
}

fn extreme(is_max: bool, ty: T, a: u64, b: u64) -> u64 {
    let b_is_larger = match ty {
        T::S32 => (b as i32) > (a as i32),
        T::S64 => (b as i64) > (a as i64),
        T::F32 => f32::from_bits(b as u32) > f32::from_bits(a as u32),
        T::F64 => f64::from_bits(b) > f64::from_bits(a),
        _ => b > a,
    };
    if b_is_larger == is_max { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_as_the_standard_says() {
        assert_eq!(combine(F::Increment, T::U32, 5, 5, 0), 0);
        assert_eq!(combine(F::Increment, T::U32, 4, 5, 0), 5);
        assert_eq!(combine(F::Decrement, T::U32, 0, 7, 0), 7);
        assert_eq!(combine(F::Decrement, T::U32, 9, 7, 0), 7);
        assert_eq!(combine(F::Decrement, T::U32, 3, 7, 0), 2);
    }

    #[test]
    fn signed_and_unsigned_extremes_differ() {
        let minus_one = u64::from(u32::MAX);
        assert_eq!(combine(F::Max, T::S32, minus_one, 1, 0), 1);
        assert_eq!(combine(F::Max, T::U32, minus_one, 1, 0), minus_one);
        assert_eq!(combine(F::Min, T::S32, minus_one, 1, 0), minus_one);
    }

    #[test]
    fn a_sum_stays_in_its_width() {
        assert_eq!(combine(F::Add, T::U32, u64::from(u32::MAX), 2, 0), 1);
        let one_and_a_half = u64::from(1.5f32.to_bits());
        assert_eq!(combine(F::Add, T::F32, one_and_a_half, one_and_a_half, 0), u64::from(3f32.to_bits()));
    }
}
