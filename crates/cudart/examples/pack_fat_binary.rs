//! Makes a fat binary of PTX files, for clang without a CUDA toolkit (docs/cudart.md):
//!
//! `cargo run -p shrinkwarp-cudart --example pack_fat_binary -- plain|lz4|zstd OUT.fatbin IN.ptx…`

use std::error::Error;

use shrinkwarp_cudart::fat_binary::{Packing, Ptx, write};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [packing, out, sources @ ..] = arguments.as_slice() else {
        return Err("usage: pack_fat_binary plain|lz4|zstd OUT.fatbin IN.ptx…".into());
    };
    let packing = match packing.as_str() {
        "plain" => Packing::Plain,
        "lz4" => Packing::Lz4,
        "zstd" => Packing::Zstd,
        other => return Err(format!("unknown packing {other:?} (known: plain, lz4, zstd)").into()),
    };
    let mut entries = Vec::new();
    for path in sources {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let architecture = architecture(&text).ok_or_else(|| format!("{path}: has no line .target sm_NN"))?;
        entries.push(Ptx::new(architecture, text));
    }
    std::fs::write(out, write(&entries, packing)?).map_err(|error| format!("{out}: {error}"))?;
    Ok(())
}

/// The number in `.target sm_70`.
fn architecture(ptx: &str) -> Option<u32> {
    let target = ptx.lines().find_map(|line| line.trim().strip_prefix(".target sm_"))?;
    let digits: String = target.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
