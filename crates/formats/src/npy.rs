//! NumPy's `.npy`: a magic, a version, and a Python dictionary that describes the array.
//!
//! | bytes       | content                                                              |
//! |-------------|----------------------------------------------------------------------|
//! | 0..6        | `\x93NUMPY`                                                          |
//! | 6, 7        | version: 1.0, 2.0 or 3.0                                             |
//! | 8.. (2 or 4)| length of the dictionary, 2 bytes in version 1.0                     |
//! | then        | `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`        |
//!
//! The order of the axes does not matter to an analysis: the bytes are analysed as they lie in memory.

mod dictionary;
mod swap;
mod write;

use std::io::{self, Read};

use dictionary::Dictionary;
pub use swap::Swapping;
pub use write::write;

use super::{Dtype, InputError, WayOut};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
const MAX_DICTIONARY_BYTES: u64 = 1 << 20;

/// What the header says, checked against the length of the file.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// The element type.
    pub dtype: Dtype,
    /// The extents; items of several elements (complex numbers, text) add one.
    pub shape: Vec<u64>,
    /// Whether the first axis runs fastest.
    pub is_fortran_order: bool,
    /// Whether elements are stored most significant byte first.
    pub is_big_endian: bool,
    /// Where the elements start, from the start of the `.npy` file.
    pub data_offset: u64,
    /// Their length in bytes.
    pub data_len: u64,
}

impl Header {
    /// Reads the header of a file of `file_len` bytes. `unnamed` is the type of elements that NumPy has no name for
    /// (it writes bf16 as two nameless bytes).
    pub fn read(file: &mut dyn Read, file_len: u64, unnamed: Option<Dtype>) -> Result<Self, InputError> {
        let mut start = [0; 8];
        read_exactly(file, &mut start)?;
        if start[..6] != *MAGIC {
            return Err(InputError::at(
                0,
                "this is not an .npy file (it starts with other bytes than \\x93NUMPY)",
            ));
        }
        let length_bytes = match start[6..] {
            [1, 0] => 2,
            [2 | 3, 0] => 4,
            _ => return Err(InputError::at(6, format!("unknown .npy version {}.{}", start[6], start[7]))),
        };
        let mut length = [0; 4];
        read_exactly(file, &mut length[..length_bytes])?;
        let dictionary_bytes = u64::from(u32::from_le_bytes(length));
        let dictionary_at = 8 + length_bytes as u64;
        if dictionary_bytes > MAX_DICTIONARY_BYTES.min(file_len.saturating_sub(dictionary_at)) {
            let what = format!("a header of {dictionary_bytes} bytes does not fit a file of {file_len}");
            return Err(InputError::at(8, what));
        }
        let mut text = vec![0; dictionary_bytes as usize];
        read_exactly(file, &mut text)?;
        let dictionary =
            Dictionary::parse(&text).map_err(|(at, what)| InputError::at(dictionary_at + at as u64, what))?;
        Self::check(&dictionary, dictionary_at + dictionary_bytes, file_len, unnamed)
    }

    fn check(
        dictionary: &Dictionary,
        data_offset: u64,
        file_len: u64,
        unnamed: Option<Dtype>,
    ) -> Result<Self, InputError> {
        let (dtype, per_item, is_big_endian) = element(&dictionary.descr, unnamed)?;
        let mut shape = dictionary.shape.clone();
        if per_item != 1 {
            shape.push(per_item);
        }
        let data_len = file_len - data_offset;
        match dtype.bytes_of(&shape) {
            Some(needed) if needed == data_len => Ok(Self {
                dtype,
                shape,
                is_fortran_order: dictionary.is_fortran_order,
                is_big_endian: is_big_endian && dtype.bytes() > 1,
                data_offset,
                data_len,
            }),
            Some(needed) if needed < data_len => {
                let what = format!("{} bytes follow the array", data_len - needed);
                Err(InputError::at(data_offset + needed, what))
            }
            _ => {
                let what =
                    format!("shape {shape:?} of {dtype} needs more than the {data_len} bytes that follow");
                Err(InputError::at(data_offset, what))
            }
        }
    }
}

/// The element type, elements per item and byte order of a `descr` such as `<f4`.
fn element(descr: &str, unnamed: Option<Dtype>) -> Result<(Dtype, u64, bool), InputError> {
    let unsupported = || InputError::new(format!("element type {descr:?} is not supported"));
    let mut characters = descr.chars();
    let (order, kind) = (characters.next(), characters.next());
    let (Some(order @ ('<' | '>' | '|' | '=')), Some(kind)) = (order, kind) else {
        return Err(unsupported());
    };
    // Dates carry their unit in brackets: M8[ns].
    let digits = characters.as_str().split('[').next().unwrap_or_default();
    let count: u64 = digits.parse().map_err(|_| unsupported())?;
    if kind == 'V' {
        return match unnamed {
            Some(dtype) if dtype.bytes() == count && dtype.packed_elements() == 1 => Ok((dtype, 1, false)),
            _ => Err(InputError::new(format!("elements of {count} bytes without a type"))
                .mended_by(WayOut::GiveElementType)),
        };
    }
    // Text counts code points of four bytes.
    let item_bytes = if kind == 'U' { count.saturating_mul(4) } else { count };
    let (dtype, per_item) = Dtype::from_numpy(kind, item_bytes).ok_or_else(unsupported)?;
    Ok((dtype, per_item, order == '>'))
}

fn read_exactly(file: &mut dyn Read, buffer: &mut [u8]) -> Result<(), InputError> {
    file.read_exact(buffer).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => InputError::new("the file ends inside its .npy header"),
        _ => error.into(),
    })
}

#[cfg(test)]
mod tests;
