//! Calls: frames in local memory, argument copies, and the registers that recursion must not lose.

/// One `call` instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallSite {
    /// Row of `Kernel::functions`; `None` when the target is in a register.
    pub callee: Option<u32>,
    /// Offsets of the arguments in the caller's frame, with their sizes.
    pub arguments: Vec<FrameSlot>,
    /// Offsets of the return values in the caller's frame.
    pub returns: Vec<FrameSlot>,
    /// Bytes of the caller's frame: the callee's begins behind it.
    pub caller_frame_bytes: u32,
    /// The caller's rows, saved over the call when the callee may come back to the caller.
    pub saved_rows: Option<RowRanges>,
}

/// A variable in a call frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameSlot {
    pub offset: u32,
    pub bytes: u32,
}

/// A function that can be called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callee {
    /// Address that a function pointer to it has.
    pub address: u64,
    /// First instruction.
    pub entry: u32,
    pub parameters: Vec<FrameSlot>,
    pub returns: Vec<FrameSlot>,
    pub frame_bytes: u32,
}

/// Rows of one function in the three banks: start and count each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowRanges {
    pub w32: (u32, u32),
    pub w64: (u32, u32),
    pub pred: (u32, u32),
}
