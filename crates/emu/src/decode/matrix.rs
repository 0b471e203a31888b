//! wmma, mma, ldmatrix, stmatrix.

use shrinkwarp_ptx::ast::{Instruction, Operand};
use shrinkwarp_ptx::isa::{
    Fragment as Part, Kind, Layout, MatrixShape, Opcode, Repeat, Rounding, ScalarType,
};

use super::builder::Builder;
use super::operand::operand;
use super::{Decoded, Refusal, first_type, not_executable};
use crate::inst::{Access, AccessDirection, CacheOperator, Inst, Row, Unit};
use crate::matrix::{Fragment, MatrixProduct, MatrixRows, MatrixTransfer, MatrixType, Placement};
use crate::op::{Op, WideOp};

/// Registers of a `wmma` factor in half precision, whatever its shape.
const HALF_FACTOR_REGISTERS: usize = 8;
/// Lanes that share a fragment.
const LANES: usize = crate::LANES;

/// Shapes of `wmma` for 8- and 16-bit factors.
const WMMA_SHAPES: [(u16, u16, u16); 3] = [(16, 16, 16), (8, 32, 16), (32, 8, 16)];

impl Builder<'_> {
    pub(crate) fn matrix(&mut self, instruction: &Instruction) -> Decoded {
        match instruction.opcode() {
            Opcode::WmmaLoad => self.wmma_transfer(instruction, false),
            Opcode::WmmaStore => self.wmma_transfer(instruction, true),
            Opcode::WmmaMma => self.wmma_product(instruction),
            Opcode::Mma => self.mma(instruction),
            Opcode::Ldmatrix => self.matrix_rows(instruction, false),
            _ => self.matrix_rows(instruction, true),
        }
    }

    fn wmma_transfer(&mut self, instruction: &Instruction, is_store: bool) -> Decoded {
        let modifiers = instruction.modifiers();
        let (Some(part), Some(shape), Some(layout)) = (modifiers.fragment, modifiers.shape, modifiers.layout)
        else {
            return not_executable(instruction);
        };
        let ty = matrix_type(first_type(instruction)?, instruction)?;
        let (address_at, value_at) = if is_store { (0, 1) } else { (1, 0) };
        let registers = self.fragment_registers(operand(instruction, value_at)?, ty, is_store)?;
        let fragment = wmma_fragment(instruction, part, shape, ty, registers)?;
        let stride = match instruction.operands.get(2) {
            Some(stride) => Some(self.source(stride, ScalarType::U32)?),
            None => None,
        };
        let (space, base, a, offset) = self.located(instruction, address_at)?;
        let bytes = fragment.elements() as u32 * ty.bits() / 8 / LANES as u32;
        let kind = if is_store { AccessDirection::Store } else { AccessDirection::Load };
        let is_column_major = layout == Layout::Col;
        let transfer = MatrixTransfer { fragment, base, is_store, is_column_major, stride };
        let access = Access { space, kind, bytes_per_lane: bytes as u16, cache: CacheOperator::default() };
        let inst = self.wide_inst(instruction, WideOp::MatrixTransfer(transfer));
        Ok(Inst { a, offset, access: Some(access), unit: Unit::Memory, ..inst })
    }

    fn wmma_product(&mut self, instruction: &Instruction) -> Decoded {
        let Some(shape) = instruction.modifiers().shape else { return not_executable(instruction) };
        let types: Vec<_> = instruction.modifiers().types.iter().collect();
        // Half-precision factors are not spelt out: only the types of d and c are.
        let [d, a, b, c] = match types[..] {
            [d, c] => [d, ScalarType::F16, ScalarType::F16, c],
            [d, a, b, c] => [d, a, b, c],
            _ => return not_executable(instruction),
        };
        let mut part = |position, part, ty, is_source| {
            let ty = matrix_type(ty, instruction)?;
            let registers = self.fragment_registers(operand(instruction, position)?, ty, is_source)?;
            wmma_fragment(instruction, part, shape, ty, registers)
        };
        let d = part(0, Part::D, d, false)?;
        let a = part(1, Part::A, a, true)?;
        let b = part(2, Part::B, b, true)?;
        let c = part(3, Part::C, c, true)?;
        self.product(instruction, [d, a, b, c])
    }

    fn mma(&mut self, instruction: &Instruction) -> Decoded {
        let modifiers = instruction.modifiers();
        let (Some(MatrixShape { m, n: 8, k }), [Some(d), Some(a), Some(b), Some(c)]) =
            (modifiers.shape, [0, 1, 2, 3].map(|index| modifiers.types.get(index)))
        else {
            return not_executable(instruction);
        };
        let is_row_by_column =
            modifiers.layout == Some(Layout::Row) && modifiers.second_layout == Some(Layout::Col);
        let depths: &[u16] = match (m, a) {
            (16, ScalarType::F16 | ScalarType::Bf16) => &[8, 16],
            (16, ScalarType::Tf32) => &[4, 8],
            (16, ScalarType::S8 | ScalarType::U8) => &[16, 32],
            (16, ScalarType::F64) => &[4, 8, 16],
            (8, ScalarType::F64) => &[4],
            _ => &[],
        };
        if !is_row_by_column || !depths.contains(&k) {
            return not_executable(instruction);
        }
        let mut part = |position, (rows, columns), placement, ty, is_source| {
            let ty = matrix_type(ty, instruction)?;
            let registers = self.fragment_registers(operand(instruction, position)?, ty, is_source)?;
            let fragment = Fragment::new(ty, rows, columns, placement, registers);
            let expected = fragment.elements() / LANES / ty.per_register() as usize;
            with_registers(instruction, fragment, expected)
        };
        let d = part(0, (m, 8), Placement::Sum, d, false)?;
        let a = part(1, (m, k), Placement::Left, a, true)?;
        let b = part(2, (k, 8), Placement::Right, b, true)?;
        let c = part(3, (m, 8), Placement::Sum, c, true)?;
        self.product(instruction, [d, a, b, c])
    }

    fn product(&mut self, instruction: &Instruction, [d, a, b, c]: [Fragment; 4]) -> Decoded {
        let is_sum_known = if a.ty.is_integer() {
            b.ty.is_integer() && [d.ty, c.ty] == [MatrixType::S32; 2]
        } else {
            let sums: &[MatrixType] = match a.ty {
                MatrixType::F16 => &[MatrixType::F16, MatrixType::F32],
                MatrixType::F64 => &[MatrixType::F64],
                _ => &[MatrixType::F32],
            };
            a.ty == b.ty && sums.contains(&d.ty) && sums.contains(&c.ty)
        };
        let saturates = instruction.modifiers().has(Kind::SatFinite);
        let is_rounding_known = match instruction.modifiers().rounding {
            None => true,
            Some(rounding) => a.ty == MatrixType::F64 && rounding == Rounding::Rn,
        };
        let has_odd_suffix = instruction.modifiers().operation.is_some() || !is_rounding_known;
        if !is_sum_known || has_odd_suffix || (saturates && !a.ty.is_integer()) {
            return not_executable(instruction);
        }
        let product = MatrixProduct { d, a, b, c, saturates };
        Ok(self.wide_inst(instruction, WideOp::MatrixProduct(product)))
    }

    fn matrix_rows(&mut self, instruction: &Instruction, is_store: bool) -> Decoded {
        let modifiers = instruction.modifiers();
        let is_known = modifiers.shape == Some(MatrixShape { m: 8, n: 8, k: 0 })
            && modifiers.ty() == Some(ScalarType::B16);
        let count = match modifiers.repeat {
            Some(Repeat::X1) => 1,
            Some(Repeat::X2) => 2,
            Some(Repeat::X4) => 4,
            None => 0,
        };
        if !is_known || count == 0 {
            return not_executable(instruction);
        }
        let (address_at, value_at) = if is_store { (0, 1) } else { (1, 0) };
        let registers =
            self.fragment_registers(operand(instruction, value_at)?, MatrixType::F16, is_store)?;
        if registers.len() != count {
            return Err(format!("{count} registers were expected, {} are given", registers.len()));
        }
        let (space, base, a, offset) = self.located(instruction, address_at)?;
        let is_transposed = modifiers.has(Kind::Transposed);
        let kind = if is_store { AccessDirection::Store } else { AccessDirection::Load };
        let rows = MatrixRows { base, is_store, is_transposed, registers };
        let access = Access { space, kind, bytes_per_lane: 16, cache: CacheOperator::default() };
        let inst = self.wide_inst(instruction, WideOp::MatrixRows(rows));
        Ok(Inst { a, offset, access: Some(access), unit: Unit::Memory, ..inst })
    }

    fn wide_inst(&mut self, instruction: &Instruction, operation: WideOp) -> Inst {
        self.kernel.wide.push(operation);
        Inst::blank(Op::Wide(self.kernel.wide.len() as u32 - 1), instruction.span.line)
    }

    /// The rows of a vector of registers that hold elements of the type, or of a single one.
    fn fragment_registers(
        &mut self,
        value: &Operand,
        ty: MatrixType,
        is_source: bool,
    ) -> Result<Vec<Row>, Refusal> {
        let held = if ty == MatrixType::F64 { ScalarType::F64 } else { ScalarType::B32 };
        let operands = match value {
            Operand::Vector(elements) => &elements[..],
            single => std::slice::from_ref(single),
        };
        let row = |operand: &Operand| {
            if is_source { self.source(operand, held) } else { self.target(operand, held) }
        };
        operands.iter().map(row).collect()
    }
}

/// A `wmma` fragment with the registers the standard gives it.
fn wmma_fragment(
    instruction: &Instruction,
    part: Part,
    MatrixShape { m, n, k }: MatrixShape,
    ty: MatrixType,
    registers: Vec<Row>,
) -> Result<Fragment, Refusal> {
    let is_factor = matches!(part, Part::A | Part::B);
    let is_tf32 = (m, n, k) == (16, 16, 8);
    let is_fitting = match (is_factor, ty) {
        (_, MatrixType::F64) => (m, n, k) == (8, 8, 4),
        (true, MatrixType::Tf32) => is_tf32,
        (true, MatrixType::F32 | MatrixType::S32) => false,
        (false, MatrixType::F32) => is_tf32 || WMMA_SHAPES.contains(&(m, n, k)),
        (false, MatrixType::F16 | MatrixType::S32) | (true, _) => WMMA_SHAPES.contains(&(m, n, k)),
        (false, _) => false,
    };
    if !is_fitting {
        return not_executable(instruction);
    }
    let (rows, columns) = match part {
        Part::A => (m, k),
        Part::B => (k, n),
        Part::C | Part::D => (m, n),
    };
    let fragment = Fragment::new(ty, rows, columns, Placement::InOrder, registers);
    let expected = if is_factor && ty == MatrixType::F16 {
        HALF_FACTOR_REGISTERS
    } else {
        fragment.elements() / LANES / ty.per_register() as usize
    };
    with_registers(instruction, fragment, expected)
}

fn with_registers(
    instruction: &Instruction,
    fragment: Fragment,
    expected: usize,
) -> Result<Fragment, Refusal> {
    if fragment.registers.len() == expected {
        return Ok(fragment);
    }
    Err(format!(
        "{}: a fragment of {} registers was expected, {} are given",
        instruction.variant.spelling,
        expected,
        fragment.registers.len()
    ))
}

fn matrix_type(ty: ScalarType, instruction: &Instruction) -> Result<MatrixType, Refusal> {
    Ok(match ty {
        ScalarType::F16 => MatrixType::F16,
        ScalarType::Bf16 => MatrixType::Bf16,
        ScalarType::Tf32 => MatrixType::Tf32,
        ScalarType::F32 => MatrixType::F32,
        ScalarType::F64 => MatrixType::F64,
        ScalarType::S8 => MatrixType::S8,
        ScalarType::U8 => MatrixType::U8,
        ScalarType::S32 => MatrixType::S32,
        _ => return not_executable(instruction),
    })
}
