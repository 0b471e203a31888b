//! The mbarrier object: 64 bits in shared memory that count the arrivals of a phase.
//!
//! The standard leaves the object opaque; ours is
//!
//! | bits     | field                                                                              |
//! |----------|------------------------------------------------------------------------------------|
//! | 0..20    | arrivals that the current phase still waits for                                    |
//! | 20..40   | arrivals of a phase                                                                |
//! | 40..62   | bytes of asynchronous copies that the current phase still waits for, signed        |
//! | 63       | parity of the current phase                                                        |
//!
//! A phase is complete when no arrivals and no bytes are pending; the next one begins in the same step. The state that
//! `mbarrier.arrive` returns is the object before the arrival.

use crate::op::Base;

const COUNT_BITS: u32 = 20;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
const BYTES_SHIFT: u32 = 2 * COUNT_BITS;
const BYTES_BITS: u32 = 22;
const BYTES_MASK: u64 = (1 << BYTES_BITS) - 1;
const PARITY_SHIFT: u32 = 63;

/// An `mbarrier` instruction. Address from `base` and row `a`; the count, bytes, state or parity in `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MbarrierOp {
    pub base: Base,
    pub function: MbarrierFunction,
}

/// What an `mbarrier` instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MbarrierFunction {
    /// `init`: phases of `b` arrivals.
    Init,
    /// `inval`: the memory may be used for something else.
    Invalidate,
    /// `arrive`: `b` arrivals, one without `b`.
    Arrive,
    /// `arrive_drop`: the same, and this and all later phases expect as many arrivals fewer.
    ArriveDrop,
    /// `arrive.expect_tx`: one arrival after `b` more bytes are expected.
    ArriveExpectBytes,
    /// `arrive_drop.expect_tx`.
    ArriveDropExpectBytes,
    /// `expect_tx`: the phase also waits for `b` bytes.
    ExpectBytes,
    /// `complete_tx`: `b` bytes have come.
    CompleteBytes,
    /// `cp.async.mbarrier.arrive`: one arrival more is expected, and arrives when the thread's copies are done.
    CopyArrive,
    /// `cp.async.mbarrier.arrive.noinc`: an arrival that is already expected arrives when the thread's copies are done.
    CopyArriveExpected,
    /// `test_wait`, `try_wait`: is the phase of the state in `b` complete?
    TestState,
    /// `test_wait.parity`, `try_wait.parity`: is the phase of the parity in `b` complete?
    TestParity,
    /// `pending_count`: pending arrivals of the state in `a`.
    PendingCount,
}

impl MbarrierFunction {
    /// The object after the instruction.
    pub(crate) fn apply(self, object: u64, operand: u64) -> u64 {
        let count = operand & COUNT_MASK;
        match self {
            Self::Init => count | count << COUNT_BITS,
            Self::Invalidate => 0,
            Self::Arrive => arrive(object, count),
            Self::CopyArriveExpected => arrive(object, 1),
            Self::ArriveDrop => arrive(drop_expected(object, count), count),
            Self::ArriveExpectBytes => arrive(add_bytes(object, operand), 1),
            Self::ArriveDropExpectBytes => arrive(drop_expected(add_bytes(object, operand), 1), 1),
            Self::ExpectBytes => add_bytes(object, operand),
            Self::CompleteBytes => arrive(add_bytes(object, operand.wrapping_neg()), 0),
            // The expected arrival and the arrival cancel: copies are done when they issue.
            Self::CopyArrive | Self::TestState | Self::TestParity | Self::PendingCount => object,
        }
    }

    /// The object after the instruction where the copies take time: their arrival follows as [`MbarrierFunction::Arrive`].
    pub(crate) fn apply_before_copies(self, object: u64) -> u64 {
        match self {
            Self::CopyArrive => object & !COUNT_MASK | (pending(object) + 1) & COUNT_MASK,
            _ => object,
        }
    }

    /// Whether the arrival waits for the thread's copies.
    pub(crate) fn awaits_copies(self) -> bool {
        matches!(self, Self::CopyArrive | Self::CopyArriveExpected)
    }

    /// Whether the phase in question is complete; only for tests.
    pub(crate) fn is_complete(self, object: u64, operand: u64) -> bool {
        let asked = if self == Self::TestParity { operand & 1 } else { operand >> PARITY_SHIFT };
        object >> PARITY_SHIFT != asked
    }

    /// Whether the instruction writes a predicate.
    pub(crate) fn is_test(self) -> bool {
        matches!(self, Self::TestState | Self::TestParity)
    }
}

/// Pending arrivals of a state.
pub(crate) fn pending(state: u64) -> u64 {
    state & COUNT_MASK
}

fn expected(object: u64) -> u64 {
    object >> COUNT_BITS & COUNT_MASK
}

fn drop_expected(object: u64, count: u64) -> u64 {
    let left = expected(object).saturating_sub(count);
    object & !(COUNT_MASK << COUNT_BITS) | left << COUNT_BITS
}

fn add_bytes(object: u64, bytes: u64) -> u64 {
    let sum = (object >> BYTES_SHIFT).wrapping_add(bytes) & BYTES_MASK;
    object & !(BYTES_MASK << BYTES_SHIFT) | sum << BYTES_SHIFT
}

fn arrive(object: u64, count: u64) -> u64 {
    let left = pending(object).saturating_sub(count);
    if left == 0 && object >> BYTES_SHIFT & BYTES_MASK == 0 {
        let parity = (object >> PARITY_SHIFT) ^ 1;
        return parity << PARITY_SHIFT | expected(object) << COUNT_BITS | expected(object);
    }
    object & !COUNT_MASK | left
}

#[cfg(test)]
mod tests {
    use super::MbarrierFunction as F;
    use super::*;

    #[test]
    fn the_last_arrival_completes_the_phase() {
        let start = F::Init.apply(0, 3);
        let after_two = F::Arrive.apply(start, 2);
        assert_eq!(pending(after_two), 1);
        assert!(!F::TestState.is_complete(after_two, start));
        let next = F::Arrive.apply(after_two, 1);
        assert!(F::TestState.is_complete(next, start) && F::TestParity.is_complete(next, 0));
        assert!(!F::TestParity.is_complete(next, 1));
        assert_eq!(pending(next), 3);
    }

    #[test]
    fn bytes_hold_a_phase_until_they_have_come_even_before_they_are_expected() {
        let start = F::Init.apply(0, 1);
        let waiting = F::ArriveExpectBytes.apply(start, 128);
        assert!(!F::TestState.is_complete(waiting, start));
        let done = F::CompleteBytes.apply(F::CompleteBytes.apply(waiting, 64), 64);
        assert!(F::TestState.is_complete(done, start));
        let early = F::CompleteBytes.apply(start, 64);
        assert!(F::TestState.is_complete(F::ArriveExpectBytes.apply(early, 64), start));
    }

    #[test]
    fn an_arrival_that_waits_for_copies_holds_the_phase_until_they_are_done() {
        let start = F::Init.apply(0, 1);
        let waiting = F::Arrive.apply(F::CopyArrive.apply_before_copies(start), 1);
        assert!(!F::TestState.is_complete(waiting, start));
        assert!(F::TestState.is_complete(F::Arrive.apply(waiting, 1), start));
        let expected = F::CopyArriveExpected.apply_before_copies(start);
        assert!(!F::TestState.is_complete(expected, start));
        assert_eq!(F::Arrive.apply(expected, 1), F::CopyArriveExpected.apply(start, 0));
    }

    #[test]
    fn a_dropped_thread_is_missing_from_later_phases() {
        let start = F::Init.apply(0, 2);
        let next = F::Arrive.apply(F::ArriveDrop.apply(start, 1), 1);
        assert_eq!(pending(next), 1);
        assert!(F::TestState.is_complete(F::Arrive.apply(next, 1), next));
    }
}
