//! Approximation: the k least significant bits of every floating-point element become zero.
//!
//! The lossy step of DSM (see `docs/formats/dsm.md`): k is a whole number of nibbles, so that whole nibble positions
//! vanish, but any codec can follow it. It is blind to the value, as the hardware is: a NaN whose payload lies in the
//! cleared bits becomes an infinity.
//!
//! | format | mantissa bits | k                 |
//! |--------|---------------|-------------------|
//! | f16    | 10            | 4, 8              |
//! | bf16   | 7             | 4                 |
//! | f32    | 23            | 4, 8, 12, 16, 20  |
//! | f64    | 52            | 4, 8, 12, …, 48   |
//!
//! The thesis has f32 only; the other rows are its rule carried on: whole nibbles that leave a bit of the mantissa.

use half::{bf16, f16};

use crate::error::SpecError;

const NIBBLE_BITS: u32 = 4;

/// A floating-point format, little-endian in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatFormat {
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl FloatFormat {
    /// Every format, narrowest first.
    pub const ALL: [Self; 4] = [Self::F16, Self::Bf16, Self::F32, Self::F64];

    /// Its name in commands and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The bytes of an element.
    pub const fn bytes(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The bits of the mantissa as stored.
    pub const fn mantissa_bits(self) -> u32 {
        match self {
            Self::F16 => 10,
            Self::Bf16 => 7,
            Self::F32 => 23,
            Self::F64 => 52,
        }
    }

    /// The values of k that this format allows, smallest first.
    pub fn allowed_bits(self) -> impl Iterator<Item = u32> {
        (NIBBLE_BITS..self.mantissa_bits()).step_by(NIBBLE_BITS as usize)
    }

    /// An element's value.
    pub(crate) fn value(self, element: &[u8]) -> f64 {
        match (self, element) {
            (Self::F16, &[a, b]) => f16::from_le_bytes([a, b]).to_f64(),
            (Self::Bf16, &[a, b]) => bf16::from_le_bytes([a, b]).to_f64(),
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            (Self::F64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => f64::NAN,
        }
    }
}

/// Clears the k least significant bits of every element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approximation {
    format: FloatFormat,
    bits: u32,
}

impl Approximation {
    /// The transform for a format and a number of bits; the error lists what the format allows.
    pub fn new(format: FloatFormat, bits: u32) -> Result<Self, SpecError> {
        if format.allowed_bits().any(|allowed| allowed == bits) {
            return Ok(Self { format, bits });
        }
        let allowed: Vec<String> = format.allowed_bits().map(|bits| bits.to_string()).collect();
        let (name, allowed) = (format.name(), allowed.join(", "));
        Err(SpecError(format!("approximation of {name} by {bits} bits is not allowed (allowed: {allowed})")))
    }

    /// The format of the elements.
    pub fn format(self) -> FloatFormat {
        self.format
    }

    /// The bits cleared in each element.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Its name in reports: `approx8`.
    pub fn name(self) -> String {
        format!("approx{}", self.bits)
    }

    /// Approximates whole elements in place. Bytes after the last whole element stay as they are.
    pub fn apply(self, data: &mut [u8]) {
        match self.format.bytes() {
            2 => clear(data, |bytes| (u16::from_le_bytes(bytes) >> self.bits << self.bits).to_le_bytes()),
            4 => clear(data, |bytes| (u32::from_le_bytes(bytes) >> self.bits << self.bits).to_le_bytes()),
            _ => clear(data, |bytes| (u64::from_le_bytes(bytes) >> self.bits << self.bits).to_le_bytes()),
        }
    }
}

fn clear<const BYTES: usize>(data: &mut [u8], cleared: impl Fn([u8; BYTES]) -> [u8; BYTES]) {
    for element in data.as_chunks_mut().0 {
        *element = cleared(*element);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_clears_whole_nibbles_of_its_mantissa() {
        let allowed = FloatFormat::ALL.map(|format| format.allowed_bits().collect::<Vec<_>>());
        assert_eq!(allowed[0], [4, 8]);
        assert_eq!(allowed[1], [4]);
        assert_eq!(allowed[2], [4, 8, 12, 16, 20]);
        assert_eq!((allowed[3].len(), allowed[3].last()), (12, Some(&48)));
    }

    #[test]
    fn a_k_outside_the_mantissa_is_refused_with_the_way_out() {
        let error = Approximation::new(FloatFormat::F32, 24).unwrap_err().to_string();
        assert_eq!(error, "approximation of f32 by 24 bits is not allowed (allowed: 4, 8, 12, 16, 20)");
    }

    #[test]
    fn the_low_bits_become_zero_and_the_rest_stays() {
        let mut data = [0xff; 9];
        Approximation::new(FloatFormat::F32, 12).unwrap().apply(&mut data);
        assert_eq!(data, [0x00, 0xf0, 0xff, 0xff, 0x00, 0xf0, 0xff, 0xff, 0xff]);
        let mut data = [0xff; 8];
        Approximation::new(FloatFormat::F64, 20).unwrap().apply(&mut data);
        assert_eq!(data, [0x00, 0x00, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff]);
        let mut data = [0xff; 4];
        Approximation::new(FloatFormat::F16, 8).unwrap().apply(&mut data);
        assert_eq!(data, [0x00, 0xff, 0x00, 0xff]);
    }
}
