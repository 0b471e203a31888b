//! Branches and the end of threads.

use super::{Context, StepResult};
use crate::LaneMask;
use crate::fault::FaultKind;
use crate::inst::Inst;
use crate::registers::lanes_of;

impl Context<'_> {
    pub(super) fn branch(&mut self, target: u32, meet: u32) {
        let (lanes, next) = (self.lanes, self.pc + 1);
        self.state().stack.branch(lanes, target, next, meet);
    }

    /// `brx.idx`: lanes are grouped by target, lower targets of the table last, so that they run first.
    pub(super) fn branch_indexed(&mut self, inst: &Inst, table: u32, meet: u32) -> StepResult {
        let indices = self.state().registers.get32(inst.a);
        let kernel = self.kernel;
        let targets = kernel.branch_tables.get(table as usize).map_or(&[][..], Vec::as_slice);
        let mut groups: Vec<(u32, LaneMask)> = Vec::new();
        let mut add = |target: u32, lane: usize| match groups.iter_mut().find(|(at, _)| *at == target) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => groups.push((target, 1 << lane)),
        };
        for lane in lanes_of(self.lanes) {
            let Some(&target) = targets.get(indices[lane] as usize) else {
                let value = u64::from(indices[lane]);
                return Err(self.fault(lane, FaultKind::BadTarget { value }));
            };
            add(target, lane);
        }
        let active = self.state().stack.top().map_or(0, |top| top.lanes);
        for lane in lanes_of(active & !self.lanes) {
            add(self.pc + 1, lane);
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.0));
        self.state().stack.branch_indexed(&groups, meet);
        Ok(())
    }

    pub(super) fn exit(&mut self) {
        let (lanes, next) = (self.lanes, self.pc + 1);
        let state = self.state();
        state.stack.exit(lanes, next);
        if state.stack.top().is_none() {
            self.effects.warp_finished = true;
            self.block.finish_warp();
        }
    }
}
