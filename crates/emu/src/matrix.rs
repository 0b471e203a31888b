//! Matrix operations of a whole warp: which lane holds which element, and what a product is.
//!
//! PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions". With `group = lane / 4`, `member = lane % 4` and
//! `p` elements in a register, element `part` of register `r` of an `mma` fragment lies at
//!
//! | fragment            | row                        | column                        |
//! |---------------------|----------------------------|-------------------------------|
//! | A (16 × k)          | `group + 8 (r mod 2)`      | `member p + part + 4p (r / 2)` |
//! | B (k × 8)           | `member p + part + 4p r`   | `group`                       |
//! | C, D (16 × 8)       | `group + 8 (i / 2)`        | `2 member + i mod 2`          |
//!
//! with `i = r p + part` for C and D.
//!
//! The layout of a `wmma` fragment is left open by the standard. Ours: elements in the order of rows, `p` to a
//! register and `registers × p` to a lane; when there are more places than elements, they repeat.
//!
//! Sums: `c` first, then the products in the order of `k`, each product exact and each sum rounded to the nearest
//! single; a half-precision result is rounded once more at the end. Integer sums wrap, or saturate with
//! `.satfinite`.

use half::{bf16, f16};

use crate::inst::Row;
use crate::op::Base;

/// Most elements of a fragment: 32 × 16.
pub(crate) const MAX_ELEMENTS: usize = 512;

/// Type of a matrix element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixType {
    F16,
    Bf16,
    Tf32,
    F32,
    S8,
    U8,
    S32,
}

/// A matrix spread over the registers of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fragment {
    pub ty: MatrixType,
    pub rows: u16,
    pub columns: u16,
    pub placement: Placement,
    /// Rows of the 32-bit bank.
    pub registers: Vec<Row>,
}

/// Which lane holds what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// `wmma`.
    InOrder,
    /// A of `mma`.
    Left,
    /// B of `mma`.
    Right,
    /// C and D of `mma`.
    Sum,
}

/// `wmma.load`, `wmma.store`. Address from `base` and row `a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MatrixTransfer {
    pub fragment: Fragment,
    pub base: Base,
    pub is_store: bool,
    /// Columns lie contiguously in memory, not rows.
    pub is_column_major: bool,
    /// Row with the distance between lines in elements; `None` means lines follow each other.
    pub stride: Option<Row>,
}

/// `wmma.mma`, `mma`: `d = a × b + c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MatrixProduct {
    pub d: Fragment,
    pub a: Fragment,
    pub b: Fragment,
    pub c: Fragment,
    pub saturates: bool,
}

/// `ldmatrix`, `stmatrix`: 8 × 8 matrices of 16 bits; lane `8 i + j` gives the address of row `j` of matrix `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MatrixRows {
    pub base: Base,
    pub is_store: bool,
    pub is_transposed: bool,
    /// One register for each matrix.
    pub registers: Vec<Row>,
}

impl MatrixType {
    /// Bits of an element.
    pub(crate) fn bits(self) -> u32 {
        match self {
            MatrixType::S8 | MatrixType::U8 => 8,
            MatrixType::F16 | MatrixType::Bf16 => 16,
            MatrixType::Tf32 | MatrixType::F32 | MatrixType::S32 => 32,
        }
    }

    /// Elements in a 32-bit register.
    pub(crate) fn per_register(self) -> u32 {
        32 / self.bits()
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, MatrixType::S8 | MatrixType::U8 | MatrixType::S32)
    }

    /// The element as a single; exact for every type that a product takes.
    pub(crate) fn to_single(self, bits: u32) -> f32 {
        match self {
            MatrixType::F16 => f16::from_bits(bits as u16).to_f32(),
            MatrixType::Bf16 => bf16::from_bits(bits as u16).to_f32(),
            // The lower 13 bits of a TensorFloat-32 are not looked at.
            MatrixType::Tf32 => f32::from_bits(bits & !0x1fff),
            _ => f32::from_bits(bits),
        }
    }

    fn of_single(self, value: f32) -> u32 {
        match self {
            MatrixType::F16 => u32::from(f16::from_f32(value).to_bits()),
            MatrixType::Bf16 => u32::from(bf16::from_f32(value).to_bits()),
            _ => value.to_bits(),
        }
    }

    fn to_integer(self, bits: u32) -> i32 {
        match self {
            MatrixType::S8 => i32::from(bits as i8),
            MatrixType::U8 => i32::from(bits as u8),
            _ => bits as i32,
        }
    }
}

impl Fragment {
    /// Row and column of an element.
    pub(crate) fn place(&self, lane: usize, register: usize, part: usize) -> (usize, usize) {
        let per_register = self.ty.per_register() as usize;
        let (group, member) = (lane / 4, lane % 4);
        match self.placement {
            Placement::InOrder => {
                let slot = (lane * self.registers.len() + register) * per_register + part;
                let index = slot % self.elements();
                (index / usize::from(self.columns), index % usize::from(self.columns))
            }
            Placement::Left => {
                let column = member * per_register + part + 4 * per_register * (register / 2);
                (group + 8 * (register % 2), column)
            }
            Placement::Right => (member * per_register + part + 4 * per_register * register, group),
            Placement::Sum => {
                let index = register * per_register + part;
                (group + 8 * (index / 2), 2 * member + index % 2)
            }
        }
    }

    /// Elements of the matrix.
    pub(crate) fn elements(&self) -> usize {
        usize::from(self.rows) * usize::from(self.columns)
    }
}

impl MatrixProduct {
    /// The result, by rows, from the elements of `a`, `b` and `c` by rows.
    pub(crate) fn compute(
        &self,
        a: &[u32; MAX_ELEMENTS],
        b: &[u32; MAX_ELEMENTS],
        c: &[u32; MAX_ELEMENTS],
    ) -> [u32; MAX_ELEMENTS] {
        let (depth, columns) = (usize::from(self.a.columns), usize::from(self.d.columns));
        let mut out = [0; MAX_ELEMENTS];
        for (index, out) in out.iter_mut().take(self.d.elements()).enumerate() {
            let (row, column) = (index / columns, index % columns);
            let factors = (0..depth).map(|k| (a[row * depth + k], b[k * columns + column]));
            *out = if self.a.ty.is_integer() {
                self.integer_sum(c[index], factors)
            } else {
                self.float_sum(c[index], factors)
            };
        }
        out
    }

    fn float_sum(&self, start: u32, factors: impl Iterator<Item = (u32, u32)>) -> u32 {
        let sum = factors.fold(self.c.ty.to_single(start), |sum, (a, b)| {
            // At most 22 bits of significand: the product is exact.
            sum + self.a.ty.to_single(a) * self.b.ty.to_single(b)
        });
        self.d.ty.of_single(sum)
    }

    fn integer_sum(&self, start: u32, factors: impl Iterator<Item = (u32, u32)>) -> u32 {
        let start = i64::from(start as i32);
        let sum = factors.fold(start, |sum, (a, b)| {
            sum + i64::from(self.a.ty.to_integer(a)) * i64::from(self.b.ty.to_integer(b))
        });
        if self.saturates {
            return sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32;
        }
        sum as u32
    }
}

#[cfg(test)]
mod tests;
