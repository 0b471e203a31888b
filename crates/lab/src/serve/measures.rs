//! The numbers that a reader looks at first, and how they are written.

use crate::run::RunResult;
use shrinkwarp_machine::Counter;
use shrinkwarp_report::chart::Format;

/// One number of a result.
pub(super) struct Measure {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    format: Format,
    /// The name of its counter; counters that a run does not have are left out.
    counter: &'static str,
    /// What the counter is multiplied with to be in the unit.
    factor: f64,
}

const fn measure(
    name: &'static str,
    counter: Counter,
    factor: f64,
    unit: &'static str,
    format: Format,
) -> Measure {
    Measure { name, unit, format, counter: counter.name(), factor }
}

/// In the order of the data path.
pub(super) const MEASURES: [Measure; 15] = [
    measure("cycles", Counter::CORE_CYCLES, 1.0, "", Format::Plain),
    measure("IPC", Counter::IPC, 1.0, "", Format::Plain),
    measure("schedulers waiting", Counter::WAITING_SHARE, 1.0, "", Format::Percent),
    measure("L1 hits", Counter::L1_HIT_SHARE, 1.0, "", Format::Percent),
    measure("flits", Counter::FLITS, 1.0, "", Format::Plain),
    measure("reply stalls", Counter::REPLY_STALL_SHARE, 1.0, "", Format::Percent),
    measure("L2 hits", Counter::L2_HIT_SHARE, 1.0, "", Format::Percent),
    measure("DRAM traffic", Counter::DRAM_BYTES, 1.0, "B", Format::Plain),
    measure("DRAM bandwidth", Counter::DRAM_GB_PER_S, 1.0, "GB/s", Format::Plain),
    measure("CR in the L1", Counter::L1_RATIO, 1.0, "", Format::Times),
    measure("CR of packets", Counter::PACKETS_RATIO, 1.0, "", Format::Times),
    measure("CR in the L2", Counter::L2_RATIO, 1.0, "", Format::Times),
    measure("CR of memory", Counter::MEMORY_RATIO, 1.0, "", Format::Times),
    measure("CR of the link", Counter::LINK_RATIO, 1.0, "", Format::Times),
    measure("energy", Counter::ENERGY_J, 1.0, "J", Format::Plain),
];

impl Measure {
    /// The number in a result, if it has it.
    pub(super) fn of(&self, result: &RunResult) -> Option<f64> {
        result.counters.value(self.counter).map(|value| self.factor * value)
    }

    /// The number with its unit.
    pub(super) fn text(&self, value: Option<f64>) -> String {
        let Some(value) = value else { return "–".to_owned() };
        match self.unit {
            "" => self.format.precise(value),
            "B" | "J" => with_prefix(value, self.unit),
            unit => format!("{} {unit}", self.format.precise(value)),
        }
    }

    /// Whether the number is a share, so that two of them differ by percentage points.
    pub(super) fn is_share(&self) -> bool {
        self.format == Format::Percent
    }

    /// Whether the number depends on the size of the work, so that two of them make a ratio.
    pub(super) fn is_amount(&self) -> bool {
        self.format == Format::Plain
    }
}

/// A number in the unit with the prefix that leaves one to three digits before the point.
fn with_prefix(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 6] =
        [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")];
    let fits = PREFIXES.iter().find(|(size, _)| value.abs() >= *size);
    // Zero needs no prefix; less than a millionth has the smallest.
    let (size, prefix) = *fits.unwrap_or(if value == 0.0 { &PREFIXES[3] } else { &PREFIXES[5] });
    format!("{} {prefix}{unit}", Format::Plain.precise(value / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_size_of_the_number() {
        assert_eq!(with_prefix(81_664.0, "B"), "81.66 kB");
        assert_eq!(with_prefix(0.001_685, "J"), "1.685 mJ");
        assert_eq!(with_prefix(12.0, "B"), "12 B");
        assert_eq!(with_prefix(0.0, "B"), "0 B");
    }
}
