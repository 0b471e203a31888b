//! Our fingerprint beside the original's.

use serde_json::{Value, json};

use super::columns::{Allowance, COLUMNS, allowance};
use super::measurement::Fingerprint;
use super::originals::{Original, original_of};
use crate::run::number;

/// A fingerprint and its original, if that was measured on this machine.
#[derive(Debug)]
pub struct Comparison {
    /// Ours.
    pub ours: Fingerprint,
    /// The original.
    pub original: Option<&'static Original>,
}

/// One column of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The column.
    pub column: &'static str,
    /// The original's value.
    pub original: Option<f64>,
    /// Our value.
    pub ours: Option<f64>,
    /// How far they may be apart.
    pub allowance: Option<Allowance>,
}

impl Difference {
    /// How far apart: points where points are allowed, a share of the original's value elsewhere.
    pub fn value(&self) -> Option<f64> {
        let (original, ours) = (self.original?, self.ours?);
        match self.allowance {
            Some(Allowance::Points(_)) => Some(ours - original),
            _ if original == ours => Some(0.0),
            _ => (original != 0.0).then(|| ours / original - 1.0),
        }
    }

    /// Whether it is within what is allowed; `None` where nothing is demanded or nothing was measured.
    pub fn is_within(&self) -> Option<bool> {
        let (Some(Allowance::Share(limit) | Allowance::Points(limit)), Some(_)) =
            (self.allowance, self.original)
        else {
            return None;
        };
        Some(self.value().is_some_and(|difference| difference.abs() <= limit))
    }
}

impl Comparison {
    /// Puts the original on the same machine beside a fingerprint.
    pub fn of(ours: Fingerprint) -> Self {
        let spec = &ours.measurement.spec;
        let original = original_of(spec.subject.name(), &spec.gpu);
        Self { ours, original }
    }

    /// Every column that either has.
    pub fn differences(&self) -> Vec<Difference> {
        let of = |column: &'static str| Difference {
            column,
            original: self.original.and_then(|original| original.columns.get(column).copied()),
            ours: self.ours.columns.get(column).copied(),
            allowance: allowance(column),
        };
        let all = COLUMNS.into_iter().map(of);
        all.filter(|difference| difference.original.is_some() || difference.ours.is_some()).collect()
    }

    /// The columns that are further apart than allowed.
    pub fn outside(&self) -> Vec<&'static str> {
        let all = self.differences();
        all.iter().filter(|difference| difference.is_within() == Some(false)).map(|d| d.column).collect()
    }

    /// Both as JSON.
    pub fn json(&self) -> Value {
        let mut json = self.ours.json();
        let Some(original) = self.original else { return json };
        let differences: serde_json::Map<String, Value> = self
            .differences()
            .iter()
            .filter_map(|found| {
                let entry = json!({"difference": found.value(), "is_within": found.is_within()});
                found.value().map(|_| (found.column.to_owned(), entry))
            })
            .collect();
        let columns: serde_json::Map<String, Value> =
            original.columns.iter().map(|(&column, &value)| (column.to_owned(), number(value))).collect();
        json["original"] = json!({"suite": original.suite, "input": original.input, "columns": columns});
        json["differences"] = Value::Object(differences);
        json["outside"] = json!(self.outside());
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(original: f64, ours: f64, allowance: Option<Allowance>) -> Difference {
        Difference { column: "thread_insn", original: Some(original), ours: Some(ours), allowance }
    }

    #[test]
    fn shares_and_points_are_held_to_their_limits() {
        let share = Some(Allowance::Share(0.10));
        assert_eq!(difference(100.0, 109.0, share).is_within(), Some(true));
        assert_eq!(difference(100.0, 111.0, share).is_within(), Some(false));
        let points = Some(Allowance::Points(5.0));
        assert_eq!(difference(98.0, 94.0, points).is_within(), Some(true));
        assert_eq!(difference(98.0, 92.0, points).is_within(), Some(false));
        assert_eq!(difference(1.0, 9.0, None).is_within(), None);
    }

    #[test]
    fn a_value_where_the_original_has_zero_is_outside() {
        assert_eq!(difference(0.0, 5.0, Some(Allowance::Share(0.1))).is_within(), Some(false));
        assert_eq!(difference(0.0, 0.0, Some(Allowance::Share(0.1))).is_within(), Some(true));
    }
}
