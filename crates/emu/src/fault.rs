//! What can go wrong in a kernel, with everything needed to find the place.

use std::fmt;

use crate::inst::Space;
use crate::launch::Dim3;

/// A kernel stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// Kernel that ran.
    pub kernel: String,
    /// Line of the PTX source, from 1; 0 when no instruction is to blame.
    pub line: u32,
    /// Thread block.
    pub block: Dim3,
    /// Thread of the thread block.
    pub thread: Dim3,
    /// What device-side `printf` wrote in this launch until then.
    pub printed: Vec<u8>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An access to memory that is not there.
    Memory(MemoryFault),
    /// `trap`.
    Trap,
    /// A failed device-side `assert`.
    Assert {
        /// The condition as the compiler spelt it.
        message: String,
        /// Source file.
        file: String,
        /// Source line.
        line: u32,
        /// Function.
        function: String,
    },
    /// Warps wait at barriers that no other warp can reach any more.
    BarrierDeadlock {
        /// How many warps wait, at which barrier and PTX line each.
        waiting: Vec<BarrierWait>,
    },
    /// The instruction limit of the launch was reached.
    TooManyInstructions {
        /// The limit.
        limit: u64,
    },
    /// The host ended the launch.
    Interrupted,
    /// A barrier number above 15, or a thread count that is not a multiple of the warp size.
    BadBarrier {
        /// Barrier number requested.
        barrier: u32,
        /// Thread count requested.
        threads: u32,
    },
    /// An indirect call or branch to an address that is not a target.
    BadTarget {
        /// The value that was to be a target.
        value: u64,
    },
    /// Calls nested too deeply for the stack of a thread.
    StackOverflow {
        /// Bytes a thread may use.
        limit_bytes: u32,
    },
    /// Device-side `free` of something that `malloc` did not give.
    BadFree {
        /// The pointer.
        address: u64,
    },
    /// A texture handle that was never bound.
    BadTexture {
        /// The handle.
        handle: u64,
    },
}

/// A warp that waits at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierWait {
    /// Warp of the thread block.
    pub warp: u32,
    /// Barrier number.
    pub barrier: u32,
    /// PTX line of the barrier instruction.
    pub line: u32,
}

/// A bad address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    /// What is wrong with it.
    pub reason: MemoryFaultReason,
    /// Space the access went to.
    pub space: Space,
    /// Address, in the numbering of its space.
    pub address: u64,
    /// Bytes accessed.
    pub bytes: u32,
    /// Whether it was a write (or an atomic).
    pub is_write: bool,
    /// What lies closest, in words: `allocation #2 [0xc0000000, 0xc0001000), 16 bytes before`.
    pub nearest: String,
}

/// What is wrong with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFaultReason {
    /// Outside every allocation, or across the end of one.
    OutOfBounds,
    /// Not a multiple of the access size.
    Misaligned,
    /// Inside an allocation that was freed.
    UseAfterFree,
    /// A store to constant memory.
    ReadOnly,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [bx, by, bz] = self.block;
        let [tx, ty, tz] = self.thread;
        write!(f, "kernel {}", self.kernel)?;
        if self.line > 0 {
            write!(f, ", PTX line {}", self.line)?;
        }
        write!(f, ", thread block ({bx},{by},{bz})")?;
        if !matches!(self.kind, FaultKind::BarrierDeadlock { .. }) {
            write!(f, ", thread ({tx},{ty},{tz})")?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Memory(memory) => memory.fmt(f),
            FaultKind::Trap => f.write_str("trap executed"),
            FaultKind::Assert { message, file, line, function } => {
                write!(f, "assertion failed: {file}:{line}: {function}: {message}")
            }
            FaultKind::BarrierDeadlock { waiting } => write_deadlock(f, waiting),
            FaultKind::TooManyInstructions { limit } => {
                write!(
                    f,
                    "stopped after {limit} thread instructions (raise the limit if the kernel is not endless)"
                )
            }
            FaultKind::Interrupted => f.write_str("interrupted"),
            FaultKind::BadBarrier { barrier, threads } => write!(
                f,
                "barrier {barrier} for {threads} threads: barriers are 0 to 15, counts multiples of 32"
            ),
            FaultKind::BadTarget { value } => {
                write!(f, "indirect jump to {value:#x}, which is not a branch target")
            }
            FaultKind::StackOverflow { limit_bytes } => {
                write!(f, "calls nest too deeply: a thread's stack has {limit_bytes} bytes")
            }
            FaultKind::BadFree { address } => write!(f, "free of {address:#x}, which malloc did not return"),
            FaultKind::BadTexture { handle } => {
                write!(f, "texture handle {handle:#x} is not bound to anything")
            }
        }
    }
}

fn write_deadlock(f: &mut fmt::Formatter<'_>, waiting: &[BarrierWait]) -> fmt::Result {
    f.write_str("deadlock: no warp can continue;")?;
    for (index, wait) in waiting.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        write!(
            f,
            "{separator} warp {} waits at barrier {} (PTX line {})",
            wait.warp, wait.barrier, wait.line
        )?;
    }
    Ok(())
}

impl fmt::Display for MemoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.is_write { "write" } else { "read" };
        let space = self.space.name();
        let what = match self.reason {
            MemoryFaultReason::OutOfBounds => "out of bounds",
            MemoryFaultReason::Misaligned => "misaligned",
            MemoryFaultReason::UseAfterFree => "use after free",
            MemoryFaultReason::ReadOnly => "read-only memory",
        };
        write!(f, "{what}: {direction} of {} bytes at {space} address {:#x}", self.bytes, self.address)?;
        if self.nearest.is_empty() { Ok(()) } else { write!(f, "; nearest: {}", self.nearest) }
    }
}

impl Space {
    /// Name as PTX spells it.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Constant => "const",
            Space::Parameter => "param",
            Space::Texture => "texture",
            Space::Generic => "generic",
        }
    }
}
