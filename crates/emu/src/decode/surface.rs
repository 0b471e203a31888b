//! suld.b, sust.b, sust.p, suq.

use shrinkwarp_ptx::ast::{Instruction, Operand};
use shrinkwarp_ptx::isa::{Bounds, Opcode, ScalarType, VectorWidth};

use super::builder::Builder;
use super::operand::operand;
use super::{Decoded, not_executable};
use crate::inst::{Access, AccessDirection, CacheOperator, Inst, Space, Unit};
use crate::op::{Op, WideOp};
use crate::texture::{Outside, SurfaceAccess};

impl Builder<'_> {
    pub(crate) fn surface(&mut self, instruction: &Instruction) -> Decoded {
        let is_load = instruction.opcode() == Opcode::Suld;
        let (address_at, value_at) = if is_load { (1, 0) } else { (0, 1) };
        let modifiers = instruction.modifiers();
        let Some(ty) = modifiers.ty() else { return not_executable(instruction) };
        let is_formatted = instruction.opcode() == Opcode::SustP;
        if is_formatted && ty.bits() != 32 {
            return not_executable(instruction);
        }
        let Operand::Texture(address) = operand(instruction, address_at)? else {
            return not_executable(instruction);
        };
        let count = modifiers.vector.map_or(1, VectorWidth::elements);
        let (elements, _) = self.elements(operand(instruction, value_at)?, ty, count, is_load)?;
        let (layer, coordinates) = self.coordinates(instruction, address, ScalarType::S32)?;
        let access = SurfaceAccess {
            handle: self.texture_handle(&address.texture)?,
            is_load,
            is_formatted,
            coordinates,
            layer,
            elements,
            count,
            element_bytes: ty.bytes(),
            outside: match modifiers.bounds {
                Some(Bounds::Clamp) => Outside::Clamp,
                Some(Bounds::Zero) => Outside::Zero,
                Some(Bounds::Trap) | None => Outside::Trap,
            },
        };
        let bytes = count * ty.bytes();
        self.kernel.fetches_textures = true;
        // Which memory a surface lies in is known only when the kernel runs.
        self.kernel.needs_block_order = true;
        self.kernel.wide.push(WideOp::Surface(access));
        let op = Op::Wide(self.kernel.wide.len() as u32 - 1);
        let kind = if is_load { AccessDirection::Load } else { AccessDirection::Store };
        let access =
            Access { space: Space::Global, kind, bytes_per_lane: bytes as u16, cache: CacheOperator::Global };
        Ok(Inst { unit: Unit::Memory, access: Some(access), ..Inst::blank(op, instruction.span.line) })
    }
}
