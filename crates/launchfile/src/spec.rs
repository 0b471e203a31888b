//! What a launch file may say. Unknown keys are errors.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::error::LaunchError;
use super::number::Number;
use shrinkwarp_formats::{Dtype, files};
use shrinkwarp_report::excerpt::Mistake;
use shrinkwarp_report::suggestion::suggestion;
use shrinkwarp_report::toml_words::plain;

/// The element types that kernels compute with.
pub const TYPES: &[&str] =
    &["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];

/// A whole launch file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchFile {
    /// The PTX, relative to the launch file.
    pub module: Spanned<PathBuf>,
    /// Stop a launch after this many thread instructions.
    pub max_instructions: Option<u64>,
    /// Entries of the map of approximable buffers.
    pub region_entries: Option<usize>,
    /// How often the sequence of launches runs.
    #[serde(default = "once")]
    pub repeat: Spanned<u32>,
    /// Buffers, allocated in this order.
    #[serde(default, rename = "buffer")]
    pub buffers: Vec<BufferSpec>,
    /// Launches, in order.
    #[serde(rename = "launch")]
    pub launches: Vec<LaunchSpec>,
    /// What to do with buffers at the end.
    #[serde(default, rename = "result")]
    pub results: Vec<ResultSpec>,
}

/// A buffer in device memory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferSpec {
    /// Name that arguments and results use.
    pub name: Spanned<String>,
    /// Element type: f32, f64, f16, bf16, i8 … u64.
    #[serde(rename = "type")]
    pub ty: Option<Spanned<String>>,
    /// Elements.
    pub count: Option<Spanned<u64>>,
    /// Extents, instead of `count`.
    pub shape: Option<Spanned<Vec<u64>>>,
    /// Every element the same.
    pub fill: Option<Spanned<Number>>,
    /// The elements, one by one.
    pub values: Option<Spanned<Vec<Number>>>,
    /// `start + index * step`.
    pub ramp: Option<Spanned<Ramp>>,
    /// Random numbers.
    pub random: Option<Spanned<Random>>,
    /// A `.npy` file, or raw bytes.
    pub file: Option<Spanned<PathBuf>>,
    /// Least significant bits of each element that kernels load as zero.
    pub approximate_bits: Option<Spanned<u32>>,
}

/// `start + index * step`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// First element.
    #[serde(default = "zero")]
    pub start: Number,
    /// Difference of neighbours.
    #[serde(default = "one")]
    pub step: Number,
    /// Start again after this many elements.
    pub period: Option<u64>,
}

/// Random numbers from a seeded generator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// Seed; the same seed gives the same numbers everywhere.
    pub seed: u64,
    /// Distribution.
    #[serde(default)]
    pub distribution: Distribution,
    /// Lowest value of a uniform distribution.
    #[serde(default = "zero")]
    pub low: Number,
    /// Bound above a uniform distribution.
    #[serde(default = "one")]
    pub high: Number,
    /// Centre of a normal distribution.
    #[serde(default)]
    pub mean: f64,
    /// Standard deviation of a normal distribution.
    #[serde(default = "unit")]
    pub deviation: f64,
}

/// How random numbers are spread.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Evenly from `low` up to, but without, `high`.
    #[default]
    Uniform,
    /// Bell-shaped around `mean`.
    Normal,
    /// Whole numbers from `low` up to, but without, `high`, in any type.
    Integers,
}

/// One kernel launch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchSpec {
    /// Kernel.
    pub kernel: Spanned<String>,
    /// Thread blocks in x, y, z; what is left out is 1.
    pub grid: Spanned<Vec<u32>>,
    /// Threads in x, y, z.
    pub block: Spanned<Vec<u32>>,
    /// Dynamic shared memory.
    #[serde(default)]
    pub shared_bytes: u32,
    /// Arguments, in order: buffer names and numbers.
    #[serde(default = "no_arguments")]
    pub arguments: Spanned<Vec<Spanned<toml::Value>>>,
    /// How often.
    #[serde(default = "once")]
    pub repeat: Spanned<u32>,
}

/// What to do with a buffer at the end.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultSpec {
    /// Buffer.
    pub buffer: Spanned<String>,
    /// Print its FNV-1a checksum.
    #[serde(default)]
    pub checksum: bool,
    /// Write it as `.npy` (or raw bytes under any other name).
    pub write: Option<Spanned<PathBuf>>,
    /// Compare with a `.npy` or raw file.
    pub expect: Option<Spanned<PathBuf>>,
    /// Largest difference allowed.
    #[serde(default)]
    pub tolerance: Tolerance,
    /// Largest difference allowed, as a fraction of the expected value.
    #[serde(default)]
    pub relative_tolerance: Tolerance,
}

/// How far a value may be off: a finite number from 0.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "f64")]
pub struct Tolerance(pub f64);

impl TryFrom<f64> for Tolerance {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if value.is_finite() && value >= 0.0 {
            return Ok(Self(value));
        }
        Err(format!("a tolerance is a finite number from 0, not {value}"))
    }
}

impl LaunchFile {
    /// Reads a launch file; the source comes along for messages.
    pub fn read(path: &Path) -> Result<(Self, String), LaunchError> {
        let source = files::read_text(path, files::MOST_DESCRIPTION_BYTES)
            .map_err(|error| LaunchError::file(path, error))?;
        match Self::parse(&source) {
            Ok(file) => Ok((file, source)),
            Err(mistake) => Err(LaunchError::in_launch_file(vec![mistake], path, &source)),
        }
    }

    /// Reads the text of a launch file.
    pub fn parse(source: &str) -> Result<Self, Mistake> {
        toml::from_str(source).map_err(|error| {
            let (message, help) = plain(error.message());
            Mistake { span: error.span().unwrap_or(0..0), message, help }
        })
    }
}

impl BufferSpec {
    /// The element type; f32 when a file does not say.
    pub fn dtype(&self) -> Result<Option<Dtype>, Mistake> {
        let Some(ty) = &self.ty else { return Ok(None) };
        let known = ty.get_ref().parse().ok().filter(|_| TYPES.contains(&ty.get_ref().as_str()));
        known.map(Some).ok_or_else(|| {
            Mistake::new(ty.span(), format!("unknown element type {:?}", ty.get_ref()))
                .with_help(suggestion(ty.get_ref(), TYPES))
        })
    }

    /// The shape given, or the count as one extent.
    pub fn extents(&self) -> Result<Option<Vec<u64>>, Mistake> {
        match (&self.count, &self.shape) {
            (Some(_), Some(shape)) => Err(Mistake::new(shape.span(), "give count or shape, not both")),
            (Some(count), None) => Ok(Some(vec![*count.get_ref()])),
            (None, Some(shape)) => Ok(Some(shape.get_ref().clone())),
            (None, None) => Ok(None),
        }
    }
}

fn zero() -> Number {
    Number::Integer(0)
}

fn one() -> Number {
    Number::Integer(1)
}

fn unit() -> f64 {
    1.0
}

fn once() -> Spanned<u32> {
    Spanned::new(0..0, 1)
}

fn no_arguments() -> Spanned<Vec<Spanned<toml::Value>>> {
    Spanned::new(0..0, Vec::new())
}
