//! printf, malloc, free and assert of device code; `device_runtime` has what launches kernels.

use super::access::with_view;
use super::address::resolve_generic;
use super::spaces::{GlobalView, LocalView, ReadOnlyView, SharedView, SpaceView};
use super::{Context, StepResult};
use crate::call::FrameSlot;
use crate::fault::FaultKind;
use crate::format::{Argument, format_printf};
use crate::inst::Space;
use crate::op::{Intrinsic, IntrinsicCall};
use crate::registers::lanes_of;

/// Longest string that is read from device memory.
const MAX_STRING_BYTES: u64 = 64 * 1024;

impl Context<'_> {
    pub(super) fn intrinsic(&mut self, call: &IntrinsicCall) -> StepResult {
        for lane in lanes_of(self.lanes) {
            let result = match call.intrinsic {
                Intrinsic::Printf => self.printf(lane, call),
                Intrinsic::Malloc => self.memory.heap_alloc(self.argument(lane, call, 0)),
                Intrinsic::Free => {
                    let address = self.argument(lane, call, 0);
                    if !self.memory.heap_free(address) {
                        return Err(self.fault(lane, FaultKind::BadFree { address }));
                    }
                    0
                }
                Intrinsic::DeviceRuntime(function) => self.device_runtime(lane, function, call),
                Intrinsic::Assert => return Err(self.assertion(lane, call)),
            };
            if let Some(slot) = call.returns {
                self.put_result(lane, slot, result);
            }
        }
        Ok(())
    }

    pub(super) fn argument(&mut self, lane: usize, call: &IntrinsicCall, index: usize) -> u64 {
        let Some(slot) = call.arguments.get(index).copied() else { return 0 };
        let address = u64::from(self.frame_base() + slot.offset);
        let bytes = if slot.bytes >= 8 { 8 } else { 4 };
        with_view!(self, Space::Local, |view| view.load(lane, address, bytes)).unwrap_or(0)
    }

    fn put_result(&mut self, lane: usize, slot: FrameSlot, value: u64) {
        let address = u64::from(self.frame_base() + slot.offset);
        let bytes = if slot.bytes >= 8 { 8 } else { 4 };
        // The frame was laid out for this slot, so the store cannot miss.
        let _ = with_view!(self, Space::Local, |view| view.store(lane, address, bytes, value));
    }

    /// A value at a generic address; zero where nothing is.
    fn peek(&mut self, lane: usize, address: u64, bytes: u32) -> u64 {
        let (space, address) = resolve_generic(address);
        with_view!(self, space, |view| view.load(lane, address, bytes)).unwrap_or(0)
    }

    /// A string that ends with a zero byte.
    fn string_at(&mut self, lane: usize, address: u64) -> Vec<u8> {
        (0..MAX_STRING_BYTES)
            .map(|offset| self.peek(lane, address.wrapping_add(offset), 1) as u8)
            .take_while(|&byte| byte != 0)
            .collect()
    }

    /// Formats into the thread block's output; the result is the number of arguments, as CUDA defines it.
    fn printf(&mut self, lane: usize, call: &IntrinsicCall) -> u64 {
        let (format, list) = (self.argument(lane, call, 0), self.argument(lane, call, 1));
        let format = self.string_at(lane, format);
        let mut at = list;
        let mut count = 0;
        let mut text = Vec::new();
        format_printf(&format, &mut text, |argument| {
            count += 1;
            let bytes = argument.bytes();
            at = at.next_multiple_of(u64::from(bytes));
            let value = self.peek(lane, at, bytes);
            at += u64::from(bytes);
            match argument {
                Argument::Text => (value, self.string_at(lane, value)),
                _ => (value, Vec::new()),
            }
        });
        self.block.output.extend(text);
        count
    }

    fn assertion(&mut self, lane: usize, call: &IntrinsicCall) -> Box<crate::fault::Fault> {
        let [message, file, line, function] = [0, 1, 2, 3].map(|index| self.argument(lane, call, index));
        let mut text = |address| String::from_utf8_lossy(&self.string_at(lane, address)).into_owned();
        let kind = FaultKind::Assert {
            message: text(message),
            file: text(file),
            line: line as u32,
            function: text(function),
        };
        self.fault(lane, kind)
    }
}
