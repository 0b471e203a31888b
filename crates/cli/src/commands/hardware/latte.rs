//! `shrinkwarp hardware latte`: what LATTE-CC adds to an L1, in bytes.
//!
//! Arunkumar et al., HPCA 2018, section IV-C gives 134 bytes of state for each SM and tables of 5.5 + 7 + 3 KB, without
//! the sums behind them. The rows below give exactly these:
//!
//! | part                  | bits                                                                                        |
//! |-----------------------|---------------------------------------------------------------------------------------------|
//! | policy of each line   | tags × bits that name a mode: 512 × 2                                                       |
//! | counters of each mode | 2 (hits, insertions) × modes × bits that count the accesses of an EP: 2 × 3 × 8             |
//! | value frequency table | entries × (value + counter): 1,024 × (32 + 12)                                              |
//! | compressor of SC      | entries × (value + codeword entry): 1,024 × (32 + 24)                                       |
//! | decoder of SC         | entries × codeword entry: 1,024 × 24, with 18 bits of codeword, 5 of length, 1 valid        |
//!
//! The paper divides the tables by the L1s of all SMs, so there is one set of them for the GPU. Encoding bits and further
//! tags belong to any compressed cache and are shown apart.

use std::fmt::Write;

use clap::Args;
use serde::Serialize;
use serde_json::json;
use shrinkwarp_codec::codecs::sc;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::config::scheme::{L1Scheme, load_scheme};

use crate::commands::gpus::load_gpu;
use crate::failure::Failure;
use crate::files;

/// A tag's encoding: BDI has ten, and the paper gives them four bits.
const ENCODING_BITS: usize = 4;

/// What LATTE-CC adds to the L1 of each SM, and the tables of SC
///
/// Derived from the GPU's L1 and the scheme's `[l1]` section; the paper's own figures stand beside.
#[derive(Args, Debug)]
pub struct Latte {
    /// GPU: a preset (see `shrinkwarp gpus`) or a path to a .toml file
    #[arg(long, default_value = "latte-fermi", value_name = "NAME")]
    gpu: String,
    /// Scheme: a preset or a path to a .toml file
    #[arg(long, default_value = "latte", value_name = "NAME")]
    scheme: String,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Latte {
    pub fn run(&self) -> Result<(), Failure> {
        let gpu = load_gpu(&self.gpu, &[])?;
        let scheme = load_scheme(&self.scheme, &[]).map_err(|error| Failure::Usage(error.to_string()))?;
        let parts = parts(&gpu, &scheme.l1);
        files::print(&if self.json {
            format!("{:#}\n", json!({"gpu": gpu.name, "scheme": scheme.name, "parts": parts}))
        } else {
            table(&gpu, &scheme.name, &parts)
        })
    }
}

/// Whom a part belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Owner {
    /// Choosing between modes, in each SM.
    Adaptation,
    /// The code of SC, once.
    Tables,
    /// Any compressed cache, in each SM.
    CompressedCache,
}

/// A row.
#[derive(Clone, Debug, Serialize)]
struct Part {
    owner: Owner,
    name: &'static str,
    /// How the bits come about.
    sum: String,
    bytes: f64,
    published_bytes: Option<f64>,
}

/// Bits that distinguish so many things.
fn bits_for(things: usize) -> usize {
    things.next_power_of_two().trailing_zeros() as usize
}

fn parts(gpu: &GpuSpec, scheme: &L1Scheme) -> Vec<Part> {
    let cache = gpu.l1.cache_spec();
    let lines = cache.sets * cache.ways;
    let tags = lines * scheme.tag_factor;
    let modes = scheme.modes.len() + 1;
    let (mode_bits, counter_bits) = (bits_for(modes), bits_for(scheme.phase_accesses as usize));
    let part = |owner, name, sum: String, bits: usize, published_bytes| Part {
        owner,
        name,
        sum,
        bytes: bits as f64 / 8.0,
        published_bytes,
    };
    let mut parts = vec![
        part(
            Owner::Adaptation,
            "policy of each line",
            format!("{tags} tags x {mode_bits} bits"),
            tags * mode_bits,
            None,
        ),
        part(
            Owner::Adaptation,
            "hits and insertions",
            format!("2 x {modes} modes x {counter_bits} bits"),
            2 * modes * counter_bits,
            None,
        ),
    ];
    if scheme.modes.iter().any(|codec| codec == "sc") {
        parts.extend(
            code_tables(scheme)
                .map(|(name, sum, bits, published)| part(Owner::Tables, name, sum, bits, Some(published))),
        );
    }
    parts.push(part(
        Owner::CompressedCache,
        "encoding of each line",
        format!("{tags} tags x {ENCODING_BITS} bits"),
        tags * ENCODING_BITS,
        None,
    ));
    parts
}

/// The tables of SC: name, sum, bits and the paper's bytes.
fn code_tables(scheme: &L1Scheme) -> [(&'static str, String, usize, f64); 3] {
    let (entries, counter_bits) = (scheme.vft_entries, scheme.vft_counter_bits as usize);
    let (value_bits, codeword_bits) = (sc::CODE.value_bits as usize, sc::CODE.limit_bits as usize);
    // A codeword, its length and whether there is one.
    let entry_bits = codeword_bits + bits_for(codeword_bits + 1) + 1;
    [
        (
            "value frequencies",
            format!("{entries} x ({value_bits} + {counter_bits}) bits"),
            entries * (value_bits + counter_bits),
            5.5 * 1024.0,
        ),
        (
            "compressor of SC",
            format!("{entries} x ({value_bits} + {entry_bits}) bits"),
            entries * (value_bits + entry_bits),
            7.0 * 1024.0,
        ),
        ("decoder of SC", format!("{entries} x {entry_bits} bits"), entries * entry_bits, 3.0 * 1024.0),
    ]
}

fn total(parts: &[Part], owner: Owner) -> f64 {
    parts.iter().filter(|part| part.owner == owner).map(|part| part.bytes).sum()
}

fn table(gpu: &GpuSpec, scheme: &str, parts: &[Part]) -> String {
    let mut text =
        format!("{scheme} on {}: {} KB of L1 in each of {} SMs\n", gpu.name, gpu.l1.size_kib, gpu.sm.count);
    let groups = [
        (Owner::Adaptation, "choosing between modes, in each SM", Some(134.0)),
        (Owner::Tables, "tables of SC, one set for the GPU", Some(15.5 * 1024.0)),
        (Owner::CompressedCache, "any compressed cache, in each SM", None),
    ];
    for (owner, title, published) in groups {
        if total(parts, owner) == 0.0 {
            continue;
        }
        let _ = writeln!(text, "\n{title}");
        for part in parts.iter().filter(|part| part.owner == owner) {
            let _ = writeln!(
                text,
                "  {:<24}{:<28}{:>8} B{}",
                part.name,
                part.sum,
                part.bytes,
                beside(part.published_bytes)
            );
        }
        let _ = writeln!(text, "  {:<52}{:>8} B{}", "together", total(parts, owner), beside(published));
    }
    let all_l1_bytes = (gpu.sm.count * gpu.l1.size_kib * 1024) as f64;
    let share = 100.0 * total(parts, Owner::Tables) / all_l1_bytes;
    if share > 0.0 {
        let _ = writeln!(text, "\nThe tables are {share:.2} % of all L1 data caches (paper: 6.45 %).");
    }
    text
}

fn beside(published_bytes: Option<f64>) -> String {
    published_bytes.map_or_else(String::new, |bytes| format!("   (paper: {bytes} B)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scheme: &str) -> Vec<Part> {
        parts(&load_gpu("latte-fermi", &[]).unwrap(), &load_scheme(scheme, &[]).unwrap().l1)
    }

    #[test]
    fn the_state_of_an_sm_is_134_bytes_and_the_tables_are_15_5_kilobytes() {
        let parts = of("latte");
        assert!((total(&parts, Owner::Adaptation) - 134.0).abs() < 1e-9);
        assert!((total(&parts, Owner::Tables) - 15.5 * 1024.0).abs() < 1e-9);
        for part in parts.iter().filter(|part| part.owner == Owner::Tables) {
            assert_eq!(Some(part.bytes), part.published_bytes, "{}", part.name);
        }
    }

    #[test]
    fn without_sc_there_are_no_tables() {
        assert!(total(&of("latte-bdi-bpc"), Owner::Tables).abs() < 1e-9);
    }
}
