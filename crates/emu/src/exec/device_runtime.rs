//! The device runtime of CUDA: what kernels call to launch kernels.
//!
//! A launch is two calls: the first gives a buffer for the arguments, the kernel fills it, the second queues the launch and
//! gives the buffer back. The buffer is a block of the device-side heap; grid, thread block and shared memory are kept in
//! front of the arguments:
//!
//! | byte | value                                |
//! |------|--------------------------------------|
//! | 0    | address of the kernel                |
//! | 8    | grid: x, y, z, 32 bits each          |
//! | 20   | thread block: x, y, z                |
//! | 32   | dynamic shared memory                |
//! | 36   | bytes of the arguments               |
//! | 64   | the arguments                        |

use super::Context;
use super::access::with_view;
use super::address::resolve_generic;
use super::spaces::{GlobalView, LocalView, ReadOnlyView, SharedView, SpaceView};
use crate::device_work::{ChildLaunch, DeviceWork, DeviceWorkKind};
use crate::functional::MAX_THREADS_PER_BLOCK;
use crate::inst::Space;
use crate::launch::Dim3;
use crate::op::{DeviceRuntime, IntrinsicCall};

/// Bytes in front of the arguments.
const HEADER_BYTES: u64 = 64;
/// Most bytes of arguments, for kernels that are not known.
const MOST_PARAMETER_BYTES: u32 = 4096;
/// The stream whose work waits for the whole grid: `cudaStreamTailLaunch`.
const TAIL_STREAM: u64 = 3;
/// What streams and events of kernels are called: all work is ordered, so that none needs a name of its own.
const ANY_HANDLE: u64 = 0x100;

/// Codes that the calls return.
mod code {
    pub const SUCCESS: u64 = 0;
    pub const INVALID_VALUE: u64 = 1;
    pub const MEMORY_ALLOCATION: u64 = 2;
    pub const INVALID_CONFIGURATION: u64 = 9;
    pub const LAUNCH_PENDING_COUNT_EXCEEDED: u64 = 69;
}

/// Name and text of the codes above.
const CODES: [(u64, &str, &str); 5] = [
    (code::SUCCESS, "cudaSuccess", "no error"),
    (code::INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"),
    (code::MEMORY_ALLOCATION, "cudaErrorMemoryAllocation", "out of memory"),
    (code::INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
    (
        code::LAUNCH_PENDING_COUNT_EXCEEDED,
        "cudaErrorLaunchPendingCountExceeded",
        "launch failed because the device has no room for another pending launch",
    ),
];

impl Context<'_> {
    /// Does one call for one lane; the result is what the call returns.
    pub(super) fn device_runtime(
        &mut self,
        lane: usize,
        function: DeviceRuntime,
        call: &IntrinsicCall,
    ) -> u64 {
        use DeviceRuntime as F;
        let argument = |context: &mut Self, index| context.argument(lane, call, index);
        let result = match function {
            F::GetParameterBuffer => {
                let bytes = argument(self, 1);
                return self.parameter_buffer(lane, HEADER_BYTES.saturating_add(bytes));
            }
            F::GetParameterBufferV2 => return self.described_buffer(lane, call),
            F::LaunchDevice => self.launch_device(lane, call),
            F::LaunchDeviceV2 => self.launch_described(lane, call),
            F::LastError { is_kept } => return self.last_device_error(lane, is_kept),
            F::ErrorName | F::ErrorString => {
                let code = argument(self, 0);
                let row = CODES.iter().find(|row| row.0 == code);
                let column = |row: &(u64, &'static str, &'static str)| {
                    if function == F::ErrorName { row.1 } else { row.2 }
                };
                return self.memory.device_text(row.map_or("unrecognized error code", column));
            }
            F::Succeed => code::SUCCESS,
            F::MakeHandle => self.give(lane, call, 8, ANY_HANDLE),
            F::GiveWord(value) => self.give(lane, call, 4, u64::from(value)),
            F::Malloc => match self.memory.heap_alloc(argument(self, 1)) {
                0 => code::MEMORY_ALLOCATION,
                address => self.give(lane, call, 8, address),
            },
            F::Free => {
                let is_fine = self.memory.heap_free(argument(self, 0));
                if is_fine { code::SUCCESS } else { code::INVALID_VALUE }
            }
            F::Copy => {
                let [to, from, bytes, stream] = [0, 1, 2, 4].map(|index| argument(self, index));
                let kind =
                    DeviceWorkKind::Copy { to, from, to_pitch: 0, from_pitch: 0, row_bytes: bytes, rows: 1 };
                self.queue(kind, stream)
            }
            F::CopyRows => {
                let [to, to_pitch, from, from_pitch, row_bytes, rows, stream] =
                    [0, 1, 2, 3, 4, 5, 7].map(|index| argument(self, index));
                self.queue(DeviceWorkKind::Copy { to, from, to_pitch, from_pitch, row_bytes, rows }, stream)
            }
            F::Fill => {
                let [at, value, row_bytes, stream] = [0, 1, 2, 3].map(|index| argument(self, index));
                let kind = DeviceWorkKind::Fill { at, pitch: 0, value: value as u8, row_bytes, rows: 1 };
                self.queue(kind, stream)
            }
            F::FillRows => {
                let [at, pitch, value, row_bytes, rows, stream] =
                    [0, 1, 2, 3, 4, 5].map(|index| argument(self, index));
                self.queue(DeviceWorkKind::Fill { at, pitch, value: value as u8, row_bytes, rows }, stream)
            }
        };
        if result != code::SUCCESS {
            self.note_device_error(lane, result);
        }
        result
    }

    /// `cudaGetParameterBufferV2(kernel, grid, block, shared bytes)`
    fn described_buffer(&mut self, lane: usize, call: &IntrinsicCall) -> u64 {
        let kernel = self.argument(lane, call, 0);
        let (grid, block) = (self.extents(lane, call, 1), self.extents(lane, call, 2));
        let shared_bytes = self.argument(lane, call, 3) as u32;
        let parameter_bytes = self.kernel.launchable.get(&kernel).copied().unwrap_or(MOST_PARAMETER_BYTES);
        if !is_launchable(grid, block) {
            self.note_device_error(lane, code::INVALID_CONFIGURATION);
            return 0;
        }
        let buffer = self.parameter_buffer(lane, HEADER_BYTES + u64::from(parameter_bytes));
        if buffer != 0 {
            let mut header = kernel.to_le_bytes().to_vec();
            let words = grid.into_iter().chain(block).chain([shared_bytes, parameter_bytes]);
            header.extend(words.flat_map(u32::to_le_bytes));
            // The block was just given by the heap, so the copy cannot miss.
            let _ = self.memory.copy_in(buffer - HEADER_BYTES, &header);
        }
        buffer
    }

    fn parameter_buffer(&mut self, lane: usize, bytes: u64) -> u64 {
        match self.memory.heap_alloc(bytes) {
            0 => {
                self.note_device_error(lane, code::LAUNCH_PENDING_COUNT_EXCEEDED);
                0
            }
            address => address + HEADER_BYTES,
        }
    }

    /// `cudaLaunchDeviceV2(buffer, stream)`
    fn launch_described(&mut self, lane: usize, call: &IntrinsicCall) -> u64 {
        let (buffer, stream) = (self.argument(lane, call, 0), self.argument(lane, call, 1));
        let mut header = [0; HEADER_BYTES as usize];
        if self.memory.copy_out(buffer.wrapping_sub(HEADER_BYTES), &mut header).is_err() {
            return code::INVALID_VALUE;
        }
        let word =
            |at: usize| header[at..].first_chunk().map_or(0, |bytes: &[u8; 4]| u32::from_le_bytes(*bytes));
        let kernel = u64::from(word(0)) | u64::from(word(4)) << 32;
        let (grid, block) = ([8, 12, 16].map(word), [20, 24, 28].map(word));
        self.launch_child(buffer, stream, (kernel, word(36)), (grid, block, word(32)))
    }

    /// `cudaLaunchDevice(kernel, buffer, grid, block, shared bytes, stream)`
    fn launch_device(&mut self, lane: usize, call: &IntrinsicCall) -> u64 {
        let [kernel, buffer, shared_bytes, stream] =
            [0, 1, 4, 5].map(|index| self.argument(lane, call, index));
        let (grid, block) = (self.extents(lane, call, 2), self.extents(lane, call, 3));
        let Some(&parameter_bytes) = self.kernel.launchable.get(&kernel) else { return code::INVALID_VALUE };
        self.launch_child(buffer, stream, (kernel, parameter_bytes), (grid, block, shared_bytes as u32))
    }

    fn launch_child(
        &mut self,
        buffer: u64,
        stream: u64,
        (kernel, parameter_bytes): (u64, u32),
        (grid, block, shared_bytes): (Dim3, Dim3, u32),
    ) -> u64 {
        let mut parameters = vec![0; parameter_bytes as usize];
        let is_read = self.memory.copy_out(buffer, &mut parameters).is_ok();
        let is_given_back = self.memory.heap_free(buffer.wrapping_sub(HEADER_BYTES));
        if !(is_read && is_given_back) {
            return code::INVALID_VALUE;
        }
        if !is_launchable(grid, block) {
            return code::INVALID_CONFIGURATION;
        }
        let child = ChildLaunch { kernel, grid, block, shared_bytes, parameters };
        self.queue(DeviceWorkKind::Launch(child), stream)
    }

    fn queue(&mut self, kind: DeviceWorkKind, stream: u64) -> u64 {
        self.memory.queue_device_work(DeviceWork { kind, is_tail: stream == TAIL_STREAM });
        code::SUCCESS
    }

    /// Stores a result through the call's first argument.
    fn give(&mut self, lane: usize, call: &IntrinsicCall, bytes: u32, value: u64) -> u64 {
        let (space, address) = resolve_generic(self.argument(lane, call, 0));
        match with_view!(self, space, |view| view.store(lane, address, bytes, value)) {
            Ok(()) => code::SUCCESS,
            Err(_) => code::INVALID_VALUE,
        }
    }

    /// An argument of type `dim3`.
    fn extents(&mut self, lane: usize, call: &IntrinsicCall, index: usize) -> Dim3 {
        let Some(slot) = call.arguments.get(index).copied() else { return [0; 3] };
        let address = u64::from(self.frame_base() + slot.offset);
        [0, 4, 8].map(|at| {
            with_view!(self, Space::Local, |view| view.load(lane, address + at, 4)).unwrap_or(0) as u32
        })
    }

    fn thread_number(&self, lane: usize) -> u32 {
        (self.warp * crate::LANES + lane) as u32
    }

    fn note_device_error(&mut self, lane: usize, code: u64) {
        let thread = self.thread_number(lane);
        self.block.device_errors.insert(thread, code);
    }

    fn last_device_error(&mut self, lane: usize, is_kept: bool) -> u64 {
        let thread = self.thread_number(lane);
        let errors = &mut self.block.device_errors;
        let found = if is_kept { errors.get(&thread).copied() } else { errors.remove(&thread) };
        found.unwrap_or(code::SUCCESS)
    }
}

/// Whether a grid can be launched at all.
fn is_launchable(grid: Dim3, block: Dim3) -> bool {
    let threads: u64 = block.iter().map(|&extent| u64::from(extent)).product();
    grid.iter().all(|&extent| extent > 0) && (1..=MAX_THREADS_PER_BLOCK).contains(&threads)
}
