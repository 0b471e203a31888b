//! Runs whole thread blocks, warp by warp: each until it stores something, waits or ends.
//!
//! On a GPU the warps of a thread block are never far from each other, and published programs rely on it where a barrier is
//! missing: warps that all do the same `x[i] += …` with the same values, or that read what other warps stored just before.
//! So a store is a turn of its own: the warps get as far as the store first, then all of them store, then they go on.

use std::sync::Arc;

use crate::LANES;
use crate::device::LaunchReport;
use crate::effects::Effects;
use crate::exec::{step, step_plain};
use crate::fault::{Fault, FaultKind};
use crate::inst::Inst;
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::memory::Memory;
use crate::thread_block::ThreadBlock;

/// Warp instructions between two looks at whether the launch is to end.
const LOOK_EVERY: u64 = 4096;
/// Warp instructions after which the others have their turn: a warp may wait for another one, or for another thread block,
/// by reading a flag over and over.
const TURN: u64 = 1 << 9;

/// A kernel, how it is launched, and the memory it works on.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub kernel: &'a Arc<Kernel>,
    pub launch: &'a Launch,
    pub memory: &'a Memory,
}

/// Runs thread blocks one after the other in the same slot.
#[derive(Default)]
pub(crate) struct BlockRunner {
    pub block: ThreadBlock,
    effects: Effects,
    pub report: LaunchReport,
}

impl BlockRunner {
    /// Runs one thread block to its end. A fault tells what was printed before, by this thread block and those before it.
    pub(crate) fn run(&mut self, work: Work<'_>, index: u64) -> Result<(), Box<Fault>> {
        let result = self.run_block(work, index);
        self.report.output.append(&mut self.block.output);
        result.map_err(|mut fault| {
            fault.printed = std::mem::take(&mut self.report.output);
            fault
        })
    }

    fn run_block(&mut self, work: Work<'_>, index: u64) -> Result<(), Box<Fault>> {
        self.block.start(work.kernel, work.launch, work.launch.block_at(index));
        while !self.block.is_finished() {
            self.run_turn(work)?;
        }
        Ok(())
    }

    /// Every warp has its turn.
    pub(crate) fn run_turn(&mut self, work: Work<'_>) -> Result<(), Box<Fault>> {
        for warp in 0..self.block.warps.len() {
            self.run_warp(work, warp)?;
        }
        if self.block.is_deadlocked() {
            return Err(self.deadlock(work.kernel));
        }
        Ok(())
    }

    /// Runs one warp until it comes to a store, or one store, or until it waits, ends or has had its turn.
    fn run_warp(&mut self, work: Work<'_>, warp: usize) -> Result<(), Box<Fault>> {
        let Work { kernel, launch, memory } = work;
        let end_of_turn = self.report.warp_instructions + TURN;
        let limit = launch.max_thread_instructions.unwrap_or(u64::MAX);
        let has_others = self.block.warps.len() > 1;
        let mut is_first = true;
        while !self.block.is_waiting(warp) && !self.block.warps[warp].is_finished() {
            if self.run_plain(kernel, warp, end_of_turn, limit) {
                is_first = false;
                continue;
            }
            let next = self.block.warps[warp].pc().and_then(|pc| kernel.code.get(pc as usize));
            let is_store = has_others && next.is_some_and(Inst::is_seen_by_others);
            if is_store && !is_first {
                break;
            }
            is_first = false;
            step(kernel, launch, &mut self.block, warp, memory, &mut self.effects)?;
            self.block.clock += 1;
            self.report.warp_instructions += 1;
            self.report.thread_instructions += u64::from(self.effects.thread_instructions());
            if self.report.thread_instructions > limit {
                return Err(self.stopped(kernel, launch, warp, FaultKind::TooManyInstructions { limit }));
            }
            if self.report.warp_instructions.is_multiple_of(LOOK_EVERY) && launch.is_interrupted() {
                return Err(self.stopped(kernel, launch, warp, FaultKind::Interrupted));
            }
            if is_store || self.block.gives_way || self.report.warp_instructions >= end_of_turn {
                self.block.gives_way = false;
                break;
            }
        }
        Ok(())
    }

    /// Runs instructions that only compute registers from registers, as most of a kernel are: as many as follow each other and
    /// need none of the checks that others do. Whether there was one.
    fn run_plain(&mut self, kernel: &Kernel, warp: usize, end_of_turn: u64, limit: u64) -> bool {
        let LaunchReport { warp_instructions, thread_instructions, .. } = &mut self.report;
        let until_turn = end_of_turn.saturating_sub(*warp_instructions + 1);
        let until_look = LOOK_EVERY - 1 - *warp_instructions % LOOK_EVERY;
        let until_limit = limit.saturating_sub(*thread_instructions) / LANES as u64;
        let most = until_turn.min(until_look).min(until_limit);
        let state = &mut self.block.warps[warp];
        let (mut done, mut next) = (0, state.pc());
        while done < most
            && let Some(pc) = next
            && let Some(inst) = kernel.code.get(pc as usize)
            && let Some((lanes, after)) = step_plain(inst, state)
        {
            self.effects.pc = pc;
            self.effects.executed = lanes;
            *thread_instructions += u64::from(self.effects.thread_instructions());
            done += 1;
            next = after;
        }
        *warp_instructions += done;
        self.block.clock += done;
        done != 0
    }

    fn deadlock(&self, kernel: &Kernel) -> Box<Fault> {
        let waiting = self.block.waiting();
        Box::new(Fault {
            line: waiting.first().map_or(0, |wait| wait.line),
            kind: FaultKind::BarrierDeadlock { waiting },
            kernel: kernel.name.clone(),
            block: self.block.index,
            thread: [0; 3],
            printed: Vec::new(),
        })
    }

    pub(crate) fn stopped(
        &self,
        kernel: &Kernel,
        launch: &Launch,
        warp: usize,
        kind: FaultKind,
    ) -> Box<Fault> {
        let lane = self.effects.executed.trailing_zeros().min(31);
        Box::new(Fault {
            kind,
            kernel: kernel.name.clone(),
            line: kernel.code.get(self.effects.pc as usize).map_or(0, |inst| inst.line),
            block: self.block.index,
            thread: launch.thread_at(warp as u32 * 32 + lane),
            printed: Vec::new(),
        })
    }
}
