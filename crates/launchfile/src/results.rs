//! What happens with a buffer at the end: checksum, file, comparison.

use std::path::Path;

use serde_json::{Value, json};
use shrinkwarp_formats::files::{self, WriteError};
use shrinkwarp_formats::npy;

use super::comparison::Comparison;
use super::initial::{HostBuffer, MOST_BUFFER_BYTES};
use super::spec::ResultSpec;
use shrinkwarp_report::excerpt::Mistake;

/// What was found out about one buffer.
#[derive(Debug, Default)]
pub struct Finding {
    /// Buffer.
    pub buffer: String,
    /// FNV-1a, 64 bits, of its bytes.
    pub checksum: Option<u64>,
    /// File it was written to.
    pub written: Option<String>,
    /// Result of the comparison.
    pub comparison: Option<Comparison>,
    /// Metric and error against the exact program, where loads were approximated.
    pub approximation_error: Option<(String, f64)>,
}

/// Does what a `[[result]]` asks.
pub fn conclude(
    spec: &ResultSpec,
    buffer: &HostBuffer,
    folder: &Path,
    writes_files: bool,
) -> Result<Finding, ResultError> {
    let comparison = match &spec.expect {
        Some(path) => {
            let expected = expected(&folder.join(path.get_ref()), buffer)
                .map_err(|message| ResultError::Mistake(Mistake::new(path.span(), message)))?;
            Some(Comparison::of(buffer, &expected, spec.tolerance.0, spec.relative_tolerance.0))
        }
        None => None,
    };
    let written = match &spec.write {
        Some(path) if writes_files => {
            Some(write(&folder.join(path.get_ref()), buffer).map_err(ResultError::Write)?)
        }
        _ => None,
    };
    Ok(Finding {
        buffer: spec.buffer.get_ref().clone(),
        checksum: spec.checksum.then(|| fnv1a(&buffer.bytes)),
        written,
        comparison,
        approximation_error: None,
    })
}

/// Why a result could not be handled.
#[derive(Debug)]
pub enum ResultError {
    /// The launch file is to blame.
    Mistake(Mistake),
    /// The file could not be written.
    Write(WriteError),
}

impl Finding {
    /// As JSON.
    pub fn json(&self) -> Value {
        json!({
            "buffer": self.buffer,
            "checksum": self.checksum.map(|sum| format!("{sum:016x}")),
            "written": self.written,
            "comparison": self.comparison.as_ref().map(|comparison| json!({
                "elements": comparison.elements,
                "wrong": comparison.wrong,
                "largest_difference": comparison.largest_difference,
                "first_wrong": comparison.first_wrong.map(|(index, ours, expected)| json!({
                    "index": index,
                    "found": ours.json(),
                    "expected": expected.json(),
                })),
            })),
            "approximation_error": self.approximation_error.as_ref().map(|(metric, error)| json!({
                "metric": metric,
                "error": error,
            })),
        })
    }

    /// What is not as expected, for the last line of a failed run.
    pub fn disagreement(&self) -> Option<String> {
        let comparison = self.comparison.as_ref().filter(|comparison| comparison.wrong > 0)?;
        Some(format!("{}: {}", self.buffer, comparison.text()))
    }

    /// As lines for a person.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(sum) = self.checksum {
            text += &format!("{}: checksum {sum:016x}\n", self.buffer);
        }
        if let Some(path) = &self.written {
            text += &format!("{}: written to {path}\n", self.buffer);
        }
        if let Some(comparison) = &self.comparison {
            text += &format!("{}: {}\n", self.buffer, comparison.text());
        }
        if let Some((metric, error)) = &self.approximation_error {
            text += &format!("{}: {metric} error {error:.3e} against the exact program\n", self.buffer);
        }
        text
    }
}

fn expected(path: &Path, buffer: &HostBuffer) -> Result<HostBuffer, String> {
    let is_npy = path.extension().is_some_and(|extension| extension == "npy");
    let expected = if is_npy {
        HostBuffer::from_npy(path, Some(buffer.dtype), buffer.bytes.len() as u64)?
    } else {
        let bytes = files::read_bounded(path, MOST_BUFFER_BYTES)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        HostBuffer { dtype: buffer.dtype, shape: buffer.shape.clone(), bytes }
    };
    let count = |buffer: &HostBuffer| buffer.bytes.len() as u64 / buffer.dtype.bytes();
    if expected.dtype != buffer.dtype || count(&expected) != count(buffer) {
        return Err(format!(
            "{} holds {} elements of {}, the buffer {} of {}",
            path.display(),
            count(&expected),
            expected.dtype,
            count(buffer),
            buffer.dtype
        ));
    }
    Ok(expected)
}

fn write(path: &Path, buffer: &HostBuffer) -> Result<String, WriteError> {
    let is_npy = path.extension().is_some_and(|extension| extension == "npy");
    files::replace(path, |out| {
        if is_npy {
            npy::write(out, buffer.dtype, &buffer.shape, &buffer.bytes)
        } else {
            out.write_all(&buffer.bytes)
        }
    })?;
    Ok(path.display().to_string())
}

/// FNV-1a, 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
