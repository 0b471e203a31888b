//! Joules by part of the machine.

use serde::Serialize;

use super::{EnergySet, Events};

const PICO: f64 = 1e-12;

/// Where the energy of a run went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnergyReport {
    /// The set that was used.
    pub set: String,
    /// All parts.
    pub total_j: f64,
    /// Over the run's time.
    pub average_w: f64,
    /// Total times time: what a change in speed and energy together is judged by.
    pub energy_delay_js: f64,
    /// Each part, in the order of the data path.
    pub parts: Vec<Part>,
}

/// One line of the breakdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What it is.
    pub name: &'static str,
    /// Its energy.
    pub joules: f64,
    /// Its part of the total, 0 to 1.
    pub share: f64,
}

/// Accounts for a run.
pub fn report(set: &EnergySet, events: &Events) -> EnergyReport {
    let by_part = [
        ("cores", cores(set, events)),
        ("register files", joules([(events.register_lane_accesses, set.sm.register_pj_per_lane)])),
        ("L1", l1(set, events)),
        ("network", joules([(events.flits, set.network.flit_pj)])),
        ("L2", l2(set, events)),
        ("DRAM", dram(set, events)),
        ("memory link", joules([(events.link_bits, set.dram.link_pj_per_bit)])),
        ("compression", events.compression_pj as f64 * PICO),
        ("idle SMs", events.idle_sm_seconds * set.sm.idle_sm_w),
        (
            "static",
            events.seconds * (set.always.constant_w + set.always.memory_controllers_w + set.always.leakage_w)
                + events.active_sm_seconds * set.sm.active_sm_w,
        ),
    ];
    let total_j: f64 = by_part.iter().map(|(_, joules)| joules).sum();
    let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let parts = by_part.map(|(name, joules)| Part { name, joules, share: ratio(joules, total_j) });
    EnergyReport {
        set: set.name.clone(),
        total_j,
        average_w: ratio(total_j, events.seconds),
        energy_delay_js: total_j * events.seconds,
        parts: parts.to_vec(),
    }
}

/// Joules of events, each with its picojoules.
fn joules<const N: usize>(events: [(u64, f64); N]) -> f64 {
    events.iter().map(|(count, picojoules)| *count as f64 * picojoules).sum::<f64>() * PICO
}

fn cores(set: &EnergySet, events: &Events) -> f64 {
    let sm = &set.sm;
    let dynamic = joules([
        (events.integer_lane_operations, sm.integer_pj_per_lane),
        (events.float_lane_operations, sm.float_pj_per_lane),
        (events.special_lane_operations, sm.special_pj_per_lane),
        (events.warp_instructions, sm.instruction_buffer_pj + sm.scheduler_pj),
        (events.instruction_cache_hits, sm.instruction_cache_pj),
        (events.constant_cache_hits, sm.constant_cache_pj),
    ]);
    dynamic + events.seconds * events.issue_duty * sm.pipeline_w
}

fn l1(set: &EnergySet, events: &Events) -> f64 {
    joules([
        (events.l1_read_hits, set.l1.read_hit_pj),
        (events.l1_read_misses, set.l1.read_miss_pj),
        (events.l1_writes, set.l1.write_pj),
    ])
}

fn l2(set: &EnergySet, events: &Events) -> f64 {
    joules([
        (events.l2_read_hits, set.l2.read_hit_pj),
        (events.l2_read_misses, set.l2.read_miss_pj),
        (events.l2_write_hits, set.l2.write_hit_pj),
        (events.l2_write_misses, set.l2.write_miss_pj),
    ])
}

fn dram(set: &EnergySet, events: &Events) -> f64 {
    joules([
        (events.dram_read_bytes, set.dram.read_pj_per_byte),
        (events.dram_write_bytes, set.dram.write_pj_per_byte),
        (events.dram_precharges, set.dram.precharge_pj),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::load_energy;

    fn joules_of(report: &EnergyReport, name: &str) -> f64 {
        report.parts.iter().find(|part| part.name == name).unwrap().joules
    }

    #[test]
    fn an_idle_second_costs_the_static_power() {
        let set = load_energy("gpuwattch-gtx480").unwrap();
        let report = report(&set, &Events { seconds: 1.0, idle_sm_seconds: 15.0, ..Events::default() });
        assert!((report.total_j - (9.82 + 1.19 + 42.0 + 15.0 * 1.59)).abs() < 1e-9);
        assert!((report.average_w - report.total_j).abs() < 1e-9);
    }

    #[test]
    fn a_volta_with_work_on_half_its_sms_takes_what_accelwattch_says_without_an_event() {
        let set = load_energy("volta").unwrap();
        let busy =
            Events { seconds: 1.0, idle_sm_seconds: 40.0, active_sm_seconds: 40.0, ..Events::default() };
        // constant_power, idle memory controllers, idle_core_power and static_cat2 of accelwattch_ptx_sim.xml.
        let expected = 32.33 + 0.55 + 40.0 * 0.2828 + 0.5 * (18.618 + 31.0 * 0.645_228);
        assert!((report(&set, &busy).total_j - expected).abs() < 0.02);
    }

    #[test]
    fn each_event_costs_what_the_set_says() {
        let set = load_energy("gpuwattch-gtx480").unwrap();
        let events = Events {
            flits: 1_000_000_000,
            dram_read_bytes: 64_000_000_000,
            l2_write_hits: 1_000_000_000,
            ..Events::default()
        };
        let report = report(&set, &events);
        assert!((joules_of(&report, "network") - 1.94).abs() < 1e-9);
        assert!((joules_of(&report, "DRAM") - 25.57).abs() < 1e-9);
        assert!((joules_of(&report, "L2") - 17.5).abs() < 1e-9);
        assert!((report.parts.iter().map(|part| part.share).sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn half_the_time_at_the_same_energy_is_half_the_product() {
        let set = load_energy("hbm2").unwrap();
        let product = |seconds: f64| {
            let events = Events { seconds, dram_read_bytes: 1 << 40, ..Events::default() };
            report(&set, &events).energy_delay_js / report(&set, &events).total_j
        };
        assert!((product(2.0) / product(1.0) - 2.0).abs() < 1e-9);
    }
}
