//! Lane arithmetic: one small function per operation, run over the 32 lanes of a warp.
//!
//! An operation is a type that implements [`Lane1`], [`Lane2`] or [`Lane3`]: what happens in one lane. The drivers
//! here fetch rows, loop over lanes and write back under the mask; the compiler vectorises them. Each driver
//! exists twice, plain and for AVX2 with FMA; [`LaneFn`] remembers the one this machine can run.
//!
//! | file          | operations                                                    |
//! |---------------|---------------------------------------------------------------|
//! | `integer`     | add, mul, mad, div, min, shifts, logic on 16 to 64 bits       |
//! | `bits`        | bfe, bfi, brev, clz, prmt, lop3, shf, dp4a, …                 |
//! | `carry`       | add.cc, addc, madc, …                                         |
//! | `float`       | f32 and f64 with rounding, ftz, sat                           |
//! | `half`        | f16, bf16 and their packed forms                              |
//! | `narrow`      | f16 and bf16 on the host's floats: what is frequent           |
//! | `special`     | rcp, sqrt, sin, ex2, …                                        |
//! | `convert`     | cvt between all types                                         |
//! | `compare`     | setp, set, selp, slct                                         |
//! | `pack`        | mov between one wide register and several narrow ones         |
//! | `video`       | video instructions on words, halves and bytes                 |
//! | `exact`       | floating point in every rounding mode, for what the host lacks |

pub(crate) mod bits;
pub(crate) mod carry;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod exact;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod narrow;
pub(crate) mod pack;
pub(crate) mod special;
pub(crate) mod video;

use std::fmt;

use crate::inst::{Inst, Row};
use crate::registers::Registers;
use crate::{LANES, LaneMask};

type RawLaneFn = unsafe fn(&mut Registers, &Inst, LaneMask);

/// Executes one arithmetic instruction in the lanes of a mask.
#[derive(Clone, Copy)]
pub struct LaneFn(RawLaneFn);

impl LaneFn {
    /// Runs it.
    #[inline(always)]
    pub(crate) fn call(self, registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
        // SAFETY: the only functions stored here are safe ones, or AVX2 versions picked after `has_avx2` said yes.
        unsafe { (self.0)(registers, inst, lanes) }
    }

    /// An operation that has no vector form.
    pub(crate) fn plain(function: fn(&mut Registers, &Inst, LaneMask)) -> Self {
        Self(function)
    }
}

impl fmt::Debug for LaneFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LaneFn")
    }
}

/// Whether this machine runs the AVX2 and FMA versions.
pub(crate) fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// A value of one lane, with the bank its rows lie in.
pub(crate) trait Value: Copy {
    /// What a row is before any lane is computed.
    const ZERO: Self;
    /// A row as an operand: where it lies, so that nothing is copied.
    type Operand<'r>: Copy;
    fn fetch(registers: &Registers, row: Row) -> Self::Operand<'_>;
    fn lane(operand: Self::Operand<'_>, lane: usize) -> Self;
    fn put(registers: &mut Registers, row: Row, values: &[Self; LANES], mask: LaneMask);
}

macro_rules! words {
    ($($ty:ident $get:ident $set:ident;)*) => {$(
        impl Value for $ty {
            const ZERO: Self = 0;
            type Operand<'r> = &'r [$ty; LANES];
            #[inline(always)]
            fn fetch(registers: &Registers, row: Row) -> &[$ty; LANES] {
                registers.$get(row)
            }
            #[inline(always)]
            fn lane(operand: &[$ty; LANES], lane: usize) -> Self {
                operand[lane]
            }
            #[inline(always)]
            fn put(registers: &mut Registers, row: Row, values: &[Self; LANES], mask: LaneMask) {
                registers.$set(row, values, mask);
            }
        }
    )*};
}

words! {
    u32 row32 set32;
    u64 row64 set64;
}

impl Value for bool {
    const ZERO: Self = false;
    type Operand<'r> = LaneMask;
    #[inline(always)]
    fn fetch(registers: &Registers, row: Row) -> LaneMask {
        registers.get_pred(row)
    }
    #[inline(always)]
    fn lane(operand: LaneMask, lane: usize) -> Self {
        operand >> lane & 1 == 1
    }
    #[inline(always)]
    fn put(registers: &mut Registers, row: Row, values: &[Self; LANES], mask: LaneMask) {
        let mut packed = 0;
        for (lane, &value) in values.iter().enumerate() {
            packed |= u32::from(value) << lane;
        }
        registers.set_pred(row, packed, mask);
    }
}

/// One source.
pub(crate) trait Lane1 {
    type A: Value;
    type D: Value;
    fn lane(a: Self::A) -> Self::D;
}

/// Two sources.
pub(crate) trait Lane2 {
    type A: Value;
    type B: Value;
    type D: Value;
    fn lane(a: Self::A, b: Self::B) -> Self::D;
}

/// Three sources.
pub(crate) trait Lane3 {
    type A: Value;
    type B: Value;
    type C: Value;
    type D: Value;
    fn lane(a: Self::A, b: Self::B, c: Self::C) -> Self::D;
}

macro_rules! drivers {
    ($($public:ident $plain:ident $avx2:ident: $trait:ident ($($arg:ident: $ty:ident = $field:ident),*);)*) => {$(
        #[inline(always)]
        fn $plain<O: $trait>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
            $(let $arg = <O::$ty as Value>::fetch(registers, inst.$field);)*
            let mut out = [<O::D as Value>::ZERO; LANES];
            for lane in 0..LANES {
                out[lane] = O::lane($(<O::$ty as Value>::lane($arg, lane)),*);
            }
            <O::D as Value>::put(registers, inst.dst, &out, lanes);
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $avx2<O: $trait>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
            $plain::<O>(registers, inst, lanes);
        }

        /// The version of the operation that is best on this machine.
        pub(crate) fn $public<O: $trait>() -> LaneFn {
            #[cfg(target_arch = "x86_64")]
            if has_avx2() {
                return LaneFn($avx2::<O>);
            }
            LaneFn($plain::<O>)
        }
    )*};
}

drivers! {
    lanes1 run1 run1_avx2: Lane1(a: A = a);
    lanes2 run2 run2_avx2: Lane2(a: A = a, b: B = b);
    lanes3 run3 run3_avx2: Lane3(a: A = a, b: B = b, c: C = c);
}

/// Declares operations as rows: `Name(a: u32, b: u32) -> u32 { expression }`.
macro_rules! lane_ops {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) -> $out:ty $body:block)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        $crate::lanes::lane_impls!([] $name: ($($arg: $ty),*) -> $out $body);
    )*};
}
pub(crate) use lane_ops;

/// What types do in a lane, as rows: `[T: Int] Name<T>: (a: T::Row, b: u32) -> T::Row { expression }`.
macro_rules! lane_impls {
    ($([$($generics:tt)*] $name:ty: ($($arg:ident: $ty:ty),*) -> $out:ty $body:block)*) => {$(
        $crate::lanes::lane_impls!(@impl [$($generics)*] $name, $out, $body, $($arg: $ty),*);
    )*};
    (@impl [$($generics:tt)*] $name:ty, $out:ty, $body:block, $a:ident: $ta:ty) => {
        impl<$($generics)*> $crate::lanes::Lane1 for $name {
            type A = $ta;
            type D = $out;
            #[inline(always)]
            fn lane($a: $ta) -> $out $body
        }
    };
    (@impl [$($generics:tt)*] $name:ty, $out:ty, $body:block, $a:ident: $ta:ty, $b:ident: $tb:ty) => {
        impl<$($generics)*> $crate::lanes::Lane2 for $name {
            type A = $ta;
            type B = $tb;
            type D = $out;
            #[inline(always)]
            fn lane($a: $ta, $b: $tb) -> $out $body
        }
    };
    (
        @impl [$($generics:tt)*] $name:ty, $out:ty, $body:block,
        $a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty
    ) => {
        impl<$($generics)*> $crate::lanes::Lane3 for $name {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type D = $out;
            #[inline(always)]
            fn lane($a: $ta, $b: $tb, $c: $tc) -> $out $body
        }
    };
}
pub(crate) use lane_impls;
