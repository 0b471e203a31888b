//! What one run of a workload is given: how large, which input, how precise.

use crate::input::conditioned::Factors;
use crate::workload::Scale;

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The usual size of the input.
    pub scale: Scale,
    /// Seed of whatever is random.
    pub seed: u64,
    /// The user's file in place of the generated input.
    pub input: Option<&'a [u8]>,
    /// Name of one of the workload's data sets; the default if none is named.
    pub data: Option<&'a str>,
    /// Properties that the generated input must have.
    pub properties: Option<InputProperties>,
    /// Bits that loads from approximable buffers see as zero; 0 is the exact program.
    pub approximate_bits: u32,
    /// Whether results are kept for an error metric instead of being held to the workload's tolerance.
    pub keeps_outputs: bool,
    /// Launches after which the program ends, with its result unchecked; `None` runs it to its end.
    pub max_launches: Option<u64>,
}

/// Properties of a generated input; what is left out is as usual.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InputProperties {
    /// The workload's own measure of size: rows of a square matrix, points, side of a picture, numbers to sort.
    pub size: Option<usize>,
    /// log10 of the condition number of a matrix.
    pub condition_log10: Option<f64>,
    /// Clusters to find.
    pub clusters: Option<usize>,
    /// Features of a point.
    pub features: Option<usize>,
    /// How the factors of a matrix with a given condition number belong together.
    pub factors: Factors,
}

impl Setup<'_> {
    /// The usual run at a scale: generated input, exact, checked.
    pub const fn usual(scale: Scale, seed: u64) -> Self {
        Self {
            scale,
            seed,
            input: None,
            data: None,
            properties: None,
            approximate_bits: 0,
            keeps_outputs: false,
            max_launches: None,
        }
    }

    /// The size of the generated input that takes the place of the scale's.
    pub fn requested_size(&self) -> Option<usize> {
        self.properties.and_then(|properties| properties.size)
    }
}

/// A result of a run, as an error metric takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: &'static str,
    /// What the device computed.
    pub got: Vec<f64>,
    /// What the CPU reference says.
    pub expected: Vec<f64>,
}
