//! What a codec costs at a point. The numbers are in `configs/codecs.toml`.

/// Cycles to compress and to decompress one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// Until the encoding is whole.
    pub compress: u32,
    /// Until the block is whole.
    pub decompress: u32,
}

/// What one block costs a codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodecCosts {
    /// Time.
    pub cycles: Cycles,
    /// Energy to compress, in picojoules.
    pub compress_pj: u32,
    /// Energy to decompress, in picojoules.
    pub decompress_pj: u32,
}
