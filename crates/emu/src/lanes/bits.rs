//! Bits, fields and bytes: bfe, bfi, brev, clz, prmt, lop3, shf, dp4a and their kind.

use super::{Lane2, lane_impls, lane_ops};
use crate::inst::Inst;
use crate::registers::Registers;
use crate::{LANES, LaneMask};

lane_ops! {
    /// `and.b32`
    And32(a: u32, b: u32) -> u32 { a & b }
    /// `or.b32`
    Or32(a: u32, b: u32) -> u32 { a | b }
    /// `xor.b32`
    Xor32(a: u32, b: u32) -> u32 { a ^ b }
    /// `not.b32`
    Not32(a: u32) -> u32 { !a }
    /// `not.b16`
    Not16(a: u32) -> u32 { !a & 0xffff }
    /// `and.b64`
    And64(a: u64, b: u64) -> u64 { a & b }
    /// `or.b64`
    Or64(a: u64, b: u64) -> u64 { a | b }
    /// `xor.b64`
    Xor64(a: u64, b: u64) -> u64 { a ^ b }
    /// `not.b64`
    Not64(a: u64) -> u64 { !a }
    /// `cnot.b32`
    Cnot32(a: u32) -> u32 { u32::from(a == 0) }
    /// `cnot.b64`
    Cnot64(a: u64) -> u64 { u64::from(a == 0) }
    /// `mov` of 32 bits
    Mov32(a: u32) -> u32 { a }
    /// `mov` of 64 bits
    Mov64(a: u64) -> u64 { a }
    /// `mul.hi.u64`, whose product does not fit a signed wide integer
    MulHi64(a: u64, b: u64) -> u64 { ((u128::from(a) * u128::from(b)) >> 64) as u64 }
    /// `mad.hi.u64`
    MadHi64(a: u64, b: u64, c: u64) -> u64 { MulHi64::lane(a, b).wrapping_add(c) }
    /// `popc.b32`
    Popc32(a: u32) -> u32 { a.count_ones() }
    /// `popc.b64`
    Popc64(a: u64) -> u32 { a.count_ones() }
    /// `clz.b32`
    Clz32(a: u32) -> u32 { a.leading_zeros() }
    /// `clz.b64`
    Clz64(a: u64) -> u32 { a.leading_zeros() }
    /// `brev.b32`
    Brev32(a: u32) -> u32 { a.reverse_bits() }
    /// `brev.b64`
    Brev64(a: u64) -> u64 { a.reverse_bits() }
    /// `bfind.u32`
    BfindU32(a: u32) -> u32 { find_top(u64::from(a)) }
    /// `bfind.s32`: the top bit that differs from the sign
    BfindS32(a: u32) -> u32 { find_top(u64::from(a ^ ((a as i32) >> 31) as u32)) }
    /// `bfind.u64`
    BfindU64(a: u64) -> u32 { find_top(a) }
    /// `bfind.s64`
    BfindS64(a: u64) -> u32 { find_top(a ^ ((a as i64) >> 63) as u64) }
    /// `bfind.shiftamt.u32`: how far to shift the top bit to the top
    BfindShiftU32(a: u32) -> u32 { shift_to(31, BfindU32::lane(a)) }
    /// `bfind.shiftamt.s32`
    BfindShiftS32(a: u32) -> u32 { shift_to(31, BfindS32::lane(a)) }
    /// `bfind.shiftamt.u64`
    BfindShiftU64(a: u64) -> u32 { shift_to(63, BfindU64::lane(a)) }
    /// `bfind.shiftamt.s64`
    BfindShiftS64(a: u64) -> u32 { shift_to(63, BfindS64::lane(a)) }
    /// `bfe.u32`
    BfeU32(a: u32, b: u32, c: u32) -> u32 { extract(u64::from(a), b, c, 32, false) as u32 }
    /// `bfe.s32`
    BfeS32(a: u32, b: u32, c: u32) -> u32 { extract(u64::from(a), b, c, 32, true) as u32 }
    /// `bfe.u64`
    BfeU64(a: u64, b: u32, c: u32) -> u64 { extract(a, b, c, 64, false) }
    /// `bfe.s64`
    BfeS64(a: u64, b: u32, c: u32) -> u64 { extract(a, b, c, 64, true) }
    /// `shf.l.clamp`: the high word of `b:a` shifted left
    ShfLeftClamp(a: u32, b: u32, c: u32) -> u32 { funnel_left(a, b, c.min(32)) }
    /// `shf.l.wrap`
    ShfLeftWrap(a: u32, b: u32, c: u32) -> u32 { funnel_left(a, b, c & 31) }
    /// `shf.r.clamp`: the low word of `b:a` shifted right
    ShfRightClamp(a: u32, b: u32, c: u32) -> u32 { (join(a, b) >> c.min(32)) as u32 }
    /// `shf.r.wrap`
    ShfRightWrap(a: u32, b: u32, c: u32) -> u32 { (join(a, b) >> (c & 31)) as u32 }
    /// `prmt.b32`
    Prmt(a: u32, b: u32, c: u32) -> u32 { permute(a, b, [c, c >> 4, c >> 8, c >> 12].map(|s| s & 15)) }
    /// `prmt.b32.f4e`: four bytes from `c` upwards
    PrmtF4e(a: u32, b: u32, c: u32) -> u32 { let s = c & 3; permute(a, b, [s, s + 1, s + 2, s + 3]) }
    /// `prmt.b32.b4e`: four bytes from `c` downwards
    PrmtB4e(a: u32, b: u32, c: u32) -> u32 { let s = c & 3; permute(a, b, [s, (s + 7) & 7, (s + 6) & 7, (s + 5) & 7]) }
    /// `prmt.b32.rc8`: one byte four times
    PrmtRc8(a: u32, b: u32, c: u32) -> u32 { permute(a, b, [c & 3; 4]) }
    /// `prmt.b32.ecl`: edge clamp left
    PrmtEcl(a: u32, b: u32, c: u32) -> u32 { let s = c & 3; permute(a, b, [s, s.max(1), s.max(2), 3]) }
    /// `prmt.b32.ecr`: edge clamp right
    PrmtEcr(a: u32, b: u32, c: u32) -> u32 { let s = c & 3; permute(a, b, [0, s.min(1), s.min(2), s]) }
    /// `prmt.b32.rc16`: one half twice
    PrmtRc16(a: u32, b: u32, c: u32) -> u32 { let s = (c & 1) * 2; permute(a, b, [s, s + 1, s, s + 1]) }
    /// `szext.clamp.u32`
    SzextClampU32(a: u32, b: u32) -> u32 { extend(a, b.min(32), false) }
    /// `szext.clamp.s32`
    SzextClampS32(a: u32, b: u32) -> u32 { extend(a, b.min(32), true) }
    /// `szext.wrap.u32`
    SzextWrapU32(a: u32, b: u32) -> u32 { extend(a, b & 31, false) }
    /// `szext.wrap.s32`
    SzextWrapS32(a: u32, b: u32) -> u32 { extend(a, b & 31, true) }
    /// `bmsk.clamp`: `b` ones from bit `a`
    BmskClamp(a: u32, b: u32) -> u32 { bit_mask(a.min(32), b.min(32)) }
    /// `bmsk.wrap`
    BmskWrap(a: u32, b: u32) -> u32 { bit_mask(a & 31, b & 31) }
    /// `fns.b32`: the `c`-th set bit of `a`, counted from bit `b`
    Fns(a: u32, b: u32, c: u32) -> u32 { find_nth_set(a, b, c as i32) }
}

/// Index of the top set bit; all ones when there is none.
#[inline(always)]
fn find_top(value: u64) -> u32 {
    if value == 0 { u32::MAX } else { value.ilog2() }
}

#[inline(always)]
fn shift_to(top: u32, found: u32) -> u32 {
    if found == u32::MAX { u32::MAX } else { top - found }
}

/// A field of `length` bits from `position`; bits beyond the word are copies of its sign when `is_signed`.
#[inline(always)]
fn extract(value: u64, position: u32, length: u32, bits: u32, is_signed: bool) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let sign_at = (position + length).saturating_sub(1).min(bits - 1);
    let is_negative = is_signed && length != 0 && value >> sign_at & 1 == 1;
    let field = value.checked_shr(position).unwrap_or(0);
    let available = length.min(bits.saturating_sub(position));
    let kept = low_ones(available);
    let filled = field & kept | if is_negative { !kept } else { 0 };
    filled & low_ones(bits)
}

#[inline(always)]
fn low_ones(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

#[inline(always)]
fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline(always)]
fn funnel_left(low: u32, high: u32, amount: u32) -> u32 {
    ((join(low, high) << amount) >> 32) as u32
}

/// Each selector takes one of the eight bytes of `b:a`; bit 3 asks for its sign instead.
#[inline(always)]
fn permute(a: u32, b: u32, selectors: [u32; 4]) -> u32 {
    let bytes = join(a, b).to_le_bytes();
    u32::from_le_bytes(selectors.map(|selector| {
        let byte = bytes[selector as usize & 7];
        if selector & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte }
    }))
}

#[inline(always)]
fn extend(value: u32, bits: u32, is_signed: bool) -> u32 {
    match bits {
        0 => 0,
        32.. => value,
        _ if is_signed => ((value << (32 - bits)) as i32 >> (32 - bits)) as u32,
        _ => value & ((1 << bits) - 1),
    }
}

#[inline(always)]
fn bit_mask(from: u32, count: u32) -> u32 {
    ((low_ones(count)) << from) as u32
}

fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let base = base & 31;
    let is_set = |bit: &u32| mask >> bit & 1 == 1;
    let found = match offset {
        0 => Some(base).filter(is_set),
        1.. => (base..32).filter(is_set).nth(offset as usize - 1),
        _ => (0..=base).rev().filter(is_set).nth(offset.unsigned_abs() as usize - 1),
    };
    found.unwrap_or(u32::MAX)
}

/// `bfi.b32`: field `a` into `b`; position and length are the rows `c` and `d`.
pub(crate) fn bfi32(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let (a, b) = (registers.get32(inst.a), registers.get32(inst.b));
    let (position, length) = (registers.get32(inst.c), registers.get32(inst.d));
    let out: [u32; LANES] = std::array::from_fn(|lane| {
        insert(u64::from(a[lane]), u64::from(b[lane]), position[lane], length[lane], 32) as u32
    });
    registers.set32(inst.dst, &out, lanes);
}

/// `bfi.b64`
pub(crate) fn bfi64(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let (a, b) = (registers.get64(inst.a), registers.get64(inst.b));
    let (position, length) = (registers.get32(inst.c), registers.get32(inst.d));
    let out: [u64; LANES] =
        std::array::from_fn(|lane| insert(a[lane], b[lane], position[lane], length[lane], 64));
    registers.set64(inst.dst, &out, lanes);
}

fn insert(field: u64, into: u64, position: u32, length: u32, bits: u32) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    if position >= bits {
        return into;
    }
    let mask = low_ones(length.min(bits - position)) << position;
    into & !mask | field << position & mask
}

/// `lop3.b32`: the truth table is the instruction's constant.
pub(crate) fn lop3(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let (a, b, c) = (registers.get32(inst.a), registers.get32(inst.b), registers.get32(inst.c));
    let table = inst.offset as u32;
    let out: [u32; LANES] = std::array::from_fn(|lane| logic3(a[lane], b[lane], c[lane], table));
    registers.set32(inst.dst, &out, lanes);
}

fn logic3(a: u32, b: u32, c: u32, table: u32) -> u32 {
    (0..8).filter(|row| table >> row & 1 == 1).fold(0, |out, row| {
        let pick = |value: u32, bit: u32| if row >> bit & 1 == 1 { value } else { !value };
        out | pick(a, 2) & pick(b, 1) & pick(c, 0)
    })
}

/// `dp4a`: four products of bytes, added to `c`.
pub(crate) struct Dp4a<const A_SIGNED: bool, const B_SIGNED: bool>;
lane_impls! {
    [const A: bool, const B: bool] Dp4a<A, B>: (a: u32, b: u32, c: u32) -> u32 {
        let sum = (0..4).map(|i| byte::<A>(a, i).wrapping_mul(byte::<B>(b, i)));
        sum.fold(c, |total, product| total.wrapping_add(product as u32))
    }
}

/// `dp2a`: two halves of `a` with the low or high two bytes of `b`.
pub(crate) struct Dp2a<const A_SIGNED: bool, const B_SIGNED: bool, const HIGH: bool>;
lane_impls! {
    [const A: bool, const B: bool, const HIGH: bool] Dp2a<A, B, HIGH>: (a: u32, b: u32, c: u32) -> u32 {
        let first = if HIGH { 2 } else { 0 };
        (0..2).fold(c, |total, i| {
            let half = (a >> (16 * i)) as u16;
            let wide = if A { i32::from(half as i16) } else { i32::from(half) };
            total.wrapping_add(wide.wrapping_mul(byte::<B>(b, i + first)) as u32)
        })
    }
}

#[inline(always)]
fn byte<const SIGNED: bool>(word: u32, index: u32) -> i32 {
    let byte = (word >> (8 * index)) as u8;
    if SIGNED { i32::from(byte as i8) } else { i32::from(byte) }
}

#[cfg(test)]
mod tests {
    use super::super::{Lane1, Lane3};
    use super::*;

    #[test]
    fn fields_beyond_the_word_are_sign_or_zero() {
        assert_eq!(BfeU32::lane(0xf000_0000, 28, 8), 0xf);
        assert_eq!(BfeS32::lane(0xf000_0000, 28, 8), u32::MAX);
        assert_eq!(BfeS32::lane(0x0000_0080, 0, 8), 0xffff_ff80);
        assert_eq!(BfeU32::lane(0x1234_5678, 40, 8), 0);
        assert_eq!(BfeS32::lane(0x8000_0000, 40, 8), u32::MAX);
        assert_eq!(BfeS64::lane(u64::MAX, 3, 0), 0);
        assert_eq!(insert(0xff, 0, 28, 8, 32), 0xf000_0000);
        assert_eq!(insert(0xff, 7, 32, 8, 32), 7);
        assert_eq!(insert(5, 0, 0, 64, 64), 5);
    }

    #[test]
    fn permutations_choose_bytes_and_signs() {
        let (a, b) = (0x3322_1100, 0x7766_5584);
        assert_eq!(Prmt::lane(a, b, 0x3210), a);
        assert_eq!(Prmt::lane(a, b, 0x7654), b);
        assert_eq!(Prmt::lane(a, b, 0x000c), 0x0000_00ff);
        assert_eq!(PrmtF4e::lane(a, b, 1), 0x8433_2211);
        assert_eq!(PrmtB4e::lane(a, b, 1), 0x6677_0011);
        assert_eq!(PrmtEcl::lane(a, b, 2), 0x3322_2222);
        assert_eq!(PrmtRc16::lane(a, b, 1), 0x3322_3322);
    }

    #[test]
    fn the_truth_table_of_lop3_is_applied_bit_by_bit() {
        let (a, b, c) = (0xf0f0_f0f0, 0xcccc_cccc, 0xaaaa_aaaa);
        assert_eq!(logic3(a, b, c, 0x80), a & b & c);
        assert_eq!(logic3(a, b, c, 0x96), a ^ b ^ c);
        assert_eq!(logic3(a, b, c, 0xca), (a & b) | (!a & c));
    }

    #[test]
    fn the_top_bit_is_found() {
        assert_eq!(BfindU32::lane(0), u32::MAX);
        assert_eq!(BfindU32::lane(0x80), 7);
        assert_eq!(BfindS32::lane(u32::MAX), u32::MAX);
        assert_eq!(BfindS32::lane(0xffff_ff7f), 7);
        assert_eq!(BfindShiftU32::lane(0x80), 24);
        assert_eq!(BfindU64::lane(1 << 40), 40);
    }

    #[test]
    fn funnels_clamp_or_wrap() {
        assert_eq!(ShfLeftClamp::lane(0x8000_0000, 1, 1), 3);
        assert_eq!(ShfLeftClamp::lane(7, 1, 99), 7);
        assert_eq!(ShfLeftWrap::lane(7, 1, 32), 1);
        assert_eq!(ShfRightClamp::lane(7, 9, 32), 9);
        assert_eq!(ShfRightWrap::lane(7, 9, 33), 0x8000_0003);
    }

    #[test]
    fn dot_products_mix_signs() {
        assert_eq!(Dp4a::<true, true>::lane(0xff01_02fe, 0x0203_0405, 10), (10 - 2 + 3 + 8 - 10) as u32);
        assert_eq!(Dp4a::<false, false>::lane(0xff00_0000, 0x0200_0000, 0), 510);
        assert_eq!(Dp2a::<true, true, false>::lane(0xffff_0002, 0x0000_0305, 1), (1 + 10 - 3) as u32);
    }

    #[test]
    fn the_nth_set_bit_counts_in_both_directions() {
        assert_eq!(Fns::lane(0b1011_0000, 4, 2), 5);
        assert_eq!(Fns::lane(0b1011_0000, 7, -2i32 as u32), 5);
        assert_eq!(Fns::lane(0b1011_0000, 6, 0), u32::MAX);
    }
}
