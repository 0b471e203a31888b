//! The host side that the MapReduce workloads share: records, their sort, and counts by key.

use std::collections::BTreeMap;

use crate::args;
use crate::error::Failure;
use crate::host::{Buffer, Host, grid_for};

pub(crate) const THREADS: u32 = 256;
/// 32-bit words of a record: hash, offset, length, value.
const RECORD_WORDS: usize = 4;

/// A record buffer of `count` records padded to a power of two; the padding sorts last.
pub(crate) fn record_buffer(host: &mut Host<'_>, count: usize) -> Result<(Buffer<i32>, usize), Failure> {
    let padded = count.next_power_of_two();
    let mut records = vec![0i32; padded * RECORD_WORDS];
    for record in records.chunks_exact_mut(RECORD_WORDS).skip(count) {
        record[2] = -1;
    }
    Ok((host.upload("records", &records)?, padded))
}

/// Sorts the records by key: a bitonic network, a launch a step.
pub(crate) fn sort(
    host: &mut Host<'_>,
    text: Buffer<u8>,
    records: Buffer<i32>,
    padded: usize,
) -> Result<(), Failure> {
    let mut size = 2;
    while size <= padded {
        let mut stride = size / 2;
        while stride > 0 {
            let arguments = args![text, records, padded, size, stride];
            host.launch("sort_step", grid_for(padded, THREADS), [THREADS, 1, 1], arguments)?;
            stride /= 2;
        }
        size *= 2;
    }
    Ok(())
}

/// Where each line starts, and the end of the text.
pub(crate) fn line_starts(text: &[u8]) -> Vec<i32> {
    let mut starts = vec![0i32];
    starts.extend(text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at as i32 + 1));
    if starts.last() != Some(&(text.len() as i32)) {
        starts.push(text.len() as i32);
    }
    starts
}

/// The result of a reduction: key text to number, from the sorted records and the groups' values.
pub(crate) fn groups(text: &[u8], records: &[i32], values: &[i32]) -> BTreeMap<String, i32> {
    let key = |record: &[i32]| {
        let (start, end) = (record[1] as usize, (record[1] + record[2]) as usize);
        String::from_utf8_lossy(text.get(start..end).unwrap_or_default()).into_owned()
    };
    let is_first =
        |(record, &value): (&[i32], &i32)| (value != 0 && record[2] >= 0).then(|| (key(record), value));
    records.chunks_exact(RECORD_WORDS).zip(values).filter_map(is_first).collect()
}

/// Compares two tables of counts: first the keys, then the numbers.
pub(crate) fn check_counts(
    host: &mut Host<'_>,
    got: &BTreeMap<String, i32>,
    expected: &BTreeMap<String, i32>,
) -> Result<(), Failure> {
    let numbers = |table: &BTreeMap<String, i32>| -> Vec<i32> {
        expected.keys().map(|key| table.get(key).copied().unwrap_or(0)).collect()
    };
    host.check_values("counts", &[got.len() as u32], &[expected.len() as u32], crate::Tolerance::Exact)?;
    host.check_values("counts", &numbers(got), &numbers(expected), crate::Tolerance::Exact)
}

/// Exclusive prefix sums, and the total.
pub(crate) fn positions(counts: &[i32]) -> (Vec<i32>, usize) {
    let mut total = 0;
    let starts = counts
        .iter()
        .map(|&count| {
            total += count;
            total - count
        })
        .collect();
    (starts, total as usize)
}
