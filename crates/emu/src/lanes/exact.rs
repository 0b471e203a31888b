//! Floating point in every format and rounding mode, by exact integer arithmetic.
//!
//! The host rounds to nearest only. Directed rounding, half precision fused operations and odd conversions go
//! through [`Number`]: operate exactly (a sticky bit represents what no 128-bit integer holds), round once.

use std::cmp::Ordering;

/// An IEEE-like binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Stored significand bits.
    pub fraction_bits: u32,
    /// Exponent bits.
    pub exponent_bits: u32,
}

/// IEEE half precision.
pub(crate) const F16: Format = Format { fraction_bits: 10, exponent_bits: 5 };
/// bfloat16.
pub(crate) const BF16: Format = Format { fraction_bits: 7, exponent_bits: 8 };
/// IEEE single precision.
pub(crate) const F32: Format = Format { fraction_bits: 23, exponent_bits: 8 };
/// IEEE double precision.
pub(crate) const F64: Format = Format { fraction_bits: 52, exponent_bits: 11 };
/// TensorFloat-32, in the layout of a single.
pub(crate) const TF32: Format = Format { fraction_bits: 10, exponent_bits: 8 };

/// Where an inexact result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// `.rn`: nearest, ties to even.
    Nearest,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards minus infinity.
    Down,
    /// `.rp`: towards plus infinity.
    Up,
    /// `.rna`: nearest, ties away from zero.
    NearestAway,
}

impl Mode {
    /// From a const parameter.
    pub(crate) const fn of(code: u8) -> Mode {
        match code {
            1 => Mode::Zero,
            2 => Mode::Down,
            3 => Mode::Up,
            4 => Mode::NearestAway,
            _ => Mode::Nearest,
        }
    }
}

/// A number with nothing lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Nan,
    Infinity { is_negative: bool },
    Finite(Finite),
}

/// `± (significand + a little if sticky) * 2^exponent`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finite {
    pub is_negative: bool,
    pub significand: u128,
    pub exponent: i32,
    /// The true magnitude is larger, by less than one unit of the significand.
    pub sticky: bool,
}

impl Format {
    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    const fn max_exponent_field(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    const fn sign_shift(self) -> u32 {
        self.fraction_bits + self.exponent_bits
    }

    const fn infinity(self) -> u64 {
        self.max_exponent_field() << self.fraction_bits
    }

    /// What NVIDIA hardware returns: all ones but the sign, in single and half precision.
    const fn nan(self) -> u64 {
        if self.fraction_bits == 52 { 0x7fff_ffff_ffff_ffff } else { (1 << self.sign_shift()) - 1 }
    }

    /// Reads the bits of a value.
    pub(crate) fn unpack(self, bits: u64) -> Number {
        let is_negative = bits >> self.sign_shift() & 1 == 1;
        let field = bits >> self.fraction_bits & self.max_exponent_field();
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        if field == self.max_exponent_field() {
            return if fraction == 0 { Number::Infinity { is_negative } } else { Number::Nan };
        }
        let hidden = if field == 0 { 0 } else { 1 << self.fraction_bits };
        let exponent = field.max(1) as i32 - self.bias() - self.fraction_bits as i32;
        let significand = u128::from(fraction | hidden);
        Number::Finite(Finite { is_negative, significand, exponent, sticky: false })
    }

    /// Rounds to the bits of this format.
    pub(crate) fn pack(self, number: Number, mode: Mode) -> u64 {
        let sign = |is_negative: bool| u64::from(is_negative) << self.sign_shift();
        match number {
            Number::Nan => self.nan(),
            Number::Infinity { is_negative } => sign(is_negative) | self.infinity(),
            Number::Finite(value) => sign(value.is_negative) | self.pack_magnitude(value, mode),
        }
    }

    fn pack_magnitude(self, value: Finite, mode: Mode) -> u64 {
        if value.significand == 0 && !value.sticky {
            return 0;
        }
        let lowest = 1 - self.bias() - self.fraction_bits as i32;
        let top = 127 - value.significand.leading_zeros() as i32;
        let wanted = (value.exponent + top - self.fraction_bits as i32).max(lowest);
        let (kept, is_up) = round_at(value, wanted - value.exponent, mode);
        let magnitude = kept as u64 + u64::from(is_up);
        // A carry out of the significand moves into the exponent by itself: fields are added, not joined.
        let biased = (wanted - lowest + 1) as u64;
        let is_normal = magnitude >> self.fraction_bits != 0;
        let bits = if is_normal {
            (biased << self.fraction_bits) + (magnitude - (1 << self.fraction_bits))
        } else {
            magnitude
        };
        if bits >= self.infinity() { self.overflow(value.is_negative, mode) } else { bits }
    }

    fn overflow(self, is_negative: bool, mode: Mode) -> u64 {
        let stays_finite = match mode {
            Mode::Nearest | Mode::NearestAway => false,
            Mode::Zero => true,
            Mode::Down => !is_negative,
            Mode::Up => is_negative,
        };
        if stays_finite { self.infinity() - 1 } else { self.infinity() }
    }
}

/// Drops `drop` low bits (or appends zeros); returns what is kept and whether to round up in magnitude.
fn round_at(value: Finite, drop: i32, mode: Mode) -> (u128, bool) {
    let (kept, rest_to_half) = match drop {
        ..=0 => (value.significand << -drop, (Ordering::Less, value.sticky)),
        1..=127 => {
            let rest = value.significand & ((1 << drop) - 1);
            let half = 1 << (drop - 1);
            (value.significand >> drop, (rest.cmp(&half), rest != 0 || value.sticky))
        }
        _ => (0, (Ordering::Less, true)),
    };
    let (order, is_inexact) = rest_to_half;
    let is_beyond_half = order == Ordering::Greater || (order == Ordering::Equal && value.sticky);
    let is_tie = order == Ordering::Equal && !value.sticky;
    let is_up = match mode {
        Mode::Nearest => is_beyond_half || (is_tie && kept & 1 == 1),
        Mode::NearestAway => is_beyond_half || is_tie,
        Mode::Zero => false,
        Mode::Down => value.is_negative && is_inexact,
        Mode::Up => !value.is_negative && is_inexact,
    };
    (kept, is_up)
}

impl Number {
    /// An integer.
    pub(crate) fn of_integer(value: i128) -> Number {
        let significand = value.unsigned_abs();
        Number::Finite(Finite { is_negative: value < 0, significand, exponent: 0, sticky: false })
    }

    /// The same with the other sign.
    pub(crate) fn negated(self) -> Number {
        match self {
            Number::Nan => Number::Nan,
            Number::Infinity { is_negative } => Number::Infinity { is_negative: !is_negative },
            Number::Finite(value) => Number::Finite(Finite { is_negative: !value.is_negative, ..value }),
        }
    }

    /// Sum; `mode` decides the sign of an exact zero.
    pub(crate) fn plus(self, other: Number, mode: Mode) -> Number {
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Infinity { is_negative: a }, Number::Infinity { is_negative: b }) if a != b => {
                Number::Nan
            }
            (infinite @ Number::Infinity { .. }, _) | (_, infinite @ Number::Infinity { .. }) => infinite,
            (Number::Finite(a), Number::Finite(b)) => Number::Finite(add_finite(a, b, mode)),
        }
    }

    /// Product of two numbers without sticky bits.
    pub(crate) fn times(self, other: Number) -> Number {
        let is_negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Infinity { .. }, x) | (x, Number::Infinity { .. }) if x.is_zero() => Number::Nan,
            (Number::Infinity { .. }, _) | (_, Number::Infinity { .. }) => Number::Infinity { is_negative },
            (Number::Finite(a), Number::Finite(b)) => Number::Finite(Finite {
                is_negative,
                significand: a.significand * b.significand,
                exponent: a.exponent + b.exponent,
                sticky: false,
            }),
        }
    }

    /// Quotient, with 64 bits and a sticky bit.
    pub(crate) fn over(self, other: Number) -> Number {
        let is_negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) | (Number::Infinity { .. }, Number::Infinity { .. }) => {
                Number::Nan
            }
            (Number::Infinity { .. }, _) => Number::Infinity { is_negative },
            (_, Number::Infinity { .. }) => Number::zero(is_negative),
            (a, b) if a.is_zero() && b.is_zero() => Number::Nan,
            (_, b) if b.is_zero() => Number::Infinity { is_negative },
            (Number::Finite(a), Number::Finite(b)) => {
                let shift = a.significand.leading_zeros().saturating_sub(1);
                let dividend = a.significand << shift;
                Number::Finite(Finite {
                    is_negative,
                    significand: dividend / b.significand,
                    exponent: a.exponent - b.exponent - shift as i32,
                    sticky: !dividend.is_multiple_of(b.significand),
                })
            }
        }
    }

    /// Square root, with about 60 bits and a sticky bit.
    pub(crate) fn square_root(self) -> Number {
        match self {
            Number::Nan => Number::Nan,
            zero if zero.is_zero() => zero,
            negative if negative.is_negative() => Number::Nan,
            Number::Infinity { .. } => self,
            Number::Finite(value) => {
                let room = value.significand.leading_zeros() as i32;
                let shift = if (value.exponent - room) % 2 == 0 { room } else { room - 1 };
                let radicand = value.significand << shift;
                let root = radicand.isqrt();
                Number::Finite(Finite {
                    is_negative: false,
                    significand: root,
                    exponent: (value.exponent - shift) / 2,
                    sticky: root * root != radicand,
                })
            }
        }
    }

    /// Whether it is zero of either sign.
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Number::Finite(value) if value.significand == 0 && !value.sticky)
    }

    /// Whether its sign is minus.
    pub(crate) fn is_negative(self) -> bool {
        match self {
            Number::Nan => false,
            Number::Infinity { is_negative } => is_negative,
            Number::Finite(value) => value.is_negative,
        }
    }

    fn zero(is_negative: bool) -> Number {
        Number::Finite(Finite { is_negative, significand: 0, exponent: 0, sticky: false })
    }
}

fn add_finite(a: Finite, b: Finite, mode: Mode) -> Finite {
    if a.significand == 0 || b.significand == 0 {
        return add_zero(a, b, mode);
    }
    // Both at the top of 126 bits: the larger exponent then belongs to the larger number, one bit stays for the carry.
    let (a, b) = (raise(a), raise(b));
    let (large, small) =
        if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    let distance = (large.exponent - small.exponent) as u32;
    let (aligned, lost) = if distance >= 127 {
        (0, true)
    } else {
        (small.significand >> distance, small.significand & ((1 << distance) - 1) != 0)
    };
    if large.is_negative == small.is_negative {
        let significand = large.significand + aligned;
        return Finite { significand, sticky: lost, ..large };
    }
    // What was lost makes the subtrahend larger: borrow one unit and let the sticky bit represent the rest.
    let significand = large.significand - aligned - u128::from(lost);
    if significand == 0 && !lost {
        return Finite { is_negative: mode == Mode::Down, significand: 0, exponent: 0, sticky: false };
    }
    Finite { significand, sticky: lost, ..large }
}

fn add_zero(a: Finite, b: Finite, mode: Mode) -> Finite {
    match (a.significand, b.significand) {
        (0, 0) if a.is_negative == b.is_negative => a,
        (0, 0) => Finite { is_negative: mode == Mode::Down, ..a },
        (0, _) => b,
        _ => a,
    }
}

fn raise(value: Finite) -> Finite {
    let shift = value.significand.leading_zeros() - 2;
    Finite { significand: value.significand << shift, exponent: value.exponent - shift as i32, ..value }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each operation on exact numbers, with the host's result for the same operands.
    macro_rules! with_host {
        ([$x:ident, $y:ident, $z:ident], [$p:ident, $q:ident, $r:ident]) => {
            [
                ($p.plus($q, Mode::Nearest), $x + $y),
                ($p.times($q), $x * $y),
                ($p.over($q), $x / $y),
                ($p.times($q).plus($r, Mode::Nearest), $x.mul_add($y, $z)),
                ($p.square_root(), $x.sqrt()),
            ]
        };
    }

    fn same(exact: u64, host: u64, is_nan: bool) -> bool {
        exact == host || is_nan
    }

    proptest! {
        #[test]
        fn rounding_to_nearest_is_the_hosts_in_single_precision(a: u32, b: u32, c: u32) {
            let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
            let [p, q, r] = [a, b, c].map(|bits| F32.unpack(u64::from(bits)));
            for (exact, host) in with_host!([x, y, z], [p, q, r]) {
                let bits = F32.pack(exact, Mode::Nearest);
                prop_assert!(same(bits, u64::from(host.to_bits()), host.is_nan() && exact == Number::Nan));
            }
        }

        #[test]
        fn rounding_to_nearest_is_the_hosts_in_double_precision(a: u64, b: u64, c: u64, near_a in 0u64..4) {
            // Random bits rarely cancel: also try numbers of nearly the same size.
            for b in [b, a ^ near_a ^ 1 << 63] {
                let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
                let [p, q, r] = [a, b, c].map(|bits| F64.unpack(bits));
                for (exact, host) in with_host!([x, y, z], [p, q, r]) {
                    let bits = F64.pack(exact, Mode::Nearest);
                    prop_assert!(same(bits, host.to_bits(), host.is_nan() && exact == Number::Nan));
                }
            }
        }

        #[test]
        fn directed_modes_enclose_the_nearest(a: u32, b: u32) {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            prop_assume!((x * y).is_finite());
            let exact = F32.unpack(u64::from(a)).times(F32.unpack(u64::from(b)));
            let [down, up, zero] =
                [Mode::Down, Mode::Up, Mode::Zero].map(|mode| f32::from_bits(F32.pack(exact, mode) as u32));
            let truth = f64::from(x) * f64::from(y);
            prop_assert!(f64::from(down) <= truth && truth <= f64::from(up));
            prop_assert!(f64::from(zero).abs() <= truth.abs());
            prop_assert!(up == down || up == down.next_up());
        }

        #[test]
        fn half_precision_agrees_with_the_half_crate(value: f32) {
            let exact = F32.unpack(u64::from(value.to_bits()));
            prop_assert_eq!(F16.pack(exact, Mode::Nearest) as u16, half::f16::from_f32(value).to_bits());
            prop_assert_eq!(BF16.pack(exact, Mode::Nearest) as u16, half::bf16::from_f32(value).to_bits());
        }
    }

    #[test]
    fn overflow_stops_at_the_largest_number_when_rounding_inwards() {
        let huge = F32.unpack(u64::from(f32::MAX.to_bits()));
        let square = huge.times(huge);
        assert_eq!(F32.pack(square, Mode::Zero), u64::from(f32::MAX.to_bits()));
        assert_eq!(F32.pack(square, Mode::Up), u64::from(f32::INFINITY.to_bits()));
        assert_eq!(F32.pack(square.negated(), Mode::Up), u64::from((-f32::MAX).to_bits()));
    }

    #[test]
    fn a_tiny_addend_decides_a_tie() {
        // 1 + 2^-24 is a tie in single precision; 2^-80 more must break it.
        let tie = Number::Finite(Finite {
            is_negative: false,
            significand: (1 << 24) + 1,
            exponent: -24,
            sticky: false,
        });
        let tiny =
            Number::Finite(Finite { is_negative: false, significand: 1, exponent: -180, sticky: false });
        let above = tie.plus(tiny, Mode::Nearest);
        assert_eq!(F32.pack(tie, Mode::Nearest), u64::from(1f32.to_bits()));
        assert_eq!(F32.pack(above, Mode::Nearest), u64::from(1f32.next_up().to_bits()));
        let below = tie.plus(tiny.negated(), Mode::Nearest);
        assert_eq!(F32.pack(below, Mode::Nearest), u64::from(1f32.to_bits()));
    }
}
