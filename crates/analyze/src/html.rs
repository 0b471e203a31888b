//! The report as one HTML page that needs nothing else.

mod bars;
mod heat_map;

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_report::page::{Card, Page};
use shrinkwarp_report::text::{human_bytes, shape};

use super::report::{CodecResult, InputReport, Place, Report, TensorReport, best, best_at, bound16, totals};
use super::table::{TENSOR_HEADER, bound_line, bound_ratio};
use heat_map::PlaneShares;

/// Tensors beyond this many get no section of their own, so that the page stays light; the largest come first.
const MAX_TENSOR_SECTIONS: usize = 64;

const NOTES: &[(&str, &str)] = &[
    ("Raw CR", "Raw size over stored size, bit-exact, tags and masks included."),
    ("CR at 32 B", "Counts what memory really fetches: whole bursts of 32 B."),
    ("Flits saved", "The share of 32 B flits that packets with an 8 B head no longer need."),
    (
        "Verdicts",
        "One for each place: bytes fetched from memory in bursts, flits on the interconnect, room in caches and memory. The \
         codec that saves the most there, its tables included; below 5 % it is not worth it.",
    ),
    (
        "Stays raw",
        "A block that does not shrink is stored as it is; the bit that says so lives in a tag or packet head and is not \
         counted, nor are the tables of trained codecs in any ratio (they are in the ranking). A tail that does not fill \
         a block is raw.",
    ),
    (
        "Shannon bound",
        "What no code can beat that codes symbols of one width one by one (the table's column: 16 bits); codecs that \
         look at neighbouring words can.",
    ),
    (
        "Heat maps",
        "How many ones the bit planes of the blocks have, plane by plane: of the words themselves, of the differences \
         between neighbours, and after neighbouring planes are xored (DBX, what BPC codes). A strong bottom row means \
         planes that are all zero in most blocks, which cost next to nothing.",
    ),
];

/// The whole page.
pub fn to_html(report: &Report) -> String {
    let all = totals(report.inputs.iter().flat_map(|input| &input.tensors), report.block);
    let mut page = Page::new("What would shrink", "");
    page.cards(&cards(report, &all));
    for (index, input) in report.inputs.iter().enumerate() {
        add_input(&mut page, index, input, report.block);
    }
    if report.inputs.len() > 1 {
        page.heading("all", "All inputs");
        page.chart(&bars::chart(&all));
    }
    page.heading("notes", "How to read this");
    page.notes(NOTES);
    page.html()
}

/// The summary at the top.
fn cards(report: &Report, all: &[CodecResult]) -> Vec<Card> {
    let bytes = report.tensors().map(|tensor| tensor.bytes).sum();
    let mut cards = vec![Card::new("data", human_bytes(bytes), format!("in blocks of {}", report.block))];
    for place in Place::ALL {
        let Some(result) = best_at(all, place) else { continue };
        let saved = 100.0 * result.saving_at(place);
        let (value, note) = if result.is_worthwhile_at(place) {
            (format!("−{saved:.1} %"), format!("with {}", result.spec))
        } else {
            ("not worth it".to_owned(), format!("{} saves {saved:.1} %", result.spec))
        };
        cards.push(Card::new(place.what(), value, note));
    }
    cards
}

fn add_input(page: &mut Page, index: usize, input: &InputReport, block: BlockBytes) {
    page.heading(&format!("input-{index}"), &input.name);
    if let [tensor] = &*input.tensors {
        return add_tensor(page, tensor);
    }
    let total = totals(input.tensors.iter(), block);
    add_tensor_table(page, &input.tensors);
    page.chart(&bars::chart(&total));
    page.text(&bound_line(&input.bounds));
    page.row(&PlaneShares::of(input.tensors.iter().filter_map(|tensor| tensor.planes.as_ref())).charts());
    let mut by_size: Vec<&TensorReport> = input.tensors.iter().collect();
    by_size.sort_by_key(|tensor| std::cmp::Reverse(tensor.bytes));
    if by_size.len() > MAX_TENSOR_SECTIONS {
        page.text(&format!("The {MAX_TENSOR_SECTIONS} largest tensors one by one; JSON and CSV have all."));
    }
    for tensor in by_size.into_iter().take(MAX_TENSOR_SECTIONS) {
        page.details(&tensor.name, |page| add_tensor(page, tensor));
    }
}

fn add_tensor(page: &mut Page, tensor: &TensorReport) {
    page.text(&format!("{} {}, {}", tensor.dtype, shape(&tensor.shape), human_bytes(tensor.bytes)));
    page.chart(&bars::chart(&tensor.results));
    page.text(&bound_line(&tensor.bounds));
    if let Some(error) = &tensor.error {
        page.text(&format!(
            "Error of the approximated values: at most {:.2e}, mean relative {:.2e}, NRMSE {:.2e}.",
            error.max_absolute, error.mean_relative, error.nrmse
        ));
    }
    page.row(&PlaneShares::of(tensor.planes.iter()).charts());
}

fn add_tensor_table(page: &mut Page, tensors: &[TensorReport]) {
    let row = |tensor: &TensorReport| {
        let result = best(&tensor.results)?;
        let tally = &result.tally;
        let figures = [
            result.spec.clone(),
            format!("{:.2}", tally.raw_ratio()),
            format!("{:.2}", tally.mag32_ratio()),
            format!("{:.1} %", 100.0 * tally.flits_saved()),
            format!("{:.1} %", 100.0 * tally.raw_share()),
        ];
        // No codec, so no codec's figures.
        let none = ["not worth it", "–", "–", "–", "–"].map(str::to_owned);
        let tensor_columns =
            [tensor.name.clone(), tensor.dtype.to_string(), shape(&tensor.shape), human_bytes(tensor.bytes)];
        let bound = bound16(&tensor.bounds).map_or(String::new(), bound_ratio);
        let figures = if result.is_worthwhile_at(Place::Bursts) { figures } else { none };
        Some(tensor_columns.into_iter().chain(figures).chain([bound]).collect())
    };
    page.table(&TENSOR_HEADER, &tensors.iter().filter_map(row).collect::<Vec<_>>());
}
