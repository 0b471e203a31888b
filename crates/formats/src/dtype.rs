//! Element types, with the names that each file format gives them.

use std::fmt;
use std::str::FromStr;

use shrinkwarp_codec::transform::FloatFormat;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// IEEE half precision.
    F16,
    /// The upper half of an f32.
    Bf16,
    /// 8-bit float with 4 exponent bits.
    F8E4m3,
    /// 8-bit float with 5 exponent bits.
    F8E5m2,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// Signed integers.
    I8,
    /// Signed integers.
    I16,
    /// Signed integers.
    I32,
    /// Signed integers.
    I64,
    /// Unsigned integers, bytes and booleans.
    U8,
    /// Unsigned integers.
    U16,
    /// Unsigned integers.
    U32,
    /// Unsigned integers.
    U64,
    /// Signed integers of four bits, two in a byte.
    Int4,
    /// Unsigned integers of four bits, two in a byte.
    Uint4,
    /// 4-bit float with 2 exponent bits, two in a byte.
    Fp4,
    /// 32 4-bit floats and the byte of their common scale.
    Mxfp4,
}

/// The elements of one byte of a type with four bits.
const NIBBLES: u64 = 2;
/// The elements that share a scale in the OCP Microscaling formats.
const MX_ELEMENTS: u64 = 32;

/// One row per type: our name, the safetensors name, the NumPy kind, the elements of a unit and its bytes. A unit is the least
/// number of elements that fill whole bytes.
const TABLE: &[(Dtype, &str, &str, char, u64, u64)] = &[
    (Dtype::F16, "f16", "F16", 'f', 1, 2),
    (Dtype::Bf16, "bf16", "BF16", ' ', 1, 2),
    (Dtype::F8E4m3, "f8e4m3", "F8_E4M3", ' ', 1, 1),
    (Dtype::F8E5m2, "f8e5m2", "F8_E5M2", ' ', 1, 1),
    (Dtype::F32, "f32", "F32", 'f', 1, 4),
    (Dtype::F64, "f64", "F64", 'f', 1, 8),
    (Dtype::I8, "i8", "I8", 'i', 1, 1),
    (Dtype::I16, "i16", "I16", 'i', 1, 2),
    (Dtype::I32, "i32", "I32", 'i', 1, 4),
    (Dtype::I64, "i64", "I64", 'i', 1, 8),
    (Dtype::U8, "u8", "U8", 'u', 1, 1),
    (Dtype::U16, "u16", "U16", 'u', 1, 2),
    (Dtype::U32, "u32", "U32", 'u', 1, 4),
    (Dtype::U64, "u64", "U64", 'u', 1, 8),
    (Dtype::Int4, "int4", "I4", ' ', NIBBLES, 1),
    (Dtype::Uint4, "uint4", "U4", ' ', NIBBLES, 1),
    (Dtype::Fp4, "fp4", "F4", ' ', NIBBLES, 1),
    (Dtype::Mxfp4, "mxfp4", "MXFP4", ' ', MX_ELEMENTS, 1 + MX_ELEMENTS / NIBBLES),
];

impl Dtype {
    /// The width of an element in bytes; of packed elements, the bytes of the least number that fills whole ones.
    pub fn bytes(self) -> u64 {
        self.row().5
    }

    /// The elements that [`Dtype::bytes`] hold: 1 but for packed elements.
    pub fn packed_elements(self) -> u64 {
        self.row().4
    }

    /// The bytes of a tensor; none where they are too many or packed elements do not fill their last unit.
    pub fn bytes_of(self, shape: &[u64]) -> Option<u64> {
        let elements = shape.iter().try_fold(1u64, |product, &extent| product.checked_mul(extent))?;
        let units =
            elements.is_multiple_of(self.packed_elements()).then(|| elements / self.packed_elements())?;
        units.checked_mul(self.bytes())
    }

    /// Its name in commands and reports.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The floating-point format, where approximation knows it; never for integers.
    pub fn float_format(self) -> Option<FloatFormat> {
        match self {
            Self::F16 => Some(FloatFormat::F16),
            Self::Bf16 => Some(FloatFormat::Bf16),
            Self::F32 => Some(FloatFormat::F32),
            Self::F64 => Some(FloatFormat::F64),
            _ => None,
        }
    }

    /// The type of a safetensors header.
    pub fn from_safetensors(name: &str) -> Option<Self> {
        match name {
            "BOOL" | "F8_E8M0" => Some(Self::U8),
            _ => TABLE.iter().find(|row| row.2 == name).map(|row| row.0),
        }
    }

    /// The type of a NumPy kind and item size, and how many of it make one item: complex numbers are two floats,
    /// text is bytes or code points, dates are 64-bit counts.
    pub fn from_numpy(kind: char, item_bytes: u64) -> Option<(Self, u64)> {
        let (kind, element_bytes) = match kind {
            'b' | 'S' => ('u', 1),
            'c' => ('f', item_bytes / 2),
            'U' => ('u', 4),
            'm' | 'M' => ('i', 8),
            'f' | 'i' | 'u' => (kind, item_bytes),
            _ => return None,
        };
        let row = TABLE.iter().find(|row| row.3 == kind && row.5 == element_bytes)?;
        item_bytes.is_multiple_of(element_bytes).then(|| (row.0, item_bytes / element_bytes))
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, char, u64, u64) {
        // The table has a row for every variant, in their order; a test holds it.
        &TABLE[self as usize]
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dtype {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || TABLE.iter().map(|row| row.1).collect::<Vec<_>>().join(", ");
        TABLE
            .iter()
            .find(|row| row.1 == text)
            .map(|row| row.0)
            .ok_or_else(|| format!("expected one of {}", known()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_stands_in_its_own_row() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert_eq!(row.1.parse(), Ok(row.0));
            assert_eq!(Dtype::from_safetensors(row.2), Some(row.0));
        }
    }

    #[test]
    fn packed_elements_fill_whole_bytes() {
        assert_eq!(Dtype::Int4.bytes_of(&[3, 4]), Some(6));
        assert_eq!(Dtype::Int4.bytes_of(&[3, 3]), None);
        assert_eq!(Dtype::Mxfp4.bytes_of(&[2, 64]), Some(4 * 17));
        assert_eq!(Dtype::F32.bytes_of(&[]), Some(4));
        assert_eq!(Dtype::F64.bytes_of(&[1 << 40, 1 << 40]), None);
    }

    #[test]
    fn numpy_items_of_several_elements_are_counted() {
        assert_eq!(Dtype::from_numpy('c', 8), Some((Dtype::F32, 2)));
        assert_eq!(Dtype::from_numpy('U', 20), Some((Dtype::U32, 5)));
        assert_eq!(Dtype::from_numpy('b', 1), Some((Dtype::U8, 1)));
        assert_eq!(Dtype::from_numpy('f', 16), None);
        assert_eq!(Dtype::from_numpy('c', 0), None);
        assert_eq!(Dtype::from_numpy('O', 8), None);
    }
}
