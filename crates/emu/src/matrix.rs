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
//! with `i = r p + part` for C and D. A double fills a register of 64 bits, `p = 1`; with m8 the registers for the lower half are not there.
//!
//! The layout of a `wmma` fragment is left open by the standard. Ours: elements in the order of rows, `p` to a
//! register and `registers × p` to a lane; when there are more places than elements, they repeat.
//!
//! Sums: `c` first, then the products in the order of `k`, each product exact and each sum rounded to the nearest
//! single; a half-precision result is rounded once more at the end. Doubles: the same order, each step as `fma.rn.f64`. Integer sums wrap, or saturate with
//! `.satfinite`.

use half::{bf16, f16};

use crate::LANES;
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
    F64,
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
    /// Rows of the 32-bit bank, of the 64-bit bank for doubles.
    pub registers: Vec<Row>,
    /// By register, lane and part of it: which element lies there, counted by rows.
    pub places: Vec<u16>,
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
            MatrixType::F64 => 64,
        }
    }

    /// Elements in a register: of 32 bits, or of 64 for a double.
    pub(crate) fn per_register(self) -> u32 {
        (32 / self.bits()).max(1)
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, MatrixType::S8 | MatrixType::U8 | MatrixType::S32)
    }

    /// The element as a single; exact for every type that a product takes.
    pub(crate) fn to_single(self, bits: u32) -> f32 {
        match self {
            MatrixType::F16 => half_to_single(bits),
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
}

impl Fragment {
    /// A fragment in these registers.
    pub(crate) fn new(
        ty: MatrixType,
        rows: u16,
        columns: u16,
        placement: Placement,
        registers: Vec<Row>,
    ) -> Self {
        let mut fragment = Self { ty, rows, columns, placement, registers, places: Vec::new() };
        for register in 0..fragment.registers.len() {
            for lane in 0..LANES {
                for part in 0..ty.per_register() as usize {
                    let (row, column) = fragment.place(lane, register, part);
                    fragment.places.push((row * usize::from(columns) + column) as u16);
                }
            }
        }
        fragment
    }

    /// Which elements the lanes hold in a register, for each lane those of its parts.
    pub(crate) fn places_in(&self, register: usize) -> &[u16] {
        let count = LANES * self.ty.per_register() as usize;
        &self.places[register * count..][..count]
    }

    /// The elements as singles; factors of 8 bits, too.
    fn singles<'a>(&self, bits: &[u32], out: &'a mut [f32; MAX_ELEMENTS]) -> &'a mut [f32] {
        /// A loop for each type, so that each is made of vectors.
        macro_rules! convert {
            ($out:expr, $of:expr) => {
                $out.iter_mut().zip(bits).for_each(|(out, &bits)| *out = $of(bits))
            };
        }
        let out = &mut out[..self.elements()];
        match self.ty {
            MatrixType::F16 => convert!(out, half_to_single),
            MatrixType::Bf16 => convert!(out, |bits| MatrixType::Bf16.to_single(bits)),
            MatrixType::Tf32 => convert!(out, |bits| MatrixType::Tf32.to_single(bits)),
            MatrixType::S8 => convert!(out, |bits: u32| f32::from(bits as i8)),
            MatrixType::U8 => convert!(out, |bits: u32| f32::from(bits as u8)),
            MatrixType::F32 | MatrixType::S32 | MatrixType::F64 => convert!(out, f32::from_bits),
        }
        out
    }

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
    /// Multiply-adds of the product.
    pub(crate) fn multiply_adds(&self) -> u32 {
        self.d.elements() as u32 * u32::from(self.a.columns)
    }

    /// The result, by rows, from the elements of `a`, `b` and `c` by rows.
    pub(crate) fn compute(
        &self,
        a: &[u32; MAX_ELEMENTS],
        b: &[u32; MAX_ELEMENTS],
        c: &[u32; MAX_ELEMENTS],
    ) -> [u32; MAX_ELEMENTS] {
        let (depth, columns) = (usize::from(self.a.columns), usize::from(self.d.columns));
        let (mut left, mut right, mut sums) = ([0.0; MAX_ELEMENTS], [0.0; MAX_ELEMENTS], [0.0; MAX_ELEMENTS]);
        let (left, right) = (self.a.singles(a, &mut left), self.b.singles(b, &mut right));
        let mut out = [0; MAX_ELEMENTS];
        if self.a.ty.is_integer() {
            // At most 32 products of 16 bits: their sum is exact in a single.
            let sums = &mut sums[..self.d.elements()];
            multiply_add(left, right, sums, depth, columns);
            for ((out, &sum), &start) in out.iter_mut().zip(&*sums).zip(c) {
                *out = self.integer_sum(start, sum as i32);
            }
        } else {
            let sums = self.c.singles(c, &mut sums);
            multiply_add(left, right, sums, depth, columns);
            out.iter_mut().zip(&*sums).for_each(|(out, &sum)| *out = self.d.ty.of_single(sum));
        }
        out
    }

    /// The same for doubles.
    pub(crate) fn compute_doubles(
        &self,
        a: &[u64; MAX_ELEMENTS],
        b: &[u64; MAX_ELEMENTS],
        c: &[u64; MAX_ELEMENTS],
    ) -> [u64; MAX_ELEMENTS] {
        let (depth, columns) = (usize::from(self.a.columns), usize::from(self.d.columns));
        let mut out = [0; MAX_ELEMENTS];
        for (index, (out, &start)) in out.iter_mut().zip(c).enumerate().take(self.d.elements()) {
            let (row, column) = (index / columns, index % columns);
            let sum = (0..depth).fold(f64::from_bits(start), |sum, k| {
                f64::from_bits(a[row * depth + k]).mul_add(f64::from_bits(b[k * columns + column]), sum)
            });
            *out = sum.to_bits();
        }
        out
    }

    fn integer_sum(&self, start: u32, sum: i32) -> u32 {
        if self.saturates {
            (start as i32).saturating_add(sum) as u32
        } else {
            start.wrapping_add(sum as u32)
        }
    }
}

/// Adds the product to `sums`, for every element in the order of `k`. The columns have no order, so that they are added side by
/// side: their number is a constant of each loop, and the compiler makes vectors of them.
fn multiply_add(a: &[f32], b: &[f32], sums: &mut [f32], depth: usize, columns: usize) {
    match columns {
        8 => multiply_add_columns::<8>(a, b, sums, depth),
        16 => multiply_add_columns::<16>(a, b, sums, depth),
        _ => multiply_add_columns::<32>(a, b, sums, depth),
    }
}

fn multiply_add_columns<const COLUMNS: usize>(a: &[f32], b: &[f32], sums: &mut [f32], depth: usize) {
    let (b, _) = b.as_chunks::<COLUMNS>();
    let (sums, _) = sums.as_chunks_mut::<COLUMNS>();
    for (left, sums) in a.chunks_exact(depth).zip(sums) {
        let mut row = *sums;
        for (&factor, right) in left.iter().zip(b) {
            for (sum, &other) in row.iter_mut().zip(right) {
                // Of factors with at most 11 bits of significand the product is exact.
                *sum += factor * other;
            }
        }
        *sums = row;
    }
}

/// A half as a single, without a branch, so that many are converted side by side.
#[inline(always)]
fn half_to_single(half: u32) -> f32 {
    /// The exponent of a single is biased by 112 more.
    const SCALE: f32 = f32::from_bits((127 + 112) << 23);
    let (sign, magnitude) = ((half & 0x8000) << 16, half & 0x7fff);
    let finite = (f32::from_bits(magnitude << 13) * SCALE).to_bits();
    let quiet = if magnitude > 0x7c00 { 0x0040_0000 } else { 0 };
    let infinite = 0x7f80_0000 | magnitude << 13 | quiet;
    f32::from_bits(sign | if magnitude < 0x7c00 { finite } else { infinite })
}

#[cfg(test)]
mod tests;
