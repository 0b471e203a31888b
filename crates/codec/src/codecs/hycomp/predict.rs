//! Which type of data a block holds.
//!
//! | chunk type     | test on the 64-bit chunk, in this order                                     |
//! |----------------|------------------------------------------------------------------------------|
//! | integer        | the high 32 bits are all 0 or all 1                                          |
//! | pointer        | the high 16 bits are 0 and bits 32 to 47 are not                             |
//! | floating point | a neighbour in the block has the same 7 bits after the most significant one  |

/// What a block is compressed with; the discriminant is the method field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Only zeros.
    Zero = 0b00,
    /// Mostly integers.
    Integer = 0b01,
    /// Mostly pointers.
    Pointer = 0b10,
    /// Mostly floating point.
    Float = 0b11,
}

impl Method {
    /// The method of a 2-bit field.
    pub fn from_code(code: u64) -> Self {
        match code & 0b11 {
            0b00 => Self::Zero,
            0b01 => Self::Integer,
            0b10 => Self::Pointer,
            _ => Self::Float,
        }
    }

    /// The type that most chunks have. All chunks are tested for everything, because a branch would be mispredicted.
    #[inline(always)]
    pub fn predict(block: &[u8]) -> Self {
        let (chunks, _) = block.as_chunks::<8>();
        let (mut integers, mut pointers, mut floats, mut seen) = (0, 0, 0, 0);
        // No chunk has these 7 bits before the first or after the last one.
        let mut before = u64::MAX;
        for (index, chunk) in chunks.iter().enumerate() {
            let chunk = u64::from_le_bytes(*chunk);
            let after = chunks.get(index + 1).map_or(u64::MAX, |next| after_sign(u64::from_le_bytes(*next)));
            let own = after_sign(chunk);
            // 0 or 1 each, the rows of the table in order.
            let is_integer = u32::from((chunk >> 32).wrapping_add(1) as u32 <= 1);
            let is_pointer = u32::from(chunk >> 48 == 0) & !is_integer;
            let has_neighbour = u32::from(own == before) | u32::from(own == after);
            integers += is_integer;
            pointers += is_pointer;
            floats += has_neighbour & !(is_integer | is_pointer);
            seen |= chunk;
            before = own;
        }
        match () {
            () if seen == 0 => Self::Zero,
            () if integers >= pointers && integers >= floats => Self::Integer,
            () if pointers >= floats => Self::Pointer,
            () => Self::Float,
        }
    }
}

/// The 7 bits after the most significant one: the upper exponent of a double.
#[inline(always)]
fn after_sign(chunk: u64) -> u64 {
    chunk << 1 >> 57
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predict(chunks: [u64; 4]) -> Method {
        Method::predict(&chunks.map(u64::to_le_bytes).concat())
    }

    #[test]
    fn each_type_is_recognised_by_its_high_bits() {
        assert_eq!(predict([0; 4]), Method::Zero);
        assert_eq!(predict([1, u64::MAX, 0, 0xffff_ffff_0000_0000]), Method::Integer);
        assert_eq!(predict([0x7fff_0000_1000; 4]), Method::Pointer);
        assert_eq!(predict([1.5f64, -1.25, 1.125, 1.75].map(f64::to_bits)), Method::Float);
    }

    #[test]
    fn the_majority_wins_and_the_upper_row_on_a_tie() {
        let (pointer, one) = (0x7fff_0000_1000, 1.5f64.to_bits());
        assert_eq!(predict([pointer, pointer, pointer, 0]), Method::Pointer);
        assert_eq!(predict([pointer, pointer, 0, 1]), Method::Integer);
        assert_eq!(predict([pointer, pointer, one, one]), Method::Pointer);
        assert_eq!(predict([pointer, one, one, one]), Method::Float);
    }

    #[test]
    fn chunks_of_no_type_are_taken_for_integers() {
        let chunks =
            [0x0100_0000_0000_0000, 0x7f00_0000_0000_0000, 0x3f00_0000_0000_0000, 0x0f00_0000_0000_0000];
        assert_eq!(predict(chunks), Method::Integer);
    }
}
