//! Copies of three dimensions, between pitched memory and arrays.

use std::ffi::c_int;

use super::arrays::find;
use super::copies::{put, ready};
use super::memory::{Extent, PitchedPointer};
use crate::failure::Failure;
use crate::foreign::In;
use crate::runtime::{CopyKind, Runtime, Span, Work};

/// `cudaPos`; x counts bytes, or elements of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Position {
    x: usize,
    y: usize,
    z: usize,
}

/// `cudaMemcpy3DParms`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct VolumeCopy {
    from_array: u64,
    from_position: Position,
    from: PitchedPointer,
    to_array: u64,
    to_position: Position,
    to: PitchedPointer,
    extent: Extent,
    kind: c_int,
}

impl VolumeCopy {
    /// As rows are copied, whatever was an array.
    pub(super) fn of(to: Span, from: Span, [row_bytes, height, depth]: [u64; 3], kind: CopyKind) -> Self {
        let pointer = |span: Span| PitchedPointer {
            address: span.address,
            pitch_bytes: span.pitch_bytes as usize,
            width_bytes: row_bytes as usize,
            height: span.slice_bytes.checked_div(span.pitch_bytes).unwrap_or(height) as usize,
        };
        Self {
            from_array: 0,
            from_position: Position::default(),
            from: pointer(from),
            to_array: 0,
            to_position: Position::default(),
            to: pointer(to),
            extent: Extent { width: row_bytes as usize, height: height as usize, depth: depth as usize },
            kind: kind.number(),
        }
    }
}

api! {
    "Copies slices of rows."
    fn [cudaMemcpy3D, cudaMemcpy3D_ptds](runtime, copy: In<VolumeCopy>) {
        let work = volume(runtime, &copy.get()?)?;
        ready(runtime)?.perform(&work)
    }

    "Copies slices of rows in a stream."
    fn [cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz](runtime, copy: In<VolumeCopy>, stream: u64) {
        let work = volume(runtime, &copy.get()?)?;
        put(runtime, stream, || work)
    }
}

/// What a description of a copy asks for.
pub(super) fn volume(runtime: &mut Runtime, copy: &VolumeCopy) -> Result<Work, Failure> {
    let (from, from_texel) = side(runtime, copy.from_array, &copy.from, copy.from_position)?;
    let (to, to_texel) = side(runtime, copy.to_array, &copy.to, copy.to_position)?;
    // Where an array takes part, the width counts its texels.
    let row_bytes = copy.extent.width as u64 * from_texel.or(to_texel).unwrap_or(1);
    let extents = [row_bytes, copy.extent.height as u64, copy.extent.depth as u64];
    Ok(Work::Copy { to, from, extents, kind: CopyKind::from_number(copy.kind)? })
}

/// One side of a copy, and the bytes of a texel if it is an array.
fn side(
    runtime: &mut Runtime,
    array: u64,
    pointer: &PitchedPointer,
    position: Position,
) -> Result<(Span, Option<u64>), Failure> {
    let [x, y, z] = [position.x as u64, position.y as u64, position.z as u64];
    if array != 0 {
        let array = find(runtime, array)?;
        return Ok((array.span(x * array.texel_bytes, y, z), Some(array.texel_bytes)));
    }
    let pitch_bytes = pointer.pitch_bytes as u64;
    let slice_bytes = pitch_bytes * pointer.height as u64;
    let address = pointer.address + z * slice_bytes + y * pitch_bytes + x;
    Ok((Span { address, pitch_bytes, slice_bytes }, None))
}
