//! Matrix loads, stores and products of a whole warp.
//!
//! All lanes should take part; the standard leaves open what happens otherwise. Ours: the values of idle lanes
//! count as they are, and results go to active lanes only.

use super::access::with_view;
use super::address::resolve_generic;
use super::spaces::{GlobalView, LocalView, ReadOnlyView, SharedView, SpaceView};
use super::{Context, StepResult};
use crate::LANES;
use crate::fault::Fault;
use crate::inst::{AccessDirection, Inst, Space};
use crate::matrix::{Fragment, MAX_ELEMENTS, MatrixProduct, MatrixRows, MatrixTransfer, MatrixType};
use crate::registers::lanes_of;

/// Bytes of one row of an 8 × 8 matrix of 16 bits.
const ROW_BYTES: u32 = 16;

impl Context<'_> {
    pub(super) fn matrix_product(&mut self, product: &MatrixProduct) {
        if product.a.ty == MatrixType::F64 {
            let [a, b, c] =
                [&product.a, &product.b, &product.c].map(|fragment| self.gather_doubles(fragment));
            let result = product.compute_doubles(&a, &b, &c);
            self.scatter_doubles(&product.d, &result);
            return;
        }
        let [a, b, c] = [&product.a, &product.b, &product.c].map(|fragment| self.gather(fragment));
        let result = product.compute(&a, &b, &c);
        self.scatter(&product.d, &result);
    }

    /// `wmma.load`, `wmma.store`. The traffic is reported as 32 equal pieces of the matrix, one for each lane, in
    /// the order of memory.
    pub(super) fn matrix_transfer(&mut self, inst: &Inst, transfer: &MatrixTransfer) -> StepResult {
        let first = self.first_lane();
        let (space, start) = resolved(inst, self.lane_addresses(transfer.base, inst.a, inst.offset)[first]);
        let fragment = &transfer.fragment;
        let (lines, line_elements) = if transfer.is_column_major {
            (usize::from(fragment.columns), usize::from(fragment.rows))
        } else {
            (usize::from(fragment.rows), usize::from(fragment.columns))
        };
        let stride = match transfer.stride {
            Some(row) => u64::from(self.state().registers.get32(row)[first]),
            None => line_elements as u64,
        };
        let bytes = fragment.ty.bits() / 8;
        let address = |line: usize, at: usize| {
            start.wrapping_add((line as u64 * stride + at as u64) * u64::from(bytes))
        };
        let per_lane = lines * line_elements / LANES;
        for lane in 0..LANES {
            let element = lane * per_lane;
            self.effects.addresses[lane] = address(element / line_elements, element % line_elements);
        }
        let kind = if transfer.is_store { AccessDirection::Store } else { AccessDirection::Load };
        self.report(space, kind, per_lane as u32 * bytes, self.lanes);
        let mut elements = if transfer.is_store { self.elements(fragment) } else { [0; MAX_ELEMENTS] };
        for line in 0..lines {
            for at in 0..line_elements {
                let (row, column) = if transfer.is_column_major { (at, line) } else { (line, at) };
                let element = &mut elements[row * usize::from(fragment.columns) + column];
                let value = transfer.is_store.then_some(*element);
                *element = self.move_element(space, first, address(line, at), bytes, value)?;
            }
        }
        if !transfer.is_store {
            self.set_elements(fragment, &elements);
        }
        Ok(())
    }

    /// `ldmatrix`, `stmatrix`. Lane `l` holds two neighbours of row `l / 4`, or of that column when transposed.
    pub(super) fn matrix_rows(&mut self, inst: &Inst, rows: &MatrixRows) -> StepResult {
        let addresses = self.lane_addresses(rows.base, inst.a, inst.offset);
        let givers = self.lanes & (((1u64 << (8 * rows.registers.len())) - 1) as u32);
        let (space, _) = resolved(inst, addresses[self.first_lane()]);
        self.effects.addresses = addresses.map(|address| resolved(inst, address).1);
        for lane in lanes_of(givers) {
            self.check_row(lane, space)?;
        }
        let kind = if rows.is_store { AccessDirection::Store } else { AccessDirection::Load };
        self.report(space, kind, ROW_BYTES, givers);
        for (matrix, &register) in rows.registers.iter().enumerate() {
            let mut values = self.state().registers.get32(register);
            for lane in lanes_of(self.lanes) {
                for part in 0..2 {
                    let (long, short) = (2 * (lane % 4) + part, lane / 4);
                    let (row, column) = if rows.is_transposed { (long, short) } else { (short, long) };
                    let giver = 8 * matrix + row;
                    let address = self.effects.addresses[giver].wrapping_add(2 * column as u64);
                    let value = rows.is_store.then_some(u64::from(values[lane] >> (16 * part) & 0xffff));
                    let loaded = self.move_element(space, giver, address, 2, value)? as u32;
                    values[lane] = values[lane] & !(0xffff << (16 * part)) | loaded << (16 * part);
                }
            }
            let lanes = self.lanes;
            self.state().registers.set32(register, &values, lanes);
        }
        Ok(())
    }

    /// Rows begin at multiples of their size.
    fn check_row(&self, lane: usize, space: Space) -> StepResult {
        let address = self.effects.addresses[lane];
        if address.is_multiple_of(u64::from(ROW_BYTES)) {
            return Ok(());
        }
        let reason = super::spaces::Refusal::Misaligned;
        Err(self.memory_fault(lane, space, address, ROW_BYTES, AccessDirection::Load, reason))
    }

    /// Stores a value, or loads one; either way the value that a warp then sees there.
    fn move_element(
        &mut self,
        space: Space,
        lane: usize,
        address: u64,
        bytes: u32,
        value: Option<u64>,
    ) -> Result<u64, Box<Fault>> {
        let kind = if value.is_some() { AccessDirection::Store } else { AccessDirection::Load };
        let result = if address.is_multiple_of(u64::from(bytes)) {
            let moved = with_view!(self, space, |view| match value {
                Some(value) => view.store(lane, address, bytes, value).map(|()| value),
                None => view.load(lane, address, bytes),
            });
            let is_approximable = value.is_none() && space == Space::Global;
            moved.map(|value| if is_approximable { self.memory.approximated(address, value) } else { value })
        } else {
            Err(super::spaces::Refusal::Misaligned)
        };
        result.map_err(|reason| self.memory_fault(lane, space, address, bytes, kind, reason))
    }

    /// The elements of a fragment of any type, by rows.
    fn elements(&mut self, fragment: &Fragment) -> [u64; MAX_ELEMENTS] {
        match fragment.ty {
            MatrixType::F64 => self.gather_doubles(fragment),
            _ => self.gather(fragment).map(u64::from),
        }
    }

    /// Writes the elements, by rows, to the registers of a fragment of any type.
    fn set_elements(&mut self, fragment: &Fragment, elements: &[u64; MAX_ELEMENTS]) {
        match fragment.ty {
            MatrixType::F64 => self.scatter_doubles(fragment, elements),
            _ => self.scatter(fragment, &elements.map(|element| element as u32)),
        }
    }

    /// The doubles of a fragment, by rows.
    fn gather_doubles(&mut self, fragment: &Fragment) -> [u64; MAX_ELEMENTS] {
        let mut elements = [0; MAX_ELEMENTS];
        for (index, &row) in fragment.registers.iter().enumerate() {
            let values = self.state().registers.get64(row);
            for (&place, value) in fragment.places_in(index).iter().zip(values) {
                elements[usize::from(place) % MAX_ELEMENTS] = value;
            }
        }
        elements
    }

    /// Writes doubles, by rows, to the registers of a fragment.
    fn scatter_doubles(&mut self, fragment: &Fragment, elements: &[u64; MAX_ELEMENTS]) {
        let lanes = self.lanes;
        for (index, &row) in fragment.registers.iter().enumerate() {
            let places = fragment.places_in(index);
            let values = std::array::from_fn(|lane| elements[usize::from(places[lane]) % MAX_ELEMENTS]);
            self.state().registers.set64(row, &values, lanes);
        }
    }

    /// The elements of a fragment of at most 32 bits each, by rows.
    fn gather(&mut self, fragment: &Fragment) -> [u32; MAX_ELEMENTS] {
        let mut elements = [0; MAX_ELEMENTS];
        for (index, &row) in fragment.registers.iter().enumerate() {
            let (values, places) = (self.state().registers.get32(row), fragment.places_in(index));
            match fragment.ty.bits() {
                8 => unpack::<4>(&values, places, &mut elements),
                16 => unpack::<2>(&values, places, &mut elements),
                _ => unpack::<1>(&values, places, &mut elements),
            }
        }
        elements
    }

    /// Writes the elements, by rows, to the registers of a fragment.
    fn scatter(&mut self, fragment: &Fragment, elements: &[u32; MAX_ELEMENTS]) {
        let lanes = self.lanes;
        for (index, &row) in fragment.registers.iter().enumerate() {
            let places = fragment.places_in(index);
            let values = match fragment.ty.bits() {
                8 => pack::<4>(elements, places),
                16 => pack::<2>(elements, places),
                _ => pack::<1>(elements, places),
            };
            self.state().registers.set32(row, &values, lanes);
        }
    }
}

/// Puts the parts of each lane's register to their places.
fn unpack<const PARTS: usize>(values: &[u32; LANES], places: &[u16], elements: &mut [u32; MAX_ELEMENTS]) {
    let bits = u32::BITS / PARTS as u32;
    let (places, _) = places.as_chunks::<PARTS>();
    for (places, value) in places.iter().zip(values) {
        for (part, &place) in places.iter().enumerate() {
            let element = value >> (bits * part as u32) & (u32::MAX >> (u32::BITS - bits));
            elements[usize::from(place) % MAX_ELEMENTS] = element;
        }
    }
}

/// Makes each lane's register of the parts at their places.
fn pack<const PARTS: usize>(elements: &[u32; MAX_ELEMENTS], places: &[u16]) -> [u32; LANES] {
    let bits = u32::BITS / PARTS as u32;
    let (places, _) = places.as_chunks::<PARTS>();
    let mut values = [0; LANES];
    for (value, places) in values.iter_mut().zip(places) {
        for (part, &place) in places.iter().enumerate() {
            *value |= elements[usize::from(place) % MAX_ELEMENTS] << (bits * part as u32);
        }
    }
    values
}

/// The space and address there that a lane's address means.
fn resolved(inst: &Inst, address: u64) -> (Space, u64) {
    match inst.access.map(|access| access.space) {
        Some(Space::Generic) | None => resolve_generic(address),
        Some(space) => (space, address),
    }
}
