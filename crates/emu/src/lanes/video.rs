//! Video instructions on two halves or four bytes of a register, all at once.
//!
//! | operation | one part                                          |
//! |-----------|---------------------------------------------------|
//! | `vadd`    | a + b                                             |
//! | `vsub`    | a - b                                             |
//! | `vavrg`   | (a + b) / 2, rounded up (away from zero if signed) |
//! | `vabsdiff`| abs(a - b)                                        |
//! | `vmin`    | smaller                                           |
//! | `vmax`    | larger                                            |
//! | `vset`    | 1 where the comparison holds                      |
//!
//! Parts keep their lower bits, or saturate with `.sat`. With `.add` the parts are summed up and added to `c`;
//! otherwise they replace those of `c`, which with the default mask is all of them.

use crate::inst::Inst;
use crate::registers::Registers;
use crate::{LANES, LaneMask};

/// One video instruction; travels in `Inst::offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent suffixes of one instruction")]
pub(crate) struct VideoOp {
    pub operation: VideoOperation,
    /// Bits of a part: 8 or 16.
    pub part_bits: u32,
    pub a_is_signed: bool,
    pub b_is_signed: bool,
    pub result_is_signed: bool,
    pub saturate: bool,
    pub accumulate: bool,
}

/// What happens to a pair of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum VideoOperation {
    Add,
    Sub,
    Average,
    AbsoluteDifference,
    Min,
    Max,
    SetEqual,
    SetNotEqual,
    SetLess,
    SetLessEqual,
    SetGreater,
    SetGreaterEqual,
}

const OPERATIONS: [VideoOperation; 12] = [
    VideoOperation::Add,
    VideoOperation::Sub,
    VideoOperation::Average,
    VideoOperation::AbsoluteDifference,
    VideoOperation::Min,
    VideoOperation::Max,
    VideoOperation::SetEqual,
    VideoOperation::SetNotEqual,
    VideoOperation::SetLess,
    VideoOperation::SetLessEqual,
    VideoOperation::SetGreater,
    VideoOperation::SetGreaterEqual,
];

impl VideoOp {
    pub(crate) fn pack(self) -> i64 {
        let flags =
            [self.a_is_signed, self.b_is_signed, self.result_is_signed, self.saturate, self.accumulate];
        let flags = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | i64::from(flag));
        flags << 16 | i64::from(self.part_bits) << 8 | self.operation as i64
    }

    fn unpack(bits: i64) -> Self {
        let flag = |at: u32| bits >> (16 + at) & 1 == 1;
        Self {
            operation: OPERATIONS[(bits & 0xff) as usize % OPERATIONS.len()],
            part_bits: (bits >> 8 & 0xff) as u32,
            a_is_signed: flag(0),
            b_is_signed: flag(1),
            result_is_signed: flag(2),
            saturate: flag(3),
            accumulate: flag(4),
        }
    }

    /// One lane.
    pub(crate) fn apply(self, a: u32, b: u32, c: u32) -> u32 {
        let part_mask = u32::MAX >> (32 - self.part_bits);
        let mut out = if self.accumulate { c } else { 0 };
        for shift in (0..32).step_by(self.part_bits as usize) {
            let x = self.part(a >> shift, self.a_is_signed);
            let y = self.part(b >> shift, self.b_is_signed);
            let result = self.limited(self.combine(x, y));
            if self.accumulate {
                out = out.wrapping_add(result as u32);
            } else {
                out |= (result as u32 & part_mask) << shift;
            }
        }
        out
    }

    fn part(self, bits: u32, is_signed: bool) -> i32 {
        let unused = 32 - self.part_bits;
        if is_signed { (bits << unused) as i32 >> unused } else { (bits << unused >> unused) as i32 }
    }

    fn combine(self, x: i32, y: i32) -> i32 {
        use VideoOperation as V;
        match self.operation {
            V::Add => x + y,
            V::Sub => x - y,
            // Halves are rounded away from zero; the sum of bytes or halves cannot overflow.
            V::Average if x + y < 0 => (x + y - 1) / 2,
            V::Average => (x + y + 1) / 2,
            V::AbsoluteDifference => (x - y).abs(),
            V::Min => x.min(y),
            V::Max => x.max(y),
            V::SetEqual => i32::from(x == y),
            V::SetNotEqual => i32::from(x != y),
            V::SetLess => i32::from(x < y),
            V::SetLessEqual => i32::from(x <= y),
            V::SetGreater => i32::from(x > y),
            V::SetGreaterEqual => i32::from(x >= y),
        }
    }

    fn limited(self, value: i32) -> i32 {
        if !self.saturate {
            return value;
        }
        let range = 1i32 << self.part_bits;
        if self.result_is_signed { value.clamp(-range / 2, range / 2 - 1) } else { value.clamp(0, range - 1) }
    }
}

/// Runs the operation packed in `Inst::offset`.
pub(crate) fn video_op(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let operation = VideoOp::unpack(inst.offset);
    let (a, b, c) = (registers.get32(inst.a), registers.get32(inst.b), registers.get32(inst.c));
    let out: [u32; LANES] = std::array::from_fn(|lane| operation.apply(a[lane], b[lane], c[lane]));
    registers.set32(inst.dst, &out, lanes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(operation: VideoOperation, part_bits: u32) -> VideoOp {
        VideoOp {
            operation,
            part_bits,
            a_is_signed: false,
            b_is_signed: false,
            result_is_signed: false,
            saturate: false,
            accumulate: false,
        }
    }

    #[test]
    fn packing_an_operation_loses_nothing() {
        for operation in OPERATIONS {
            let original = VideoOp { b_is_signed: true, accumulate: true, ..op(operation, 16) };
            assert_eq!(VideoOp::unpack(original.pack()), original);
        }
    }

    #[test]
    fn absolute_differences_of_bytes_add_up() {
        let difference = op(VideoOperation::AbsoluteDifference, 8);
        assert_eq!(difference.apply(0xff00_1020, 0x00ff_2010, 7), 0xffff_1010);
        let summed = VideoOp { accumulate: true, ..difference };
        assert_eq!(summed.apply(0xff00_1020, 0x00ff_2010, 7), 7 + 255 + 255 + 16 + 16);
    }

    #[test]
    fn parts_do_not_carry_into_each_other() {
        let add = op(VideoOperation::Add, 16);
        assert_eq!(add.apply(0x0001_ffff, 0x0001_0001, 0), 0x0002_0000);
        let saturated = VideoOp { saturate: true, ..add };
        assert_eq!(saturated.apply(0x0001_ffff, 0x0001_0001, 0), 0x0002_ffff);
    }

    #[test]
    fn signed_averages_round_away_from_zero() {
        let average = VideoOp {
            a_is_signed: true,
            b_is_signed: true,
            result_is_signed: true,
            ..op(VideoOperation::Average, 8)
        };
        // (-1 + -2) / 2 = -1.5, (1 + 2) / 2 = 1.5
        assert_eq!(average.apply(0x0000_ff01, 0x0000_fe02, 0), 0x0000_fe02);
    }
}
