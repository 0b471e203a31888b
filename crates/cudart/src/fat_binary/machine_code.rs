//! What machine code says of its kernels: how many registers the compiler gave them.
//!
//! Machine code is a 64-bit ELF file. Its section `.nv.info` is a list of attributes, each with a head of four bytes:
//!
//! | at | bytes | field                                                             |
//! |----|-------|-------------------------------------------------------------------|
//! | 0  | 1     | format: 4 has as many bytes behind the head as `size` says, others none |
//! | 1  | 1     | which attribute: `0x2f` is the registers of a function            |
//! | 2  | 2     | `size`, or the value itself                                       |
//! | 4  | 4     | of the registers: number of the function in the table of symbols  |
//! | 8  | 4     | of the registers: how many                                        |

use super::bytes::{read_u16, read_u32, read_u64};

const ELF_MAGIC: u32 = 0x464c_457f;
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
const TYPE_SYMBOLS: u32 = 2;
const FORMAT_SIZED: u8 = 4;
const ATTRIBUTE_REGISTERS: u8 = 0x2f;
/// The compiler gives a thread no more.
const MOST_REGISTERS: u32 = 255;

/// Registers per thread of the functions of an ELF file, by name. What cannot be read is left out: they are estimated then.
pub fn registers(elf: &[u8]) -> Vec<(String, u32)> {
    let Some(sections) = sections(elf) else { return Vec::new() };
    let symbols = sections.iter().find(|section| section.kind == TYPE_SYMBOLS);
    let names = symbols.and_then(|symbols| sections.get(symbols.link));
    let (Some(symbols), Some(names)) = (symbols, names) else { return Vec::new() };
    let name_of = |function: u32| {
        let at = (function as usize).checked_mul(SYMBOL_BYTES)?;
        text_at(names.bytes, read_u32(symbols.bytes, at)?)
    };
    let info = sections.iter().filter(|section| section.name == ".nv.info");
    info.flat_map(|section| attributes(section.bytes))
        .filter_map(|(function, count)| Some((name_of(function)?.to_owned(), count)))
        .filter(|(_, count)| (1..=MOST_REGISTERS).contains(count))
        .collect()
}

struct Section<'a> {
    name: &'a str,
    kind: u32,
    /// For symbols, the section of their names.
    link: usize,
    bytes: &'a [u8],
}

fn sections(elf: &[u8]) -> Option<Vec<Section<'_>>> {
    if read_u32(elf, 0)? != ELF_MAGIC {
        return None;
    }
    let start = usize::try_from(read_u64(elf, 0x28)?).ok()?;
    let (count, names_at) = (usize::from(read_u16(elf, 0x3c)?), usize::from(read_u16(elf, 0x3e)?));
    let header = |number: usize| {
        let at = start.checked_add(number.checked_mul(SECTION_BYTES)?)?;
        elf.get(at..at.checked_add(SECTION_BYTES)?)
    };
    let content = |header: &[u8]| {
        let at = usize::try_from(read_u64(header, 24)?).ok()?;
        let end = at.checked_add(usize::try_from(read_u64(header, 32)?).ok()?)?;
        elf.get(at..end)
    };
    let names = content(header(names_at)?)?;
    let section = |number: usize| {
        let header = header(number)?;
        Some(Section {
            name: text_at(names, read_u32(header, 0)?)?,
            kind: read_u32(header, 4)?,
            link: read_u32(header, 40)? as usize,
            // Sections without content, as those of shared memory, have sizes all the same.
            bytes: content(header).unwrap_or_default(),
        })
    };
    (0..count).map(section).collect()
}

/// Function and registers of every attribute that has them.
fn attributes(info: &[u8]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let (Some(&format), Some(&which), Some(size)) =
        (info.get(at), info.get(at + 1), read_u16(info, at + 2))
    {
        if (format, which) == (FORMAT_SIZED, ATTRIBUTE_REGISTERS) {
            found.extend(read_u32(info, at + 4).zip(read_u32(info, at + 8)));
        }
        at += 4 + if format == FORMAT_SIZED { usize::from(size) } else { 0 };
    }
    found
}

/// The text that begins at a place and ends with a NUL.
fn text_at(bytes: &[u8], at: u32) -> Option<&str> {
    let text = bytes.get(at as usize..)?;
    let end = text.iter().position(|&byte| byte == 0)?;
    std::str::from_utf8(&text[..end]).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Machine code without code: two functions and their attributes.
    fn elf() -> Vec<u8> {
        let names = b"\0.strings\0.symbols\0.nv.info\0first\0second\0";
        let at =
            |name: &str| names.windows(name.len()).position(|part| part == name.as_bytes()).unwrap() as u32;
        let symbols: Vec<u8> = [0, at("first"), at("second")]
            .iter()
            .flat_map(|name| name.to_le_bytes().into_iter().chain([0; SYMBOL_BYTES - 4]))
            .collect();
        let mut info = vec![3, 0x1b, 0xff, 0];
        for (function, count) in [(2u32, 40u32), (1, 9), (1, 0)] {
            info.extend([4, 0x2f, 8, 0]);
            info.extend(function.to_le_bytes());
            info.extend(count.to_le_bytes());
        }
        let mut file = vec![0; 64];
        let mut headers = Vec::new();
        for (name, kind, link, content) in [
            (".strings", 3u32, 0u32, &names[..]),
            (".symbols", TYPE_SYMBOLS, 0, symbols.as_slice()),
            (".nv.info", 0x7000_0000, 0, info.as_slice()),
        ] {
            let mut header = [0; SECTION_BYTES];
            header[..4].copy_from_slice(&at(name).to_le_bytes());
            header[4..8].copy_from_slice(&kind.to_le_bytes());
            header[24..32].copy_from_slice(&(file.len() as u64).to_le_bytes());
            header[32..40].copy_from_slice(&(content.len() as u64).to_le_bytes());
            header[40..44].copy_from_slice(&link.to_le_bytes());
            headers.extend(header);
            file.extend(content);
        }
        let start = file.len() as u64;
        file[..4].copy_from_slice(&ELF_MAGIC.to_le_bytes());
        file[0x28..0x30].copy_from_slice(&start.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&3u16.to_le_bytes());
        file.extend(headers);
        file
    }

    #[test]
    fn every_function_has_the_registers_of_its_attribute() {
        assert_eq!(registers(&elf()), [("second".to_owned(), 40), ("first".to_owned(), 9)]);
    }

    #[test]
    fn every_truncation_and_other_files_give_nothing() {
        let elf = elf();
        for end in 0..elf.len() {
            assert_eq!(registers(&elf[..end]), [], "cut at {end}");
        }
        assert_eq!(registers(b"\x7fNOTELF"), []);
    }

    proptest! {
        #[test]
        fn a_changed_byte_gives_an_answer(at in any::<prop::sample::Index>(), value in any::<u8>()) {
            let mut elf = elf();
            let at = at.index(elf.len());
            elf[at] = value;
            prop_assert!(registers(&elf).len() <= 3);
        }
    }
}
