//! Integer arithmetic, logic and shifts on 16, 32 and 64 bits.
//!
//! Choices where PTX leaves them open: division by zero gives all ones, remainder by zero the dividend, as NVIDIA
//! hardware does; `min / -1` wraps. Shift amounts beyond the width are clamped, as the standard says.

use std::marker::PhantomData;

use super::{Lane2, Value, lane_impls};

/// An integer type, with the row type of its register.
pub(crate) trait Int: Copy + Ord + 'static {
    /// `u32` for 16 and 32 bits, `u64` for 64.
    type Row: Value;
    /// Row type of a product of twice the width.
    type WideRow: Value;
    const BITS: u32;
    fn of(row: Self::Row) -> Self;
    fn row(self) -> Self::Row;
    fn widen(row: Self::WideRow) -> i128;
    fn wide_row(value: i128) -> Self::WideRow;
    fn wide(self) -> i128;
    fn narrow(value: i128) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn shift_left(self, amount: u32) -> Self;
    fn shift_right(self, amount: u32) -> Self;
}

macro_rules! ints {
    ($($ty:ident row $row:ident unsigned $unsigned:ident wide $wide:ident wide_row $wide_row:ident;)*) => {$(
        impl Int for $ty {
            type Row = $row;
            type WideRow = $wide_row;
            const BITS: u32 = $ty::BITS;
            #[inline(always)]
            fn of(row: $row) -> Self { row as $ty }
            #[inline(always)]
            fn row(self) -> $row { $row::from(self as $unsigned) }
            #[inline(always)]
            fn widen(row: $wide_row) -> i128 { row as $wide as i128 }
            #[inline(always)]
            fn wide_row(value: i128) -> $wide_row { value as $wide_row }
            #[inline(always)]
            fn wide(self) -> i128 { self as i128 }
            #[inline(always)]
            fn narrow(value: i128) -> Self { value as $ty }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn shift_left(self, amount: u32) -> Self {
                if amount < $ty::BITS { self << amount } else { 0 }
            }
            #[inline(always)]
            fn shift_right(self, amount: u32) -> Self {
                // A signed shift by the width or more leaves only the sign.
                if amount < $ty::BITS { self >> amount } else if self < Self::of(0) { !0 } else { 0 }
            }
        }
    )*};
}

ints! {
    u16 row u32 unsigned u16 wide u32 wide_row u32;
    i16 row u32 unsigned u16 wide i32 wide_row u32;
    u32 row u32 unsigned u32 wide u64 wide_row u64;
    i32 row u32 unsigned u32 wide i64 wide_row u64;
    u64 row u64 unsigned u64 wide u64 wide_row u64;
    i64 row u64 unsigned u64 wide i64 wide_row u64;
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident |$a:ident, $b:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<T>(PhantomData<T>);
        impl<T: Int> Lane2 for $name<T> {
            type A = T::Row;
            type B = T::Row;
            type D = T::Row;
            #[inline(always)]
            fn lane(a: T::Row, b: T::Row) -> T::Row {
                let ($a, $b) = (T::of(a), T::of(b));
                let result: T = $body;
                result.row()
            }
        }
    )*};
}

binary! {
    /// `add`
    Add |a, b| a.add(b);
    /// `sub`
    Sub |a, b| a.sub(b);
    /// `mul.lo`
    MulLo |a, b| a.mul(b);
    /// `mul.hi`
    MulHi |a, b| T::narrow((a.wide() * b.wide()) >> T::BITS);
    /// `div`
    Div |a, b| a.div(b);
    /// `rem`
    Rem |a, b| a.rem(b);
    /// `min`
    Min |a, b| a.min(b);
    /// `max`
    Max |a, b| a.max(b);
}

/// `add.sat.s32` and `sub.sat.s32`: kept inside the signed range.
pub(crate) struct AddSaturating;
lane_impls! {
    [] AddSaturating: (a: u32, b: u32) -> u32 {
        (a as i32).saturating_add(b as i32) as u32
    }
}

/// See [`AddSaturating`].
pub(crate) struct SubSaturating;
lane_impls! {
    [] SubSaturating: (a: u32, b: u32) -> u32 {
        (a as i32).saturating_sub(b as i32) as u32
    }
}

/// `mul.wide`
pub(crate) struct MulWide<T>(PhantomData<T>);
lane_impls! {
    [T: Int] MulWide<T>: (a: T::Row, b: T::Row) -> T::WideRow {
        T::wide_row(T::of(a).wide() * T::of(b).wide())
    }
}

/// `mad.lo`
pub(crate) struct MadLo<T>(PhantomData<T>);
lane_impls! {
    [T: Int] MadLo<T>: (a: T::Row, b: T::Row, c: T::Row) -> T::Row {
        T::of(a).mul(T::of(b)).add(T::of(c)).row()
    }
}

/// `mad.hi`
pub(crate) struct MadHi<T>(PhantomData<T>);
lane_impls! {
    [T: Int] MadHi<T>: (a: T::Row, b: T::Row, c: T::Row) -> T::Row {
        T::of(MulHi::<T>::lane(a, b)).add(T::of(c)).row()
    }
}

/// `mad.hi.sat.s32`
pub(crate) struct MadHiSaturating;
lane_impls! {
    [] MadHiSaturating: (a: u32, b: u32, c: u32) -> u32 {
        AddSaturating::lane(MulHi::<i32>::lane(a, b), c)
    }
}

/// `mad.wide`
pub(crate) struct MadWide<T>(PhantomData<T>);
lane_impls! {
    [T: Int] MadWide<T>: (a: T::Row, b: T::Row, c: T::WideRow) -> T::WideRow {
        T::wide_row(T::of(a).wide() * T::of(b).wide() + T::widen(c))
    }
}

/// `sad`: `c + |a - b|`
pub(crate) struct Sad<T>(PhantomData<T>);
lane_impls! {
    [T: Int] Sad<T>: (a: T::Row, b: T::Row, c: T::Row) -> T::Row {
        T::narrow((T::of(a).wide() - T::of(b).wide()).abs()).add(T::of(c)).row()
    }
}

/// `neg`
pub(crate) struct Neg<T>(PhantomData<T>);
lane_impls! {
    [T: Int] Neg<T>: (a: T::Row) -> T::Row {
        T::narrow(-T::of(a).wide()).row()
    }
}

/// `abs`; the smallest number stays what it is.
pub(crate) struct Abs<T>(PhantomData<T>);
lane_impls! {
    [T: Int] Abs<T>: (a: T::Row) -> T::Row {
        T::narrow(T::of(a).wide().abs()).row()
    }
}

/// `shl`; the amount is always 32 bits.
pub(crate) struct Shl<T>(PhantomData<T>);
lane_impls! {
    [T: Int] Shl<T>: (a: T::Row, b: u32) -> T::Row {
        T::of(a).shift_left(b).row()
    }
}

/// `shr`, arithmetic for signed types.
pub(crate) struct Shr<T>(PhantomData<T>);
lane_impls! {
    [T: Int] Shr<T>: (a: T::Row, b: u32) -> T::Row {
        T::of(a).shift_right(b).row()
    }
}

/// `mul24` and `mad24` by way of the low 24 bits: `T` is `u32` or `i32`.
pub(crate) struct Mul24<T, const HIGH: bool>(PhantomData<T>);
impl<T: Int> Mul24<T, true> {
    #[inline(always)]
    fn extend(value: T) -> i128 {
        T::narrow(value.shift_left(8).wide() >> 8).wide()
    }
}
lane_impls! {
    [T: Int<Row = u32>, const HIGH: bool] Mul24<T, HIGH>: (a: u32, b: u32) -> u32 {
        let product = Mul24::<T, true>::extend(T::of(a)) * Mul24::<T, true>::extend(T::of(b));
        T::narrow(if HIGH { product >> 16 } else { product }).row()
    }
}

/// `mad24`
pub(crate) struct Mad24<T, const HIGH: bool>(PhantomData<T>);
lane_impls! {
    [T: Int<Row = u32>, const HIGH: bool] Mad24<T, HIGH>: (a: u32, b: u32, c: u32) -> u32 {
        Mul24::<T, HIGH>::lane(a, b).wrapping_add(c)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Lane1, Lane3};
    use super::*;

    proptest! {
        #[test]
        fn products_agree_with_wide_arithmetic(a: u64, b: u64, c: u64) {
            let wide = u128::from(a) * u128::from(b);
            prop_assert_eq!(MulLo::<u64>::lane(a, b), wide as u64);
            // The product of two unsigned 64-bit values does not fit i128; `decode` uses `MulHi64` for them.
            prop_assert_eq!(MadLo::<u64>::lane(a, b, c), (wide as u64).wrapping_add(c));
            let signed = i128::from(a as i64) * i128::from(b as i64);
            prop_assert_eq!(MulHi::<i64>::lane(a, b), (signed >> 64) as u64);
            let (x, y) = (a as u32, b as u32);
            prop_assert_eq!(MulHi::<u32>::lane(x, y), ((u64::from(x) * u64::from(y)) >> 32) as u32);
            prop_assert_eq!(MulWide::<i32>::lane(x, y), (i64::from(x as i32) * i64::from(y as i32)) as u64);
            prop_assert_eq!(
                MadWide::<u32>::lane(x, y, c),
                (u64::from(x) * u64::from(y)).wrapping_add(c)
            );
        }

        #[test]
        fn narrow_registers_keep_zeros_above(a: u32, b: u32) {
            for result in [
                Add::<i16>::lane(a, b), Sub::<i16>::lane(a, b), MulLo::<i16>::lane(a, b), Neg::<i16>::lane(a),
                Shl::<u16>::lane(a, b & 31), Shr::<i16>::lane(a, b & 31), Min::<i16>::lane(a, b),
            ] {
                prop_assert!(result <= 0xffff);
            }
        }
    }

    #[test]
    fn shifts_are_clamped_not_wrapped() {
        assert_eq!(Shl::<u32>::lane(1, 32), 0);
        assert_eq!(Shr::<u32>::lane(u32::MAX, 32), 0);
        assert_eq!(Shr::<i32>::lane(0x8000_0000, 99), u32::MAX);
        assert_eq!(Shr::<i64>::lane(1 << 63, 64), u64::MAX);
        assert_eq!(Shr::<i16>::lane(0x8000, 3), 0xf000);
    }

    #[test]
    fn division_by_zero_and_overflow_have_the_hardware_answer() {
        assert_eq!(Div::<u32>::lane(7, 0), u32::MAX);
        assert_eq!(Rem::<u32>::lane(7, 0), 7);
        assert_eq!(Div::<i32>::lane(0x8000_0000, u32::MAX), 0x8000_0000);
        assert_eq!(Rem::<i32>::lane(0x8000_0000, u32::MAX), 0);
        assert_eq!(Div::<i32>::lane(-7i32 as u32, 2), -3i32 as u32);
    }

    #[test]
    fn products_of_24_bits_ignore_the_top_byte() {
        assert_eq!(Mul24::<u32, false>::lane(0xff00_0003, 5), 15);
        assert_eq!(Mul24::<i32, false>::lane(0x00ff_ffff, 5), -5i32 as u32);
        assert_eq!(Mul24::<u32, true>::lane(0x0080_0000, 0x0080_0000), 0x4000_0000);
    }
}
