//! Video instructions: on one word, two halves or four bytes of a register.
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
//! | `vshl`    | a shifted left by b, up to 32 or modulo 32        |
//! | `vshr`    | a shifted right by b, up to 32 or modulo 32       |
//!
//! Parts keep their lower bits, or saturate with `.sat`. With `.add` the parts are summed up and added to `c`; the
//! result for one word can also be the smaller or larger of it and `c`. Otherwise the parts are the result.

use crate::inst::Inst;
use crate::registers::Registers;
use crate::{LANES, LaneMask};

/// One video instruction; travels in `Inst::offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent suffixes of one instruction")]
pub(crate) struct VideoOp {
    pub operation: VideoOperation,
    /// Bits of a part: 8, 16 or 32.
    pub part_bits: u32,
    pub a_is_signed: bool,
    pub b_is_signed: bool,
    pub result_is_signed: bool,
    pub saturate: bool,
    pub second: SecondOperation,
}

/// What happens to the result and `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum SecondOperation {
    None,
    Add,
    Min,
    Max,
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
    ShiftLeftClamp,
    ShiftLeftWrap,
    ShiftRightClamp,
    ShiftRightWrap,
}

const SECOND_OPERATIONS: [SecondOperation; 4] =
    [SecondOperation::None, SecondOperation::Add, SecondOperation::Min, SecondOperation::Max];

const OPERATIONS: [VideoOperation; 16] = [
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
    VideoOperation::ShiftLeftClamp,
    VideoOperation::ShiftLeftWrap,
    VideoOperation::ShiftRightClamp,
    VideoOperation::ShiftRightWrap,
];

impl VideoOp {
    pub(crate) fn pack(self) -> i64 {
        let flags = [self.a_is_signed, self.b_is_signed, self.result_is_signed, self.saturate];
        let flags = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | i64::from(flag));
        (self.second as i64) << 24 | flags << 16 | i64::from(self.part_bits) << 8 | self.operation as i64
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
            second: SECOND_OPERATIONS[(bits >> 24) as usize % SECOND_OPERATIONS.len()],
        }
    }

    /// One lane.
    pub(crate) fn apply(self, a: u32, b: u32, c: u32) -> u32 {
        let part_mask = u32::MAX >> (32 - self.part_bits);
        let (mut sum, mut parts) = (0i64, 0);
        for shift in (0..32).step_by(self.part_bits as usize) {
            let x = self.part(a >> shift, self.a_is_signed);
            let y = self.part(b >> shift, self.b_is_signed);
            let result = self.limited(self.combine(x, y));
            sum += result;
            parts |= (result as u32 & part_mask) << shift;
        }
        match self.second {
            SecondOperation::None => parts,
            SecondOperation::Add => c.wrapping_add(sum as u32),
            SecondOperation::Min if self.result_is_signed => (parts as i32).min(c as i32) as u32,
            SecondOperation::Max if self.result_is_signed => (parts as i32).max(c as i32) as u32,
            SecondOperation::Min => parts.min(c),
            SecondOperation::Max => parts.max(c),
        }
    }

    fn part(self, bits: u32, is_signed: bool) -> i64 {
        let unused = 32 - self.part_bits;
        if is_signed {
            i64::from((bits << unused) as i32 >> unused)
        } else {
            i64::from(bits << unused >> unused)
        }
    }

    /// Two parts, with room for every carry.
    fn combine(self, x: i64, y: i64) -> i64 {
        use VideoOperation as V;
        match self.operation {
            V::Add => x + y,
            V::Sub => x - y,
            // Halves are rounded away from zero.
            V::Average if x + y < 0 => (x + y - 1) / 2,
            V::Average => (x + y + 1) / 2,
            V::AbsoluteDifference => (x - y).abs(),
            V::Min => x.min(y),
            V::Max => x.max(y),
            V::SetEqual => i64::from(x == y),
            V::SetNotEqual => i64::from(x != y),
            V::SetLess => i64::from(x < y),
            V::SetLessEqual => i64::from(x <= y),
            V::SetGreater => i64::from(x > y),
            V::SetGreaterEqual => i64::from(x >= y),
            // At most 32 bits and a sign, shifted by at most 32 places.
            V::ShiftLeftClamp => shifted_left(x, y.clamp(0, 32)),
            V::ShiftLeftWrap => shifted_left(x, y & 31),
            V::ShiftRightClamp => x >> y.clamp(0, 32),
            V::ShiftRightWrap => x >> (y & 31),
        }
    }

    fn limited(self, value: i64) -> i64 {
        if !self.saturate {
            return value;
        }
        let range = 1i64 << self.part_bits;
        if self.result_is_signed { value.clamp(-range / 2, range / 2 - 1) } else { value.clamp(0, range - 1) }
    }
}

/// Shifts left by at most 32 places, staying on the value's side of zero when 64 bits are too few. The lower 32 bits
/// are then zeros, as those of the exact result are.
fn shifted_left(value: i64, places: i64) -> i64 {
    let wide = i128::from(value) << places;
    i64::try_from(wide).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX - i64::from(u32::MAX) })
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
            second: SecondOperation::None,
        }
    }

    #[test]
    fn packing_an_operation_loses_nothing() {
        for operation in OPERATIONS {
            let original = VideoOp { b_is_signed: true, second: SecondOperation::Add, ..op(operation, 16) };
            assert_eq!(VideoOp::unpack(original.pack()), original);
        }
    }

    #[test]
    fn absolute_differences_of_bytes_add_up() {
        let difference = op(VideoOperation::AbsoluteDifference, 8);
        assert_eq!(difference.apply(0xff00_1020, 0x00ff_2010, 7), 0xffff_1010);
        let summed = VideoOp { second: SecondOperation::Add, ..difference };
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

    #[test]
    fn words_saturate_and_shift_as_words() {
        let word = |operation| VideoOp { saturate: true, ..op(operation, 32) };
        assert_eq!(word(VideoOperation::Add).apply(u32::MAX, 1, 0), u32::MAX);
        assert_eq!(word(VideoOperation::Sub).apply(1, 2, 0), 0);
        assert_eq!(word(VideoOperation::ShiftLeftClamp).apply(u32::MAX, 40, 0), u32::MAX);
        assert_eq!(op(VideoOperation::ShiftLeftClamp, 32).apply(u32::MAX, 40, 0), 0);
        assert_eq!(op(VideoOperation::ShiftLeftWrap, 32).apply(1, 33, 0), 2);
        assert_eq!(op(VideoOperation::ShiftRightClamp, 32).apply(u32::MAX, 40, 0), 0);
    }

    #[test]
    fn a_second_operation_looks_at_the_sign_of_the_result() {
        let smaller = VideoOp { second: SecondOperation::Min, ..op(VideoOperation::Sub, 32) };
        assert_eq!(smaller.apply(1, 2, 5), 5);
        assert_eq!(VideoOp { result_is_signed: true, ..smaller }.apply(1, 2, 5), u32::MAX);
    }
}
