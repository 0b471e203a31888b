//! The names that a number of a result can have.
//!
//! Rows of a cache without an access, modes that a scheme does not have and ratios of points without a codec are not in
//! every result, and then count as zero. A name that no result can have is a mistake and must not read as zero.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use shrinkwarp_sim::AccessKind;
use shrinkwarp_sim::counters::{L1ModeCounters, MachineCounters, Outcome};
use shrinkwarp_sim::{config, energy};

use crate::MachineError;
use crate::derived::POINTS;
use crate::result::result_of;

/// Modes of a compressed L1: no compression and three codecs.
const L1_MODES: usize = 4;

static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| all().unwrap_or_default());

/// Every name that a number of a result can have.
pub fn counter_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(String::as_str)
}

/// Whether a result can have a number of this name.
pub fn is_counter(name: &str) -> bool {
    NAMES.contains(name)
}

/// All names: those of a machine on which every kind of access went everywhere.
fn all() -> Result<BTreeSet<String>, MachineError> {
    let mut machine = MachineCounters::default();
    for kind in AccessKind::ALL {
        let caches = [
            &mut machine.instruction_cache,
            &mut machine.l1,
            &mut machine.constant_cache,
            &mut machine.texture_cache,
            &mut machine.memory.l2.cache,
        ];
        for cache in caches {
            cache.count(kind, Outcome::Miss);
        }
    }
    machine.compression.l1.modes = vec![L1ModeCounters::default(); L1_MODES];
    let usage = |error: config::ConfigError| MachineError::Usage(error.to_string());
    let gpu = config::load(config::GPUS[0].name, &[]).map_err(usage)?;
    let energy = energy::load_energy(config::ENERGY_SETS[0].name).map_err(usage)?;
    let result = result_of(&gpu, machine, Vec::new(), None, &energy)?.result;
    let ratios = POINTS.iter().map(|point| format!("derived.ratio.{point}"));
    Ok(result.counters.iter().map(|(name, _)| name.to_owned()).chain(ratios).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_rows_modes_energies_and_derived_numbers_have_names() {
        for name in [
            "sm.thread_instructions",
            "l1.local_read.misses",
            "memory.l2.cache.global_write.hits",
            "compression.l1.modes.3.codec.bits_in",
            "energy.parts.network",
            "derived.ratio.link",
        ] {
            assert!(is_counter(name), "{name}");
        }
    }

    #[test]
    fn a_misspelt_name_is_not_a_counter() {
        for name in ["l1.local_read.miss", "compression.l1.modes.4.hits", "energy.parts.netwrok", ""] {
            assert!(!is_counter(name), "{name}");
        }
    }
}
