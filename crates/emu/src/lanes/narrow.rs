//! Sums, products and conversions of half precision and bfloat16, on the host's single and double precision.
//!
//! A sum or a product of two numbers with at most 11 bits, rounded to the 24 bits of single precision and then to its own
//! format, is what one rounding gives. A fused product with a sum is made in double precision, where the product is exact; the
//! sum is rounded to odd, which no later rounding mistakes for a tie. The results are those of `exact`, bit for bit.

use std::marker::PhantomData;

use super::lane_impls;

/// A format of 16 bits.
pub(crate) trait Narrow {
    /// Exact.
    fn widen(bits: u32) -> f32;
    /// Rounds to nearest, ties to even; NaN is the one that NVIDIA's hardware returns.
    fn round(value: f32) -> u32;
}

/// IEEE half precision.
pub(crate) struct Half;
/// bfloat16.
pub(crate) struct Brain;

const NAN: u32 = 0x7fff;

impl Narrow for Half {
    #[inline(always)]
    fn widen(bits: u32) -> f32 {
        let sign = (bits & 0x8000) << 16;
        let magnitude = (bits & 0x7fff) << 13;
        // The exponent moves from a bias of 15 to one of 127, for numbers below the smallest normal one as well.
        let scaled = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
        let is_special = magnitude >= 0x7c00 << 13;
        f32::from_bits(if is_special { magnitude | 0x7f80_0000 } else { scaled } | sign)
    }

    #[inline(always)]
    fn round(value: f32) -> u32 {
        let sign = value.to_bits() & 0x8000_0000;
        let magnitude = value.to_bits() ^ sign;
        let is_odd = magnitude >> 13 & 1;
        let normal = magnitude.wrapping_sub((127 - 15) << 23).wrapping_add(0xfff + is_odd) >> 13;
        // Adding one half aligns the significand with that of the smallest numbers; the host rounds.
        let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
        let finite = if magnitude < (127 - 14) << 23 { small } else { normal };
        let infinite = if magnitude > 0x7f80_0000 { NAN } else { 0x7c00 };
        let result = if magnitude >= (127 + 16) << 23 { infinite } else { finite };
        if magnitude > 0x7f80_0000 { NAN } else { result | sign >> 16 }
    }
}

impl Narrow for Brain {
    #[inline(always)]
    fn widen(bits: u32) -> f32 {
        f32::from_bits(bits << 16)
    }

    #[inline(always)]
    fn round(value: f32) -> u32 {
        let bits = value.to_bits();
        let is_odd = bits >> 16 & 1;
        if bits & 0x7fff_ffff > 0x7f80_0000 { NAN } else { bits.wrapping_add(0x7fff + is_odd) >> 16 }
    }
}

/// The nearer of two neighbours, or the odd one of them where the value lies between.
#[inline(always)]
fn single_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let is_above = f64::from(near).abs() > value.abs();
    let is_exact = f64::from(near) == value || value.is_nan();
    let bits = near.to_bits();
    let neighbour = if is_above { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
    f32::from_bits(if is_exact || bits & 1 == 1 { bits } else { neighbour })
}

/// `a * b + c` with one rounding.
#[inline(always)]
fn fused<N: Narrow>(a: u32, b: u32, c: u32) -> u32 {
    let product = f64::from(N::widen(a)) * f64::from(N::widen(b));
    let addend = f64::from(N::widen(c));
    let sum = product + addend;
    // What the sum has lost.
    let back = sum - product;
    let error = (product - (sum - back)) + (addend - back);
    let bits = sum.to_bits();
    let is_above = (error < 0.0) == (sum > 0.0);
    let neighbour = if is_above { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
    let is_exact = error == 0.0 || !sum.is_finite() || error.is_nan();
    let odd = f64::from_bits(if is_exact || bits & 1 == 1 { bits } else { neighbour });
    N::round(single_to_odd(odd))
}

#[inline(always)]
fn sum<N: Narrow>(a: u32, b: u32) -> u32 {
    N::round(N::widen(a) + N::widen(b))
}

#[inline(always)]
fn difference<N: Narrow>(a: u32, b: u32) -> u32 {
    N::round(N::widen(a) - N::widen(b))
}

#[inline(always)]
fn product<N: Narrow>(a: u32, b: u32) -> u32 {
    N::round(N::widen(a) * N::widen(b))
}

const LOW: u32 = 0xffff;

/// `add`
pub(crate) struct Add<N>(PhantomData<N>);
/// `sub`
pub(crate) struct Sub<N>(PhantomData<N>);
/// `mul`
pub(crate) struct Mul<N>(PhantomData<N>);
/// `fma`
pub(crate) struct Fma<N>(PhantomData<N>);
/// `add` of two in a register.
pub(crate) struct AddPair<N>(PhantomData<N>);
/// `sub` of two in a register.
pub(crate) struct SubPair<N>(PhantomData<N>);
/// `mul` of two in a register.
pub(crate) struct MulPair<N>(PhantomData<N>);
/// `fma` of two in a register.
pub(crate) struct FmaPair<N>(PhantomData<N>);
/// `cvt` to single precision.
pub(crate) struct Widen<N>(PhantomData<N>);
/// `cvt.rn` from single precision.
pub(crate) struct Round<N>(PhantomData<N>);
/// `cvt.rn` of two singles into one register, the first above the second.
pub(crate) struct RoundPair<N>(PhantomData<N>);

lane_impls! {
    [N: Narrow] Add<N>: (a: u32, b: u32) -> u32 { sum::<N>(a & LOW, b & LOW) }
    [N: Narrow] Sub<N>: (a: u32, b: u32) -> u32 { difference::<N>(a & LOW, b & LOW) }
    [N: Narrow] Mul<N>: (a: u32, b: u32) -> u32 { product::<N>(a & LOW, b & LOW) }
    [N: Narrow] Fma<N>: (a: u32, b: u32, c: u32) -> u32 { fused::<N>(a & LOW, b & LOW, c & LOW) }
    [N: Narrow] AddPair<N>: (a: u32, b: u32) -> u32 {
        sum::<N>(a & LOW, b & LOW) | sum::<N>(a >> 16, b >> 16) << 16
    }
    [N: Narrow] SubPair<N>: (a: u32, b: u32) -> u32 {
        difference::<N>(a & LOW, b & LOW) | difference::<N>(a >> 16, b >> 16) << 16
    }
    [N: Narrow] MulPair<N>: (a: u32, b: u32) -> u32 {
        product::<N>(a & LOW, b & LOW) | product::<N>(a >> 16, b >> 16) << 16
    }
    [N: Narrow] FmaPair<N>: (a: u32, b: u32, c: u32) -> u32 {
        fused::<N>(a & LOW, b & LOW, c & LOW) | fused::<N>(a >> 16, b >> 16, c >> 16) << 16
    }
    [N: Narrow] Widen<N>: (a: u32) -> u32 {
        let wide = N::widen(a & LOW);
        if wide.is_nan() { super::float::CANONICAL_NAN } else { wide.to_bits() }
    }
    [N: Narrow] Round<N>: (a: u32) -> u32 { N::round(f32::from_bits(a)) }
    [N: Narrow] RoundPair<N>: (a: u32, b: u32) -> u32 {
        N::round(f32::from_bits(a)) << 16 | N::round(f32::from_bits(b))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::exact::{BF16, F16, F32, Format, Mode};
    use super::*;

    /// Numbers of every size, and many that lie next to each other, so that sums cancel and products tie.
    fn narrow() -> impl Strategy<Value = u32> {
        prop_oneof![
            any::<u16>().prop_map(u32::from),
            (0u32..64, 0u32..16, any::<bool>())
                .prop_map(|(field, low, sign)| (field << 9 | low) & 0x7fff | u32::from(sign) << 15),
            prop::sample::select(vec![
                0u32, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7bff, 0x7f7f
            ]),
        ]
    }

    fn agrees<N: Narrow>(format: Format, [a, b, c]: [u32; 3]) -> Result<(), TestCaseError> {
        let [x, y, z] = [a, b, c].map(|bits| format.unpack(u64::from(bits)));
        let near = |number| format.pack(number, Mode::Nearest) as u32;
        prop_assert_eq!(sum::<N>(a, b), near(x.plus(y, Mode::Nearest)));
        prop_assert_eq!(difference::<N>(a, b), near(x.plus(y.negated(), Mode::Nearest)));
        prop_assert_eq!(product::<N>(a, b), near(x.times(y)));
        prop_assert_eq!(fused::<N>(a, b, c), near(x.times(y).plus(z, Mode::Nearest)));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn arithmetic_is_that_of_exact_numbers(a in narrow(), b in narrow(), c in narrow()) {
            agrees::<Half>(F16, [a, b, c])?;
            agrees::<Brain>(BF16, [a, b, c])?;
        }

        #[test]
        fn singles_are_rounded_as_exact_numbers_are(bits: u32, near_tie in 0u32..0x800, shift in 0u32..2) {
            for bits in [bits, (bits & !0x1fff) | (near_tie << (2 * shift)), bits & !0xffff | (0x7f00 + near_tie)] {
                let number = F32.unpack(u64::from(bits));
                let value = f32::from_bits(bits);
                prop_assert_eq!(Half::round(value), F16.pack(number, Mode::Nearest) as u32);
                prop_assert_eq!(Brain::round(value), BF16.pack(number, Mode::Nearest) as u32);
            }
        }
    }

    #[test]
    fn every_narrow_number_is_widened_exactly() {
        use super::super::Lane1;
        for bits in 0..=0xffff {
            let exact = |format: Format| F32.pack(format.unpack(u64::from(bits)), Mode::Nearest) as u32;
            assert_eq!(<Widen<Half> as Lane1>::lane(bits), exact(F16), "{bits:#x}");
            assert_eq!(<Widen<Brain> as Lane1>::lane(bits), exact(BF16), "{bits:#x}");
        }
    }
}
