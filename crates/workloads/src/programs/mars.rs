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

mod scan;
mod sort;

use std::collections::BTreeMap;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Arg, Buffer, BufferElement, Host, grid_for};
use crate::workload::{BufferInfo, ElementType, exact, joined};
use scan::scan;
use sort::sort;
pub(crate) use sort::{UNIT as SORT_UNIT, check_first_steps};

/// Threads of a thread block in map and reduce.
const THREADS: u32 = 256;
/// Thread blocks and threads of the kernels that walk over a directory in chunks.
const WALK_BLOCKS: u32 = 512;
const WALK_THREADS: u32 = 512;
const GATHER_THREADS: u32 = 128;
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
