//! What many figures do: choose a paper's workloads, ask for runs, compare them.

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_workloads::{Class, DataSet, Paper, WORKLOADS, Workload};

use super::{Measured, Need, Scope};
use crate::LabError;
use crate::run::{RunResult, RunSpec};
use shrinkwarp_report::chart::{Axis, Chart, Mean, Series, geometric_mean};

/// A workload under the name that a paper has for it.
#[derive(Clone, Copy)]
pub struct Member {
    /// The workload.
    pub workload: &'static Workload,
    /// The paper's name.
    pub label: &'static str,
    /// The data set that represents the paper's input.
    pub data: &'static DataSet,
}

impl Member {
    /// A workload under its own name with its default data set.
    pub fn of_suite(workload: &'static Workload) -> Self {
        Self { workload, label: workload.name, data: workload.default_data_set() }
    }
}

/// The workloads that a paper used, as far as they are chosen.
pub fn members(scope: Scope, paper: Paper) -> Vec<Member> {
    let label_of = |workload: &'static Workload| {
        let found = workload.papers.iter().find(|(used_by, _)| *used_by == paper);
        found.map(|(_, label)| Member { workload, label, data: workload.data_set_of(paper) })
    };
    WORKLOADS.iter().copied().filter(|workload| scope.has(workload)).filter_map(label_of).collect()
}

/// The same, class by class: integer, float, mixed.
pub fn by_class(members: &[Member], class: Class) -> Vec<Member> {
    members.iter().copied().filter(|member| member.workload.class == class).collect()
}

/// A run of a workload on a GPU, without compression.
pub fn plain(scope: Scope, gpu: &str, member: &Member) -> RunSpec {
    let data = Some(member.data.name.to_owned());
    RunSpec { gpu: gpu.to_owned(), data, ..RunSpec::new(member.workload.name, scope.scale) }
}

/// The same run with other settings, in the form of `--set`.
pub fn with(spec: &RunSpec, overrides: &[&str]) -> RunSpec {
    let mut changed = spec.clone();
    changed.overrides.extend(overrides.iter().map(ToString::to_string));
    changed
}

/// One profile for each workload.
pub fn profiles(scope: Scope, gpu: &str, members: &[Member]) -> Vec<Need> {
    members.iter().map(|member| Need::Profile(plain(scope, gpu, member))).collect()
}

/// A configuration that a figure compares: its name and its settings.
#[derive(Clone, Copy)]
pub struct Variant<'a> {
    /// What the legend says.
    pub name: &'a str,
    /// What differs from the plain run.
    pub overrides: &'a [&'a str],
}

/// Every workload with every variant.
pub fn runs(scope: Scope, gpu: &str, members: &[Member], variants: &[Variant<'_>]) -> Vec<Need> {
    let of_member = |member: &Member| {
        let base = plain(scope, gpu, member);
        variants.iter().map(move |variant| Need::Run(with(&base, variant.overrides))).collect::<Vec<_>>()
    };
    members.iter().flat_map(of_member).collect()
}

/// A number of each variant's run next to the run of the variant `base`, for each workload; `run` makes the runs.
pub fn columns_of(
    base: &Variant<'_>,
    variants: &[Variant<'static>],
    members: &[Member],
    measured: &Measured,
    run: impl Fn(&Member, &Variant<'_>) -> RunSpec,
    number: impl Fn(&RunResult, &RunResult) -> f64,
) -> Result<Vec<Column<'static>>, LabError> {
    let mut columns = Vec::new();
    for variant in variants {
        let of_member = |member: &Member| -> Result<f64, LabError> {
            let plain = measured.result(&run(member, base))?;
            Ok(number(plain, measured.result(&run(member, variant))?))
        };
        columns.push((variant.name, members.iter().map(of_member).collect::<Result<_, _>>()?));
    }
    Ok(columns)
}

/// Cycles of the plain run over cycles with a variant.
pub fn speedup(
    scope: Scope,
    gpu: &str,
    member: &Member,
    variant: &Variant<'_>,
    measured: &Measured,
) -> Result<f64, LabError> {
    let base = plain(scope, gpu, member);
    let cycles = measured.result(&with(&base, variant.overrides))?.cycles;
    Ok(measured.result(&base)?.cycles as f64 / cycles.max(1) as f64)
}

/// A codec of the registry for 128 B blocks.
pub fn codec(text: &str) -> Result<CodecSpec, LabError> {
    CodecSpec::parse(text, BlockBytes::B128).map_err(|error| LabError::Usage(error.to_string()))
}

/// Named values, one for each workload.
pub type Column<'a> = (&'a str, Vec<f64>);

/// Bars for each workload and series with their geometric mean, published means beside.
pub fn ratio_bars(
    title: &str,
    axis: &str,
    members: &[Member],
    columns: &[Column<'_>],
    published_means: &[f64],
) -> Chart {
    let series = columns.iter().enumerate().map(|(index, (name, values))| {
        let series = Series::new(*name, values.iter().copied());
        match published_means.get(index) {
            Some(mean) => series.published(Mean::Geometric.name(), *mean),
            None => series,
        }
    });
    member_bars(title, Axis::ratio(axis), members, series.collect()).with_mean(Mean::Geometric)
}

/// Bars for each workload and series.
pub fn member_bars(title: impl Into<String>, axis: Axis, members: &[Member], series: Vec<Series>) -> Chart {
    Chart::bars(title, axis, members.iter().map(|member| member.label), series)
}

/// The arithmetic mean; 0 of nothing.
pub fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The geometric mean of a column; 1 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    geometric_mean(values).unwrap_or(1.0)
}
