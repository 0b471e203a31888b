//! What section 6.5 of the thesis says of its figures 6.4 to 6.8.

use shrinkwarp_approx::figure::{CurvePoint, ErrorPoint, Figure as Rows};
use shrinkwarp_report::chart::Format;
use shrinkwarp_report::figure::{Claim, Figure};

/// "Near zero", and what k-means stays under with few bits.
const SMALL: f64 = 0.013;
/// Errors from here on count as 100 %.
const WHOLE: f64 = 0.99;

/// Claims of a figure whose rows are errors.
pub fn of_errors(rows: Rows, figure: Figure, points: &[ErrorPoint]) -> Figure {
    match rows {
        Rows::ErrorDistribution => distribution(figure, points),
        Rows::ErrorMetric => metric(figure, points),
        _ => figure,
    }
}

/// Claims of a figure whose rows are points of curves.
pub fn of_curves(rows: Rows, figure: Figure, points: &[CurvePoint]) -> Figure {
    match rows {
        Rows::ConditionNumber => condition_number(figure, points),
        Rows::ClusterCount => cluster_count(figure, points),
        Rows::DataSize => data_size(figure, points),
        Rows::PointFeatures => point_features(figure, points),
        _ => figure,
    }
}

fn distribution(mut figure: Figure, points: &[ErrorPoint]) -> Figure {
    let mean = |workload: &str, bits: u32| {
        mean_of(
            points
                .iter()
                .filter(|point| point.workload == workload && point.bits == bits)
                .map(|point| point.error),
        )
    };
    let mut names: Vec<&str> = points.iter().map(|point| point.workload.as_str()).collect();
    names.dedup();
    let is_sensitive = |name: &&str| ["gaussian", "lud"].contains(name);
    let (sensitive, robust): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_sensitive);
    let worst = robust.iter().map(|name| mean(name, 8)).fold(0.0, f64::max);
    figure = figure.claim(Claim::words(
        "8 bits, all but R-GE and R-LUD",
        "near zero",
        format!("mean error of at most {worst:.1e}"),
        &robust.iter().map(|name| mean(name, 8) <= SMALL).collect::<Vec<_>>(),
    ));
    for (name, published) in [("bicg", 0.0), ("hybridsort", 0.02), ("srad", 0.10)] {
        let what = format!("{name}, 20 bits");
        figure = figure.claim(Claim::number(what, published, mean(name, 20), Format::Percent));
    }
    let of_sensitive: Vec<f64> = points
        .iter()
        .filter(|point| sensitive.contains(&&*point.workload))
        .map(|point| point.error)
        .collect();
    let whole = of_sensitive.iter().filter(|error| **error >= WHOLE).count() as f64
        / of_sensitive.len().max(1) as f64;
    figure.claim(Claim::number("R-GE and R-LUD: cases with an error near 1", 0.5, whole, Format::Percent))
}

fn metric(figure: Figure, points: &[ErrorPoint]) -> Figure {
    let of = |metric: &str| points.iter().filter(|point| point.metric == metric).collect::<Vec<_>>();
    let (relative, nrmse) = (of("mean-relative"), of("nrmse"));
    let means = [&relative, &nrmse].map(|of_metric| mean_of(of_metric.iter().map(|point| point.error)));
    let first_whole = |of_metric: &[&ErrorPoint]| {
        of_metric.iter().filter(|point| point.error >= WHOLE).map(|point| point.bits).min()
    };
    let (of_relative, of_nrmse) = (first_whole(&relative), first_whole(&nrmse));
    let words = |bits: Option<u32>| bits.map_or("never".to_owned(), |bits| format!("from {bits} bits"));
    figure
        .claim(Claim::words(
            "NRMSE is lower overall than the mean relative error",
            "lower",
            format!("{:.2} and {:.2}", means[1], means[0]),
            &[means[1] < means[0]],
        ))
        .claim(Claim::words(
            "an error of 100 % by mean relative error and by NRMSE",
            "from 8 bits and from 20 bits",
            format!("{} and {}", words(of_relative), words(of_nrmse)),
            &[of_relative == Some(8), of_nrmse == Some(20)],
        ))
}

fn condition_number(mut figure: Figure, points: &[CurvePoint]) -> Figure {
    let of_bits = |bits: u32| points.iter().filter(move |point| point.bits == bits).collect::<Vec<_>>();
    let rises = |bits: u32| rises(&of_bits(bits).iter().map(|point| point.mean_error).collect::<Vec<f64>>());
    let ours = if rises(4) && rises(8) { "grows" } else { "does not grow everywhere" };
    figure = figure.claim(Claim::words(
        "the error grows with the condition number",
        "grows",
        ours,
        &[rises(4), rises(8)],
    ));
    let at = of_bits(4).iter().find(|point| point.value == 5.0).map_or(0.0, |point| point.mean_error);
    figure.claim(Claim::number("4 bits, condition number 10^5", 0.93, at, Format::Percent))
}

fn cluster_count(figure: Figure, points: &[CurvePoint]) -> Figure {
    let few: Vec<f64> = points.iter().filter(|point| point.bits <= 8).map(|point| point.mean_error).collect();
    let worst = few.iter().copied().fold(0.0, f64::max);
    let grows = |bits: u32| {
        let errors: Vec<f64> =
            points.iter().filter(|point| point.bits == bits).map(|point| point.mean_error).collect();
        errors.first() < errors.last()
    };
    let ours = [12, 16, 20]
        .map(|bits| format!("{bits} bits: {}", if grows(bits) { "grows" } else { "does not grow" }));
    figure
        .claim(Claim::words(
            "4 and 8 bits, any number of clusters",
            "under 1.3 %",
            format!("at most {:.1} %", 100.0 * worst),
            &[worst < SMALL && !few.is_empty()],
        ))
        .claim(Claim::words(
            "more clusters, more error",
            "12, 16 and 20 bits: grows",
            ours.join(", "),
            &[12, 16, 20].map(grows),
        ))
}

fn data_size(mut figure: Figure, points: &[CurvePoint]) -> Figure {
    for workload in ["kmeans", "lud"] {
        let grows: Vec<bool> = [12, 16, 20]
            .into_iter()
            .map(|bits| {
                let of = |point: &&CurvePoint| point.workload == workload && point.bits == bits;
                let errors: Vec<f64> = points.iter().filter(of).map(|point| point.mean_error).collect();
                errors.first() < errors.last()
            })
            .collect();
        let ours = format!("with {} of 12, 16 and 20 bits", grows.iter().filter(|grows| **grows).count());
        figure =
            figure.claim(Claim::words(format!("{workload}: more data, more error"), "grows", ours, &grows));
    }
    for (size, bits, published) in [(10_000.0, 4, 0.055), (10_000.0, 8, 0.143)] {
        let at = points
            .iter()
            .find(|point| point.workload == "kmeans" && point.value == size && point.bits == bits);
        if let Some(point) = at {
            let what = format!("kmeans, {bits} bits, {size:.0} points");
            figure = figure.claim(Claim::number(what, published, point.mean_error, Format::Percent));
        }
    }
    figure
}

/// Independent: with each number of bits, the ranges of the errors for all numbers of features have a value in common.
fn point_features(figure: Figure, points: &[CurvePoint]) -> Figure {
    let bits: Vec<u32> = vec![4, 8, 12, 16, 20];
    let overlaps = |bits: &u32| {
        let of_bits = points.iter().filter(|point| point.bits == *bits);
        let lowest = of_bits.clone().map(|point| point.lowest_error).fold(0.0, f64::max);
        let highest = of_bits.map(|point| point.highest_error).fold(f64::INFINITY, f64::min);
        lowest <= highest && highest.is_finite()
    };
    let conditions: Vec<bool> = bits.iter().map(overlaps).collect();
    let count = conditions.iter().filter(|overlaps| **overlaps).count();
    let ours = format!("the ranges of 17, 34 and 68 features overlap with {count} of 5 numbers of bits");
    figure.claim(Claim::words("the error does not depend on the features", "independent", ours, &conditions))
}

/// Whether some errors never fall and the last is larger than the first; those that are all alike do not grow.
pub fn rises(errors: &[f64]) -> bool {
    errors.windows(2).all(|pair| pair[0] <= pair[1]) && errors.first() < errors.last()
}

/// The mean; NaN without errors, so that no claim agrees with it.
fn mean_of(errors: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = errors.fold((0.0, 0), |(sum, count), error| (sum + error, count + 1));
    sum / f64::from(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shrinkwarp_report::figure::{Paper, Verdict};

    fn point(value: f64, bits: u32, range: [f64; 2]) -> CurvePoint {
        CurvePoint {
            workload: "kmeans".to_owned(),
            metric: "nrmse",
            property: "features",
            value,
            bits,
            mean_error: f64::midpoint(range[0], range[1]),
            lowest_error: range[0],
            highest_error: range[1],
            data_sets: 2,
        }
    }

    fn verdict(rows: Rows, points: &[CurvePoint]) -> Vec<Verdict> {
        let figure = of_curves(rows, Figure::new(Paper::Dsm, "x", "x"), points);
        figure.claims.iter().map(|claim| claim.verdict).collect()
    }

    #[test]
    fn errors_are_independent_of_the_features_if_their_ranges_overlap() {
        let with = |last: [f64; 2]| {
            let of_bits = |bits| {
                [point(17.0, bits, [0.1, 0.3]), point(34.0, bits, [0.2, 0.4]), point(68.0, bits, last)]
            };
            [4, 8, 12, 16, 20].into_iter().flat_map(of_bits).collect::<Vec<_>>()
        };
        assert_eq!(verdict(Rows::PointFeatures, &with([0.25, 0.5])), [Verdict::Reproduced]);
        assert_ne!(verdict(Rows::PointFeatures, &with([0.5, 0.6])), [Verdict::Reproduced]);
    }

    #[test]
    fn the_error_with_few_bits_is_small_for_any_number_of_clusters() {
        let points = |few: f64| {
            let of_bits = |bits: u32| {
                let error = if bits <= 8 { few } else { 0.1 };
                [point(2.0, bits, [0.0, error]), point(20.0, bits, [error, 2.0 * error])]
            };
            [4, 8, 12, 16, 20].into_iter().flat_map(of_bits).collect::<Vec<_>>()
        };
        assert_eq!(verdict(Rows::ClusterCount, &points(0.001)), [Verdict::Reproduced, Verdict::Reproduced]);
        assert_ne!(verdict(Rows::ClusterCount, &points(0.1))[0], Verdict::Reproduced);
    }
}
