//! Distinct visitors of each URL of a web log, as MapReduce.

use std::collections::{BTreeMap, BTreeSet};

use crate::args;
use crate::error::{Failure, InputError};
use crate::host::{Host, grid_for};
use crate::input::text;
use crate::programs::mapreduce::{self, THREADS};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "pageview-count",
    summary: "MapReduce over a web log: count per URL",
    class: Class::Integer,
    papers: &[(Paper::Dsm, "M-PVC"), (Paper::E2mc, "PVC")],
    is_cache_sensitive: false,
    buffers: &[
        exact("text", ElementType::U8),
        exact("line_start", ElementType::I32),
        exact("records", ElementType::I32),
        exact("counts", ElementType::I32),
    ],
    input: Some(InputKind::Text),
    data_sets: OURS,
    ptx: include_str!("../../kernels/pageview-count.ptx"),
    run,
};

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let lines: usize = host.scale().pick(100, 2_000, 40_000);
    let log = match host.input() {
        Some(given) => given.to_vec(),
        None => text::log_lines(&text::web_log(lines, 300, &mut host.rng(1))),
    };
    let visits = parse(&log)?;
    let starts = mapreduce::line_starts(&log);
    let lines = starts.len() - 1;
    let block = [THREADS, 1, 1];

    let text_buffer = host.upload("text", &log)?;
    let line_start = host.upload("line_start", &starts)?;
    let (records, padded) = mapreduce::record_buffer(host, lines)?;
    let arguments = args![text_buffer, line_start, records, lines];
    host.launch("map_visits", grid_for(lines, THREADS), block, arguments)?;
    mapreduce::sort(host, text_buffer, records, padded)?;
    let counts = host.zeros::<i32>("counts", lines)?;
    host.launch(
        "reduce_visitors",
        grid_for(lines, THREADS),
        block,
        args![text_buffer, records, counts, lines],
    )?;

    let got = mapreduce::groups(&log, &host.download(records)?, &host.download(counts)?);
    let distinct: BTreeSet<&(String, u32)> = visits.iter().collect();
    let mut expected = BTreeMap::new();
    for (url, _) in distinct {
        *expected.entry(url.clone()).or_insert(0) += 1;
    }
    mapreduce::check_counts(host, &got, &expected)
}

/// The lines of a log, `URL visitor time`.
fn parse(log: &[u8]) -> Result<Vec<(String, u32)>, InputError> {
    let wrong = |line: usize| InputError::at(line, "expected `URL visitor time`, with the visitor a number");
    let text = std::str::from_utf8(log).map_err(|_| InputError::at(0, "the log is not UTF-8 text"))?;
    let visit = |(index, line): (usize, &str)| {
        let mut words = line.split(' ');
        let url = words.next().filter(|url| !url.is_empty()).ok_or_else(|| wrong(index + 1))?;
        let visitor = words.next().and_then(|word| word.parse().ok()).ok_or_else(|| wrong(index + 1))?;
        Ok((url.to_owned(), visitor))
    };
    text.lines().enumerate().map(visit).collect()
}
