//! Which format a file has, and its tensors.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::expand::{expanded, sniff};
use super::files::{STANDARD, open_rereadable};
use super::{Bytes, Dtype, Input, InputError, Options, Spool, Tensor, WayOut, npy, npz, safetensors};

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

/// Opens one path, or standard input (`-`), and finds its tensors.
pub fn open(path: &Path, options: Options) -> Result<Input, InputError> {
    let tensors = open_tensors(path, options).map_err(|error| error.of_file(path))?;
    Ok(Input { name: path.display().to_string(), tensors })
}

fn open_tensors(path: &Path, options: Options) -> Result<Vec<Tensor>, InputError> {
    let mut file = open_rereadable(path)?;
    let is_stream = path == Path::new(STANDARD);
    let outer = if is_stream { sniff(&mut file)?.to_owned() } else { path.display().to_string() };
    let (mut file, inner) = expanded(file, &outer, options)?;
    let format = if is_stream { Format::of_content(&mut file)? } else { Format::of_name(&inner) };
    if format == Format::Raw && options.dtype.is_none() {
        let message = "is not a .npy, .npz or .safetensors file";
        return Err(InputError::new(message).mended_by(WayOut::GiveElementType));
    }
    tensors(file, format, options)
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
                let what = format!("{len} bytes are not a multiple of the {} of a {dtype}", dtype.bytes());
                return Err(InputError::new(what).mended_by(WayOut::GiveElementType));
            }
            let shape = vec![len / dtype.bytes() * dtype.packed_elements()];
            let bytes = Bytes::new(Arc::new(file), 0, len);
            Ok(vec![Tensor { name: String::new(), dtype, shape, bytes }])
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
