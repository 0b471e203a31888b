//! The bitonic sort of a directory, as Mars launches it, and its first steps on the host.

use std::cmp::Ordering;

use super::{Records, walk};
use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Buffer, BufferElement, Host};

/// Records that one thread block sorts, and thread blocks of a launch that sorts units of them.
pub(crate) const UNIT: usize = 256;
const CHUNK_BLOCKS: u32 = 256;
/// Up to this number of records every step of the network is a launch.
const STEPWISE_RECORDS: usize = 256 * 1024;

/// The first `steps` steps of the network that sorts the records: their directory then, padded to a power of two.
fn begin_sort<K: BufferElement>(
    host: &mut Host<'_>,
    records: &Records<K>,
    steps: usize,
) -> Result<Vec<[i32; 4]>, Failure> {
    let padded = records.count.next_power_of_two();
    let order = start_order(host, records, padded)?;
    for (size, stride) in network(padded).take(steps) {
        let grid = [(padded / UNIT) as u32, 1, 1];
        host.launch("sort_step", grid, [UNIT as u32, 1, 1], args![records.keys, order, size, stride])?;
    }
    Ok(host.download(order)?.chunks_exact(4).map(|entry| [entry[0], entry[1], entry[2], entry[3]]).collect())
}

/// Steps of the sort that a run at small scale takes: it sorts nothing to the end, because every step is like the others.
const SMALL_STEPS: usize = 6;

/// The first steps of the sort, checked against the same steps on the host in the order that `compare` gives two entries.
pub(crate) fn check_first_steps<K: BufferElement>(
    host: &mut Host<'_>,
    records: &Records<K>,
    compare: impl Fn(&[i32; 4], &[i32; 4]) -> Ordering,
) -> Result<(), Failure> {
    let order = begin_sort(host, records, SMALL_STEPS)?;
    let directory = entries_of(host, records)?;
    let expected = expected_order(&directory, SMALL_STEPS, compare);
    host.check_values("order", order.as_flattened(), expected.as_flattened(), Tolerance::Exact)
}

/// What the steps should give, from the directory and an order of two of its entries; padding comes first.
fn expected_order(
    directory: &[i32],
    steps: usize,
    compare: impl Fn(&[i32; 4], &[i32; 4]) -> Ordering,
) -> Vec<[i32; 4]> {
    let mut order: Vec<[i32; 4]> =
        directory.chunks_exact(4).map(|entry| [entry[0], entry[1], entry[2], entry[3]]).collect();
    order.resize(order.len().next_power_of_two(), [-1, -1, 0, 0]);
    let compare = |a: &[i32; 4], b: &[i32; 4]| match (a[0], b[0]) {
        (-1, _) | (_, -1) => a[0].cmp(&b[0]),
        _ => compare(a, b),
    };
    for (size, stride) in network(order.len()).take(steps) {
        for i in 0..order.len() {
            let j = i ^ stride;
            let wrong = if i & size == 0 { Ordering::Greater } else { Ordering::Less };
            if j > i && compare(&order[i], &order[j]) == wrong {
                order.swap(i, j);
            }
        }
    }
    order
}

/// Size and stride of each step of a bitonic network over `count` records.
fn network(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..=count.ilog2()).flat_map(|log| (0..log).rev().map(move |stride| (1 << log, 1 << stride)))
}

/// The records' directory on the host.
fn entries_of<K>(host: &mut Host<'_>, records: &Records<K>) -> Result<Vec<i32>, Failure> {
    let mut entries = host.download(records.directory)?;
    entries.truncate(records.count * 4);
    Ok(entries)
}

/// The records' directory, padded.
fn start_order<K: BufferElement>(
    host: &mut Host<'_>,
    records: &Records<K>,
    padded: usize,
) -> Result<Buffer<i32>, Failure> {
    let order = host.zeros::<i32>("order", padded * 4)?;
    walk(host, "fill_directory", padded, |start| args![order, start, padded, -1i32, -1i32].to_vec())?;
    let entries = entries_of(host, records)?;
    host.write(order, &entries)?;
    Ok(order)
}

pub(super) fn sort<K: BufferElement>(
    host: &mut Host<'_>,
    records: &Records<K>,
    sorted: Buffer<i32>,
) -> Result<(), Failure> {
    let (count, keys) = (records.count, records.keys);
    let block = [UNIT as u32, 1, 1];
    if count <= UNIT {
        let arguments = args![keys, records.directory, count, sorted];
        return host.launch("sort_one_block", [1, 1, 1], block, arguments);
    }
    let padded = count.next_power_of_two();
    let order = start_order(host, records, padded)?;
    let grid = [(padded / UNIT) as u32, 1, 1];
    let chunks = padded / (UNIT * CHUNK_BLOCKS as usize);
    let is_stepwise = count <= STEPWISE_RECORDS;
    let mut size = 2;
    if !is_stepwise {
        for chunk in 0..chunks {
            host.launch("sort_units", [CHUNK_BLOCKS, 1, 1], block, args![keys, order, chunk])?;
        }
        size = 2 * UNIT;
    }
    while size <= padded {
        let mut stride = size / 2;
        while stride > if is_stepwise { 0 } else { UNIT / 2 } {
            host.launch("sort_step", grid, block, args![keys, order, size, stride])?;
            stride /= 2;
        }
        for chunk in 0..if is_stepwise { 0 } else { chunks } {
            let arguments = args![keys, order, chunk, size / UNIT];
            host.launch("merge_units", [CHUNK_BLOCKS, 1, 1], block, arguments)?;
        }
        size *= 2;
    }
    let entries = host.download(order)?;
    host.write(sorted, &entries[(padded - count) * 4..])?;
    host.free(order)
}
