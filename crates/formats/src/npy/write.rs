//! Writes arrays for NumPy (`.npy`, version 1.0).

use std::io::{self, Write};

use crate::Dtype;

/// The header is padded so that the data start at a multiple of this.
const ALIGN: usize = 64;

/// Writes elements, little-endian, as a C-ordered array.
pub fn write(out: &mut dyn Write, dtype: Dtype, shape: &[u64], bytes: &[u8]) -> io::Result<()> {
    // A trailing comma makes a tuple of one extent.
    let extents = shape.iter().fold(String::new(), |text, extent| text + &format!("{extent},"));
    let mut header =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({extents}), }}", descr(dtype));
    let fixed = 10;
    let padded = (fixed + header.len() + 1).next_multiple_of(ALIGN);
    header.extend(std::iter::repeat_n(' ', padded - fixed - header.len() - 1));
    header.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(header.len() as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    out.write_all(bytes)
}

fn descr(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F16 => "<f2",
        Dtype::F32 => "<f4",
        Dtype::F64 => "<f8",
        Dtype::I8 => "|i1",
        Dtype::I16 => "<i2",
        Dtype::I32 => "<i4",
        Dtype::I64 => "<i8",
        // Packed elements are bytes.
        Dtype::U8 | Dtype::Int4 | Dtype::Uint4 | Dtype::Fp4 | Dtype::Mxfp4 => "|u1",
        Dtype::U16 => "<u2",
        Dtype::U32 => "<u4",
        Dtype::U64 => "<u8",
        // NumPy has no names for these; it keeps such elements as nameless bytes.
        Dtype::Bf16 => "|V2",
        Dtype::F8E4m3 | Dtype::F8E5m2 => "|V1",
    }
}
