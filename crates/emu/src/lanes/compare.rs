//! Comparison and selection: setp, set, selp, slct, testp.

use std::marker::PhantomData;

use half::{bf16, f16};

use super::float::Flush;
use super::integer::Int;
use super::{Lane1, Value, lane_impls, lane_ops};
use crate::inst::{Inst, Row};
use crate::registers::Registers;
use crate::{LANES, LaneMask};

/// A comparison of two rows.
pub(crate) trait Comparison {
    type A: Value;
    fn holds(a: Self::A, b: Self::A) -> bool;
}

macro_rules! integer_comparisons {
    ($($name:ident $op:tt;)*) => {$(
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Int> Comparison for $name<T> {
            type A = T::Row;
            #[inline(always)]
            fn holds(a: T::Row, b: T::Row) -> bool { T::of(a) $op T::of(b) }
        }
    )*};
}

integer_comparisons! { Equal ==; NotEqual !=; Less <; LessEqual <=; Greater >; GreaterEqual >=; }

/// A floating-point type that can be compared.
pub(crate) trait Comparable: PartialOrd + Copy {
    type Row: Value;
    fn of(row: Self::Row) -> Self;
}

macro_rules! comparables {
    ($($ty:ty: $row:ident |$bits:ident| $of:expr;)*) => {$(
        impl Comparable for $ty {
            type Row = $row;
            #[inline(always)]
            fn of($bits: $row) -> Self { $of }
        }
    )*};
}

comparables! {
    f32: u32 |bits| f32::from_bits(bits);
    f64: u64 |bits| f64::from_bits(bits);
    f16: u32 |bits| f16::from_bits(bits as u16);
    bf16: u32 |bits| bf16::from_bits(bits as u16);
}

/// `f32` whose subnormals compare as zero.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Flushed(f32);
impl Comparable for Flushed {
    type Row = u32;
    #[inline(always)]
    fn of(bits: u32) -> Self {
        Flushed(f32::from_bits(bits.flush()))
    }
}

macro_rules! float_comparisons {
    ($($name:ident |$a:ident, $b:ident, $nan:ident| $body:expr;)*) => {$(
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Comparable> Comparison for $name<T> {
            type A = T::Row;
            #[inline(always)]
            fn holds(a: T::Row, b: T::Row) -> bool {
                let ($a, $b) = (T::of(a), T::of(b));
                let $nan = $a != $a || $b != $b;
                let _ = $nan;
                $body
            }
        }
    )*};
}

float_comparisons! {
    FloatEqual |a, b, nan| a == b;
    FloatNotEqual |a, b, nan| !nan && a != b;
    FloatLess |a, b, nan| a < b;
    FloatLessEqual |a, b, nan| a <= b;
    FloatGreater |a, b, nan| a > b;
    FloatGreaterEqual |a, b, nan| a >= b;
    FloatEqualOrNan |a, b, nan| nan || a == b;
    FloatNotEqualOrNan |a, b, nan| a != b;
    FloatLessOrNan |a, b, nan| nan || a < b;
    FloatLessEqualOrNan |a, b, nan| nan || a <= b;
    FloatGreaterOrNan |a, b, nan| nan || a > b;
    FloatGreaterEqualOrNan |a, b, nan| nan || a >= b;
    FloatNumbers |a, b, nan| !nan;
    FloatNan |a, b, nan| nan;
}

/// `setp` without a combining operation: one predicate.
pub(crate) struct Setp<C>(PhantomData<C>);
lane_impls! {
    [C: Comparison] Setp<C>: (a: C::A, b: C::A) -> bool {
        C::holds(a, b)
    }
}

/// How a `setp` combines its result with a third predicate, and where the results go.
///
/// Packed into `Inst::offset` by [`SetpExtras::pack`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetpExtras {
    pub combine: Combine,
    pub is_negated: bool,
    pub has_first: bool,
    pub has_second: bool,
}

/// Combining operation of a `setp` or `set`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Nothing,
    And,
    Or,
    Xor,
}

impl SetpExtras {
    pub(crate) fn pack(self) -> i64 {
        self.combine as i64
            | i64::from(self.is_negated) << 2
            | i64::from(self.has_first) << 3
            | i64::from(self.has_second) << 4
    }

    fn unpack(bits: i64) -> Self {
        let combine = match bits & 3 {
            1 => Combine::And,
            2 => Combine::Or,
            3 => Combine::Xor,
            _ => Combine::Nothing,
        };
        let flag = |at: u32| bits >> at & 1 == 1;
        Self { combine, is_negated: flag(2), has_first: flag(3), has_second: flag(4) }
    }
}

fn compare_all<C: Comparison>(registers: &Registers, a: Row, b: Row) -> LaneMask {
    let (a, b) = (C::A::fetch(registers, a), C::A::fetch(registers, b));
    let holds = |lane| C::holds(C::A::lane(a, lane), C::A::lane(b, lane));
    (0..LANES).fold(0, |mask, lane| mask | u32::from(holds(lane)) << lane)
}

fn combined(extras: SetpExtras, result: LaneMask, third: LaneMask) -> LaneMask {
    let third = if extras.is_negated { !third } else { third };
    match extras.combine {
        Combine::Nothing => result,
        Combine::And => result & third,
        Combine::Or => result | third,
        Combine::Xor => result ^ third,
    }
}

/// `setp` with a combining operation or two destinations: predicates `c` in, `dst` and `d` out.
pub(crate) fn setp_combined<C: Comparison>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let extras = SetpExtras::unpack(inst.offset);
    let result = compare_all::<C>(registers, inst.a, inst.b);
    let third = registers.get_pred(inst.c);
    if extras.has_first {
        registers.set_pred(inst.dst, combined(extras, result, third), lanes);
    }
    if extras.has_second {
        registers.set_pred(inst.d, combined(extras, !result, third), lanes);
    }
}

/// The comparisons of the low and of the high halves.
fn compare_halves<C: Comparison<A = u32>>(registers: &Registers, a: Row, b: Row) -> [LaneMask; 2] {
    let (a, b) = (u32::fetch(registers, a), u32::fetch(registers, b));
    [0, 16].map(|shift: u32| {
        (0..LANES)
            .fold(0, |mask, lane| mask | u32::from(C::holds(a[lane] >> shift, b[lane] >> shift)) << lane)
    })
}

/// `setp` of packed halves: the low one decides `dst`, the high one `d`.
pub(crate) fn setp_packed<C: Comparison<A = u32>>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let extras = SetpExtras::unpack(inst.offset);
    let [low, high] = compare_halves::<C>(registers, inst.a, inst.b);
    let third = registers.get_pred(inst.c);
    if extras.has_first {
        registers.set_pred(inst.dst, combined(extras, low, third), lanes);
    }
    if extras.has_second {
        registers.set_pred(inst.d, combined(extras, high, third), lanes);
    }
}

/// `set` of packed halves: all ones or 1.0 in each half where it holds.
pub(crate) fn set_packed<C: Comparison<A = u32>>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let extras = SetpExtras::unpack(inst.offset);
    let third = registers.get_pred(inst.c);
    let halves = compare_halves::<C>(registers, inst.a, inst.b);
    let [low, high] = halves.map(|result| combined(extras, result, third));
    let truth = match inst.d {
        2 => u32::from(f16::ONE.to_bits()),
        3 => u32::from(bf16::ONE.to_bits()),
        _ => 0xffff,
    };
    let half = |mask: LaneMask, lane: usize| if mask >> lane & 1 == 1 { truth } else { 0 };
    let out = std::array::from_fn(|lane| half(low, lane) | half(high, lane) << 16);
    registers.set32(inst.dst, &out, lanes);
}

/// `set`: all ones or 1.0 where it holds; `d` is 1 when the result is floating point.
pub(crate) fn set<C: Comparison>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let extras = SetpExtras::unpack(inst.offset);
    let result = combined(extras, compare_all::<C>(registers, inst.a, inst.b), registers.get_pred(inst.c));
    let truth = match inst.d {
        1 => 1f32.to_bits(),
        2 => u32::from(f16::ONE.to_bits()),
        3 => u32::from(bf16::ONE.to_bits()),
        4 => 0xffff,
        _ => u32::MAX,
    };
    let out = std::array::from_fn(|lane| if result >> lane & 1 == 1 { truth } else { 0 });
    registers.set32(inst.dst, &out, lanes);
}

lane_ops! {
    /// `selp` of 32 bits
    Selp32(a: u32, b: u32, c: bool) -> u32 { if c { a } else { b } }
    /// `selp` of 64 bits
    Selp64(a: u64, b: u64, c: bool) -> u64 { if c { a } else { b } }
    /// `slct` of 32 bits by a signed integer
    Slct32(a: u32, b: u32, c: u32) -> u32 { if c as i32 >= 0 { a } else { b } }
    /// `slct` of 64 bits by a signed integer
    Slct64(a: u64, b: u64, c: u32) -> u64 { if c as i32 >= 0 { a } else { b } }
    /// `slct` of 32 bits by a float; NaN selects the second
    SlctF32(a: u32, b: u32, c: u32) -> u32 { if f32::from_bits(c) >= 0.0 { a } else { b } }
    /// `slct` of 64 bits by a float
    SlctF64(a: u64, b: u64, c: u32) -> u64 { if f32::from_bits(c) >= 0.0 { a } else { b } }
}

macro_rules! predicate_logic {
    ($($(#[$doc:meta])* $name:ident |$a:ident, $b:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
            // Bits 0 and 1 of the offset negate the operands.
            let negated = |bit: u32| LaneMask::from(inst.offset >> bit & 1 == 1).wrapping_neg();
            let $a = registers.get_pred(inst.a) ^ negated(0);
            let $b = registers.get_pred(inst.b) ^ negated(1);
            let _ = $b;
            registers.set_pred(inst.dst, $body, lanes);
        }
    )*};
}

predicate_logic! {
    /// `and.pred`
    and_pred |a, b| a & b;
    /// `or.pred`
    or_pred |a, b| a | b;
    /// `xor.pred`
    xor_pred |a, b| a ^ b;
    /// `not.pred`
    not_pred |a, b| !a;
    /// `mov.pred`
    mov_pred |a, b| a;
}

/// `testp`, on the bits of either width.
pub(crate) struct Testp<T, const PROPERTY: u8>(PhantomData<T>);
macro_rules! testp {
    ($($ty:ident $row:ident;)*) => {$(
        impl<const PROPERTY: u8> Lane1 for Testp<$ty, PROPERTY> {
            type A = $row;
            type D = bool;
            #[inline(always)]
            fn lane(a: $row) -> bool {
                let value = $ty::from_bits(a);
                match PROPERTY {
                    0 => value.is_finite(),
                    1 => value.is_infinite(),
                    2 => !value.is_nan(),
                    3 => value.is_nan(),
                    4 => value.is_normal() || value == 0.0,
                    _ => value.is_subnormal(),
                }
            }
        }
    )*};
}
testp! { f32 u32; f64 u64; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_makes_ordered_comparisons_false_and_unordered_true() {
        let (one, nan) = (1f32.to_bits(), f32::NAN.to_bits());
        assert!(!FloatNotEqual::<f32>::holds(one, nan));
        assert!(FloatNotEqualOrNan::<f32>::holds(one, nan));
        assert!(!FloatLess::<f32>::holds(one, nan));
        assert!(FloatGreaterEqualOrNan::<f32>::holds(one, nan));
        assert!(FloatNan::<f32>::holds(nan, one) && !FloatNumbers::<f32>::holds(nan, one));
    }

    #[test]
    fn a_flushed_subnormal_equals_zero() {
        assert!(FloatEqual::<Flushed>::holds(1, 0));
        assert!(!FloatEqual::<f32>::holds(1, 0));
    }

    #[test]
    fn signs_matter_only_where_the_type_has_one() {
        assert!(Less::<i32>::holds(u32::MAX, 0));
        assert!(!Less::<u32>::holds(u32::MAX, 0));
        assert!(Less::<i16>::holds(0xffff, 0));
    }
}
