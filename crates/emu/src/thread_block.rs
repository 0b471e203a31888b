//! Architectural state of one resident thread block: its warps, shared memory and barriers.
//!
//! A [`ThreadBlock`] is a slot of a pool: [`ThreadBlock::start`] makes it the next thread block of a grid and reuses what it holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::fault::BarrierWait;
use crate::kernel::Kernel;
use crate::launch::{Dim3, Launch};
use crate::mbarrier::MbarrierFunction;
use crate::registers::lanes_of;
use crate::warp::{WaitingAt, Warp};
use crate::{LANES, LaneMask};

/// Barriers a thread block has.
pub const BARRIERS: usize = 16;

/// One resident thread block (CTA).
#[derive(Clone, Debug, Default)]
pub struct ThreadBlock {
    /// Coordinates in the grid.
    pub index: Dim3,
    /// Its warps; only the first `Launch::warps_per_block` are in use.
    pub warps: Vec<Warp>,
    /// Shared memory.
    pub shared: Vec<u32>,
    /// What device-side `printf` wrote, in order of execution.
    pub output: Vec<u8>,
    /// The last error of threads whose call of the device runtime failed, by their number.
    pub(crate) device_errors: BTreeMap<u32, u64>,
    /// Multiprocessor it runs on: `%smid`.
    pub multiprocessor: u32,
    /// Multiprocessors of the device: `%nsmid`.
    pub multiprocessors: u32,
    /// Value of `%clock64`; the caller that runs the thread block advances it.
    pub clock: u64,
    /// Whether asynchronous copies take time: the caller then calls [`ThreadBlock::arrive_after_copies`] for the lanes of
    /// [`crate::effects::Effects::awaits_copies`].
    pub defers_copy_arrivals: bool,
    pub(crate) shared_bytes: u32,
    pub(crate) barriers: [Barrier; BARRIERS],
    pub(crate) finished_warps: u32,
    /// A warp found that it must wait for another one without a barrier: let others run.
    pub(crate) gives_way: bool,
    kernel: Option<Arc<Kernel>>,
}

/// Bookkeeping of one barrier.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    /// Threads that have arrived, whole warps at a time.
    pub arrived_threads: u32,
    /// Threads to wait for; 0 means all of the thread block.
    pub expected_threads: u32,
    pub reduction: Reduction,
}

/// Running result of a `bar.red`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reduction {
    pub all: bool,
    pub any: bool,
    pub count: u32,
    pub operation: ReductionOperation,
}

/// What a `bar.red` computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReductionOperation {
    /// Nothing: a plain barrier.
    #[default]
    None,
    /// Number of true predicates.
    PopulationCount,
    /// Whether all are true.
    And,
    /// Whether any is true.
    Or,
}

impl ThreadBlock {
    /// The asynchronous copies of these lanes are done: they arrive at the barrier objects at their shared addresses.
    pub fn arrive_after_copies(&mut self, lanes: LaneMask, addresses: &[u64; LANES]) {
        for lane in lanes_of(lanes) {
            let first = (addresses[lane] / 4) as usize;
            let Some([low, high]) = self.shared.get_mut(first..).and_then(|words| words.first_chunk_mut())
            else {
                continue;
            };
            let object = MbarrierFunction::Arrive.apply(u64::from(*low) | u64::from(*high) << 32, 1);
            (*low, *high) = (object as u32, (object >> 32) as u32);
        }
    }

    /// Makes this slot the thread block `index` of the launch, all warps at the first instruction.
    pub fn start(&mut self, kernel: &Arc<Kernel>, launch: &Launch, index: Dim3) {
        let warps = launch.warps_per_block();
        let is_same_kernel = self.kernel.as_ref().is_some_and(|mine| Arc::ptr_eq(mine, kernel));
        if !is_same_kernel {
            self.kernel = Some(Arc::clone(kernel));
            self.warps.iter_mut().for_each(|warp| *warp = Warp::default());
        }
        self.index = index;
        self.multiprocessors = self.multiprocessors.max(1);
        self.barriers = Default::default();
        self.finished_warps = 0;
        self.output.clear();
        self.device_errors.clear();
        self.shared_bytes = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
        self.shared.clear();
        self.shared.resize(self.shared_bytes.div_ceil(4) as usize, 0);
        let fresh = self.warps.len();
        self.warps.resize_with(warps as usize, Warp::default);
        for warp in 0..warps {
            let was_here = is_same_kernel && (warp as usize) < fresh;
            let state = &mut self.warps[warp as usize];
            state.start(kernel, launch, warp, was_here);
            kernel.set_special_rows(&mut state.registers, launch, index, warp);
        }
    }

    /// Whether all warps have ended.
    pub fn is_finished(&self) -> bool {
        self.finished_warps as usize == self.warps.len()
    }

    /// Whether a warp must wait at a barrier before its next step.
    #[inline]
    pub fn is_waiting(&self, warp: usize) -> bool {
        self.warps.get(warp).is_some_and(|warp| warp.barrier.is_some())
    }

    /// Whether no warp can ever go on: all that have not ended wait.
    pub fn is_deadlocked(&self) -> bool {
        !self.is_finished() && self.warps.iter().all(|warp| warp.is_finished() || warp.barrier.is_some())
    }

    /// The warps that wait, for reports.
    pub fn waiting(&self) -> Vec<BarrierWait> {
        let wait = |(index, warp): (usize, &Warp)| {
            warp.barrier.map(|at| BarrierWait { warp: index as u32, barrier: at.barrier, line: at.line })
        };
        self.warps.iter().enumerate().filter_map(wait).collect()
    }

    /// A warp arrives at a barrier of `expected_threads` (0: all of the thread block) and waits there if `waits`.
    pub(crate) fn arrive(&mut self, warp: usize, expected_threads: u32, waits: bool, at: WaitingAt) {
        let Some(barrier) = self.barriers.get_mut(at.barrier as usize) else { return };
        barrier.expected_threads = expected_threads;
        barrier.arrived_threads += LANES as u32;
        if waits {
            self.warps[warp].barrier = Some(at);
        }
        self.release_if_complete(at.barrier);
    }

    /// Adds one warp's predicates to the result of a `bar.red`.
    pub(crate) fn reduce(
        &mut self,
        id: u32,
        operation: ReductionOperation,
        values: LaneMask,
        lanes: LaneMask,
    ) {
        let Some(barrier) = self.barriers.get_mut(id as usize) else { return };
        let is_first = barrier.reduction.operation == ReductionOperation::None;
        let reduction = &mut barrier.reduction;
        reduction.all = (is_first || reduction.all) && values & lanes == lanes;
        reduction.any |= values & lanes != 0;
        reduction.count += (values & lanes).count_ones();
        reduction.operation = operation;
    }

    /// A warp has ended: it counts no longer for barriers of the whole thread block.
    pub(crate) fn finish_warp(&mut self) {
        self.finished_warps += 1;
        for barrier in 0..BARRIERS as u32 {
            self.release_if_complete(barrier);
        }
    }

    fn release_if_complete(&mut self, id: u32) {
        let barrier = self.barriers[id as usize];
        let live_threads = (self.warps.len() as u32 - self.finished_warps) * LANES as u32;
        let expected = if barrier.expected_threads == 0 { live_threads } else { barrier.expected_threads };
        if barrier.arrived_threads == 0 || barrier.arrived_threads < expected {
            return;
        }
        self.barriers[id as usize] = Barrier::default();
        for warp in &mut self.warps {
            if warp.barrier.is_some_and(|at| at.barrier == id) {
                deliver(warp, barrier.reduction);
                warp.barrier = None;
            }
        }
    }
}

/// Writes the result of a `bar.red` into the destination of a waiting warp.
fn deliver(warp: &mut Warp, reduction: Reduction) {
    let Some(target) = warp.barrier.and_then(|at| at.result) else { return };
    let truth = match reduction.operation {
        ReductionOperation::And => reduction.all,
        _ => reduction.any,
    };
    if target.is_predicate {
        let values = if truth { LaneMask::MAX } else { 0 };
        warp.registers.set_pred(target.row, values, target.lanes);
    } else {
        warp.registers.set32(target.row, &[reduction.count; LANES], target.lanes);
    }
}
