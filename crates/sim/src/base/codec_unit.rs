//! The one place where a codec's bits become cycles, energy and counts, and with [`bursts`] and [`packet_flits`] what DRAM
//! and the network move.
//!
//! A station that compresses owns a unit. It shows the unit each block that passes ([`CodecUnit::compress`]) and learns
//! how many bits the block takes; it tells the unit of each block that is decompressed ([`CodecUnit::decompress`]). How
//! long that takes is in [`CodecUnit::cycles`]; waiting is the station's business. With verification on, every block is
//! really encoded, decoded and compared.

use std::fmt;
use std::sync::Arc;

pub use shrinkwarp_codec::accounting::{bursts, packet_flits};
use shrinkwarp_codec::{BitReader, BitWriter, BlockCodec};

use super::block::{BLOCK_BITS, Block, BlockAddress, SECTOR_BYTES};
use super::codec_costs::{CodecCosts, Cycles};
use super::codec_counters::CodecCounters;

/// What was configured: a codec that is ready to use and what it costs.
#[derive(Clone)]
pub struct CodecUnitSpec {
    /// The codec as its spec is written.
    pub name: String,
    /// The codec.
    pub codec: Arc<dyn BlockCodec>,
    /// The same for sectors, where a point may compress them and the codec can.
    pub sector_codec: Option<Arc<dyn BlockCodec>>,
    /// Time and energy of a block.
    pub costs: CodecCosts,
    /// Whether every block is decompressed and compared.
    pub verifies: bool,
}

impl fmt::Debug for CodecUnitSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name, self.costs)
    }
}

/// A compressor and its decompressor.
#[derive(Clone, Debug)]
pub struct CodecUnit {
    spec: CodecUnitSpec,
    encoding: BitWriter,
    mismatch: Option<BlockAddress>,
    /// What happened so far.
    pub counters: CodecCounters,
}

impl CodecUnit {
    /// A unit that has seen nothing yet.
    pub fn new(spec: CodecUnitSpec) -> Self {
        Self { spec, encoding: BitWriter::new(), mismatch: None, counters: CodecCounters::default() }
    }

    /// The codec as its spec is written.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The code in use.
    pub fn codec(&self) -> &Arc<dyn BlockCodec> {
        &self.spec.codec
    }

    /// How long a block takes.
    pub fn cycles(&self) -> Cycles {
        self.spec.costs.cycles
    }

    /// Compresses the block at `address`. Returns the bits that it takes, those of the block itself where the encoding
    /// would not be smaller.
    pub fn compress(&mut self, address: BlockAddress, block: &Block) -> u32 {
        self.compress_up_to(BLOCK_BITS - 1, address, block)
    }

    /// The same, where an encoding of more than `most_bits` is not worth having.
    pub fn compress_up_to(&mut self, most_bits: u32, address: BlockAddress, block: &Block) -> u32 {
        let bits = self.bits_of(most_bits, address, block);
        self.count_compression(bits)
    }

    /// Compresses a sector of the block at `address` by itself. Returns the bits that it takes.
    pub fn compress_sector(&mut self, address: BlockAddress, sector: &[u8; SECTOR_BYTES]) -> u32 {
        const SECTOR_BITS: u32 = 8 * SECTOR_BYTES as u32;
        let codec = self.spec.sector_codec.clone();
        let bits = codec.as_ref().map_or(SECTOR_BITS, |codec| codec.size_bits(sector));
        if let Some(codec) = codec.filter(|_| self.spec.verifies && bits < SECTOR_BITS) {
            self.verify(&*codec, address, sector, bits);
        }
        let bits = bits.min(SECTOR_BITS);
        self.counters.compressions += 1;
        self.counters.energy_pj += u64::from(self.spec.costs.compress_pj);
        self.counters.raw_blocks += u64::from(bits == SECTOR_BITS);
        self.counters.bits_in += u64::from(SECTOR_BITS);
        self.counters.bits_out += u64::from(bits);
        bits
    }

    /// The bits of a block that was compressed some time ago and crosses the station again as it is.
    pub fn measure(&mut self, address: BlockAddress, block: &Block) -> u32 {
        let bits = self.bits_of(BLOCK_BITS - 1, address, block);
        self.count_bits(bits);
        bits
    }

    /// Counts a block that another unit has compressed to `bits`, and gives them back.
    pub fn count_compression(&mut self, bits: u32) -> u32 {
        self.counters.compressions += 1;
        self.counters.energy_pj += u64::from(self.spec.costs.compress_pj);
        self.count_bits(bits);
        bits
    }

    /// Counts a block that was decompressed.
    pub fn decompress(&mut self) {
        self.counters.decompressions += 1;
        self.counters.energy_pj += u64::from(self.spec.costs.decompress_pj);
    }

    /// Another code from now on; the counts go on.
    pub fn replace_codec(&mut self, codec: Arc<dyn BlockCodec>) {
        self.spec.codec = codec;
    }

    /// The first block that did not come back as it went in.
    pub fn mismatch(&self) -> Option<BlockAddress> {
        self.mismatch
    }

    fn bits_of(&mut self, most_bits: u32, address: BlockAddress, block: &Block) -> u32 {
        let bits = self.spec.codec.size_bits(&**block);
        if bits > most_bits || bits >= BLOCK_BITS {
            return BLOCK_BITS;
        }
        if self.spec.verifies {
            let codec = self.spec.codec.clone();
            self.verify(&*codec, address, &**block, bits);
        }
        bits
    }

    fn count_bits(&mut self, bits: u32) {
        self.counters.raw_blocks += u64::from(bits >= BLOCK_BITS);
        self.counters.bits_in += u64::from(BLOCK_BITS);
        self.counters.bits_out += u64::from(bits);
    }

    fn verify(&mut self, codec: &dyn BlockCodec, address: BlockAddress, bytes: &[u8], bits: u32) {
        self.encoding.clear();
        codec.compress(bytes, &mut self.encoding);
        let has_its_size = self.encoding.len_bits() == bits as usize;
        let mut back = Block::ZEROS;
        let back = &mut back[..bytes.len()];
        let mut reader = BitReader::new(self.encoding.pad_to_bytes(), bits as usize);
        let is_same = has_its_size && codec.decompress(&mut reader, back).is_ok() && back == bytes;
        self.counters.verified_blocks += 1;
        if !is_same {
            self.mismatch.get_or_insert(address);
        }
    }
}
