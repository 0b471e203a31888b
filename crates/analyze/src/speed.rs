//! Measurements as text: a row per codec and data set, then the means and the promised floors.

use shrinkwarp_codec::measure::{Floor, Measurement, Operation, geometric_mean};

/// The table, ready to print. Rows are in the order of the measurements.
pub fn table(measurements: &[Measurement]) -> String {
    let mut text = header();
    for codec in codecs(measurements) {
        let of_codec: Vec<&Measurement> = measurements.iter().filter(|m| m.codec == codec).collect();
        for size in of_codec.iter().filter(|m| m.operation == Operation::Size) {
            text += &format!("{:<16} {:<13} {:>6.2}", codec, size.dataset, size.ratio);
            for operation in Operation::ALL {
                let same = of_codec.iter().find(|m| m.operation == operation && m.dataset == size.dataset);
                text +=
                    &same.map_or(String::new(), |m| format!("  {:>7.2} {:>6.3}", m.gb_per_s, m.of_memcpy));
            }
            text.push('\n');
        }
        text += &mean_rows(codec, &of_codec);
    }
    text + MARKS
}

const MARKS: &str = "\
    ratio: original over encoded size. memcpy: the speed as a share of memcpy's on the same data.\n\
    = geomean: over the data sets. = floor: the least share of memcpy's speed that is promised (docs/codec-speed.md); \
    ok: the geomean reaches it, below: it does not.\n";

fn header() -> String {
    let mut text = format!("{:<16} {:<13} {:>6}", "codec", "data set", "ratio");
    for operation in Operation::ALL {
        text += &format!("  {:>14}", operation.name());
    }
    text += &format!("\n{:<16} {:<13} {:>6}", "", "", "");
    for _ in Operation::ALL {
        text += &format!("  {:>7} {:>6}", "GB/s", "memcpy");
    }
    text.push('\n');
    text
}

fn mean_rows(codec: &str, of_codec: &[&Measurement]) -> String {
    let ratio = geometric_mean(of_codec.iter().filter(|m| m.operation == Operation::Size).map(|m| m.ratio));
    let mut means = format!("{:<16} {:<13} {:>6.2}", codec, "= geomean", ratio);
    let mut floors = format!("{:<16} {:<13} {:>6}", codec, "= floor", "");
    for operation in Operation::ALL {
        let of_operation = || of_codec.iter().filter(|m| m.operation == operation);
        let fraction = geometric_mean(of_operation().map(|m| m.of_memcpy));
        means += &format!("  {:>7.2} {:>6.3}", geometric_mean(of_operation().map(|m| m.gb_per_s)), fraction);
        if let Some(floor) = Floor::of(codec) {
            let floor = floor.fraction(operation);
            let verdict = if fraction >= floor { "ok" } else { "below" };
            floors += &format!("  {verdict:>7} {floor:>6.3}");
        }
    }
    match Floor::of(codec) {
        Some(_) => format!("{means}\n{floors}\n\n"),
        None => format!("{means}\n\n"),
    }
}

/// The codecs measured, each once, in order.
fn codecs(measurements: &[Measurement]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for measurement in measurements {
        if !names.contains(&measurement.codec.as_str()) {
            names.push(&measurement.codec);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(codec: &str, operation: Operation, of_memcpy: f64) -> Measurement {
        Measurement { codec: codec.to_owned(), operation, dataset: "d", gb_per_s: 1.0, of_memcpy, ratio: 2.0 }
    }

    #[test]
    fn a_promise_kept_is_ok_and_one_broken_is_below() {
        let measured = [
            at("bdi", Operation::Size, 0.46),
            at("bdi", Operation::Compress, 0.24),
            at("bdi", Operation::Decompress, 0.5),
        ];
        let text = table(&measured);
        let floors = text.lines().find(|line| line.contains("= floor")).unwrap();
        let words: Vec<&str> = floors.split_whitespace().collect();
        assert!(text.ends_with(MARKS) && MARKS.contains("below: it does not"));
        assert_eq!(words[3..], ["ok", "0.450", "below", "0.250", "ok", "0.450"]);
    }

    #[test]
    fn a_codec_that_promises_nothing_has_no_floor_row() {
        assert!(!table(&[at("zero", Operation::Size, 0.1)]).contains("zero             = floor"));
    }
}
