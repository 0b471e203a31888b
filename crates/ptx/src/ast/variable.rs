//! Memory that has a name: module variables, parameters, shared and local arrays.

use super::{Span, Symbol};
use crate::isa::{ScalarType, StateSpace};

/// A declared variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name as written.
    pub name: String,
    /// State space it lives in.
    pub space: StateSpace,
    /// Element type.
    pub element: VariableType,
    /// Elements per vector: 1, 2 or 4 (`.v2`, `.v4`).
    pub vector_elements: u32,
    /// Array dimensions, outermost first; empty for a scalar. A first dimension of 0 is `name[]`, whose size
    /// comes from the initialiser or, for `.extern .shared`, from the launch.
    pub dimensions: Vec<u64>,
    /// Alignment in bytes, explicit or the natural one.
    pub align_bytes: u32,
    /// Size in bytes; 0 for `name[]` without an initialiser.
    pub size_bytes: u64,
    /// Linkage directive.
    pub linkage: Linkage,
    /// What `= …` says; `None` means zeros for `.global` and `.const`.
    pub initializer: Option<Initializer>,
    /// `.param .u64 .ptr .global .align 16`: the pointed-to space and alignment in bytes.
    pub points_to: Option<(Option<StateSpace>, u32)>,
    /// Where the name is.
    pub span: Span,
}

/// Element type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableType {
    /// An ordinary fundamental type.
    Scalar(ScalarType),
    /// `.texref`: an opaque texture reference.
    Texture,
    /// `.samplerref`: an opaque sampler.
    Sampler,
    /// `.surfref`: an opaque surface reference.
    Surface,
}

impl VariableType {
    /// Bytes of one element; opaque references are 8-byte handles.
    pub fn bytes(self) -> u32 {
        match self {
            VariableType::Scalar(scalar) => scalar.bytes(),
            VariableType::Texture | VariableType::Sampler | VariableType::Surface => 8,
        }
    }
}

/// Linkage of a variable or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Linkage {
    /// None given: visible in this module only.
    #[default]
    Internal,
    /// `.visible`: defined here, seen by others.
    Visible,
    /// `.extern`: defined elsewhere.
    Extern,
    /// `.weak`: defined here unless someone else does.
    Weak,
    /// `.common`: merged with others of the same name.
    Common,
}

/// The right-hand side of `=` in a variable declaration, flattened in memory order.
///
/// Nested braces of a multi-dimensional array are padded with zeros to their dimension, so `bytes` has exactly
/// `size_bytes` bytes and only addresses remain to be filled in at load.
#[derive(Clone, Debug, Default)]
pub struct Initializer {
    /// The bytes, little-endian; zero where a relocation goes.
    pub bytes: Vec<u8>,
    /// Addresses known only at load.
    pub relocations: Vec<Relocation>,
}

/// One address inside an initialiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Byte offset inside the variable.
    pub at_byte: u64,
    /// Bytes stored: the element size.
    pub width_bytes: u32,
    /// Whose address.
    pub symbol: Symbol,
    /// Added to the address.
    pub addend: i64,
    /// `generic(symbol)`: the generic address instead of the one in the symbol's own space.
    pub is_generic: bool,
    /// `mask(symbol)`: this byte of the address only (0 for the lowest).
    pub byte_of_address: Option<u32>,
}
