//! SC², statistical compression: a Huffman code over the most frequent 32-bit values.
//!
//! Arelakis & Stenström, "SC²: A Statistical Compression Cache Scheme", ISCA 2014.
//!
//! | word                              | bits                                    |
//! |-----------------------------------|-----------------------------------------|
//! | one of the 1,024 frequent values  | its codeword, at most 18 bits           |
//! | any other                         | the escape codeword, then 32 raw bits   |
//!
//! The words follow one another without padding. The escape is a leaf of the tree with the weight of all values that have no
//! codeword (two public models forget it, and so have no decodable code). Our interpretation where the paper is
//! silent: codewords are canonical, the raw word is sent most significant bit first, and the limit of 18 bits is that
//! of the public gem5 model. Saturating counters and two live codebooks belong to the cache that uses the codec; here
//! counts are plain.

use crate::bits::{BitReader, BitWriter};
use crate::block::BlockBytes;
use crate::codec::{BlockCodec, Trainer};
use crate::error::DecodeError;
use crate::huffman::frequent::{FrequentValues, TRAINING_CAPACITY};
use crate::huffman::stream::{self, SymbolCode};
use crate::huffman::table_bytes::TableReader;
use crate::huffman::value_code::{ValueCode, ValueCodeSpec};
use crate::huffman::word_code::WordCode;
use crate::registry::{ANY_BLOCK, Entry, Loaded, Make, Params};
use crate::simd::accelerated_methods_of;
use crate::word_counts::{LearnsFrom, WordCounts};

/// Entries of the value-frequency table, and the longest codeword.
pub const CODE: ValueCodeSpec = ValueCodeSpec { value_bits: 32, most_values: 1024, limit_bits: 18 };

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "sc",
    summary: "SC²: Huffman code over 1,024 frequent 32-bit values (Arelakis & Stenström, ISCA 2014)",
    blocks: ANY_BLOCK,
    params: &[],
    make: Make::Trained { trainer, load },
};

/// The codec for one block size and one trained code.
#[derive(Clone, Debug)]
pub struct Sc {
    block: BlockBytes,
    code: WordCode,
}

impl Sc {
    /// The codec with a trained code.
    pub fn new(block: BlockBytes, code: ValueCode) -> Self {
        Self { block, code: WordCode::new(code) }
    }

    /// The codec for values and their counts out of `total` occurrences, most frequent first: what a cache's own table
    /// gives. Values beyond the code's size have no codeword.
    pub fn from_counts(block: BlockBytes, counts: Vec<(u32, u64)>, total: u64) -> Self {
        Self::new(block, ValueCode::from_frequent(CODE, counts, total))
    }
}

impl BlockCodec for Sc {
    fn block_bytes(&self) -> BlockBytes {
        self.block
    }

    accelerated_methods_of!(Sc as []);

    fn tables(&self) -> Vec<u8> {
        let mut tables = Vec::new();
        self.code.write(&mut tables);
        tables
    }
}

#[inline(always)]
fn sizes_bits(codec: &Sc, data: &[u8], sizes: &mut [u32]) {
    for (block, size) in data.chunks_exact(codec.block.bytes()).zip(sizes) {
        *size = codec.code.words_len_bits(block.as_chunks().0);
    }
}

#[inline(always)]
fn compress(codec: &Sc, block: &[u8], out: &mut BitWriter) {
    let mut out = out.begin_block();
    codec.code.encode_words(block.as_chunks().0, &mut out);
    out.end();
}

#[inline(always)]
fn decompress(codec: &Sc, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
    stream::decode_whole(&codec.code, bits, block)
}

#[inline(always)]
fn decompress_each(
    codec: &Sc,
    encodings: &[BitReader<'_>],
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    stream::decode_each(&codec.code, encodings, codec.block.bytes(), blocks)
}

fn trainer(params: &Params) -> Box<dyn Trainer> {
    Box::new(ScTrainer { block: params.block, sample: FrequentValues::with_capacity(TRAINING_CAPACITY) })
}

fn load(params: &Params, tables: &[u8]) -> Loaded {
    let mut reader = TableReader::new(tables);
    let code = ValueCode::read(CODE, &mut reader)?;
    reader.finish()?;
    Ok(Box::new(Sc::new(params.block, code)))
}

struct ScTrainer {
    block: BlockBytes,
    sample: FrequentValues,
}

impl Trainer for ScTrainer {
    fn observe(&mut self, blocks: &[u8]) {
        self.sample.add_words(blocks.as_chunks().0);
    }

    fn learns_from(&self) -> LearnsFrom {
        LearnsFrom::Words
    }

    fn observe_counts(&mut self, counts: &WordCounts) {
        counts.give_words(&mut self.sample);
    }

    fn finish(self: Box<Self>) -> Box<dyn BlockCodec> {
        Box::new(Sc::new(self.block, ValueCode::train(CODE, &self.sample)))
    }
}
