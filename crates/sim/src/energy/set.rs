//! Joules per event, one TOML file for each source.

#![expect(missing_docs, reason = "the fields are explained next to their values, in configs/energy")]
#![expect(
    clippy::struct_field_names,
    reason = "the fields are the keys of the files, which end in their units"
)]

use serde::{Deserialize, Serialize};

use crate::config::{Catalogue, ConfigError, ENERGY_SETS, Impossible};

const CATALOGUE: Catalogue<EnergySet> =
    Catalogue { what: "energy set", flag: "--energy", presets: ENERGY_SETS, check };

/// Compute capability of the first GPU that the set `volta` is for.
const VOLTA: u32 = 70;

/// The set called `name`: one of [`ENERGY_SETS`].
pub fn load_energy(name: &str) -> Result<EnergySet, ConfigError> {
    CATALOGUE.load(name, &[])
}

/// The set for a GPU of this compute capability, where none is named: one that was measured on its class.
pub fn default_energy(compute_capability: u32) -> &'static str {
    if compute_capability >= VOLTA { "volta" } else { "gpuwattch-gtx480" }
}

/// The set that the text of `file` describes.
pub fn load_energy_text(file: &str, text: &str) -> Result<EnergySet, ConfigError> {
    CATALOGUE.load_text(file, text, &[])
}

/// One source's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnergySet {
    pub name: String,
    pub description: String,
    pub sm: SmEnergy,
    pub l1: L1Energy,
    pub l2: L2Energy,
    pub network: NetworkEnergy,
    pub dram: DramEnergy,
    #[serde(rename = "static")]
    pub always: StaticPower,
}

/// SMs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmEnergy {
    pub register_pj_per_lane: f64,
    pub integer_pj_per_lane: f64,
    pub float_pj_per_lane: f64,
    pub special_pj_per_lane: f64,
    pub instruction_buffer_pj: f64,
    pub scheduler_pj: f64,
    pub instruction_cache_pj: f64,
    pub constant_cache_pj: f64,
    pub pipeline_w: f64,
    pub idle_sm_w: f64,
    pub active_sm_w: f64,
}

/// L1 data caches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L1Energy {
    pub read_hit_pj: f64,
    pub read_miss_pj: f64,
    pub write_pj: f64,
}

/// L2 slices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2Energy {
    pub read_hit_pj: f64,
    pub read_miss_pj: f64,
    pub write_hit_pj: f64,
    pub write_miss_pj: f64,
}

/// Both crossbars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkEnergy {
    pub flit_pj: f64,
}

/// DRAM and its interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramEnergy {
    pub read_pj_per_byte: f64,
    pub write_pj_per_byte: f64,
    pub precharge_pj: f64,
    pub link_pj_per_bit: f64,
}

/// What flows all the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticPower {
    pub constant_w: f64,
    pub memory_controllers_w: f64,
    pub leakage_w: f64,
}

/// No event gives energy back.
fn check(set: &EnergySet) -> Result<(), Impossible> {
    let figures = [
        ("sm.register_pj_per_lane", set.sm.register_pj_per_lane),
        ("sm.pipeline_w", set.sm.pipeline_w),
        ("sm.idle_sm_w", set.sm.idle_sm_w),
        ("sm.active_sm_w", set.sm.active_sm_w),
        ("l1.read_hit_pj", set.l1.read_hit_pj),
        ("l2.read_hit_pj", set.l2.read_hit_pj),
        ("network.flit_pj", set.network.flit_pj),
        ("dram.read_pj_per_byte", set.dram.read_pj_per_byte),
        ("dram.write_pj_per_byte", set.dram.write_pj_per_byte),
        ("dram.link_pj_per_bit", set.dram.link_pj_per_bit),
        ("static.leakage_w", set.always.leakage_w),
    ];
    match figures.into_iter().find(|(_, figure)| !figure.is_finite() || *figure < 0.0) {
        None => Ok(()),
        Some((key, figure)) => Err(Impossible {
            key: key.to_owned(),
            message: format!("{figure} is not allowed"),
            help: "at least 0".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_loads_under_its_own_name() {
        for preset in ENERGY_SETS {
            assert_eq!(load_energy(preset.name).unwrap().name, preset.name);
        }
    }

    #[test]
    fn the_figures_are_those_of_the_report() {
        let set = load_energy("gpuwattch-gtx480").unwrap();
        assert!((set.dram.read_pj_per_byte * 64.0 - 25_570.0).abs() < 1e-6);
        assert!((set.dram.write_pj_per_byte * 64.0 - 14_190.0).abs() < 1e-6);
        let hmc = load_energy("hmc").unwrap().dram;
        assert!((hmc.read_pj_per_byte / 8.0 + hmc.link_pj_per_bit - 10.5).abs() < 1e-9);
    }

    #[test]
    fn an_unknown_set_gets_the_list() {
        let message = load_energy("mcpat").unwrap_err().to_string();
        assert!(message.contains("unknown energy set \"mcpat\"; known: gpuwattch-gtx480"), "{message}");
    }
}
