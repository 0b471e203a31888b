//! Makes fat binaries, for compilers that leave it to others (clang without a CUDA toolkit) and for tests.

use super::{ENTRY_HEADER_BYTES, FLAG_LZ4, FLAG_ZSTD, HEADER_BYTES, KIND_PTX, MAGIC, Ptx};

const VERSION: u16 = 1;
/// Payloads end at multiples of this.
const ALIGN_BYTES: usize = 8;

/// How the text of an entry is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As it is.
    Plain,
    /// An LZ4 block. Ours has literals only: it is for readers, not for small files.
    Lz4,
    /// A zstd frame.
    Zstd,
}

/// A fat binary with an entry for each of `sources`.
pub fn write(sources: &[Ptx], packing: Packing) -> std::io::Result<Vec<u8>> {
    let mut entries = Vec::new();
    for source in sources {
        write_entry(&mut entries, source, packing)?;
    }
    let mut binary = MAGIC.to_le_bytes().to_vec();
    binary.extend(VERSION.to_le_bytes());
    binary.extend((HEADER_BYTES as u16).to_le_bytes());
    binary.extend((entries.len() as u64).to_le_bytes());
    binary.extend(entries);
    Ok(binary)
}

fn write_entry(out: &mut Vec<u8>, source: &Ptx, packing: Packing) -> std::io::Result<()> {
    let mut text = source.text.clone().into_bytes();
    text.push(0);
    let (flags, data) = match packing {
        Packing::Plain => (0, text.clone()),
        Packing::Lz4 => (FLAG_LZ4, literals(&text)),
        Packing::Zstd => (FLAG_ZSTD, zstd::stream::encode_all(text.as_slice(), 0)?),
    };
    let padded_bytes = data.len().next_multiple_of(ALIGN_BYTES);
    let compressed_bytes = if packing == Packing::Plain { 0 } else { data.len() as u32 };
    let mut header = [0; ENTRY_HEADER_BYTES];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &KIND_PTX.to_le_bytes());
    put(2, &VERSION.to_le_bytes());
    put(4, &(ENTRY_HEADER_BYTES as u32).to_le_bytes());
    put(8, &(padded_bytes as u64).to_le_bytes());
    put(16, &compressed_bytes.to_le_bytes());
    put(28, &source.architecture.to_le_bytes());
    put(40, &u64::to_le_bytes(flags));
    put(56, &(text.len() as u64).to_le_bytes());
    out.extend(header);
    out.extend(&data);
    out.resize(out.len() + padded_bytes - data.len(), 0);
    Ok(())
}

/// One sequence of literals.
fn literals(text: &[u8]) -> Vec<u8> {
    let mut block = vec![(text.len().min(15) << 4) as u8];
    if let Some(mut more) = text.len().checked_sub(15) {
        while more >= 255 {
            block.push(255);
            more -= 255;
        }
        block.push(more as u8);
    }
    block.extend(text);
    block
}
