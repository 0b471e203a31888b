//! The lines of a slice: plain ones, or compressed ones.

use crate::base::Cycle;
use crate::base::compressed_lines::CompressedLines;
use crate::base::tags::{Departure, LineAddress, LineIndex, LineState, LineStore, Probe, TagArray};

/// Where a slice keeps its lines.
#[derive(Clone, Debug)]
pub enum SliceLines {
    /// As many lines as the data array has room for.
    Plain(TagArray),
    /// As many as fit compressed.
    Compressed(CompressedLines),
}

/// Calls the lines, whichever they are.
macro_rules! lines {
    ($store:expr, $lines:ident => $call:expr) => {
        match $store {
            SliceLines::Plain($lines) => $call,
            SliceLines::Compressed($lines) => $call,
        }
    };
}

impl LineStore for SliceLines {
    #[inline]
    fn probe(&self, set: usize, address: LineAddress) -> Probe {
        lines!(self, lines => lines.probe(set, address))
    }

    #[inline]
    fn touch(&mut self, line: LineIndex, now: Cycle) {
        lines!(self, lines => lines.touch(line, now));
    }

    fn reserve(&mut self, line: LineIndex, address: LineAddress, now: Cycle) -> Option<LineAddress> {
        lines!(self, lines => lines.reserve(line, address, now))
    }

    fn install(&mut self, line: LineIndex, address: LineAddress, now: Cycle) {
        lines!(self, lines => lines.install(line, address, now));
    }

    fn set_state(&mut self, line: LineIndex, state: LineState) {
        lines!(self, lines => lines.set_state(line, state));
    }

    fn tag_count(&self) -> usize {
        lines!(self, lines => lines.tag_count())
    }

    fn holds(&self, line: LineIndex, address: LineAddress) -> bool {
        lines!(self, lines => lines.holds(line, address))
    }

    fn pop_departure(&mut self) -> Option<Departure> {
        lines!(self, lines => lines.pop_departure())
    }
}
