//! What an axis is: its name, unit, scale and range.

use super::number::Format;

/// How numbers become lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences are equal lengths.
    #[default]
    Linear,
    /// Equal ratios are equal lengths; ticks at powers of two.
    Log2,
    /// Equal ratios are equal lengths; ticks at powers of ten.
    Log10,
}

impl Scale {
    /// The number as a length; numbers that a logarithm does not have lie far below all others.
    pub(super) fn length(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log2 => value.max(f64::MIN_POSITIVE).log2(),
            Self::Log10 => value.max(f64::MIN_POSITIVE).log10(),
        }
    }
}

/// An axis. Ranges that are not given follow the data.
#[derive(Debug, Clone, Default)]
pub struct Axis {
    /// What is measured.
    pub label: String,
    /// In what, empty for plain numbers.
    pub unit: String,
    /// How numbers become lengths.
    pub scale: Scale,
    /// How numbers are written.
    pub format: Format,
    /// The lowest number shown.
    pub low: Option<f64>,
    /// The highest number shown; a bar that passes it is cut and says its value.
    pub high: Option<f64>,
    /// A line that readers compare with, such as 1 on an axis of speedups. Bars start there when zero is not in range.
    pub reference: Option<f64>,
}

impl Axis {
    /// Plain numbers, linear.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// Ratios, written `1.5×`, with a line at 1.
    pub fn ratio(label: impl Into<String>) -> Self {
        Self::new(label).format(Format::Times).reference(1.0)
    }

    /// Shares from 0 to 1, written as per cent.
    pub fn share(label: impl Into<String>) -> Self {
        Self::new(label).format(Format::Percent)
    }

    /// Gives the unit.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Chooses the scale.
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// Chooses how numbers are written.
    pub fn format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    /// Shows these numbers whatever the data.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (Some(low), Some(high));
        self
    }

    /// Draws a line to compare with.
    pub fn reference(mut self, value: f64) -> Self {
        self.reference = Some(value);
        self
    }

    /// The label with its unit.
    pub fn caption(&self) -> String {
        if self.unit.is_empty() { self.label.clone() } else { format!("{} ({})", self.label, self.unit) }
    }

    /// A value for a reader who points at it: more digits than a tick has, and the unit.
    pub(super) fn read_out(&self, value: f64) -> String {
        let number = self.format.precise(value);
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }
}
