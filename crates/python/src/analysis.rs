//! What codecs make of arrays and files.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyArray1;
use pyo3::prelude::*;
use shrinkwarp_analyze::report::{InputReport, Report as Found};
use shrinkwarp_analyze::{
    self as analyze_crate, AnalyzeError, Choice, Plan, Watch as Onlooker, csv, html, json, table,
};
use shrinkwarp_cli::Failure;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_formats::{self as formats, Bytes, Dtype, Input, Tensor};

use crate::arrays::SharedBytes;
use crate::failure::{exception, usage};
use crate::watch::Watch;

/// What an analysis found.
#[pyclass(frozen, module = "shrinkwarp._native")]
pub struct Report {
    found: Found,
}

#[pymethods]
impl Report {
    /// As the command prints it.
    fn table(&self, each: bool) -> String {
        table::to_table(&self.found, each)
    }

    fn json(&self) -> String {
        json::to_json(&self.found)
    }

    fn csv(&self) -> String {
        csv::to_csv(&self.found)
    }

    /// A page of its own.
    fn html(&self) -> String {
        html::to_html(&self.found)
    }
}

/// How to analyse: block size, codecs (none: all that fit), share that trains, bits to clear, statistics of bit planes.
#[derive(FromPyObject)]
pub struct Options {
    block_bytes: usize,
    codecs: Vec<String>,
    train: String,
    approximate_bits: Option<u32>,
    with_planes: bool,
}

impl Options {
    fn plan(&self) -> PyResult<Plan> {
        let block = BlockBytes::from_bytes(self.block_bytes)
            .ok_or_else(|| usage(format!("blocks have 32, 64 or 128 bytes, not {}", self.block_bytes)))?;
        let choice = match &*self.codecs {
            [] => Choice::Fitting,
            named => Choice::Named(named.to_vec()),
        };
        choice.specs(Dtype::F32, block).map_err(usage)?;
        Ok(Plan {
            block,
            choice,
            train: self.train.parse().map_err(|error| usage(format!("train: {error}")))?,
            approx_bits: self.approximate_bits,
            with_planes: self.with_planes,
        })
    }
}

/// A tensor of the caller's: name, element type, shape, bytes.
type Given<'py> = (String, String, Vec<u64>, Bound<'py, PyArray1<u8>>);

/// Analyses arrays as one input of this name.
#[pyfunction]
pub fn analyze_arrays(
    py: Python<'_>,
    name: String,
    arrays: Vec<Given<'_>>,
    options: Options,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let plan = options.plan()?;
    let tensors = arrays.into_iter().map(tensor).collect::<PyResult<Vec<_>>>()?;
    let inputs = [Input { name, tensors }];
    let watch = Watch::default();
    let found = watch.supervise(py, progress, || {
        watch.set(0, inputs.iter().map(|input| plan.work_bytes(input)).sum());
        inputs.iter().map(|input| analyze_one(input, &plan, &watch)).collect::<Result<Vec<_>, _>>()
    })?;
    let inputs = found.map_err(exception_of)?;
    Ok(Report { found: Found { block: plan.block, inputs } })
}

/// Analyses files, or those in folders; `dtype` is the element type of raw ones.
#[pyfunction]
pub fn analyze_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    dtype: Option<&str>,
    expand_limit_bytes: u64,
    options: Options,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let plan = options.plan()?;
    let dtype =
        dtype.map(str::parse).transpose().map_err(|error: String| usage(format!("dtype: {error}")))?;
    let reading = formats::Options { dtype, expand_limit_bytes };
    let watch = Watch::default();
    let found = watch.supervise(py, progress, || {
        let files = formats::files_of(&paths, dtype.is_some())?;
        let inputs = files.iter().map(|path| formats::open(path, reading)).collect::<Result<Vec<_>, _>>()?;
        watch.set(0, inputs.iter().map(|input| plan.work_bytes(input)).sum());
        let analyse = |input: &Input| analyze_one(input, &plan, &watch).map_err(Failure::from);
        inputs.iter().map(analyse).collect::<Result<Vec<_>, Failure>>()
    })?;
    let inputs = found.map_err(exception)?;
    Ok(Report { found: Found { block: plan.block, inputs } })
}

fn tensor((name, dtype, shape, array): Given<'_>) -> PyResult<Tensor> {
    let dtype = dtype.parse().map_err(|error| usage(format!("{name}: element type {dtype}: {error}")))?;
    Ok(Tensor { name, dtype, shape, bytes: Bytes::in_memory(Arc::new(SharedBytes::of(&array)?)) })
}

fn analyze_one(input: &Input, plan: &Plan, watch: &Watch) -> Result<InputReport, AnalyzeError> {
    let onlooker = Onlooker { progress: &|bytes| watch.advance(bytes), interrupt: Some(&*watch.interrupt) };
    analyze_crate::analyze(input, plan, onlooker)
}

/// Codecs are named in an argument here, not with a flag.
fn exception_of(error: AnalyzeError) -> PyErr {
    match &error {
        AnalyzeError::Codec(error) => usage(error),
        AnalyzeError::Read { .. } => exception(error),
    }
}
