#![doc = include_str!("../README.md")]

pub mod accounting;
pub mod analysis;
mod bits;
mod block;
mod codec;
pub mod codecs;
pub mod datasets;
mod encodings;
mod error;
mod half_counts;
mod huffman;
pub mod measure;
pub mod registry;
mod simd;
mod split_mix;
pub mod transform;
mod word_counts;

pub use bits::{BitReader, BitWriter, MAX_ENCODING_BYTES};
pub use block::BlockBytes;
pub use codec::{BlockCodec, Trainer};
pub use encodings::{Encodings, SizesError};
pub use error::{DecodeError, SpecError, TableError};
pub use split_mix::SplitMix64;
pub use word_counts::{LearnsFrom, WordCounts};
