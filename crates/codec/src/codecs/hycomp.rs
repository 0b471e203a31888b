//! HyComp: predicts the type of a block's data and uses the codec for that type.
//!
//! Arelakis, Dahlgren & Stenström, "HyComp: A Hybrid Cache Compression Method for Selection of Data-Type-Specific
//! Compression Methods", MICRO 2015.
//!
//! | method | predicted type | codec                  | payload                 |
//! |--------|----------------|------------------------|-------------------------|
//! | `00`   | zero block     | zero-content (ZCA)     | none                    |
//! | `01`   | integer        | `sc`                   | its encoding            |
//! | `10`   | pointer        | `bdi`                  | its encoding            |
//! | `11`   | floating point | `fp-h` of doubles      | its encoding            |
//!
//! A block is the 2-bit method, 3 bits of method metadata, and the payload. The prediction looks at 64-bit chunks and
//! the majority wins ([`predict`]). Our interpretation where the paper is silent: the metadata is reserved and 0,
//! because each codec's own encoding already tells its decoder everything; where two types have equally many chunks,
//! the upper row wins, and a block without any typed chunk is taken for integers; SC and FP-H each learn from the
//! blocks predicted as theirs.

pub mod predict;

use crate::bits::{BitReader, BitWriter};
use crate::block::BlockBytes;
use crate::codec::{BlockCodec, Trainer};
use crate::codecs::bdi::bdi;
use crate::codecs::fp_h::{FieldCounts, FpH64};
use crate::codecs::sc::{self, Sc};
use crate::error::DecodeError;
use crate::huffman::FrequentValues;
use crate::huffman::frequent::TRAINING_CAPACITY;
use crate::huffman::table_bytes::TableReader;
use crate::huffman::value_code::ValueCode;
use crate::registry::{ANY_BLOCK, Entry, Loaded, Make, Params};
use predict::Method;

const METHOD_BITS: u32 = 2;
const METADATA_BITS: u32 = 3;
const HEAD_BITS: u32 = METHOD_BITS + METADATA_BITS;

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "hycomp",
    summary: "HyComp: zero, sc, bdi or fp-h by predicted data type (Arelakis et al., MICRO 2015)",
    blocks: ANY_BLOCK,
    params: &[],
    make: Make::Trained { trainer, load },
};

/// The codec for one block size, with its trained parts.
pub struct HyComp {
    block: BlockBytes,
    integers: Sc,
    pointers: Box<dyn BlockCodec>,
    floats: FpH64,
}

impl HyComp {
    fn new(integers: Sc, floats: FpH64) -> Self {
        let block = integers.block_bytes();
        Self { block, integers, pointers: bdi(block), floats }
    }

    /// The codec for a method; a zero block needs none.
    fn codec(&self, method: Method) -> Option<&dyn BlockCodec> {
        match method {
            Method::Zero => None,
            Method::Integer => Some(&self.integers),
            Method::Pointer => Some(&*self.pointers),
            Method::Float => Some(&self.floats),
        }
    }
}

impl BlockCodec for HyComp {
    fn block_bytes(&self) -> BlockBytes {
        self.block
    }

    fn size_bits(&self, block: &[u8]) -> u32 {
        HEAD_BITS + self.codec(Method::predict(block)).map_or(0, |codec| codec.size_bits(block))
    }

    fn compress(&self, block: &[u8], out: &mut BitWriter) {
        let method = Method::predict(block);
        out.put(method as u64, METHOD_BITS);
        out.put(0, METADATA_BITS);
        if let Some(codec) = self.codec(method) {
            codec.compress(block, out);
        }
    }

    fn decompress(&self, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
        let method = Method::from_code(bits.take(METHOD_BITS)?);
        let at_bit = bits.position();
        if bits.take(METADATA_BITS)? != 0 {
            return Err(BitReader::invalid(at_bit, "the reserved metadata is not zero"));
        }
        if let Some(codec) = self.codec(method) {
            return codec.decompress(bits, block);
        }
        block.fill(0);
        bits.finish()
    }

    fn tables(&self) -> Vec<u8> {
        let mut tables = self.integers.tables();
        tables.extend(self.floats.tables());
        tables
    }
}

fn trainer(params: &Params) -> Box<dyn Trainer> {
    Box::new(HyCompTrainer {
        block: params.block,
        integers: FrequentValues::with_capacity(TRAINING_CAPACITY),
        floats: FieldCounts::new(),
    })
}

/// Loads the tables of `sc`, then those of `fp-h`.
fn load(params: &Params, tables: &[u8]) -> Loaded {
    let mut reader = TableReader::new(tables);
    let integers = Sc::new(params.block, ValueCode::read(sc::CODE, &mut reader)?);
    let floats = FpH64::read(params.block, &mut reader)?;
    reader.finish()?;
    Ok(Box::new(HyComp::new(integers, floats)))
}

struct HyCompTrainer {
    block: BlockBytes,
    integers: FrequentValues,
    floats: FieldCounts<11, 26, 26>,
}

impl Trainer for HyCompTrainer {
    fn observe(&mut self, blocks: &[u8]) {
        for block in blocks.chunks_exact(self.block.bytes()) {
            match Method::predict(block) {
                Method::Integer => self.integers.add_words(block.as_chunks().0),
                Method::Float => self.floats.observe(self.block, block),
                Method::Zero | Method::Pointer => {}
            }
        }
    }

    fn finish(self: Box<Self>) -> Box<dyn BlockCodec> {
        let integers = Sc::new(self.block, ValueCode::train(sc::CODE, &self.integers));
        Box::new(HyComp::new(integers, self.floats.finish(self.block)))
    }
}
