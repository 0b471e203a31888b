//! Barrier objects in shared memory, lane by lane from the lowest.

use super::access::with_view;
use super::spaces::{GlobalView, LocalView, ReadOnlyView, SharedView, SpaceView};
use super::{Context, StepResult};
use crate::inst::{Inst, Space};
use crate::mbarrier::{MbarrierFunction as F, MbarrierOp, pending};
use crate::registers::lanes_of;
use crate::{LANES, LaneMask};

const OBJECT_BYTES: u32 = 8;

impl Context<'_> {
    pub(super) fn mbarrier(&mut self, inst: &Inst, mbarrier: MbarrierOp) -> StepResult {
        let Some(access) = inst.access else {
            let lanes = self.lanes;
            let registers = &mut self.state().registers;
            let counts = registers.get64(inst.a).map(|state| pending(state) as u32);
            registers.set32(inst.dst, &counts, lanes);
            return Ok(());
        };
        let addresses = self.lane_addresses(mbarrier.base, inst.a, inst.offset);
        self.effects.addresses = addresses;
        self.check_alignment(&addresses, OBJECT_BYTES, access)?;
        let registers = &self.block.warps[self.warp].registers;
        let operand: [u64; LANES] = match mbarrier.function {
            F::TestState => registers.get64(inst.b),
            _ => registers.get32(inst.b).map(u64::from),
        };
        let is_deferred = self.block.defers_copy_arrivals && mbarrier.function.awaits_copies();
        self.effects.awaits_copies = is_deferred;
        self.each_space(access, OBJECT_BYTES, &mut |context, space, lanes| {
            let addresses = context.effects.addresses;
            let mut old = [0; LANES];
            for lane in lanes_of(lanes) {
                let mut apply = |object| {
                    if is_deferred {
                        mbarrier.function.apply_before_copies(object)
                    } else {
                        mbarrier.function.apply(object, operand[lane])
                    }
                };
                old[lane] = with_view!(context, space, |view| {
                    view.update(lane, addresses[lane], OBJECT_BYTES, &mut apply)
                })
                .map_err(|reason| (lane, reason))?;
            }
            context.put_mbarrier_result(inst, mbarrier.function, &old, &operand, lanes);
            Ok(())
        })
    }

    fn put_mbarrier_result(
        &mut self,
        inst: &Inst,
        function: F,
        old: &[u64; LANES],
        operand: &[u64; LANES],
        lanes: LaneMask,
    ) {
        if !function.is_test() {
            self.state().registers.set64(inst.dst, old, lanes);
            return;
        }
        let mut complete = 0;
        for lane in lanes_of(lanes) {
            complete |= LaneMask::from(function.is_complete(old[lane], operand[lane])) << lane;
        }
        // Another warp must arrive first: it may run now.
        self.block.gives_way |= complete != lanes;
        self.state().registers.set_pred(inst.dst, complete, lanes);
    }
}
