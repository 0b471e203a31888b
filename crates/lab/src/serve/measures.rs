//! The numbers that a reader looks at first, and how they are written.

use crate::run::RunResult;
use shrinkwarp_report::chart::Format;

/// One number of a result.
pub(super) struct Measure {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    format: Format,
    /// The counter it is; counters that a run does not have are left out.
    counter: &'static str,
    /// What the counter is multiplied with to be in the unit.
    factor: f64,
}

const fn measure(
    name: &'static str,
    counter: &'static str,
    factor: f64,
    unit: &'static str,
    format: Format,
) -> Measure {
    Measure { name, unit, format, counter, factor }
}

/// In the order of the data path.
pub(super) const MEASURES: [Measure; 15] = [
    measure("cycles", "core_cycles", 1.0, "", Format::Plain),
    measure("IPC", "derived.ipc", 1.0, "", Format::Plain),
    measure("schedulers waiting", "derived.waiting_share", 1.0, "", Format::Percent),
    measure("L1 hits", "derived.l1_hit_share", 1.0, "", Format::Percent),
    measure("flits", "derived.flits", 1.0, "", Format::Plain),
    measure("reply stalls", "derived.reply_stall_share", 1.0, "", Format::Percent),
    measure("L2 hits", "derived.l2_hit_share", 1.0, "", Format::Percent),
    measure("DRAM traffic", "derived.dram_bytes", 1e-6, "MB", Format::Plain),
    measure("DRAM bandwidth", "derived.dram_gb_per_s", 1.0, "GB/s", Format::Plain),
    measure("CR in the L1", "derived.ratio.l1", 1.0, "", Format::Times),
    measure("CR of packets", "derived.ratio.packets", 1.0, "", Format::Times),
    measure("CR in the L2", "derived.ratio.l2", 1.0, "", Format::Times),
    measure("CR of memory", "derived.ratio.memory", 1.0, "", Format::Times),
    measure("CR of the link", "derived.ratio.link", 1.0, "", Format::Times),
    measure("energy", "energy.total_j", 1e3, "mJ", Format::Plain),
];

impl Measure {
    /// The number in a result, if it has it.
    pub(super) fn of(&self, result: &RunResult) -> Option<f64> {
        result.counters.has(self.counter).then(|| self.factor * result.counters.get(self.counter))
    }

    /// The number with its unit.
    pub(super) fn text(&self, value: Option<f64>) -> String {
        let Some(value) = value else { return "–".to_owned() };
        let number = self.format.precise(value);
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }

    /// Whether the number depends on the size of the work, so that two of them make a ratio.
    pub(super) fn is_amount(&self) -> bool {
        self.format == Format::Plain
    }
}
