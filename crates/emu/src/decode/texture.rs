//! tex, tld4, txq.

use shrinkwarp_ptx::ast::{AddressBase, Instruction, Operand, TextureAddress};
use shrinkwarp_ptx::isa::{Geometry, LevelOfDetail, Query, ScalarType, VectorWidth};

use super::builder::Builder;
use super::layout::Place;
use super::operand::operand;
use super::{Decoded, Refusal, not_executable};
use crate::inst::{Access, AccessDirection, CacheOperator, Inst, Row, Space, Unit};
use crate::op::{Op, WideOp};
use crate::texture::{TextureFetch, TextureHandle, TextureProperty, TextureQuery};

/// Bytes of the largest texel; the fetch itself reports what it read.
const MAX_TEXEL_BYTES: u16 = 16;

impl Builder<'_> {
    pub(crate) fn texture(&mut self, instruction: &Instruction) -> Decoded {
        let modifiers = instruction.modifiers();
        let types = [modifiers.types.get(0), modifiers.types.get(1)];
        let (Some(result), Some(coordinate)) = (types[0], types[1]) else {
            return not_executable(instruction);
        };
        let is_known = matches!(result, ScalarType::F32 | ScalarType::S32 | ScalarType::U32)
            && modifiers.vector == Some(VectorWidth::V4);
        // Behind the address stand the level or gradients; anything more is an offset or a comparison.
        let expected = match modifiers.level_of_detail {
            None | Some(LevelOfDetail::Base) => 2,
            Some(LevelOfDetail::Level) => 3,
            Some(LevelOfDetail::Grad) => 4,
        };
        if !is_known || instruction.operands.len() != expected {
            return not_executable(instruction);
        }
        let Operand::Texture(address) = operand(instruction, 1)? else { return not_executable(instruction) };
        if address.sampler.is_some() {
            return Err(format!("{}: separate samplers cannot be executed", instruction.variant.spelling));
        }
        let targets = self.texel_targets(operand(instruction, 0)?)?;
        let (layer, coordinates) = self.coordinates(instruction, address, coordinate)?;
        let handle = self.texture_handle(&address.texture)?;
        let has_float_coordinates = coordinate == ScalarType::F32;
        let is_cube = matches!(modifiers.geometry, Some(Geometry::Cube | Geometry::Acube));
        let gathered_channel = modifiers.component.map(|component| component as usize);
        if gathered_channel.is_some() && (is_cube || coordinates.len() != 2) {
            return not_executable(instruction);
        }
        let fetch = TextureFetch {
            handle,
            coordinates,
            has_float_coordinates,
            is_cube,
            layer,
            gathered_channel,
            targets,
        };
        self.kernel.fetches_textures = true;
        self.kernel.wide.push(WideOp::Texture(fetch));
        let op = Op::Wide(self.kernel.wide.len() as u32 - 1);
        let access = Access {
            space: Space::Texture,
            kind: AccessDirection::Load,
            bytes_per_lane: MAX_TEXEL_BYTES,
            cache: CacheOperator::ReadOnly,
        };
        Ok(Inst { unit: Unit::Memory, access: Some(access), ..Inst::blank(op, instruction.span.line) })
    }

    pub(crate) fn texture_query(&mut self, instruction: &Instruction) -> Decoded {
        let property = match instruction.modifiers().query {
            Some(Query::Width) => TextureProperty::Width,
            Some(Query::Height) => TextureProperty::Height,
            Some(Query::Depth | Query::ArraySize) => TextureProperty::Depth,
            Some(Query::NormalizedCoords) => TextureProperty::HasNormalisedCoordinates,
            Some(Query::NumMipmapLevels) => TextureProperty::Levels,
            _ => return not_executable(instruction),
        };
        let Operand::Address(address) = operand(instruction, 1)? else { return not_executable(instruction) };
        let texture = match address.base {
            AddressBase::Register(register) => Operand::Register(register),
            AddressBase::Symbol(symbol) => Operand::Symbol(symbol, address.offset_bytes),
            AddressBase::Absolute => return not_executable(instruction),
        };
        let handle = self.texture_handle(&texture)?;
        let target = self.target_at(instruction, 0, ScalarType::B32)?;
        self.kernel.wide.push(WideOp::TextureQuery(TextureQuery { handle, property, target }));
        let op = Op::Wide(self.kernel.wide.len() as u32 - 1);
        Ok(Inst::blank(op, instruction.span.line))
    }

    fn texel_targets(&self, operand: &Operand) -> Result<[Row; 4], Refusal> {
        let Operand::Vector(elements) = operand else { return Err("a texel has four registers".into()) };
        let rows: Vec<Row> =
            elements.iter().map(|element| self.target(element, ScalarType::B32)).collect::<Result<_, _>>()?;
        rows.try_into().map_err(|_| "a texel has four registers".into())
    }

    /// The layer of an array, and the rows of x, y and z.
    pub(super) fn coordinates(
        &mut self,
        instruction: &Instruction,
        address: &TextureAddress,
        ty: ScalarType,
    ) -> Result<(Option<Row>, Vec<Row>), Refusal> {
        let (dimensions, is_array) = match instruction.modifiers().geometry {
            Some(Geometry::D1) => (1, false),
            Some(Geometry::D2) => (2, false),
            Some(Geometry::D3) => (3, false),
            Some(Geometry::Cube) if ty == ScalarType::F32 => (3, false),
            Some(Geometry::Acube) if ty == ScalarType::F32 => (3, true),
            Some(Geometry::A1d) => (1, true),
            Some(Geometry::A2d) => (2, true),
            _ => return not_executable(instruction),
        };
        let operands = match &address.coordinates {
            Operand::Vector(elements) => &elements[..],
            single => std::slice::from_ref(single),
        };
        let needed = dimensions + usize::from(is_array);
        if operands.len() < needed {
            return Err(format!("{} needs {needed} coordinates", instruction.variant.spelling));
        }
        let layer = if is_array { Some(self.source(&operands[0], ScalarType::U32)?) } else { None };
        let rest = &operands[usize::from(is_array)..needed];
        let rows = rest.iter().map(|operand| self.source(operand, ty)).collect::<Result<_, _>>()?;
        Ok((layer, rows))
    }

    pub(super) fn texture_handle(&mut self, texture: &Operand) -> Result<TextureHandle, Refusal> {
        match texture {
            Operand::Symbol(symbol, offset) => match self.place(*symbol)? {
                Place::Global(handle) => Ok(TextureHandle::Fixed(handle.wrapping_add_signed(*offset))),
                _ => Err("a texture is a .texref of the module or a handle in a register".into()),
            },
            handle => Ok(TextureHandle::Row64(self.source(handle, ScalarType::U64)?)),
        }
    }
}
