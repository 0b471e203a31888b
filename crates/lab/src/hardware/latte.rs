//! What LATTE-CC adds to an L1, in bytes.
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

use serde::Serialize;
use shrinkwarp_codec::codecs::sc;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::config::scheme::{L1Scheme, SchemeSpec};

/// A tag's encoding: BDI has ten, and the paper gives them four bits.
const ENCODING_BITS: usize = 4;

/// What LATTE-CC adds to a GPU under a scheme.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// The GPU's name.
    pub gpu: String,
    /// The scheme's name.
    pub scheme: String,
    /// Each part.
    pub parts: Vec<Part>,
    #[serde(skip)]
    l1_kib: usize,
    #[serde(skip)]
    sms: usize,
}

impl Estimate {
    /// From the GPU's L1 and the scheme's `[l1]` section.
    pub fn of(gpu: &GpuSpec, scheme: &SchemeSpec) -> Self {
        Self {
            gpu: gpu.name.clone(),
            scheme: scheme.name.clone(),
            parts: parts(gpu, &scheme.l1),
            l1_kib: gpu.l1.size_kib,
            sms: gpu.sm.count,
        }
    }

    /// As a table, with the paper's own figures.
    pub fn text(&self) -> String {
        table(self)
    }
}

/// What a part is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// Choosing between modes, in each SM.
    Adaptation,
    /// The code of SC, once.
    Tables,
    /// Any compressed cache, in each SM.
    CompressedCache,
}

/// One part.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// What it is needed for.
    pub owner: Owner,
    /// What it is.
    pub name: &'static str,
    /// How the bits come about.
    pub sum: String,
    /// Its size.
    pub bytes: f64,
    /// Its size in the paper, where that gives one.
    pub published_bytes: Option<f64>,
}

/// Bits that distinguish a number of things.
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

fn table(estimate: &Estimate) -> String {
    let Estimate { gpu, scheme, parts, l1_kib, sms } = estimate;
    let mut text = format!("{scheme} on {gpu}: {l1_kib} KB of L1 in each of {sms} SMs\n");
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
    let all_l1_bytes = (sms * l1_kib * 1024) as f64;
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
    use shrinkwarp_sim::config;

    use super::*;

    fn of(scheme: &str) -> Vec<Part> {
        parts(&config::load("latte-fermi", &[]).unwrap(), &config::load_scheme(scheme, &[]).unwrap().l1)
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
