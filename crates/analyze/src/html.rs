//! The report as one HTML page that needs nothing else.

mod bars;
mod heat_map;

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_report::page::{Card, Page};
use shrinkwarp_report::text::{human_bytes, shape};

use super::report::{CodecResult, InputReport, Place, Report, TensorReport, best_at, ranked, totals};
use super::table::{TENSOR_HEADER, TENSOR_NOTE, bound_line, tensor_row};
use heat_map::PlaneShares;

/// What a page may have, so that one of a large model stays below a megabyte. The largest tensors come first.
struct Room {
    /// Sections of single tensors.
    sections: usize,
    /// Sets of pictures: bars and heat maps, some 110 KB. Where they are used up, a table has the numbers.
    pictures: usize,
}

impl Room {
    const OF_A_PAGE: Self = Self { sections: 64, pictures: 6 };

    fn take_pictures(&mut self) -> bool {
        let has_room = self.pictures > 0;
        self.pictures = self.pictures.saturating_sub(1);
        has_room
    }
}

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
    let mut room = Room::OF_A_PAGE;
    for (index, input) in report.inputs.iter().enumerate() {
        add_input(&mut page, index, input, report.block, &mut room);
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

fn add_input(page: &mut Page, index: usize, input: &InputReport, block: BlockBytes, room: &mut Room) {
    page.heading(&format!("input-{index}"), &input.name);
    if let [tensor] = &*input.tensors {
        return add_tensor(page, tensor, room);
    }
    let total = totals(input.tensors.iter(), block);
    add_tensor_table(page, &input.tensors);
    let planes = || PlaneShares::of(input.tensors.iter().filter_map(|tensor| tensor.planes.as_ref()));
    add_results(page, &total, &bound_line(&input.bounds), planes, room);
    let mut by_size: Vec<&TensorReport> = input.tensors.iter().collect();
    by_size.sort_by_key(|tensor| std::cmp::Reverse(tensor.bytes));
    let sections = room.sections.min(by_size.len());
    room.sections -= sections;
    if sections < by_size.len() {
        page.text(&format!("The {sections} largest tensors one by one; JSON and CSV have all."));
    }
    for tensor in by_size.into_iter().take(sections) {
        page.details(&tensor.name, |page| add_tensor(page, tensor, room));
    }
}

/// What each codec makes of some data: pictures where there is room, else a table.
fn add_results(
    page: &mut Page,
    results: &[CodecResult],
    bounds: &str,
    planes: impl FnOnce() -> PlaneShares,
    room: &mut Room,
) {
    let has_pictures = room.take_pictures();
    if has_pictures {
        page.chart(&bars::chart(results));
    } else {
        add_codec_table(page, results);
    }
    page.text(bounds);
    if has_pictures {
        page.row(&planes().charts());
    }
}

fn add_codec_table(page: &mut Page, results: &[CodecResult]) {
    let row = |result: &CodecResult| {
        let tally = &result.tally;
        vec![
            result.label(),
            format!("{:.2}", tally.raw_ratio()),
            format!("{:.2}", tally.mag32_ratio()),
            format!("{:.1} %", 100.0 * tally.flits_saved()),
            format!("{:.1} %", 100.0 * tally.raw_share()),
            format!("{} B", result.table_bytes()),
        ]
    };
    let rows: Vec<Vec<String>> = ranked(results).into_iter().map(row).collect();
    page.table(&["codec", "raw CR", "CR at 32 B", "flits saved", "stays raw", "tables"], &rows);
}

fn add_tensor(page: &mut Page, tensor: &TensorReport, room: &mut Room) {
    page.text(&format!("{} {}, {}", tensor.dtype, shape(&tensor.shape), human_bytes(tensor.bytes)));
    add_results(
        page,
        &tensor.results,
        &bound_line(&tensor.bounds),
        || PlaneShares::of(tensor.planes.iter()),
        room,
    );
    if let Some(error) = &tensor.error {
        page.text(&format!(
            "Error of the approximated values: at most {:.2e}, mean relative {:.2e}, NRMSE {:.2e}.",
            error.max_absolute, error.mean_relative, error.nrmse
        ));
    }
}

fn add_tensor_table(page: &mut Page, tensors: &[TensorReport]) {
    let rows: Vec<Vec<String>> = tensors.iter().map(|tensor| tensor_row(tensor).into()).collect();
    page.table(&TENSOR_HEADER, &rows);
    page.text(TENSOR_NOTE);
}

#[cfg(test)]
mod tests {
    use shrinkwarp_codec::analysis::plane_ones::PlaneOnes;
    use shrinkwarp_formats::Dtype;

    use super::*;
    use crate::tally::Tally;

    fn result(spec: &str, name: &'static str) -> CodecResult {
        let tally = Tally {
            blocks: 10,
            data_bits: 10_240,
            stored_bits: 8704,
            data_mag_bytes: 1280,
            stored_mag_bytes: 1280,
            data_flits: 50,
            stored_flits: 40,
            ..Tally::default()
        };
        CodecResult { spec: spec.to_owned(), name, approx_bits: None, table_share: 0.0, tally }
    }

    fn model(tensors: usize) -> Report {
        let tensor = |index: usize| TensorReport {
            name: format!("encoder.layer.{index}.attention.output.dense.weight"),
            dtype: Dtype::F32,
            shape: vec![384, 384],
            bytes: 589_824,
            error: None,
            results: (0..20).map(|_| result("fp-h:element=4", "fp-h")).collect(),
            bounds: Vec::new(),
            planes: Some(planes()),
        };
        let inputs = (0..4).map(|index| InputReport {
            name: format!("model-{index}.safetensors"),
            tensors: (0..tensors).map(tensor).collect(),
            bounds: Vec::new(),
        });
        Report { block: BlockBytes::B128, inputs: inputs.collect() }
    }

    /// Statistics with a number in every cell.
    fn planes() -> PlaneOnes {
        let mut ones = PlaneOnes::new(BlockBytes::B128);
        let mut state = 1_u64;
        let byte = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        ones.observe(&(0..512 * 128).map(byte).collect::<Vec<u8>>());
        ones
    }

    #[test]
    fn the_page_of_a_model_stays_below_a_megabyte() {
        let html = to_html(&model(100));
        assert!(html.len() <= 1_000_000, "{} bytes", html.len());
        assert!(html.contains("bit plane") && html.contains("<th>codec<th class=\"n\">raw CR"));
    }

    #[test]
    fn a_tensor_has_a_verdict_for_each_place() {
        let report = model(2);
        let [.., bursts, flits, capacity, _] = tensor_row(&report.inputs[0].tensors[0]);
        assert_eq!([&*bursts, &flits, &capacity], ["–", "fp-h:element=4 20.0 %", "fp-h:element=4 15.0 %"]);
    }
}
