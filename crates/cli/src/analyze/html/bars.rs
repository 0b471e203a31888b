//! A bar chart: two bars per codec, the raw ratio behind the ratio at 32 B.

use super::super::report::{CodecResult, ranked};
use super::markup::escaped;

const LABEL_WIDTH: f64 = 150.0;
const PLOT_WIDTH: f64 = 500.0;
const VALUE_WIDTH: f64 = 110.0;
const ROW_HEIGHT: f64 = 26.0;
const AXIS_HEIGHT: f64 = 24.0;

/// The chart as SVG, the codec that fetches the least first.
pub(super) fn chart(results: &[CodecResult]) -> String {
    let ranked = ranked(results);
    let largest = ranked.iter().map(|result| result.tally.raw_ratio()).fold(1.0, f64::max);
    let step = axis_step(largest);
    let end = (largest / step).ceil() * step;
    let x = |ratio: f64| LABEL_WIDTH + PLOT_WIDTH * ratio / end;
    let plot_height = ROW_HEIGHT * ranked.len() as f64;
    let (width, height) = (LABEL_WIDTH + PLOT_WIDTH + VALUE_WIDTH, plot_height + AXIS_HEIGHT);

    let mut svg = format!(
        "<svg class=\"bars\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Compression ratio by codec\">"
    );
    for tick in 0..=(end / step).round() as u32 {
        let ratio = f64::from(tick) * step;
        let at = x(ratio);
        svg +=
            &format!("<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{plot_height:.1}\"/>");
        let below = plot_height + 16.0;
        svg += &format!("<text class=\"tick\" x=\"{at:.1}\" y=\"{below:.1}\">{ratio}×</text>");
    }
    for (row, result) in ranked.iter().enumerate() {
        svg += &codec_row(result, ROW_HEIGHT * row as f64, &x);
    }
    let no_gain = x(1.0);
    svg += &format!(
        "<line class=\"one\" x1=\"{no_gain:.1}\" x2=\"{no_gain:.1}\" y1=\"0\" y2=\"{plot_height:.1}\"/>"
    );
    svg += "</svg>";
    let legend = "<p class=\"legend\"><i class=\"mag\"></i>CR at 32 B <i class=\"raw\"></i>raw CR</p>";
    format!("<figure>{svg}{legend}</figure>")
}

fn codec_row(result: &CodecResult, top: f64, x: &dyn Fn(f64) -> f64) -> String {
    let (raw, mag) = (result.tally.raw_ratio(), result.tally.mag32_ratio());
    let (spec, start) = (escaped(&result.label()), x(0.0));
    let title = format!(
        "{spec}: raw {raw:.3}, at 32 B {mag:.3}, flits saved {:.1} %, stays raw {:.1} %, tables {} B",
        100.0 * result.tally.flits_saved(),
        100.0 * result.tally.raw_share(),
        result.table_bytes
    );
    let bar = |kind: &str, ratio: f64, inset: f64| {
        let (y, height, width) = (top + inset, ROW_HEIGHT - 2.0 * inset, x(ratio) - start);
        format!(
            "<rect class=\"{kind}\" x=\"{start}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\"/>"
        )
    };
    let (baseline, values_at) = (top + ROW_HEIGHT / 2.0 + 4.5, x(raw.max(mag)) + 8.0);
    format!(
        "<g><title>{title}</title>{}{}<text class=\"label\" x=\"{:.1}\" y=\"{baseline:.1}\">{spec}</text>\
         <text class=\"value\" x=\"{values_at:.1}\" y=\"{baseline:.1}\"><tspan class=\"strong\">{mag:.2}</tspan> \
         · {raw:.2}</text></g>",
        bar("raw", raw, 3.0),
        bar("mag", mag, 8.0),
        LABEL_WIDTH - 10.0,
    )
}

/// Ticks at 0.25, 0.5, 1, 2, 5, … so that there are at most eight of them.
fn axis_step(largest: f64) -> f64 {
    let mut step = 0.25;
    for factor in [2.0, 2.0, 2.0, 2.5].into_iter().cycle() {
        if largest / step <= 8.0 {
            break;
        }
        step *= factor;
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_at_most_eight_steps() {
        for largest in [1.0, 1.7, 2.1, 3.9, 8.5, 33.0, 1024.0] {
            assert!(largest / axis_step(largest) <= 8.0, "{largest}");
        }
        assert_eq!(axis_step(1.7), 0.25);
        assert_eq!(axis_step(3.9), 0.5);
    }
}
