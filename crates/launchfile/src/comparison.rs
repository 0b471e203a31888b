//! A result against what is expected, element by element: integers exactly, floats as numbers.

use std::fmt;

use half::{bf16, f16};
use serde_json::{Value, json};

use super::initial::HostBuffer;
use shrinkwarp_formats::Dtype;

/// Ours against an expected file.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Elements that differ by more than the tolerance.
    pub wrong: u64,
    /// Elements compared.
    pub elements: u64,
    /// Largest difference.
    pub largest_difference: f64,
    /// The first wrong element: index, ours, expected.
    pub first_wrong: Option<(u64, ElementValue, ElementValue)>,
}

/// The value of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ElementValue {
    /// Of any integer type.
    Integer(i128),
    /// Of any float type.
    Float(f64),
}

impl Comparison {
    /// Compares buffers of the same type. A value may be off by `tolerance + relative · |expected|`.
    pub fn of(ours: &HostBuffer, expected: &HostBuffer, tolerance: f64, relative: f64) -> Self {
        let mut result = Self::default();
        let width = ours.dtype.bytes() as usize;
        let pairs = ours.bytes.chunks_exact(width).zip(expected.bytes.chunks_exact(width));
        for (index, (a, b)) in pairs.enumerate() {
            result.elements += 1;
            if a == b {
                continue;
            }
            let (value, wanted) = (ElementValue::of(ours.dtype, a), ElementValue::of(ours.dtype, b));
            if value.is_nan() && wanted.is_nan() {
                continue;
            }
            let difference = value.difference(wanted);
            result.largest_difference = result.largest_difference.max(difference);
            // A NaN on one side only is never close; around infinity a relative tolerance would allow everything.
            let size = wanted.as_f64().abs();
            if !(size.is_finite() && difference <= tolerance + relative * size) {
                result.wrong += 1;
                result.first_wrong.get_or_insert((index as u64, value, wanted));
            }
        }
        result
    }

    /// For a person.
    pub fn text(&self) -> String {
        let Some((index, ours, expected)) = self.first_wrong else {
            return format!("as expected (largest difference {:e})", self.largest_difference);
        };
        format!(
            "{} of {} elements differ; the first is [{index}] = {ours}, expected {expected}; largest difference {:e}",
            self.wrong, self.elements, self.largest_difference
        )
    }
}

impl ElementValue {
    pub(crate) fn of(dtype: Dtype, bytes: &[u8]) -> Self {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        let shift = 64 - 8 * bytes.len() as u32;
        match dtype {
            Dtype::F64 => Self::Float(f64::from_bits(bits)),
            Dtype::F32 => Self::Float(f64::from(f32::from_bits(bits as u32))),
            Dtype::F16 => Self::Float(f16::from_bits(bits as u16).to_f64()),
            Dtype::Bf16 => Self::Float(bf16::from_bits(bits as u16).to_f64()),
            Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64 => {
                Self::Integer(i128::from((bits << shift) as i64 >> shift))
            }
            _ => Self::Integer(i128::from(bits)),
        }
    }

    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    fn is_nan(self) -> bool {
        self.as_f64().is_nan()
    }

    /// Integers are subtracted before they become a float: neighbours above 2⁵³ differ by one, not by zero.
    fn difference(self, other: Self) -> f64 {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.abs_diff(b) as f64,
            (a, b) => (a.as_f64() - b.as_f64()).abs(),
        }
    }

    /// As JSON, integers with all digits.
    pub fn json(self) -> Value {
        match self {
            Self::Integer(value) => match (u64::try_from(value), i64::try_from(value)) {
                (Ok(value), _) => json!(value),
                (_, Ok(value)) => json!(value),
                _ => json!(value as f64),
            },
            Self::Float(value) => json!(value),
        }
    }
}

impl fmt::Display for ElementValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer<T, const N: usize>(dtype: Dtype, values: &[T], bytes: fn(&T) -> [u8; N]) -> HostBuffer {
        HostBuffer { dtype, shape: vec![values.len() as u64], bytes: values.iter().flat_map(bytes).collect() }
    }

    #[test]
    fn neighbouring_large_integers_differ() {
        let ours = buffer(Dtype::U64, &[u64::MAX, 1 << 60], |value| value.to_le_bytes());
        let expected = buffer(Dtype::U64, &[u64::MAX - 1, 1 << 60], |value| value.to_le_bytes());
        let comparison = Comparison::of(&ours, &expected, 0.0, 0.0);
        assert_eq!((comparison.wrong, comparison.largest_difference), (1, 1.0));
        assert_eq!(
            comparison.text(),
            "1 of 2 elements differ; the first is [0] = 18446744073709551615, expected 18446744073709551614; \
             largest difference 1e0"
        );
        assert_eq!(Comparison::of(&ours, &expected, 1.0, 0.0).wrong, 0);
    }

    #[test]
    fn nan_is_close_to_nan_only() {
        let ours = buffer(Dtype::F32, &[f32::NAN, f32::NAN, 1.0], |value| value.to_le_bytes());
        let expected = buffer(Dtype::F32, &[-f32::NAN, 1.0, f32::NAN], |value| value.to_le_bytes());
        assert_eq!(Comparison::of(&ours, &expected, 1e9, 1e9).wrong, 2);
    }
}
