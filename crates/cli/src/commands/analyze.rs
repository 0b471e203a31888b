//! `shrinkwarp analyze`: point it at data and see what would shrink.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use shrinkwarp_analyze::report::{InputReport, Report};
use shrinkwarp_analyze::{AnalyzeError, Choice, Plan, TrainingShare, Watch, analyze, csv, html, json, table};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::transform::FloatFormat;
use shrinkwarp_formats::{self as formats, Dtype, Input};

use crate::arguments::parse_block;
use crate::failure::Failure;
use crate::files::{self, Output};
use crate::progress::Progress;

/// Show how well each codec compresses tensors
///
/// Reads .npy, .npz, .safetensors and raw files (with --dtype), each also as .gz or .zst; directories; - for standard
/// input. Ratios are raw size over stored size: bit-exact (raw CR), and in bursts of 32 B as memory fetches them.
#[derive(Args, Debug)]
pub struct Analyze {
    /// Files or directories, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Element type of raw files: f32, bf16, f16, f64, f8e4m3, f8e5m2, i8 to i64, u8 to u64, int4, uint4, fp4, mxfp4
    #[arg(long, value_name = "TYPE")]
    dtype: Option<Dtype>,
    /// Codecs to try, separated by commas [default: all that fit the element type]
    #[arg(long, value_delimiter = ',', value_name = "CODEC")]
    codec: Vec<String>,
    /// Block size in bytes: 32, 64 or 128
    #[arg(long, default_value = "128", value_parser = parse_block)]
    block: BlockBytes,
    /// Part of each tensor on which trained codecs are trained: `all`, or a share from its start such as 10%
    #[arg(long, default_value = "all", value_name = "all|N%")]
    train: TrainingShare,
    /// Also try every codec after clearing the K least significant mantissa bits of each float: 4, 8, 12, 16 or 20 for f32
    #[arg(long, alias = "approx", value_name = "K")]
    approximate_bits: Option<u32>,
    /// Print a codec table for every tensor, not only the totals
    #[arg(long)]
    each: bool,
    /// Print JSON instead of tables
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV instead of tables
    #[arg(long)]
    csv: bool,
    /// Also write a self-contained HTML page with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Largest size to which a compressed input may expand on disk, in GiB
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    expand_limit_gib: u32,
}

impl Analyze {
    pub fn run(&self) -> Result<(), Failure> {
        let plan = Plan {
            block: self.block,
            choice: self.choice()?,
            train: self.train,
            approx_bits: self.approximate_bits,
            with_planes: self.html.is_some(),
        };
        let options = formats::Options {
            dtype: self.dtype,
            expand_limit_bytes: u64::from(self.expand_limit_gib) << 30,
        };
        let is_of_no_type = |bits: u32| {
            !FloatFormat::ALL.iter().any(|format| format.allowed_bits().any(|allowed| allowed == bits))
        };
        if self.approximate_bits.is_some_and(is_of_no_type) {
            return Err(self.not_approximable());
        }
        let mut failures = Vec::new();
        let mut report = Report { block: self.block, inputs: Vec::new() };
        for path in formats::files_of(&self.inputs, self.dtype.is_some())? {
            let analysed = formats::open(&path, options)
                .map_err(Failure::from)
                .and_then(|input| with_progress(&input, &plan));
            match analysed {
                Ok(found) => report.inputs.push(found),
                Err(failure) => failures.push(failure),
            }
        }
        if failures.is_empty() {
            self.check_approximated(&report)?;
        }
        if !report.inputs.is_empty() {
            files::print(&self.formatted(&report))?;
            self.write_html(&report)?;
        }
        combined(failures)
    }

    fn formatted(&self, report: &Report) -> String {
        if self.json {
            json::to_json(report)
        } else if self.csv {
            csv::to_csv(report)
        } else {
            table::to_table(report, self.each)
        }
    }

    fn write_html(&self, report: &Report) -> Result<(), Failure> {
        let Some(path) = &self.html else { return Ok(()) };
        let mut out = Output::create(path, true)?;
        out.write_all(html::to_html(report).as_bytes()).map_err(|error| out.failure(&error))?;
        out.finish()
    }

    /// An approximation that touched nothing was not what the user meant.
    fn check_approximated(&self, report: &Report) -> Result<(), Failure> {
        if self.approximate_bits.is_none() || report.tensors().any(|tensor| tensor.error.is_some()) {
            return Ok(());
        }
        Err(self.not_approximable())
    }

    fn not_approximable(&self) -> Failure {
        let allowed: Vec<String> = FloatFormat::ALL
            .iter()
            .map(|format| {
                let bits: Vec<String> = format.allowed_bits().map(|bits| bits.to_string()).collect();
                format!("{}: {}", format.name(), bits.join(" "))
            })
            .collect();
        let allowed = allowed.join("; ");
        let bits = self.approximate_bits.unwrap_or_default();
        Failure::Usage(format!(
            "--approximate-bits {bits}: no tensor has a type that allows it (allowed: {allowed})"
        ))
    }

    /// Checks names before any file is opened.
    fn choice(&self) -> Result<Choice, Failure> {
        if self.codec.is_empty() {
            return Ok(Choice::Fitting);
        }
        let choice = Choice::Named(self.codec.clone());
        choice.specs(Dtype::F32, self.block).map_err(AnalyzeError::from)?;
        Ok(choice)
    }
}

fn with_progress(input: &Input, plan: &Plan) -> Result<InputReport, Failure> {
    let progress = Progress::bytes(plan.work_bytes(input), "analysing");
    Ok(analyze(input, plan, Watch::new(&|bytes| progress.advance(bytes)))?)
}

/// One failure that tells of all; the inputs that could be read were reported already.
fn combined(mut failures: Vec<Failure>) -> Result<(), Failure> {
    if failures.len() < 2 {
        return failures.pop().map_or(Ok(()), Err);
    }
    let lines: Vec<String> = failures.iter().map(Failure::to_string).collect();
    Err(Failure::Work(format!("{} inputs could not be read:\n  {}", lines.len(), lines.join("\n  "))))
}
