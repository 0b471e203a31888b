//! With which grid, thread block and arguments a kernel runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Extents in x, y and z.
pub type Dim3 = [u32; 3];

/// One launch: immutable while it runs.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Thread blocks of the grid.
    pub grid: Dim3,
    /// Threads of a thread block.
    pub block: Dim3,
    /// Bytes behind the static shared memory (`extern .shared`).
    pub dynamic_shared_bytes: u32,
    /// The parameter space: arguments at the offsets of `Kernel::parameters`.
    pub parameters: Vec<u8>,
    /// Eight zeroed bytes for barriers of the whole grid, whose address `%envreg1` and `%envreg2` hold; 0 for none. All
    /// thread blocks must then run at the same time.
    pub barrier_address: u64,
    /// Stop with a fault after this many thread instructions of the launch.
    pub max_thread_instructions: Option<u64>,
    /// Another thread sets it to end the launch with a fault; only devices without time look at it.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Launch {
    /// A launch without dynamic shared memory and without an instruction limit.
    pub fn new(grid: Dim3, block: Dim3, parameters: Vec<u8>) -> Self {
        Self {
            grid,
            block,
            dynamic_shared_bytes: 0,
            parameters,
            barrier_address: 0,
            max_thread_instructions: None,
            interrupt: None,
        }
    }

    /// Whether the launch is to end.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Threads of one thread block.
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of one thread block, the last one perhaps partly empty.
    pub fn warps_per_block(&self) -> u32 {
        self.threads_per_block().div_ceil(crate::LANES as u32)
    }

    /// Thread blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&extent| u64::from(extent)).product()
    }

    /// Coordinates of a thread block; x runs fastest.
    pub fn block_at(&self, index: u64) -> Dim3 {
        split(index, self.grid)
    }

    /// Coordinates of a thread of a thread block; x runs fastest.
    pub fn thread_at(&self, index: u32) -> Dim3 {
        split(u64::from(index), self.block)
    }
}

fn split(index: u64, [x, y, _]: Dim3) -> Dim3 {
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    [(index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32]
}
