//! The codecs in the order of what memory fetches, the ratio at 32 B within the raw ratio.

use shrinkwarp_report::chart::{Axis, Chart, Ranking, RankingRow};

use crate::report::{CodecResult, ranked};

/// The chart, the codec that fetches the least first.
pub(super) fn chart(results: &[CodecResult]) -> Chart {
    let series = ["raw CR", "CR at 32 B"].map(str::to_owned).into();
    let rows = ranked(results).into_iter().map(row).collect();
    Chart::ranking(
        "Codecs by what memory fetches",
        Axis::ratio("compression ratio"),
        Ranking { series, rows },
    )
}

fn row(result: &CodecResult) -> RankingRow {
    let tally = &result.tally;
    let note = format!(
        "flits saved {:.1} %, stays raw {:.1} %, tables {} B",
        100.0 * tally.flits_saved(),
        100.0 * tally.raw_share(),
        result.table_bytes()
    );
    RankingRow { name: result.label(), values: vec![tally.raw_ratio(), tally.mag32_ratio()], note }
}
