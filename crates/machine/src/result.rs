//! What came out of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shrinkwarp_sim::L1Record;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::counters::MachineCounters;
use shrinkwarp_sim::energy::{EnergyReport, EnergySet, Events, report as energy_report};
use shrinkwarp_sim::launch::RunReport;
use shrinkwarp_sim::run::TimelineSample;

use crate::counters::Counters;
use crate::derived::add_derived;
use crate::{Counter, MachineError};

/// Where the errors of approximated results are among the numbers: `error.BUFFER.METRIC`.
pub const ERROR_PREFIX: &str = "error.";

/// A result: the same for every run of one identity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Core cycles of all launches.
    pub cycles: u64,
    /// PTX instructions times lanes that executed them.
    pub thread_instructions: u64,
    /// The launches, in order.
    pub launches: Vec<LaunchResult>,
    /// Everything counted, and the energy that it cost.
    pub counters: Counters,
    /// The time series, if one was requested.
    pub series: Series,
}

/// One launch of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchResult {
    /// Kernel.
    pub kernel: String,
    /// Core cycles.
    pub cycles: u64,
    /// PTX instructions times lanes.
    pub thread_instructions: u64,
    /// PTX instructions issued by warps.
    pub warp_instructions: u64,
    /// Blocks that one SM held at once.
    pub blocks_per_sm: u32,
    /// Registers per thread that decided it.
    pub registers_per_thread: u32,
}

impl From<&RunReport> for LaunchResult {
    fn from(report: &RunReport) -> Self {
        Self {
            kernel: report.kernel.clone(),
            cycles: report.cycles,
            thread_instructions: report.thread_instructions,
            warp_instructions: report.warp_instructions,
            blocks_per_sm: report.blocks_per_sm,
            registers_per_thread: report.registers_per_thread,
        }
    }
}

/// A time series: one column for each field of the machine's samples, all of one length, and those of the phases of the
/// first SM's compressed L1, whose names begin with `l1.` and which are all of another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Series {
    /// Columns by name; `cycle` is the end of each sample. A sample without such a value has none.
    pub columns: BTreeMap<String, Vec<Option<f64>>>,
}

impl Series {
    /// The samples of several launches, one after the other, and the phases of an L1 where there are samples at all.
    pub fn of<'a>(
        samples: impl IntoIterator<Item = &'a TimelineSample>,
        phases: Option<&L1Record>,
    ) -> Result<Self, MachineError> {
        let mut series = Self::default();
        series.add("", samples)?;
        if !series.is_empty() {
            series.add("l1", phases.iter().flat_map(|record| &record.phases))?;
        }
        Ok(series)
    }

    /// Adds a column for every number that any of the rows has.
    fn add<R: Serialize>(
        &mut self,
        prefix: &str,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<(), MachineError> {
        let mut columns: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
        let mut count = 0;
        for row in rows {
            let row = serde_json::to_value(row)
                .map_err(|error| MachineError::Work(format!("a sample cannot be written: {error}")))?;
            let mut flat = Counters::default();
            flat.add(prefix, &row);
            for (name, value) in flat.iter() {
                let column = columns.entry(name.to_owned()).or_default();
                column.resize(count, None);
                column.push(Some(value));
            }
            count += 1;
        }
        for column in columns.values_mut() {
            column.resize(count, None);
        }
        self.columns.extend(columns);
        Ok(())
    }

    /// The values of a column; none if there is no such column.
    pub fn column(&self, name: &str) -> &[Option<f64>] {
        self.columns.get(name).map_or(&[], Vec::as_slice)
    }

    /// The points of one column over another, where both have a value. Columns of different lengths are not of the same
    /// samples and have no point in common.
    pub fn points(&self, x: &str, y: &str) -> Vec<(f64, f64)> {
        let (x, y) = (self.column(x), self.column(y));
        if x.len() != y.len() {
            return Vec::new();
        }
        x.iter().zip(y).filter_map(|(x, y)| Some(((*x)?, (*y)?))).collect()
    }

    /// Samples.
    pub fn len(&self) -> usize {
        self.columns.values().next().map_or(0, Vec::len)
    }

    /// Whether no time series was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl RunResult {
    /// Thread instructions in a core cycle.
    pub fn ipc(&self) -> f64 {
        self.thread_instructions as f64 / self.cycles.max(1) as f64
    }

    /// Joules of the whole run.
    pub fn energy_j(&self) -> f64 {
        self.counters.get(Counter::ENERGY_J)
    }

    /// The parts of the energy and their joules.
    pub fn energy_parts(&self) -> Vec<(&str, f64)> {
        const PREFIX: &str = "energy.parts.";
        self.counters.iter().filter_map(|(name, joules)| Some((name.strip_prefix(PREFIX)?, joules))).collect()
    }

    /// Buffer, metric and error of each result whose loads were approximated.
    pub fn approximation_errors(&self) -> Vec<(&str, &str, f64)> {
        let parts = |(name, error)| -> Option<(_, _, _)> {
            let (buffer, metric) = str::strip_prefix(name, ERROR_PREFIX)?.rsplit_once('.')?;
            Some((buffer, metric, error))
        };
        self.counters.iter().filter_map(parts).collect()
    }

    /// The result as JSON, counters as structures.
    pub fn json(&self) -> Value {
        let mut counters = self.counters.nested("");
        let energy = counters.as_object_mut().and_then(|fields| fields.remove("energy"));
        serde_json::json!({
            "cycles": self.cycles,
            "thread_instructions": self.thread_instructions,
            "launches": self.launches,
            "counters": counters,
            "energy": energy,
            "series": self.series,
        })
    }
}

/// Reads what [`RunResult::json`] wrote; the error says what is missing.
pub fn result_from_json(value: &Value) -> Result<RunResult, String> {
    let number = |name: &str| value[name].as_u64().ok_or_else(|| format!("has no {name}"));
    let part = |name: &str| value.get(name).cloned().ok_or_else(|| format!("has no {name}"));
    let mut counters = Counters::default();
    counters.add("", &part("counters")?);
    counters.add("energy", &part("energy")?);
    let unreadable = |name: &str, error: serde_json::Error| format!("{name}: {error}");
    Ok(RunResult {
        cycles: number("cycles")?,
        thread_instructions: number("thread_instructions")?,
        launches: serde_json::from_value(part("launches")?).map_err(|error| unreadable("launches", error))?,
        series: serde_json::from_value(part("series")?).map_err(|error| unreadable("series", error))?,
        counters,
    })
}

/// A run that has been run: its result, and what only a run that has just been run can tell.
#[derive(Debug)]
pub struct Executed {
    /// Its result.
    pub result: RunResult,
    /// The machine's own counters.
    pub machine: MachineCounters,
    /// The energy by part.
    pub energy: EnergyReport,
    /// The launches, with when each block lived where.
    pub launches: Vec<RunReport>,
    /// Whether it was ended early, so that the result is what happened until then.
    pub is_partial: bool,
}

/// What a machine counted in these launches, and its L1 decided phase by phase, as a result.
pub fn result_of(
    gpu: &GpuSpec,
    machine: MachineCounters,
    launches: Vec<RunReport>,
    phases: Option<&L1Record>,
    energy: &EnergySet,
) -> Result<Executed, MachineError> {
    let mut counters = Counters::default();
    let structure = serde_json::to_value(&machine)
        .map_err(|error| MachineError::Work(format!("the counters cannot be written: {error}")))?;
    counters.add("", &structure);
    let events = Events::of(&machine, gpu);
    let energy = energy_report(energy, &events);
    add_energy(&mut counters, &energy);
    add_derived(&mut counters, &machine, &events, gpu);
    let is_partial = launches.last().is_some_and(|launch| launch.is_partial);
    let result = RunResult {
        cycles: launches.iter().map(|launch| launch.cycles).sum(),
        thread_instructions: machine.sm.thread_instructions,
        launches: launches.iter().map(LaunchResult::from).collect(),
        series: Series::of(launches.iter().flat_map(|launch| &launch.samples), phases)?,
        counters,
    };
    Ok(Executed { result, machine, energy, launches, is_partial })
}

fn add_energy(counters: &mut Counters, energy: &EnergyReport) {
    counters.set("energy.total_j", energy.total_j);
    counters.set("energy.average_w", energy.average_w);
    counters.set("energy.energy_delay_js", energy.energy_delay_js);
    for part in &energy.parts {
        let name = part.name.to_lowercase().replace(' ', "_");
        counters.set(&format!("energy.parts.{name}"), part.joules);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        cycle: u32,
        estimates: [Option<f64>; 2],
    }

    #[test]
    fn a_value_that_a_sample_lacks_moves_no_other_in_time() {
        let row = |cycle, first, second| Row { cycle, estimates: [first, second] };
        let mut series = Series::default();
        series.add("l1", [row(10, None, None), row(20, Some(2.5), None), row(30, None, None)]).unwrap();
        assert_eq!(series.column("l1.estimates.0"), [None, Some(2.5), None]);
        assert_eq!(series.points("l1.cycle", "l1.estimates.0"), [(20.0, 2.5)]);
        assert_eq!(series.points("l1.cycle", "l1.estimates.1"), []);
        let text = serde_json::to_string(&series).unwrap();
        assert_eq!(serde_json::from_str::<Series>(&text).unwrap(), series);
    }

    #[test]
    fn a_result_comes_back_from_its_json() {
        let mut result = RunResult { cycles: 7, thread_instructions: 9, ..RunResult::default() };
        for (name, value) in [("sm.issued.0", 3.0), ("energy.total_j", 0.1), ("energy.parts.dram", 1.0 / 3.0)]
        {
            result.counters.set(name, value);
        }
        let text = result.json().to_string();
        assert_eq!(result_from_json(&serde_json::from_str(&text).unwrap()).unwrap(), result);
        assert_eq!(result_from_json(&serde_json::json!({})).unwrap_err(), "has no counters");
    }
}
