//! Zero and repeated-value blocks, the cheapest content test of all.
//!
//! Zero blocks are those of zero-content augmented caches (Dusser et al., ICS 2009); the repeated 8-byte value is the
//! same special case that BDI has (Pekhimenko et al., PACT 2012).
//!
//! | tag   | block                        | payload bits |
//! |-------|------------------------------|--------------|
//! | `0`   | all zero                     | 0            |
//! | `10`  | one 8-byte value, repeated   | 64           |
//! | `11`  | anything else                | the block, its bytes in memory order |

use crate::bits::{BitReader, BitWriter};
use crate::block::BlockBytes;
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::registry::{ANY_BLOCK, Entry, Make};

const VALUE_BYTES: usize = 8;
const VALUE_BITS: u32 = 64;

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "zero",
    summary: "all-zero and repeated-value blocks",
    blocks: ANY_BLOCK,
    params: &[],
    make: Make::Plain(|params| Box::new(Zero { block: params.block })),
};

/// The codec for one block size.
#[derive(Clone, Copy, Debug)]
pub struct Zero {
    block: BlockBytes,
}

/// What a block holds: the rows of the table above.
enum Content {
    Zero,
    Repeated(u64),
    Other,
}

impl Content {
    fn of(block: &[u8]) -> Self {
        let (values, _) = block.as_chunks::<VALUE_BYTES>();
        let first = values[0];
        let differing = values
            .iter()
            .fold(0, |seen, value| seen | (u64::from_le_bytes(*value) ^ u64::from_le_bytes(first)));
        match (differing, u64::from_le_bytes(first)) {
            (0, 0) => Self::Zero,
            (0, value) => Self::Repeated(value),
            _ => Self::Other,
        }
    }
}

impl BlockCodec for Zero {
    fn block_bytes(&self) -> BlockBytes {
        self.block
    }

    fn size_bits(&self, block: &[u8]) -> u32 {
        match Content::of(block) {
            Content::Zero => 1,
            Content::Repeated(_) => 2 + VALUE_BITS,
            Content::Other => 2 + self.block.bits(),
        }
    }

    fn compress(&self, block: &[u8], out: &mut BitWriter) {
        match Content::of(block) {
            Content::Zero => out.put(0b0, 1),
            Content::Repeated(value) => {
                out.put(0b10, 2);
                out.put(value, VALUE_BITS);
            }
            Content::Other => {
                out.put(0b11, 2);
                out.put_bytes(block);
            }
        }
    }

    fn decompress(&self, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
        if bits.take(1)? == 0 {
            block.fill(0);
            return bits.finish();
        }
        if bits.take(1)? == 1 {
            bits.take_bytes(block)?;
            return bits.finish();
        }
        let value = bits.take(VALUE_BITS)?.to_le_bytes();
        for repeated in block.as_chunks_mut::<VALUE_BYTES>().0 {
            *repeated = value;
        }
        bits.finish()
    }
}
