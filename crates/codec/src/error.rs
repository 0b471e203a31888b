//! What can be wrong with an encoding, a table or a codec's name.

use std::fmt;

/// Why bits do not decode. Every variant says where, in bits from the start of the block's encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The encoding ends before the block is complete.
    Truncated {
        /// Where more bits were wanted.
        at_bit: usize,
    },
    /// Bits are left after the block is complete.
    TrailingBits {
        /// Where the block was complete.
        at_bit: usize,
        /// How many bits follow.
        extra_bits: usize,
    },
    /// A code or field has a value that no encoder writes.
    Invalid {
        /// Where the code or field starts.
        at_bit: usize,
        /// What it is, in the format page's words.
        what: &'static str,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { at_bit } => {
                write!(f, "the encoding ends at bit {at_bit}, before the block is complete")
            }
            Self::TrailingBits { at_bit, extra_bits } => {
                write!(f, "{extra_bits} bits follow the end of the block at bit {at_bit}")
            }
            Self::Invalid { at_bit, what } => write!(f, "bit {at_bit}: {what}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Why the tables of a trained codec cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// Byte offset into the tables.
    pub at_byte: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "codec tables, byte {}: {}", self.at_byte, self.what)
    }
}

impl std::error::Error for TableError {}

/// Why a codec cannot be made from its name and parameters. The message names the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError(pub String);

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SpecError {}

impl From<TableError> for SpecError {
    fn from(error: TableError) -> Self {
        Self(error.to_string())
    }
}
