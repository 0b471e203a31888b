//! Reads a worked example: one text file under `vectors/`, in the form that `docs/formats/vectors.md` gives.

#![expect(clippy::panic, reason = "a vector that cannot be read must stop the test and say where")]

use std::fs;
use std::path::{Path, PathBuf};

use half::{bf16, f16};
use shrinkwarp_codec::{BitWriter, BlockBytes, BlockCodec, registry};

/// One worked example.
pub struct Vector {
    /// Folder and file, for messages.
    pub name: String,
    pub spec: String,
    pub block_bytes: BlockBytes,
    pub train: Vec<u8>,
    pub block: Vec<u8>,
    pub expected: Expected,
}

/// What the encoding must be.
pub enum Expected {
    /// Exactly these binary digits.
    Bits(String),
    /// A length, where the stream is too long to write by hand.
    SizeBits(usize),
}

impl Vector {
    pub fn codec(&self) -> Box<dyn BlockCodec> {
        registry::build(&self.spec, self.block_bytes, &self.train)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The bits as the file gives them, so that decoding does not depend on our own compressor.
    pub fn encoding(&self) -> String {
        match &self.expected {
            Expected::Bits(bits) => bits.clone(),
            Expected::SizeBits(size) => {
                let mut out = BitWriter::new();
                self.codec().compress(&self.block, &mut out);
                assert_eq!(out.len_bits(), *size, "{}", self.name);
                digits(&mut out)
            }
        }
    }

    fn parse(name: String, text: &str) -> Self {
        let mut spec = None;
        let mut block_bytes = None;
        let mut train = Vec::new();
        let mut block = Vec::new();
        let mut bits = String::new();
        let mut size_bits = None;
        let mut key = String::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let at = format!("{name}:{}", number + 1);
            let values = match line.split_once(':') {
                // A spec has colons of its own; only a known key starts a field.
                Some((word, rest)) if is_key(word.trim()) => {
                    word.trim().clone_into(&mut key);
                    rest.trim()
                }
                _ => line,
            };
            match key.as_str() {
                "spec" => spec = Some(values.to_owned()),
                "block" => block_bytes = BlockBytes::from_bytes(values.parse().unwrap()),
                "bits" => bits.extend(values.chars().filter(|digit| !digit.is_whitespace())),
                "size" => size_bits = Some(values.parse().unwrap()),
                field => match field.strip_prefix("train ") {
                    Some(element) => append_elements(&mut train, element, values, &at),
                    None => append_elements(&mut block, field, values, &at),
                },
            }
        }
        let expected = match size_bits {
            Some(size) => Expected::SizeBits(size),
            None => Expected::Bits(bits),
        };
        let block_bytes = block_bytes.unwrap_or_else(|| panic!("{name}: no valid `block:` line"));
        assert_eq!(block.len(), block_bytes.bytes(), "{name}: the block's elements do not fill it");
        assert_eq!(train.len() % block_bytes.bytes(), 0, "{name}: the sample is not whole blocks");
        let spec = spec.unwrap_or_else(|| panic!("{name}: no `spec:` line"));
        Self { name, spec, block_bytes, train, block, expected }
    }
}

/// Every vector of every codec, in the order of their paths.
pub fn all() -> Vec<Vector> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut vectors = Vec::new();
    for folder in sorted_entries(&root) {
        for file in sorted_entries(&folder) {
            let text = fs::read_to_string(&file).unwrap();
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            vectors.push(Vector::parse(name, &text));
        }
    }
    vectors
}

/// The encoding as binary digits.
pub fn digits(out: &mut BitWriter) -> String {
    let len_bits = out.len_bits();
    let bytes = out.pad_to_bytes();
    (0..len_bits).map(|bit| if bytes[bit / 8] << (bit % 8) & 0x80 == 0 { '0' } else { '1' }).collect()
}

fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

const ELEMENTS: [&str; 12] =
    ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64"];

fn is_key(word: &str) -> bool {
    let element = word.strip_prefix("train ").unwrap_or(word);
    ["spec", "block", "bits", "size"].contains(&word) || ELEMENTS.contains(&element)
}

/// Appends a list such as `1 -3 0x10 0*28`, little-endian.
fn append_elements(bytes: &mut Vec<u8>, element: &str, list: &str, at: &str) {
    for item in list.split_whitespace() {
        let (value, count) = match item.split_once('*') {
            Some((value, count)) => (value, count.parse().unwrap()),
            None => (item, 1),
        };
        let one =
            element_bytes(element, value).unwrap_or_else(|| panic!("{at}: {value:?} is not a {element}"));
        bytes.extend(one.repeat(count));
    }
}

fn element_bytes(element: &str, value: &str) -> Option<Vec<u8>> {
    let float = || value.parse::<f64>().ok();
    Some(match element {
        "f16" => f16::from_f64(float()?).to_le_bytes().to_vec(),
        "bf16" => bf16::from_f64(float()?).to_le_bytes().to_vec(),
        "f32" => (float()? as f32).to_le_bytes().to_vec(),
        "f64" => float()?.to_le_bytes().to_vec(),
        integer => {
            let width = integer[1..].parse::<usize>().ok()? / 8;
            let number = match value.strip_prefix("0x") {
                Some(digits) => i128::from_str_radix(digits, 16).ok()?,
                None => value.parse().ok()?,
            };
            let limit = 1i128 << (8 * width);
            if !(-limit / 2..limit).contains(&number) {
                return None;
            }
            number.to_le_bytes()[..width].to_vec()
        }
    })
}
