//! Does a container give back what went in, and refuse everything else?

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::datasets::DATASETS;
use shrinkwarp_codec::registry::{CodecSpec, ENTRIES};

use super::{ContainerError, FRAME_BLOCKS, Reader, Writer};

fn encode(spec: &CodecSpec, original: &[u8]) -> Vec<u8> {
    let whole = original.len() / spec.params.block.bytes() * spec.params.block.bytes();
    let codec = spec.build(&original[..whole]);
    let mut container = Vec::new();
    Writer { spec, codec: &*codec }.encode(&mut &*original, &mut container, &|_| {}).unwrap();
    container
}

fn decode(container: &[u8]) -> Result<Vec<u8>, ContainerError> {
    let mut original = Vec::new();
    Reader::open(container)?.decode(&mut original, &|_| {})?;
    Ok(original)
}

fn zero() -> CodecSpec {
    CodecSpec::parse("zero", BlockBytes::B64).unwrap()
}

#[test]
fn every_codec_and_block_size_gives_back_what_went_in() {
    let mut data = DATASETS[4].bytes(1);
    data.truncate(40_001);
    for entry in ENTRIES {
        for &block in entry.blocks {
            let spec = CodecSpec::parse(entry.name, block).unwrap();
            for len in [0, 1, block.bytes() - 1, block.bytes(), block.bytes() + 1, data.len()] {
                let container = encode(&spec, &data[..len]);
                assert!(decode(&container).unwrap() == data[..len], "{} {block} {len} bytes", entry.name);
            }
        }
    }
}

#[test]
fn more_than_a_batch_of_frames_comes_back_in_order() {
    let data = DATASETS[4].bytes(9);
    let spec = CodecSpec::parse("zero", BlockBytes::B32).unwrap();
    assert!(data.len() > 32 * FRAME_BLOCKS * super::FRAMES_AT_ONCE);
    assert!(decode(&encode(&spec, &data)).unwrap() == data);
}

#[test]
fn every_truncation_is_an_error_that_names_a_byte_inside() {
    let container = encode(&zero(), &[7; 200]);
    for len in 0..container.len() {
        match decode(&container[..len]) {
            Err(ContainerError::Format { at_byte, .. }) => assert!(at_byte <= len as u64),
            other => panic!("{len} bytes: {other:?}"),
        }
    }
}

#[test]
fn every_single_bit_flip_is_an_error() {
    let container = encode(&zero(), &[7; 200]);
    for bit in 0..container.len() * 8 {
        let mut damaged = container.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(decode(&damaged).is_err(), "bit {bit}");
    }
}

#[test]
fn bytes_after_the_end_are_an_error() {
    let mut container = encode(&zero(), b"abc");
    container.push(0);
    assert!(decode(&container).unwrap_err().to_string().contains("bytes follow the end"));
}

#[test]
fn a_hostile_table_length_fails_at_the_end_of_what_is_there() {
    let mut container = encode(&zero(), b"abc");
    container[14..18].copy_from_slice(&(64u32 << 20).to_le_bytes());
    assert!(decode(&container).unwrap_err().to_string().contains("ends inside its header"));
    container[14..18].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(decode(&container).unwrap_err().to_string().contains("at most 64 MiB"));
}
