//! Single and double precision arithmetic.
//!
//! Rounding to nearest is the host's; other modes go through `exact`. `.ftz` replaces subnormal inputs and results
//! by zeros of their sign, `.sat` clamps to [0, 1] with NaN to 0. A single-precision NaN result is
//! `0x7fffffff`, as NVIDIA hardware gives it; double precision keeps the host's payload.

use std::marker::PhantomData;

use super::exact::{F32, F64, Format, Mode, Number};
use super::{Lane1, Lane2, Lane3, Value, lane_impls};

/// The NaN that single-precision instructions return.
pub(crate) const CANONICAL_NAN: u32 = 0x7fff_ffff;

/// Replaces a subnormal by zero.
pub(crate) trait Flush {
    fn flush(self) -> Self;
}

impl Flush for u32 {
    #[inline(always)]
    fn flush(self) -> Self {
        if self & 0x7f80_0000 == 0 { self & 0x8000_0000 } else { self }
    }
}

/// A host floating-point type.
pub(crate) trait Float: Copy + PartialOrd + 'static {
    type Row: Value;
    const FORMAT: Format;
    fn of(row: Self::Row) -> Self;
    /// Bits of a result, NaN as the hardware gives it.
    fn result(self) -> Self::Row;
    fn bits(row: Self::Row) -> u64;
    fn row_of(bits: u64) -> Self::Row;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn fused(self, b: Self, c: Self) -> Self;
    fn root(self) -> Self;
    fn is_nan(self) -> bool;
    fn saturate(row: Self::Row) -> Self::Row;
}

macro_rules! floats {
    ($($ty:ident $row:ident $format:ident |$value:ident| $result:expr;)*) => {$(
        impl Float for $ty {
            type Row = $row;
            const FORMAT: Format = $format;
            #[inline(always)]
            fn of(row: $row) -> Self { $ty::from_bits(row) }
            #[inline(always)]
            fn result(self) -> $row { let $value = self; $result }
            #[inline(always)]
            fn bits(row: $row) -> u64 { u64::from(row) }
            #[inline(always)]
            fn row_of(bits: u64) -> $row { bits as $row }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn fused(self, b: Self, c: Self) -> Self { self.mul_add(b, c) }
            #[inline(always)]
            fn root(self) -> Self { self.sqrt() }
            #[inline(always)]
            fn is_nan(self) -> bool { self.is_nan() }
            #[inline(always)]
            fn saturate(row: $row) -> $row {
                let value = $ty::from_bits(row);
                // A NaN is larger than nothing and becomes zero; so does minus zero.
                if value > 0.0 { value.min(1.0).to_bits() } else { 0 }
            }
        }
    )*};
}

floats! {
    f32 u32 F32 |value| if value.is_nan() { CANONICAL_NAN } else { value.to_bits() };
    f64 u64 F64 |value| value.to_bits();
}

macro_rules! nearest {
    ($($(#[$doc:meta])* $name:ident $trait:ident ($($arg:ident: $field:ident),*) $body:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Float> $trait for $name<T> {
            $(type $field = T::Row;)*
            type D = T::Row;
            #[inline(always)]
            fn lane($($arg: T::Row),*) -> T::Row {
                $(let $arg = T::of($arg);)*
                let result: T = $body;
                result.result()
            }
        }
    )*};
}

nearest! {
    /// `add.rn`
    AddNearest Lane2 (a: A, b: B) a.add(b);
    /// `sub.rn`
    SubNearest Lane2 (a: A, b: B) a.sub(b);
    /// `mul.rn`
    MulNearest Lane2 (a: A, b: B) a.mul(b);
    /// `div.rn`
    DivNearest Lane2 (a: A, b: B) a.div(b);
    /// `fma.rn`
    FmaNearest Lane3 (a: A, b: B, c: C) a.fused(b, c);
    /// `fma.rn` with two roundings, as GPGPU-Sim computes it; never chosen by the decoder
    MultiplyThenAdd Lane3 (a: A, b: B, c: C) a.mul(b).add(c);
    /// `sqrt.rn`
    SqrtNearest Lane1 (a: A) a.root();
    /// `min`: the other operand when one is NaN
    MinNumber Lane2 (a: A, b: B) if a.is_nan() { b } else if b.is_nan() { a } else { lesser(a, b) };
    /// `max`
    MaxNumber Lane2 (a: A, b: B) if a.is_nan() { b } else if b.is_nan() { a } else { greater(a, b) };
    /// `min.NaN`
    MinNan Lane2 (a: A, b: B) if a.is_nan() { a } else if b.is_nan() { b } else { lesser(a, b) };
    /// `max.NaN`
    MaxNan Lane2 (a: A, b: B) if a.is_nan() { a } else if b.is_nan() { b } else { greater(a, b) };
}

/// The smaller; minus zero is smaller than zero.
#[inline(always)]
fn lesser<T: Float>(a: T, b: T) -> T {
    let a_is_negative_zero = a == b && T::FORMAT.unpack(T::bits(a.result())).is_negative();
    if a < b || a_is_negative_zero { a } else { b }
}

#[inline(always)]
fn greater<T: Float>(a: T, b: T) -> T {
    let b_is_negative_zero = a == b && T::FORMAT.unpack(T::bits(b.result())).is_negative();
    if a > b || b_is_negative_zero { a } else { b }
}

/// Arithmetic in a rounding mode that the host lacks.
pub(crate) struct Directed<T, const OPERATION: u8, const MODE: u8>(PhantomData<T>);
/// `add`, as the `OPERATION` of [`Directed`].
pub(crate) const ADD: u8 = 0;
/// `sub`
pub(crate) const SUB: u8 = 1;
/// `mul`
pub(crate) const MUL: u8 = 2;
/// `div`
pub(crate) const DIV: u8 = 3;

lane_impls! {
    [T: Float, const OPERATION: u8, const MODE: u8] Directed<T, OPERATION, MODE>: (a: T::Row, b: T::Row) -> T::Row {
        T::row_of(directed(T::FORMAT, OPERATION, Mode::of(MODE), T::bits(a), T::bits(b)))
    }
}

#[inline(never)]
fn directed(format: Format, operation: u8, mode: Mode, a: u64, b: u64) -> u64 {
    let (a, b) = (format.unpack(a), format.unpack(b));
    let exact = match operation {
        ADD => a.plus(b, mode),
        SUB => a.plus(b.negated(), mode),
        MUL => a.times(b),
        _ => a.over(b),
    };
    format.pack(exact, mode)
}

/// `fma` in a rounding mode that the host lacks.
pub(crate) struct DirectedFma<T, const MODE: u8>(PhantomData<T>);
lane_impls! {
    [T: Float, const MODE: u8] DirectedFma<T, MODE>: (a: T::Row, b: T::Row, c: T::Row) -> T::Row {
        T::row_of(exact_fma(T::FORMAT, Mode::of(MODE), [T::bits(a), T::bits(b), T::bits(c)]))
    }
}

/// `a * b + c`, rounded once.
#[inline(never)]
pub(crate) fn exact_fma(format: Format, mode: Mode, operands: [u64; 3]) -> u64 {
    let [a, b, c] = operands.map(|bits| format.unpack(bits));
    format.pack(a.times(b).plus(c, mode), mode)
}

/// `sqrt` and `rcp` in a rounding mode that the host lacks.
pub(crate) struct DirectedRoot<T, const MODE: u8>(PhantomData<T>);
lane_impls! {
    [T: Float, const MODE: u8] DirectedRoot<T, MODE>: (a: T::Row) -> T::Row {
        T::row_of(T::FORMAT.pack(T::FORMAT.unpack(T::bits(a)).square_root(), Mode::of(MODE)))
    }
}

/// `rcp` in any mode.
pub(crate) struct Reciprocal<T, const MODE: u8>(PhantomData<T>);
lane_impls! {
    [T: Float, const MODE: u8] Reciprocal<T, MODE>: (a: T::Row) -> T::Row {
        let quotient = Number::of_integer(1).over(T::FORMAT.unpack(T::bits(a)));
        T::row_of(T::FORMAT.pack(quotient, Mode::of(MODE)))
    }
}

macro_rules! sign_ops {
    ($($(#[$doc:meta])* $name:ident $ty:ident |$a:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        impl Lane1 for $name {
            type A = $ty;
            type D = $ty;
            #[inline(always)]
            fn lane($a: $ty) -> $ty { $body }
        }
    )*};
}

sign_ops! {
    /// `neg.f32`
    Neg32 u32 |a| a ^ 0x8000_0000;
    /// `abs.f32`
    Abs32 u32 |a| a & 0x7fff_ffff;
    /// `neg.f64`
    Neg64 u64 |a| a ^ 1 << 63;
    /// `abs.f64`
    Abs64 u64 |a| a & !(1 << 63);
}

/// `copysign`: the magnitude of `b` with the sign of `a`.
pub(crate) struct CopySign<T>(PhantomData<T>);
lane_impls! {
    [] CopySign<f32>: (a: u32, b: u32) -> u32 {
        (a & 0x8000_0000) | (b & 0x7fff_ffff)
    }
    [] CopySign<f64>: (a: u64, b: u64) -> u64 {
        (a & 1 << 63) | (b & !(1 << 63))
    }
}

/// `.ftz` around an operation on singles.
pub(crate) struct Ftz<O>(PhantomData<O>);
lane_impls! {
    [O: Lane1<A = u32, D = u32>] Ftz<O>: (a: u32) -> u32 {
        O::lane(a.flush()).flush()
    }
    [O: Lane2<A = u32, B = u32, D = u32>] Ftz<O>: (a: u32, b: u32) -> u32 {
        O::lane(a.flush(), b.flush()).flush()
    }
    [O: Lane3<A = u32, B = u32, C = u32, D = u32>] Ftz<O>: (a: u32, b: u32, c: u32) -> u32 {
        O::lane(a.flush(), b.flush(), c.flush()).flush()
    }
}

/// `.sat` around an operation.
pub(crate) struct Saturated<T, O>(PhantomData<(T, O)>);
lane_impls! {
    [T: Float, O: Lane2<A = T::Row, B = T::Row, D = T::Row>] Saturated<T, O>: (a: T::Row, b: T::Row) -> T::Row {
        T::saturate(O::lane(a, b))
    }
    [T: Float, O: Lane3<A = T::Row, B = T::Row, C = T::Row, D = T::Row>] Saturated<T, O>: (a: T::Row, b: T::Row, c: T::Row) -> T::Row {
        T::saturate(O::lane(a, b, c))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bits(value: f32) -> u32 {
        value.to_bits()
    }

    proptest! {
        #[test]
        fn nearest_is_the_hosts(a: f32, b: f32, c: f32) {
            prop_assert_eq!(f32::from_bits(AddNearest::<f32>::lane(bits(a), bits(b))), a + b);
            prop_assert_eq!(f32::from_bits(FmaNearest::<f32>::lane(bits(a), bits(b), bits(c))), a.mul_add(b, c));
        }
    }

    #[test]
    fn a_nan_is_canonical() {
        let nan = 0xffc1_2345;
        assert_eq!(AddNearest::<f32>::lane(nan, bits(1.0)), CANONICAL_NAN);
        assert_eq!(SqrtNearest::<f32>::lane(bits(-1.0)), CANONICAL_NAN);
        assert_eq!(MinNumber::<f32>::lane(nan, bits(1.0)), bits(1.0));
        assert_eq!(MinNumber::<f32>::lane(nan, nan), CANONICAL_NAN);
        assert_eq!(MinNan::<f32>::lane(nan, bits(1.0)), CANONICAL_NAN);
    }

    #[test]
    fn minus_zero_is_the_smaller_zero() {
        let (plus, minus) = (bits(0.0), bits(-0.0));
        assert_eq!(MinNumber::<f32>::lane(plus, minus), minus);
        assert_eq!(MinNumber::<f32>::lane(minus, plus), minus);
        assert_eq!(MaxNumber::<f32>::lane(minus, plus), plus);
        assert_eq!(MaxNumber::<f32>::lane(plus, minus), plus);
    }

    #[test]
    fn flushing_keeps_the_sign_and_saturation_swallows_nan() {
        assert_eq!(0x8000_0001u32.flush(), 0x8000_0000);
        assert_eq!(Ftz::<AddNearest<f32>>::lane(1, 1), 0);
        assert_eq!(<f32 as Float>::saturate(bits(1.5)), bits(1.0));
        assert_eq!(<f32 as Float>::saturate(bits(-2.0)), 0);
        assert_eq!(<f32 as Float>::saturate(CANONICAL_NAN), 0);
        assert_eq!(<f32 as Float>::saturate(bits(0.25)), bits(0.25));
    }
}
