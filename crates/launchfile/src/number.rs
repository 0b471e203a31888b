//! Numbers in element types: what a launch file writes becomes bytes, and what does not fit is refused.

use std::fmt;

use half::{bf16, f16};
use serde::Deserialize;

use shrinkwarp_formats::Dtype;

/// A number: integers stay exact.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Number {
    /// Written without a point.
    Integer(i64),
    /// Written with a point or exponent.
    Float(f64),
}

impl Number {
    /// As a float.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    /// As an integer; a fraction is cut off.
    pub fn as_i64(self) -> i64 {
        match self {
            Number::Integer(value) => value,
            Number::Float(value) => value as i64,
        }
    }

    /// Appends one element of the type, or says why the type cannot hold the number.
    pub fn append(self, out: &mut Vec<u8>, dtype: Dtype) -> Result<(), String> {
        let float = self.as_f64();
        let is_too_large = |is_finite: bool| float.is_finite() && !is_finite;
        let refuse = || Err(format!("{self} does not fit {dtype}"));
        match dtype {
            Dtype::F64 => out.extend(float.to_le_bytes()),
            Dtype::F32 if is_too_large((float as f32).is_finite()) => return refuse(),
            Dtype::F32 => out.extend((float as f32).to_le_bytes()),
            Dtype::F16 if is_too_large(f16::from_f64(float).is_finite()) => return refuse(),
            Dtype::F16 => out.extend(f16::from_f64(float).to_le_bytes()),
            Dtype::Bf16 if is_too_large(bf16::from_f64(float).is_finite()) => return refuse(),
            Dtype::Bf16 => out.extend(bf16::from_f64(float).to_le_bytes()),
            _ => {
                let Some(integer) = self.whole() else {
                    return Err(format!("{self} is not an integer, as {dtype} needs"));
                };
                if !holds(dtype, integer) {
                    return refuse();
                }
                out.extend(&integer.to_le_bytes()[..dtype.bytes() as usize]);
            }
        }
        Ok(())
    }

    /// The number if it has no fraction. Floats of 2¹²⁶ and more have none either, and fit nowhere.
    fn whole(self) -> Option<i128> {
        match self {
            Number::Integer(value) => Some(i128::from(value)),
            Number::Float(value) => (value.fract() == 0.0).then_some(value as i128),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Integer(value) => value.fmt(f),
            Number::Float(value) => write!(f, "{value:?}"),
        }
    }
}

/// Whether the type is one of the floating-point types.
pub fn is_float(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64)
}

fn holds(dtype: Dtype, integer: i128) -> bool {
    let bits = 8 * dtype.bytes() as u32;
    let is_signed = matches!(dtype, Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64);
    let (low, high) =
        if is_signed { (-(1i128 << (bits - 1)), 1i128 << (bits - 1)) } else { (0, 1i128 << bits) };
    (low..high).contains(&integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(number: Number, dtype: Dtype) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        number.append(&mut out, dtype).map(|()| out)
    }

    #[test]
    fn a_type_takes_what_it_can_hold_and_nothing_else() {
        assert_eq!(bytes(Number::Integer(-128), Dtype::I8), Ok(vec![0x80]));
        assert_eq!(bytes(Number::Integer(128), Dtype::I8), Err("128 does not fit i8".into()));
        assert_eq!(bytes(Number::Integer(-1), Dtype::U64), Err("-1 does not fit u64".into()));
        assert_eq!(bytes(Number::Float(3.0), Dtype::U16), Ok(vec![3, 0]));
        assert_eq!(bytes(Number::Float(1.5), Dtype::I32), Err("1.5 is not an integer, as i32 needs".into()));
        assert_eq!(
            bytes(Number::Float(1e19), Dtype::U64),
            Ok(10_000_000_000_000_000_000u64.to_le_bytes().to_vec())
        );
        assert!(bytes(Number::Float(1e300), Dtype::U64).is_err());
        assert!(bytes(Number::Float(f64::NAN), Dtype::U64).is_err());
    }

    #[test]
    fn only_what_is_written_as_infinite_becomes_infinite() {
        assert_eq!(bytes(Number::Integer(65_504), Dtype::F16), Ok(vec![0xff, 0x7b]));
        assert_eq!(bytes(Number::Integer(70_000), Dtype::F16), Err("70000 does not fit f16".into()));
        assert!(bytes(Number::Float(1e39), Dtype::F32).is_err());
        assert_eq!(bytes(Number::Float(f64::INFINITY), Dtype::F16), Ok(vec![0x00, 0x7c]));
    }
}
