//! E2MC, entropy coding in the memory controller: canonical Huffman codes over symbols of 4, 8, 16 or 32 bits.
//!
//! Lal, Lucas & Juurlink, "E²MC: Entropy Encoding Based Memory Compression for GPUs", IPDPS 2017.
//!
//! | codec    | symbol bits | tables                                     | values coded   | longest codeword |
//! |----------|-------------|--------------------------------------------|----------------|------------------|
//! | `e2mc4`  | 4           | 8, one per position inside a 32-bit word   | all 16         | 8                |
//! | `e2mc8`  | 8           | 4, one per position inside a 32-bit word   | all 256        | 16               |
//! | `e2mc16` | 16          | 1                                          | `mfv` + escape | 20               |
//! | `e2mc32` | 32          | 1                                          | `mfv` + escape | 20               |
//!
//! A block for *n* parallel decoding ways:
//!
//! | field                | bits                              | content                                                |
//! |----------------------|-----------------------------------|--------------------------------------------------------|
//! | pointers 2..=n       | (n − 1) × log₂(block bytes)       | the byte where each way's stream starts                |
//! | padding              | to the next byte                  | zeros                                                  |
//! | streams 1..=n        | codewords; all but the last padded to a byte | the n-th equal part of the block's symbols  |
//!
//! Our interpretation where the paper is silent: symbols are taken in memory order, least significant first, and each
//! way decodes a contiguous part. A pointer counts from the start of the encoding, so it is never 0 in a coded block.
//! When a stream would start beyond what a pointer can say (such a block has already outgrown its raw size), all
//! pointers are 0 and the raw block follows the padding.

mod layout;
mod most_frequent;
mod positions;
mod train;

use crate::registry::{ANY_BLOCK, Entry, Make, Param};

const WAYS: Param = Param {
    key: "ways",
    allowed: &[1, 2, 4, 8],
    meaning: "parallel decoding ways, each with its own stream",
};

const MFV: Param =
    Param { key: "mfv", allowed: &[1024, 2048, 4096, 8192], meaning: "most frequent values with a codeword" };

/// The registry's line for 4-bit symbols.
pub const E2MC4: Entry = Entry {
    name: "e2mc4",
    summary: "E2MC: Huffman codes over 4-bit symbols, a table per position (Lal et al., IPDPS 2017)",
    blocks: ANY_BLOCK,
    params: &[WAYS],
    make: Make::Trained { trainer: train::trainer::<4>, load: train::load::<4> },
};

/// The registry's line for 8-bit symbols.
pub const E2MC8: Entry = Entry {
    name: "e2mc8",
    summary: "E2MC over 8-bit symbols, a table per position",
    make: Make::Trained { trainer: train::trainer::<8>, load: train::load::<8> },
    ..E2MC4
};

/// The registry's line for 16-bit symbols.
pub const E2MC16: Entry = Entry {
    name: "e2mc16",
    summary: "E2MC over 16-bit symbols, most frequent values and an escape",
    params: &[WAYS, MFV],
    make: Make::Trained { trainer: train::trainer::<16>, load: train::load::<16> },
    ..E2MC4
};

/// The registry's line for 32-bit symbols.
pub const E2MC32: Entry = Entry {
    name: "e2mc32",
    summary: "E2MC over 32-bit symbols, most frequent values and an escape",
    make: Make::Trained { trainer: train::trainer::<32>, load: train::load::<32> },
    ..E2MC16
};
