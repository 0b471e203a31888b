//! What each switch of a machine or a system does: a paper's result with one switch at another value at a time.
//!
//! Such a figure is an experiment, not one of the paper's: it is drawn only when it is named, as in
//! `shrinkwarp reproduce e2mc switches`. docs/switches.md has the tables and the source of each value.

use shrinkwarp_report::chart::{Axis, Chart, Series, Table};
use shrinkwarp_report::figure::Figure;

use super::common::{Member, mean, plain, with};
use super::{Measured, Need, Scope};
use crate::LabError;
use crate::run::RunSpec;

/// The row that the others are compared with.
pub const AS_IT_IS: Switch = Switch { name: "as the figures have it", gpu: None, machine: &[], scheme: &[] };

/// A switch at another value than the paper's figures have.
#[derive(Clone, Copy)]
pub struct Switch {
    /// What the row is called.
    pub name: &'static str,
    /// The GPU, where it is not the paper's.
    pub gpu: Option<&'static str>,
    /// Settings of the GPU.
    pub machine: &'static [&'static str],
    /// Settings of the scheme; a run without compression does not have them.
    pub scheme: &'static [&'static str],
}

impl Switch {
    /// A change of the GPU.
    pub const fn machine(name: &'static str, machine: &'static [&'static str]) -> Self {
        Self { name, machine, ..AS_IT_IS }
    }

    /// A change of the scheme.
    pub const fn scheme(name: &'static str, scheme: &'static [&'static str]) -> Self {
        Self { name, scheme, ..AS_IT_IS }
    }

    /// The run without compression.
    pub fn plain(&self, scope: Scope, gpu: &str, member: &Member) -> RunSpec {
        with(&plain(scope, self.gpu.unwrap_or(gpu), member), self.machine)
    }

    /// The run of a system, which its settings describe.
    pub fn run(&self, scope: Scope, gpu: &str, member: &Member, system: &[&str]) -> RunSpec {
        with(&with(&self.plain(scope, gpu, member), system), self.scheme)
    }
}

/// What an experiment compares: a system on the machine of its paper, with some of the paper's workloads.
pub struct Experiment {
    /// The machine.
    pub gpu: &'static str,
    /// The settings of the system.
    pub system: &'static [&'static str],
    /// The workloads.
    pub members: Vec<Member>,
    /// The rows.
    pub switches: &'static [Switch],
}

impl Experiment {
    /// With and without the system, for every switch and workload.
    pub fn needs(&self, scope: Scope) -> Vec<Need> {
        let of_switch = |switch: &Switch| {
            let of_member = |member: &Member| {
                [switch.plain(scope, self.gpu, member), switch.run(scope, self.gpu, member, self.system)]
            };
            self.members.iter().flat_map(of_member).map(Need::Run).collect::<Vec<_>>()
        };
        self.switches.iter().flat_map(of_switch).collect()
    }

    /// The speedup of the system for every switch: the geometric mean, and each workload's.
    pub fn draw(&self, figure: Figure, scope: Scope, measured: &Measured) -> Result<Figure, LabError> {
        let mut rows = Vec::new();
        for switch in self.switches {
            let mut speedups = Vec::new();
            for member in &self.members {
                let cycles = |spec: RunSpec| Ok::<f64, LabError>(measured.result(&spec)?.cycles as f64);
                let plain = cycles(switch.plain(scope, self.gpu, member))?;
                speedups.push(plain / cycles(switch.run(scope, self.gpu, member, self.system))?.max(1.0));
            }
            let mut values = vec![mean(&speedups)];
            values.extend(speedups);
            rows.push((switch.name, values));
        }
        let means = rows.iter().map(|(_, values)| values[0]).collect::<Vec<_>>();
        let names = self.switches.iter().map(|switch| switch.name);
        let series = vec![Series::new("geometric mean", means)];
        let chart =
            Chart::bars("Speedup, one switch changed at a time", Axis::ratio("speedup"), names, series);
        let columns: Vec<&str> =
            std::iter::once("mean").chain(self.members.iter().map(|member| member.label)).collect();
        Ok(figure.chart(chart).table("Speedup", table(&columns, rows)))
    }
}

/// A table with a row for each switch.
pub fn table(columns: &[&str], rows: Vec<(&str, Vec<f64>)>) -> Table {
    let header = std::iter::once("switch").chain(columns.iter().copied()).map(str::to_owned).collect();
    let cells = |(name, values): (&str, Vec<f64>)| (name.to_owned(), values.into_iter().map(Some).collect());
    Table { header, rows: rows.into_iter().map(cells).collect() }
}
