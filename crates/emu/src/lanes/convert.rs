//! `cvt` between all types.
//!
//! Frequent conversions have rows of their own; the rest goes lane by lane through [`Conversion`], which is exact.
//! Float to integer clamps to the range of the destination and takes NaN to 0.

use super::exact::{BF16, F16, F32, F64, Finite, Format, Mode, Number, TF32};
use super::float::CANONICAL_NAN;
use super::lane_ops;
use crate::inst::Inst;
use crate::registers::Registers;
use crate::{LANES, LaneMask};

lane_ops! {
    /// `cvt.u64.u32`
    ZeroExtend(a: u32) -> u64 { u64::from(a) }
    /// `cvt.s64.s32`
    SignExtend(a: u32) -> u64 { i64::from(a as i32) as u64 }
    /// `cvt.u32.u64`
    Truncate(a: u64) -> u32 { a as u32 }
    /// `cvt.u16.u32`, `cvt.u32.u16`
    Low16(a: u32) -> u32 { a & 0xffff }
    /// `cvt.u32.u8`
    Low8(a: u32) -> u32 { a & 0xff }
    /// `cvt.s32.s16`
    Sign16(a: u32) -> u32 { i32::from(a as i16) as u32 }
    /// `cvt.rn.f32.s32`
    SignedToF32(a: u32) -> u32 { (a as i32 as f32).to_bits() }
    /// `cvt.rn.f32.u32`
    UnsignedToF32(a: u32) -> u32 { (a as f32).to_bits() }
    /// `cvt.rn.f64.s32`
    SignedToF64(a: u32) -> u64 { f64::from(a as i32).to_bits() }
    /// `cvt.rn.f64.u32`
    UnsignedToF64(a: u32) -> u64 { f64::from(a).to_bits() }
    /// `cvt.rzi.s32.f32`
    F32ToSigned(a: u32) -> u32 { f32::from_bits(a) as i32 as u32 }
    /// `cvt.rzi.u32.f32`
    F32ToUnsigned(a: u32) -> u32 { f32::from_bits(a) as u32 }
    /// `cvt.rzi.s32.f64`
    F64ToSigned(a: u64) -> u32 { f64::from_bits(a) as i32 as u32 }
    /// `cvt.f64.f32`
    F32ToF64(a: u32) -> u64 { f64::from(f32::from_bits(a)).to_bits() }
    /// `cvt.rn.f32.u16`
    Unsigned16ToF32(a: u32) -> u32 { ((a & 0xffff) as f32).to_bits() }
    /// `cvt.rn.f32.s16`
    Signed16ToF32(a: u32) -> u32 { f32::from(a as i16).to_bits() }
    /// `cvt.rn.f32.s64`
    Signed64ToF32(a: u64) -> u32 { (a as i64 as f32).to_bits() }
    /// `cvt.rn.f32.u64`
    Unsigned64ToF32(a: u64) -> u32 { (a as f32).to_bits() }
    /// `cvt.rn.f64.s64`
    Signed64ToF64(a: u64) -> u64 { (a as i64 as f64).to_bits() }
    /// `cvt.rn.f64.u64`
    Unsigned64ToF64(a: u64) -> u64 { (a as f64).to_bits() }
    /// `cvt.rzi.s64.f32`
    F32ToSigned64(a: u32) -> u64 { f32::from_bits(a) as i64 as u64 }
    /// `cvt.rzi.u64.f32`
    F32ToUnsigned64(a: u32) -> u64 { f32::from_bits(a) as u64 }
    /// `cvt.rzi.s64.f64`
    F64ToSigned64(a: u64) -> u64 { f64::from_bits(a) as i64 as u64 }
    /// `cvt.rzi.u64.f64`
    F64ToUnsigned64(a: u64) -> u64 { f64::from_bits(a) as u64 }
    /// `cvt.rzi.u32.f64`
    F64ToUnsigned(a: u64) -> u32 { f64::from_bits(a) as u32 }
    /// `cvt.rni.s32.f32`
    F32NearestSigned(a: u32) -> u32 { f32::from_bits(a).round_ties_even() as i32 as u32 }
    /// `cvt.rmi.s32.f32`
    F32FloorSigned(a: u32) -> u32 { f32::from_bits(a).floor() as i32 as u32 }
    /// `cvt.rpi.s32.f32`
    F32CeilingSigned(a: u32) -> u32 { f32::from_bits(a).ceil() as i32 as u32 }
    /// `cvt.rmi.f32.f32`
    Floor(a: u32) -> u32 { canonical(f32::from_bits(a).floor()) }
    /// `cvt.rpi.f32.f32`
    Ceiling(a: u32) -> u32 { canonical(f32::from_bits(a).ceil()) }
    /// `cvt.rzi.f32.f32`
    WithoutFraction(a: u32) -> u32 { canonical(f32::from_bits(a).trunc()) }
    /// `cvt.rni.f32.f32`
    NearestIntegral(a: u32) -> u32 { canonical(f32::from_bits(a).round_ties_even()) }
    /// `cvt.rn.f32.f64`
    F64ToF32(a: u64) -> u32 {
        let narrow = f64::from_bits(a) as f32;
        if narrow.is_nan() { CANONICAL_NAN } else { narrow.to_bits() }
    }
}

/// The bits of a result; NaN is the one that NVIDIA's hardware returns.
#[inline(always)]
fn canonical(value: f32) -> u32 {
    if value.is_nan() { CANONICAL_NAN } else { value.to_bits() }
}

/// Type on one side of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Unsigned(u8),
    Signed(u8),
    F16,
    Bf16,
    F32,
    F64,
    Tf32,
}

impl Side {
    fn format(self) -> Option<Format> {
        match self {
            Side::Unsigned(_) | Side::Signed(_) => None,
            Side::F16 => Some(F16),
            Side::Bf16 => Some(BF16),
            Side::F32 => Some(F32),
            Side::F64 => Some(F64),
            Side::Tf32 => Some(TF32),
        }
    }

    const fn code(self) -> i64 {
        match self {
            Side::Unsigned(bits) => bits as i64,
            Side::Signed(bits) => bits as i64 | 0x80,
            Side::F16 => 1,
            Side::Bf16 => 2,
            Side::F32 => 3,
            Side::F64 => 4,
            Side::Tf32 => 5,
        }
    }

    const fn of_code(code: i64) -> Side {
        match code & 0xff {
            1 => Side::F16,
            2 => Side::Bf16,
            3 => Side::F32,
            4 => Side::F64,
            5 => Side::Tf32,
            signed if signed & 0x80 != 0 => Side::Signed((signed & 0x7f) as u8),
            unsigned => Side::Unsigned(unsigned as u8),
        }
    }
}

/// One conversion; travels in `Inst::offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent suffixes of one instruction")]
pub(crate) struct Conversion {
    pub from: Side,
    pub to: Side,
    pub mode: Mode,
    /// Round a float to an integral value.
    pub is_integral: bool,
    pub ftz: bool,
    pub saturate: bool,
    pub relu: bool,
    /// The source is in the 64-bit bank.
    pub source_is_64: bool,
    /// Width of the destination register: a signed result fills it with its sign.
    pub register_bits: u8,
    /// Two sources become two halves of the destination.
    pub is_pair: bool,
}

impl Conversion {
    pub(crate) fn pack(self) -> i64 {
        let flags = [self.is_integral, self.ftz, self.saturate, self.relu, self.source_is_64, self.is_pair];
        let flags = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | i64::from(flag));
        self.from.code()
            | self.to.code() << 8
            | (self.mode as i64) << 16
            | i64::from(self.register_bits) << 24
            | flags << 32
    }

    fn unpack(bits: i64) -> Self {
        let flag = |at: u32| bits >> (32 + at) & 1 == 1;
        Self {
            from: Side::of_code(bits),
            to: Side::of_code(bits >> 8),
            mode: Mode::of((bits >> 16) as u8),
            is_integral: flag(0),
            ftz: flag(1),
            saturate: flag(2),
            relu: flag(3),
            source_is_64: flag(4),
            register_bits: (bits >> 24) as u8,
            is_pair: flag(5),
        }
    }

    /// Converts one value.
    pub(crate) fn apply(self, bits: u64) -> u64 {
        match (self.from.format(), self.to.format()) {
            (None, None) => self.integer(self.source_integer(bits)),
            (None, Some(format)) => {
                self.finish(format, format.pack(Number::of_integer(self.source_integer(bits)), self.mode))
            }
            (Some(from), None) => {
                let number = from.unpack(self.flushed(self.from, bits));
                self.integer_result(self.clamp(round_to_integer(number, self.mode)))
            }
            (Some(from), Some(to)) => {
                let number = from.unpack(self.flushed(self.from, bits));
                let number = if self.is_integral { integral(number, self.mode) } else { number };
                self.finish(to, to.pack(number, self.mode))
            }
        }
    }

    fn source_integer(self, bits: u64) -> i128 {
        match self.from {
            Side::Signed(width) => i128::from((bits << (64 - width)) as i64 >> (64 - width)),
            Side::Unsigned(width) if width < 64 => i128::from(bits & ((1 << width) - 1)),
            _ => i128::from(bits),
        }
    }

    fn integer(self, value: i128) -> u64 {
        self.integer_result(if self.saturate { self.clamp(value) } else { value })
    }

    fn clamp(self, value: i128) -> i128 {
        match self.to {
            Side::Signed(width) => value.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1),
            Side::Unsigned(width) => value.clamp(0, (1 << width) - 1),
            _ => value,
        }
    }

    /// The destination's bits, extended to its register.
    fn integer_result(self, value: i128) -> u64 {
        let register = if self.register_bits >= 64 { u64::MAX } else { (1 << self.register_bits) - 1 };
        let extended = match self.to {
            Side::Signed(width) => (value << (128 - width as u32) >> (128 - width as u32)) as u64,
            Side::Unsigned(width) if width < 64 => value as u64 & ((1 << width) - 1),
            _ => value as u64,
        };
        extended & register
    }

    fn flushed(self, side: Side, bits: u64) -> u64 {
        let is_subnormal = side == Side::F32 && bits & 0x7f80_0000 == 0;
        if self.ftz && is_subnormal { bits & 0x8000_0000 } else { bits }
    }

    fn finish(self, format: Format, bits: u64) -> u64 {
        let bits = self.flushed(self.to, bits);
        let number = format.unpack(bits);
        let one = format.pack(Number::of_integer(1), Mode::Nearest);
        let sign = 1 << (format.fraction_bits + format.exponent_bits);
        let clamped = match number {
            Number::Nan if self.saturate => 0,
            Number::Nan => bits,
            _ if (self.saturate || self.relu) && bits & sign != 0 => 0,
            _ if self.saturate && bits > one => one,
            _ => bits,
        };
        // A TensorFloat is a single whose low bits are zero.
        if self.to == Side::Tf32 { clamped << 13 } else { clamped }
    }
}

/// Nearest integer in the mode; what is beyond 128 bits saturates, NaN is 0.
fn round_to_integer(number: Number, mode: Mode) -> i128 {
    match number {
        Number::Nan => 0,
        Number::Infinity { is_negative } => {
            if is_negative {
                i128::MIN
            } else {
                i128::MAX
            }
        }
        Number::Finite(value) if value.significand == 0 => 0,
        Number::Finite(value) if value.exponent >= 64 => {
            if value.is_negative {
                i128::MIN
            } else {
                i128::MAX
            }
        }
        Number::Finite(value) => {
            let magnitude = integral_magnitude(value, mode) as i128;
            if value.is_negative { -magnitude } else { magnitude }
        }
    }
}

fn integral_magnitude(value: Finite, mode: Mode) -> u128 {
    if value.exponent >= 0 {
        return value.significand << value.exponent;
    }
    let drop = -value.exponent;
    if drop > 126 {
        let is_away = matches!((mode, value.is_negative), (Mode::Up, false) | (Mode::Down, true));
        return u128::from(is_away && value.significand != 0);
    }
    let kept = value.significand >> drop;
    let rest = value.significand & ((1 << drop) - 1);
    let half = 1 << (drop - 1);
    let is_up = match mode {
        Mode::Nearest => rest > half || (rest == half && kept & 1 == 1),
        Mode::NearestAway => rest >= half,
        Mode::Zero => false,
        Mode::Down => value.is_negative && rest != 0,
        Mode::Up => !value.is_negative && rest != 0,
    };
    kept + u128::from(is_up)
}

/// The integral value as a number, keeping the sign of zero.
fn integral(number: Number, mode: Mode) -> Number {
    match number {
        Number::Finite(value) if value.exponent < 0 => {
            Number::Finite(Finite { significand: integral_magnitude(value, mode), exponent: 0, ..value })
        }
        other => other,
    }
}

/// Runs the conversion packed in `Inst::offset`.
pub(crate) fn convert_any(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let conversion = Conversion::unpack(inst.offset);
    let source: [u64; LANES] = if conversion.source_is_64 {
        registers.get64(inst.a)
    } else {
        registers.get32(inst.a).map(u64::from)
    };
    let mut out = source.map(|bits| conversion.apply(bits));
    if conversion.is_pair {
        // The first source is the upper half.
        let lower = registers.get32(inst.b);
        for lane in 0..LANES {
            out[lane] = out[lane] << 16 | conversion.apply(u64::from(lower[lane]));
        }
    }
    if conversion.register_bits == 64 {
        registers.set64(inst.dst, &out, lanes);
    } else {
        registers.set32(inst.dst, &out.map(|value| value as u32), lanes);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Lane1;
    use super::*;

    fn conversion(from: Side, to: Side, mode: Mode) -> Conversion {
        Conversion {
            from,
            to,
            mode,
            is_integral: false,
            ftz: false,
            saturate: false,
            relu: false,
            source_is_64: matches!(from, Side::F64 | Side::Signed(64) | Side::Unsigned(64)),
            register_bits: 64,
            is_pair: false,
        }
    }

    proptest! {
        #[test]
        fn integers_become_the_floats_the_host_makes(value: i64) {
            let near = Mode::Nearest;
            prop_assert_eq!(
                conversion(Side::Signed(64), Side::F32, near).apply(value as u64),
                u64::from((value as f32).to_bits())
            );
            prop_assert_eq!(
                conversion(Side::Unsigned(64), Side::F64, near).apply(value as u64),
                (value as u64 as f64).to_bits()
            );
        }

        #[test]
        fn floats_become_the_integers_the_host_makes(bits: u32, wide: u64) {
            let value = f32::from_bits(bits);
            let to_u64 = conversion(Side::F32, Side::Unsigned(64), Mode::Zero);
            prop_assert_eq!(to_u64.apply(u64::from(bits)), value as u64);
            let to_s64 = conversion(Side::F64, Side::Signed(64), Mode::Zero);
            prop_assert_eq!(to_s64.apply(wide), f64::from_bits(wide) as i64 as u64);
            let nearest = conversion(Side::F32, Side::Signed(64), Mode::Nearest);
            prop_assert_eq!(nearest.apply(u64::from(bits)), value.round_ties_even() as i64 as u64);
            let floor = conversion(Side::F64, Side::Signed(64), Mode::Down);
            prop_assert_eq!(floor.apply(wide), f64::from_bits(wide).floor() as i64 as u64);
        }

        #[test]
        fn integral_rounding_is_the_hosts(bits: u32) {
            let value = f32::from_bits(bits);
            prop_assume!(!value.is_nan());
            let to = |mode| Conversion { is_integral: true, ..conversion(Side::F32, Side::F32, mode) };
            for (mode, host) in [
                (Mode::Nearest, value.round_ties_even()),
                (Mode::Zero, value.trunc()),
                (Mode::Down, value.floor()),
                (Mode::Up, value.ceil()),
            ] {
                prop_assert_eq!(to(mode).apply(u64::from(bits)), u64::from(host.to_bits()));
            }
        }

        #[test]
        fn frequent_conversions_are_the_exact_ones(bits: u32, wide: u64) {
            let (near, zero) = (Mode::Nearest, Mode::Zero);
            let of = |from, to, mode| {
                let register_bits = if matches!(to, Side::Unsigned(64) | Side::Signed(64) | Side::F64) { 64 } else { 32 };
                Conversion { register_bits, ..conversion(from, to, mode) }
            };
            let integral = |mode| Conversion { is_integral: true, ..of(Side::F32, Side::F32, mode) };
            let small = u64::from(bits);
            for wide in [wide, wide >> 40, u64::from(f32::from_bits(bits).to_bits()), f64::from(f32::from_bits(bits)).to_bits()] {
                prop_assert_eq!(u64::from(Signed64ToF32::lane(wide)), of(Side::Signed(64), Side::F32, near).apply(wide));
                prop_assert_eq!(u64::from(Unsigned64ToF32::lane(wide)), of(Side::Unsigned(64), Side::F32, near).apply(wide));
                prop_assert_eq!(Signed64ToF64::lane(wide), of(Side::Signed(64), Side::F64, near).apply(wide));
                prop_assert_eq!(Unsigned64ToF64::lane(wide), of(Side::Unsigned(64), Side::F64, near).apply(wide));
                prop_assert_eq!(F64ToSigned64::lane(wide), of(Side::F64, Side::Signed(64), zero).apply(wide));
                prop_assert_eq!(F64ToUnsigned64::lane(wide), of(Side::F64, Side::Unsigned(64), zero).apply(wide));
                prop_assert_eq!(u64::from(F64ToUnsigned::lane(wide)), of(Side::F64, Side::Unsigned(32), zero).apply(wide));
            }
            for bits in [bits, bits & 0xffff_0000, bits | 0x7f80_0000, (f32::from_bits(bits) * 1e-9).to_bits(), (bits as i32 as f32 / 4096.0).to_bits()] {
                let small = u64::from(bits);
                prop_assert_eq!(F32ToSigned64::lane(bits), of(Side::F32, Side::Signed(64), zero).apply(small));
                prop_assert_eq!(F32ToUnsigned64::lane(bits), of(Side::F32, Side::Unsigned(64), zero).apply(small));
                let signed = |mode| of(Side::F32, Side::Signed(32), mode).apply(small);
                prop_assert_eq!(u64::from(F32NearestSigned::lane(bits)), signed(near));
                prop_assert_eq!(u64::from(F32FloorSigned::lane(bits)), signed(Mode::Down));
                prop_assert_eq!(u64::from(F32CeilingSigned::lane(bits)), signed(Mode::Up));
                prop_assert_eq!(u64::from(Floor::lane(bits)), integral(Mode::Down).apply(small));
                prop_assert_eq!(u64::from(Ceiling::lane(bits)), integral(Mode::Up).apply(small));
                prop_assert_eq!(u64::from(WithoutFraction::lane(bits)), integral(zero).apply(small));
                prop_assert_eq!(u64::from(NearestIntegral::lane(bits)), integral(near).apply(small));
            }
            prop_assert_eq!(u64::from(Unsigned16ToF32::lane(bits)), of(Side::Unsigned(16), Side::F32, near).apply(small));
            prop_assert_eq!(u64::from(Signed16ToF32::lane(bits)), of(Side::Signed(16), Side::F32, near).apply(small));
        }

        #[test]
        fn packing_a_conversion_loses_nothing(from in 0usize..9, to in 0usize..9, mode in 0u8..5, flags in 0i64..64) {
            const SIDES: [Side; 9] = [
                Side::Unsigned(8), Side::Signed(8), Side::Unsigned(64), Side::Signed(64), Side::F16, Side::Bf16,
                Side::F32, Side::F64, Side::Tf32,
            ];
            let original = Conversion {
                from: SIDES[from], to: SIDES[to], mode: Mode::of(mode), register_bits: 32,
                ..Conversion::unpack(flags << 32)
            };
            prop_assert_eq!(Conversion::unpack(original.pack()), original);
        }
    }

    #[test]
    fn narrow_results_fill_their_register() {
        let to_s8 =
            Conversion { register_bits: 32, ..conversion(Side::Signed(32), Side::Signed(8), Mode::Nearest) };
        assert_eq!(to_s8.apply(0x1ff), 0xffff_ffff);
        let to_s8_short = Conversion { register_bits: 16, ..to_s8 };
        assert_eq!(to_s8_short.apply(0x80), 0xff80);
        let saturating = Conversion { saturate: true, ..to_s8 };
        assert_eq!(saturating.apply(300), 127);
        let to_u8 =
            Conversion { saturate: true, ..conversion(Side::Signed(32), Side::Unsigned(8), Mode::Nearest) };
        assert_eq!(to_u8.apply(-5i32 as u32 as u64), 0);
    }

    #[test]
    fn nan_becomes_zero_and_infinity_the_limit() {
        let to_s32 = conversion(Side::F32, Side::Signed(32), Mode::Zero);
        assert_eq!(to_s32.apply(u64::from(f32::NAN.to_bits())), 0);
        assert_eq!(to_s32.apply(u64::from(f32::INFINITY.to_bits())), i32::MAX as u64);
        let to_u32 = conversion(Side::F32, Side::Unsigned(32), Mode::Zero);
        assert_eq!(to_u32.apply(u64::from((-3f32).to_bits())), 0);
    }
}
