//! Counters of an SM.

use shrinkwarp_emu::LaneMask;
use shrinkwarp_emu::inst::{Inst, Unit};

use crate::base::counting::counters;

/// What a scheduler did in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IssueOutcome {
    /// A warp issued.
    #[default]
    Issued,
    /// No warp had the right instruction in its buffer.
    NoInstruction,
    /// Instructions, but all wait for registers.
    WaitingForRegisters,
    /// Instructions with registers, but their pipes are full.
    PipeFull,
}

impl IssueOutcome {
    /// How many there are.
    pub const COUNT: usize = 4;
}

counters! {
    /// What an SM did.
    #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
    pub struct SmCounters {
        /// Thread blocks launched here.
        pub blocks: u64,
        /// PTX instructions times lanes that executed them.
        pub thread_instructions: u64,
        /// PTX instructions issued by warps.
        pub warp_instructions: u64,
        /// Of the warp instructions: those for the load/store unit.
        pub memory_instructions: u64,
        /// Integer instructions times lanes.
        pub integer_lane_operations: u64,
        /// Floating-point and matrix instructions times lanes.
        pub float_lane_operations: u64,
        /// Special functions and divisions times lanes.
        pub special_lane_operations: u64,
        /// Registers written, times lanes.
        pub register_lane_writes: u64,
        /// Scheduler cycles that issued an instruction.
        pub issued_cycles: u64,
        /// Scheduler cycles in which no warp had the right instruction in its buffer.
        pub no_instruction_cycles: u64,
        /// Scheduler cycles in which every instruction waited for registers.
        pub register_wait_cycles: u64,
        /// Scheduler cycles in which every instruction with its registers found its pipe full.
        pub pipe_full_cycles: u64,
    }
}

/// Kinds of execution units.
const UNITS: usize = Unit::Tensor as usize + 1;

/// Instructions times lanes, by kind of execution unit.
pub type LanesByUnit = [u64; UNITS];

impl SmCounters {
    /// Counts one issued instruction; its lanes by unit apart from the other counters, as a place in an array is cheaper than
    /// to ask which counter it is.
    #[inline]
    pub fn count_issue(&mut self, inst: &Inst, lanes: LaneMask, lanes_by_unit: &mut LanesByUnit) {
        let lane_count = if lanes == LaneMask::MAX { 32 } else { u64::from(lanes.count_ones()) };
        self.warp_instructions += 1;
        self.thread_instructions += lane_count;
        self.memory_instructions += u64::from(inst.access.is_some());
        self.register_lane_writes += lane_count * u64::from(inst.defs.len);
        lanes_by_unit[inst.unit as usize % UNITS] += lane_count;
    }

    /// Counts instructions times lanes by unit.
    pub fn count_lanes(&mut self, lanes: LanesByUnit) {
        let sum = |units: &[Unit]| units.iter().map(|&unit| lanes[unit as usize % UNITS]).sum::<u64>();
        self.integer_lane_operations += sum(&[Unit::Integer]);
        self.float_lane_operations += sum(&[Unit::Float32, Unit::Float64, Unit::Tensor]);
        self.special_lane_operations += sum(&[Unit::Special]);
    }

    /// Counts scheduler cycles by their outcome.
    pub fn count_scheduler_cycles(&mut self, cycles: [u64; IssueOutcome::COUNT]) {
        let [issued, no_instruction, register_wait, pipe_full] = cycles;
        self.issued_cycles += issued;
        self.no_instruction_cycles += no_instruction;
        self.register_wait_cycles += register_wait;
        self.pipe_full_cycles += pipe_full;
    }
}

counters! {
    /// What a load/store unit dispatched, and what kept its dispatch register full.
    #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
    pub struct LoadStoreCounters {
        /// Warp instructions to global and local memory, atomics included, of which at least one lane took part.
        pub data_instructions: u64,
        /// The accesses that they became.
        pub data_accesses: u64,
        /// Of these accesses: those that went past the L1D.
        pub bypassing_accesses: u64,
        /// Shared-memory banks with more than one word to serve.
        pub shared_bank_stall_cycles: u64,
        /// The constant cache refused the access.
        pub constant_stall_cycles: u64,
        /// The texture cache refused the access.
        pub texture_stall_cycles: u64,
        /// An instruction with several accesses made one of them.
        pub coalescing_stall_cycles: u64,
        /// The L1D's latency queue was full, or two accesses met at one of its banks.
        pub l1d_stall_cycles: u64,
        /// The network had no room for an access that bypasses the L1D.
        pub network_stall_cycles: u64,
    }
}
