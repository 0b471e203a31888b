//! URLs of a web log ranked by their number of views, as MapReduce.

use std::collections::BTreeMap;

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputError};
use crate::host::{Host, grid_for};
use crate::input::text;
use crate::programs::mapreduce::{self, THREADS};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "pageview-rank",
    summary: "MapReduce over a web log: rank by count",
    class: Class::Integer,
    papers: &[(Paper::Dsm, "M-PVR"), (Paper::E2mc, "PVR")],
    is_cache_sensitive: false,
    buffers: &[
        exact("text", ElementType::U8),
        exact("line_start", ElementType::I32),
        exact("records", ElementType::I32),
        exact("ranks", ElementType::I32),
    ],
    input: Some(InputKind::Text),
    data_sets: OURS,
    ptx: include_str!("../../kernels/pageview-rank.ptx"),
    run,
};

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (views, pages) = host.scale().pick((500, 80), (40_000, 3_000), (1_000_000, 60_000));
    let table = match host.input() {
        Some(given) => given.to_vec(),
        None => view_counts(&text::web_log(views, pages, &mut host.rng(1))),
    };
    let counts = parse(&table)?;
    let starts = mapreduce::line_starts(&table);
    let lines = starts.len() - 1;
    let block = [THREADS, 1, 1];

    let text_buffer = host.upload("text", &table)?;
    let line_start = host.upload("line_start", &starts)?;
    let (records, padded) = mapreduce::record_buffer(host, lines)?;
    host.launch(
        "map_views",
        grid_for(lines, THREADS),
        block,
        args![text_buffer, line_start, records, lines],
    )?;
    mapreduce::sort(host, text_buffer, records, padded)?;
    let ranks = host.zeros::<i32>("ranks", lines)?;
    host.launch("write_ranks", grid_for(lines, THREADS), block, args![records, ranks, lines])?;

    // Most views first; ties by the length of the URL, then its bytes, then its line.
    let mut order: Vec<usize> = (0..lines).collect();
    order.sort_by_key(|&line| (u32::MAX - counts[line].1, counts[line].0.len(), &counts[line].0, line));
    let mut expected = vec![0i32; lines];
    for (rank, line) in order.into_iter().enumerate() {
        expected[line] = rank as i32;
    }
    host.check("ranks", ranks, &expected, Tolerance::Exact)
}

/// The table that the first MapReduce job leaves: `URL views`, a line a URL.
fn view_counts(visits: &[text::Visit]) -> Vec<u8> {
    let mut counts = BTreeMap::new();
    for visit in visits {
        *counts.entry(visit.url.as_str()).or_insert(0u32) += 1;
    }
    let mut table = Vec::new();
    for (url, views) in counts {
        table.extend_from_slice(format!("{url} {views}\n").as_bytes());
    }
    table
}

fn parse(table: &[u8]) -> Result<Vec<(String, u32)>, InputError> {
    let text = std::str::from_utf8(table).map_err(|_| InputError::at(0, "the table is not UTF-8 text"))?;
    let entry = |(index, line): (usize, &str)| {
        let pair =
            line.split_once(' ').and_then(|(url, views)| Some((url.to_owned(), views.trim().parse().ok()?)));
        pair.ok_or_else(|| InputError::at(index + 1, "expected `URL views`"))
    };
    text.lines().enumerate().map(entry).collect()
}
