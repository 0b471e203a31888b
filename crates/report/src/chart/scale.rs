//! From values to pixels, and where ticks stand.

use super::axis::{Axis, Scale};

/// About how many ticks an axis gets.
const TICKS: f64 = 6.0;

/// What an axis must hold.
#[derive(Debug, Clone)]
pub(super) enum Extent {
    /// Names, each with a band of its own.
    Names(Vec<String>),
    /// Numbers from the lowest to the highest.
    Numbers(f64, f64),
}

impl Extent {
    /// The numbers among these that are finite; 0 to 1 when there are none.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low <= high { Self::Numbers(low, high) } else { Self::Numbers(0.0, 1.0) }
    }

    /// The same with zero inside, as bars need.
    pub(super) fn with_zero(self) -> Self {
        match self {
            Self::Numbers(low, high) => Self::Numbers(low.min(0.0), high.max(0.0)),
            names @ Self::Names(_) => names,
        }
    }
}

/// A tick: where, and what it says.
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) text: String,
}

/// An axis with its length in pixels.
pub(super) struct Ruler<'a> {
    axis: &'a Axis,
    names: &'a [String],
    /// The ends in lengths of the scale.
    low: f64,
    high: f64,
    /// The ends in pixels.
    from: f64,
    to: f64,
}

impl<'a> Ruler<'a> {
    /// Lays the axis from one pixel to another; numeric ends are rounded to ticks.
    pub(super) fn new(axis: &'a Axis, extent: &'a Extent, from: f64, to: f64) -> Self {
        match extent {
            Extent::Names(names) => Self { axis, names, low: 0.0, high: names.len().max(1) as f64, from, to },
            Extent::Numbers(low, high) => {
                let (low, high) = ends(axis, *low, *high);
                Self { axis, names: &[], low, high, from, to }
            }
        }
    }

    /// The pixel of a number, at the end of the axis when the number lies beyond it.
    pub(super) fn at(&self, value: f64) -> f64 {
        self.place(self.axis.scale.length(value).clamp(self.low, self.high))
    }

    /// Whether the number lies between the ends.
    pub(super) fn holds(&self, value: f64) -> bool {
        let tolerance = 1e-9 * (self.high - self.low);
        let length = self.axis.scale.length(value);
        length >= self.low - tolerance && length <= self.high + tolerance
    }

    /// Where the band of a name starts and how wide it is.
    pub(super) fn band(&self, index: usize) -> (f64, f64) {
        let (start, end) = (self.place(index as f64), self.place(index as f64 + 1.0));
        (start.min(end), (end - start).abs())
    }

    /// Where bars start: at the line they are compared with, else at zero, else at the end.
    pub(super) fn origin(&self) -> f64 {
        [self.axis.reference, Some(0.0)]
            .into_iter()
            .flatten()
            .find(|value| self.holds(*value))
            .map_or_else(|| self.place(self.low), |value| self.at(value))
    }

    pub(super) fn axis(&self) -> &Axis {
        self.axis
    }

    pub(super) fn is_named(&self) -> bool {
        !self.names.is_empty()
    }

    /// All ticks: the middles of the bands, or round numbers.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        if self.is_named() {
            let middle = |index| self.place(index as f64 + 0.5);
            return self
                .names
                .iter()
                .enumerate()
                .map(|(index, name)| Tick { at: middle(index), text: name.clone() })
                .collect();
        }
        let values = match self.axis.scale {
            Scale::Linear => steps(self.low, self.high, round_step((self.high - self.low) / TICKS)),
            Scale::Log2 => powers(2.0, self.low, self.high, &[1.0]),
            // With few decades, ticks at 2 and 5 keep the axis readable.
            Scale::Log10 if self.high - self.low < 2.5 => powers(10.0, self.low, self.high, &[1.0, 2.0, 5.0]),
            Scale::Log10 => powers(10.0, self.low, self.high, &[1.0]),
        };
        let shown = values.into_iter().filter(|value| self.holds(*value));
        shown.map(|value| Tick { at: self.at(value), text: self.axis.format.short(value) }).collect()
    }

    fn place(&self, length: f64) -> f64 {
        self.from + (self.to - self.from) * (length - self.low) / (self.high - self.low)
    }
}

/// The ends of an axis that holds these numbers.
pub(super) fn ends_of(axis: &Axis, extent: &Extent) -> (f64, f64) {
    let Extent::Numbers(low, high) = extent else { return (0.0, 1.0) };
    let (start, end) = ends(axis, *low, *high);
    let value = |length: f64| match axis.scale {
        Scale::Linear => length,
        Scale::Log2 => length.exp2(),
        Scale::Log10 => 10f64.powf(length),
    };
    (value(start), value(end))
}

/// The ends of a numeric axis, in lengths of its scale. Given ends are kept.
fn ends(axis: &Axis, low: f64, high: f64) -> (f64, f64) {
    let (mut low, mut high) = (axis.low.unwrap_or(low), axis.high.unwrap_or(high));
    if let Some(reference) = axis.reference {
        (low, high) = (axis.low.unwrap_or(low.min(reference)), axis.high.unwrap_or(high.max(reference)));
    }
    let (mut start, mut end) = (axis.scale.length(low), axis.scale.length(high));
    if end - start <= f64::EPSILON * end.abs().max(1.0) {
        end = start + 1.0;
    }
    let step = match axis.scale {
        Scale::Linear => round_step((end - start) / TICKS),
        Scale::Log10 if end - start < 2.5 => 0.1,
        Scale::Log2 | Scale::Log10 => 1.0,
    };
    // A hair of tolerance keeps an end that already is a tick from gaining an empty step.
    if axis.low.is_none() {
        start = (start / step + 1e-6).floor() * step;
    }
    if axis.high.is_none() {
        end = (end / step - 1e-6).ceil() * step;
    }
    (start, end.max(start + f64::EPSILON))
}

/// The least of 1, 2, 5, 10, 20, … (and their fractions) that is not smaller.
fn round_step(least: f64) -> f64 {
    let decade = 10f64.powf(least.log10().floor());
    let factor =
        [1.0, 2.0, 5.0].into_iter().find(|factor| factor * decade >= least * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * decade
}

fn steps(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step - 1e-6).ceil() as i64;
    let last = (high / step + 1e-6).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

fn powers(base: f64, low: f64, high: f64, factors: &[f64]) -> Vec<f64> {
    let exponents = low.floor() as i32..=high.ceil() as i32;
    let skip = ((high - low) / 12.0).ceil().max(1.0) as i32;
    exponents
        .filter(|exponent| exponent % skip == 0)
        .flat_map(|exponent| factors.iter().map(move |factor| factor * base.powi(exponent)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Format;

    fn texts(axis: &Axis, low: f64, high: f64) -> Vec<String> {
        let extent = Extent::Numbers(low, high);
        Ruler::new(axis, &extent, 0.0, 100.0).ticks().into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_stand_at_round_numbers() {
        assert_eq!(texts(&Axis::new("cycles"), 0.0, 4.7), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(
            texts(&Axis::ratio("speedup").range(0.8, 1.2), 0.9, 1.1),
            ["0.8×", "0.9×", "1×", "1.1×", "1.2×"]
        );
    }

    #[test]
    fn logarithmic_ticks_are_powers() {
        let halves = Axis::new("bandwidth").scale(Scale::Log2).format(Format::Fraction);
        assert_eq!(texts(&halves, 0.125, 1.0), ["1/8", "1/4", "1/2", "1"]);
        assert_eq!(texts(&Axis::new("error").scale(Scale::Log10), 0.001, 1.0), ["0.001", "0.01", "0.1", "1"]);
    }

    #[test]
    fn bars_start_at_the_line_they_are_compared_with_or_at_zero() {
        let extent = Extent::Numbers(0.0, 2.0);
        let from_zero = Axis::new("cycles");
        assert_eq!(Ruler::new(&from_zero, &extent, 0.0, 100.0).origin(), 0.0);
        let around_one = Axis::ratio("speedup").range(0.5, 1.5);
        assert_eq!(Ruler::new(&around_one, &extent, 0.0, 100.0).origin(), 50.0);
    }

    #[test]
    fn equal_values_and_no_values_still_make_an_axis() {
        assert!(!texts(&Axis::new("cycles"), 3.0, 3.0).is_empty());
        assert!(matches!(Extent::of([f64::NAN].into_iter()), Extent::Numbers(0.0, 1.0)));
    }
}
