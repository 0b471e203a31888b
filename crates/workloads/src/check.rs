//! Comparison of a device result with its CPU reference.

use crate::error::Mismatch;
use crate::host::BufferElement;

/// How far a result may be from the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Not at all: integers, and floating point computed in the same order.
    Exact,
    /// |got − expected| ≤ `relative` · max(|expected|, `floor`).
    Relative {
        /// The bound relative to the expected value.
        relative: f64,
        /// Values smaller than this are compared as if they were this large.
        floor: f64,
    },
}

impl Tolerance {
    /// A relative tolerance with floor 1: absolute for small values.
    pub const fn relative(relative: f64) -> Self {
        Self::Relative { relative, floor: 1.0 }
    }

    fn accepts<T: BufferElement>(self, got: T, expected: T) -> bool {
        match self {
            Self::Exact => got == expected,
            Self::Relative { relative, floor } => {
                let (got, expected) = (got.to_f64(), expected.to_f64());
                // Written so that a NaN on either side is refused.
                (got - expected).abs() <= relative * expected.abs().max(floor)
            }
        }
    }
}

/// Compares element by element; the error names the first wrong one.
pub fn compare<T: BufferElement>(
    buffer: &'static str,
    got: &[T],
    expected: &[T],
    tolerance: Tolerance,
) -> Result<(), Mismatch> {
    let is_wrong = |index: &usize| match (got.get(*index), expected.get(*index)) {
        (Some(&got), Some(&expected)) => !tolerance.accepts(got, expected),
        _ => true,
    };
    let of = got.len().max(expected.len());
    let Some(index) = (0..of).find(is_wrong) else { return Ok(()) };
    let show = |values: &[T]| values.get(index).map_or("missing".to_owned(), |value| format!("{value:?}"));
    let wrong = (0..of).filter(is_wrong).count();
    Err(Mismatch { buffer, index, got: show(got), expected: show(expected), wrong: (wrong, of) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_element_is_named() {
        let error = compare("out", &[1, 2, 4, 5], &[1, 2, 3, 4], Tolerance::Exact).unwrap_err();
        assert_eq!((error.index, error.wrong), (2, (2, 4)));
        assert_eq!((error.got.as_str(), error.expected.as_str()), ("4", "3"));
    }

    #[test]
    fn a_tolerance_never_accepts_nan_or_a_missing_element() {
        let loose = Tolerance::relative(1.0);
        assert!(compare("out", &[f32::NAN], &[0.0], loose).is_err());
        assert!(compare("out", &[0.0f32], &[0.0, 0.0], loose).is_err());
        assert!(compare("out", &[1.5f32], &[1.0], loose).is_ok());
    }
}
