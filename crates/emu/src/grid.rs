//! Runs the thread blocks of a launch: one after the other, or on all cores when their order cannot matter.
//!
//! Thread blocks run at the same time only if the kernel has no global atomics, fences or volatile accesses, and no
//! allocation that it writes is also read. Two thread blocks that write different values to one place race on every GPU;
//! which of them wins is then not defined here either. Thread blocks that wait for each other take turns ([`crate::turns`]).

use std::sync::Arc;

use rayon::prelude::*;

use crate::decode::UNKNOWN;
use crate::device::LaunchReport;
use crate::fault::Fault;
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::memory::Memory;
use crate::runner::{BlockRunner, Work};
use crate::turns::run_in_turns;

/// Thread blocks that one task runs, so that its slot is reused.
const BLOCKS_PER_TASK: u64 = 16;

/// Runs all thread blocks; `is_parallel` allows more than one core.
pub(crate) fn run_grid(
    kernel: &Arc<Kernel>,
    launch: &Launch,
    memory: &Memory,
    is_parallel: bool,
) -> Result<LaunchReport, Box<Fault>> {
    let work = Work { kernel, launch, memory };
    let blocks = launch.blocks();
    if launch.barrier_address != 0 {
        return run_in_turns(work, blocks);
    }
    // A limit counts instructions of the whole launch: only an order makes the count meaningful.
    let is_ordered = !is_parallel
        || blocks <= BLOCKS_PER_TASK
        || launch.max_thread_instructions.is_some()
        || !may_run_in_any_order(kernel, launch, memory);
    if is_ordered {
        return run_in_turns(work, 1);
    }
    let tasks: Vec<Result<LaunchReport, Box<Fault>>> = (0..blocks.div_ceil(BLOCKS_PER_TASK))
        .into_par_iter()
        .map(|task| {
            let mut runner = BlockRunner::default();
            for index in task * BLOCKS_PER_TASK..((task + 1) * BLOCKS_PER_TASK).min(blocks) {
                runner.run(work, index)?;
            }
            Ok(runner.report)
        })
        .collect();
    // The fault of the lowest thread block is reported, whichever came first.
    let mut total = LaunchReport::default();
    for report in tasks {
        let mut report = report.map_err(|mut fault| {
            fault.printed.splice(0..0, std::mem::take(&mut total.output));
            fault
        })?;
        total.thread_instructions += report.thread_instructions;
        total.warp_instructions += report.warp_instructions;
        total.output.append(&mut report.output);
    }
    Ok(total)
}

/// Whether nothing that is read can be written by another thread block.
fn may_run_in_any_order(kernel: &Kernel, launch: &Launch, memory: &Memory) -> bool {
    let provenance = kernel.provenance;
    if kernel.needs_block_order || (provenance.read | provenance.written) & UNKNOWN != 0 {
        return false;
    }
    let allocations = |set: u64| {
        kernel
            .parameters
            .iter()
            .enumerate()
            .filter(move |(index, _)| set >> (*index).min(63) & 1 == 1)
            .filter_map(|(_, parameter)| {
                let start = parameter.offset as usize;
                let bytes: [u8; 8] = launch.parameters.get(start..start + 8)?.try_into().ok()?;
                memory.find(u64::from_le_bytes(bytes), 1).map(|(allocation, _)| allocation.start())
            })
    };
    let written: Vec<u64> = allocations(provenance.written).collect();
    // A texture handle can come from anywhere, so every bound texture counts as read.
    let textures = memory.texture_allocations().filter(|_| kernel.fetches_textures);
    allocations(provenance.read).chain(textures).all(|read| !written.contains(&read))
}
