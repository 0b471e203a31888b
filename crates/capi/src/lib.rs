//! The C library of the block codecs: list, create, train, sizes, compress, decompress.
//!
//! Every function catches panics, checks every pointer for null and comes with the length of what it points to. A
//! codec may be used by any number of threads at once, a trainer by one at a time. `include/shrinkwarp_codec.h` is made
//! from this crate by cbindgen.

mod codec;
mod failure;
mod list;
mod memory;
mod trainer;

#[cfg(test)]
mod tests;

pub use codec::{
    shrinkwarp_codec_block_bytes, shrinkwarp_codec_create, shrinkwarp_codec_free, shrinkwarp_codec_load,
    shrinkwarp_codec_tables, shrinkwarp_compress, shrinkwarp_compress_bound, shrinkwarp_decompress,
    shrinkwarp_sizes_bits, ShrinkwarpCodec,
};
pub use failure::{shrinkwarp_last_error, ShrinkwarpStatus};
pub use list::{
    shrinkwarp_codec_count, shrinkwarp_codec_is_trained, shrinkwarp_codec_name, shrinkwarp_codec_parameters,
    shrinkwarp_codec_summary,
};
pub use trainer::{
    shrinkwarp_trainer_create, shrinkwarp_trainer_finish, shrinkwarp_trainer_free,
    shrinkwarp_trainer_observe, ShrinkwarpTrainer,
};
