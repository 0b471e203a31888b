//! Writes the corpus of the fuzz targets: `fuzz_seeds FOLDER` makes `FOLDER/<target>[-<codec>]/…`, and prints the
//! codecs' names.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::error::Error;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use shrinkwarp_codec::datasets::DATASETS;
use shrinkwarp_codec::registry::{CodecSpec, ENTRIES};
use shrinkwarp_codec::{BitWriter, BlockBytes};
use shrinkwarp_formats::container::Writer;

type Written = Result<(), Box<dyn Error>>;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../codec/vectors");

fn main() -> Written {
    let folder = std::env::args().nth(1).ok_or("usage: fuzz_seeds FOLDER")?;
    let folder = Path::new(&folder);
    for entry in ENTRIES {
        decoder_seeds(folder, entry.name)?;
        println!("{}", entry.name);
    }
    reader_seeds(folder)
}

/// The bits of the codec's vectors, and encodings of a few blocks of every data set.
fn decoder_seeds(folder: &Path, name: &str) -> Written {
    let target = folder.join(format!("decoder-{name}"));
    let vectors = Path::new(VECTORS).join(name);
    if vectors.is_dir() {
        for file in fs::read_dir(vectors)? {
            let file = file?;
            let text = fs::read_to_string(file.path())?;
            write(&target, &file.file_name().to_string_lossy(), &vector_input(&text))?;
        }
    }
    for (choice, block) in BlockBytes::ALL.into_iter().enumerate() {
        let Ok(spec) = CodecSpec::parse(name, block) else { continue };
        for set in DATASETS {
            let sample = &set.bytes(1)[..1 << 16];
            let codec = spec.build(sample);
            let mut bits = BitWriter::new();
            codec.compress(&sample[..block.bytes()], &mut bits);
            let unused = (8 - bits.len_bits() % 8) % 8;
            let encoding = [&[choice as u8, unused as u8][..], bits.pad_to_bytes()].concat();
            write(&target, &format!("{}-{}", set.name, block.bytes()), &encoding)?;
            let tables = codec.tables();
            if let Ok(len @ 1..) = u16::try_from(tables.len()) {
                let [low, high] = len.to_le_bytes();
                let input = [&[choice as u8, low, high][..], &tables, &sample[..block.bytes()]].concat();
                write(
                    &folder.join(format!("tables-{name}")),
                    &format!("{}-{}", set.name, block.bytes()),
                    &input,
                )?;
            }
        }
    }
    Ok(())
}

/// The `bits:` of a vector file as input of the decoder target. The last block size is the vectors' usual one.
fn vector_input(text: &str) -> Vec<u8> {
    let mut digits = String::new();
    let mut is_inside = false;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        is_inside = line.starts_with("bits:") || is_inside && line.starts_with(' ');
        if is_inside {
            digits.extend(line.chars().filter(|character| matches!(character, '0' | '1')));
        }
    }
    let unused = (8 - digits.len() % 8) % 8;
    let mut bits = BitWriter::new();
    digits.bytes().for_each(|digit| bits.put(u64::from(digit - b'0'), 1));
    [&[2, unused as u8][..], bits.pad_to_bytes()].concat()
}

fn reader_seeds(folder: &Path) -> Written {
    let content = &DATASETS[2].bytes(1)[..1000];
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    let dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (25, 10), }\n";
    npy.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
    npy.extend_from_slice(dictionary.as_bytes());
    npy.extend_from_slice(content);
    write(&folder.join("npy"), "plain", &npy)?;

    for (name, method) in
        [("stored", zip::CompressionMethod::Stored), ("deflated", zip::CompressionMethod::Deflated)]
    {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("a.npy", zip::write::SimpleFileOptions::default().compression_method(method))?;
        archive.write_all(&npy)?;
        write(&folder.join("npz"), name, &archive.finish()?.into_inner())?;
    }

    let header = r#"{"a":{"dtype":"F32","shape":[250],"data_offsets":[0,1000]}}"#;
    let safetensors = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), content].concat();
    write(&folder.join("safetensors"), "plain", &safetensors)?;

    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(content)?;
    write(&folder.join("expand"), "gzip", &gzip.finish()?)?;
    write(&folder.join("expand"), "zstd", &zstd::encode_all(content, 3)?)?;

    for entry in ENTRIES {
        let spec = CodecSpec::parse(entry.name, *entry.blocks.last().ok_or("a codec has a block size")?)?;
        let codec = spec.build(&content[..896]);
        let mut container = Vec::new();
        Writer { spec: &spec, codec: &*codec }.encode(&mut &*content, &mut container, &|_| {})?;
        write(&folder.join("container"), entry.name, &container)?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Written {
    fs::create_dir_all(folder)?;
    Ok(fs::write(folder.join(name), bytes)?)
}
