//! Registers side by side: `mov` between one wide register and several narrow ones; tests of generic addresses.

use shrinkwarp_ptx::isa::StateSpace;

use super::LaneFn;
use crate::inst::{Inst, Row, Space};
use crate::registers::Registers;
use crate::{LANES, LaneMask};

/// The function of a row, by the bits of the wide register and the number of narrow ones.
macro_rules! by_shape {
    ($bits:expr, $count:expr, $in64:ident, $in32:ident, $in16:ident) => {
        Some(match ($bits, $count) {
            (64, 2) => LaneFn::plain($in64::<2>),
            (64, 4) => LaneFn::plain($in64::<4>),
            (32, 2) => LaneFn::plain($in32::<2>),
            (32, 4) => LaneFn::plain($in32::<4>),
            (16, 2) => LaneFn::plain($in16),
            _ => return None,
        })
    };
}

/// The function that joins `count` registers into one of `bits`; rows `a`, `b`, `c`, `d`, lowest first.
pub(crate) fn pack_fn(bits: u32, count: usize) -> Option<LaneFn> {
    by_shape!(bits, count, pack64, pack32, pack16)
}

/// The function that splits a register of `bits` into `count`; rows `dst`, `b`, `c`, `d`, lowest first.
pub(crate) fn unpack_fn(bits: u32, count: usize) -> Option<LaneFn> {
    by_shape!(bits, count, unpack64, unpack32, unpack16)
}

fn join(registers: &Registers, inst: &Inst, count: usize, bits: usize) -> [u64; LANES] {
    let rows = [inst.a, inst.b, inst.c, inst.d].map(|row| registers.get32(row));
    let mask = (1u64 << bits) - 1;
    std::array::from_fn(|lane| {
        (0..count).fold(0, |joined, part| joined | (u64::from(rows[part][lane]) & mask) << (bits * part))
    })
}

fn pack64<const COUNT: usize>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let joined = join(registers, inst, COUNT, 64 / COUNT);
    registers.set64(inst.dst, &joined, lanes);
}

fn pack32<const COUNT: usize>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let joined = join(registers, inst, COUNT, 32 / COUNT);
    registers.set32(inst.dst, &joined.map(|value| value as u32), lanes);
}

fn pack16(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let joined = join(registers, inst, 2, 8);
    registers.set32(inst.dst, &joined.map(|value| value as u32), lanes);
}

fn split(
    registers: &mut Registers,
    inst: &Inst,
    source: &[u64; LANES],
    count: usize,
    bits: usize,
    lanes: LaneMask,
) {
    let rows: [Row; 4] = [inst.dst, inst.b, inst.c, inst.d];
    let mask = (1u64 << bits) - 1;
    for (part, row) in rows.into_iter().take(count).enumerate() {
        let values = std::array::from_fn(|lane| (source[lane] >> (bits * part) & mask) as u32);
        registers.set32(row, &values, lanes);
    }
}

fn unpack64<const COUNT: usize>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let source = registers.get64(inst.a);
    split(registers, inst, &source, COUNT, 64 / COUNT, lanes);
}

fn unpack32<const COUNT: usize>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let source = registers.get32(inst.a).map(u64::from);
    split(registers, inst, &source, COUNT, 32 / COUNT, lanes);
}

fn unpack16(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let source = registers.get32(inst.a).map(u64::from);
    split(registers, inst, &source, 2, 8, lanes);
}

/// `isspacep`: whether a generic address lies in the window of a space.
pub(crate) fn isspacep(space: Option<StateSpace>, is_64: bool) -> Option<LaneFn> {
    const SHARED: u8 = 0;
    const LOCAL: u8 = 1;
    const CONSTANT: u8 = 2;
    const PARAMETER: u8 = 3;
    const GLOBAL: u8 = 4;
    Some(match (space?, is_64) {
        (StateSpace::Shared | StateSpace::SharedCluster, true) => LaneFn::plain(test_space::<SHARED, true>),
        (StateSpace::Shared | StateSpace::SharedCluster, false) => LaneFn::plain(test_space::<SHARED, false>),
        (StateSpace::Local, true) => LaneFn::plain(test_space::<LOCAL, true>),
        (StateSpace::Local, false) => LaneFn::plain(test_space::<LOCAL, false>),
        (StateSpace::Constant, true) => LaneFn::plain(test_space::<CONSTANT, true>),
        (StateSpace::Constant, false) => LaneFn::plain(test_space::<CONSTANT, false>),
        (StateSpace::Parameter, true) => LaneFn::plain(test_space::<PARAMETER, true>),
        (StateSpace::Parameter, false) => LaneFn::plain(test_space::<PARAMETER, false>),
        (StateSpace::Global, true) => LaneFn::plain(test_space::<GLOBAL, true>),
        (StateSpace::Global, false) => LaneFn::plain(test_space::<GLOBAL, false>),
        _ => return None,
    })
}

fn test_space<const SPACE: u8, const IS_64: bool>(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let wanted =
        [Space::Shared, Space::Local, Space::Constant, Space::Parameter, Space::Global][SPACE as usize];
    let addresses = if IS_64 { registers.get64(inst.a) } else { registers.get32(inst.a).map(u64::from) };
    let inside = addresses.iter().enumerate().fold(0, |mask, (lane, &address)| {
        mask | u32::from(crate::exec::resolve_generic(address).0 == wanted) << lane
    });
    registers.set_pred(inst.dst, inside, lanes);
}
