//! What a codec counts.

use serde::Serialize;

use super::counting::counters;

counters! {
    /// What the codec of a point did.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    pub struct CodecCounters {
        /// Blocks that were compressed.
        pub compressions: u64,
        /// Blocks shown to the codec, to be compressed or only to be measured, that are raw.
        pub raw_blocks: u64,
        /// Blocks decompressed.
        pub decompressions: u64,
        /// Bits of all blocks shown.
        pub bits_in: u64,
        /// Bits that they take, raw ones included.
        pub bits_out: u64,
        /// Energy of both, in picojoules.
        pub energy_pj: u64,
        /// Blocks that were encoded, decoded and compared.
        pub verified_blocks: u64,
    }
}

impl CodecCounters {
    /// Compression ratio: bits in over bits out; 1 where nothing was compressed.
    pub fn ratio(&self) -> f64 {
        if self.bits_out == 0 { 1.0 } else { self.bits_in as f64 / self.bits_out as f64 }
    }
}
