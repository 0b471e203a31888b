//! FP-H, Huffman coding of floating-point fields.
//!
//! Arelakis, Dahlgren & Stenström, "HyComp: A Hybrid Cache Compression Method for Selection of Data-Type-Specific
//! Compression Methods", MICRO 2015.
//!
//! | `element` | sign | exponent | mantissa, high part | mantissa, low part | source                  |
//! |-----------|------|----------|---------------------|--------------------|-------------------------|
//! | 8         | 1    | 11       | 26                  | 26                 | the paper               |
//! | 4         | 1    | 8        | 11                  | 12                 | our extrapolation       |
//!
//! Exponent, high and low part have a codebook each: up to 1,024 frequent values, codewords of at most 18 bits, an escape
//! followed by the raw field. A block is four streams:
//!
//! | stream         | content                                                         | direction              |
//! |----------------|-----------------------------------------------------------------|------------------------|
//! | signs          | one raw bit per element                                         | forward                |
//! | exponents      | codewords                                                       | forward, then          |
//! | high parts     | codewords                                                       | forward, then          |
//! | low parts      | codewords, written bit-reversed from the end of the block       | backward               |
//!
//! so that two decoders can work towards each other; they must meet without a gap. Choices of ours, where the paper is silent: the
//! even cut of the mantissa, the codebooks' sizes and limits (those of SC), and the order of the streams.

mod field;
mod train;

use crate::bits::{BitReader, BitWriter};
use crate::block::BlockBytes;
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::registry::{ANY_BLOCK, Entry, Make, Param};
pub(crate) use field::FieldCode;
pub(crate) use train::FieldCounts;

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "fp-h",
    summary: "FP-H: Huffman codes over exponent and mantissa parts of floats (Arelakis et al., MICRO 2015)",
    blocks: ANY_BLOCK,
    params: &[Param {
        key: "element",
        allowed: &[8, 4],
        meaning: "bytes of a float: 8 as published, 4 our extrapolation",
    }],
    make: Make::Trained { trainer: train::trainer, load: train::load },
};

/// The coded fields of a float, from the top; the sign stands above them.
pub(crate) const FIELDS: usize = 3;

/// How a float is cut: a row of the first table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    /// The bytes of an element.
    pub element_bytes: usize,
    /// The widths of exponent, high and low part of the mantissa.
    pub field_bits: [u32; FIELDS],
}

impl FloatFormat {
    /// IEEE 754 double precision, as published.
    pub const F64: Self = Self { element_bytes: 8, field_bits: [11, 26, 26] };
    /// IEEE 754 single precision, our extrapolation.
    pub const F32: Self = Self { element_bytes: 4, field_bits: [8, 11, 12] };

    /// Element `index` of a block, right-aligned.
    fn element(self, block: &[u8], index: usize) -> u64 {
        let mut eight = [0; 8];
        let start = index * self.element_bytes;
        eight[..self.element_bytes].copy_from_slice(&block[start..start + self.element_bytes]);
        u64::from_le_bytes(eight)
    }

    fn set_element(self, block: &mut [u8], index: usize, element: u64) {
        let start = index * self.element_bytes;
        block[start..start + self.element_bytes]
            .copy_from_slice(&element.to_le_bytes()[..self.element_bytes]);
    }

    /// The sign of an element.
    fn sign(self, element: u64) -> u64 {
        element >> (8 * self.element_bytes - 1)
    }

    /// How far field `field` stands from the right.
    fn shift(self, field: usize) -> u32 {
        self.field_bits[field + 1..].iter().sum()
    }

    /// Field `field` of an element.
    pub(crate) fn field(self, element: u64, field: usize) -> u32 {
        (element >> self.shift(field) & ((1 << self.field_bits[field]) - 1)) as u32
    }

    /// All elements of a block.
    pub(crate) fn elements(self, block: &[u8]) -> impl Iterator<Item = u64> {
        (0..block.len() / self.element_bytes).map(move |index| self.element(block, index))
    }
}

/// The codec for one block size, float format and set of codebooks.
#[derive(Clone, Debug)]
pub struct FpH {
    block: BlockBytes,
    format: FloatFormat,
    fields: [FieldCode; FIELDS],
}

/// The field that is written from the end.
const LOW: usize = 2;

impl FpH {
    pub(crate) fn new(block: BlockBytes, format: FloatFormat, fields: [FieldCode; FIELDS]) -> Self {
        Self { block, format, fields }
    }

    fn elements(&self) -> usize {
        self.block.bytes() / self.format.element_bytes
    }
}

impl BlockCodec for FpH {
    fn block_bytes(&self) -> BlockBytes {
        self.block
    }

    fn size_bits(&self, block: &[u8]) -> u32 {
        let field_bits = |element: u64| -> u32 {
            let fields = self.fields.iter().enumerate();
            fields.map(|(field, code)| code.len_bits(self.format.field(element, field))).sum()
        };
        self.format.elements(block).map(|element| 1 + field_bits(element)).sum()
    }

    fn compress(&self, block: &[u8], out: &mut BitWriter) {
        for element in self.format.elements(block) {
            out.put(self.format.sign(element), 1);
        }
        for field in 0..LOW {
            for element in self.format.elements(block) {
                let (bits, count) = self.fields[field].encode(self.format.field(element, field));
                out.put(bits, count);
            }
        }
        // The first low part ends the block, so the last one comes first.
        for index in (0..self.elements()).rev() {
            let element = self.format.element(block, index);
            let (bits, count) = self.fields[LOW].encode(self.format.field(element, LOW));
            out.put(reversed(bits, count), count);
        }
    }

    fn decompress(&self, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
        let mut elements = [0; BlockBytes::B128.bytes() / 4];
        let elements = &mut elements[..self.elements()];
        for element in elements.iter_mut() {
            *element = bits.take(1)? << (8 * self.format.element_bytes - 1);
        }
        for field in 0..LOW {
            for element in elements.iter_mut() {
                *element |= u64::from(self.fields[field].take(bits)?) << self.format.shift(field);
            }
        }
        self.take_low_parts(bits, elements)?;
        for (index, &element) in elements.iter().enumerate() {
            self.format.set_element(block, index, element);
        }
        bits.finish()
    }

    fn tables(&self) -> Vec<u8> {
        let mut tables = Vec::new();
        self.fields.iter().for_each(|field| field.write(&mut tables));
        tables
    }
}

impl FpH {
    /// The second decoder: turns what the first one left over, and reads it from its end.
    fn take_low_parts(&self, bits: &mut BitReader<'_>, elements: &mut [u64]) -> Result<(), DecodeError> {
        let meeting_point = bits.position();
        let mut pieces = Vec::new();
        while bits.remaining() > 0 {
            let count = bits.remaining().min(56) as u32;
            pieces.push((reversed(bits.take(count)?, count), count));
        }
        let mut turned = BitWriter::new();
        for (piece, count) in pieces.into_iter().rev() {
            turned.put(piece, count);
        }
        let len_bits = turned.len_bits();
        let mut backward = BitReader::new(turned.pad_to_bytes(), len_bits);
        for element in elements {
            let low = self.fields[LOW].take(&mut backward);
            *element |= u64::from(low.map_err(|_| DecodeError::Truncated { at_bit: meeting_point })?);
        }
        match backward.remaining() {
            0 => Ok(()),
            extra_bits => Err(DecodeError::TrailingBits { at_bit: meeting_point, extra_bits }),
        }
    }
}

/// The low `count` bits in opposite order; `count` at most 63.
fn reversed(bits: u64, count: u32) -> u64 {
    bits.reverse_bits() >> 1 >> (63 - count)
}
