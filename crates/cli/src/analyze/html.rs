//! The report as one HTML page that needs nothing else: styles inside, charts as SVG, no script, no network.

mod bars;
mod heat_map;
mod markup;

use shrinkwarp_codec::BlockBytes;

use super::report::{CodecResult, InputReport, Report, TensorReport, best, bound16, totals};
use super::table::{bound_line, bound_ratio, human_bytes, shape};
use heat_map::PlaneShares;
use markup::escaped;

const STYLE: &str = include_str!("html/page.css");
/// Tensors beyond this many get no section of their own, so that the page stays light; the largest come first.
const MAX_TENSOR_SECTIONS: usize = 64;

/// The whole page.
pub fn to_html(report: &Report) -> String {
    let all = totals(report.inputs.iter().flat_map(|input| &input.tensors), report.block);
    let mut body = format!("<header><h1>What would shrink</h1>{}</header>", cards(report, &all));
    for input in &report.inputs {
        body += &input_section(input, report.block);
    }
    if report.inputs.len() > 1 {
        body += &format!("<section><h2>All inputs</h2>{}</section>", bars::chart(&all));
    }
    body += NOTES;
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>shrinkwarp analyze</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )
}

const NOTES: &str = "<footer><h2>How to read this</h2>\
    <p><b>Raw CR</b> is raw size over stored size, bit-exact, tags and masks included. <b>CR at 32 B</b> counts what \
    memory really fetches: whole bursts of 32 B. <b>Flits saved</b> is the share of 32 B flits that packets with an \
    8 B head no longer need. A block that does not shrink <b>stays raw</b>; the bit that says so lives in a tag or \
    packet head and is not counted, nor are the tables of trained codecs in any ratio (they are in the ranking). A tail that does not fill a block is \
    raw. The <b>Shannon bound</b> is what no code can beat that codes symbols of one width one by one (the table's \
    column: 16 bits); codecs that look at neighbouring words can.</p>\
    <p>The <b>heat maps</b> show how many ones the bit planes of the blocks have, plane by plane: of the words \
    themselves, of the differences between neighbours, and after neighbouring planes are xored (DBX, what BPC \
    codes). A strong bottom row means planes that are all zero in most blocks, which cost next to nothing.</p></footer>";

/// The summary at the top.
fn cards(report: &Report, all: &[CodecResult]) -> String {
    let bytes = report.tensors().map(|tensor| tensor.bytes).sum();
    let mut text = "<div class=\"cards\">".to_owned();
    text += &card("data", &human_bytes(bytes), &format!("in blocks of {}", report.block));
    if let Some(result) = best(all) {
        let saved = 100.0 * result.saving();
        if result.is_worthwhile() {
            text += &card("best codec", &result.spec, "fetches the least");
            text += &card("bytes fetched", &format!("−{saved:.1} %"), "in bursts of 32 B");
        } else {
            let note = format!("{} saves {saved:.1} % of the bytes fetched", result.spec);
            text += &card("best codec", "not worth it", &note);
        }
        text += &card("raw ratio", &format!("{:.2}×", result.tally.raw_ratio()), "bit-exact");
        let flits = 100.0 * result.tally.flits_saved();
        text += &card("flits", &format!("−{flits:.1} %"), "on a 32 B interconnect");
    }
    text + "</div>"
}

fn card(label: &str, value: &str, note: &str) -> String {
    format!(
        "<div class=\"card\"><span>{label}</span><strong>{}</strong><span>{}</span></div>",
        escaped(value),
        escaped(note)
    )
}

fn input_section(input: &InputReport, block: BlockBytes) -> String {
    let mut text = format!("<section><h2>{}</h2>", escaped(&input.name));
    if let [tensor] = &*input.tensors {
        return text + &tensor_body(tensor) + "</section>";
    }
    let total = totals(input.tensors.iter(), block);
    text += &tensor_table(&input.tensors);
    text += "<h3>All tensors</h3>";
    text += &bars::chart(&total);
    text += &format!("<p>{}</p>", bound_line(&input.bounds));
    text += &PlaneShares::of(input.tensors.iter().filter_map(|tensor| tensor.planes.as_ref())).figure();
    let mut by_size: Vec<&TensorReport> = input.tensors.iter().collect();
    by_size.sort_by_key(|tensor| std::cmp::Reverse(tensor.bytes));
    if by_size.len() > MAX_TENSOR_SECTIONS {
        text +=
            &format!("<p>The {MAX_TENSOR_SECTIONS} largest tensors one by one; JSON and CSV have all.</p>");
    }
    for tensor in by_size.into_iter().take(MAX_TENSOR_SECTIONS) {
        let name = escaped(&tensor.name);
        text += &format!("<details><summary>{name}</summary>{}</details>", tensor_body(tensor));
    }
    text + "</section>"
}

fn tensor_body(tensor: &TensorReport) -> String {
    let what = format!("{} {}, {}", tensor.dtype, shape(&tensor.shape), human_bytes(tensor.bytes));
    let bounds = bound_line(&tensor.bounds);
    let mut text = format!("<p>{what}</p>{}<p>{bounds}</p>", bars::chart(&tensor.results));
    if let Some(error) = &tensor.error {
        text += &format!(
            "<p>Error of the approximated values: at most {:.2e}, mean relative {:.2e}, NRMSE {:.2e}.</p>",
            error.max_absolute, error.mean_relative, error.nrmse
        );
    }
    text += &PlaneShares::of(tensor.planes.iter()).figure();
    text
}

fn tensor_table(tensors: &[TensorReport]) -> String {
    let mut text = "<div class=\"scroll\"><table><thead><tr><th>tensor<th>type<th>shape<th class=\"n\">size\
                    <th>best<th class=\"n\">raw CR<th class=\"n\">CR at 32 B<th class=\"n\">flits saved\
                    <th class=\"n\">stays raw<th class=\"n\">bound</thead><tbody>"
        .to_owned();
    for tensor in tensors {
        let Some(result) = best(&tensor.results) else { continue };
        let tally = &result.tally;
        let codec =
            if result.is_worthwhile() { escaped(&result.spec) } else { "<i>not worth it</i>".to_owned() };
        text += &format!(
            "<tr><td>{}<td>{}<td>{}<td class=\"n\">{}<td>{codec}<td class=\"n\">{:.2}<td class=\"n\">{:.2}\
             <td class=\"n\">{:.1} %<td class=\"n\">{:.1} %<td class=\"n\">{}",
            escaped(&tensor.name),
            tensor.dtype,
            shape(&tensor.shape),
            human_bytes(tensor.bytes),
            tally.raw_ratio(),
            tally.mag32_ratio(),
            100.0 * tally.flits_saved(),
            100.0 * tally.raw_share(),
            bound16(&tensor.bounds).map_or(String::new(), bound_ratio),
        );
    }
    text + "</tbody></table></div>"
}
