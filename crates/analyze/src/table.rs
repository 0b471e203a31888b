//! The report for a terminal: a row per tensor, a row per codec, and a verdict.

use shrinkwarp_codec::analysis::shannon::ShannonBound;
use shrinkwarp_codec::transform::ApproximationError;
use shrinkwarp_report::text::{cut, human_bytes, shape};

use super::report::{
    CodecResult, InputReport, Place, Report, TensorReport, best_approximated, best_at, bound16, ranked,
    total_error, totals,
};

/// The width of the widest name column before names are cut.
const NAME_COLUMNS: usize = 44;
/// The length of the longest bar.
const BAR_COLUMNS: f64 = 24.0;

/// The columns of a table of tensors: a verdict for each place.
pub(super) const TENSOR_HEADER: [&str; 8] = [
    "tensor",
    "type",
    "shape",
    "size",
    Place::ALL[0].name(),
    Place::ALL[1].name(),
    Place::ALL[2].name(),
    "bound",
];
/// What the verdicts of a table of tensors say.
pub(super) const TENSOR_NOTE: &str =
    "bursts, flits, capacity: the codec that saves the most there, and how much; – if none saves 5 %";

/// The whole report; with `each`, a codec table for every tensor as well.
pub fn to_table(report: &Report, each: bool) -> String {
    let mut text = String::new();
    for input in &report.inputs {
        text += &input_section(input, report, each);
    }
    if report.inputs.len() > 1 {
        let all = totals(report.inputs.iter().flat_map(|input| &input.tensors), report.block);
        let bytes = report.tensors().map(|tensor| tensor.bytes).sum();
        text += &format!("all {} inputs  {}\n", report.inputs.len(), human_bytes(bytes));
        text += &codec_table(&all, total_error(report.tensors()));
        text += &verdict(&all);
    }
    text
}

fn input_section(input: &InputReport, report: &Report, each: bool) -> String {
    let bytes = input.tensors.iter().map(|tensor| tensor.bytes).sum();
    if let [tensor] = &*input.tensors {
        let name = if tensor.name.is_empty() { String::new() } else { format!("  {}", tensor.name) };
        let what = format!("{}{name}  {} {}", input.name, tensor.dtype, shape(&tensor.shape));
        let heading = format!("{what}  {}, blocks of {}\n", human_bytes(bytes), report.block);
        let body = codec_table(&tensor.results, tensor.error) + &bound_line(&tensor.bounds);
        return heading + &body + &verdict(&tensor.results);
    }
    let count = input.tensors.len();
    let mut text =
        format!("{}  {count} tensors  {}, blocks of {}\n", input.name, human_bytes(bytes), report.block);
    if each {
        for tensor in &input.tensors {
            text += &format!("\n{}  {} {}\n", tensor.name, tensor.dtype, shape(&tensor.shape));
            text += &codec_table(&tensor.results, tensor.error);
            text += &bound_line(&tensor.bounds);
        }
        text.push('\n');
    }
    let total = totals(input.tensors.iter(), report.block);
    let error = total_error(input.tensors.iter());
    text += &tensor_table(input, &total);
    text.push('\n');
    text + &codec_table(&total, error) + &bound_line(&input.bounds) + &verdict(&total)
}

fn tensor_table(input: &InputReport, total: &[CodecResult]) -> String {
    let tensors: &[TensorReport] = &input.tensors;
    let longest = tensors.iter().map(|tensor| tensor.name.chars().count()).max().unwrap_or(0);
    let width = longest.clamp(6, NAME_COLUMNS);
    let mut rows: Vec<[String; 8]> = vec![TENSOR_HEADER.map(str::to_owned)];
    rows.extend(tensors.iter().map(tensor_row));
    let bytes = tensors.iter().map(|tensor| tensor.bytes).sum();
    let verdicts = Place::ALL.map(|place| verdict_at(total, place));
    let bound = bound16(&input.bounds).map_or(String::new(), bound_ratio);
    let [bursts, flits, capacity] = verdicts;
    let unnamed = String::new;
    rows.push(["total".to_owned(), unnamed(), unnamed(), human_bytes(bytes), bursts, flits, capacity, bound]);
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (bursts_width, flits_width, capacity_width) = (widest(4), widest(5), widest(6));
    let mut text = String::new();
    for [name, dtype, extents, size, bursts, flits, capacity, bound] in &rows {
        text += &format!(
            "  {:<width$}  {dtype:<6} {extents:>16} {size:>10}  {bursts:<bursts_width$}  {flits:<flits_width$}  \
             {capacity:<capacity_width$} {bound:>6}\n",
            cut(name, width)
        );
    }
    text + "  " + TENSOR_NOTE + "\n"
}

/// The cells of a tensor's row.
pub(super) fn tensor_row(tensor: &TensorReport) -> [String; 8] {
    let [bursts, flits, capacity] = Place::ALL.map(|place| verdict_at(&tensor.results, place));
    let bound = bound16(&tensor.bounds).map_or(String::new(), bound_ratio);
    let (extents, size) = (shape(&tensor.shape), human_bytes(tensor.bytes));
    [tensor.name.clone(), tensor.dtype.to_string(), extents, size, bursts, flits, capacity, bound]
}

/// The codec that pays at a place and what it saves there; where none pays, no codec's numbers.
fn verdict_at(results: &[CodecResult], place: Place) -> String {
    let best = best_at(results, place).filter(|result| result.is_worthwhile_at(place));
    best.map_or("–".to_owned(), |result| {
        format!("{} {:.1} %", result.spec, 100.0 * result.saving_at(place))
    })
}

/// The four figures of one codec.
fn columns(result: &CodecResult) -> String {
    let tally = &result.tally;
    format!(
        "{:>6.2} {:>10.2} {:>9.1} % {:>7.1} %",
        tally.raw_ratio(),
        tally.mag32_ratio(),
        100.0 * tally.flits_saved(),
        100.0 * tally.raw_share()
    )
}

/// A row per codec, the one that fetches the least first. Rows after approximation end with the error of the values.
fn codec_table(results: &[CodecResult], error: Option<ApproximationError>) -> String {
    let widest = results.iter().map(|result| result.label().len()).max().unwrap_or(0).max(5);
    let mut text = format!(
        "  {:<widest$}  {:>6} {:>10} {:>11} {:>9} {:>10}",
        "codec", "raw CR", "CR at 32 B", "flits saved", "stays raw", "tables"
    );
    text += if error.is_some() { "  max error  mean rel.      NRMSE\n" } else { "\n" };
    let ranked = ranked(results);
    let scale = ranked.first().map_or(1.0, |result| result.tally.mag32_ratio());
    for result in ranked {
        let bar = "▪".repeat((BAR_COLUMNS * result.tally.mag32_ratio() / scale).round() as usize);
        let tables =
            if result.table_bytes() == 0 { String::new() } else { human_bytes(result.table_bytes()) };
        text += &format!("  {:<widest$}  {} {tables:>10}  ", result.label(), columns(result));
        text += &match (error, result.approx_bits) {
            (None, _) => bar,
            (Some(_), None) => format!("{:>9}  {:>9}  {:>9}  {bar}", "exact", "", ""),
            (Some(error), Some(_)) => format!("{}  {bar}", error_columns(&error)),
        };
        text.push('\n');
    }
    text
}

/// What no code over symbols of each width can beat, the best number of tables for each.
pub(super) fn bound_line(bounds: &[ShannonBound]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for symbol_bits in [4, 8, 16, 32] {
        let of_width = bounds.iter().filter(|bound| bound.symbol_bits == symbol_bits);
        if let Some(bound) = of_width.max_by(|a, b| a.best_ratio().total_cmp(&b.best_ratio())) {
            parts.push(format!("{} ({symbol_bits}-bit symbols)", bound_ratio(bound)));
        }
    }
    format!("  Shannon bound: {}\n", parts.join(", "))
}

/// A ratio, marked where not every symbol was counted; none where one symbol is all there is.
pub(super) fn bound_ratio(bound: &ShannonBound) -> String {
    let mark = if bound.is_exact { "" } else { "≤" };
    match bound.best_ratio() {
        ratio if ratio.is_finite() => format!("{mark}{ratio:.2}"),
        _ => "none".to_owned(),
    }
}

fn error_columns(error: &ApproximationError) -> String {
    format!("{:>9.2e}  {:>9.2e}  {:>9.2e}", error.max_absolute, error.mean_relative, error.nrmse)
}

/// One line for each place.
fn verdict(results: &[CodecResult]) -> String {
    if results.is_empty() {
        return "  nothing to compress\n\n".to_owned();
    }
    let sentence = |result: &CodecResult, place: Place| {
        let tables = if result.table_bytes() == 0 { "" } else { ", its tables included" };
        let saved = 100.0 * result.saving_at(place);
        format!("{} saves {saved:.1} % of the {}{tables}", result.label(), place.what())
    };
    let mut text = String::new();
    for place in Place::ALL {
        let Some(result) = best_at(results, place) else { continue };
        let judgement = if result.is_worthwhile_at(place) { "best:" } else { "not worth it: the best," };
        text += &format!("  {:<9} {judgement} {}\n", place.name(), sentence(result, place));
    }
    if let Some(result) = best_approximated(results) {
        text += &format!("  with approximation: {}\n", sentence(result, Place::Bursts));
    }
    text + "\n"
}
