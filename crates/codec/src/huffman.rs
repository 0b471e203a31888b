//! Length-limited canonical Huffman codes: what SC, E2MC, FP-H and the trained BPC code map are made of.
//!
//! | step                        | file               | source                                                     |
//! |-----------------------------|--------------------|------------------------------------------------------------|
//! | weights → codeword lengths  | [`package_merge`]  | Larmore & Hirschberg, JACM 37(3), 1990: optimal for a limit |
//! | lengths → codewords         | [`canonical`]      | Lal, Lucas & Juurlink, "E²MC", IPDPS 2017, section III-B    |
//! | bits → symbol               | [`decoder`]        | the same, section III-F: comparison with first codewords   |
//! | frequent values + an escape | [`value_code`]     | the same, and Arelakis & Stenström, "SC²", ISCA 2014        |
//! | a block's symbols ↔ bits    | [`stream`]         | how our software runs them fast; no format of its own      |
//!
//! A code has the symbols `0..count`; what a symbol means is the codec's choice. Our interpretation where the
//! paper is silent:
//! - ties are broken by symbol number, so the same weights give the same code on every machine;
//! - codewords of one length are consecutive in symbol order, shorter codewords are numerically smaller;
//! - a code with a single symbol has the empty codeword, so every code is complete (its Kraft sum is 1) and
//!   every sequence of bits starts with a codeword.

pub mod canonical;
pub mod decoder;
pub mod direct_index;
pub mod encodings;
pub mod frequent;
pub mod group_index;
pub mod lane_decoder;
pub mod length_decoder;
pub mod narrow_decoder;
pub mod package_merge;
pub mod stream;
pub mod table_bytes;
pub mod value_code;
pub mod value_decoder;
pub mod value_index;
pub mod word_code;

pub use canonical::CanonicalCode;
pub use decoder::Decoder;
pub use frequent::FrequentValues;
pub use value_code::ValueCode;

/// The longest codeword any code of this crate may have, in bits. Two of them fit a 64-bit window.
pub const MAX_CODEWORD_BITS: u32 = 24;

/// The most symbols a code may have.
pub const MAX_SYMBOLS: usize = 1 << 16;
