//! How samples are distributed: quartiles, and a smooth density.

/// Places at which the density is computed.
const STEPS: usize = 48;

/// Five numbers that sum up some samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quartiles {
    pub(super) least: f64,
    pub(super) lower: f64,
    pub(super) median: f64,
    pub(super) upper: f64,
    pub(super) most: f64,
}

impl Quartiles {
    /// None of no samples. Between two samples, the quartile is interpolated.
    pub(super) fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = samples.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |share: f64| {
            let place = share * last as f64;
            let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Some(Self { least: at(0.0), lower: at(0.25), median: at(0.5), upper: at(0.75), most: at(1.0) })
    }
}

/// A Gaussian kernel density over the range of the samples, as (value, density) with a highest density of 1.
///
/// The bandwidth is Silverman's rule of thumb. Samples that are all equal have no width: one place of density 1.
pub(super) fn density(samples: &[f64]) -> Vec<(f64, f64)> {
    let Some(Quartiles { least, lower, upper, most, .. }) = Quartiles::of(samples) else { return Vec::new() };
    if most - least <= f64::EPSILON * most.abs() {
        return vec![(least, 1.0)];
    }
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let deviation = (samples.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let spread = if upper > lower { deviation.min((upper - lower) / 1.34) } else { deviation };
    let bandwidth = 0.9 * spread * count.powf(-0.2);
    let at =
        |value: f64| samples.iter().map(|sample| (-0.5 * ((value - sample) / bandwidth).powi(2)).exp()).sum();
    let value = |step: usize| least + (most - least) * step as f64 / (STEPS - 1) as f64;
    let curve: Vec<(f64, f64)> = (0..STEPS).map(|step| (value(step), at(value(step)))).collect();
    let highest = curve.iter().map(|(_, density)| *density).fold(f64::MIN_POSITIVE, f64::max);
    curve.into_iter().map(|(value, density)| (value, density / highest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_one_to_five_are_two_three_four() {
        let quartiles = Quartiles { least: 1.0, lower: 2.0, median: 3.0, upper: 4.0, most: 5.0 };
        assert_eq!(Quartiles::of(&[5.0, 1.0, 4.0, 2.0, 3.0]), Some(quartiles));
        assert_eq!(Quartiles::of(&[]), None);
    }

    #[test]
    fn a_density_is_highest_where_most_samples_are() {
        let curve = density(&[0.0, 1.0, 1.0, 1.0, 1.1, 4.0]);
        let peak = curve.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(value, _)| *value);
        assert!(peak.is_some_and(|value| (0.8..1.3).contains(&value)), "{peak:?}");
    }

    #[test]
    fn equal_samples_are_one_place() {
        assert_eq!(density(&[2.0, 2.0]), [(2.0, 1.0)]);
    }
}
