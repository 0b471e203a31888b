//! Arithmetic units: when a result reaches write-back.
//!
//! A unit takes an instruction every `initiation` cycles of the one before; the result is written back `latency + 2`
//! cycles after it was taken. Pipelines are not shifted: results lie in a calendar with one page per cycle. Two rules
//! keep an instruction out until another cycle:
//!
//! - a unit delivers one result per cycle, so two of its instructions may not meet on a page;
//! - the SM has as many result buses as write-back ports, so a page holds no more results than that.
//!
//! In an SM of sub-cores, unit *k* of a pipe belongs to sub-core *k* and takes only instructions of its warps.

use arrayvec::ArrayVec;

use super::in_flight::{InFlight, StageRegisters};
use super::timing::{KernelTiming, PIPES, Pipe};
use crate::base::Cycle;

/// Pages of the largest calendar: more than the longest latency.
const PAGES: usize = 512;

/// Cycles between the last pipeline stage and write-back.
const WRITE_BACK_CYCLES: u64 = 2;

/// The longest latency the calendar can hold.
pub const MAX_LATENCY_CYCLES: u64 = PAGES as u64 - WRITE_BACK_CYCLES - 1;

/// Most units: which of them have a result on a page is one word.
pub const MAX_UNITS: usize = u32::BITS as usize;

/// Most result buses.
pub const MAX_RESULT_BUSES: usize = 8;

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitSpec {
    /// Units of each pipe; those of the load/store pipe are not here.
    pub counts: [usize; PIPES],
    /// Results written back in a cycle.
    pub result_buses: usize,
    /// Parts that the SM is divided into.
    pub sub_cores: usize,
}

/// The pipes with arithmetic units, in the order in which the reference simulator visits them.
const VISITED: [Pipe; 5] = [Pipe::Sp, Pipe::Fp64, Pipe::Int, Pipe::Sfu, Pipe::Tensor];

/// The units of a pipe: the first, and how many.
#[derive(Clone, Copy, Debug)]
struct UnitsOfPipe {
    pipe: Pipe,
    first: u8,
    count: u8,
}

/// A result on its way to write-back: what is asked of its instruction there.
#[derive(Clone, Copy, Debug, Default)]
pub struct WrittenResult {
    /// Index of the instruction in the kernel's code.
    pub pc: u32,
    /// Warp slot.
    pub warp: u8,
}

/// What is written back in a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    /// Units that have a result there.
    units: u32,
    /// How many.
    results: u32,
}

/// The results on their way.
#[derive(Clone, Debug)]
struct Calendar {
    /// Results of each cycle, a page of `result_buses` each.
    results: Vec<WrittenResult>,
    /// Apart from the results, so that the many empty ones cost little.
    pages: [Page; PAGES],
    /// Pages in use, a power of two: no more than the kernel needs, so that few cache lines are touched in turn.
    page_count: usize,
    result_buses: usize,
    pending: usize,
}

impl Calendar {
    /// The page of a cycle.
    #[inline(always)]
    fn page_of(&self, cycle: Cycle) -> usize {
        cycle.0 as usize & (self.page_count - 1) & (PAGES - 1)
    }

    /// Whether results are written back in a cycle.
    #[inline(always)]
    fn has_results(&self, cycle: Cycle) -> bool {
        self.pages[self.page_of(cycle)].results != 0
    }

    /// Enters the result of an instruction that a unit begins now, if it finds a bus. Returns whether it does.
    #[inline(always)]
    fn enter(&mut self, unit: usize, instruction: &InFlight, now: Cycle, latency_cycles: u16) -> bool {
        let number = self.page_of(now + u64::from(latency_cycles) + WRITE_BACK_CYCLES);
        let page = &mut self.pages[number];
        let results = page.results as usize;
        if page.units >> unit & 1 == 1 || results == self.result_buses {
            return false;
        }
        page.units |= 1 << unit;
        page.results += 1;
        let result = WrittenResult { pc: instruction.pc, warp: instruction.warp };
        self.results[number * self.result_buses + results] = result;
        self.pending += 1;
        true
    }
}

/// All arithmetic units of an SM.
#[derive(Clone, Debug)]
pub struct Units {
    /// Per unit: when it takes the next instruction.
    free_at: [Cycle; MAX_UNITS],
    /// Pipes that have units, in the order in which they are visited.
    pipes: ArrayVec<UnitsOfPipe, PIPES>,
    calendar: Calendar,
    is_divided: bool,
    /// Whether there are units of other pipes than SP and SFU.
    has_further_pipes: bool,
}

impl Units {
    /// Idle units.
    pub fn new(spec: &UnitSpec) -> Self {
        let mut pipes = ArrayVec::new();
        let mut first = 0;
        for pipe in VISITED {
            let count = spec.counts[pipe as usize].min(MAX_UNITS - first);
            if count > 0 {
                pipes.push(UnitsOfPipe { pipe, first: first as u8, count: count as u8 });
            }
            first += count;
        }
        let result_buses = spec.result_buses.min(MAX_RESULT_BUSES);
        Self {
            free_at: [Cycle(0); MAX_UNITS],
            pipes,
            calendar: Calendar {
                results: vec![WrittenResult::default(); PAGES * result_buses],
                pages: [Page::default(); PAGES],
                page_count: PAGES,
                result_buses,
                pending: 0,
            },
            is_divided: spec.sub_cores > 1,
            has_further_pipes: [Pipe::Int, Pipe::Fp64, Pipe::Tensor]
                .iter()
                .any(|&pipe| spec.counts[pipe as usize] > 0),
        }
    }

    /// Makes ready for a kernel whose instructions take at most `latency_cycles`; no result is pending.
    pub fn prepare(&mut self, latency_cycles: u16) {
        debug_assert!(self.calendar.pending == 0, "results of another kernel");
        let pages = u64::from(latency_cycles) + WRITE_BACK_CYCLES + 1;
        self.calendar.page_count = (pages as usize).next_power_of_two().min(PAGES);
    }

    /// Whether results are written back now.
    #[inline]
    pub fn has_results(&self, now: Cycle) -> bool {
        self.calendar.has_results(now)
    }

    /// Takes the results that are written back now, in the order of their units.
    #[inline]
    pub fn pop_results(&mut self, now: Cycle) -> &[WrittenResult] {
        let calendar = &mut self.calendar;
        let page = calendar.page_of(now);
        let count = std::mem::take(&mut calendar.pages[page]).results as usize;
        let first = page * calendar.result_buses;
        calendar.pending -= count;
        &calendar.results[first..first + count]
    }

    /// Each unit takes the oldest instruction of its pipe, if it can. Returns whether one did.
    #[inline]
    pub fn step(
        &mut self,
        now: Cycle,
        timing: &KernelTiming,
        to_execute: &mut [StageRegisters; PIPES],
    ) -> bool {
        let is_waiting = |pipe: Pipe| !to_execute[pipe as usize].is_empty();
        if is_waiting(Pipe::Sp) || is_waiting(Pipe::Sfu) {
            return self.take(now, timing, to_execute);
        }
        let further = [Pipe::Int, Pipe::Fp64, Pipe::Tensor];
        self.has_further_pipes && further.into_iter().any(is_waiting) && self.take(now, timing, to_execute)
    }

    fn take(&mut self, now: Cycle, timing: &KernelTiming, to_execute: &mut [StageRegisters; PIPES]) -> bool {
        let mut moved = false;
        for units in &self.pipes {
            let waiting = &mut to_execute[units.pipe as usize];
            if waiting.is_empty() {
                continue;
            }
            let first = usize::from(units.first);
            let free_at = &mut self.free_at[first..first + usize::from(units.count)];
            moved |= if self.is_divided {
                take_by_sub_core((first, free_at), &mut self.calendar, now, timing, waiting)
            } else {
                take_oldest((first, free_at), &mut self.calendar, now, timing, waiting)
            };
        }
        moved
    }

    /// The next cycle after `now` in which something happens by itself: a result is written back, or a unit for
    /// which an instruction waits becomes free.
    pub fn next_event(&self, now: Cycle, to_execute: &[StageRegisters; PIPES]) -> Cycle {
        let mut next = Cycle::NEVER;
        for units in self.pipes.iter().filter(|units| !to_execute[units.pipe as usize].is_empty()) {
            let (first, count) = (usize::from(units.first), usize::from(units.count));
            for &free_at in &self.free_at[first..first + count] {
                // A free unit with a waiting instruction lacks a result bus, which another cycle may give.
                next = next.min(free_at.max(now + 1));
            }
        }
        if self.calendar.pending > 0 {
            let pages = (1..self.calendar.page_count as u64).map(|ahead| now + ahead);
            let first = pages.take_while(|&at| at < next).find(|at| self.has_results(*at));
            next = first.unwrap_or(next);
        }
        next
    }
}

/// Each unit of a pipe takes the oldest instruction: the first unit, and when each is free. Returns whether one did.
#[inline(always)]
fn take_oldest(
    (first, free_at): (usize, &mut [Cycle]),
    calendar: &mut Calendar,
    now: Cycle,
    timing: &KernelTiming,
    waiting: &mut StageRegisters,
) -> bool {
    let before = waiting.taken();
    for (index, free_at) in free_at.iter_mut().enumerate() {
        if *free_at > now {
            continue;
        }
        let Some(slot) = waiting.oldest_slot() else { break };
        let instruction = waiting.at(slot);
        let cost = timing.at(instruction.pc).cost;
        if calendar.enter(first + index, instruction, now, cost.latency_cycles) {
            *free_at = now + u64::from(cost.initiation_cycles);
            waiting.free(slot);
        }
    }
    waiting.taken() != before
}

/// Each unit of a pipe takes the instruction of its sub-core.
fn take_by_sub_core(
    (first, free_at): (usize, &mut [Cycle]),
    calendar: &mut Calendar,
    now: Cycle,
    timing: &KernelTiming,
    waiting: &mut StageRegisters,
) -> bool {
    let (mut moved, mut rest) = (false, waiting.taken());
    while rest != 0 {
        let sub_core = rest.trailing_zeros() as u8;
        rest &= rest - 1;
        let instruction = waiting.at(sub_core);
        let cost = timing.at(instruction.pc).cost;
        if let Some(free_at) = free_at.get_mut(usize::from(sub_core))
            && *free_at <= now
            && calendar.enter(first + usize::from(sub_core), instruction, now, cost.latency_cycles)
        {
            *free_at = now + u64::from(cost.initiation_cycles);
            waiting.free(sub_core);
            moved = true;
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::in_flight::MAX_WIDTH;
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
            waiting[pipe as usize].push(&InFlight {
                pc: order,
                order,
                warp: 0,
                sub_core: 0,
                pipe,
                ..InFlight::IDLE
            });
        }
        (KernelTiming::for_test(&rows, 16), waiting)
    }

    /// SP and SFU units with two result buses.
    fn units(sp: usize, sfu: usize) -> Units {
        let mut counts = [0; PIPES];
        (counts[Pipe::Sp as usize], counts[Pipe::Sfu as usize]) = (sp, sfu);
        Units::new(&UnitSpec { counts, result_buses: 2, sub_cores: 1 })
    }

    /// Cycles in which results are written back, starting at 0.
    fn run(units: &mut Units, costs: &[(Pipe, u16, u16)]) -> Vec<u64> {
        let (timing, mut waiting) = instructions(costs);
        let mut written = Vec::new();
        for cycle in 0..200 {
            let results = units.pop_results(Cycle(cycle));
            written.extend(results.iter().map(|_| cycle));
            units.step(Cycle(cycle), &timing, &mut waiting);
        }
        assert_eq!(units.calendar.pending, 0);
        written
    }

    #[test]
    fn a_result_is_written_back_two_cycles_after_its_latency() {
        assert_eq!(run(&mut units(1, 0), &[(Pipe::Sp, 4, 1)]), [6]);
    }

    #[test]
    fn a_unit_takes_the_next_after_its_initiation_interval() {
        let sfu = [(Pipe::Sfu, 8, 8), (Pipe::Sfu, 8, 8)];
        assert_eq!(run(&mut units(0, 1), &sfu), [10, 18]);
        let pipelined = [(Pipe::Sp, 4, 1), (Pipe::Sp, 4, 1)];
        assert_eq!(run(&mut units(1, 0), &pipelined), [6, 7]);
    }

    #[test]
    fn two_results_of_one_unit_never_meet() {
        // The second would overtake the first by one cycle and meet it: it waits a cycle.
        assert_eq!(run(&mut units(1, 0), &[(Pipe::Sp, 5, 1), (Pipe::Sp, 4, 1)]), [7, 8]);
    }

    #[test]
    fn no_more_results_than_buses() {
        let costs = [(Pipe::Sp, 4, 1), (Pipe::Sp, 4, 1), (Pipe::Sfu, 4, 1)];
        assert_eq!(run(&mut units(2, 1), &costs), [6, 6, 7]);
    }

    #[test]
    fn the_next_event_is_the_first_result() {
        let mut unit = units(1, 0);
        let (timing, mut waiting) = instructions(&[(Pipe::Sp, 145, 8)]);
        unit.step(Cycle(3), &timing, &mut waiting);
        assert_eq!(unit.next_event(Cycle(3), &waiting), Cycle(3 + 145 + 2));
    }

    #[test]
    fn a_unit_of_a_sub_core_takes_only_its_instructions() {
        let mut counts = [0; PIPES];
        counts[Pipe::Int as usize] = 2;
        let mut units = Units::new(&UnitSpec { counts, result_buses: 8, sub_cores: 2 });
        let (timing, mut waiting) = instructions(&[(Pipe::Int, 4, 2)]);
        let stage = &mut waiting[Pipe::Int as usize];
        let first = stage.pop_oldest().unwrap();
        stage.push(&InFlight { sub_core: 1, ..first });
        assert!(units.step(Cycle(0), &timing, &mut waiting));
        assert_eq!(units.free_at[..2], [Cycle(0), Cycle(2)]);
    }
}
