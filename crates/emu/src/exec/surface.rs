//! Reads and writes of surfaces: the first coordinate counts bytes, except where texels are formatted.

use super::access::with_view;
use super::spaces::{GlobalView, LocalView, ReadOnlyView, SharedView, SpaceView};
use super::{Context, StepResult};
use crate::LANES;
use crate::fault::FaultKind;
use crate::inst::{AccessDirection, Space};
use crate::kernel::VectorRegister;
use crate::memory::{ChannelKind, Texture};
use crate::registers::lanes_of;
use crate::texture::{Outside, SurfaceAccess};

impl Context<'_> {
    pub(super) fn surface(&mut self, access: &SurfaceAccess) -> StepResult {
        let mut bytes = access.count * access.element_bytes;
        let mut loaded = [[0u64; LANES]; 4];
        let memory = self.memory;
        let mut addresses = [0; LANES];
        for lane in lanes_of(self.lanes) {
            let handle = self.texture_handle(access.handle, lane);
            let Some(surface) = memory.texture(handle) else {
                return Err(self.fault(lane, FaultKind::BadTexture { handle }));
            };
            if access.is_formatted {
                bytes = surface.format.bytes();
            }
            let Some(address) = self.surface_address(access, surface, bytes, lane) else {
                if access.outside == Outside::Trap {
                    return Err(self.fault(lane, FaultKind::Trap));
                }
                continue;
            };
            addresses[lane] = address;
            self.surface_lane(access, surface, address, lane, &mut loaded)?;
        }
        self.effects.addresses = addresses;
        let lanes = self.lanes;
        let direction = if access.is_load { AccessDirection::Load } else { AccessDirection::Store };
        self.report(Space::Global, direction, bytes, lanes);
        if access.is_load {
            for (index, values) in loaded.iter().enumerate().take(access.count as usize) {
                self.put_loaded(access.elements + index as u32, values, lanes);
            }
        }
        Ok(())
    }

    fn put_loaded(&mut self, list: u32, values: &[u64; LANES], lanes: crate::LaneMask) {
        let element = self.kernel.lists.get(list as usize).copied();
        let registers = &mut self.state().registers;
        match element {
            Some(VectorRegister::Row32(row)) => {
                registers.set32(row, &values.map(|value| value as u32), lanes);
            }
            Some(VectorRegister::Row64(row)) => registers.set64(row, values, lanes),
            _ => {}
        }
    }

    /// Where a lane's bytes lie; nothing outside the surface.
    fn surface_address(
        &self,
        access: &SurfaceAccess,
        surface: &Texture,
        bytes: u32,
        lane: usize,
    ) -> Option<u64> {
        let registers = &self.block.warps[self.warp].registers;
        let mut at = [0i64; 3];
        for (place, &row) in at.iter_mut().zip(&access.coordinates) {
            *place = i64::from(registers.get32(row)[lane] as i32);
        }
        if let Some(row) = access.layer {
            at[2] = i64::from(registers.get32(row)[lane]);
        }
        let texel_bytes = i64::from(surface.format.bytes());
        if access.is_formatted {
            at[0] *= texel_bytes;
        }
        let last = [
            i64::from(surface.width) * texel_bytes - i64::from(bytes),
            i64::from(surface.height) - 1,
            i64::from(surface.depth) - 1,
        ];
        for (place, last) in at.iter_mut().zip(last) {
            if access.outside == Outside::Clamp {
                *place = (*place).clamp(0, last.max(0));
            } else if !(0..=last).contains(place) {
                return None;
            }
        }
        Some(surface.texel_address([0, at[1] as u32, at[2] as u32]) + at[0] as u64)
    }

    fn surface_lane(
        &mut self,
        access: &SurfaceAccess,
        surface: &Texture,
        address: u64,
        lane: usize,
        loaded: &mut [[u64; LANES]; 4],
    ) -> StepResult {
        let element_bytes = if access.is_formatted {
            u32::from(surface.format.channel_bits) / 8
        } else {
            access.element_bytes
        };
        let count = if access.is_formatted {
            access.count.min(u32::from(surface.format.channels))
        } else {
            access.count
        };
        for index in 0..count {
            let at = address + u64::from(index * element_bytes);
            let direction = if access.is_load { AccessDirection::Load } else { AccessDirection::Store };
            let done = if access.is_load {
                with_view!(self, Space::Global, |view| view.load(lane, at, element_bytes))
                    .map(|value| loaded[index as usize][lane] = value)
            } else {
                let value = self.surface_value(access, surface, index, lane);
                with_view!(self, Space::Global, |view| view.store(lane, at, element_bytes, value))
            };
            done.map_err(|reason| {
                self.memory_fault(lane, Space::Global, at, element_bytes, direction, reason)
            })?;
        }
        Ok(())
    }

    /// The value that a store writes; a formatted one is converted to the surface's channels.
    fn surface_value(&self, access: &SurfaceAccess, surface: &Texture, index: u32, lane: usize) -> u64 {
        let registers = &self.block.warps[self.warp].registers;
        let value = match self.kernel.lists.get((access.elements + index) as usize) {
            Some(VectorRegister::Row32(row)) => u64::from(registers.get32(*row)[lane]),
            Some(VectorRegister::Row64(row)) => registers.get64(*row)[lane],
            _ => 0,
        };
        let is_half = surface.format.kind == ChannelKind::Float && surface.format.channel_bits == 16;
        if access.is_formatted && is_half {
            return u64::from(half::f16::from_f32(f32::from_bits(value as u32)).to_bits());
        }
        value
    }
}
