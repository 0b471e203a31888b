//! The range of every number in a configuration, checked before anything is made of it.
//!
//! The ranges leave room for any machine that one would study; past them a simulation would ask for more memory than a
//! computer has. What is possible together with other keys is for the checks of each section.

use toml::Value;

use super::assign::Fault;

/// A key, or how keys of one unit end, and the least and the most of its values. The first row that matches counts.
const RANGES: &[(&str, i64, i64)] = &[
    ("compute_capability", 10, 199),
    ("sm.count", 1, 240),
    ("sm.registers", 1, 1 << 24),
    ("dram.channels", 1, 128),
    ("dram.slices_per_channel", 1, 16),
    ("interconnect.internal_speedup", 1, 8),
    ("sm.pipeline.memory_replies", 1, 4096),
    ("sm.pipeline.memory_collectors", 1, 32),
    ("sm.pipeline.int_units", 0, 4096),
    ("sm.pipeline.fp64_units", 0, 4096),
    ("sm.pipeline.tensor_units", 0, 4096),
    ("sm.pipeline.shared_collectors", 0, 4096),
    ("_width", 1, 4096),
    ("_units", 1, 4096),
    ("_collectors", 1, 4096),
    ("_replies", 1, 4096),
    // Entries, merges and parts of a set are counted in 16 bits.
    ("mshr_entries", 1, 65_535),
    ("mshr_merges", 1, 65_535),
    ("ways", 1, 2048),
    // Flits of a buffer are counted in 15 bits.
    ("_flits", 0, 32_767),
    ("_mhz", 1, 100_000),
    ("_kib", 0, 65_536),
    ("_cycles", 0, 10_000),
    ("_instructions", 0, 1_000_000_000_000_000),
    ("phase_accesses", 1, 1_000_000_000),
    ("_bytes", 0, 1 << 20),
    ("_entries", 0, 1 << 20),
    ("", 0, 65_536),
];

/// Refuses a number outside the range of its key, and numbers that are none.
pub fn check_number(key: &str, value: &Value) -> Result<(), Fault> {
    match value {
        Value::Integer(number) => {
            let (least, most) = range_of(key);
            if (least..=most).contains(number) {
                return Ok(());
            }
            Err(Fault {
                message: format!("{number} is out of range"),
                help: Some(format!("must be {least} to {most}")),
            })
        }
        Value::Float(number) if !number.is_finite() => Err(Fault {
            message: format!("{number} is not a finite number"),
            help: Some("give a finite number".to_owned()),
        }),
        _ => Ok(()),
    }
}

fn range_of(key: &str) -> (i64, i64) {
    let row = RANGES.iter().find(|(end, ..)| key.ends_with(end));
    row.map_or((0, i64::MAX), |&(_, least, most)| (least, most))
}

#[cfg(test)]
mod tests {
    use crate::config::load;
    use crate::config::scheme::load_scheme;

    #[test]
    fn a_number_out_of_range_is_refused_with_its_key_and_range() {
        for (change, words) in [
            ("l1.size_kib=999999999", "l1.size_kib: 999999999 is out of range; must be 0 to 65536"),
            (
                "l1.latency_cycles=1000000000",
                "l1.latency_cycles: 1000000000 is out of range; must be 0 to 10000",
            ),
            ("dram.channels=100000", "dram.channels: 100000 is out of range; must be 1 to 128"),
            ("sm.pipeline.sp_units=0", "sm.pipeline.sp_units: 0 is out of range; must be 1 to 4096"),
            ("sm.count=-3", "sm.count: -3 is out of range; must be 1 to 240"),
            ("l2.mshr_entries=99999999999", "l2.mshr_entries: 99999999999 is out of range"),
            ("l1.mshr_entries=65536", "l1.mshr_entries: 65536 is out of range; must be 1 to 65535"),
            ("l1.ways=65536", "l1.ways: 65536 is out of range; must be 1 to 2048"),
            // Each within its range, but no machine.
            ("instruction_cache.size_kib=0", "instruction_cache.size_kib: is 0"),
            ("constant_cache.size_kib=0", "constant_cache.size_kib: is 0"),
            ("constant_cache.miss_queue_entries=0", "constant_cache.miss_queue_entries: is 0"),
            ("clocks.dram_mhz=1", "clocks.dram_mhz: 1 is not allowed; must be between 1/100"),
            ("interconnect.flit_bytes=1", "it must fit interconnect.flit_bytes=1"),
        ] {
            let error = load("gtx480", &[change.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        // Each within its range, but too much together.
        let changes = ["l1.mshr_entries=65535", "l1.mshr_merges=64"].map(str::to_owned);
        let error = load("gtx480", &changes).unwrap_err().to_string();
        assert!(error.contains("l1.mshr_entries: takes 3839 MiB in a machine of 15 SMs"), "{error}");
        let change = "memory.metadata_cache_kib=999999999".to_owned();
        let error = load_scheme("bdi-memory", &[change]).unwrap_err().to_string();
        assert!(error.contains("metadata_cache_kib: 999999999 is out of range"), "{error}");
    }
}
