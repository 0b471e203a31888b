//! Distinct visits of each URL of a web log, as two MapReduces.

use std::collections::{BTreeMap, BTreeSet};

use super::mars::{self, Input, address_words};
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::input::text;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, InputKind, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "pageview-count",
    summary: "MapReduce over a web log: count per URL",
    class: Class::Integer,
    papers: &[(Paper::Dsm, "M-PVC"), (Paper::E2mc, "PVC")],
    is_cache_sensitive: false,
    buffers: &BUFFERS,
    input: Some(InputKind::Text),
    data_sets: &[
        DataSet::new("mars", "as Mars generates: 1,024 pages of one site, random addresses and cookies")
            .revised(2),
        DataSet::new("zipf", "generator of this suite: pages by Zipf's law, visitors in sessions").revised(2),
    ],
    ptx: include_str!("../../kernels/pageview-count.ptx"),
    run,
};

const BUFFERS: [BufferInfo; 13] =
    mars::sort_buffers(&[exact("text", ElementType::U8)], exact("keys", ElementType::U32));

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let records = host.size(host.scale().pick(300, 24_576, 880_000), mars::SORT_UNIT..=1 << 22)?;
    let mut log = match (host.input(), host.data()) {
        (Some(given), _) => given.to_vec(),
        (None, "mars") => text::mars_log(records, &mut host.c_rand(1)),
        (None, _) => zipf_log(records, &mut host.rng(1)),
    };
    let lines = parse(&log)?;
    // Every line ends with a zero, as the original's host leaves it.
    log.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = 0);
    let text_buffer = host.upload("text", &log)?;
    let [low, high] = address_words(text_buffer);
    let mut input = Input { key_words: 4, value_words: 2, ..Input::default() };
    for &(offset, bytes) in &lines {
        input.keys.extend([low, high, offset as u32, 0]);
        input.values.extend([bytes as i32, 0]);
    }
    let mapped = mars::map::<u32>(host, &input)?;
    let hashes: Vec<i32> = lines.iter().map(|&(at, bytes)| hash(&log[at..at + bytes])).collect();
    let got: Vec<i32> = host.download(mapped.keys)?.chunks_exact(4).map(|key| key[3] as i32).collect();
    host.check_values("keys", &got, &hashes, Tolerance::Exact)?;
    if host.scale().pick(false, true, true) {
        let line = |entry: &[i32; 4]| {
            let index = entry[0] as usize / 16;
            let (at, bytes) = lines[index];
            (hashes[index], &log[at..at + bytes])
        };
        return mars::check_first_steps(host, &mapped, |a, b| line(a).cmp(&line(b)));
    }
    let (sorted, groups) = mars::group(host, &mapped)?;
    mapped.free(host)?;
    let reduced = mars::reduce(host, &sorted, &groups)?;
    // The second MapReduce begins with what the first has left, by way of the host.
    let input = Input {
        keys: host.download(reduced.keys)?,
        values: host.download(reduced.values)?,
        key_words: 4,
        value_words: 2,
    };
    reduced.free(host)?;
    let mapped = mars::map::<u32>(host, &input)?;
    let (sorted, groups) = mars::group(host, &mapped)?;

    let keys = host.download(sorted.keys)?;
    let directory = host.download(sorted.directory)?;
    let url_at = |offset: usize| {
        let end = log[offset..].iter().position(|&byte| byte == b'\t').map_or(log.len(), |at| offset + at);
        String::from_utf8_lossy(&log[offset..end]).into_owned()
    };
    let mut got = BTreeMap::new();
    for [first, end] in groups {
        let key = directory[first as usize * 4] as usize / 4;
        got.insert(url_at(keys[key + 2] as usize), end - first);
    }
    let distinct: BTreeSet<&[u8]> = lines.iter().map(|&(at, bytes)| &log[at..at + bytes]).collect();
    let mut expected = BTreeMap::new();
    for line in distinct {
        let url = line.split(|&byte| byte == b'\t').next().unwrap_or_default();
        *expected.entry(String::from_utf8_lossy(url).into_owned()).or_insert(0) += 1;
    }
    mars::check_counts(host, &got, &expected)
}

/// A log of this suite's generator in the original's form.
fn zipf_log(lines: usize, rng: &mut crate::input::Rng) -> Vec<u8> {
    let visits = text::web_log(lines, 1024, rng);
    let line = |visit: &text::Visit| format!("{}\t{}\t{}\n", visit.url, visit.visitor, visit.time);
    visits.iter().map(line).collect::<String>().into_bytes()
}

/// Mars' hash of a line, its end included.
fn hash(line: &[u8]) -> i32 {
    let step = |hash: i32, &byte: &u8| (hash << 4) ^ (hash >> 28) ^ i32::from(byte as i8);
    line.iter().fold(line.len() as i32, step)
}

/// Where the lines `URL<tab>visitor<tab>cookie` begin, and their bytes with the end of line.
fn parse(log: &[u8]) -> Result<Vec<(usize, usize)>, InputFileError> {
    let mut lines = Vec::new();
    let mut at = 0;
    for (index, line) in log.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_whole = line.ends_with(b"\n") && line.split(|&byte| byte == b'\t').count() > 2;
        if !is_whole {
            return Err(InputFileError::at(
                index + 1,
                "expected `URL<tab>visitor<tab>cookie` and an end of line",
            ));
        }
        lines.push((at, line.len()));
        at += line.len();
    }
    Ok(lines)
}
