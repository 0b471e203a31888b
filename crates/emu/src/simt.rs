//! The SIMT stack: which lanes of a warp run, where, and where they meet again.
//!
//! Fung et al., "Dynamic Warp Formation and Scheduling for Efficient GPU Control Flow", MICRO 2007: a divergent
//! branch turns the top entry into the one that waits at the immediate post-dominator and pushes one entry per
//! path. The taken path is on top and runs first, as in GPGPU-Sim 4.
//!
//! Calls push an entry of their own, so that lanes that return early wait for the others of the same call.

use crate::LaneMask;

/// A program counter that no instruction has: nowhere to meet.
pub const NOWHERE: u32 = u32::MAX;

/// The stack of one warp. The top entry runs.
#[derive(Clone, Debug, Default)]
pub struct SimtStack {
    /// The top entry, apart from the others: every instruction looks at it, and few paths diverge.
    running: Option<Entry>,
    below: Vec<Entry>,
}

/// One path of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Next instruction of the path.
    pub pc: u32,
    /// Where it ends and the entry below takes over.
    pub reconvergence_pc: u32,
    /// Lanes on it.
    pub lanes: LaneMask,
    /// Base of the call frame in local memory, in bytes.
    pub frame_base: u32,
    /// Call instruction that pushed this entry; `NOWHERE` when it was a branch.
    pub call_site: u32,
}

impl SimtStack {
    /// All `lanes` at instruction 0.
    pub fn start(&mut self, lanes: LaneMask) {
        self.below.clear();
        let all = Entry { pc: 0, reconvergence_pc: NOWHERE, lanes, frame_base: 0, call_site: NOWHERE };
        self.running = (lanes != 0).then_some(all);
    }

    /// The path that runs; `None` when all lanes have ended.
    #[inline]
    pub fn top(&self) -> Option<&Entry> {
        self.running.as_ref()
    }

    /// Entries, the running one last.
    #[inline]
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.below.iter().chain(&self.running)
    }

    /// Moves the running path to `pc`, and joins it with the one below when they meet.
    #[inline]
    pub fn advance(&mut self, pc: u32) {
        if let Some(top) = &mut self.running {
            top.pc = pc;
            if pc == top.reconvergence_pc {
                self.settle();
            }
        }
    }

    /// `taken` lanes of the running path go to `target`, the others to `next`; they meet at `meet`.
    pub fn branch(&mut self, taken: LaneMask, target: u32, next: u32, meet: u32) {
        let Some(top) = &self.running else { return };
        let not_taken = top.lanes & !taken;
        match (taken, not_taken) {
            (_, 0) => self.advance(target),
            (0, _) => self.advance(next),
            _ => {
                let origin = self.diverge(meet);
                self.push_path(origin, next, meet, not_taken);
                self.push_path(origin, target, meet, taken);
            }
        }
    }

    /// Every lane of the running path goes to its own target (`brx.idx`).
    pub fn branch_indexed(&mut self, targets: &[(u32, LaneMask)], meet: u32) {
        match targets {
            [] => {}
            [(target, _)] => self.advance(*target),
            _ => {
                let origin = self.diverge(meet);
                for &(target, lanes) in targets {
                    self.push_path(origin, target, meet, lanes);
                }
            }
        }
    }

    /// `lanes` of the running path call the code at `target`; the whole path goes on at `next` afterwards.
    pub fn call(&mut self, lanes: LaneMask, target: u32, next: u32, frame_base: u32, call_site: u32) {
        if let Some(top) = &mut self.running {
            top.pc = next;
            if lanes == 0 {
                self.settle();
                return;
            }
            self.push(Entry { pc: target, reconvergence_pc: NOWHERE, lanes, frame_base, call_site });
        }
    }

    /// The entry of the call that is running; `None` in the kernel itself.
    pub fn current_call(&self) -> Option<&Entry> {
        self.entries().rev().find(|entry| entry.call_site != NOWHERE)
    }

    /// `lanes` of the running path leave the current call; others of the path go on at `next`.
    pub fn leave_call(&mut self, lanes: LaneMask, next: u32) {
        if let Some(top) = &mut self.running {
            top.pc = next;
        }
        for entry in self.below.iter_mut().chain(&mut self.running).rev() {
            entry.lanes &= !lanes;
            if entry.call_site != NOWHERE {
                break;
            }
        }
        self.settle();
    }

    /// `lanes` end; others of the running path go on at `next`.
    pub fn exit(&mut self, lanes: LaneMask, next: u32) {
        if let Some(top) = &mut self.running {
            top.pc = next;
        }
        for entry in self.below.iter_mut().chain(&mut self.running) {
            entry.lanes &= !lanes;
        }
        self.settle();
    }

    /// Turns the running path into the one that waits at `meet`, unless the entry below already waits there.
    fn diverge(&mut self, meet: u32) -> Entry {
        let Some(top) = &mut self.running else {
            return Entry { pc: 0, reconvergence_pc: NOWHERE, lanes: 0, frame_base: 0, call_site: NOWHERE };
        };
        let origin = *top;
        // A loop that sheds lanes at each turn must not deepen the stack each time. An entry of a call stays: it
        // marks where its lanes return to.
        if origin.reconvergence_pc == meet && origin.call_site == NOWHERE && meet != NOWHERE {
            self.running = self.below.pop();
        } else {
            top.pc = meet;
        }
        origin
    }

    fn push_path(&mut self, origin: Entry, pc: u32, meet: u32, lanes: LaneMask) {
        if pc != meet && lanes != 0 {
            self.push(Entry {
                pc,
                reconvergence_pc: meet,
                lanes,
                frame_base: origin.frame_base,
                call_site: NOWHERE,
            });
        }
    }

    /// Removes what is over from the top: paths without lanes, and paths that have met the one below.
    fn settle(&mut self) {
        while self.running.as_ref().is_some_and(Entry::is_over) {
            self.running = self.below.pop();
        }
    }

    fn push(&mut self, entry: Entry) {
        self.below.extend(self.running.replace(entry));
    }
}

impl Entry {
    fn is_over(&self) -> bool {
        self.lanes == 0 || (self.pc == self.reconvergence_pc && self.pc != NOWHERE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(lanes: LaneMask) -> SimtStack {
        let mut stack = SimtStack::default();
        stack.start(lanes);
        stack
    }

    fn running(stack: &SimtStack) -> Option<(u32, LaneMask)> {
        stack.top().map(|top| (top.pc, top.lanes))
    }

    #[test]
    fn the_taken_path_runs_first_and_both_meet() {
        let mut stack = stack(0b1111);
        stack.branch(0b0011, 10, 1, 20);
        assert_eq!(running(&stack), Some((10, 0b0011)));
        stack.advance(20);
        assert_eq!(running(&stack), Some((1, 0b1100)));
        stack.advance(20);
        assert_eq!(running(&stack), Some((20, 0b1111)));
    }

    #[test]
    fn a_loop_that_sheds_lanes_keeps_the_stack_flat() {
        let mut stack = stack(u32::MAX);
        let mut inside = u32::MAX;
        for _ in 0..31 {
            inside <<= 1;
            stack.branch(inside, 5, 9, 9);
            assert_eq!(running(&stack), Some((5, inside)));
            assert!(stack.entries().count() <= 2);
        }
        stack.advance(9);
        assert_eq!(running(&stack), Some((9, u32::MAX)));
    }

    #[test]
    fn lanes_that_exit_in_a_branch_never_come_back() {
        let mut stack = stack(0b11);
        stack.branch(0b01, 10, 1, NOWHERE);
        stack.exit(0b01, 11);
        assert_eq!(running(&stack), Some((1, 0b10)));
        stack.exit(0b10, 2);
        assert_eq!(running(&stack), None);
    }

    #[test]
    fn lanes_that_return_early_wait_for_their_call() {
        let mut stack = stack(0b11);
        stack.call(0b11, 100, 4, 64, 3);
        stack.branch(0b01, 110, 101, NOWHERE);
        assert_eq!(stack.top().map(|top| top.frame_base), Some(64));
        stack.leave_call(0b01, 111);
        assert_eq!(running(&stack), Some((101, 0b10)));
        stack.leave_call(0b10, 102);
        assert_eq!(running(&stack), Some((4, 0b11)));
        assert_eq!(stack.top().map(|top| top.frame_base), Some(0));
    }

    #[test]
    fn an_indexed_branch_visits_every_target() {
        let mut stack = stack(0b111);
        stack.branch_indexed(&[(10, 0b001), (20, 0b010), (30, 0b100)], 40);
        for expected in [(30, 0b100), (20, 0b010), (10, 0b001)] {
            assert_eq!(running(&stack), Some(expected));
            stack.advance(40);
        }
        assert_eq!(running(&stack), Some((40, 0b111)));
    }
}
