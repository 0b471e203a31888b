//! Arithmetic with the carry flag: add.cc, addc, sub.cc, subc, mad.cc, madc on 32 and 64 bits.

use crate::inst::Inst;
use crate::registers::Registers;
use crate::{LANES, LaneMask};

use super::LaneFn;

/// What a carry instruction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarryKind {
    /// `a + b`
    Add,
    /// `a - b`; the flag is a borrow.
    Sub,
    /// Low half of `a * b`, plus `c`.
    MadLow,
    /// High half of the unsigned `a * b`, plus `c`.
    MadHigh,
    /// High half of the signed `a * b`, plus `c`.
    MadHighSigned,
}

/// The function for one combination.
pub(crate) fn carry_fn(kind: CarryKind, is_64: bool, carry_in: bool, carry_out: bool) -> LaneFn {
    macro_rules! pick {
        ($($kind:ident)*) => {
            match (kind, is_64, carry_in, carry_out) {$(
                (CarryKind::$kind, false, false, _) => LaneFn::plain(run32::<{ CarryKind::$kind as u8 }, false, true>),
                (CarryKind::$kind, false, true, false) => LaneFn::plain(run32::<{ CarryKind::$kind as u8 }, true, false>),
                (CarryKind::$kind, false, true, true) => LaneFn::plain(run32::<{ CarryKind::$kind as u8 }, true, true>),
                (CarryKind::$kind, true, false, _) => LaneFn::plain(run64::<{ CarryKind::$kind as u8 }, false, true>),
                (CarryKind::$kind, true, true, false) => LaneFn::plain(run64::<{ CarryKind::$kind as u8 }, true, false>),
                (CarryKind::$kind, true, true, true) => LaneFn::plain(run64::<{ CarryKind::$kind as u8 }, true, true>),
            )*}
        };
    }
    pick!(Add Sub MadLow MadHigh MadHighSigned)
}

fn run32<const KIND: u8, const IN: bool, const OUT: bool>(
    registers: &mut Registers,
    inst: &Inst,
    lanes: LaneMask,
) {
    let (a, b, c) = (registers.get32(inst.a), registers.get32(inst.b), registers.get32(inst.c));
    let out = run::<KIND, IN, OUT, 32>(registers, lanes, |lane| {
        let (x, y, z) = (u64::from(a[lane]), u64::from(b[lane]), u64::from(c[lane]));
        let signed = (i64::from(a[lane] as i32) * i64::from(b[lane] as i32)) as u64;
        terms::<KIND>(x, y, z, (x * y) & 0xffff_ffff, (x * y) >> 32, signed >> 32)
    });
    registers.set32(inst.dst, &out.map(|total| total as u32), lanes);
}

fn run64<const KIND: u8, const IN: bool, const OUT: bool>(
    registers: &mut Registers,
    inst: &Inst,
    lanes: LaneMask,
) {
    let (a, b, c) = (registers.get64(inst.a), registers.get64(inst.b), registers.get64(inst.c));
    let out = run::<KIND, IN, OUT, 64>(registers, lanes, |lane| {
        let (x, y, z) = (a[lane], b[lane], c[lane]);
        let product = u128::from(x) * u128::from(y);
        let signed = i128::from(x as i64) * i128::from(y as i64);
        terms::<KIND>(x, y, z, product as u64, (product >> 64) as u64, (signed >> 64) as u64)
    });
    registers.set64(inst.dst, &out, lanes);
}

/// The sums of all lanes, and their carries in the flag; `addends` gives the two numbers of a lane.
fn run<const KIND: u8, const IN: bool, const OUT: bool, const BITS: u32>(
    registers: &mut Registers,
    lanes: LaneMask,
    addends: impl Fn(usize) -> (u64, u64),
) -> [u64; LANES] {
    let mut carries = 0;
    let out = std::array::from_fn(|lane| {
        let carry = IN && registers.carry >> lane & 1 == 1;
        let (left, right) = addends(lane);
        let total = sum::<KIND>(u128::from(left), u128::from(right), carry);
        carries |= u32::from(total >> BITS & 1 == 1) << lane;
        total as u64
    });
    if OUT {
        registers.carry = (registers.carry & !lanes) | (carries & lanes);
    }
    out
}

fn terms<const KIND: u8>(a: u64, b: u64, c: u64, low: u64, high: u64, signed_high: u64) -> (u64, u64) {
    const LOW: u8 = CarryKind::MadLow as u8;
    const HIGH: u8 = CarryKind::MadHigh as u8;
    const SIGNED: u8 = CarryKind::MadHighSigned as u8;
    match KIND {
        LOW => (low, c),
        HIGH => (high, c),
        SIGNED => (signed_high, c),
        _ => (a, b),
    }
}

/// The sum with carry, or the difference with borrow; the bit above the width is the new flag.
fn sum<const KIND: u8>(left: u128, right: u128, carry: bool) -> u128 {
    if KIND == CarryKind::Sub as u8 {
        left.wrapping_sub(right).wrapping_sub(u128::from(carry))
    } else {
        left + right + u128::from(carry)
    }
}
