//! The speeds the library promises: fractions of memcpy, geometric mean over the data sets.

use super::Operation;

/// What one codec promises.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// The codec's name.
    pub codec: &'static str,
    size: f64,
    compress: f64,
    decompress: f64,
}

/// All promises. Codecs without a row promise nothing.
pub const FLOORS: &[Floor] = &[
    Floor { codec: "bdi", size: 0.45, compress: 0.25, decompress: 0.45 },
    Floor { codec: "fpc", size: 0.40, compress: 0.15, decompress: 0.20 },
    Floor { codec: "dsm", size: 0.40, compress: 0.20, decompress: 0.30 },
    Floor { codec: "bpc", size: 0.20, compress: 0.10, decompress: 0.12 },
    Floor { codec: "cpack", size: 0.08, compress: 0.05, decompress: 0.10 },
    Floor { codec: "e2mc16", size: 0.25, compress: 0.12, decompress: 0.10 },
    Floor { codec: "sc", size: 0.25, compress: 0.12, decompress: 0.10 },
];

impl Floor {
    /// The promise for a codec's spec without parameters, if there is one.
    pub fn of(codec: &str) -> Option<&'static Self> {
        FLOORS.iter().find(|floor| floor.codec == codec)
    }

    /// The fraction of memcpy promised for one operation.
    pub fn fraction(&self, operation: Operation) -> f64 {
        match operation {
            Operation::Size => self.size,
            Operation::Compress => self.compress,
            Operation::Decompress => self.decompress,
        }
    }
}
