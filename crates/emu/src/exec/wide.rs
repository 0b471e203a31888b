//! Operations with long descriptors.

use super::access::with_view;
use super::spaces::{GlobalView, LocalView, ReadOnlyView, SharedView, SpaceView};
use super::{Context, StepResult};
use crate::LANES;
use crate::inst::{Access, AccessDirection, CacheOperator, Inst, Space};
use crate::op::{CopyAsync, WideOp};
use crate::registers::lanes_of;

impl Context<'_> {
    pub(super) fn wide(&mut self, inst: &Inst, index: u32) -> StepResult {
        if self.lanes == 0 {
            return Ok(());
        }
        let kernel = self.kernel;
        match kernel.wide.get(index as usize) {
            Some(WideOp::CopyAsync(copy)) => self.copy_async(inst, *copy),
            Some(WideOp::Mbarrier(mbarrier)) => self.mbarrier(inst, *mbarrier),
            Some(WideOp::Intrinsic(call)) => self.intrinsic(call),
            Some(WideOp::Texture(fetch)) => self.texture_fetch(fetch),
            Some(WideOp::Surface(access)) => self.surface(access),
            Some(WideOp::TextureQuery(query)) => self.texture_query(*query),
            Some(WideOp::MatrixTransfer(transfer)) => self.matrix_transfer(inst, transfer),
            Some(WideOp::MatrixProduct(product)) => {
                self.matrix_product(product);
                Ok(())
            }
            Some(WideOp::MatrixRows(rows)) => self.matrix_rows(inst, rows),
            None => Ok(()),
        }
    }

    /// `cp.async`: done at once; waiting for it later changes nothing.
    fn copy_async(&mut self, inst: &Inst, copy: CopyAsync) -> StepResult {
        let sources = self.lane_addresses(copy.source, inst.b, copy.source_offset);
        let targets = self.lane_addresses(copy.destination, inst.a, inst.offset);
        let limits = match copy.source_bytes {
            Some(row) => self.state().registers.get32(row),
            None => [copy.bytes; LANES],
        };
        let access = |space, kind| Access {
            space,
            kind,
            bytes_per_lane: copy.bytes as u16,
            cache: CacheOperator::default(),
        };
        let (read, write) =
            (access(Space::Global, AccessDirection::Copy), access(Space::Shared, AccessDirection::Store));
        self.check_alignment(&sources, copy.bytes, read)?;
        self.check_alignment(&targets, copy.bytes, write)?;
        self.effects.addresses = sources;
        self.report(Space::Global, AccessDirection::Copy, copy.bytes, self.lanes);
        for lane in lanes_of(self.lanes) {
            for word in 0..copy.bytes / 4 {
                let offset = u64::from(word) * 4;
                let value = if word * 4 < limits[lane] {
                    let address = sources[lane].wrapping_add(offset);
                    let value = with_view!(self, Space::Global, |view| view.load(lane, address, 4)).map_err(
                        |reason| {
                            self.memory_fault(lane, Space::Global, address, 4, AccessDirection::Load, reason)
                        },
                    )?;
                    self.memory.approximated(address, value)
                } else {
                    0
                };
                let address = targets[lane].wrapping_add(offset);
                with_view!(self, Space::Shared, |view| view.store(lane, address, 4, value)).map_err(
                    |reason| {
                        self.memory_fault(lane, Space::Shared, address, 4, AccessDirection::Store, reason)
                    },
                )?;
            }
        }
        Ok(())
    }
}
