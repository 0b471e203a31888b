//! Loads and stores.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::address::resolve_generic;
use super::spaces::{GlobalView, LocalView, ReadOnlyView, Refusal, SharedView, SpaceView};
use super::{Context, StepResult};
use crate::effects::MemoryAccess;
use crate::fault::{Fault, FaultKind, MemoryFault};
use crate::inst::{Access, AccessDirection, Inst, Space};
use crate::kernel::VectorRegister;
use crate::memory::Memory;
use crate::op::{Base, Extension, Transfer};
use crate::registers::lanes_of;
use crate::{LANES, LaneMask};

/// Calls a function with the view of one space.
macro_rules! with_view {
    ($context:expr, $space:expr, |$view:ident| $body:expr) => {{
        let context = &mut *$context;
        let block = &mut *context.block;
        match $space {
            Space::Global | Space::Generic | Space::Texture => {
                let mut $view = GlobalView::new(context.memory);
                $body
            }
            Space::Shared => {
                let mut $view = SharedView { words: &mut block.shared, bytes: block.shared_bytes };
                $body
            }
            Space::Local => {
                let mut $view = LocalView { words: &mut block.warps[context.warp].local };
                $body
            }
            Space::Constant => {
                let constants = context.memory.constants();
                let mut $view = ReadOnlyView { bytes: constants.read(0, constants.len()).unwrap_or(&[]) };
                $body
            }
            Space::Parameter => {
                let mut $view = ReadOnlyView { bytes: &context.launch.parameters };
                $body
            }
        }
    }};
}
pub(super) use with_view;

/// What failed, and in which lane.
pub(super) type Failure = (usize, Refusal);

impl Context<'_> {
    pub(super) fn load(&mut self, inst: &Inst, transfer: Transfer) -> StepResult {
        self.for_each_space(inst, transfer, |context, space, lanes| {
            if context.load_row(inst, space, transfer, lanes).is_some() {
                return Ok(());
            }
            let addresses = context.effects.addresses;
            for element in 0..transfer.elements {
                let offset = u64::from(element) * u64::from(transfer.element_bytes);
                let mut values = context.load_element(space, &addresses, offset, transfer, lanes)?;
                if space == Space::Global && context.memory.has_regions() {
                    approximate_lanes(context.memory, &addresses, offset, &mut values, lanes);
                }
                let target = context.element(inst.d, element);
                context.put_element(target, &values, transfer, lanes);
            }
            Ok(())
        })
    }

    /// A word of every lane into a row of words, as most loads are. `None`, and nothing done, if it is another load.
    #[inline]
    fn load_row(&mut self, inst: &Inst, space: Space, transfer: Transfer, lanes: LaneMask) -> Option<()> {
        let is_word =
            (transfer.element_bytes, transfer.elements, transfer.extension) == (4, 1, Extension::Zero);
        if !is_word || space == Space::Global && self.memory.has_regions() {
            return None;
        }
        let VectorRegister::Row32(row) = self.element(inst.d, 0) else { return None };
        let addresses = &self.effects.addresses;
        if space == Space::Global
            && let Some(words) = row_of_words(self.memory, addresses, transfer, lanes)
        {
            let target = self.block.warps[self.warp].registers.w32.get_mut(row as usize)?;
            for (value, word) in target.iter_mut().zip(words) {
                *value = word.load(Relaxed);
            }
            return Some(());
        }
        let values = self.load_words(space, addresses, 0, lanes)?;
        self.block.warps[self.warp].registers.set32(row, &values, lanes);
        Some(())
    }

    pub(super) fn store(&mut self, inst: &Inst, transfer: Transfer) -> StepResult {
        self.for_each_space(inst, transfer, |context, space, lanes| {
            let addresses = context.effects.addresses;
            for element in 0..transfer.elements {
                let offset = u64::from(element) * u64::from(transfer.element_bytes);
                let values = context.element_values(context.element(inst.d, element));
                if space == Space::Global
                    && let Some(words) = row_of_words(context.memory, &addresses, transfer, lanes)
                {
                    for (word, value) in words.iter().zip(values) {
                        word.store(value as u32, Relaxed);
                    }
                    continue;
                }
                if transfer.element_bytes == 4
                    && context.store_words(space, &addresses, offset, &values, lanes).is_some()
                {
                    continue;
                }
                with_view!(context, space, |view| {
                    store_lanes(
                        &mut view,
                        &addresses,
                        offset,
                        u32::from(transfer.element_bytes),
                        &values,
                        lanes,
                    )
                })?;
            }
            Ok(())
        })
    }

    /// One element of every lane.
    #[inline]
    fn load_element(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        offset: u64,
        transfer: Transfer,
        lanes: LaneMask,
    ) -> Result<[u64; LANES], Failure> {
        let bytes = u32::from(transfer.element_bytes);
        // Parameters and absolute addresses are the same in all lanes; local memory is each lane's own.
        if transfer.base == Base::Absolute && space != Space::Local {
            let first_lane = lanes & lanes.wrapping_neg();
            let values = with_view!(self, space, |view| {
                load_lanes(&mut view, addresses, offset, bytes, first_lane)
            })?;
            return Ok([values[first_lane.trailing_zeros() as usize % LANES]; LANES]);
        }
        if bytes == 4
            && let Some(values) = self.load_words(space, addresses, offset, lanes)
        {
            return Ok(values.map(u64::from));
        }
        with_view!(self, space, |view| load_lanes(&mut view, addresses, offset, bytes, lanes))
    }

    /// A word of every lane, if all are in one allocation, or in the thread block's own memory: they are then looked up once.
    #[inline]
    fn load_words(
        &self,
        space: Space,
        addresses: &[u64; LANES],
        offset: u64,
        lanes: LaneMask,
    ) -> Option<[u32; LANES]> {
        let mut values = [0; LANES];
        match space {
            Space::Global => {
                let (start, words) = self.words_around(addresses, offset, lanes)?;
                for_each_word(addresses, offset.wrapping_sub(start), lanes, |lane, index| {
                    values[lane] = words.get(index)?.load(Relaxed);
                    Some(())
                })?;
            }
            Space::Shared => {
                let words = self.block.shared.get(..self.block.shared_bytes as usize / 4)?;
                for_each_word(addresses, offset, lanes, |lane, index| {
                    values[lane] = *words.get(index)?;
                    Some(())
                })?;
            }
            _ => return None,
        }
        Some(values)
    }

    /// Stores a word of every lane under the same condition. A store that it does not finish can be done again from the beginning.
    #[inline]
    fn store_words(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        offset: u64,
        values: &[u64; LANES],
        lanes: LaneMask,
    ) -> Option<()> {
        match space {
            Space::Global => {
                let (start, words) = self.words_around(addresses, offset, lanes)?;
                for_each_word(addresses, offset.wrapping_sub(start), lanes, |lane, index| {
                    words.get(index)?.store(values[lane] as u32, Relaxed);
                    Some(())
                })
            }
            Space::Shared => {
                let words = self.block.shared.get_mut(..self.block.shared_bytes as usize / 4)?;
                for_each_word(addresses, offset, lanes, |lane, index| {
                    *words.get_mut(index)? = values[lane] as u32;
                    Some(())
                })
            }
            _ => None,
        }
    }

    /// The allocation of the first lane's word: where it starts, and its words.
    #[inline]
    fn words_around(
        &self,
        addresses: &[u64; LANES],
        offset: u64,
        lanes: LaneMask,
    ) -> Option<(u64, &[AtomicU32])> {
        let first = addresses[lanes.trailing_zeros() as usize % LANES].wrapping_add(offset);
        let (allocation, _) = self.memory.find(first, 4)?;
        let words = allocation.words(0, allocation.bytes() as usize / 4);
        allocation.start().is_multiple_of(4).then_some((allocation.start(), words))
    }

    /// Computes addresses, checks alignment, splits generic accesses by space, reports traffic and faults.
    fn for_each_space(
        &mut self,
        inst: &Inst,
        transfer: Transfer,
        mut act: impl FnMut(&mut Self, Space, LaneMask) -> Result<(), Failure>,
    ) -> StepResult {
        let Some(access) = inst.access else { return Ok(()) };
        if self.lanes == 0 {
            return Ok(());
        }
        self.effects.addresses = self.lane_addresses(transfer.base, inst.a, inst.offset);
        let bytes = u32::from(transfer.element_bytes) * u32::from(transfer.elements);
        self.check_alignment(&self.effects.addresses, bytes, access)?;
        self.each_space(access, bytes, &mut act)
    }

    /// Runs `act` once for every space that the lanes' addresses (already in `effects`) lead to.
    pub(super) fn each_space(
        &mut self,
        access: Access,
        bytes: u32,
        act: &mut dyn FnMut(&mut Self, Space, LaneMask) -> Result<(), Failure>,
    ) -> StepResult {
        if access.space != Space::Generic {
            self.report(access.space, access.kind, bytes, self.lanes);
            return self.act_in(access, bytes, access.space, self.lanes, act);
        }
        let generic = self.effects.addresses;
        let mut rest = self.lanes;
        let mut is_first = true;
        while rest != 0 {
            let (space, _) = resolve_generic(generic[rest.trailing_zeros() as usize]);
            let mut lanes = 0;
            for lane in lanes_of(rest) {
                let (found, address) = resolve_generic(generic[lane]);
                if found == space {
                    lanes |= 1 << lane;
                    self.effects.addresses[lane] = address;
                }
            }
            if is_first {
                self.report(space, access.kind, bytes, lanes);
                is_first = false;
            }
            self.act_in(access, bytes, space, lanes, act)?;
            rest &= !lanes;
        }
        Ok(())
    }

    fn act_in(
        &mut self,
        access: Access,
        bytes: u32,
        space: Space,
        lanes: LaneMask,
        act: &mut dyn FnMut(&mut Self, Space, LaneMask) -> Result<(), Failure>,
    ) -> StepResult {
        match act(self, space, lanes) {
            Ok(()) => Ok(()),
            Err((lane, reason)) => {
                let address = self.effects.addresses[lane];
                Err(self.memory_fault(lane, space, address, bytes, access.kind, reason))
            }
        }
    }

    pub(super) fn report(&mut self, space: Space, kind: AccessDirection, bytes: u32, lanes: LaneMask) {
        self.effects.access = Some(MemoryAccess { space, kind, bytes_per_lane: bytes as u16, lanes });
    }

    /// Vector accesses must be aligned to their whole size, like all others.
    pub(super) fn check_alignment(&self, addresses: &[u64; LANES], bytes: u32, access: Access) -> StepResult {
        let any = addresses.iter().fold(0, |any, address| any | address);
        if any & (u64::from(bytes) - 1) == 0 {
            return Ok(());
        }
        let mut wrong = 0;
        for (lane, address) in addresses.iter().enumerate() {
            wrong |= u32::from(address & (u64::from(bytes) - 1) != 0) << lane;
        }
        let wrong = wrong & self.lanes;
        if wrong == 0 || !bytes.is_power_of_two() {
            return Ok(());
        }
        let lane = wrong.trailing_zeros() as usize;
        let (space, address) = match access.space {
            Space::Generic => resolve_generic(addresses[lane]),
            space => (space, addresses[lane]),
        };
        Err(self.memory_fault(lane, space, address, bytes, access.kind, Refusal::Misaligned))
    }

    /// A fault that names what lies closest.
    pub(super) fn memory_fault(
        &self,
        lane: usize,
        space: Space,
        address: u64,
        bytes: u32,
        kind: AccessDirection,
        reason: Refusal,
    ) -> Box<Fault> {
        let nearest = match space {
            Space::Shared => {
                format!("the shared memory of the thread block has {} bytes", self.block.shared_bytes)
            }
            Space::Local => {
                let bytes = self.block.warps[self.warp].local.len() / LANES * 4;
                format!("local memory of the thread has {bytes} bytes")
            }
            Space::Constant => format!("the constant bank has {} bytes", self.memory.constants().len()),
            Space::Parameter => format!("the parameters have {} bytes", self.launch.parameters.len()),
            Space::Global | Space::Generic | Space::Texture => self.memory.diagnose(address).1,
        };
        let is_write = !matches!(kind, AccessDirection::Load);
        self.fault(lane, FaultKind::Memory(MemoryFault { reason, space, address, bytes, is_write, nearest }))
    }

    /// The register of one element of a vector operand.
    fn element(&self, list: u32, element: u8) -> VectorRegister {
        self.kernel.lists.get(list as usize + usize::from(element)).copied().unwrap_or(VectorRegister::Sink)
    }

    #[inline]
    fn put_element(
        &mut self,
        target: VectorRegister,
        values: &[u64; LANES],
        transfer: Transfer,
        lanes: LaneMask,
    ) {
        let registers = &mut self.block.warps[self.warp].registers;
        let extended: [u64; LANES] = match transfer.extension {
            Extension::Zero => *values,
            Extension::Sign(_) => {
                let shift = 64 - 8 * u32::from(transfer.element_bytes);
                std::array::from_fn(|lane| ((values[lane] << shift) as i64 >> shift) as u64)
            }
        };
        match target {
            VectorRegister::Row32(row) => {
                let width_mask = match transfer.extension {
                    Extension::Sign(16) => 0xffff,
                    _ => u32::MAX,
                };
                let narrow = std::array::from_fn(|lane| extended[lane] as u32 & width_mask);
                registers.set32(row, &narrow, lanes);
            }
            VectorRegister::Row64(row) => registers.set64(row, &extended, lanes),
            VectorRegister::Sink => {}
        }
    }

    #[inline]
    fn element_values(&self, source: VectorRegister) -> [u64; LANES] {
        let registers = &self.block.warps[self.warp].registers;
        match source {
            VectorRegister::Row32(row) => registers.get32(row).map(u64::from),
            VectorRegister::Row64(row) => registers.get64(row),
            VectorRegister::Sink => [0; LANES],
        }
    }
}

/// The words that a full warp accesses, one for each lane, if they follow each other in one allocation.
#[inline]
fn row_of_words<'a>(
    memory: &'a Memory,
    addresses: &[u64; LANES],
    transfer: Transfer,
    lanes: LaneMask,
) -> Option<&'a [AtomicU32]> {
    const ROW_BYTES: u64 = 4 * LANES as u64;
    if lanes != LaneMask::MAX || (transfer.element_bytes, transfer.elements) != (4, 1) {
        return None;
    }
    let first = addresses[0];
    let mut difference = 0;
    for (lane, address) in addresses.iter().enumerate() {
        difference |= address ^ first.wrapping_add(4 * lane as u64);
    }
    if difference != 0 {
        return None;
    }
    let (allocation, offset) = memory.find(first, ROW_BYTES)?;
    let words = allocation.words(offset, LANES);
    (words.len() == LANES).then_some(words)
}

/// Calls `visit` with each lane and the number of its word, counted from the beginning of the space or allocation. `None` if
/// an address is not one of a word, or if `visit` says so.
#[inline(always)]
fn for_each_word(
    addresses: &[u64; LANES],
    offset: u64,
    lanes: LaneMask,
    mut visit: impl FnMut(usize, usize) -> Option<()>,
) -> Option<()> {
    let mut any = 0;
    let mut visit_lane = |lane: usize| {
        let address = addresses[lane].wrapping_add(offset);
        any |= address;
        visit(lane, (address / 4) as usize)
    };
    if lanes == LaneMask::MAX {
        (0..LANES).try_for_each(&mut visit_lane)?;
    } else {
        lanes_of(lanes).try_for_each(&mut visit_lane)?;
    }
    (any % 4 == 0).then_some(())
}

#[inline(always)]
fn load_lanes(
    view: &mut impl SpaceView,
    addresses: &[u64; LANES],
    offset: u64,
    bytes: u32,
    lanes: LaneMask,
) -> Result<[u64; LANES], Failure> {
    let mut values = [0; LANES];
    for lane in lanes_of(lanes) {
        values[lane] =
            view.load(lane, addresses[lane].wrapping_add(offset), bytes).map_err(|reason| (lane, reason))?;
    }
    Ok(values)
}

/// Out of the way: most launches have no approximable region.
#[inline(never)]
fn approximate_lanes(
    memory: &Memory,
    addresses: &[u64; LANES],
    offset: u64,
    values: &mut [u64; LANES],
    lanes: LaneMask,
) {
    for lane in lanes_of(lanes) {
        values[lane] = memory.approximated(addresses[lane].wrapping_add(offset), values[lane]);
    }
}

#[inline(always)]
fn store_lanes(
    view: &mut impl SpaceView,
    addresses: &[u64; LANES],
    offset: u64,
    bytes: u32,
    values: &[u64; LANES],
    lanes: LaneMask,
) -> Result<(), Failure> {
    for lane in lanes_of(lanes) {
        view.store(lane, addresses[lane].wrapping_add(offset), bytes, values[lane])
            .map_err(|reason| (lane, reason))?;
    }
    Ok(())
}
