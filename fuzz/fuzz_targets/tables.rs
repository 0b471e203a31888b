//! Any tables into a trained codec's loader: an error, or a codec that gives back every block.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BitReader, BitWriter, BlockBytes};

static NAME: LazyLock<String> =
    LazyLock::new(|| std::env::var("SHRINKWARP_CODEC").unwrap_or("e2mc16".to_owned()));

fuzz_target!(|data: &[u8]| {
    let [choice, low, high, rest @ ..] = data else { return };
    let block = BlockBytes::ALL[*choice as usize % 3];
    let Ok(spec) = CodecSpec::parse(&NAME, block) else { return };
    let split = (usize::from(*high) << 8 | usize::from(*low)).min(rest.len());
    let (tables, content) = rest.split_at(split);
    let Ok(codec) = spec.load(tables) else { return };
    let mut padded = content.to_vec();
    padded.resize(content.len().next_multiple_of(block.bytes()).max(block.bytes()), 0);
    for original in padded.chunks_exact(block.bytes()).take(8) {
        let mut bits = BitWriter::new();
        codec.compress(original, &mut bits);
        let len_bits = bits.len_bits();
        assert_eq!(len_bits, codec.size_bits(original) as usize, "size_bits differs from compress");
        let mut back = vec![1; original.len()];
        codec.decompress(&mut BitReader::new(bits.pad_to_bytes(), len_bits), &mut back).unwrap();
        assert_eq!(back, original);
    }
});
