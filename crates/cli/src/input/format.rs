//! Which format a file has, and its tensors.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::expand::{expanded, sniff};
use super::{Bytes, Dtype, Input, InputError, Options, Spool, Tensor, npy, npz, safetensors};
use crate::failure::Failure;
use crate::files::{STANDARD, open_rereadable};

/// The formats that hold tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// Named tensors behind a JSON header.
    Safetensors,
    /// Nothing but elements.
    Raw,
}

impl Format {
    /// By the extension, after `.gz` and `.zst` are removed.
    pub fn of_name(name: &str) -> Self {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or("");
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "safetensors" => Self::Safetensors,
            _ => Self::Raw,
        }
    }

    /// By the first bytes, for streams without a name.
    fn of_content(file: &mut File) -> io::Result<Self> {
        let mut start = Vec::new();
        (&mut *file).take(9).read_to_end(&mut start)?;
        file.rewind()?;
        Ok(match start.as_slice() {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Self::Npy,
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Self::Npz,
            [_, _, _, _, 0, 0, 0, 0, b'{'] => Self::Safetensors,
            _ => Self::Raw,
        })
    }
}

/// Opens one path and finds its tensors.
pub fn open(path: &Path, options: Options) -> Result<Input, Failure> {
    let name = path.display().to_string();
    let failure = |error: InputError| Failure::file(path, error);
    let mut file = open_rereadable(path)?;
    let is_stream = path == Path::new(STANDARD);
    let outer = if is_stream { sniff(&mut file).map_err(failure)?.to_owned() } else { name.clone() };
    let (mut file, inner) = expanded(file, &outer, options).map_err(failure)?;
    let format = if is_stream {
        Format::of_content(&mut file).map_err(|error| failure(error.into()))?
    } else {
        Format::of_name(&inner)
    };
    if format == Format::Raw && options.dtype.is_none() {
        let message = "is none of .npy, .npz, .safetensors: give its element type with --dtype, such as f32";
        return Err(Failure::Usage(format!("{name}: {message}")));
    }
    let tensors = tensors(file, format, options).map_err(failure)?;
    Ok(Input { name, tensors })
}

fn tensors(mut file: File, format: Format, options: Options) -> Result<Vec<Tensor>, InputError> {
    let len = file.metadata()?.len();
    match format {
        Format::Npy => {
            let header = npy::Header::read(&mut file, len, options.dtype)?;
            Ok(vec![npy_tensor(String::new(), &Arc::new(file), 0, &header, options)?])
        }
        Format::Npz => npz_tensors(file, options),
        Format::Safetensors => {
            let entries = safetensors::read(&mut file, len)?;
            let file = Arc::new(file);
            let tensor = |entry: safetensors::Entry| Tensor {
                name: entry.name,
                dtype: entry.dtype,
                shape: entry.shape,
                bytes: Bytes::new(Arc::clone(&file), entry.offset, entry.len),
            };
            Ok(entries.into_iter().map(tensor).collect())
        }
        Format::Raw => {
            let dtype = options.dtype.unwrap_or(Dtype::U8);
            if len % dtype.bytes() != 0 {
                let what = format!("{len} bytes are no whole number of {dtype} elements; is --dtype right?");
                return Err(InputError(what));
            }
            let bytes = Bytes::new(Arc::new(file), 0, len);
            Ok(vec![Tensor { name: String::new(), dtype, shape: vec![len / dtype.bytes()], bytes }])
        }
    }
}

fn npz_tensors(file: File, options: Options) -> Result<Vec<Tensor>, InputError> {
    let mut spool = Spool::new(options.expand_limit_bytes)?;
    let original = Arc::new(file.try_clone()?);
    let members = npz::read(file, &mut spool)?;
    let expanded = Arc::new(spool.into_file()?);
    let mut tensors = Vec::new();
    for member in members {
        let file = if member.is_expanded { &expanded } else { &original };
        let mut reader = &**file;
        reader.seek(io::SeekFrom::Start(member.offset))?;
        let tensor = npy::Header::read(&mut reader, member.len, options.dtype)
            .and_then(|header| npy_tensor(member.name.clone(), file, member.offset, &header, options))
            .map_err(|error| error.inside(&member.name))?;
        tensors.push(tensor);
    }
    Ok(tensors)
}

/// The tensor of an array that starts at `base` of a file; big-endian elements are turned round on the way.
fn npy_tensor(
    name: String,
    file: &Arc<File>,
    base: u64,
    header: &npy::Header,
    options: Options,
) -> Result<Tensor, InputError> {
    let offset = base + header.data_offset;
    let bytes = if header.is_big_endian {
        let mut from = &**file;
        from.seek(io::SeekFrom::Start(offset))?;
        let mut swapping = npy::Swapping::new(from.take(header.data_len), header.dtype.bytes() as usize);
        let mut spool = Spool::new(options.expand_limit_bytes.max(header.data_len))?;
        let (start, len) = spool.append(&mut swapping)?;
        Bytes::new(Arc::new(spool.into_file()?), start, len)
    } else {
        Bytes::new(Arc::clone(file), offset, header.data_len)
    };
    Ok(Tensor { name, dtype: header.dtype, shape: header.shape.clone(), bytes })
}
