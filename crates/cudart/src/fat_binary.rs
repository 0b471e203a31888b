//! Fat binaries: what a CUDA compiler puts into a program for the GPU.
//!
//! The layout is known from the binaries that nvcc, `fatbinary` and clang write; all numbers are little-endian.
//!
//! | container, at | bytes | field                                  |
//! |---------------|-------|----------------------------------------|
//! | 0             | 4     | magic, `0xba55ed50`                    |
//! | 4             | 2     | version                                |
//! | 6             | 2     | bytes of this header, 16               |
//! | 8             | 8     | bytes of the entries that follow       |
//!
//! | entry, at | bytes | field                                                                  |
//! |-----------|-------|------------------------------------------------------------------------|
//! | 0         | 2     | kind: 1 PTX, 2 machine code; others are skipped                        |
//! | 4         | 4     | bytes of this header: 64, 72 or 80                                     |
//! | 8         | 8     | bytes of the payload, padding included                                 |
//! | 16        | 4     | bytes of the payload that are compressed data; 0 when it is plain      |
//! | 28        | 4     | architecture: 70 for `compute_70`                                      |
//! | 40        | 8     | flags: `0x2000` an LZ4 block, `0x8000` a zstd frame, neither plain     |
//! | 56        | 8     | bytes of the expanded payload                                          |
//!
//! Our choices: of several PTX entries the one for the newest architecture is taken; a NUL ends the text. Machine code is
//! not run. The newest tells how many registers its compiler gave each kernel.

mod bytes;
mod lz4;
mod machine_code;
mod write;

use std::fmt;
use std::io::Read;

use bytes::{read_u16, read_u32, read_u64};

pub use write::{Packing, write};

/// First word of a container.
pub const MAGIC: u32 = 0xba55_ed50;
/// Bytes of a container's header.
pub const HEADER_BYTES: usize = 16;

const ENTRY_HEADER_BYTES: usize = 64;
const KIND_PTX: u16 = 1;
const KIND_MACHINE_CODE: u16 = 2;
const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
/// More text than any program has; a corrupt length must not exhaust the host.
const MAX_TEXT_BYTES: u64 = 1 << 30;

/// PTX found in a fat binary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ptx {
    /// 70 for `compute_70`.
    pub architecture: u32,
    /// The source.
    pub text: String,
    /// Registers per thread of kernels, where there is machine code of them, too.
    pub registers: Vec<(String, u32)>,
}

impl Ptx {
    /// PTX without machine code.
    pub fn new(architecture: u32, text: String) -> Self {
        Self { architecture, text, registers: Vec::new() }
    }
}

/// Why a fat binary gives no PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FatBinaryError {
    /// It does not begin as a fat binary does.
    NotAFatBinary,
    /// It ends before something that it announces.
    Truncated {
        /// Where the thing begins.
        at_byte: usize,
    },
    /// An entry header too small to be one.
    BadEntry {
        /// Where it begins.
        at_byte: usize,
    },
    /// Compressed data that cannot be expanded.
    BadCompression {
        /// Where the entry begins.
        at_byte: usize,
        /// What is wrong.
        reason: String,
    },
    /// PTX that is not text.
    NotText,
    /// Machine code only.
    NoPtx {
        /// Architectures of the machine code.
        architectures: Vec<u32>,
    },
}

impl fmt::Display for FatBinaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFatBinary => write!(f, "not a fat binary: it does not begin with {MAGIC:#x}"),
            Self::Truncated { at_byte } => {
                write!(f, "the fat binary ends inside what begins at byte {at_byte}")
            }
            Self::BadEntry { at_byte } => write!(f, "the entry at byte {at_byte} has no valid header"),
            Self::BadCompression { at_byte, reason } => {
                write!(f, "the entry at byte {at_byte} cannot be expanded: {reason}")
            }
            Self::NotText => f.write_str("the PTX is not text"),
            Self::NoPtx { architectures } => {
                let found: Vec<_> = architectures.iter().map(|number| format!("sm_{number}")).collect();
                let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
                write!(f, "no PTX, only {found}; compile with -gencode arch=compute_70,code=compute_70")
            }
        }
    }
}

impl std::error::Error for FatBinaryError {}

/// The PTX of a fat binary, that for the newest architecture.
pub fn read_ptx(binary: &[u8]) -> Result<Ptx, FatBinaryError> {
    let entries = entries(binary)?;
    let newest = entries.iter().filter(|entry| entry.is_ptx).max_by_key(|entry| entry.architecture);
    match newest {
        Some(entry) => Ok(Ptx {
            architecture: entry.architecture,
            text: entry.text()?,
            registers: registers_of(&entries),
        }),
        None => Err(FatBinaryError::NoPtx {
            architectures: entries.iter().map(|entry| entry.architecture).collect(),
        }),
    }
}

/// Registers per thread of the kernels in a fat binary's machine code, that for the newest architecture.
pub fn read_registers(binary: &[u8]) -> Vec<(String, u32)> {
    entries(binary).map(|entries| registers_of(&entries)).unwrap_or_default()
}

fn registers_of(entries: &[Entry<'_>]) -> Vec<(String, u32)> {
    let newest = entries.iter().filter(|entry| entry.is_machine_code).max_by_key(|entry| entry.architecture);
    let code = newest.and_then(|entry| entry.expand().ok());
    code.map(|code| machine_code::registers(&code)).unwrap_or_default()
}

/// Bytes of the whole container, by its header.
pub fn container_bytes(header: &[u8]) -> Result<usize, FatBinaryError> {
    let magic = read_u32(header, 0).ok_or(FatBinaryError::Truncated { at_byte: 0 })?;
    if magic != MAGIC {
        return Err(FatBinaryError::NotAFatBinary);
    }
    let truncated = FatBinaryError::Truncated { at_byte: 0 };
    let (Some(header_bytes), Some(bytes)) = (read_u16(header, 6), read_u64(header, 8)) else {
        return Err(truncated);
    };
    usize::try_from(bytes)
        .ok()
        .and_then(|bytes| bytes.checked_add(usize::from(header_bytes)))
        .ok_or(truncated)
}

/// One entry, not yet expanded.
struct Entry<'a> {
    at_byte: usize,
    is_ptx: bool,
    is_machine_code: bool,
    architecture: u32,
    flags: u64,
    expanded_bytes: u64,
    payload: &'a [u8],
}

fn entries(binary: &[u8]) -> Result<Vec<Entry<'_>>, FatBinaryError> {
    let end = container_bytes(binary)?;
    let binary = binary.get(..end).ok_or(FatBinaryError::Truncated { at_byte: 0 })?;
    let mut at_byte = usize::from(read_u16(binary, 6).unwrap_or(0)).max(HEADER_BYTES);
    let mut entries = Vec::new();
    while at_byte < end {
        let (entry, next) = read_entry(binary, at_byte)?;
        entries.push(entry);
        at_byte = next;
    }
    Ok(entries)
}

/// The entry at a place, and where the next one begins.
fn read_entry(binary: &[u8], at_byte: usize) -> Result<(Entry<'_>, usize), FatBinaryError> {
    let truncated = FatBinaryError::Truncated { at_byte };
    let rest = &binary[at_byte..];
    if rest.len() < ENTRY_HEADER_BYTES {
        return Err(truncated);
    }
    let (Some(kind), Some(header_bytes), Some(payload_bytes)) =
        (read_u16(rest, 0), read_u32(rest, 4), read_u64(rest, 8))
    else {
        return Err(truncated);
    };
    let header_bytes = header_bytes as usize;
    if header_bytes < ENTRY_HEADER_BYTES {
        return Err(FatBinaryError::BadEntry { at_byte });
    }
    let padded = usize::try_from(payload_bytes)
        .ok()
        .and_then(|bytes| rest.get(header_bytes..header_bytes.checked_add(bytes)?))
        .ok_or(truncated)?;
    let data_bytes = match read_u32(rest, 16).unwrap_or(0) as usize {
        0 => padded.len(),
        bytes => bytes.min(padded.len()),
    };
    let entry = Entry {
        at_byte,
        is_ptx: kind == KIND_PTX,
        is_machine_code: kind == KIND_MACHINE_CODE,
        architecture: read_u32(rest, 28).unwrap_or(0),
        flags: read_u64(rest, 40).unwrap_or(0),
        expanded_bytes: read_u64(rest, 56).unwrap_or(0),
        payload: &padded[..data_bytes],
    };
    Ok((entry, at_byte + header_bytes + padded.len()))
}

impl Entry<'_> {
    fn text(&self) -> Result<String, FatBinaryError> {
        let mut bytes = self
            .expand()
            .map_err(|reason| FatBinaryError::BadCompression { at_byte: self.at_byte, reason })?;
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        String::from_utf8(bytes).map_err(|_| FatBinaryError::NotText)
    }

    fn expand(&self) -> Result<Vec<u8>, String> {
        if self.flags & (FLAG_LZ4 | FLAG_ZSTD) == 0 {
            return Ok(self.payload.to_vec());
        }
        if self.expanded_bytes > MAX_TEXT_BYTES {
            return Err(format!(
                "it expands to {} bytes; at most {MAX_TEXT_BYTES} are allowed",
                self.expanded_bytes
            ));
        }
        if self.flags & FLAG_ZSTD == 0 {
            return lz4::decompress(self.payload, self.expanded_bytes as usize).map_err(str::to_owned);
        }
        let mut text = Vec::new();
        zstd::stream::read::Decoder::new(self.payload)
            .and_then(|decoder| decoder.take(self.expanded_bytes).read_to_end(&mut text))
            .map_err(|error| error.to_string())?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests;
