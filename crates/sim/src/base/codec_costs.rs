//! Where a codec can be, and what it costs there. The numbers are in `configs/codecs.toml`.

/// Where a codec is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// In the L1, core cycles.
    L1,
    /// Between slices and SMs, core cycles.
    Packets,
    /// In the controller, DRAM cycles.
    Memory,
    /// At the ends of the memory link, DRAM cycles.
    Link,
}

impl Point {
    /// Its name in configurations and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Packets => "packets",
            Self::Memory => "memory",
            Self::Link => "link",
        }
    }
}

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
