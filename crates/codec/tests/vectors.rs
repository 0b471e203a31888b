//! Does every codec write, bit for bit, what its format says? Worked examples, one file each.

#![expect(clippy::unwrap_used, reason = "a vector that cannot be read must stop the test")]

#[path = "common/vector.rs"]
mod vector;

use shrinkwarp_codec::{BitReader, BitWriter, registry};
use vector::Expected;

#[test]
fn compress_writes_exactly_the_worked_bits() {
    for vector in vector::all() {
        let mut out = BitWriter::new();
        vector.codec().compress(&vector.block, &mut out);
        match &vector.expected {
            Expected::Bits(bits) => assert_eq!(&vector::digits(&mut out), bits, "{}", vector.name),
            Expected::SizeBits(size) => assert_eq!(out.len_bits(), *size, "{}", vector.name),
        }
    }
}

#[test]
fn the_size_is_known_without_compressing() {
    for vector in vector::all() {
        let expected = match &vector.expected {
            Expected::Bits(bits) => bits.len(),
            Expected::SizeBits(size) => *size,
        };
        assert_eq!(vector.codec().size_bits(&vector.block) as usize, expected, "{}", vector.name);
    }
}

#[test]
fn decompress_gives_the_block_back() {
    for vector in vector::all() {
        let bits = vector.encoding();
        let mut back = vec![0xa5; vector.block.len()];
        let mut out = BitWriter::new();
        bits.chars().for_each(|digit| out.put(u64::from(digit == '1'), 1));
        let mut bits = BitReader::new(out.pad_to_bytes(), bits.len());
        vector.codec().decompress(&mut bits, &mut back).unwrap_or_else(|error| {
            panic!("{}: {error}", vector.name);
        });
        assert_eq!(back, vector.block, "{}", vector.name);
    }
}

#[test]
fn every_codec_has_vectors() {
    let vectors = vector::all();
    for entry in registry::ENTRIES {
        let folder = format!("{}/", entry.name);
        assert!(vectors.iter().any(|vector| vector.name.starts_with(&folder)), "vectors/{folder} is empty");
    }
}
