//! Word count over running text, as MapReduce.

use std::collections::BTreeMap;

use crate::args;
use crate::error::{Failure, InputError};
use crate::host::{Host, grid_for};
use crate::input::text;
use crate::programs::mapreduce::{self, THREADS};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "wordcount",
    summary: "MapReduce word count",
    class: Class::Integer,
    papers: &[(Paper::Latte, "WC")],
    is_cache_sensitive: false,
    buffers: &[
        exact("text", ElementType::U8),
        exact("line_start", ElementType::I32),
        exact("words", ElementType::I32),
        exact("position", ElementType::I32),
        exact("records", ElementType::I32),
        exact("counts", ElementType::I32),
    ],
    input: Some(InputKind::Text),
    data_sets: OURS,
    ptx: include_str!("../../kernels/wordcount.ptx"),
    run,
};

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let bytes: usize = host.scale().pick(2_000, 20_000, 86_000);
    let prose = match host.input() {
        Some(given) => given.to_vec(),
        None => text::prose(bytes, 800, &mut host.rng(1)),
    };
    let starts = mapreduce::line_starts(&prose);
    let lines = starts.len() - 1;
    let block = [THREADS, 1, 1];

    let text_buffer = host.upload("text", &prose)?;
    let line_start = host.upload("line_start", &starts)?;
    let words = host.zeros::<i32>("words", lines)?;
    host.launch(
        "count_words",
        grid_for(lines, THREADS),
        block,
        args![text_buffer, line_start, words, lines],
    )?;
    let (positions, total) = mapreduce::positions(&host.download(words)?);
    if total == 0 {
        return Err(InputError::at(0, "the text has no word").into());
    }
    let position = host.upload("position", &positions)?;
    let (records, padded) = mapreduce::record_buffer(host, total)?;
    let arguments = args![text_buffer, line_start, position, records, lines];
    host.launch("emit_words", grid_for(lines, THREADS), block, arguments)?;
    mapreduce::sort(host, text_buffer, records, padded)?;
    let counts = host.zeros::<i32>("counts", total)?;
    host.launch(
        "reduce_groups",
        grid_for(total, THREADS),
        block,
        args![text_buffer, records, counts, total],
    )?;

    let got = mapreduce::groups(&prose, &host.download(records)?, &host.download(counts)?);
    let mut expected = BTreeMap::new();
    for word in prose.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty()) {
        *expected.entry(String::from_utf8_lossy(word).into_owned()).or_insert(0) += 1;
    }
    mapreduce::check_counts(host, &got, &expected)
}
