//! Transcendental and approximate functions.
//!
//! PTX allows an error of a few units in the last place. Ours are computed in double precision and rounded once:
//! correctly rounded to single precision, but for the rarest of cases. Where the standard fixes a result that no
//! rounding would give (`div.approx` by a huge divisor, the truncated `rcp.approx.ftz.f64`), we follow it.

use super::float::CANONICAL_NAN;
use super::lane_ops;

#[inline(always)]
fn rounded(value: f64) -> u32 {
    if value.is_nan() { CANONICAL_NAN } else { (value as f32).to_bits() }
}

#[inline(always)]
fn wide(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

lane_ops! {
    /// `rcp.approx.f32`
    RcpApprox(a: u32) -> u32 { rounded(1.0 / wide(a)) }
    /// `sqrt.approx.f32`
    SqrtApprox(a: u32) -> u32 { rounded(wide(a).sqrt()) }
    /// `rsqrt.approx.f32`
    RsqrtApprox(a: u32) -> u32 { rounded(1.0 / wide(a).sqrt()) }
    /// `sin.approx.f32`
    SinApprox(a: u32) -> u32 { rounded(wide(a).sin()) }
    /// `cos.approx.f32`
    CosApprox(a: u32) -> u32 { rounded(wide(a).cos()) }
    /// `lg2.approx.f32`
    Lg2Approx(a: u32) -> u32 { rounded(wide(a).log2()) }
    /// `ex2.approx.f32`
    Ex2Approx(a: u32) -> u32 { rounded(wide(a).exp2()) }
    /// `tanh.approx.f32`
    TanhApprox(a: u32) -> u32 { rounded(wide(a).tanh()) }
    /// `div.full.f32`
    DivFull(a: u32, b: u32) -> u32 { rounded(wide(a) / wide(b)) }
    /// `div.approx.f32`: zero for divisors above 2^126, NaN when the dividend is infinite too
    DivApprox(a: u32, b: u32) -> u32 { divide_approximately(f32::from_bits(a), f32::from_bits(b)) }
    /// `rcp.approx.ftz.f64`: computed from and to the upper 32 bits
    RcpTruncated(a: u64) -> u64 { truncated(1.0 / f64::from_bits(truncated_input(a))) }
    /// `rsqrt.approx.ftz.f64`
    RsqrtTruncated(a: u64) -> u64 { truncated(1.0 / f64::from_bits(truncated_input(a)).sqrt()) }
    /// `rsqrt.approx.f64`
    Rsqrt64(a: u64) -> u64 { (1.0 / f64::from_bits(a).sqrt()).to_bits() }
}

fn divide_approximately(a: f32, b: f32) -> u32 {
    const HUGE: f32 = f32::from_bits(0x7e80_0000);
    let is_huge = b.abs() > HUGE && b.is_finite();
    match (is_huge, a.is_infinite()) {
        (true, true) => CANONICAL_NAN,
        (true, false) if !a.is_nan() => (a.to_bits() ^ b.to_bits()) & 0x8000_0000,
        _ => rounded(f64::from(a) / f64::from(b)),
    }
}

#[inline(always)]
fn truncated_input(bits: u64) -> u64 {
    let upper = bits & 0xffff_ffff_0000_0000;
    if f64::from_bits(upper).is_subnormal() { upper & 1 << 63 } else { upper }
}

#[inline(always)]
fn truncated(value: f64) -> u64 {
    let bits = value.to_bits();
    if value.is_subnormal() { bits & 1 << 63 } else { bits & 0xffff_ffff_0000_0000 }
}

#[cfg(test)]
mod tests {
    use super::super::{Lane1, Lane2};
    use super::*;

    #[test]
    fn limits_are_those_of_the_standard() {
        let bits = f32::to_bits;
        assert_eq!(RcpApprox::lane(bits(0.0)), bits(f32::INFINITY));
        assert_eq!(RcpApprox::lane(bits(-0.0)), bits(f32::NEG_INFINITY));
        assert_eq!(RsqrtApprox::lane(bits(-1.0)), CANONICAL_NAN);
        assert_eq!(Lg2Approx::lane(bits(0.0)), bits(f32::NEG_INFINITY));
        assert_eq!(Ex2Approx::lane(bits(f32::NEG_INFINITY)), 0);
        assert_eq!(SinApprox::lane(bits(f32::INFINITY)), CANONICAL_NAN);
        assert_eq!(CosApprox::lane(bits(0.0)), bits(1.0));
    }

    #[test]
    fn approximate_division_by_a_huge_number_is_zero() {
        let huge = f32::MAX.to_bits();
        assert_eq!(DivApprox::lane(1f32.to_bits(), huge), 0);
        assert_eq!(DivApprox::lane(f32::INFINITY.to_bits(), huge), CANONICAL_NAN);
        assert_eq!(DivFull::lane(f32::MAX.to_bits(), huge), 1f32.to_bits());
        assert_eq!(DivApprox::lane(6f32.to_bits(), 3f32.to_bits()), 2f32.to_bits());
    }

    #[test]
    fn the_gross_reciprocal_has_no_low_word() {
        let result = RcpTruncated::lane(3f64.to_bits());
        assert_eq!(result & 0xffff_ffff, 0);
        assert!((f64::from_bits(result) - 1.0 / 3.0).abs() < 1e-6);
    }
}
