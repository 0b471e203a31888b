//! Why a program does not find our runtime library: what its own file says about the libraries that it needs.
//!
//! Only ELF files of 64 bits, little-endian, are read; of any other program nothing is known.

use std::path::Path;

/// Libraries of NVIDIA's that are not here, by the start of their names.
const NOT_HERE: [&str; 12] = [
    "libcublas",
    "libcudnn",
    "libcufft",
    "libcurand",
    "libcusolver",
    "libcusparse",
    "libnccl",
    "libnpp",
    "libnvjpeg",
    "libnvrtc",
    "libnvToolsExt",
    "libcupti",
];

const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
const DT_RPATH: u64 = 15;

/// What a program's file says about its libraries.
#[derive(Debug, Default, PartialEq, Eq)]
struct Libraries {
    needed: Vec<String>,
    /// Folders that the loader searches before `LD_LIBRARY_PATH`.
    rpath: Option<String>,
}

/// What to do so that the program finds the library, if its file tells.
pub fn hint(program: &Path) -> Option<String> {
    let bytes = std::fs::read(program).ok()?;
    advice(&Libraries::read(&bytes)?, program)
}

/// Whether the loader gave a program our runtime library, as far as its file tells.
pub fn loads_runtime(program: &Path) -> bool {
    let libraries = std::fs::read(program).ok().and_then(|bytes| Libraries::read(&bytes));
    libraries.is_some_and(|libraries| advice(&libraries, program).is_none())
}

fn advice(libraries: &Libraries, program: &Path) -> Option<String> {
    let name = program.display();
    let has = |start: &str| libraries.needed.iter().any(|library| library.starts_with(start));
    let missing: Vec<&str> = libraries
        .needed
        .iter()
        .filter(|library| NOT_HERE.iter().any(|start| library.starts_with(start)))
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        return Some(format!(
            "{name} needs {}: only the CUDA runtime and the driver API are simulated, not this library",
            missing.join(", ")
        ));
    }
    if let (Some(rpath), true) = (&libraries.rpath, has("libcudart") || has("libcuda.so")) {
        return Some(format!(
            "{name} has DT_RPATH {rpath}, which the loader searches before LD_LIBRARY_PATH; link it with \
             -Wl,--enable-new-dtags or without -rpath"
        ));
    }
    if !has("libcudart") && !has("libcuda.so") {
        return Some(format!(
            "{name} needs neither libcudart nor libcuda: nvcc links the runtime statically unless it is given -cudart shared"
        ));
    }
    None
}

impl Libraries {
    fn read(file: &[u8]) -> Option<Self> {
        const ELF_64_LITTLE: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
        if !file.starts_with(&ELF_64_LITTLE) {
            return None;
        }
        let (at, step, count) = (number(file, 32, 8)?, number(file, 54, 2)?, number(file, 56, 2)?);
        let mut loads = Vec::new();
        let mut dynamic = None;
        for index in 0..count {
            let header = at.checked_add(index.checked_mul(step)?)?;
            let field = |offset: u64, bytes: usize| number(file, header.checked_add(offset)?, bytes);
            let (offset, address, bytes) = (field(8, 8)?, field(16, 8)?, field(32, 8)?);
            match field(0, 4)? as u32 {
                LOAD => loads.push((address, offset, bytes)),
                DYNAMIC => dynamic = Some((offset, bytes)),
                _ => {}
            }
        }
        let (start, bytes) = dynamic?;
        let entries: Vec<(u64, u64)> = (0..bytes / 16)
            .map_while(|index| {
                let at = start.checked_add(16 * index)?;
                Some((number(file, at, 8)?, number(file, at.checked_add(8)?, 8)?))
            })
            .take_while(|&(tag, _)| tag != 0)
            .collect();
        let table = entries.iter().find(|&&(tag, _)| tag == DT_STRTAB)?.1;
        let (address, offset, _) =
            loads.into_iter().find(|&(address, _, bytes)| table >= address && table - address < bytes)?;
        let strings = file.get(usize::try_from(table - address + offset).ok()?..)?;
        let text = |at: u64| {
            let rest = strings.get(usize::try_from(at).ok()?..)?;
            let end = rest.iter().position(|&byte| byte == 0)?;
            Some(String::from_utf8_lossy(&rest[..end]).into_owned())
        };
        Some(Self {
            needed: entries
                .iter()
                .filter(|&&(tag, _)| tag == DT_NEEDED)
                .filter_map(|&(_, at)| text(at))
                .collect(),
            rpath: entries.iter().find(|&&(tag, _)| tag == DT_RPATH).and_then(|&(_, at)| text(at)),
        })
    }
}

/// A little-endian number in a file.
fn number(file: &[u8], at: u64, bytes: usize) -> Option<u64> {
    let start = usize::try_from(at).ok()?;
    let found = file.get(start..start.checked_add(bytes)?)?;
    Some(found.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::shim::shim;

    fn advice_for(needed: &[&str], rpath: Option<&str>) -> Option<String> {
        let needed = needed.iter().map(|&name| name.to_owned()).collect();
        advice(&Libraries { needed, rpath: rpath.map(str::to_owned) }, Path::new("p"))
    }

    #[test]
    fn the_libraries_of_a_file_are_found() {
        let file = shim("libcudart.so.12", b"/x/libshrinkwarp_cudart.so");
        let libraries = Libraries::read(&file).unwrap();
        assert_eq!(libraries.needed, ["/x/libshrinkwarp_cudart.so"]);
        assert!(Libraries::read(b"#!/bin/sh\n").is_none());
        for end in 0..file.len() {
            let _ = Libraries::read(&file[..end]);
        }
    }

    #[test]
    fn a_program_that_needs_the_runtime_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = |needed: &[u8]| {
            let path = folder.path().join("program");
            std::fs::write(&path, shim("program", needed)).unwrap();
            path
        };
        assert!(loads_runtime(&file(b"libcudart.so.13")));
        assert!(!loads_runtime(&file(b"libc.so.6")));
        assert!(!loads_runtime(&folder.path().join("missing")));
    }

    #[test]
    fn a_hint_names_the_library_or_the_path() {
        assert!(
            advice_for(&["libcublas.so.12", "libcudart.so.12"], None).unwrap().contains("libcublas.so.12")
        );
        assert!(advice_for(&["libcudart.so.12"], Some("/opt/cuda/lib")).unwrap().contains("/opt/cuda/lib"));
        assert!(advice_for(&["libc.so.6"], None).unwrap().contains("-cudart shared"));
        assert_eq!(advice_for(&["libcudart.so.12"], None), None);
    }
}
