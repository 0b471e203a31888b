//! The keys of `[l1]` in a scheme.

use serde::{Deserialize, Serialize};

use super::policy::L1Policy;
use crate::base::BLOCK_BYTES;
use crate::base::setting::{Impossible, Latency, NO_CODEC, check_codec};

/// Compression in the L1 data caches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L1Scheme {
    /// What decides in which mode a line is inserted.
    pub policy: L1Policy,
    /// Codecs to choose from beside no compression, the quickest first.
    pub modes: Vec<String>,
    /// Core cycles until a line is compressed.
    pub compress_cycles: Latency,
    /// Core cycles until a hit is decompressed.
    pub decompress_cycles: Latency,
    /// Which hits share the decompression of their block.
    pub joined_hits: JoinedHits,
    /// Tags for each line's worth of data.
    pub tag_factor: usize,
    /// Data is given out in these.
    pub sub_block_bytes: usize,
    /// Data that a miss in a compressing mode reserves.
    pub reservation_bytes: Reservation,
    /// Accesses of an experimental phase (EP).
    pub phase_accesses: u32,
    /// EPs of a period.
    pub period_phases: u32,
    /// EPs in which sets are dedicated to the modes.
    pub learning_phases: u32,
    /// Sets dedicated to each mode.
    pub dedicated_sets: usize,
    /// Where these are.
    pub dedicated_layout: DedicatedLayout,
    /// Whose dedicated sets an L1 decides by.
    pub counter_scope: Scope,
    /// EPs after learning in which hits still count.
    pub later_hit_phases: u32,
    /// Miss latency of the estimate.
    pub miss_cycles: MissLatency,
    /// Entries of the value frequency table.
    pub vft_entries: usize,
    /// Bits of its counters.
    pub vft_counter_bits: u32,
    /// Which L1s share the code of a trained codec.
    pub code_scope: Scope,
    /// Whether compressed lines take less data.
    pub capacity: Capacity,
    /// The oracle's answers.
    pub kernel_modes: String,
}

/// Whether a hit of a block that the decompressor's queue already holds waits for that decompression, in place of one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinedHits {
    /// In an L1 with sectors, where one load of a warp is several hits of one block.
    Sectors,
    /// In any L1.
    Always,
    /// In none: equation 3 of the paper.
    Never,
}

impl JoinedHits {
    /// Whether an L1 with or without sectors joins hits.
    pub fn applies(self, has_sectors: bool) -> bool {
        match self {
            Self::Sectors => has_sectors,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Where the dedicated sets of a mode are; the cache has as many groups of sets as a mode has dedicated ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DedicatedLayout {
    /// Elsewhere in each group, so that a stride of addresses meets the sets of all modes.
    Diagonal,
    /// At the same position of each group: one residue class of set numbers for each mode.
    Residue,
}

/// Which L1s have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Each has its own.
    L1,
    /// All L1s of the GPU share one.
    Gpu,
}

/// What a compressed line takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capacity {
    /// The sub-blocks of its encoding.
    Compressed,
    /// A whole line; every line of a compressing mode counts as compressed, so that only the latency is left.
    Plain,
}

/// How much data a miss reserves before the size of its block is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reservation {
    /// What blocks of the mode took lately.
    Expected(Expected),
    /// This number of bytes.
    Bytes(usize),
}

/// The word `expected`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// The word itself.
    Expected,
}

/// The miss latency that estimates use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MissLatency {
    /// As the cache sees it.
    Measured(Measured),
    /// This number of cycles.
    Cycles(u32),
}

/// The word `measured`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// The word itself.
    Measured,
}

impl L1Scheme {
    /// Names of all modes: no compression first.
    pub fn mode_names(&self) -> Vec<String> {
        std::iter::once(NO_CODEC.to_owned()).chain(self.modes.iter().cloned()).collect()
    }

    /// The mode of a kernel under `kernel_opt`, as an index into [`L1Scheme::mode_names`]; 0 for kernels not named.
    pub fn mode_of_kernel(&self, kernel: &str) -> usize {
        let named = self.kernel_pairs().find(|(name, _)| *name == kernel);
        named.and_then(|(_, mode)| self.mode_names().iter().position(|known| known == mode)).unwrap_or(0)
    }

    fn kernel_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.kernel_modes.split(',').filter(|pair| !pair.trim().is_empty());
        pairs.map(|pair| {
            pair.split_once('=').map_or((pair, ""), |(kernel, mode)| (kernel.trim(), mode.trim()))
        })
    }

    /// Finds the first impossible value.
    pub(crate) fn check(&self) -> Result<(), Impossible> {
        for codec in &self.modes {
            check_codec("l1.modes", codec)?;
        }
        self.check_modes()?;
        self.check_numbers()
    }

    fn check_modes(&self) -> Result<(), Impossible> {
        let count = self.modes.len();
        let most_codecs = self.policy.most_codecs();
        if count == 0 || count > most_codecs || self.modes.iter().any(|codec| codec == NO_CODEC) {
            let message = format!("{count} codecs {:?} for this policy", self.modes);
            let allowed =
                if most_codecs == 1 { "one codec".to_owned() } else { format!("1 to {most_codecs} codecs") };
            let help = format!("{allowed}, as in modes = [\"bdi\"]; no compression is always a mode");
            return impossible("modes", message, &help);
        }
        if let Some(twice) =
            self.modes.iter().enumerate().find(|(at, codec)| self.modes[..*at].contains(codec))
        {
            let message = format!("{:?} twice", twice.1);
            return impossible(
                "modes",
                message,
                "each codec once; two equal modes would duel with each other",
            );
        }
        let names = self.mode_names();
        match self.kernel_pairs().find(|(_, mode)| !names.iter().any(|name| name == mode)) {
            Some((kernel, mode)) => {
                let help = format!("kernel=mode, with a mode of {}", names.join(", "));
                impossible("kernel_modes", format!("{kernel} has mode {mode:?}"), &help)
            }
            None => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), Impossible> {
        let is_share = |bytes: usize| bytes > 0 && BLOCK_BYTES.is_multiple_of(bytes);
        let reservation_bytes = match self.reservation_bytes {
            Reservation::Expected(_) => BLOCK_BYTES,
            Reservation::Bytes(bytes) => bytes,
        };
        let fits_vft = self.vft_entries.is_power_of_two() && (16..=1024).contains(&self.vft_entries);
        let rules = [
            ("tag_factor", self.tag_factor, (1..=16).contains(&self.tag_factor), "1 to 16"),
            ("sub_block_bytes", self.sub_block_bytes, is_share(self.sub_block_bytes), "a divisor of 128"),
            (
                "reservation_bytes",
                reservation_bytes,
                (1..=BLOCK_BYTES).contains(&reservation_bytes),
                "1 to 128, or \"expected\"",
            ),
            ("phase_accesses", self.phase_accesses as usize, self.phase_accesses > 0, "at least 1"),
            ("period_phases", self.period_phases as usize, self.period_phases > 0, "at least 1"),
            (
                "learning_phases",
                self.learning_phases as usize,
                (1..=self.period_phases).contains(&self.learning_phases),
                "at least 1 and at most period_phases",
            ),
            ("dedicated_sets", self.dedicated_sets, self.dedicated_sets > 0, "at least 1"),
            ("vft_entries", self.vft_entries, fits_vft, "a power of two from 16 to 1024"),
            (
                "vft_counter_bits",
                self.vft_counter_bits as usize,
                (1..=16).contains(&self.vft_counter_bits),
                "1 to 16",
            ),
        ];
        match rules.into_iter().find(|(_, _, holds, _)| !holds) {
            Some((key, value, _, help)) => impossible(key, format!("is {value}"), help),
            None => Ok(()),
        }
    }
}

fn impossible(key: &str, message: String, help: &str) -> Result<(), Impossible> {
    Err(Impossible { key: format!("l1.{key}"), message, help: help.to_owned() })
}

#[cfg(test)]
mod tests {
    use crate::config::{SCHEMES, SchemeSpec, load_scheme};

    fn load(overrides: &[&str]) -> Result<SchemeSpec, String> {
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        load_scheme("latte", &overrides).map_err(|error| error.to_string())
    }

    #[test]
    fn every_scheme_of_the_program_is_well_formed() {
        for preset in SCHEMES {
            assert_eq!(load_scheme(preset.name, &[]).map(|scheme| scheme.name), Ok(preset.name.to_owned()));
        }
    }

    #[test]
    fn the_oracle_knows_its_kernels() {
        let scheme = load(&["l1.policy=kernel_opt", "l1.kernel_modes=\"step=sc, relax=bdi\""]).unwrap();
        let modes = ["step", "relax", "other"].map(|kernel| scheme.l1.mode_of_kernel(kernel));
        assert_eq!(modes, [2, 1, 0]);
    }

    #[test]
    fn impossible_values_are_refused_with_the_way_out() {
        for (change, help) in [
            ("l1.modes=[]", "1 to 3 codecs"),
            ("l1.modes=[\"bdi\", \"bdi\"]", "\"bdi\" twice; each codec once"),
            ("l1.modes=[\"bdj\"]", "did you mean \"bdi\"?"),
            ("l1.policy=static", "one codec, as in modes = [\"bdi\"]"),
            ("l1.kernel_modes=step=fast", "a mode of none, bdi, sc"),
            ("l1.sub_block_bytes=48", "a divisor of 128"),
            ("l1.learning_phases=11", "at most period_phases"),
            ("l1.vft_entries=1000", "a power of two"),
        ] {
            let error = load(&[change]).unwrap_err();
            assert!(error.contains(help), "{change}: {error}");
        }
    }
}
