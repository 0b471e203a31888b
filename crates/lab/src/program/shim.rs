//! A shared library without code that replaces `libcudart.so.N`: it has the version that programs ask for, and needs
//! our runtime library, where the loader then finds the functions.
//!
//! NVIDIA's libraries have one symbol version, named like the library, and programs linked with them ask for it. The
//! loader wants that version in the library of that name and warns without it. It takes the functions from any library
//! that has no versions at all, such as ours. So one library serves every version, and only these few hundred bytes
//! differ.
//!
//! | offset | what                                                                       |
//! |--------|----------------------------------------------------------------------------|
//! | 0      | ELF header                                                                 |
//! | 64     | three program headers: the file as one segment, its dynamic section, stack |
//! | 232    | dynamic section                                                            |
//! | then   | an empty symbol and its version, versions, strings                         |
//!
//! The layout is that of the System V ABI (ELF64) and, for versions, of the LSB's "Symbol Versioning".

/// Bytes of the parts in front of the strings.
const ELF_HEADER_BYTES: usize = 64;
const PROGRAM_HEADER_BYTES: usize = 56;
const PROGRAM_HEADERS: usize = 3;
const DYNAMIC_ENTRY_BYTES: usize = 16;
const DYNAMIC_ENTRIES: usize = 10;
const SYMBOL_BYTES: usize = 24;
/// The version of each symbol, padded.
const SYMBOL_VERSION_BYTES: usize = 8;
/// A version definition and its one name.
const VERSION_BYTES: usize = 20 + 8;

const DYNAMIC_AT: usize = ELF_HEADER_BYTES + PROGRAM_HEADERS * PROGRAM_HEADER_BYTES;
const SYMBOL_AT: usize = DYNAMIC_AT + DYNAMIC_ENTRIES * DYNAMIC_ENTRY_BYTES;
const SYMBOL_VERSION_AT: usize = SYMBOL_AT + SYMBOL_BYTES;
const VERSIONS_AT: usize = SYMBOL_VERSION_AT + SYMBOL_VERSION_BYTES;
/// The library itself, then the version, as every linker writes them.
const VERSION_COUNT: usize = 2;
const STRINGS_AT: usize = VERSIONS_AT + VERSION_COUNT * VERSION_BYTES;

const PAGE_BYTES: u64 = 4096;

#[cfg(target_arch = "x86_64")]
const MACHINE: u16 = 62;
#[cfg(target_arch = "aarch64")]
const MACHINE: u16 = 183;

/// A library with this name and version that needs another, named by its path.
pub fn shim(name: &str, needed: &[u8]) -> Vec<u8> {
    let mut strings = vec![0];
    let name_at = add_string(&mut strings, name.as_bytes());
    let needed_at = add_string(&mut strings, needed);
    let mut file = Vec::new();
    put_header(&mut file);
    put_segments(&mut file, STRINGS_AT + strings.len());
    put_dynamic(&mut file, name_at, needed_at, strings.len());
    file.resize(VERSIONS_AT, 0);
    put_versions(&mut file, name, name_at);
    file.extend(strings);
    file
}

fn add_string(strings: &mut Vec<u8>, text: &[u8]) -> u64 {
    let at = strings.len() as u64;
    strings.extend(text);
    strings.push(0);
    at
}

fn put_header(file: &mut Vec<u8>) {
    const LITTLE_ENDIAN_64_BIT: [u8; 16] = [0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const SHARED_OBJECT: u16 = 3;
    file.extend(LITTLE_ENDIAN_64_BIT);
    put16(file, &[SHARED_OBJECT, MACHINE]);
    put32(file, &[1]);
    put64(file, &[0, ELF_HEADER_BYTES as u64, 0]);
    put32(file, &[0]);
    put16(file, &[ELF_HEADER_BYTES as u16, PROGRAM_HEADER_BYTES as u16, PROGRAM_HEADERS as u16, 64, 0, 0]);
}

fn put_segments(file: &mut Vec<u8>, file_bytes: usize) {
    const LOAD: u32 = 1;
    const DYNAMIC: u32 = 2;
    const GNU_STACK: u32 = 0x6474_e551;
    // The loader writes addresses into the dynamic section; nothing is executed, least of all the stack.
    const READ_WRITE: u32 = 6;
    let dynamic_bytes = DYNAMIC_ENTRIES * DYNAMIC_ENTRY_BYTES;
    let segments = [
        (LOAD, 0, file_bytes as u64, PAGE_BYTES),
        (DYNAMIC, DYNAMIC_AT as u64, dynamic_bytes as u64, 8),
        (GNU_STACK, 0, 0, 16),
    ];
    for (kind, at, bytes, align) in segments {
        put32(file, &[kind, READ_WRITE]);
        put64(file, &[at, at, at, bytes, bytes, align]);
    }
}

fn put_dynamic(file: &mut Vec<u8>, name_at: u64, needed_at: u64, string_bytes: usize) {
    const NEEDED: u64 = 1;
    const STRINGS: u64 = 5;
    const SYMBOLS: u64 = 6;
    const STRING_BYTES: u64 = 10;
    const SYMBOL_ENTRY_BYTES: u64 = 11;
    const SONAME: u64 = 14;
    const SYMBOL_VERSIONS: u64 = 0x6fff_fff0;
    const VERSIONS: u64 = 0x6fff_fffc;
    const VERSION_NUMBER: u64 = 0x6fff_fffd;
    const END: u64 = 0;
    let entries: [(u64, u64); DYNAMIC_ENTRIES] = [
        (NEEDED, needed_at),
        (SONAME, name_at),
        (STRINGS, STRINGS_AT as u64),
        (SYMBOLS, SYMBOL_AT as u64),
        (STRING_BYTES, string_bytes as u64),
        (SYMBOL_ENTRY_BYTES, SYMBOL_BYTES as u64),
        (SYMBOL_VERSIONS, SYMBOL_VERSION_AT as u64),
        (VERSIONS, VERSIONS_AT as u64),
        (VERSION_NUMBER, VERSION_COUNT as u64),
        (END, 0),
    ];
    for (tag, value) in entries {
        put64(file, &[tag, value]);
    }
}

fn put_versions(file: &mut Vec<u8>, name: &str, name_at: u64) {
    const OF_THE_FILE_ITSELF: u16 = 1;
    for index in 1..=VERSION_COUNT {
        let flags = if index == 1 { OF_THE_FILE_ITSELF } else { 0 };
        let next = if index == VERSION_COUNT { 0 } else { VERSION_BYTES as u32 };
        put16(file, &[1, flags, index as u16, 1]);
        put32(file, &[elf_hash(name), 20, next]);
        put32(file, &[name_at as u32, 0]);
    }
}

/// The hash of the System V ABI.
fn elf_hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add(u32::from(byte));
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

fn put16(file: &mut Vec<u8>, values: &[u16]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn put32(file: &mut Vec<u8>, values: &[u32]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn put64(file: &mut Vec<u8>, values: &[u64]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_abi() {
        // As in the version needs of a program that nvcc 13 links.
        assert_eq!(elf_hash("libcudart.so.13"), 0x0ff3_db23);
    }

    #[test]
    fn every_part_begins_where_the_headers_say() {
        let file = shim("libcudart.so.12", b"/x/y.so");
        let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
        assert_eq!(word(DYNAMIC_AT), 1, "the first entry names the library that is needed");
        let needed_at = STRINGS_AT + word(DYNAMIC_AT + 8) as usize;
        assert_eq!(&file[needed_at..], b"/x/y.so\0");
        assert_eq!(&file[STRINGS_AT..needed_at], b"\0libcudart.so.12\0");
        assert_eq!(word(ELF_HEADER_BYTES + 32), file.len() as u64, "the segment is the whole file");
    }
}
