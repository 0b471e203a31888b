//! Texture fetches.

use super::spaces::{GlobalView, SpaceView};
use super::{Context, StepResult};
use crate::LANES;
use crate::fault::FaultKind;
use crate::inst::{AccessDirection, Space};
use crate::memory::{Filter, Texture};
use crate::registers::lanes_of;
use crate::texture::{Coordinate, Taps, TextureFetch, TextureHandle, TextureQuery, cube_face};

/// What a channel reads as when the texel lacks it.
const MISSING: [u32; 4] = [0, 0, 0, 1];

impl Context<'_> {
    /// Reports the address of each lane's first texel; neighbours of a linear filter lie beside it.
    pub(super) fn texture_fetch(&mut self, fetch: &TextureFetch) -> StepResult {
        let mut values = [[0u32; LANES]; 4];
        let mut bytes = 0;
        let memory = self.memory;
        for lane in lanes_of(self.lanes) {
            let handle = self.texture_handle(fetch.handle, lane);
            let Some(texture) = memory.texture(handle) else {
                return Err(self.fault(lane, FaultKind::BadTexture { handle }));
            };
            bytes = texture.format.bytes();
            let taps = self.lane_taps(fetch, texture, lane);
            let first = taps.map(|taps| taps.indexes[0].unwrap_or(0));
            self.effects.addresses[lane] = texture.texel_address(first);
            let texel = match fetch.gathered_channel {
                Some(channel) => self.gathered(texture, &taps, channel, lane)?,
                None => self.filtered(texture, &taps, lane)?,
            };
            for (channel, value) in texel.into_iter().enumerate() {
                values[channel][lane] = value;
            }
        }
        let lanes = self.lanes;
        self.report(Space::Texture, AccessDirection::Load, bytes, lanes);
        for (row, values) in fetch.targets.iter().zip(&values) {
            self.state().registers.set32(*row, values, lanes);
        }
        Ok(())
    }

    pub(super) fn texture_handle(&self, handle: TextureHandle, lane: usize) -> u64 {
        match handle {
            TextureHandle::Fixed(handle) => handle,
            TextureHandle::Row64(row) => self.block.warps[self.warp].registers.get64(row)[lane],
        }
    }

    pub(super) fn texture_query(&mut self, query: TextureQuery) -> StepResult {
        let mut values = [0; LANES];
        for lane in lanes_of(self.lanes) {
            let handle = self.texture_handle(query.handle, lane);
            let Some(texture) = self.memory.texture(handle) else {
                return Err(self.fault(lane, FaultKind::BadTexture { handle }));
            };
            values[lane] = texture.property(query.property);
        }
        let lanes = self.lanes;
        self.state().registers.set32(query.target, &values, lanes);
        Ok(())
    }

    /// The texels of one lane in x, y and z; a missing dimension has only texel 0.
    fn lane_taps(&self, fetch: &TextureFetch, texture: &Texture, lane: usize) -> [Taps; 3] {
        let registers = &self.block.warps[self.warp].registers;
        if fetch.is_cube {
            return self.cube_taps(fetch, texture, lane);
        }
        let filter = if fetch.gathered_channel.is_some() { Filter::Linear } else { texture.filter };
        let extents = [texture.width, texture.height, texture.depth];
        let mut taps = [Taps { indexes: [Some(0); 2], second_weight: 0.0 }; 3];
        for (dimension, &row) in fetch.coordinates.iter().enumerate() {
            let bits = registers.get32(row)[lane];
            let coordinate = if fetch.has_float_coordinates {
                Coordinate::Float(f32::from_bits(bits))
            } else {
                Coordinate::Integer(bits as i32)
            };
            taps[dimension] = texture.taps_of(filter, coordinate, extents[dimension]);
        }
        if let Some(row) = fetch.layer {
            let layer = registers.get32(row)[lane].min(texture.depth - 1);
            taps[2] = Taps { indexes: [Some(layer); 2], second_weight: 0.0 };
        }
        taps
    }

    fn cube_taps(&self, fetch: &TextureFetch, texture: &Texture, lane: usize) -> [Taps; 3] {
        let registers = &self.block.warps[self.warp].registers;
        let mut direction = [0.0; 3];
        for (coordinate, &row) in direction.iter_mut().zip(&fetch.coordinates) {
            *coordinate = f32::from_bits(registers.get32(row)[lane]);
        }
        let (face, along) = cube_face(direction);
        let taps = |along: f32, extent: u32| {
            let scale = if texture.has_normalised_coordinates { 1.0 } else { extent as f32 };
            texture.taps(Coordinate::Float(along * scale), extent)
        };
        let cube = fetch.layer.map_or(0, |row| registers.get32(row)[lane]);
        let layer = Some(cube.saturating_mul(6).saturating_add(face).min(texture.depth - 1));
        let face = Taps { indexes: [layer; 2], second_weight: 0.0 };
        [taps(along[0], texture.width), taps(along[1], texture.height), face]
    }

    /// One channel of the four texels around a place, counter-clockwise from the lower left.
    fn gathered(
        &self,
        texture: &Texture,
        [x, y, z]: &[Taps; 3],
        channel: usize,
        lane: usize,
    ) -> Result<[u32; 4], Box<crate::fault::Fault>> {
        let mut values = [0; 4];
        for (value, (right, lower)) in values.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            *value = self.texel(texture, [x.indexes[right], y.indexes[lower], z.indexes[0]], lane)?[channel];
        }
        Ok(values)
    }

    /// The four channels, interpolated where the weights ask for it.
    fn filtered(
        &self,
        texture: &Texture,
        taps: &[Taps; 3],
        lane: usize,
    ) -> Result<[u32; 4], Box<crate::fault::Fault>> {
        let is_blended = taps.iter().any(|taps| taps.second_weight != 0.0);
        if !is_blended || !texture.delivers_floats() {
            return self.texel(texture, taps.map(|taps| taps.indexes[0]), lane);
        }
        let mut sum = [0f32; 4];
        for corner in 0..8usize {
            let mut weight = 1f32;
            let mut at = [None; 3];
            for (dimension, taps) in taps.iter().enumerate() {
                let side = corner >> dimension & 1;
                at[dimension] = taps.indexes[side];
                weight *= if side == 1 { taps.second_weight } else { 1.0 - taps.second_weight };
            }
            if weight == 0.0 {
                continue;
            }
            let texel = self.texel(texture, at, lane)?;
            for (sum, bits) in sum.iter_mut().zip(texel) {
                *sum += weight * f32::from_bits(bits);
            }
        }
        Ok(sum.map(f32::to_bits))
    }

    /// The channels of one texel; outside, all are zero.
    fn texel(
        &self,
        texture: &Texture,
        at: [Option<u32>; 3],
        lane: usize,
    ) -> Result<[u32; 4], Box<crate::fault::Fault>> {
        let [Some(x), Some(y), Some(z)] = at else { return Ok([0; 4]) };
        let address = texture.texel_address([x, y, z]);
        let channel_bytes = u32::from(texture.format.channel_bits) / 8;
        let one = if texture.delivers_floats() { 1f32.to_bits() } else { 1 };
        let mut channels = MISSING.map(|missing| missing * one);
        let mut view = GlobalView::new(self.memory);
        for (index, channel) in channels.iter_mut().take(usize::from(texture.format.channels)).enumerate() {
            let address = address + index as u64 * u64::from(channel_bytes);
            let bits = view.load(lane, address, channel_bytes).map_err(|reason| {
                self.memory_fault(lane, Space::Texture, address, channel_bytes, AccessDirection::Load, reason)
            })?;
            *channel = texture.channel(self.memory.approximated(address, bits) as u32);
        }
        Ok(channels)
    }
}
