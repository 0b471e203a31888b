//! The block layout: pointers, padding, one stream per parallel decoding way.

use crate::bits::{BitReader, BitWriter, Spare};
use crate::block::{BlockBytes, set_word64, word64};
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::huffman::stream::{self, SymbolCode, Word};
use crate::simd::accelerated_methods_of;

/// The most parallel decoding ways.
const MAX_WAYS: usize = 8;

/// E2MC for one block size, one number of ways and one trained code.
#[derive(Clone, Debug)]
pub struct E2mc<C> {
    block: BlockBytes,
    ways: usize,
    code: C,
}

impl<C: SymbolCode> E2mc<C> {
    /// The codec; `ways` is 1, 2, 4 or 8.
    pub fn new(block: BlockBytes, ways: usize, code: C) -> Self {
        Self { block, ways: ways.clamp(1, MAX_WAYS), code }
    }

    fn pointer_bits(&self) -> u32 {
        self.block.bytes().trailing_zeros()
    }

    /// Where the first stream starts: after the pointers and their padding.
    fn head_bytes(&self) -> u32 {
        ((self.ways as u32 - 1) * self.pointer_bits()).div_ceil(8)
    }

    fn raw_bits(&self) -> u32 {
        self.head_bytes() * 8 + self.block.bits()
    }

    /// The words of each way.
    fn words_of_way(&self) -> usize {
        self.block.bytes() / size_of::<Word>() / self.ways
    }

    #[inline(always)]
    fn compress_ways(&self, block: &[u8], stream: &mut BitWriter) {
        let (pointer_bits, head_bits) = (self.pointer_bits(), self.head_bytes() * 8);
        let mut out = stream.begin_block();
        out.put(0, head_bits);
        // The pointers, of which the last one ends at the lowest bit.
        let (mut pointers, mut start) = (0, 0);
        self.code.encode_parts(block.as_chunks().0, self.words_of_way(), &mut out, |out| {
            // Padding counts from the start of the encoding, which need not be a byte of the output.
            out.put(0, out.len_bits().wrapping_neg() % 8);
            // The first start is shifted out: it has no pointer.
            start = out.len_bits() / 8;
            pointers = pointers << pointer_bits | u64::from(start);
        });
        // Starts grow from way to way: if the last one fits its pointer, all do.
        if start >= 1 << pointer_bits {
            return self.put_raw(block, stream);
        }
        out.set_first_bits(pointers << (64 - (self.ways as u32 - 1) * pointer_bits));
        out.end();
    }

    fn put_raw(&self, block: &[u8], out: &mut BitWriter) {
        out.put(0, self.head_bytes() * 8);
        for index in 0..self.block.bytes() / 8 {
            out.put(word64(block, index).swap_bytes(), 64);
        }
    }

    fn take_raw(&self, bits: &mut BitReader<'_>, block: &mut [u8]) -> Result<(), DecodeError> {
        if bits.take(self.head_bytes() * 8)? != 0 {
            return Err(BitReader::invalid(0, "some pointers are 0 and some are not"));
        }
        for index in 0..self.block.bytes() / 8 {
            set_word64(block, index, bits.take(64)?.swap_bytes());
        }
        bits.finish()
    }

    #[inline(always)]
    fn decompress_ways<const WAYS: usize>(
        &self,
        bits: &mut BitReader<'_>,
        block: &mut [u8],
    ) -> Result<(), DecodeError> {
        let pointer_bits = self.pointer_bits();
        // Seven pointers of seven bits are less than a peek holds.
        let mut pointers = bits.peek64();
        let mut head = bits.clone();
        head.skip((WAYS as u32 - 1) * pointer_bits)?;
        let mut starts = [self.head_bytes() as usize * 8; WAYS];
        for start in &mut starts[1..] {
            *start = (pointers >> (64 - pointer_bits)) as usize * 8;
            pointers <<= pointer_bits;
        }
        if starts[1] == 0 {
            return self.take_raw(bits, block);
        }
        expect_padding(&mut head, starts[0])?;
        let mut spare = Spare::new();
        let ahead = bits.ahead(&mut spare);
        let end = bits.remaining();
        let in_range = starts.map(|start| start.min(end));
        let ends = stream::decode_ways(&self.code, ahead, in_range, block.as_chunks_mut().0);

        // Where a stream that ran over the end stopped depends on bits that are not ours.
        if ends.iter().any(|&stream_end| stream_end > end) {
            return Err(DecodeError::Truncated { at_bit: end });
        }
        let mut is_wrong = false;
        for (stream_end, start) in ends.iter().zip(&starts[1..]) {
            let padding = ahead.peek64(*stream_end) >> 1 >> (63 - stream_end.wrapping_neg() % 8);
            is_wrong |= padding != 0 || stream_end.next_multiple_of(8) != *start;
        }
        if is_wrong {
            return Err(wrong_border(bits, &starts, &ends));
        }
        bits.skip(ends[WAYS - 1] as u32)?;
        bits.finish()
    }
}

impl<C: SymbolCode> BlockCodec for E2mc<C> {
    fn block_bytes(&self) -> BlockBytes {
        self.block
    }

    accelerated_methods_of!(E2mc<C> as [C: SymbolCode]);

    fn tables(&self) -> Vec<u8> {
        let mut tables = Vec::new();
        self.code.write(&mut tables);
        tables
    }
}

#[inline(always)]
fn sizes_bits<C: SymbolCode>(codec: &E2mc<C>, data: &[u8], sizes: &mut [u32]) {
    match codec.ways {
        1 => sizes_of_one_way(codec, data, sizes),
        2 => sizes_of_ways::<C, 2>(codec, data, sizes),
        4 => sizes_of_ways::<C, 4>(codec, data, sizes),
        _ => sizes_of_ways::<C, 8>(codec, data, sizes),
    }
}

#[inline(always)]
fn sizes_of_one_way<C: SymbolCode>(codec: &E2mc<C>, data: &[u8], sizes: &mut [u32]) {
    for (block, size) in data.chunks_exact(codec.block.bytes()).zip(sizes) {
        let (words, _) = block.as_chunks();
        // Four sums do not wait for each other.
        let mut lens_bits = [0; 4];
        codec.code.parts_len_bits(words, words.len() / 4, &mut lens_bits);
        *size = lens_bits.iter().sum();
    }
}

#[inline(always)]
fn sizes_of_ways<C: SymbolCode, const WAYS: usize>(codec: &E2mc<C>, data: &[u8], sizes: &mut [u32]) {
    for (block, size) in data.chunks_exact(codec.block.bytes()).zip(sizes) {
        let (words, _) = block.as_chunks();
        let mut lens_bits = [0; WAYS];
        codec.code.parts_len_bits(words, words.len() / WAYS, &mut lens_bits);
        let (last_bits, others) = lens_bits.split_last().unwrap_or((&0, &[]));
        let last_start = others.iter().fold(codec.head_bytes(), |start, bits| start + bits.div_ceil(8));
        // Starts grow from way to way: if the last one fits its pointer, all do.
        let fits = last_start < 1 << codec.pointer_bits();
        *size = if fits { last_start * 8 + last_bits } else { codec.raw_bits() };
    }
}

#[inline(always)]
fn compress<C: SymbolCode>(codec: &E2mc<C>, block: &[u8], out: &mut BitWriter) {
    if codec.ways > 1 {
        return codec.compress_ways(block, out);
    }
    let mut out = out.begin_block();
    codec.code.encode_words(block.as_chunks().0, &mut out);
    out.end();
}

#[inline(always)]
fn decompress<C: SymbolCode>(
    codec: &E2mc<C>,
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    match codec.ways {
        1 => stream::decode_whole(&codec.code, bits, block),
        2 => codec.decompress_ways::<2>(bits, block),
        4 => codec.decompress_ways::<4>(bits, block),
        _ => codec.decompress_ways::<8>(bits, block),
    }
}

/// The ways of one block are decoded in turn already; blocks of one way are decoded abreast.
#[inline(always)]
fn decompress_each<C: SymbolCode>(
    codec: &E2mc<C>,
    encodings: &[BitReader<'_>],
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    if codec.ways == 1 {
        return stream::decode_each(&codec.code, encodings, codec.block.bytes(), blocks);
    }
    for (index, (bits, block)) in
        encodings.iter().zip(blocks.chunks_exact_mut(codec.block.bytes())).enumerate()
    {
        decompress(codec, &mut bits.clone(), block).map_err(|error| (index, error))?;
    }
    Ok(())
}

/// What is wrong where a stream ends: it does not end before its successor, or padding between them is not zero.
#[cold]
fn wrong_border(bits: &BitReader<'_>, starts: &[usize], ends: &[usize]) -> DecodeError {
    for (&stream_end, &start) in ends.iter().zip(&starts[1..]) {
        if stream_end.next_multiple_of(8) != start {
            return BitReader::invalid(stream_end, "a stream ends where its successor does not start");
        }
        if let Err(error) = expect_padding(&mut bits.fork_at(stream_end), start) {
            return error;
        }
    }
    BitReader::invalid(0, "a stream does not end before its successor")
}

/// Checks that the bits up to `to_bit` exist and are zero.
fn expect_padding(bits: &mut BitReader<'_>, to_bit: usize) -> Result<(), DecodeError> {
    let at_bit = bits.position();
    match bits.take((to_bit - at_bit) as u32)? {
        0 => Ok(()),
        _ => Err(BitReader::invalid(at_bit, "padding is not zero")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::e2mc::most_frequent::Mfv16;
    use crate::huffman::FrequentValues;
    use crate::huffman::value_code::{ValueCode, ValueCodeSpec};
    use proptest::prelude::*;

    fn codec(ways: usize, sample: &[u16]) -> E2mc<Mfv16> {
        let mut counts = FrequentValues::with_capacity(1 << 16);
        for &value in sample {
            counts.add(u32::from(value), 1);
        }
        let spec = ValueCodeSpec { value_bits: 16, most_values: 1024, limit_bits: 20 };
        E2mc::new(BlockBytes::B128, ways, Mfv16::new(ValueCode::train(spec, &counts)))
    }

    proptest! {
        #[test]
        fn the_portable_path_gives_the_same_bits(
            symbols in prop::collection::vec(prop_oneof![0u16..40, any::<u16>()], 64),
            ways in prop_oneof![Just(1), Just(2), Just(4), Just(8)],
        ) {
            let codec = codec(ways, &symbols[..40]);
            let block: Vec<u8> = symbols.iter().flat_map(|symbol| symbol.to_le_bytes()).collect();
            let (mut accelerated, mut portable) = (BitWriter::new(), BitWriter::new());
            codec.compress(&block, &mut accelerated);
            compress(&codec, &block, &mut portable);
            let len_bits = portable.len_bits();
            prop_assert_eq!(len_bits, accelerated.len_bits());
            prop_assert_eq!(accelerated.pad_to_bytes(), portable.pad_to_bytes());

            let mut size = [0];
            sizes_bits(&codec, &block, &mut size);
            prop_assert_eq!(size[0] as usize, len_bits);
            let mut back = vec![0; block.len()];
            decompress(&codec, &mut BitReader::new(portable.pad_to_bytes(), len_bits), &mut back).unwrap();
            prop_assert_eq!(back, block);
        }
    }

    #[test]
    fn streams_that_do_not_meet_are_refused() {
        let codec = codec(2, &[0xb; 64]);
        let mut out = BitWriter::new();
        codec.compress(&[0xb, 0].repeat(64), &mut out);
        let len_bits = out.len_bits();
        let good = out.pad_to_bytes().to_vec();
        let decode = |bytes: &[u8]| codec.decompress(&mut BitReader::new(bytes, len_bits), &mut [0; 128]);
        assert_eq!(decode(&good), Ok(()));
        // The pointer says byte 4 instead of 5.
        let error = decode(&[&[4 << 1], &good[1..]].concat()).unwrap_err();
        assert!(error.to_string().contains("a stream ends where its successor does not start"), "{error}");
        // The eighth bit of the head is padding.
        let error = decode(&[&[good[0] | 1], &good[1..]].concat()).unwrap_err();
        assert_eq!(error, DecodeError::Invalid { at_bit: 7, what: "padding is not zero" });
    }
}
