//! Base-Delta-Immediate compression (BDI): a block as small differences from one base and from zero.
//!
//! Pekhimenko et al., "Base-Delta-Immediate Compression: Practical Data Compression for On-Chip Caches", PACT 2012.
//!
//! | tag    | encoding               | fields after the tag                          | bits at 128 B |
//! |--------|------------------------|-----------------------------------------------|---------------|
//! | `0000` | all zero               | one zero byte                                 | 12            |
//! | `0001` | repeated 8-byte value  | the value                                     | 68            |
//! | `0010` | base 8, delta 1        | base, mask, deltas                            | 212           |
//! | `0101` | base 4, delta 1        | base, mask, deltas                            | 324           |
//! | `0011` | base 8, delta 2        | base, mask, deltas                            | 340           |
//! | `0110` | base 4, delta 2        | base, mask, deltas                            | 580           |
//! | `0111` | base 2, delta 1        | base, mask, deltas                            | 596           |
//! | `0100` | base 8, delta 4        | base, mask, deltas                            | 596           |
//! | `1111` | raw                    | the block, its bytes in memory order          | 1028          |
//!
//! The base is the first element that is not an immediate, or 0 where all are. The mask has one bit per element, 1
//! for a difference from the base and 0 for an immediate (a difference from zero). Differences are signed and taken
//! modulo the element's width.
//!
//! Our interpretation where the paper is silent: numbers are written most significant bit first; an element that is
//! both is an immediate; the encoding with the fewest bits wins, mask and tag counted, and the upper row of the table
//! where two are equal. [`published_size_bits`] counts as the paper's table does, for comparison with published
//! figures only.

mod element;

use crate::bits::{BitReader, BitWriter};
use crate::block::{BlockBytes, exact, exact_mut};
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::registry::{ANY_BLOCK, Entry, Make};
use crate::simd::accelerated_methods;
use element::{Element, fits};

const TAG_BITS: u32 = 4;
const VALUE_BYTES: usize = 8;
/// The paper charges the all-zero block one byte.
const ZERO_BITS: u32 = 8;

/// The registry's line.
pub const ENTRY: Entry = Entry {
    name: "bdi",
    summary: "base-delta-immediate (Pekhimenko et al., PACT 2012)",
    blocks: ANY_BLOCK,
    params: &[],
    make: Make::Plain(|params| bdi(params.block)),
};

/// The codec for blocks of `BYTES` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bdi<const BYTES: usize>;

/// The codec for a block size.
pub fn bdi(block: BlockBytes) -> Box<dyn BlockCodec> {
    match block {
        BlockBytes::B32 => Box::new(Bdi::<32>),
        BlockBytes::B64 => Box::new(Bdi::<64>),
        BlockBytes::B128 => Box::new(Bdi::<128>),
    }
}

/// A row of the table; the discriminant is the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Zero = 0b0000,
    Repeated = 0b0001,
    Base8Delta1 = 0b0010,
    Base8Delta2 = 0b0011,
    Base8Delta4 = 0b0100,
    Base4Delta1 = 0b0101,
    Base4Delta2 = 0b0110,
    Base2Delta1 = 0b0111,
    Raw = 0b1111,
}

/// What counts as the size of an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accounting {
    /// Every bit that a decoder needs.
    Decodable,
    /// The paper's table: data bytes only, without tag and mask.
    Published,
}

impl Encoding {
    /// Every row, in the order that decides ties.
    const ALL: [Self; 9] = [
        Self::Zero,
        Self::Repeated,
        Self::Base8Delta1,
        Self::Base4Delta1,
        Self::Base8Delta2,
        Self::Base4Delta2,
        Self::Base2Delta1,
        Self::Base8Delta4,
        Self::Raw,
    ];

    fn from_tag(tag: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|&encoding| encoding as u64 == tag)
    }

    /// The bytes of the base and of a delta.
    const fn widths(self) -> Option<(u32, u32)> {
        match self {
            Self::Base8Delta1 => Some((8, 1)),
            Self::Base8Delta2 => Some((8, 2)),
            Self::Base8Delta4 => Some((8, 4)),
            Self::Base4Delta1 => Some((4, 1)),
            Self::Base4Delta2 => Some((4, 2)),
            Self::Base2Delta1 => Some((2, 1)),
            Self::Zero | Self::Repeated | Self::Raw => None,
        }
    }

    const fn size_bits(self, block_bytes: u32, accounting: Accounting) -> u32 {
        let (data, mask) = match (self, self.widths()) {
            (_, Some((base_bytes, delta_bytes))) => {
                let elements = block_bytes / base_bytes;
                (8 * (base_bytes + elements * delta_bytes), elements)
            }
            (Self::Zero, None) => (ZERO_BITS, 0),
            (Self::Repeated, None) => (8 * VALUE_BYTES as u32, 0),
            (_, None) => (8 * block_bytes, 0),
        };
        match accounting {
            Accounting::Decodable => TAG_BITS + mask + data,
            Accounting::Published => data,
        }
    }
}

impl<const BYTES: usize> Bdi<BYTES> {
    /// The size of each encoding, by tag: a table, because the choice is made for every block.
    const SIZES: [u32; 16] = sizes(BYTES as u32, Accounting::Decodable);
    const PUBLISHED_SIZES: [u32; 16] = sizes(BYTES as u32, Accounting::Published);
}

const fn sizes(block_bytes: u32, accounting: Accounting) -> [u32; 16] {
    let mut sizes = [u32::MAX; 16];
    let mut row = 0;
    while row < Encoding::ALL.len() {
        let encoding = Encoding::ALL[row];
        sizes[encoding as usize] = encoding.size_bits(block_bytes, accounting);
        row += 1;
    }
    sizes
}

impl<const BYTES: usize> BlockCodec for Bdi<BYTES> {
    fn block_bytes(&self) -> BlockBytes {
        BlockBytes::of::<BYTES>()
    }

    accelerated_methods![const BYTES: usize];
}

/// The size in the paper's own accounting: data bytes only, without tag and mask, and the encoding chosen by it. No
/// decoder could work from so few bits; published figures count them so.
pub fn published_size_bits(block: &[u8], block_bytes: BlockBytes) -> u32 {
    match block_bytes {
        BlockBytes::B32 => published::<32>(exact(block)),
        BlockBytes::B64 => published::<64>(exact(block)),
        BlockBytes::B128 => published::<128>(exact(block)),
    }
}

fn published<const BYTES: usize>(block: &[u8; BYTES]) -> u32 {
    let sizes = &Bdi::<BYTES>::PUBLISHED_SIZES;
    sizes[choose(block, sizes) as usize]
}

#[inline(always)]
fn size_all<const BYTES: usize>(data: &[u8], sizes: &mut [u32]) {
    for (block, size) in data.as_chunks::<BYTES>().0.iter().zip(sizes) {
        *size = Bdi::<BYTES>::SIZES[choose(block, &Bdi::<BYTES>::SIZES) as usize];
    }
}

#[inline(always)]
fn compress<const BYTES: usize>(block: &[u8], out: &mut BitWriter) {
    let block: &[u8; BYTES] = exact(block);
    let encoding = choose(block, &Bdi::<BYTES>::SIZES);
    out.put(encoding as u64, TAG_BITS);
    match encoding {
        Encoding::Zero => out.put(0, ZERO_BITS),
        Encoding::Repeated => out.put(u64::load(block, 0), u64::BITS),
        Encoding::Base8Delta1 => element::put::<u64, BYTES, 1>(block, out),
        Encoding::Base8Delta2 => element::put::<u64, BYTES, 2>(block, out),
        Encoding::Base8Delta4 => element::put::<u64, BYTES, 4>(block, out),
        Encoding::Base4Delta1 => element::put::<u32, BYTES, 1>(block, out),
        Encoding::Base4Delta2 => element::put::<u32, BYTES, 2>(block, out),
        Encoding::Base2Delta1 => element::put::<u16, BYTES, 1>(block, out),
        Encoding::Raw => out.put_bytes(block),
    }
}

#[inline(always)]
fn decompress<const BYTES: usize>(bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
    let block: &mut [u8; BYTES] = exact_mut(block);
    let Some(encoding) = Encoding::from_tag(bits.take(TAG_BITS)?) else {
        return Err(BitReader::invalid(0, "reserved tag"));
    };
    match encoding {
        Encoding::Zero => take_zero(bits, block)?,
        Encoding::Repeated => {
            let value = bits.take(u64::BITS)?.to_le_bytes();
            block.as_chunks_mut().0.fill(value);
        }
        Encoding::Base8Delta1 => element::take::<u64, BYTES, 1>(bits, block)?,
        Encoding::Base8Delta2 => element::take::<u64, BYTES, 2>(bits, block)?,
        Encoding::Base8Delta4 => element::take::<u64, BYTES, 4>(bits, block)?,
        Encoding::Base4Delta1 => element::take::<u32, BYTES, 1>(bits, block)?,
        Encoding::Base4Delta2 => element::take::<u32, BYTES, 2>(bits, block)?,
        Encoding::Base2Delta1 => element::take::<u16, BYTES, 1>(bits, block)?,
        Encoding::Raw => bits.take_bytes(block)?,
    }
    bits.finish()
}

fn take_zero(bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
    if bits.take(ZERO_BITS)? != 0 {
        return Err(BitReader::invalid(TAG_BITS as usize, "an all-zero block whose byte is not zero"));
    }
    block.fill(0);
    Ok(())
}

/// The smallest encoding that holds the block.
#[inline(always)]
fn choose<const BYTES: usize>(block: &[u8; BYTES], sizes: &[u32; 16]) -> Encoding {
    let first = u64::load(block, 0);
    let differing = (0..BYTES / VALUE_BYTES).fold(0, |seen, index| seen | (u64::load(block, index) ^ first));
    if differing == 0 {
        return if first == 0 { Encoding::Zero } else { Encoding::Repeated };
    }
    // A block that fits a delta width fits every wider one, so each ladder is climbed down only as far as it holds.
    let base8 = if !fits::<u64, BYTES, 4>(block) {
        Encoding::Raw
    } else if !fits::<u64, BYTES, 2>(block) {
        Encoding::Base8Delta4
    } else if !fits::<u64, BYTES, 1>(block) {
        Encoding::Base8Delta2
    } else {
        return Encoding::Base8Delta1;
    };
    let base4 = if !fits::<u32, BYTES, 2>(block) {
        Encoding::Raw
    } else if !fits::<u32, BYTES, 1>(block) {
        Encoding::Base4Delta2
    } else {
        return Encoding::Base4Delta1;
    };
    let size = |encoding: Encoding| sizes[encoding as usize];
    let best = if size(base8) < size(base4) { base8 } else { base4 };
    // Base 2 is the last to be tried: its test is the longest. It wins a tie against base 8, delta 4.
    let is_worth_trying = size(Encoding::Base2Delta1) < size(best) + u32::from(best == Encoding::Base8Delta4);
    if is_worth_trying && fits::<u16, BYTES, 1>(block) { Encoding::Base2Delta1 } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASKLESS_BYTES: [(Encoding, [u32; 3]); 9] = [
        (Encoding::Zero, [1, 1, 1]),
        (Encoding::Repeated, [8, 8, 8]),
        (Encoding::Base8Delta1, [12, 16, 24]),
        (Encoding::Base8Delta2, [16, 24, 40]),
        (Encoding::Base8Delta4, [24, 40, 72]),
        (Encoding::Base4Delta1, [12, 20, 36]),
        (Encoding::Base4Delta2, [20, 36, 68]),
        (Encoding::Base2Delta1, [18, 34, 66]),
        (Encoding::Raw, [32, 64, 128]),
    ];

    #[test]
    fn published_sizes_are_those_of_the_papers_table() {
        for (encoding, bytes) in MASKLESS_BYTES {
            let sizes = BlockBytes::ALL
                .map(|size| encoding.size_bits(size.bytes() as u32, Accounting::Published) / 8);
            assert_eq!(sizes, bytes, "{encoding:?}");
        }
    }

    #[test]
    fn counting_the_mask_prefers_base_4_where_published_accounting_prefers_base_2() {
        // Halves of one signed byte each; the words are 255 apart, so they need deltas of two bytes.
        let mut block = [0; 128];
        for (index, word) in block.as_chunks_mut().0.iter_mut().enumerate() {
            *word = if index % 2 == 0 { 0x0070_007fu32 } else { 0x006f_ff80 }.to_le_bytes();
        }
        block[4] = 0x81;
        assert_eq!(choose(&block, &Bdi::<128>::SIZES), Encoding::Base4Delta2);
        assert_eq!(choose(&block, &Bdi::<128>::PUBLISHED_SIZES), Encoding::Base2Delta1);
        assert_eq!(published_size_bits(&block, BlockBytes::B128), 66 * 8);
    }

    proptest::proptest! {
        #[test]
        fn the_choice_is_the_smallest_that_fits(
            shape in 0u32..6, base: u64, noise in proptest::array::uniform16(proptest::prelude::any::<u64>()),
        ) {
            let keep = [0x7f, 0x7fff, 0x7fff_ffff, 0x0000_007f_0000_007f, 0x007f_007f_007f_007f, u64::MAX];
            let mut block = [0; 128];
            for (index, value) in block.as_chunks_mut().0.iter_mut().enumerate() {
                let delta = noise[index] & keep[shape as usize];
                *value = base.wrapping_add(delta).to_le_bytes();
            }
            let smallest = Encoding::ALL
                .into_iter()
                .filter(|encoding| match encoding {
                    Encoding::Zero => block == [0; 128],
                    Encoding::Repeated => block.as_chunks::<8>().0.iter().all(|value| *value == block[..8]),
                    Encoding::Base8Delta1 => fits::<u64, 128, 1>(&block),
                    Encoding::Base8Delta2 => fits::<u64, 128, 2>(&block),
                    Encoding::Base8Delta4 => fits::<u64, 128, 4>(&block),
                    Encoding::Base4Delta1 => fits::<u32, 128, 1>(&block),
                    Encoding::Base4Delta2 => fits::<u32, 128, 2>(&block),
                    Encoding::Base2Delta1 => fits::<u16, 128, 1>(&block),
                    Encoding::Raw => true,
                })
                .min_by_key(|&encoding| Bdi::<128>::SIZES[encoding as usize]);
            proptest::prop_assert_eq!(Some(choose(&block, &Bdi::<128>::SIZES)), smallest);
        }

        #[test]
        fn the_portable_path_gives_the_same_bits(
            shift in 0u32..64, words in proptest::array::uniform16(proptest::prelude::any::<u64>()),
        ) {
            let mut block = [0; 128];
            for (value, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
                *value = (word >> shift).to_le_bytes();
            }
            let (mut fast, mut portable) = (BitWriter::new(), BitWriter::new());
            Bdi::<128>.compress(&block, &mut fast);
            compress::<128>(&block, &mut portable);
            let len_bits = fast.len_bits();
            proptest::prop_assert_eq!(fast.pad_to_bytes(), portable.pad_to_bytes());
            let mut back = [0; 128];
            decompress::<128>(&mut BitReader::new(fast.pad_to_bytes(), len_bits), &mut back)?;
            proptest::prop_assert_eq!(back, block);
        }
    }
}
