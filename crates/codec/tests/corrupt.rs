//! What does a decoder do with bits that no encoder wrote? It returns an error or a block, and looks at nothing else.

#![expect(clippy::unwrap_used, reason = "an error must stop the test")]

#[path = "common/blocks.rs"]
mod blocks;
#[path = "common/vector.rs"]
mod vector;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use shrinkwarp_codec::{BitReader, BitWriter, BlockCodec, DecodeError};

#[test]
fn every_truncation_of_a_vector_is_an_error_or_a_block() {
    for vector in vector::all() {
        let codec = vector.codec();
        let bits = booleans(&vector.encoding());
        for kept in 0..bits.len() {
            decode_distrustfully(&*codec, &bits[..kept], &format!("{}, first {kept} bits", vector.name)).ok();
        }
    }
}

#[test]
fn every_flipped_bit_of_a_vector_is_an_error_or_a_block() {
    for vector in vector::all() {
        let codec = vector.codec();
        let mut bits = booleans(&vector.encoding());
        for flipped in 0..bits.len() {
            bits[flipped] ^= true;
            decode_distrustfully(&*codec, &bits, &format!("{}, bit {flipped} flipped", vector.name)).ok();
            bits[flipped] ^= true;
        }
    }
}

#[test]
fn a_bit_too_many_is_an_error() {
    for vector in vector::all() {
        let codec = vector.codec();
        for extra in [false, true] {
            let mut bits = booleans(&vector.encoding());
            bits.push(extra);
            let name = format!("{}, and a bit more", vector.name);
            assert!(decode_distrustfully(&*codec, &bits, &name).is_err(), "{name}: no error");
        }
    }
}

#[test]
fn the_first_error_of_many_blocks_is_that_of_its_block() {
    let data = blocks::sample(9);
    for (name, codec) in blocks::every_codec() {
        let bytes = codec.block_bytes().bytes();
        let mut out = BitWriter::new();
        let mut starts = vec![0];
        for block in data.chunks_exact(bytes).take(9) {
            codec.compress(block, &mut out);
            starts.push(out.len_bits());
        }
        // Enough bytes after the last encoding that no decoder needs its path for the end of a stream.
        (0..100).for_each(|_| out.put(u64::MAX, 64));
        let mut stream = out.pad_to_bytes().to_vec();
        for flipped in (0..starts[9]).step_by(61) {
            stream[flipped / 8] ^= 0x80 >> (flipped % 8);
            agree_on_the_first_error(&*codec, &encodings(&stream, &starts, 0), &name);
            stream[flipped / 8] ^= 0x80 >> (flipped % 8);
        }
        for cut_bits in [1, 17, 200] {
            agree_on_the_first_error(&*codec, &encodings(&stream, &starts, cut_bits), &name);
        }
    }
}

/// A reader for each block; every fourth, from the fourth on, has `cut_bits` fewer than its encoding.
fn encodings<'a>(stream: &'a [u8], starts: &[usize], cut_bits: usize) -> Vec<BitReader<'a>> {
    let reader = |(index, ends): (usize, &[usize])| {
        let cut_bits = if index % 4 == 3 { cut_bits } else { 0 };
        BitReader::at(stream, ends[0], (ends[1] - ends[0]).saturating_sub(cut_bits))
    };
    starts.windows(2).enumerate().map(reader).collect()
}

/// Checks that all blocks at once give the blocks and the first error that they give one by one.
fn agree_on_the_first_error(codec: &dyn BlockCodec, encodings: &[BitReader<'_>], name: &str) {
    let bytes = codec.block_bytes().bytes();
    let mut one_by_one = vec![0; encodings.len() * bytes];
    let mut at_once = one_by_one.clone();
    let decode = |(index, (bits, block)): (usize, (&BitReader<'_>, &mut [u8]))| {
        codec.decompress(&mut bits.clone(), block).map_err(|error| (index, error))
    };
    let expected = encodings.iter().zip(one_by_one.chunks_exact_mut(bytes)).enumerate().try_for_each(decode);
    assert_eq!(codec.decompress_each(encodings, &mut at_once), expected, "{name}");
    let good = expected.map_or_else(|(index, _)| index, |()| encodings.len()) * bytes;
    assert_eq!(at_once[..good], one_by_one[..good], "{name}");
}

#[test]
fn random_bits_are_an_error_or_a_block() {
    let codecs = blocks::every_codec();
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let bits = prop::collection::vec(any::<bool>(), 0..1400);
    let result = TestRunner::new(config).run(&bits, |bits| {
        for (name, codec) in &codecs {
            decode_distrustfully(&**codec, &bits, name).ok();
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

#[test]
fn damaged_encodings_of_every_codec_are_an_error_or_a_block() {
    let codecs = blocks::every_codec();
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let damage = (blocks::block(), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let result = TestRunner::new(config).run(&damage, |(block, flip, cut)| {
        for (name, codec) in &codecs {
            let mut bits = encoding(&**codec, &block[..codec.block_bytes().bytes()]);
            let flipped = flip.index(bits.len());
            bits[flipped] ^= true;
            decode_distrustfully(&**codec, &bits, name).ok();
            bits[flipped] ^= true;
            bits.truncate(cut.index(bits.len()));
            decode_distrustfully(&**codec, &bits, name).ok();
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

/// Decodes `bits` among zeros and among ones, where the outcome must be the same: a decoder that looks past its bits
/// would tell the two apart. A block that comes out must survive its own encoding.
fn decode_distrustfully(codec: &dyn BlockCodec, bits: &[bool], name: &str) -> Result<Vec<u8>, DecodeError> {
    let [among_zeros, among_ones] = [false, true].map(|around| {
        let mut out = BitWriter::new();
        let filler = [around; 77];
        for &bit in filler.iter().chain(bits).chain(&filler) {
            out.put(bit.into(), 1);
        }
        let mut block = vec![0xa5; codec.block_bytes().bytes()];
        let mut reader = BitReader::at(out.pad_to_bytes(), filler.len(), bits.len());
        codec.decompress(&mut reader, &mut block).map(|()| block)
    });
    assert_eq!(among_zeros, among_ones, "{name}: the outcome depends on bits outside the encoding");
    if let Ok(block) = &among_zeros {
        let again = encoding(codec, block);
        assert_eq!(decode(codec, &again).as_ref(), Ok(block), "{name}: the block does not come back");
    }
    among_zeros
}

fn decode(codec: &dyn BlockCodec, bits: &[bool]) -> Result<Vec<u8>, DecodeError> {
    let mut out = BitWriter::new();
    for &bit in bits {
        out.put(bit.into(), 1);
    }
    let mut block = vec![0xa5; codec.block_bytes().bytes()];
    codec.decompress(&mut BitReader::new(out.pad_to_bytes(), bits.len()), &mut block).map(|()| block)
}

fn encoding(codec: &dyn BlockCodec, block: &[u8]) -> Vec<bool> {
    let mut out = BitWriter::new();
    codec.compress(block, &mut out);
    booleans(&vector::digits(&mut out))
}

fn booleans(digits: &str) -> Vec<bool> {
    digits.chars().map(|digit| digit == '1').collect()
}
