//! Does every codec give back what it was given, and know the size beforehand? Random and structured blocks.

#![expect(clippy::unwrap_used, reason = "an error must stop the test")]

#[path = "common/blocks.rs"]
mod blocks;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use shrinkwarp_codec::{BitReader, BitWriter, BlockCodec, Encodings, LearnsFrom, WordCounts, registry};

#[test]
fn every_block_comes_back() {
    for_every_codec_and_block(|codec, block| {
        let mut out = BitWriter::new();
        codec.compress(block, &mut out);
        let len_bits = out.len_bits();
        let mut back = vec![0xa5; block.len()];
        codec.decompress(&mut BitReader::new(out.pad_to_bytes(), len_bits), &mut back).unwrap();
        assert_eq!(back, block);
    });
}

#[test]
fn the_size_is_the_length_of_the_encoding() {
    for_every_codec_and_block(|codec, block| {
        let mut out = BitWriter::new();
        codec.compress(block, &mut out);
        let mut sizes = [0];
        codec.sizes_bits(block, &mut sizes);
        assert_eq!(codec.size_bits(block) as usize, out.len_bits());
        assert_eq!(sizes[0] as usize, out.len_bits(), "sizes_bits");
    });
}

#[test]
fn encodings_follow_each_other_at_any_bit() {
    for_every_codec_and_block(|codec, block| {
        let mut out = BitWriter::new();
        out.put(0b101, 3);
        codec.compress(block, &mut out);
        let size = codec.size_bits(block) as usize;
        assert_eq!(out.len_bits(), 3 + size);
        out.put(u64::from(u32::MAX), 64);
        let mut back = vec![0xa5; block.len()];
        codec.decompress(&mut BitReader::at(out.pad_to_bytes(), 3, size), &mut back).unwrap();
        assert_eq!(back, block);
    });
}

#[test]
fn many_blocks_at_once_have_the_bits_of_each() {
    let data = blocks::sample(50);
    for (name, codec) in blocks::every_codec() {
        let bytes = codec.block_bytes().bytes();
        let mut sizes = vec![0; data.len() / bytes];
        let (mut at_once, mut one_by_one) = (BitWriter::new(), BitWriter::new());
        codec.compress_each(&data, &mut at_once, &mut sizes);
        data.chunks_exact(bytes).for_each(|block| codec.compress(block, &mut one_by_one));
        assert_eq!(at_once.pad_to_bytes(), one_by_one.pad_to_bytes(), "{name}");
        let each: Vec<u32> = data.chunks_exact(bytes).map(|block| codec.size_bits(block)).collect();
        assert_eq!(sizes, each, "{name}");
    }
}

#[test]
fn many_blocks_at_once_have_the_sizes_of_each() {
    let data = blocks::sample(50);
    for (name, codec) in blocks::every_codec() {
        let bytes = codec.block_bytes().bytes();
        let mut sizes = vec![0; data.len() / bytes];
        codec.sizes_bits(&data, &mut sizes);
        let each: Vec<u32> = data.chunks_exact(bytes).map(|block| codec.size_bits(block)).collect();
        assert_eq!(sizes, each, "{name}");
    }
}

#[test]
fn many_blocks_at_once_decode_as_each_does() {
    let data = blocks::sample(23);
    for (name, codec) in blocks::every_codec() {
        let bytes = codec.block_bytes().bytes();
        let mut out = BitWriter::new();
        let mut sizes = Vec::new();
        for block in data.chunks_exact(bytes) {
            let start = out.len_bits();
            codec.compress(block, &mut out);
            sizes.push((out.len_bits() - start) as u32);
        }
        let stream = out.pad_to_bytes();
        let encodings: Vec<BitReader<'_>> = Encodings::whole(stream, &sizes).unwrap().cut(&sizes).collect();
        for count in [0, 1, 2, 5, encodings.len()] {
            let mut back = vec![0xa5; count * bytes];
            assert_eq!(codec.decompress_each(&encodings[..count], &mut back), Ok(()), "{name}");
            assert_eq!(back, data[..count * bytes], "{name}, {count} blocks");
        }
    }
}

#[test]
fn counts_that_trainers_share_train_as_the_blocks_do() {
    let (first, second) = (blocks::sample(300), blocks::sample(40));
    let mut sharing = 0;
    for entry in registry::ENTRIES {
        let spec = registry::CodecSpec::parse(entry.name, entry.blocks[0]).unwrap();
        let (mut alone, mut with_counts) = (spec.trainer(), spec.trainer());
        let mut counts = WordCounts::of([with_counts.learns_from()]);
        for sample in [&first, &second] {
            alone.observe(sample);
            counts.observe(sample);
        }
        if with_counts.learns_from() != LearnsFrom::Blocks {
            with_counts.observe_counts(&counts);
            assert_eq!(with_counts.finish().tables(), alone.finish().tables(), "{}", entry.name);
            sharing += 1;
        }
    }
    assert_eq!(sharing, 5, "sc and the four widths of e2mc");
}

#[test]
fn tables_load_back_to_the_same_codec() {
    let sample = blocks::sample(128);
    for entry in registry::ENTRIES {
        for &block in entry.blocks {
            let spec = registry::CodecSpec::parse(entry.name, block).unwrap();
            let codec = spec.build(&sample);
            let loaded = spec.load(&codec.tables()).unwrap();
            for chunk in sample.chunks_exact(block.bytes()) {
                let (mut ours, mut theirs) = (BitWriter::new(), BitWriter::new());
                codec.compress(chunk, &mut ours);
                loaded.compress(chunk, &mut theirs);
                assert_eq!(ours.len_bits(), theirs.len_bits(), "{}", entry.name);
                assert_eq!(ours.pad_to_bytes(), theirs.pad_to_bytes(), "{}", entry.name);
            }
        }
    }
}

/// Runs `check` on every codec with the beginning of each generated block; a failure names the codec.
fn for_every_codec_and_block(check: fn(&dyn BlockCodec, &[u8])) {
    let codecs = blocks::every_codec();
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&blocks::block(), |block| {
        for (name, codec) in &codecs {
            let whole = &block[..codec.block_bytes().bytes()];
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&**codec, whole)));
            prop_assert!(outcome.is_ok(), "{} fails", name);
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}
