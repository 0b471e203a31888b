//! Any bits into a codec's decoder: an error, or a block that compresses and decodes to itself.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use shrinkwarp_codec::datasets::DATASETS;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BitReader, BitWriter, BlockBytes, BlockCodec};

/// The codec under test in each block size it has; trained ones have seen pages of everything.
static CODECS: LazyLock<Vec<Box<dyn BlockCodec>>> = LazyLock::new(|| {
    let name = std::env::var("SHRINKWARP_CODEC").unwrap_or("bpc".to_owned());
    let sample = &DATASETS[4].bytes(1)[..1 << 18];
    let specs = BlockBytes::ALL.into_iter().filter_map(|block| CodecSpec::parse(&name, block).ok());
    specs.map(|spec| spec.build(sample)).collect()
});

fuzz_target!(|data: &[u8]| {
    let [choice, unused_bits, encoding @ ..] = data else { return };
    let codec = &CODECS[*choice as usize % CODECS.len()];
    let len_bits = (encoding.len() * 8).saturating_sub(*unused_bits as usize % 8);
    let mut block = vec![0; codec.block_bytes().bytes()];
    if codec.decompress(&mut BitReader::new(encoding, len_bits), &mut block).is_err() {
        return;
    }
    let mut again = BitWriter::new();
    codec.compress(&block, &mut again);
    let len_bits = again.len_bits();
    assert_eq!(len_bits, codec.size_bits(&block) as usize, "size_bits differs from compress");
    let mut back = vec![1; block.len()];
    codec.decompress(&mut BitReader::new(again.pad_to_bytes(), len_bits), &mut back).unwrap();
    assert_eq!(back, block);
});
