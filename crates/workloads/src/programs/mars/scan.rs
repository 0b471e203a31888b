//! Prefix sums, as Mars computes them.

use crate::args;
use crate::error::Failure;
use crate::host::{Arg, Buffer, Host};

/// Threads of a thread block in a prefix sum; each takes two numbers.
const SCAN_THREADS: u32 = 256;

/// Exclusive prefix sums: parts of 512 numbers, then the sums of the parts the same way.
pub(super) fn scan(
    host: &mut Host<'_>,
    out: Buffer<i32>,
    from: Buffer<i32>,
    count: usize,
) -> Result<(), Failure> {
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
