//! Operand collectors and register banks: issued instructions gather their sources before they execute.
//!
//! Each pipeline has its own collector units. An instruction takes a free unit and asks the bank of each source register for a
//! read; a bank serves the units in the order in which they were taken, one read a cycle, and none in a cycle in which
//! it is written. A unit whose reads are done hands its instruction to the execution stage.
//!
//! One [`step`](Collectors::step) does, in this order: hand over units that are complete, serve the banks, take new
//! instructions into units. So an instruction spends two cycles here when no bank is contended (one when it has no
//! register sources).
//!
//! Bank of a register: (number in its name + warp slot) mod banks.
//!
//! Two further arrangements, of GPUs since Volta: the pipelines may share one set of collector units, and an SM may be divided
//! into sub-cores. A sub-core has an equal share of the units and of the banks, and a warp's instructions use only those of
//! its sub-core; the oldest instruction in front of a pipeline waits for a unit of its sub-core and holds up those behind it.

use arrayvec::ArrayVec;

use super::MAX_WARPS;
use super::in_flight::{InFlight, StageRegisters};
use super::timing::{COMMON_PIPES, KernelTiming, PIPES, Pipe};

/// Most units of a set: those that are free are one word.
const SET_UNITS: usize = u32::BITS as usize;

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectorSpec {
    /// Register banks, at most 64.
    pub register_banks: usize,
    /// Parts that the SM is divided into, at most the banks; a power of two.
    pub sub_cores: usize,
    /// Who uses which units.
    pub units: CollectorUnits,
}

impl CollectorSpec {
    /// Banks that hold the registers of a warp: those of its sub-core.
    pub fn banks_of_warp(&self) -> usize {
        self.register_banks / self.sub_cores
    }
}

/// Who uses which collector units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectorUnits {
    /// Each of the pipes that every SM has has its own.
    PerPipe([PipeCollectors; COMMON_PIPES]),
    /// All pipes share them.
    Shared(PipeCollectors),
}

/// A set of collector units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipeCollectors {
    /// Units.
    pub units: usize,
    /// Instructions taken in a cycle.
    pub in_ports: usize,
    /// Instructions handed over in a cycle.
    pub out_ports: usize,
}

/// A unit that waits for reads.
#[derive(Clone, Copy, Debug)]
struct Reader {
    /// The banks that it waits for, as bits.
    banks: u64,
    /// Of these: those that it waits for a second time.
    again: u64,
    /// The unit's bit in the masks of its set.
    bit: u32,
    set: u8,
    unit: u8,
    /// Whether it waits for a bank more than twice.
    has_more: bool,
}

/// A set of units, as masks over the set's own unit numbers.
#[derive(Clone, Debug)]
struct UnitSet {
    /// The instruction in each unit.
    units: [InFlight; SET_UNITS],
    /// The number of the first unit among those of all sets.
    first_unit: usize,
    in_ports: usize,
    /// Units of a sub-core.
    units_per_sub_core: usize,
    free: u32,
    complete: u32,
    /// Per out port: the unit that its search begins with. It goes on behind the unit served last, or behind that one's sub-core.
    search_from: ArrayVec<u8, SET_UNITS>,
}

impl UnitSet {
    /// Complete units hand their instructions over, as long as there is room; there is some, and one is complete. Returns how many
    /// did.
    fn hand_over(&mut self, to_execute: &mut StageRegisters) -> usize {
        let mut count = 0;
        for search_from in &mut self.search_from {
            // The first complete unit behind the one served last, around the ring.
            let behind = self.complete & !mask_of(usize::from(*search_from));
            let unit = if behind == 0 { self.complete } else { behind }.trailing_zeros();
            *search_from = unit as u8 + 1;
            self.complete &= !(1 << unit);
            self.free |= 1 << unit;
            to_execute.push(&self.units[unit as usize % SET_UNITS]);
            count += 1;
            if self.complete == 0 || !to_execute.has_room() {
                break;
            }
        }
        count
    }
}

/// Where the banks of a warp's registers begin: those of its sub-core, of them the one of register 0.
#[derive(Clone, Copy, Debug, Default)]
struct BankPlace {
    first: u8,
    /// How far the banks are turned, and how far those come back that this moves beyond the last one.
    up: u8,
    down: u8,
}

/// All collector units and banks of an SM.
#[derive(Clone, Debug)]
pub struct Collectors {
    /// The banks of a sub-core, as bits.
    all_banks: u64,
    /// The bits of a warp's slot that name its sub-core.
    sub_core_mask: usize,
    /// Per warp slot: where its registers lie.
    places: [BankPlace; MAX_WARPS],
    /// One for each of the common pipes, or one for all pipes.
    sets: ArrayVec<UnitSet, COMMON_PIPES>,
    /// Units that wait for reads, in the order in which they were taken.
    readers: Vec<Reader>,
    /// Per unit: banks that it waits for a third time, a fourth time, and so on.
    more: Vec<Vec<u64>>,
    written_banks: u64,
    /// Units that hold an instruction.
    busy_units: usize,
    /// Reads that were asked for; the energy model counts them.
    pub register_reads: u64,
}

impl Collectors {
    /// All units free.
    pub fn new(spec: CollectorSpec) -> Self {
        let mut units = 0;
        let configured = match &spec.units {
            CollectorUnits::PerPipe(sets) => sets.as_slice(),
            CollectorUnits::Shared(set) => std::slice::from_ref(set),
        };
        let set_of = |set: &PipeCollectors| {
            let (first_unit, count) = (units, set.units.min(SET_UNITS));
            units += count;
            let search_from = if spec.sub_cores > 1 { count / spec.sub_cores } else { 1 };
            UnitSet {
                units: [InFlight::IDLE; SET_UNITS],
                first_unit,
                in_ports: set.in_ports,
                units_per_sub_core: count / spec.sub_cores,
                free: mask_of(count),
                complete: 0,
                // A port behind as many as there are units is never reached.
                search_from: std::iter::repeat_n(search_from as u8, set.out_ports.min(SET_UNITS)).collect(),
            }
        };
        let sets: ArrayVec<_, COMMON_PIPES> = configured.iter().map(set_of).collect();
        let register_banks = spec.banks_of_warp();
        Self {
            all_banks: u64::MAX >> (u64::BITS as usize - register_banks),
            places: std::array::from_fn(|warp| {
                let up = warp % register_banks;
                BankPlace {
                    first: ((warp & (spec.sub_cores - 1)) * register_banks) as u8,
                    up: up as u8,
                    // Banks that are not turned stay where they are.
                    down: if up == 0 { 0 } else { (register_banks - up) as u8 },
                }
            }),
            sub_core_mask: spec.sub_cores - 1,
            readers: Vec::with_capacity(units),
            more: vec![Vec::new(); units],
            sets,
            written_banks: 0,
            busy_units: 0,
            register_reads: 0,
        }
    }

    /// The banks of a warp that are `banks` in a warp whose bank 0 is 0, as bits.
    #[inline(always)]
    pub fn banks_of(&self, banks: u64, warp: u8) -> u64 {
        let place = self.places[usize::from(warp) % MAX_WARPS];
        let turned = banks << (place.up & 63) | banks >> (place.down & 63);
        (turned & self.all_banks) << (place.first & 63)
    }

    /// Whether all of `banks` can still be written in this cycle.
    #[inline]
    pub fn can_be_written(&self, banks: u64) -> bool {
        self.written_banks & banks == 0
    }

    /// Writes `banks` in this cycle: they serve no read.
    #[inline]
    pub fn write_banks(&mut self, banks: u64) {
        self.written_banks |= banks;
    }

    /// Whether all units of a pipe that has units of its own are taken.
    pub fn is_full(&self, pipe: usize) -> bool {
        self.sets.len() > 1 && self.sets[pipe].free == 0
    }

    /// Whether a register waits to be read: the next cycle may read it though this one did not.
    #[inline]
    pub fn has_waiting_reads(&self) -> bool {
        !self.readers.is_empty()
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
        if self.busy_units == 0 && issued.iter().all(StageRegisters::is_empty) {
            self.written_banks = 0;
            return false;
        }
        self.move_instructions(timing, issued, to_execute)
    }

    fn move_instructions(
        &mut self,
        timing: &KernelTiming,
        issued: &mut [StageRegisters; PIPES],
        to_execute: &mut [StageRegisters; PIPES],
    ) -> bool {
        let Ok(sets) = <&mut [UnitSet; COMMON_PIPES]>::try_from(&mut self.sets[..]) else {
            return self.step_shared(timing, issued, to_execute);
        };
        let mut moved = false;
        if self.busy_units > 0 {
            for pipe in 0..COMMON_PIPES {
                if sets[pipe].complete != 0 && to_execute[pipe].has_room() {
                    self.busy_units -= sets[pipe].hand_over(&mut to_execute[pipe]);
                    moved = true;
                }
            }
            moved |= !self.readers.is_empty() && self.serve_banks();
        }
        for (pipe, stage) in issued[..COMMON_PIPES].iter_mut().enumerate() {
            if !stage.is_empty() && self.sets[pipe].free != 0 {
                self.take(pipe, timing, stage);
                moved = true;
            }
        }
        self.written_banks = 0;
        moved
    }

    /// One cycle of units that all pipes share.
    #[inline(never)]
    fn step_shared(
        &mut self,
        timing: &KernelTiming,
        issued: &mut [StageRegisters; PIPES],
        to_execute: &mut [StageRegisters; PIPES],
    ) -> bool {
        let mut moved = false;
        if self.sets[0].complete != 0 {
            moved |= self.hand_over_shared(to_execute);
        }
        if !self.readers.is_empty() {
            moved |= self.serve_banks();
        }
        // A pipe that finds no unit, or has no instruction left, will not find one later in the cycle.
        let mut asking = 0_u32;
        for turn in 0..PIPES {
            asking |= u32::from(!issued[PORT_ORDER[turn] as usize].is_empty()) << turn;
        }
        let mut ports_left = self.sets[0].in_ports;
        while asking != 0 && ports_left > 0 {
            let mut rest = asking;
            while rest != 0 {
                let turn = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let stage = &mut issued[PORT_ORDER[turn] as usize];
                let is_taken = self.take_shared(timing, stage);
                moved |= is_taken;
                if !is_taken || stage.is_empty() {
                    asking &= !(1 << turn);
                }
            }
            ports_left -= 1;
        }
        self.written_banks = 0;
        moved
    }

    /// Each out port hands over a complete unit whose place in the execution stage is free. The search goes on with the
    /// sub-core behind the one served last.
    fn hand_over_shared(&mut self, to_execute: &mut [StageRegisters; PIPES]) -> bool {
        let (mut moved, is_divided) = (false, self.sub_core_mask > 0);
        let set = &mut self.sets[0];
        // Room in the execution stage only shrinks while the ports choose.
        let mut open = set.complete;
        for search_from in &mut set.search_from {
            let found = loop {
                let behind = open & !mask_of(usize::from(*search_from));
                let unit = if behind == 0 { open } else { behind }.trailing_zeros() as usize;
                if open == 0 {
                    return moved;
                }
                open &= !(1 << unit);
                let instruction = &set.units[unit % SET_UNITS];
                let stage = &to_execute[instruction.pipe as usize];
                let has_room =
                    if is_divided { stage.has_room_for(instruction.sub_core) } else { stage.has_room() };
                if has_room {
                    break unit;
                }
            };
            let instruction = &set.units[found % SET_UNITS];
            *search_from = if is_divided {
                (instruction.sub_core + 1) * set.units_per_sub_core as u8
            } else {
                found as u8 + 1
            };
            set.complete &= !(1 << found);
            set.free |= 1 << found;
            to_execute[instruction.pipe as usize].push(instruction);
            self.busy_units -= 1;
            moved = true;
        }
        moved
    }

    /// The oldest instruction in front of a pipe enters a free unit of its sub-core. Returns whether it did.
    fn take_shared(&mut self, timing: &KernelTiming, issued: &mut StageRegisters) -> bool {
        let Some(oldest) = issued.oldest_slot() else { return false };
        let set = &self.sets[0];
        let first = usize::from(issued.at(oldest).sub_core) * set.units_per_sub_core;
        let free = set.free & (mask_of(set.units_per_sub_core) << first);
        if free == 0 {
            return false;
        }
        issued.free(oldest);
        self.enter(0, free.trailing_zeros() as usize, issued.at(oldest), timing);
        true
    }

    /// Every bank that is not written serves the first unit that waits for it. Returns whether one did.
    #[inline]
    fn serve_banks(&mut self) -> bool {
        let open = !self.written_banks;
        let (mut left, mut waiting) = (open, 0);
        for index in 0..self.readers.len() {
            let mut reader = self.readers[index];
            let served = reader.banks & left;
            left &= !served;
            let repeated = reader.again & served;
            reader.banks = reader.banks & !served | repeated;
            reader.again &= !repeated;
            if reader.has_more {
                reader.again |= self.repeat(reader.unit, repeated);
            }
            if reader.banks == 0 {
                self.sets[usize::from(reader.set)].complete |= reader.bit;
            } else {
                self.readers[waiting] = reader;
                waiting += 1;
            }
        }
        self.readers.truncate(waiting);
        left != open
    }

    /// Of banks whose second read a unit now waits for, those that it will wait for once more.
    #[cold]
    fn repeat(&mut self, unit: u8, mut banks: u64) -> u64 {
        let mut again = 0;
        for further in &mut self.more[usize::from(unit)] {
            let repeated = *further & banks;
            again |= repeated;
            *further &= !repeated;
            banks &= !repeated;
        }
        again
    }

    /// Issued instructions enter free units and ask for their sources.
    #[inline(always)]
    fn take(&mut self, pipe: usize, timing: &KernelTiming, issued: &mut StageRegisters) {
        for _ in 0..self.sets[pipe].in_ports {
            let free = self.sets[pipe].free;
            if free == 0 {
                return;
            }
            let Some(oldest) = issued.oldest_slot() else { return };
            issued.free(oldest);
            self.enter(pipe, free.trailing_zeros() as usize, issued.at(oldest), timing);
        }
    }

    /// An instruction enters unit `local` of a set and asks for its sources.
    ///
    /// Not inlined: in a loop, what is the same for all instructions would be kept where it has to be read again.
    #[inline(never)]
    fn enter(&mut self, number: usize, local: usize, instruction: &InFlight, timing: &KernelTiming) {
        let set = &mut self.sets[number];
        let bit = 1 << local;
        set.free &= !bit;
        self.busy_units += 1;
        set.units[local % SET_UNITS] = *instruction;
        let described = timing.at(instruction.pc);
        if described.source_banks == 0 {
            set.complete |= bit;
            return;
        }
        self.register_reads += u64::from(described.sources);
        let index = set.first_unit + local;
        let banks = self.banks_of(described.source_banks, instruction.warp);
        let (mut again, mut has_more) = (0, false);
        if let [repeated, further @ ..] = timing.repeated_banks(described) {
            again = self.banks_of(*repeated, instruction.warp);
            has_more = !further.is_empty();
            if has_more {
                self.expect_more(index, further, instruction.warp);
            }
        }
        self.readers.push(Reader { banks, again, bit, set: number as u8, unit: index as u8, has_more });
    }

    /// A unit will read these banks a third time, a fourth time, and so on.
    #[cold]
    fn expect_more(&mut self, unit: usize, further: &[u64], warp: u8) {
        let mut more = std::mem::take(&mut self.more[unit]);
        more.clear();
        more.extend(further.iter().map(|&banks| self.banks_of(banks, warp)));
        self.more[unit] = more;
    }
}

/// The order in which an in port of shared units looks at the pipes, as in the reference simulator.
const PORT_ORDER: [Pipe; PIPES] = [Pipe::Sp, Pipe::Sfu, Pipe::Memory, Pipe::Tensor, Pipe::Fp64, Pipe::Int];

#[inline]
fn mask_of(bits: usize) -> u32 {
    debug_assert!(bits <= u32::BITS as usize, "a set has at most as many units");
    ((1_u64 << bits) - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::timing::Cost;

    const PIPE: PipeCollectors = PipeCollectors { units: 2, in_ports: 2, out_ports: 2 };

    struct Bench {
        collectors: Collectors,
        timing: KernelTiming,
        issued: [StageRegisters; PIPES],
        to_execute: [StageRegisters; PIPES],
    }

    fn bench(sources: &[&[u16]]) -> Bench {
        bench_with(sources, 16)
    }

    fn bench_with(sources: &[&[u16]], register_banks: usize) -> Bench {
        let instructions: Vec<_> = sources.iter().map(|&read| (Pipe::Sp, Cost::ONE, &[][..], read)).collect();
        let stages = || [(); PIPES].map(|()| StageRegisters::new(2));
        let mut issued = [(); PIPES].map(|()| StageRegisters::new(4));
        for pc in 0..sources.len() as u32 {
            issued[Pipe::Sp as usize].push(&InFlight { pc, order: pc, ..InFlight::IDLE });
        }
        let collectors = Collectors::new(CollectorSpec {
            register_banks: 16,
            sub_cores: 1,
            units: CollectorUnits::PerPipe([PIPE; COMMON_PIPES]),
        });
        let timing = KernelTiming::for_test(&instructions, register_banks);
        Bench { collectors, timing, issued, to_execute: stages() }
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
    fn four_reads_of_one_bank_take_four_cycles_and_are_not_passed_by() {
        let mut bench = bench(&[&[1, 17, 33, 2, 49], &[1, 2]]);
        let handed_over: [usize; 7] = std::array::from_fn(|_| bench.step());
        assert_eq!(handed_over, [0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(bench.collectors.register_reads, 7);
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
        bench.collectors.write_banks(1 << 5);
        assert!(!bench.collectors.can_be_written(1 << 5 | 1 << 6));
        assert_eq!([bench.step(), bench.step(), bench.step()], [0, 0, 1]);
    }

    #[test]
    fn the_bank_moves_with_the_warp() {
        let bench = bench(&[]);
        assert_eq!(bench.collectors.banks_of(1 << 15 | 1 << 2, 3), 1 << 2 | 1 << 5);
    }

    #[test]
    fn an_instruction_waits_for_a_unit_and_a_bank_of_its_sub_core() {
        let mut bench = bench_with(&[&[4], &[8], &[8]], 4);
        let set = PipeCollectors { units: 2, in_ports: 8, out_ports: 8 };
        bench.collectors = Collectors::new(CollectorSpec {
            register_banks: 8,
            sub_cores: 2,
            units: CollectorUnits::Shared(set),
        });
        let stage = &mut bench.issued[Pipe::Sp as usize];
        let first = stage.pop_oldest().unwrap();
        *stage = StageRegisters::new(4);
        for (order, warp) in [(0, 0), (1, 2), (2, 1)] {
            stage.push(&InFlight { order, pc: order, warp, sub_core: warp & 1, ..first });
        }
        // The second instruction waits for the only unit of sub-core 0 and holds up the third, which is for sub-core 1.
        assert_eq!([bench.step(), bench.step(), bench.step()], [0, 0, 1]);
        assert_eq!([bench.step(), bench.step()], [0, 2]);
        assert_eq!([0, 1].map(|warp| bench.collectors.banks_of(1, warp)), [1 << 0, 1 << 5]);
    }
}
