//! Half precision and bfloat16, one value or two side by side.
//!
//! All of it goes through `exact` and rounds once to nearest, so results are correct in every corner. Sums and products
//! without suffixes are frequent, and are in `narrow`.

use super::exact::{BF16, F16, Format, Mode, Number};
use crate::inst::Inst;
use crate::registers::Registers;
use crate::{LANES, LaneMask};

/// One half-precision instruction; travels in `Inst::offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent suffixes of one instruction")]
pub(crate) struct HalfOp {
    pub operation: HalfOperation,
    pub is_bf16: bool,
    /// Two values in one register.
    pub is_packed: bool,
    pub ftz: bool,
    pub saturate: bool,
    pub relu: bool,
    pub propagate_nan: bool,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum HalfOperation {
    Add,
    Sub,
    Mul,
    Fma,
    Neg,
    Abs,
    Min,
    Max,
    Ex2,
    Tanh,
}

const OPERATIONS: [HalfOperation; 10] = [
    HalfOperation::Add,
    HalfOperation::Sub,
    HalfOperation::Mul,
    HalfOperation::Fma,
    HalfOperation::Neg,
    HalfOperation::Abs,
    HalfOperation::Min,
    HalfOperation::Max,
    HalfOperation::Ex2,
    HalfOperation::Tanh,
];

impl HalfOp {
    pub(crate) fn pack(self) -> i64 {
        let flags = [self.is_bf16, self.is_packed, self.ftz, self.saturate, self.relu, self.propagate_nan];
        flags.iter().rev().fold(0, |bits, &flag| bits << 1 | i64::from(flag)) << 8 | self.operation as i64
    }

    fn unpack(bits: i64) -> Self {
        let flag = |at: u32| bits >> (8 + at) & 1 == 1;
        Self {
            operation: OPERATIONS[(bits & 0xff) as usize % OPERATIONS.len()],
            is_bf16: flag(0),
            is_packed: flag(1),
            ftz: flag(2),
            saturate: flag(3),
            relu: flag(4),
            propagate_nan: flag(5),
        }
    }

    /// Whether nothing is to be done with the operands and the result but to round it.
    pub(crate) fn is_plain(self) -> bool {
        !(self.ftz || self.saturate || self.relu)
    }

    fn format(self) -> Format {
        if self.is_bf16 { BF16 } else { F16 }
    }

    /// One value.
    pub(crate) fn apply(self, operands: [u16; 3]) -> u16 {
        let format = self.format();
        let sign = 0x8000;
        match self.operation {
            HalfOperation::Neg => return operands[0] ^ sign,
            HalfOperation::Abs => return operands[0] & !sign,
            _ => {}
        }
        let operands = if self.ftz { operands.map(|bits| flush(format, bits)) } else { operands };
        let [a, b, c] = operands.map(|bits| format.unpack(u64::from(bits)));
        let near = Mode::Nearest;
        let result = match self.operation {
            HalfOperation::Add => a.plus(b, near),
            HalfOperation::Sub => a.plus(b.negated(), near),
            HalfOperation::Mul => a.times(b),
            HalfOperation::Fma => a.times(b).plus(c, near),
            HalfOperation::Ex2 => self.through_f64(operands[0], f64::exp2),
            HalfOperation::Tanh => self.through_f64(operands[0], f64::tanh),
            HalfOperation::Min | HalfOperation::Max => return self.extreme(operands[0], operands[1]),
            HalfOperation::Neg | HalfOperation::Abs => a,
        };
        self.finish(format.pack(result, near) as u16)
    }

    fn finish(self, bits: u16) -> u16 {
        let format = self.format();
        let bits = if self.ftz { flush(format, bits) } else { bits };
        let number = format.unpack(u64::from(bits));
        let one = format.pack(Number::of_integer(1), Mode::Nearest) as u16;
        match number {
            Number::Nan if self.saturate => 0,
            Number::Nan => bits,
            _ if (self.saturate || self.relu) && bits & 0x8000 != 0 => 0,
            _ if self.saturate && bits > one => one,
            _ => bits,
        }
    }

    fn extreme(self, a: u16, b: u16) -> u16 {
        let format = self.format();
        let is_nan = |bits: u16| format.unpack(u64::from(bits)) == Number::Nan;
        let nan = format.pack(Number::Nan, Mode::Nearest) as u16;
        // Sign and magnitude as one number: minus zero lies just below zero.
        let key = |bits: u16| if bits & 0x8000 != 0 { !i32::from(bits & 0x7fff) } else { i32::from(bits) };
        let b_wins = (key(b) > key(a)) == (self.operation == HalfOperation::Max);
        let result = match (is_nan(a), is_nan(b)) {
            (true, true) => nan,
            (true, _) | (_, true) if self.propagate_nan => nan,
            (true, _) => b,
            (_, true) => a,
            _ if b_wins => b,
            _ => a,
        };
        self.finish(result)
    }

    fn through_f64(self, bits: u16, function: fn(f64) -> f64) -> Number {
        let format = self.format();
        let wide = super::exact::F64.pack(format.unpack(u64::from(bits)), Mode::Nearest);
        super::exact::F64.unpack(function(f64::from_bits(wide)).to_bits())
    }
}

fn flush(format: Format, bits: u16) -> u16 {
    let exponent_mask = ((1u16 << format.exponent_bits) - 1) << format.fraction_bits;
    if bits & exponent_mask == 0 { bits & 0x8000 } else { bits }
}

/// Runs the operation packed in `Inst::offset`.
pub(crate) fn half_op(registers: &mut Registers, inst: &Inst, lanes: LaneMask) {
    let operation = HalfOp::unpack(inst.offset);
    let (a, b, c) = (registers.get32(inst.a), registers.get32(inst.b), registers.get32(inst.c));
    let out: [u32; LANES] = std::array::from_fn(|lane| {
        let operands = [a[lane], b[lane], c[lane]];
        let low = operation.apply(operands.map(|word| word as u16));
        if !operation.is_packed {
            return u32::from(low);
        }
        let high = operation.apply(operands.map(|word| (word >> 16) as u16));
        u32::from(low) | u32::from(high) << 16
    });
    registers.set32(inst.dst, &out, lanes);
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};
    use proptest::prelude::*;

    use super::*;

    fn op(operation: HalfOperation) -> HalfOp {
        HalfOp {
            operation,
            is_bf16: false,
            is_packed: false,
            ftz: false,
            saturate: false,
            relu: false,
            propagate_nan: false,
        }
    }

    proptest! {
        #[test]
        fn sums_and_products_round_once(a: u16, b: u16) {
            let (x, y) = (f16::from_bits(a), f16::from_bits(b));
            // Single precision has more than twice the bits: rounding twice is harmless.
            for (operation, host) in
                [(HalfOperation::Add, x.to_f32() + y.to_f32()), (HalfOperation::Mul, x.to_f32() * y.to_f32())]
            {
                let ours = f16::from_bits(op(operation).apply([a, b, 0]));
                let host = f16::from_f32(host);
                prop_assert!(ours == host || (ours.is_nan() && host.is_nan()));
            }
        }

        #[test]
        fn packing_an_operation_loses_nothing(bits in 0i64..64, code in 0usize..10) {
            let original = HalfOp { operation: OPERATIONS[code], ..HalfOp::unpack(bits << 8) };
            prop_assert_eq!(HalfOp::unpack(original.pack()), original);
        }
    }

    #[test]
    fn a_fused_bfloat_product_is_not_rounded_twice() {
        // (1 + 2^-4)^2 = 1 + 2^-3 + 2^-8: a tie in bfloat16, which the tiny addend breaks upwards.
        let a = bf16::from_f32(1.0625).to_bits();
        let tiny = bf16::from_f32(2f32.powi(-100)).to_bits();
        let fma = HalfOp { is_bf16: true, ..op(HalfOperation::Fma) };
        let up = bf16::from_bits(fma.apply([a, a, tiny])).to_f32();
        let down = bf16::from_bits(fma.apply([a, a, tiny | 0x8000])).to_f32();
        assert_eq!((up, down), (1.1328125, 1.125));
    }

    #[test]
    fn relu_and_saturation_clamp() {
        let minus = f16::from_f32(-2.0).to_bits();
        let relu = HalfOp { relu: true, ..op(HalfOperation::Add) };
        let saturate = HalfOp { saturate: true, ..op(HalfOperation::Add) };
        assert_eq!(relu.apply([minus, 0, 0]), 0);
        assert_eq!(saturate.apply([f16::from_f32(3.0).to_bits(), 0, 0]), f16::ONE.to_bits());
    }
}
