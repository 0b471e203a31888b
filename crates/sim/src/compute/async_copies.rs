//! Asynchronous copies from global to shared memory (`cp.async`), warp by warp: which are under way, and who waits for them.
//!
//! A copy executes when it issues, as every instruction does; what takes time is its data. Copies of a warp have numbers in the order
//! of issue, and all that waits, waits for the copies before a number:
//!
//! | instruction                | waits for                                                  | who waits                            |
//! |----------------------------|------------------------------------------------------------|--------------------------------------|
//! | `cp.async.wait_group n`    | all copies up to the commit before the newest `n`          | the warp                             |
//! | `cp.async.wait_all`        | all copies so far                                          | the warp                             |
//! | `cp.async.mbarrier.arrive` | all copies so far                                          | the arrival at the barrier object; the warp goes on |
//!
//! A warp is a unit here: its lanes issue a copy together, and a group is committed for all of them. That data which has arrived takes
//! cycles of the shared memory's banks is not modelled.

use std::collections::VecDeque;

use shrinkwarp_emu::op::CopyGroups;
use shrinkwarp_emu::{LANES, LaneMask};

use super::MAX_WARPS;

/// An arrival at barrier objects that has become due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The warp slot.
    pub warp: usize,
    /// The lanes that arrive.
    pub lanes: LaneMask,
    /// Their barrier objects, in shared memory.
    pub addresses: [u64; LANES],
}

/// The copies of all warps of an SM.
#[derive(Clone, Debug)]
pub struct AsyncCopies {
    warps: Vec<WarpCopies>,
    /// Arrivals whose copies are done.
    due: Vec<Arrival>,
}

/// The copies of one warp.
#[derive(Clone, Debug, Default)]
struct WarpCopies {
    /// All copies before this one are done.
    first: u32,
    /// From that one on: is it done?
    done: VecDeque<bool>,
    /// The number of the first copy behind each commit, oldest first.
    commits: VecDeque<u32>,
    /// The warp waits for the copies before this one.
    waits_before: Option<u32>,
    /// Arrivals, and the first copy that each does not wait for.
    arrivals: VecDeque<(u32, Arrival)>,
}

/// What the end of a copy changes for its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfterCopy {
    /// No copy of it is under way.
    pub is_idle: bool,
    /// It waited, and goes on.
    pub is_released: bool,
}

impl Default for AsyncCopies {
    fn default() -> Self {
        Self { warps: vec![WarpCopies::default(); MAX_WARPS], due: Vec::new() }
    }
}

impl AsyncCopies {
    /// A new warp takes the slot.
    pub fn start(&mut self, warp: usize) {
        self.warps[warp].commits.clear();
    }

    /// A copy issues. Returns its number.
    pub fn begin(&mut self, warp: usize) -> u32 {
        let copies = &mut self.warps[warp];
        copies.done.push_back(false);
        copies.next() - 1
    }

    /// A copy's data have come.
    pub fn finish(&mut self, warp: usize, number: u32) -> AfterCopy {
        let copies = &mut self.warps[warp];
        if let Some(done) = copies.done.get_mut(number.wrapping_sub(copies.first) as usize) {
            *done = true;
        }
        while copies.done.front() == Some(&true) {
            copies.done.pop_front();
            copies.first += 1;
        }
        while copies.arrivals.front().is_some_and(|(before, _)| *before <= copies.first) {
            self.due.extend(copies.arrivals.pop_front().map(|(_, arrival)| arrival));
        }
        let is_released = copies.waits_before.is_some_and(|before| before <= copies.first);
        if is_released {
            copies.waits_before = None;
        }
        AfterCopy { is_idle: copies.done.is_empty(), is_released }
    }

    /// Copies are committed or waited for. Returns whether the warp must wait.
    pub fn group(&mut self, warp: usize, operation: CopyGroups) -> bool {
        let copies = &mut self.warps[warp];
        let before = match operation {
            CopyGroups::Commit => {
                copies.commits.retain(|&commit| commit > copies.first);
                copies.commits.push_back(copies.next());
                return false;
            }
            CopyGroups::WaitForAll => copies.next(),
            CopyGroups::WaitForGroups(newest) => {
                let waited_for = copies.commits.len().checked_sub(newest as usize + 1);
                match waited_for.and_then(|index| copies.commits.get(index)) {
                    Some(&before) => before,
                    None => return false,
                }
            }
        };
        copies.waits_before = (before > copies.first).then_some(before);
        copies.waits_before.is_some()
    }

    /// Lanes arrive at barrier objects when the copies so far are done.
    pub fn arrive(&mut self, arrival: &Arrival) {
        let copies = &mut self.warps[arrival.warp];
        if copies.done.is_empty() {
            self.due.push(*arrival);
        } else {
            copies.arrivals.push_back((copies.next(), *arrival));
        }
    }

    /// Whether arrivals are due.
    #[inline]
    pub fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Takes an arrival that has become due.
    #[inline]
    pub fn pop_due(&mut self) -> Option<Arrival> {
        self.due.pop()
    }
}

impl WarpCopies {
    fn next(&self) -> u32 {
        self.first + self.done.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WARP: usize = 3;

    #[test]
    fn a_wait_for_groups_leaves_the_newest_under_way() {
        let mut copies = AsyncCopies::default();
        let first = copies.begin(WARP);
        assert!(!copies.group(WARP, CopyGroups::Commit));
        let second = copies.begin(WARP);
        copies.group(WARP, CopyGroups::Commit);
        assert!(copies.group(WARP, CopyGroups::WaitForGroups(1)));
        assert_eq!(copies.finish(WARP, second), AfterCopy { is_idle: false, is_released: false });
        assert_eq!(copies.finish(WARP, first), AfterCopy { is_idle: true, is_released: true });
        assert!(!copies.group(WARP, CopyGroups::WaitForGroups(0)));
    }

    #[test]
    fn what_is_not_committed_is_waited_for_by_wait_all_only() {
        let mut copies = AsyncCopies::default();
        let copy = copies.begin(WARP);
        assert!(!copies.group(WARP, CopyGroups::WaitForGroups(0)));
        assert!(copies.group(WARP, CopyGroups::WaitForAll));
        assert!(copies.finish(WARP, copy).is_released);
    }

    #[test]
    fn an_arrival_waits_for_the_copies_before_it_and_for_no_other() {
        let mut copies = AsyncCopies::default();
        let before = copies.begin(WARP);
        let arrival = Arrival { warp: WARP, lanes: 1, addresses: [0; LANES] };
        copies.arrive(&arrival);
        let behind = copies.begin(WARP);
        copies.finish(WARP, behind);
        assert_eq!(copies.pop_due(), None);
        copies.finish(WARP, before);
        assert_eq!(copies.pop_due(), Some(arrival));
        copies.arrive(&arrival);
        assert_eq!(copies.pop_due(), Some(arrival), "with no copy under way it is due at once");
    }
}
