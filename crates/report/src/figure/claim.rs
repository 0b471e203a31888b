//! A claim of a paper next to what we found, and whether it holds.

use crate::chart::Format;

/// An effect this close to the published one reproduces it, as a share of it.
const REPRODUCED_WITHIN: f64 = 0.10;
/// Papers round to a percent: a value this close is the published one, however small its effect.
const ROUNDING: f64 = 0.005;
/// A smaller published effect is a claim that nothing changes.
const NO_EFFECT_BELOW: f64 = 0.02;
/// How far from no effect a value may be to agree with such a claim in part.
const HARDLY_ANY_BELOW: f64 = 0.05;

/// Whether a claim holds here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It holds.
    Reproduced,
    /// Its direction holds, its size does not.
    Partly,
    /// It does not hold.
    Not,
    /// No paper claims it: an answer to a question that is new.
    New,
}

impl Verdict {
    /// All, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Reproduced, Self::Partly, Self::Not, Self::New];

    /// The word that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::Not => "not",
            Self::New => "new",
        }
    }

    /// How a number compares with a published one, counted from `neutral`, the number that would mean no effect:
    /// 1 for ratios, 0 for changes, shares and counts.
    ///
    /// | verdict    | the paper has an effect                                       | the paper has none (below 2 %) |
    /// |------------|---------------------------------------------------------------|--------------------------------|
    /// | reproduced | within 10 % of the published effect, or within its rounding   | within 2 %                     |
    /// | partly     | of the same direction and between half and twice as large     | within 5 %                     |
    /// | not        | anything else                                                 | anything else                  |
    pub fn of(published: f64, ours: f64, neutral: f64) -> Self {
        let difference = (ours - published).abs();
        let (their_effect, our_effect) = (published - neutral, ours - neutral);
        let (same, similar) = if their_effect.abs() < NO_EFFECT_BELOW {
            (difference <= NO_EFFECT_BELOW, difference <= HARDLY_ANY_BELOW)
        } else {
            let is_same = difference <= (REPRODUCED_WITHIN * their_effect.abs()).max(ROUNDING);
            (is_same, (0.5..=2.0).contains(&(our_effect / their_effect)))
        };
        Self::from_grades(same, similar)
    }

    /// How well a claim in words holds, taken apart into conditions that can each be false: reproduced if all hold, partly
    /// if more than half do.
    pub fn of_conditions(conditions: &[bool]) -> Self {
        let holding = conditions.iter().filter(|holds| **holds).count();
        Self::from_grades(
            !conditions.is_empty() && holding == conditions.len(),
            2 * holding > conditions.len(),
        )
    }

    fn from_grades(is_same: bool, is_similar: bool) -> Self {
        match (is_same, is_similar) {
            (true, _) => Self::Reproduced,
            (false, true) => Self::Partly,
            (false, false) => Self::Not,
        }
    }
}

/// One side of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number and how it is written.
    Number(f64, Format),
    /// Words, such as the order of some codecs.
    Words(String),
}

impl Value {
    /// The text for a reader.
    pub fn text(&self) -> String {
        match self {
            Self::Number(value, format) => format.short(*value),
            Self::Words(words) => words.clone(),
        }
    }
}

/// What a paper claims, what we found, and whether that agrees.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The claim in a few words.
    pub what: String,
    /// The paper's value.
    pub published: Value,
    /// Our value.
    pub ours: Value,
    /// Whether it holds here.
    pub verdict: Verdict,
    /// Why, where it is not plain from the numbers.
    pub why: String,
}

impl Claim {
    /// A number, judged by [`Verdict::of`].
    pub fn number(what: impl Into<String>, published: f64, ours: f64, format: Format) -> Self {
        let neutral = if format == Format::Times { 1.0 } else { 0.0 };
        Self::number_from(neutral, what, published, ours, format)
    }

    /// The same where another number means no effect, such as a half for the share of bits that are zero: random bits
    /// have that, and counted from 0 no data could fail.
    pub fn number_from(
        neutral: f64,
        what: impl Into<String>,
        published: f64,
        ours: f64,
        format: Format,
    ) -> Self {
        Self {
            what: what.into(),
            published: Value::Number(published, format),
            ours: Value::Number(ours, format),
            verdict: Verdict::of(published, ours, neutral),
            why: String::new(),
        }
    }

    /// Words, judged by [`Verdict::of_conditions`].
    pub fn words(
        what: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
        conditions: &[bool],
    ) -> Self {
        Self::judged(what, published, ours, Verdict::of_conditions(conditions))
    }

    fn judged(
        what: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
        verdict: Verdict,
    ) -> Self {
        Self {
            what: what.into(),
            published: Value::Words(published.into()),
            ours: Value::Words(ours.into()),
            verdict,
            why: String::new(),
        }
    }

    /// An answer that no paper has.
    pub fn new_answer(what: impl Into<String>, ours: impl Into<String>) -> Self {
        Self::judged(what, "–", ours, Verdict::New)
    }

    /// Whether a reader asks why it is not as published.
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Partly | Verdict::Not)
    }

    /// Says why.
    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    /// Ours minus the published: points where both are percentages, else a share of the published. None for words.
    pub fn difference(&self) -> Option<String> {
        let (Value::Number(published, format), Value::Number(ours, _)) = (&self.published, &self.ours) else {
            return None;
        };
        match format {
            Format::Percent | Format::Change => {
                let points = format!("{:+.1} points", 100.0 * (ours - published));
                Some(points.replace('-', "−"))
            }
            _ => Some(Format::Change.short((1000.0 * (ours / published - 1.0)).round() / 1000.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_weighs_the_effect_not_the_number() {
        // 1.19 against 1.20 is the same speedup; 1.12 has its direction and more than half of it; 0.99 has neither.
        assert_eq!(Verdict::of(1.20, 1.19, 1.0), Verdict::Reproduced);
        assert_eq!(Verdict::of(1.20, 1.12, 1.0), Verdict::Partly);
        assert_eq!(Verdict::of(1.20, 1.05, 1.0), Verdict::Not);
        assert_eq!(Verdict::of(1.20, 0.99, 1.0), Verdict::Not);
        assert_eq!(Verdict::of(1.20, 1.41, 1.0), Verdict::Not);
        // 3 % published: 2.6 % rounds to it, 2 % is a part of it, 1 % is not.
        assert_eq!(Verdict::of(1.03, 1.026, 1.0), Verdict::Reproduced);
        assert_eq!(Verdict::of(1.03, 1.02, 1.0), Verdict::Partly);
        assert_eq!(Verdict::of(1.03, 1.01, 1.0), Verdict::Not);
    }

    #[test]
    fn where_the_paper_has_no_effect_any_effect_contradicts_it() {
        assert_eq!(Verdict::of(1.0, 1.015, 1.0), Verdict::Reproduced);
        assert_eq!(Verdict::of(1.0, 0.958, 1.0), Verdict::Partly);
        assert_eq!(Verdict::of(0.99, 0.91, 1.0), Verdict::Not);
        assert_eq!(Verdict::of(0.0, -0.1, 0.0), Verdict::Not);
    }

    #[test]
    fn a_claim_in_words_can_fail() {
        assert_eq!(Verdict::of_conditions(&[true, true]), Verdict::Reproduced);
        assert_eq!(Verdict::of_conditions(&[true, true, false]), Verdict::Partly);
        assert_eq!(Verdict::of_conditions(&[true, false]), Verdict::Not);
        assert_eq!(Verdict::of_conditions(&[]), Verdict::Not);
    }

    #[test]
    fn a_ratio_is_counted_from_one() {
        assert_eq!(Claim::number("beside", 1.2, 0.9, Format::Times).verdict, Verdict::Not);
        assert_eq!(Claim::number("share", 0.5, 0.45, Format::Percent).verdict, Verdict::Reproduced);
        let zero_bits = Claim::number_from(0.5, "zero bits", 0.7, 0.5, Format::Percent);
        assert_eq!(zero_bits.verdict, Verdict::Not, "random bits reproduce nothing");
    }

    #[test]
    fn percentages_differ_by_points_and_ratios_by_shares() {
        let share = Claim::number("stalled", 0.39, 0.365, Format::Percent);
        assert_eq!(share.difference().as_deref(), Some("−2.5 points"));
        let ratio = Claim::number("CR", 2.0, 2.2, Format::Times);
        assert_eq!(ratio.difference().as_deref(), Some("+10 %"));
        assert_eq!(Claim::words("order", "a, b", "a, b", &[true]).difference(), None);
    }
}
