//! How good are a predictor's answers on data sets that training did not see?
//!
//! | figure          | question                                                                                |
//! |-----------------|-----------------------------------------------------------------------------------------|
//! | accuracy        | given the error that k bits made, how often is the answer k? (the thesis's figure 6.9)   |
//! | within          | given an error that the user accepts, how often is that of the chosen bits no larger?    |
//! | bits given away | how many more bits could have been taken, on average, where the choice was within?       |
//!
//! The last two are given [`ACCEPTED_ERRORS`] of every data set: bounds as people give them, not the errors that some
//! number of bits happened to make.

use serde::{Deserialize, Serialize};
use shrinkwarp_workloads::input::Rng;

use crate::attributes::Attributes;
use crate::measure::Measurement;

/// The errors that users are taken to accept.
pub const ACCEPTED_ERRORS: [f64; 6] = [1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2];

/// The share of data sets that training does not see: one in this number.
const HELD_OUT_ONE_IN: usize = 3;

/// A predictor's figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Data sets asked about.
    pub data_sets: usize,
    /// Share of right answers.
    pub accuracy: f64,
    /// Share of choices whose error is within the accepted one.
    pub within: f64,
    /// Mean bits given away by choices that are within.
    pub bits_given_away: f64,
}

/// Something that answers.
pub trait Predictor {
    /// Which bits made this error?
    fn identify(&self, attributes: &Attributes, error: f64) -> u32;
    /// How many bits may be taken if this error is accepted?
    fn choose(&self, attributes: &Attributes, accepted_error: f64) -> u32;
}

impl Score {
    /// Asks about data sets.
    pub fn of(predictor: &dyn Predictor, data_sets: &[&Measurement]) -> Self {
        let (mut right, mut asked) = (0u32, 0u32);
        let (mut within, mut chosen, mut given_away) = (0u32, 0u32, 0u32);
        for measurement in data_sets {
            let attributes = Attributes::of(measurement);
            for error in measurement.errors {
                right += u32::from(predictor.identify(&attributes, error) == measurement.best_bits(error));
                asked += 1;
            }
            for accepted in ACCEPTED_ERRORS {
                let bits = predictor.choose(&attributes, accepted);
                chosen += 1;
                if measurement.error_of(bits) <= accepted {
                    within += 1;
                    given_away += measurement.best_bits(accepted) - bits;
                }
            }
        }
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
        Self {
            data_sets: data_sets.len(),
            accuracy: share(right, asked),
            within: share(within, chosen),
            bits_given_away: share(given_away, within),
        }
    }
}

/// Divides data sets into those for training and those held out, by chance but always the same.
pub fn split(measurements: &[Measurement], seed: u64) -> (Vec<&Measurement>, Vec<&Measurement>) {
    let mut order: Vec<&Measurement> = measurements.iter().collect();
    Rng::new(seed).shuffle(&mut order);
    let held_out = order.split_off(order.len() - order.len() / HELD_OUT_ONE_IN);
    (order, held_out)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::BITS;
    use shrinkwarp_workloads::Metric;

    /// Data sets whose errors are as the theory says: 2^(bits − 24) times the condition number, scattered by up to √2.
    pub fn measured(count: usize) -> Vec<Measurement> {
        let mut rng = Rng::new(9);
        let one = |index: usize| {
            let condition_log10 = (index % 3) as f64 / 2.0;
            let scatter = libm::exp2(rng.unit() - 0.5);
            Measurement {
                workload: "gaussian".into(),
                scale: "tiny".into(),
                seed: index as u64,
                size: 16,
                condition_log10: Some(condition_log10),
                clusters: None,
                input_elements: 256 << (index % 2),
                metric: Metric::LInfinity,
                exact_error: 0.0,
                errors: BITS.map(|bits| {
                    libm::exp2(f64::from(bits) - 24.0) * libm::pow(10.0, condition_log10) * scatter / 20.0
                }),
            }
        };
        (0..count).map(one).collect()
    }

    /// Always the same answer.
    struct Always(u32);

    impl Predictor for Always {
        fn identify(&self, _: &Attributes, _: f64) -> u32 {
            self.0
        }
        fn choose(&self, _: &Attributes, _: f64) -> u32 {
            self.0
        }
    }

    #[test]
    fn the_figures_are_what_their_questions_say() {
        let row = Measurement { errors: [1e-5, 1e-3, 1e-2, 0.1, 1.0], ..measured(1).remove(0) };
        // Best bits for the accepted errors 1e-4, 1e-3, 1e-2, 0.05, 0.1 and 0.2: 4, 8, 12, 12, 16, 16.
        let eight = Score::of(&Always(8), &[&row]);
        assert_eq!((eight.accuracy, eight.within), (0.2, 5.0 / 6.0));
        assert_eq!(eight.bits_given_away, f64::from(4 + 4 + 8 + 8) / 5.0);
        let none = Score::of(&Always(0), &[&row]);
        assert_eq!((none.accuracy, none.within), (0.0, 1.0));
    }

    #[test]
    fn a_third_is_held_out_and_nothing_is_lost() {
        let data = measured(10);
        let (training, held_out) = split(&data, 1);
        assert_eq!((training.len(), held_out.len()), (7, 3));
        let mut seeds: Vec<u64> = training.iter().chain(&held_out).map(|row| row.seed).collect();
        seeds.sort_unstable();
        assert_eq!(seeds, (0..10).collect::<Vec<_>>());
        assert_eq!(split(&data, 1), split(&data, 1));
    }
}
