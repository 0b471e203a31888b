//! The names that a number of a result can have.
//!
//! Rows of a cache without an access, modes that a scheme does not have and ratios of points without a codec are not in
//! every result, and then count as zero. A name that no result can have is a mistake and must not read as zero.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use shrinkwarp_sim::AccessKind;
use shrinkwarp_sim::counters::{AccessOutcome, L1ModeCounters, MachineCounters};
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

/// The name of a number that figures and reports read. Every constant is a name that a result can have, so that a misspelt one
/// does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter(&'static str);

impl Counter {
    /// As results have it.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

macro_rules! counters {
    ($($constant:ident = $name:literal;)*) => {
        impl Counter {
            $(#[doc = concat!("`", $name, "`")] pub const $constant: Self = Self($name);)*
        }

        #[cfg(test)]
        const ALL: &[Counter] = &[$(Counter::$constant),*];
    };
}

counters! {
    CORE_CYCLES = "core_cycles";
    ENERGY_J = "energy.total_j";
    ENERGY_DELAY_JS = "energy.energy_delay_js";
    IPC = "derived.ipc";
    L1_HIT_SHARE = "derived.l1_hit_share";
    L2_HIT_SHARE = "derived.l2_hit_share";
    DRAM_BYTES = "derived.dram_bytes";
    DRAM_GB_PER_S = "derived.dram_gb_per_s";
    MEMORY_BYTES = "derived.memory_bytes";
    FLITS = "derived.flits";
    REPLY_STALL_SHARE = "derived.reply_stall_share";
    CONTROLLER_STALL_SHARE = "derived.controller_stall_share";
    WAITING_SHARE = "derived.waiting_share";
    L1_RATIO = "derived.ratio.l1";
    PACKETS_RATIO = "derived.ratio.packets";
    L2_RATIO = "derived.ratio.l2";
    MEMORY_RATIO = "derived.ratio.memory";
    LINK_RATIO = "derived.ratio.link";
    L1_GLOBAL_READ_MISSES = "l1.global_read.misses";
    L1_LOCAL_READ_MISSES = "l1.local_read.misses";
    FLITS_WITH = "compression.packets.flits_with";
    FLITS_WITHOUT = "compression.packets.flits_without";
    MEMORY_READ_BLOCKS = "compression.memory.reads.blocks";
    MEMORY_WRITTEN_BLOCKS = "compression.memory.writes.blocks";
    MEMORY_READ_BITS = "compression.memory.reads.encoded_bits";
    MEMORY_WRITTEN_BITS = "compression.memory.writes.encoded_bits";
    MEMORY_READ_RAW_BURSTS = "compression.memory.reads.raw_bursts";
    MEMORY_WRITTEN_RAW_BURSTS = "compression.memory.writes.raw_bursts";
    MEMORY_READ_BURSTS = "compression.memory.reads.bursts";
    MEMORY_WRITTEN_BURSTS = "compression.memory.writes.bursts";
    L1_CODEC_BITS_IN = "compression.l1.modes.1.codec.bits_in";
    L1_CODEC_BITS_OUT = "compression.l1.modes.1.codec.bits_out";
    L1_RAW_PHASES = "compression.l1.modes.0.phases";
    L1_FIRST_CODEC_PHASES = "compression.l1.modes.1.phases";
    L1_SECOND_CODEC_PHASES = "compression.l1.modes.2.phases";
    L1_RAW_PHASE_CYCLES = "compression.l1.modes.0.phase_cycles";
    L1_FIRST_CODEC_PHASE_CYCLES = "compression.l1.modes.1.phase_cycles";
    L1_SECOND_CODEC_PHASE_CYCLES = "compression.l1.modes.2.phase_cycles";
    CORES_J = "energy.parts.cores";
    REGISTER_FILES_J = "energy.parts.register_files";
    L1_J = "energy.parts.l1";
    L2_J = "energy.parts.l2";
    NETWORK_J = "energy.parts.network";
    DRAM_J = "energy.parts.dram";
    COMPRESSION_J = "energy.parts.compression";
    STATIC_J = "energy.parts.static";
    IDLE_SMS_J = "energy.parts.idle_sms";
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
            cache.count(kind, AccessOutcome::Miss);
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
    fn every_constant_is_a_name_that_a_result_can_have() {
        for counter in ALL {
            assert!(is_counter(counter.name()), "{}", counter.name());
        }
    }

    #[test]
    fn a_misspelt_name_is_not_a_counter() {
        for name in ["l1.local_read.miss", "compression.l1.modes.4.hits", "energy.parts.netwrok", ""] {
            assert!(!is_counter(name), "{name}");
        }
    }
}
