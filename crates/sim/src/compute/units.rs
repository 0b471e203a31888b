//! Arithmetic units: when a result reaches write-back.
//!
//! A unit takes an instruction every `initiation` cycles of the one before; the result is written back `latency + 2`
//! cycles after it was taken. Pipelines are not shifted: results lie in a calendar with one page per cycle. Two rules
//! keep an instruction out until another cycle:
//!
//! - a unit delivers one result per cycle, so two of its instructions may not meet on a page;
//! - the SM has as many result buses as write-back ports, so a page holds no more results than that.

use super::in_flight::StageRegisters;
use super::timing::{KernelTiming, PIPES, Pipe};
use crate::base::Cycle;

/// Pages of the calendar: more than the longest latency.
const PAGES: usize = 512;

/// Cycles between the last pipeline stage and write-back.
const WRITE_BACK_CYCLES: u64 = 2;

/// The longest latency the calendar can hold.
pub const MAX_LATENCY_CYCLES: u64 = PAGES as u64 - WRITE_BACK_CYCLES - 1;

/// Most units: which of them have a result on a page is one byte.
pub const MAX_UNITS: usize = u8::BITS as usize;

#[derive(Clone, Copy, Debug)]
struct Unit {
    pipe: Pipe,
    free_at: Cycle,
}

/// All arithmetic units of an SM.
#[derive(Clone, Debug)]
pub struct Units {
    members: Vec<Unit>,
    /// Results of each cycle.
    calendar: Vec<StageRegisters>,
    /// Per page: the units that have a result there. Apart from the pages, so that the many empty ones cost a byte.
    taken: [u8; PAGES],
    results_pending: usize,
}

impl Units {
    /// `sp` and `sfu` units that share `result_buses`.
    pub fn new(sp: usize, sfu: usize, result_buses: usize) -> Self {
        let pipes = std::iter::repeat_n(Pipe::Sp, sp).chain(std::iter::repeat_n(Pipe::Sfu, sfu));
        Self {
            members: pipes.take(MAX_UNITS).map(|pipe| Unit { pipe, free_at: Cycle(0) }).collect(),
            calendar: vec![StageRegisters::new(result_buses); PAGES],
            taken: [0; PAGES],
            results_pending: 0,
        }
    }

    /// Whether results are written back now.
    #[inline]
    pub fn has_results(&self, now: Cycle) -> bool {
        self.taken[now.0 as usize % PAGES] != 0
    }

    /// Takes the results that are written back now.
    #[inline]
    pub fn pop_results(&mut self, now: Cycle) -> StageRegisters {
        let page = now.0 as usize % PAGES;
        self.taken[page] = 0;
        let results = self.calendar[page].take();
        self.results_pending -= results.len();
        results
    }

    /// Each unit takes the oldest instruction of its pipe, if it can. Returns whether one did.
    #[inline]
    pub fn step(
        &mut self,
        now: Cycle,
        timing: &KernelTiming,
        to_execute: &mut [StageRegisters; PIPES],
    ) -> bool {
        if to_execute[Pipe::Sp as usize].is_empty() && to_execute[Pipe::Sfu as usize].is_empty() {
            return false;
        }
        self.take(now, timing, to_execute)
    }

    fn take(&mut self, now: Cycle, timing: &KernelTiming, to_execute: &mut [StageRegisters; PIPES]) -> bool {
        let mut moved = false;
        for (index, unit) in self.members.iter_mut().enumerate() {
            let waiting = &mut to_execute[unit.pipe as usize];
            let Some(&instruction) = waiting.oldest() else { continue };
            if unit.free_at > now {
                continue;
            }
            let cost = timing.cost(instruction.pc);
            let written_at = now + u64::from(cost.latency_cycles) + WRITE_BACK_CYCLES;
            let page = written_at.0 as usize % PAGES;
            if self.taken[page] >> index & 1 == 1 || !self.calendar[page].has_room() {
                continue;
            }
            self.taken[page] |= 1 << index;
            self.calendar[page].append(instruction);
            waiting.drop_oldest();
            self.results_pending += 1;
            unit.free_at = now + u64::from(cost.initiation_cycles);
            moved = true;
        }
        moved
    }

    /// The next cycle after `now` in which something happens by itself: a result is written back, or a unit for
    /// which an instruction waits becomes free.
    pub fn next_event(&self, now: Cycle, to_execute: &[StageRegisters; PIPES]) -> Cycle {
        let mut next = Cycle::NEVER;
        for unit in &self.members {
            if !to_execute[unit.pipe as usize].is_empty() {
                // A free unit with a waiting instruction lacks a result bus, which another cycle may give.
                next = next.min(unit.free_at.max(now + 1));
            }
        }
        if self.results_pending > 0 {
            let pages = (1..PAGES as u64).map(|ahead| now + ahead);
            let first = pages.take_while(|&at| at < next).find(|at| self.taken[at.0 as usize % PAGES] != 0);
            next = first.unwrap_or(next);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::in_flight::{InFlight, MAX_WIDTH, NO_OPERATION};
    use crate::compute::timing::Cost;

    fn instructions(costs: &[(Pipe, u16, u16)]) -> (KernelTiming, [StageRegisters; PIPES]) {
        let rows: Vec<_> = costs
            .iter()
            .map(|&(pipe, latency_cycles, initiation_cycles)| {
                (pipe, Cost { latency_cycles, initiation_cycles }, &[][..], &[][..])
            })
            .collect();
        let mut waiting = [(); PIPES].map(|()| StageRegisters::new(MAX_WIDTH));
        for (index, &(pipe, ..)) in costs.iter().enumerate() {
            let order = index as u32;
            waiting[pipe as usize].push(InFlight { pc: order, order, warp: 0, operation: NO_OPERATION });
        }
        (KernelTiming::for_test(&rows), waiting)
    }

    /// Cycles in which results are written back, starting at 0.
    fn run(units: &mut Units, costs: &[(Pipe, u16, u16)]) -> Vec<u64> {
        let (timing, mut waiting) = instructions(costs);
        let mut written = Vec::new();
        for cycle in 0..200 {
            let results = units.pop_results(Cycle(cycle));
            written.extend(results.as_slice().iter().map(|_| cycle));
            units.step(Cycle(cycle), &timing, &mut waiting);
        }
        assert_eq!(units.results_pending, 0);
        written
    }

    #[test]
    fn a_result_is_written_back_two_cycles_after_its_latency() {
        assert_eq!(run(&mut Units::new(1, 0, 2), &[(Pipe::Sp, 4, 1)]), [6]);
    }

    #[test]
    fn a_unit_takes_the_next_after_its_initiation_interval() {
        let sfu = [(Pipe::Sfu, 8, 8), (Pipe::Sfu, 8, 8)];
        assert_eq!(run(&mut Units::new(0, 1, 2), &sfu), [10, 18]);
        let pipelined = [(Pipe::Sp, 4, 1), (Pipe::Sp, 4, 1)];
        assert_eq!(run(&mut Units::new(1, 0, 2), &pipelined), [6, 7]);
    }

    #[test]
    fn two_results_of_one_unit_never_meet() {
        // The second would overtake the first by one cycle and meet it: it waits a cycle.
        assert_eq!(run(&mut Units::new(1, 0, 2), &[(Pipe::Sp, 5, 1), (Pipe::Sp, 4, 1)]), [7, 8]);
    }

    #[test]
    fn no_more_results_than_buses() {
        let costs = [(Pipe::Sp, 4, 1), (Pipe::Sp, 4, 1), (Pipe::Sfu, 4, 1)];
        assert_eq!(run(&mut Units::new(2, 1, 2), &costs), [6, 6, 7]);
    }

    #[test]
    fn the_next_event_is_the_first_result() {
        let mut units = Units::new(1, 0, 2);
        let (timing, mut waiting) = instructions(&[(Pipe::Sp, 145, 8)]);
        units.step(Cycle(3), &timing, &mut waiting);
        assert_eq!(units.next_event(Cycle(3), &waiting), Cycle(3 + 145 + 2));
    }
}
