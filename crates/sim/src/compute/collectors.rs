//! Operand collectors and register banks: issued instructions gather their sources before they execute.
//!
//! Each pipeline has its own collector units. An instruction takes a free unit and queues one read per source
//! register at the register's bank; a bank serves its queue in order, one read a cycle, and none in a cycle in which
//! it is written. A unit whose reads are done hands its instruction to the execution stage.
//!
//! One [`step`](Collectors::step) does, in this order: hand over units that are complete, serve the banks, take new
//! instructions into units. So an instruction spends two cycles here when no bank is contended (one when it has no
//! register sources).
//!
//! Bank of a register: (number in its name + warp slot) mod banks.

use std::collections::VecDeque;

use super::in_flight::{InFlight, StageRegisters};
use super::timing::{KernelTiming, PIPES, Pipe};

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectorSpec {
    /// Register banks, at most 64.
    pub register_banks: usize,
    /// Per pipe: collector units, instructions taken and instructions handed over in a cycle.
    pub pipes: [PipeCollectors; PIPES],
}

/// Collector units of one pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipeCollectors {
    /// Units.
    pub units: usize,
    /// Instructions taken in a cycle.
    pub in_ports: usize,
    /// Instructions handed over in a cycle.
    pub out_ports: usize,
}

/// One collector unit.
#[derive(Clone, Copy, Debug)]
struct Unit {
    instruction: InFlight,
    reads_left: u8,
}

/// Units of one pipe, as masks over the pipe's own unit numbers.
#[derive(Clone, Debug)]
struct PipeState {
    first_unit: usize,
    free: u32,
    complete: u32,
    /// Per out port: the unit it served last; the search goes on behind it.
    last_served: Vec<usize>,
}

/// All collector units and banks of an SM.
#[derive(Clone, Debug)]
pub struct Collectors {
    spec: CollectorSpec,
    units: Vec<Unit>,
    pipes: [PipeState; PIPES],
    /// Units that wait for each bank, in order; a unit may wait twice.
    bank_queues: Vec<VecDeque<u8>>,
    waiting_banks: u64,
    written_banks: u64,
    /// Units that hold an instruction.
    busy_units: usize,
    /// Reads served; the energy model counts them.
    pub register_reads: u64,
}

impl Collectors {
    /// All units free.
    pub fn new(spec: CollectorSpec) -> Self {
        let mut first_unit = 0;
        let pipes = spec.pipes.map(|pipe| {
            let units = pipe.units.min(u32::BITS as usize);
            let state = PipeState {
                first_unit,
                free: mask_of(units),
                complete: 0,
                last_served: vec![0; pipe.out_ports],
            };
            first_unit += units;
            state
        });
        let idle = InFlight { pc: 0, order: 0, warp: 0, operation: 0 };
        Self {
            spec,
            units: vec![Unit { instruction: idle, reads_left: 0 }; first_unit],
            pipes,
            bank_queues: vec![VecDeque::with_capacity(32); spec.register_banks],
            waiting_banks: 0,
            written_banks: 0,
            busy_units: 0,
            register_reads: 0,
        }
    }

    /// Bank of a register whose name carries `number`.
    #[inline]
    pub fn bank_of(&self, number: u16, warp: u8) -> usize {
        (usize::from(number) + usize::from(warp)) % self.spec.register_banks
    }

    /// Whether `bank` can still be written in this cycle.
    #[inline]
    pub fn bank_can_be_written(&self, bank: usize) -> bool {
        self.written_banks >> bank & 1 == 0
    }

    /// Writes `bank` in this cycle: it serves no read.
    #[inline]
    pub fn write_bank(&mut self, bank: usize) {
        self.written_banks |= 1 << bank;
    }

    /// One cycle. Returns whether anything moved.
    pub fn step(
        &mut self,
        timing: &KernelTiming,
        issued: &mut [StageRegisters; PIPES],
        to_execute: &mut [StageRegisters; PIPES],
    ) -> bool {
        if self.busy_units == 0 && issued.iter().all(StageRegisters::is_empty) {
            self.written_banks = 0;
            return false;
        }
        let mut moved = false;
        for pipe in Pipe::ALL {
            moved |= self.hand_over(pipe, &mut to_execute[pipe as usize]);
        }
        moved |= self.serve_banks();
        for pipe in Pipe::ALL {
            moved |= self.take(pipe, timing, &mut issued[pipe as usize]);
        }
        self.written_banks = 0;
        moved
    }

    fn hand_over(&mut self, pipe: Pipe, to_execute: &mut StageRegisters) -> bool {
        let state = &mut self.pipes[pipe as usize];
        let mut moved = false;
        for last in &mut state.last_served {
            if state.complete == 0 || !to_execute.has_room() {
                return moved;
            }
            // The first complete unit behind the one served last, around the ring.
            let behind = state.complete & !mask_of(*last + 1);
            let unit = if behind == 0 { state.complete } else { behind }.trailing_zeros() as usize;
            *last = unit;
            state.complete &= !(1 << unit);
            state.free |= 1 << unit;
            to_execute.push(self.units[state.first_unit + unit].instruction);
            self.busy_units -= 1;
            moved = true;
        }
        moved
    }

    fn serve_banks(&mut self) -> bool {
        let served = self.waiting_banks & !self.written_banks;
        let mut rest = served;
        while rest != 0 {
            let bank = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let queue = &mut self.bank_queues[bank];
            let Some(unit) = queue.pop_front() else { continue };
            if queue.is_empty() {
                self.waiting_banks &= !(1 << bank);
            }
            self.register_reads += 1;
            self.units[usize::from(unit)].reads_left -= 1;
            if self.units[usize::from(unit)].reads_left == 0 {
                self.mark_complete(usize::from(unit));
            }
        }
        served != 0
    }

    fn mark_complete(&mut self, unit: usize) {
        if let Some(pipe) = self.pipes.iter_mut().rev().find(|pipe| unit >= pipe.first_unit) {
            pipe.complete |= 1 << (unit - pipe.first_unit);
        }
    }

    fn take(&mut self, pipe: Pipe, timing: &KernelTiming, issued: &mut StageRegisters) -> bool {
        let mut moved = false;
        for _ in 0..self.spec.pipes[pipe as usize].in_ports {
            let state = &mut self.pipes[pipe as usize];
            if state.free == 0 {
                break;
            }
            let Some(instruction) = issued.pop_oldest() else { break };
            let local = state.free.trailing_zeros() as usize;
            state.free &= !(1 << local);
            let unit = state.first_unit + local;
            self.busy_units += 1;
            let sources = timing.source_numbers(instruction.pc);
            if sources.is_empty() {
                state.complete |= 1 << local;
            }
            self.units[unit] = Unit { instruction, reads_left: sources.len() as u8 };
            for &number in sources {
                let bank = self.bank_of(number, instruction.warp);
                self.bank_queues[bank].push_back(unit as u8);
                self.waiting_banks |= 1 << bank;
            }
            moved = true;
        }
        moved
    }
}

fn mask_of(bits: usize) -> u32 {
    if bits >= u32::BITS as usize { u32::MAX } else { (1 << bits) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::in_flight::NO_OPERATION;
    use crate::compute::timing::Cost;

    const PIPE: PipeCollectors = PipeCollectors { units: 2, in_ports: 2, out_ports: 2 };

    struct Bench {
        collectors: Collectors,
        timing: KernelTiming,
        issued: [StageRegisters; PIPES],
        to_execute: [StageRegisters; PIPES],
    }

    fn bench(sources: &[&[u16]]) -> Bench {
        let instructions: Vec<_> = sources.iter().map(|&read| (Pipe::Sp, Cost::ONE, &[][..], read)).collect();
        let stages = || [(); PIPES].map(|()| StageRegisters::new(2));
        let mut issued = stages();
        for pc in 0..sources.len() as u32 {
            issued[Pipe::Sp as usize].push(InFlight { pc, order: pc, warp: 0, operation: NO_OPERATION });
        }
        Bench {
            collectors: Collectors::new(CollectorSpec { register_banks: 16, pipes: [PIPE; PIPES] }),
            timing: KernelTiming::for_test(&instructions),
            issued,
            to_execute: stages(),
        }
    }

    impl Bench {
        fn step(&mut self) -> usize {
            self.collectors.step(&self.timing, &mut self.issued, &mut self.to_execute);
            let stage = &mut self.to_execute[Pipe::Sp as usize];
            std::iter::from_fn(|| stage.pop_oldest()).count()
        }
    }

    #[test]
    fn operands_in_different_banks_take_one_cycle_of_reading() {
        let mut bench = bench(&[&[1, 2, 3]]);
        assert_eq!([bench.step(), bench.step(), bench.step()], [0, 0, 1], "taken, read, handed over");
        assert_eq!(bench.collectors.busy_units, 0);
        assert_eq!(bench.collectors.register_reads, 3);
    }

    #[test]
    fn an_instruction_without_sources_skips_the_reading() {
        let mut bench = bench(&[&[]]);
        assert_eq!([bench.step(), bench.step()], [0, 1]);
    }

    #[test]
    fn two_reads_of_one_bank_take_two_cycles() {
        let mut bench = bench(&[&[1, 17]]);
        assert_eq!([bench.step(), bench.step(), bench.step(), bench.step()], [0, 0, 0, 1]);
    }

    #[test]
    fn two_instructions_contend_for_a_bank_in_the_order_they_came() {
        let mut bench = bench(&[&[4], &[4]]);
        assert_eq!([bench.step(), bench.step(), bench.step(), bench.step()], [0, 0, 1, 1]);
    }

    #[test]
    fn a_written_bank_serves_no_read_in_that_cycle() {
        let mut bench = bench(&[&[5]]);
        bench.step();
        bench.collectors.write_bank(5);
        assert!(!bench.collectors.bank_can_be_written(5));
        assert_eq!([bench.step(), bench.step(), bench.step()], [0, 0, 1]);
    }

    #[test]
    fn the_bank_moves_with_the_warp() {
        let bench = bench(&[]);
        assert_eq!(bench.collectors.bank_of(15, 3), 2);
    }
}
