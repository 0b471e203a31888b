//! Runs thread blocks that may wait for each other.
//!
//! A cooperative launch says that its thread blocks do; others do it without saying so, with a barrier of their own made of
//! atomics, or by reading a flag that a later thread block sets. On a GPU that works because many thread blocks are resident.
//! Here thread blocks run in their order, one at a time, until one has not ended after many instructions: then more of
//! them are begun, twice as many in each round in which none ends, and all that are begun take turns.

use std::collections::BTreeMap;

use crate::device::LaunchReport;
use crate::fault::{Fault, FaultKind};
use crate::runner::{BlockRunner, Work};

/// Warp instructions of a thread block that runs alone before others begin beside it.
const PATIENCE: u64 = 1 << 20;
/// Most threads that have begun and not ended, unless the launch is cooperative: more than any GPU holds.
const MAX_THREADS: u64 = 1 << 19;

/// Runs all thread blocks in turns; `at_once` of them begin together.
pub(crate) fn run_in_turns(work: Work<'_>, at_once: u64) -> Result<LaunchReport, Box<Fault>> {
    let mut turns = Turns { work, begun: Vec::new(), spare: Vec::new(), next: 0, ended: Ended::default() };
    let result = turns.run(at_once);
    let Ended { mut report, mut output } = turns.ended;
    for Begun { index, mut runner } in turns.begun {
        output.insert(index, std::mem::take(&mut runner.block.output));
    }
    report.output = output.into_values().flatten().collect();
    match result {
        Ok(()) => Ok(report),
        Err(mut fault) => {
            fault.printed = report.output;
            Err(fault)
        }
    }
}

/// A thread block that has begun and not ended.
struct Begun {
    index: u64,
    runner: BlockRunner,
}

/// What the thread blocks that ended did.
#[derive(Default)]
struct Ended {
    report: LaunchReport,
    /// What they printed, in their order.
    output: BTreeMap<u64, Vec<u8>>,
}

struct Turns<'a> {
    work: Work<'a>,
    begun: Vec<Begun>,
    spare: Vec<BlockRunner>,
    next: u64,
    ended: Ended,
}

impl Turns<'_> {
    fn run(&mut self, at_once: u64) -> Result<(), Box<Fault>> {
        let most = at_once.max(MAX_THREADS / u64::from(self.work.launch.threads_per_block()).max(1));
        let mut room = at_once;
        loop {
            self.begin(room);
            if self.begun.is_empty() {
                return Ok(());
            }
            self.round()?;
            let before = self.begun.len();
            self.end();
            room = match self.begun.len() {
                0 => at_once,
                left if left == before => (2 * room).min(most),
                _ => room,
            };
        }
    }

    /// Begins thread blocks until there are `room` of them.
    fn begin(&mut self, room: u64) {
        let Work { kernel, launch, .. } = self.work;
        while (self.begun.len() as u64) < room && self.next < launch.blocks() {
            let mut runner = self.spare.pop().unwrap_or_default();
            runner.block.start(kernel, launch, launch.block_at(self.next));
            self.begun.push(Begun { index: self.next, runner });
            self.next += 1;
        }
    }

    /// One turn for each thread block, or many for one that is alone.
    fn round(&mut self) -> Result<(), Box<Fault>> {
        let turns_end = if self.begun.len() == 1 { PATIENCE } else { 0 };
        for Begun { runner, .. } in &mut self.begun {
            let end = runner.report.warp_instructions + turns_end;
            while !runner.block.is_finished() {
                runner.run_turn(self.work)?;
                if runner.report.warp_instructions >= end {
                    break;
                }
            }
        }
        self.check_limit()
    }

    /// A limit counts instructions of the whole launch.
    fn check_limit(&self) -> Result<(), Box<Fault>> {
        let Some(limit) = self.work.launch.max_thread_instructions else { return Ok(()) };
        let running: u64 = self.begun.iter().map(|begun| begun.runner.report.thread_instructions).sum();
        match self.begun.first() {
            Some(first) if self.ended.report.thread_instructions + running > limit => {
                let kind = FaultKind::TooManyInstructions { limit };
                Err(first.runner.stopped(self.work.kernel, self.work.launch, 0, kind))
            }
            _ => Ok(()),
        }
    }

    /// Puts away what has ended.
    fn end(&mut self) {
        let mut at = 0;
        while at < self.begun.len() {
            if !self.begun[at].runner.block.is_finished() {
                at += 1;
                continue;
            }
            let Begun { index, mut runner } = self.begun.remove(at);
            let report = std::mem::take(&mut runner.report);
            self.ended.report.thread_instructions += report.thread_instructions;
            self.ended.report.warp_instructions += report.warp_instructions;
            if !runner.block.output.is_empty() {
                self.ended.output.insert(index, std::mem::take(&mut runner.block.output));
            }
            self.spare.push(runner);
        }
    }
}
