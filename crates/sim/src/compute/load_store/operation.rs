//! A memory instruction between issue and its last access: where it goes, and which accesses it still has to make.

use shrinkwarp_emu::LaneMask;
use shrinkwarp_emu::effects::Effects;
use shrinkwarp_emu::inst::{AccessDirection as Direction, CacheOperator, Inst, Space};

use super::local_map::LocalMap;
use crate::base::AccessKind;
use crate::compute::coalescer::{CoalescedAccess, Coalescing, coalesce, coalesce_lines};
use crate::compute::shared_banks::{conflict_cycles, row_conflict_cycles};

/// Which part of the unit serves an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Shared memory.
    Shared,
    /// Constant cache: constants and kernel parameters.
    Constant,
    /// Texture cache.
    Texture,
    /// L1D, or past it.
    Data,
    /// Nothing to do: a fence, or no lane takes part.
    Pass,
}

/// One memory instruction.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Who serves it.
    pub route: Route,
    /// How its accesses are counted.
    pub kind: AccessKind,
    /// Whether it writes registers.
    pub is_load: bool,
    /// Read-modify-write at the L2.
    pub is_atomic: bool,
    /// Goes past the L1D.
    pub bypasses_l1: bool,
    /// The number of an asynchronous copy among those of its warp.
    pub copy: Option<u32>,
    /// Lanes that take part.
    pub lanes: LaneMask,
    /// Cycles the shared-memory banks need.
    pub conflict_cycles: u32,
    /// Accesses to make; the last is made first.
    pub accesses: Vec<CoalescedAccess>,
}

/// What building an operation needs of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationSpec {
    /// Which accesses lanes share.
    pub coalescing: Coalescing,
    /// Banks of the shared memory.
    pub shared_banks: u32,
    /// Whether constants and parameters are there as soon as an instruction asks.
    pub are_constants_perfect: bool,
    /// Line of the constant cache.
    pub constant_line_bytes: u64,
    /// Line of the texture cache.
    pub texture_line_bytes: u64,
    /// Whether a lane of this instruction moves a row of a matrix.
    pub moves_matrix_rows: bool,
}

impl Operation {
    fn empty() -> Self {
        Self {
            route: Route::Pass,
            kind: AccessKind::GlobalRead,
            is_load: false,
            is_atomic: false,
            bypasses_l1: false,
            copy: None,
            lanes: 0,
            conflict_cycles: 1,
            accesses: Vec::with_capacity(32),
        }
    }

    /// Describes what `inst` did; `local` places the warp's local memory.
    fn describe(
        &mut self,
        inst: &Inst,
        effects: &Effects,
        spec: &OperationSpec,
        local: impl FnOnce() -> LocalMap,
    ) {
        self.accesses.clear();
        self.route = Route::Pass;
        self.is_load = inst.access.is_some_and(|access| access.kind != Direction::Store);
        self.is_atomic = false;
        self.bypasses_l1 = false;
        self.copy = None;
        self.conflict_cycles = 1;
        self.lanes = effects.access.map_or(0, |access| access.lanes);
        let Some(access) = effects.access.filter(|access| access.lanes != 0) else { return };
        let is_store = access.kind == Direction::Store;
        let (addresses, lanes, bytes) = (&effects.addresses, access.lanes, access.bytes_per_lane);
        match access.space {
            Space::Shared => {
                self.route = Route::Shared;
                self.conflict_cycles = if spec.moves_matrix_rows {
                    row_conflict_cycles(addresses, lanes, spec.shared_banks)
                } else {
                    conflict_cycles(addresses, lanes, spec.shared_banks)
                };
            }
            Space::Constant | Space::Parameter if spec.are_constants_perfect => {}
            Space::Constant | Space::Parameter => {
                self.route = Route::Constant;
                self.kind = AccessKind::ConstantRead;
                coalesce_lines(addresses, lanes, bytes, spec.constant_line_bytes, &mut self.accesses);
            }
            Space::Texture => {
                self.route = Route::Texture;
                self.kind = AccessKind::TextureRead;
                coalesce_lines(addresses, lanes, bytes, spec.texture_line_bytes, &mut self.accesses);
            }
            Space::Local => {
                self.route = Route::Data;
                self.kind = if is_store { AccessKind::LocalWrite } else { AccessKind::LocalRead };
                local().coalesce(spec.coalescing, addresses, lanes, bytes, &mut self.accesses);
            }
            Space::Global | Space::Generic => {
                self.route = Route::Data;
                self.is_atomic = matches!(access.kind, Direction::Atomic | Direction::Reduction);
                self.kind = if is_store { AccessKind::GlobalWrite } else { AccessKind::GlobalRead };
                let cache = inst.access.map_or(CacheOperator::All, |access| access.cache);
                self.bypasses_l1 = self.is_atomic || matches!(cache, CacheOperator::Global);
                let gather = if self.is_atomic { coalesce::<true> } else { coalesce::<false> };
                gather(spec.coalescing, addresses, lanes, bytes, &mut self.accesses);
            }
        }
    }
}

/// Operations of one SM; slots are reused, so that nothing is allocated while it runs.
#[derive(Clone, Debug, Default)]
pub struct OperationPool {
    slots: Vec<Operation>,
    free: Vec<u8>,
}

impl OperationPool {
    /// Takes a slot for what `inst` did.
    pub fn open(
        &mut self,
        inst: &Inst,
        effects: &Effects,
        spec: &OperationSpec,
        local: impl FnOnce() -> LocalMap,
    ) -> u8 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Operation::empty());
            (self.slots.len() - 1) as u8
        });
        self.slots[usize::from(slot)].describe(inst, effects, spec, local);
        slot
    }

    /// Gives a slot back.
    pub fn close(&mut self, slot: u8) {
        self.free.push(slot);
    }

    /// The operation in a slot.
    #[inline]
    pub fn get(&self, slot: u8) -> &Operation {
        &self.slots[usize::from(slot)]
    }

    /// The operation in a slot, to take accesses from.
    #[inline]
    pub fn get_mut(&mut self, slot: u8) -> &mut Operation {
        &mut self.slots[usize::from(slot)]
    }
}
