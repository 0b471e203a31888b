//! The host side of Mars: map, group and reduce over records of bytes.
//!
//! Every stage allocates and frees what the original does, so that the footprint is its footprint. Names of buffers:
//!
//! | name                                        | what it holds                                         |
//! |---------------------------------------------|-------------------------------------------------------|
//! | `input_keys`, `input_values`, `input_directory` | the records of a map                              |
//! | `sizes`, `starts`                           | bytes and records of each task, and their prefix sums |
//! | `written`                                   | what each task has emitted so far                     |
//! | `keys`, `values`, `directory`               | records emitted, or sorted                            |
//! | `order`                                     | the directory while it is sorted                      |
//! | `pairs`                                     | places and sizes while bytes are gathered             |
//! | `groups`                                    | bounds of groups of equal keys                        |

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Arg, Buffer, BufferElement, Host, grid_for};
use crate::workload::{BufferInfo, ElementType, exact, joined};

/// Threads of a thread block in map and reduce.
const THREADS: u32 = 256;
/// Threads of a thread block in a prefix sum; each takes two numbers.
const SCAN_THREADS: u32 = 256;
/// Thread blocks and threads of the kernels that walk over a directory in chunks.
const WALK_BLOCKS: u32 = 512;
const WALK_THREADS: u32 = 512;
const GATHER_THREADS: u32 = 128;
/// Records that one thread block sorts, and thread blocks of a launch that sorts units of them.
const UNIT: usize = 256;
const CHUNK_BLOCKS: u32 = 256;
/// Up to this number of records every step of the network is a launch.
const STEPWISE_RECORDS: usize = 256 * 1024;
/// Words of shared memory of a thread in the map.
const STAGING_BYTES: u32 = 5 * 4;

/// The buffers of a map that every program has.
const MAP: &[BufferInfo] = &[
    exact("input_keys", ElementType::U32),
    exact("input_values", ElementType::I32),
    exact("input_directory", ElementType::I32),
    exact("sizes", ElementType::I32),
    exact("starts", ElementType::I32),
    exact("written", ElementType::I32),
];

/// The buffers of a sort that every program has.
const SORT: &[BufferInfo] =
    &[exact("order", ElementType::I32), exact("pairs", ElementType::I32), exact("groups", ElementType::I32)];

/// The buffers of a program that maps: its own, those of the map, and the records with their `keys`.
pub(crate) const fn map_buffers<const N: usize>(own: &[BufferInfo], keys: BufferInfo) -> [BufferInfo; N] {
    joined(&[own, MAP, &[keys, exact("values", ElementType::I32), exact("directory", ElementType::I32)]])
}

/// The buffers of a program that maps and sorts.
pub(crate) const fn sort_buffers<const N: usize>(own: &[BufferInfo], keys: BufferInfo) -> [BufferInfo; N] {
    let mapped = [keys, exact("values", ElementType::I32), exact("directory", ElementType::I32)];
    joined(&[own, MAP, &mapped, SORT])
}

/// Records on the host: keys and values of equal sizes.
#[derive(Default)]
pub(crate) struct Input {
    /// Words of all keys.
    pub keys: Vec<u32>,
    /// Words of all values.
    pub values: Vec<i32>,
    /// Words of one key.
    pub key_words: usize,
    /// Words of one value.
    pub value_words: usize,
}

impl Input {
    pub fn records(&self) -> usize {
        self.keys.len() / self.key_words
    }

    fn directory(&self) -> Vec<i32> {
        let (key_bytes, value_bytes) = (self.key_words * 4, self.value_words * 4);
        (0..self.records())
            .flat_map(|record| [record * key_bytes, key_bytes, record * value_bytes, value_bytes])
            .map(|number| number as i32)
            .collect()
    }
}

/// The two words of a device address.
pub(crate) fn address_words<T>(buffer: Buffer<T>) -> [u32; 2] {
    let address = buffer.address();
    [address as u32, (address >> 32) as u32]
}

/// Records on the device.
pub(crate) struct Records<K> {
    pub keys: Buffer<K>,
    pub values: Buffer<i32>,
    /// Four numbers a record.
    pub directory: Buffer<i32>,
    pub count: usize,
    key_bytes: usize,
    value_bytes: usize,
}

/// Counts, places and emits the records of a map. `K` is the type of the keys that it emits.
pub(crate) fn map<K: BufferElement>(host: &mut Host<'_>, input: &Input) -> Result<Records<K>, Failure> {
    let records = input.records();
    let input_keys = host.upload("input_keys", &input.keys)?;
    let input_values = host.upload("input_values", &input.values)?;
    let input_directory = host.upload("input_directory", &input.directory())?;
    let grid = grid_for(records, THREADS);
    let (block, tasks) = ([THREADS, 1, 1], (grid[0] * THREADS) as usize);

    let sizes = task_sizes(host, tasks)?;
    let arguments = args![input_keys, input_values, input_directory, sizes[0], sizes[1], sizes[2], records];
    host.launch("map_count", grid, block, arguments)?;
    let ([key_starts, value_starts, record_starts], [key_bytes, value_bytes, count]) =
        starts_of(host, &sizes, tasks)?;
    let keys = host.zeros::<K>("keys", key_bytes.div_ceil(K::BYTES))?;
    let values = host.zeros::<i32>("values", value_bytes.div_ceil(4))?;
    // A last task that emits nothing still touches the entry where its first record would be.
    let directory = host.zeros::<i32>("directory", (count + 1) * 4)?;
    let written = host.zeros::<i32>("written", tasks * 2)?;
    let cursor = host.zeros::<i32>("written", tasks)?;
    let arguments = args![
        input_keys,
        input_values,
        input_directory,
        key_starts,
        value_starts,
        record_starts,
        written,
        keys,
        values,
        directory,
        cursor,
        records
    ];
    host.launch_with_shared("map_emit", grid, block, THREADS * STAGING_BYTES, arguments)?;
    for buffer in sizes.into_iter().chain([written, cursor, key_starts, value_starts, record_starts]) {
        host.free(buffer)?;
    }
    host.free(input_keys)?;
    host.free(input_values)?;
    host.free(input_directory)?;
    Ok(Records { keys, values, directory, count, key_bytes, value_bytes })
}

/// Room for the bytes of keys, the bytes of values and the records that each task emits.
fn task_sizes(host: &mut Host<'_>, tasks: usize) -> Result<[Buffer<i32>; 3], Failure> {
    Ok([host.zeros("sizes", tasks)?, host.zeros("sizes", tasks)?, host.zeros("sizes", tasks)?])
}

/// Prefix sums of the three sizes of every task, and the totals.
fn starts_of(
    host: &mut Host<'_>,
    sizes: &[Buffer<i32>; 3],
    tasks: usize,
) -> Result<([Buffer<i32>; 3], [usize; 3]), Failure> {
    let mut starts = Vec::new();
    let mut totals = [0; 3];
    for (&size, total) in sizes.iter().zip(&mut totals) {
        let start = host.zeros::<i32>("starts", tasks)?;
        scan(host, start, size, tasks)?;
        let last = |numbers: Vec<i32>| numbers.last().copied().unwrap_or(0) as usize;
        *total = last(host.download(start)?) + last(host.download(size)?);
        starts.push(start);
    }
    Ok(([starts[0], starts[1], starts[2]], totals))
}

/// Exclusive prefix sums: parts of 512 numbers, then the sums of the parts the same way.
fn scan(host: &mut Host<'_>, out: Buffer<i32>, from: Buffer<i32>, count: usize) -> Result<(), Failure> {
    let per_block = 2 * SCAN_THREADS as usize;
    let blocks = count.div_ceil(per_block).max(1);
    if blocks == 1 {
        let (kernel, threads) = if count.is_power_of_two() {
            ("scan_one_block", (count / 2).max(1))
        } else {
            ("scan_one_partial_block", floor_power_of_two(count))
        };
        let shared = shared_bytes(threads);
        return host.launch_with_shared(
            kernel,
            [1, 1, 1],
            [threads as u32, 1, 1],
            shared,
            args![out, from, Arg::Address(0), count, 0usize, 0usize],
        );
    }
    let last = count - (blocks - 1) * per_block;
    let is_partial = last != per_block;
    let (full, full_threads) = ((blocks - usize::from(is_partial)) as u32, SCAN_THREADS as usize);
    let last_threads = if last.is_power_of_two() { (last / 2).max(1) } else { floor_power_of_two(last) };
    let (base, last_block) = (count - last, blocks - 1);
    let totals = host.zeros::<i32>("starts", blocks)?;
    let (grid, block) = ([full, 1, 1], [SCAN_THREADS, 1, 1]);
    let (one, last_shape) = ([1, 1, 1], [last_threads as u32, 1, 1]);
    let arguments = args![out, from, totals, per_block, 0usize, 0usize];
    host.launch_with_shared("scan_blocks", grid, block, shared_bytes(full_threads), arguments)?;
    if is_partial {
        let arguments = args![out, from, totals, last, last_block, base];
        host.launch_with_shared("scan_last_block", one, last_shape, shared_bytes(last_threads), arguments)?;
    }
    scan(host, totals, totals, blocks)?;
    host.launch("add_totals", grid, block, args![out, totals, base, 0usize, 0usize])?;
    if is_partial {
        host.launch("add_totals", one, last_shape, args![out, totals, last, last_block, base])?;
    }
    host.free(totals)
}

fn shared_bytes(threads: usize) -> u32 {
    let words = 2 * threads;
    ((words + words / 16 + 1) * 4) as u32
}

fn floor_power_of_two(count: usize) -> usize {
    1 << count.max(1).ilog2()
}

/// Sorts records by key and finds the groups of equal ones: first and end record of each.
pub(crate) fn group<K: BufferElement>(
    host: &mut Host<'_>,
    records: &Records<K>,
) -> Result<(Records<K>, Vec<[i32; 2]>), Failure> {
    let count = records.count;
    let keys = host.zeros::<K>("keys", records.key_bytes.div_ceil(K::BYTES))?;
    let values = host.zeros::<i32>("values", records.value_bytes.div_ceil(4))?;
    let directory = host.zeros::<i32>("directory", count * 4)?;
    sort(host, records, directory)?;
    let pairs = host.zeros::<i32>("pairs", count * 2)?;
    walk(host, "take_values", count, |start| args![directory, start, count, pairs].to_vec())?;
    gather(host, records.values, pairs, count, values)?;
    walk(host, "put_values", count, |start| args![directory, start, count, pairs].to_vec())?;
    walk(host, "take_keys", count, |start| args![directory, start, count, pairs].to_vec())?;
    gather(host, records.keys, pairs, count, keys)?;
    walk(host, "put_keys", count, |start| args![directory, start, count, pairs].to_vec())?;
    let sorted = Records { keys, values, directory, count, ..*records };
    let groups = groups_of(host, &sorted)?;
    Ok((sorted, groups))
}

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

fn sort<K: BufferElement>(
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

/// Launches a kernel for each chunk of a directory.
fn walk(
    host: &mut Host<'_>,
    kernel: &str,
    count: usize,
    arguments: impl Fn(usize) -> Vec<Arg>,
) -> Result<(), Failure> {
    walk_with(host, kernel, count, WALK_THREADS, arguments)
}

fn walk_with(
    host: &mut Host<'_>,
    kernel: &str,
    count: usize,
    threads: u32,
    arguments: impl Fn(usize) -> Vec<Arg>,
) -> Result<(), Failure> {
    // The original's grid has far more threads than the tests have records.
    let blocks = host.scale().pick(2, WALK_BLOCKS, WALK_BLOCKS);
    for start in (0..count).step_by((blocks * threads) as usize) {
        host.launch(kernel, [blocks, 1, 1], [threads, 1, 1], &arguments(start))?;
    }
    Ok(())
}

/// Copies the bytes that pairs of place and size name one after the other, and changes the places.
fn gather<T>(
    host: &mut Host<'_>,
    from: Buffer<T>,
    pairs: Buffer<i32>,
    count: usize,
    to: Buffer<T>,
) -> Result<(), Failure> {
    let sizes = host.zeros::<i32>("sizes", count)?;
    walk(host, "take_sizes", count, |start| args![pairs, start, count, sizes].to_vec())?;
    let starts = host.zeros::<i32>("starts", count)?;
    scan(host, starts, sizes, count)?;
    host.free(sizes)?;
    walk_with(host, "gather_bytes", count, GATHER_THREADS, |start| {
        args![from, start, pairs, count, starts, to].to_vec()
    })?;
    host.free(starts)
}

fn groups_of<K: BufferElement>(host: &mut Host<'_>, records: &Records<K>) -> Result<Vec<[i32; 2]>, Failure> {
    let Records { keys, directory, count, .. } = *records;
    let is_first = host.zeros::<i32>("groups", count)?;
    walk(host, "mark_groups", count, |start| args![keys, start, directory, count, is_first].to_vec())?;
    let index = host.zeros::<i32>("groups", count)?;
    scan(host, index, is_first, count)?;
    let groups = host.download(is_first)?.iter().filter(|&&mark| mark == 1).count();
    let bounds = host.zeros::<i32>("groups", groups)?;
    walk(host, "list_groups", count, |start| args![start, count, is_first, index, bounds].to_vec())?;
    host.free(is_first)?;
    host.free(index)?;
    let ranges = host.zeros::<i32>("groups", groups * 2)?;
    walk(host, "bound_groups", groups, |start| args![bounds, start, groups, count, ranges].to_vec())?;
    let found = host.download(ranges)?;
    host.free(bounds)?;
    host.free(ranges)?;
    Ok(found.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
}

/// Emits a record for each group, by the kernels `reduce_count` and `reduce_emit`.
pub(crate) fn reduce<K: BufferElement>(
    host: &mut Host<'_>,
    records: &Records<K>,
    groups: &[[i32; 2]],
) -> Result<Records<K>, Failure> {
    let Records { keys, values, directory, .. } = *records;
    let grid = grid_for(groups.len(), THREADS);
    let (block, tasks) = ([THREADS, 1, 1], (grid[0] * THREADS) as usize);
    let ranges = host.upload("groups", groups.as_flattened())?;
    let count = groups.len();
    let sizes = task_sizes(host, tasks)?;
    host.launch("reduce_count", grid, block, args![sizes[0], sizes[1], sizes[2], count])?;
    let (starts, [key_bytes, value_bytes, emitted]) = starts_of(host, &sizes, tasks)?;
    let out_keys = host.zeros::<K>("keys", key_bytes.div_ceil(K::BYTES))?;
    let out_values = host.zeros::<i32>("values", value_bytes.div_ceil(4))?;
    let out_directory = host.zeros::<i32>("directory", emitted * 4)?;
    let written = host.zeros::<i32>("written", tasks * 2)?;
    let cursor = host.zeros::<i32>("written", tasks)?;
    let arguments = args![
        keys,
        values,
        directory,
        ranges,
        starts[0],
        starts[1],
        starts[2],
        written,
        out_keys,
        out_values,
        out_directory,
        cursor,
        count
    ];
    host.launch("reduce_emit", grid, block, arguments)?;
    for buffer in sizes.into_iter().chain(starts).chain([written, cursor, ranges]) {
        host.free(buffer)?;
    }
    records.free(host)?;
    Ok(Records {
        keys: out_keys,
        values: out_values,
        directory: out_directory,
        count: emitted,
        key_bytes,
        value_bytes,
    })
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
    host.check_values("groups", &[got.len() as u32], &[expected.len() as u32], Tolerance::Exact)?;
    host.check_values("groups", &numbers(got), &numbers(expected), Tolerance::Exact)
}

impl<K> Records<K> {
    /// Frees the buffers.
    pub fn free(&self, host: &mut Host<'_>) -> Result<(), Failure> {
        host.free(self.keys)?;
        host.free(self.values)?;
        host.free(self.directory)
    }
}

impl<K> Clone for Records<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Records<K> {}
