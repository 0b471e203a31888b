//! bf16: the upper half of a single-precision number.

/// Rounds to nearest, ties to even. Finite input only.
pub fn from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// Exact.
pub fn to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}
