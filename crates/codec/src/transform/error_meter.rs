//! What an approximation costs: the differences between the data before and after.
//!
//! | measure             | meaning                                                                            |
//! |---------------------|------------------------------------------------------------------------------------|
//! | max absolute        | the largest difference (the L∞ norm of the error)                                  |
//! | max, mean relative  | difference over the magnitude of the original; an original of zero counts as exact if it stays zero |
//! | NRMSE               | root of the mean squared difference, over the range of the originals; over their magnitude where all are equal |
//!
//! Elements that are not finite before or after have no difference; they are counted and left out.

use super::FloatFormat;

/// Collects differences over any number of pieces of data.
#[derive(Clone, Copy, Debug)]
pub struct ErrorMeter {
    format: FloatFormat,
    elements: u64,
    not_finite: u64,
    max_absolute: f64,
    max_relative: f64,
    relative_sum: f64,
    squared_sum: f64,
    lowest: f64,
    highest: f64,
}

/// The measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproximationError {
    /// Elements compared.
    pub elements: u64,
    /// Elements left out because they, or their approximations, are NaN or infinite.
    pub not_finite: u64,
    /// The largest absolute difference.
    pub max_absolute: f64,
    /// The largest relative difference.
    pub max_relative: f64,
    /// The mean relative difference.
    pub mean_relative: f64,
    /// The normalised root mean square error.
    pub nrmse: f64,
}

impl ErrorMeter {
    /// A meter that has seen nothing.
    pub fn new(format: FloatFormat) -> Self {
        Self {
            format,
            elements: 0,
            not_finite: 0,
            max_absolute: 0.0,
            max_relative: 0.0,
            relative_sum: 0.0,
            squared_sum: 0.0,
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
        }
    }

    /// Compares two pieces of equal length, element by element.
    pub fn observe(&mut self, original: &[u8], approximated: &[u8]) {
        let bytes = self.format.bytes();
        for (before, after) in original.chunks_exact(bytes).zip(approximated.chunks_exact(bytes)) {
            self.observe_values(self.format.value(before), self.format.value(after));
        }
    }

    fn observe_values(&mut self, before: f64, after: f64) {
        if !before.is_finite() || !after.is_finite() {
            self.not_finite += 1;
            return;
        }
        let absolute = (before - after).abs();
        let relative = if absolute == 0.0 { 0.0 } else { absolute / before.abs() };
        self.elements += 1;
        self.max_absolute = self.max_absolute.max(absolute);
        self.max_relative = self.max_relative.max(relative);
        self.relative_sum += relative;
        self.squared_sum += absolute * absolute;
        self.lowest = self.lowest.min(before);
        self.highest = self.highest.max(before);
    }

    /// Adds what another meter saw. The same pieces in the same order give the same sums.
    pub fn merge(&mut self, other: &Self) {
        self.elements += other.elements;
        self.not_finite += other.not_finite;
        self.max_absolute = self.max_absolute.max(other.max_absolute);
        self.max_relative = self.max_relative.max(other.max_relative);
        self.relative_sum += other.relative_sum;
        self.squared_sum += other.squared_sum;
        self.lowest = self.lowest.min(other.lowest);
        self.highest = self.highest.max(other.highest);
    }

    /// The measures so far.
    pub fn finish(&self) -> ApproximationError {
        let count = self.elements.max(1) as f64;
        let root_mean_square = (self.squared_sum / count).sqrt();
        let range = self.highest - self.lowest;
        let scale = if range > 0.0 { range } else { self.highest.abs() };
        ApproximationError {
            elements: self.elements,
            not_finite: self.not_finite,
            max_absolute: self.max_absolute,
            max_relative: self.max_relative,
            mean_relative: self.relative_sum / count,
            nrmse: if root_mean_square == 0.0 { 0.0 } else { root_mean_square / scale },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn measures_are_those_of_the_definitions() {
        let mut meter = ErrorMeter::new(FloatFormat::F32);
        meter.observe(&bytes(&[1.0, 2.0, -3.0, 0.0]), &bytes(&[1.0, 1.5, -3.0, 0.0]));
        let error = meter.finish();
        assert_eq!((error.elements, error.not_finite), (4, 0));
        assert_eq!(error.max_absolute, 0.5);
        assert_eq!(error.max_relative, 0.25);
        assert_eq!(error.mean_relative, 0.25 / 4.0);
        // The squares sum to 0.25 over 4 elements; the range is 5.
        assert_eq!(error.nrmse, 0.25 / 5.0);
    }

    #[test]
    fn infinities_and_nans_are_counted_and_left_out() {
        let mut meter = ErrorMeter::new(FloatFormat::F32);
        meter.observe(&bytes(&[f32::NAN, 1.0, f32::INFINITY]), &bytes(&[f32::INFINITY, 1.0, f32::INFINITY]));
        assert_eq!(meter.finish().not_finite, 2);
        assert_eq!(meter.finish().nrmse, 0.0);
    }

    #[test]
    fn pieces_merge_to_the_whole() {
        let (before, after) = (bytes(&[1.0, 2.0, 3.0, 4.0]), bytes(&[1.0, 1.5, 2.5, 4.0]));
        let mut whole = ErrorMeter::new(FloatFormat::F32);
        whole.observe(&before, &after);
        let (mut first, mut second) = (ErrorMeter::new(FloatFormat::F32), ErrorMeter::new(FloatFormat::F32));
        first.observe(&before[..8], &after[..8]);
        second.observe(&before[8..], &after[8..]);
        first.merge(&second);
        assert_eq!(first.finish(), whole.finish());
    }

    #[test]
    fn twelve_of_f32s_23_bits_cost_less_than_two_to_the_minus_11() {
        let before: Vec<u8> = bytes(&std::array::from_fn::<f32, 100, _>(|i| 1.0 + i as f32 * 0.37));
        let mut after = before.clone();
        super::super::Approximation::new(FloatFormat::F32, 12).unwrap().apply(&mut after);
        let mut meter = ErrorMeter::new(FloatFormat::F32);
        meter.observe(&before, &after);
        let error = meter.finish();
        assert!(error.max_relative > 0.0 && error.max_relative < 2f64.powi(-11), "{error:?}");
    }
}
