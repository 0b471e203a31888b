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

use super::in_flight::{InFlight, StageRegisters};
use super::timing::{KernelTiming, PIPES};

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
    /// The unit's pipe, and its bit in the pipe's masks.
    pipe: u8,
    bit: u32,
}

/// Units of one pipe, as masks over the pipe's own unit numbers.
#[derive(Clone, Debug)]
struct PipeState {
    first_unit: usize,
    in_ports: usize,
    free: u32,
    complete: u32,
    /// Per out port: the unit it served last; the search goes on behind it.
    last_served: Vec<usize>,
}

/// All collector units and banks of an SM.
#[derive(Clone, Debug)]
pub struct Collectors {
    register_banks: usize,
    units: Vec<Unit>,
    pipes: [PipeState; PIPES],
    queues: BankQueues,
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
        let idle = InFlight { pc: 0, order: 0, warp: 0, operation: 0 };
        let mut units = Vec::new();
        let mut index = 0;
        let pipes = spec.pipes.map(|pipe| {
            let (first_unit, count) = (units.len(), pipe.units.min(u32::BITS as usize));
            units.extend((0..count).map(|unit| Unit {
                instruction: idle,
                reads_left: 0,
                pipe: index,
                bit: 1 << unit,
            }));
            index += 1;
            PipeState {
                first_unit,
                in_ports: pipe.in_ports,
                free: mask_of(count),
                complete: 0,
                last_served: vec![0; pipe.out_ports],
            }
        });
        Self {
            register_banks: spec.register_banks,
            queues: BankQueues::new(spec.register_banks),
            units,
            pipes,
            waiting_banks: 0,
            written_banks: 0,
            busy_units: 0,
            register_reads: 0,
        }
    }

    /// Makes room for a kernel whose instructions have at most `most_sources`; no unit is busy.
    pub fn prepare(&mut self, most_sources: usize) {
        self.queues.make_room_for(self.units.len() * most_sources);
    }

    /// Bank of a register whose name carries `number`.
    #[inline]
    pub fn bank_of(&self, number: u16, warp: u8) -> usize {
        let (sum, banks) = (usize::from(number) + usize::from(warp), self.register_banks);
        if banks.is_power_of_two() { sum & (banks - 1) } else { sum % banks }
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

    /// Whether a register waits to be read: the next cycle may read it though this one did not.
    #[inline]
    pub fn has_waiting_reads(&self) -> bool {
        self.waiting_banks != 0
    }

    /// A cycle in which nothing can move.
    #[inline]
    pub fn skip_cycle(&mut self) {
        self.written_banks = 0;
    }

    /// One cycle. Returns whether anything moved.
    #[inline]
    pub fn step(
        &mut self,
        timing: &KernelTiming,
        issued: &mut [StageRegisters; PIPES],
        to_execute: &mut [StageRegisters; PIPES],
    ) -> bool {
        let mut moved = false;
        if self.busy_units > 0 {
            for pipe in 0..PIPES {
                if self.pipes[pipe].complete != 0 && to_execute[pipe].has_room() {
                    self.hand_over(pipe, &mut to_execute[pipe]);
                    moved = true;
                }
            }
            moved |= self.serve_banks();
        }
        for pipe in 0..PIPES {
            if !issued[pipe].is_empty() && self.pipes[pipe].free != 0 {
                self.take(pipe, timing, &mut issued[pipe]);
                moved = true;
            }
        }
        self.written_banks = 0;
        moved
    }

    /// Complete units hand their instructions over, as long as there is room.
    fn hand_over(&mut self, pipe: usize, to_execute: &mut StageRegisters) {
        let state = &mut self.pipes[pipe];
        for last in &mut state.last_served {
            if state.complete == 0 || !to_execute.has_room() {
                return;
            }
            // The first complete unit behind the one served last, around the ring.
            let behind = state.complete & !mask_of(*last + 1);
            let unit = if behind == 0 { state.complete } else { behind }.trailing_zeros() as usize;
            *last = unit;
            state.complete &= !(1 << unit);
            state.free |= 1 << unit;
            to_execute.push(self.units[state.first_unit + unit].instruction);
            self.busy_units -= 1;
        }
    }

    /// Every bank that is not written serves its oldest read. Returns whether one did.
    #[inline]
    fn serve_banks(&mut self) -> bool {
        let served = self.waiting_banks & !self.written_banks;
        let mut rest = served;
        while rest != 0 {
            let bank = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let (unit, is_last) = self.queues.pop(bank);
            if is_last {
                self.waiting_banks &= !(1 << bank);
            }
            let unit = &mut self.units[usize::from(unit)];
            unit.reads_left -= 1;
            if unit.reads_left == 0 {
                self.pipes[usize::from(unit.pipe)].complete |= unit.bit;
            }
        }
        self.register_reads += u64::from(served.count_ones());
        served != 0
    }

    /// Issued instructions enter free units and ask for their sources.
    fn take(&mut self, pipe: usize, timing: &KernelTiming, issued: &mut StageRegisters) {
        for _ in 0..self.pipes[pipe].in_ports {
            let state = &mut self.pipes[pipe];
            if state.free == 0 {
                return;
            }
            let Some(instruction) = issued.pop_oldest() else { return };
            let local = state.free.trailing_zeros() as usize;
            state.free &= !(1 << local);
            self.busy_units += 1;
            let sources = timing.source_numbers(instruction.pc);
            if sources.is_empty() {
                state.complete |= 1 << local;
            }
            let unit = state.first_unit + local;
            self.units[unit].instruction = instruction;
            self.units[unit].reads_left = sources.len() as u8;
            for &number in sources {
                let bank = self.bank_of(number, instruction.warp);
                self.queues.push(bank, unit as u8);
                self.waiting_banks |= 1 << bank;
            }
        }
    }
}

/// Units that wait for each bank, in order; a unit may wait twice. All queues are rings of one length in one array.
#[derive(Clone, Debug)]
struct BankQueues {
    rings: Vec<u8>,
    /// Places of a ring, a power of two.
    length: usize,
    /// Per bank: how many have left, and how many have come.
    ends: Vec<(u32, u32)>,
}

impl BankQueues {
    fn new(banks: usize) -> Self {
        Self { rings: vec![0; banks], length: 1, ends: vec![(0, 0); banks] }
    }

    /// Makes every ring long enough for `entries`; all are empty.
    fn make_room_for(&mut self, entries: usize) {
        let length = entries.next_power_of_two();
        if length > self.length {
            self.length = length;
            self.rings = vec![0; length * self.ends.len()];
        }
    }

    #[inline]
    fn push(&mut self, bank: usize, unit: u8) {
        let end = &mut self.ends[bank].1;
        self.rings[bank * self.length + (*end as usize & (self.length - 1))] = unit;
        *end = end.wrapping_add(1);
    }

    /// Takes the oldest of a queue that is not empty. Says whether it was the last.
    #[inline]
    fn pop(&mut self, bank: usize) -> (u8, bool) {
        let (begin, end) = &mut self.ends[bank];
        let unit = self.rings[bank * self.length + (*begin as usize & (self.length - 1))];
        *begin = begin.wrapping_add(1);
        (unit, begin == end)
    }
}

fn mask_of(bits: usize) -> u32 {
    if bits >= u32::BITS as usize { u32::MAX } else { (1 << bits) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::in_flight::NO_OPERATION;
    use crate::compute::timing::{Cost, Pipe};

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
        let mut collectors = Collectors::new(CollectorSpec { register_banks: 16, pipes: [PIPE; PIPES] });
        collectors.prepare(3);
        Bench { collectors, timing: KernelTiming::for_test(&instructions), issued, to_execute: stages() }
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
