//! Bit-exact memory-compression block codecs: bits in, bits out.
//!
//! This crate knows no GPU and no cycles. A *block* is one memory line (32, 64 or 128 bytes); a codec turns it
//! into bits ([`BlockCodec::compress`]) and back ([`BlockCodec::decompress`]), and says how many bits that would be
//! without producing them ([`BlockCodec::size_bits`]). Codecs are made by name through the [`registry`].
//!
//! ```
//! use shrinkwarp_codec::{BitReader, BitWriter, BlockBytes, registry};
//!
//! let zero = registry::build("zero", BlockBytes::B128, &[]).unwrap();
//! let block = [0u8; 128];
//! let mut bits = BitWriter::new();
//! zero.compress(&block, &mut bits);
//! let len_bits = bits.len_bits();
//! assert_eq!(len_bits, zero.size_bits(&block) as usize);
//!
//! let mut back = [1u8; 128];
//! zero.decompress(&mut BitReader::new(bits.pad_to_bytes(), len_bits), &mut back).unwrap();
//! assert_eq!(back, block);
//! ```

pub mod accounting;
pub mod analysis;
pub mod bits;
pub mod block;
pub mod codec;
pub mod codecs;
pub mod datasets;
pub mod error;
pub mod huffman;
pub mod measure;
pub mod registry;
mod simd;
mod split_mix;
pub mod transform;

pub use bits::{BitReader, BitWriter, MAX_ENCODING_BYTES};
pub use block::BlockBytes;
pub use codec::{BlockCodec, Trainer};
pub use error::{DecodeError, SpecError, TableError};
pub use split_mix::SplitMix64;
