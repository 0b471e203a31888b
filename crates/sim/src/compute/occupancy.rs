//! How many thread blocks of a kernel an SM holds at once.
//!
//! The smallest of four limits: thread slots (in whole warps), registers (per thread in steps of four), shared memory
//! and thread block slots. A grid too small to fill the machine is spread evenly instead: no SM then takes more than its share.

use serde::{Deserialize, Serialize};
use shrinkwarp_emu::LANES;
use shrinkwarp_emu::kernel::Kernel;

/// Resources of an SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmResources {
    /// Thread slots.
    pub threads: u32,
    /// Thread block slots.
    pub blocks: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// What the SM is, 70 for compute capability 7.0: compilers give kernels other registers for others.
    pub compute_capability: u32,
    /// Which registers of a kernel count.
    pub register_counts: RegisterCounts,
}

/// Which registers of a thread an SM sets aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegisterCounts {
    /// Those that a compiler gives it: as the kernel says, or estimated.
    #[default]
    Compiled,
    /// The words that its PTX has live at once.
    LiveWords,
}

impl RegisterCounts {
    /// Whether the machine is as it was before there was a choice: such a machine keeps its identity.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "a condition of serde gets a reference")]
    pub fn is_compiled(&self) -> bool {
        *self == Self::Compiled
    }
}

/// What one thread block of a launch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadBlockNeeds {
    /// Threads of a thread block.
    pub threads: u32,
    /// Registers of a thread.
    pub registers_per_thread: u32,
    /// Registers that a thread would have without a limit.
    pub wanted_registers: u32,
    /// Bytes of shared memory, static and dynamic.
    pub shared_bytes: u32,
}

/// Registers are handed out to a thread in steps of this many.
const REGISTER_STEP: u32 = 4;
/// No compiler gets along with fewer registers per thread.
const FEWEST_REGISTERS: u32 = 16;

/// Registers that an instruction can name (CUDA C Programming Guide, "Technical Specifications per Compute Capability").
const NAMED_REGISTERS: u32 = 255;
/// The same before compute capability 3.5.
const NAMED_BEFORE_GK110: u32 = 63;
const KEPLER_GK110: u32 = 35;

/// Why not even one thread block fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Too many threads.
    Threads,
    /// Too much shared memory.
    SharedMemory,
}

impl ThreadBlockNeeds {
    /// What a thread block of `threads` threads of a kernel needs. A thread that cannot have the registers it wants has fewer and
    /// keeps the rest in memory, as compilers do.
    pub fn of(kernel: &Kernel, threads: u32, dynamic_shared_bytes: u32, resources: &SmResources) -> Self {
        let mut needs = Self {
            threads,
            registers_per_thread: compiled_registers(kernel, resources),
            wanted_registers: wanted_registers(kernel, resources),
            shared_bytes: kernel.static_shared_bytes.saturating_add(dynamic_shared_bytes),
        };
        let share = register_share(resources, 1, threads).max(REGISTER_STEP);
        needs.registers_per_thread = needs.registers_per_thread.min(share);
        needs
    }

    /// Threads, in whole warps.
    pub fn padded_threads(&self) -> u32 {
        padded(self.threads)
    }

    /// Whether a thread has fewer registers than it wants.
    pub fn spills(&self) -> bool {
        self.registers_per_thread < self.wanted_registers
    }

    fn registers(&self) -> u32 {
        self.padded_threads() * self.registers_per_thread.next_multiple_of(REGISTER_STEP)
    }
}

/// Registers that a compiler gives a thread of a kernel: what it wants, within `.maxnreg`, what the instructions can name and what
/// its launch bounds leave to each thread. Without a number of thread blocks they ask for one.
pub fn compiled_registers(kernel: &Kernel, resources: &SmResources) -> u32 {
    let wanted = wanted_registers(kernel, resources);
    let is_estimate =
        resources.register_counts == RegisterCounts::Compiled && kernel.registers.given.is_none();
    let named = match resources.compute_capability {
        _ if !is_estimate => u32::MAX,
        before if before < KEPLER_GK110 => NAMED_BEFORE_GK110,
        _ => NAMED_REGISTERS,
    };
    let share = match (kernel.max_threads, kernel.min_blocks_per_sm) {
        (Some(threads), blocks) => {
            register_share(resources, blocks.unwrap_or(1), threads).max(FEWEST_REGISTERS)
        }
        (None, _) => u32::MAX,
    };
    wanted.min(named).min(share).min(kernel.max_registers.unwrap_or(u32::MAX))
}

/// Registers of a thread without a limit.
fn wanted_registers(kernel: &Kernel, resources: &SmResources) -> u32 {
    match resources.register_counts {
        RegisterCounts::Compiled => kernel.registers.on(resources.compute_capability),
        RegisterCounts::LiveWords => kernel.registers.estimate.live_words(),
    }
}

/// Registers of a thread when `blocks` thread blocks share an SM.
fn register_share(resources: &SmResources, blocks: u32, threads: u32) -> u32 {
    let share = resources.registers / blocks.saturating_mul(padded(threads)).max(1);
    share - share % REGISTER_STEP
}

fn padded(threads: u32) -> u32 {
    threads.next_multiple_of(LANES as u32).max(LANES as u32)
}

/// Thread blocks that one of `sms` SMs holds at once, of a grid of `grid_blocks`.
pub fn blocks_per_sm(
    resources: &SmResources,
    needs: &ThreadBlockNeeds,
    grid_blocks: u64,
    sms: u64,
) -> Result<u32, Misfit> {
    let by_threads = resources.threads / needs.padded_threads();
    // A kernel that needs more registers than there are keeps some in memory, as compilers do: one thread block fits.
    let by_registers = resources.registers.checked_div(needs.registers()).unwrap_or(u32::MAX).max(1);
    let by_shared = resources.shared_bytes.checked_div(needs.shared_bytes).unwrap_or(u32::MAX);
    for (limit, misfit) in [(by_threads, Misfit::Threads), (by_shared, Misfit::SharedMemory)] {
        if limit == 0 {
            return Err(misfit);
        }
    }
    let limit = by_threads.min(by_registers).min(by_shared).min(resources.blocks);
    let even_share = grid_blocks.div_ceil(sms.max(1)).max(1);
    Ok(u64::from(limit).min(even_share) as u32)
}

#[cfg(test)]
mod tests {
    use shrinkwarp_emu::kernel::RegisterCount;
    use shrinkwarp_ptx::flow::RegisterEstimate;

    use super::*;

    const GTX480: SmResources = SmResources {
        threads: 1536,
        blocks: 8,
        registers: 32768,
        shared_bytes: 49152,
        compute_capability: 20,
        register_counts: RegisterCounts::Compiled,
    };

    fn resident(threads: u32, registers_per_thread: u32, shared_bytes: u32) -> Result<u32, Misfit> {
        let needs = ThreadBlockNeeds {
            threads,
            registers_per_thread,
            wanted_registers: registers_per_thread,
            shared_bytes,
        };
        blocks_per_sm(&GTX480, &needs, 10_000, 15)
    }

    #[test]
    fn each_resource_limits_in_turn() {
        assert_eq!(resident(256, 8, 0), Ok(6), "1536 / 256 threads");
        assert_eq!(resident(64, 8, 0), Ok(8), "block slots");
        assert_eq!(resident(256, 31, 0), Ok(4), "32768 / (256 × 32) registers");
        assert_eq!(resident(128, 8, 10_000), Ok(4), "49152 / 10000 bytes");
    }

    #[test]
    fn threads_count_in_whole_warps_and_registers_in_fours() {
        assert_eq!(resident(385, 8, 0), Ok(3), "385 threads take 416 slots");
        assert_eq!(resident(512, 17, 0), Ok(3), "17 registers take 20");
    }

    #[test]
    fn a_small_grid_is_spread_evenly() {
        let needs = needs(&kernel(8), 256);
        assert_eq!(blocks_per_sm(&GTX480, &needs, 60, 15), Ok(4));
        assert_eq!(blocks_per_sm(&GTX480, &needs, 61, 15), Ok(5));
        assert_eq!(blocks_per_sm(&GTX480, &needs, 3, 15), Ok(1));
    }

    fn kernel(registers: u32) -> Kernel {
        kernel_with(RegisterCount { given: Some(registers), ..RegisterCount::default() })
    }

    fn kernel_with(registers: RegisterCount) -> Kernel {
        let mut kernel = Kernel::default();
        kernel.registers = registers;
        kernel
    }

    fn needs(kernel: &Kernel, threads: u32) -> ThreadBlockNeeds {
        ThreadBlockNeeds::of(kernel, threads, 0, &GTX480)
    }

    #[test]
    fn launch_bounds_limit_the_registers() {
        let mut kernel = kernel(60);
        kernel.max_threads = Some(256);
        kernel.min_blocks_per_sm = Some(4);
        let needs = needs(&kernel, 256);
        assert_eq!(needs.registers_per_thread, 32, "32768 / (4 × 256)");
        assert!(needs.spills());
        assert_eq!(blocks_per_sm(&GTX480, &needs, 10_000, 15), Ok(4));
    }

    #[test]
    fn most_threads_alone_ask_for_one_thread_block() {
        let mut kernel = kernel(60);
        kernel.max_threads = Some(1024);
        assert_eq!(needs(&kernel, 64).registers_per_thread, 32, "32768 / 1024");
        kernel.max_threads = Some(512);
        assert_eq!(needs(&kernel, 64).registers_per_thread, 60, "64 would be there");
    }

    #[test]
    fn most_registers_limit_them() {
        let mut kernel = kernel(60);
        kernel.max_registers = Some(24);
        assert_eq!(needs(&kernel, 256).registers_per_thread, 24);
        assert!(needs(&kernel, 256).spills());
        kernel.max_registers = Some(64);
        assert_eq!(needs(&kernel, 256).registers_per_thread, 60);
        assert!(!needs(&kernel, 256).spills());
    }

    #[test]
    fn an_estimate_stays_within_what_instructions_can_name() {
        let estimate = RegisterEstimate { before_volta: 300, since_volta: 400 };
        let kernel = kernel_with(RegisterCount { given: None, estimate: estimate.into() });
        assert_eq!(compiled_registers(&kernel, &GTX480), 63);
        let volta = SmResources { registers: 65_536, compute_capability: 70, ..GTX480 };
        assert_eq!(compiled_registers(&kernel, &volta), 255);
    }

    #[test]
    fn words_live_at_once_count_only_where_the_machine_says_so() {
        let live_words = SmResources { register_counts: RegisterCounts::LiveWords, ..GTX480 };
        // A kernel without a body has no word live.
        assert_eq!(compiled_registers(&kernel(60), &live_words), 0);
        assert_eq!(compiled_registers(&kernel(60), &GTX480), 60);
    }

    #[test]
    fn a_thread_block_too_large_for_its_registers_has_fewer() {
        let needs = needs(&kernel(50), 1024);
        assert_eq!(needs.registers_per_thread, 32, "32768 / 1024");
        assert!(needs.spills());
        assert_eq!(blocks_per_sm(&GTX480, &needs, 10_000, 15), Ok(1));
    }

    #[test]
    fn a_block_that_cannot_fit_says_why() {
        assert_eq!(resident(2048, 8, 0), Err(Misfit::Threads));
        assert_eq!(resident(1024, 64, 0), Ok(1), "registers beyond those of an SM are spilled");
        assert_eq!(resident(32, 8, 65_536), Err(Misfit::SharedMemory));
    }
}
