//! The bytes a buffer starts with.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use shrinkwarp_report::suggestion::suggestion;

use super::comparison::ElementValue;
use super::number::Number;
use super::random::Generator;
use super::spec::{BufferSpec, Ramp, TYPES};
use shrinkwarp_formats::{Dtype, files, npy};
use shrinkwarp_report::excerpt::Mistake;

/// Most bytes of all buffers of a file, so that a misplaced zero does not exhaust the host; fuzzing wants many files, not
/// large ones.
pub const MOST_BUFFER_BYTES: u64 = if cfg!(shrinkwarp_fuzzing) { 1 << 16 } else { 1 << 32 };

/// Room for the header of an .npy file beside its elements.
const NPY_HEADER_BYTES: u64 = 1 << 20;

/// A buffer as the host sees it.
#[derive(Debug)]
pub struct HostBuffer {
    /// Element type.
    pub dtype: Dtype,
    /// Extents.
    pub shape: Vec<u64>,
    /// Contents, little-endian.
    pub bytes: Vec<u8>,
}

impl HostBuffer {
    /// Makes the buffer a launch file describes, of at most `most_bytes`; files are relative to `folder`.
    pub fn new(spec: &BufferSpec, folder: &Path, most_bytes: u64) -> Result<Self, Mistake> {
        if let Some(file) = &spec.file {
            return Self::from_file(spec, &folder.join(file.get_ref()), most_bytes)
                .map_err(|message| Mistake::new(file.span(), message));
        }
        let named = spec.name.span();
        let Some(dtype) = spec.dtype()? else {
            return Err(Mistake::new(named, "this buffer has no type").with_help("add type = \"f32\""));
        };
        let extents = match (spec.extents()?, &spec.values) {
            (Some(extents), _) => extents,
            (None, Some(values)) => vec![values.get_ref().len() as u64],
            (None, None) => {
                return Err(Mistake::new(named, "this buffer has no size").with_help("add count = 1024"));
            }
        };
        let count = extents.iter().try_fold(1u64, |total, &extent| total.checked_mul(extent));
        let bytes = count.and_then(|count| count.checked_mul(dtype.bytes()));
        let (Some(count), Some(_)) = (count, bytes.filter(|&bytes| bytes <= most_bytes)) else {
            let size = bytes.map_or("more than 2^64 bytes".to_owned(), |bytes| format!("{bytes} bytes"));
            let message = format!("this buffer has {size}; {most_bytes} are left");
            let help = format!("all buffers of a file have at most {MOST_BUFFER_BYTES} bytes");
            return Err(Mistake::new(named, message).with_help(help));
        };
        Ok(Self { dtype, shape: extents, bytes: contents(spec, dtype, count)? })
    }

    /// Reads a `.npy` file, or raw bytes under any other name.
    pub fn from_file(spec: &BufferSpec, path: &Path, most_bytes: u64) -> Result<Self, String> {
        let dtype = spec.dtype().unwrap_or(None);
        let extents = spec.extents().unwrap_or(None);
        let read = if path.extension().is_some_and(|extension| extension == "npy") {
            Self::from_npy(path, dtype, most_bytes)?
        } else {
            let bytes = files::read_bounded(path, most_bytes)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            let dtype = dtype.unwrap_or(Dtype::U8);
            let count = bytes.len() as u64 / dtype.bytes();
            Self { dtype, shape: vec![count], bytes }
        };
        if dtype.is_some_and(|wanted| wanted != read.dtype) {
            return Err(format!("{} holds {}, another type than the buffer's", path.display(), read.dtype));
        }
        let wanted = extents
            .as_ref()
            .map(|extents| extents.iter().fold(1u64, |all, &extent| all.saturating_mul(extent)));
        let found = read.bytes.len() as u64 / read.dtype.bytes();
        match wanted {
            Some(wanted) if wanted != found => {
                Err(format!("{} holds {found} elements, the buffer {wanted}", path.display()))
            }
            _ => Ok(Self { shape: extents.unwrap_or(read.shape), ..read }),
        }
    }

    /// The element types that buffers can have.
    pub const TYPES: &[&str] = TYPES;

    /// The elements as numbers.
    pub fn values(&self) -> Result<Vec<f64>, String> {
        if !TYPES.contains(&self.dtype.name()) {
            return Err(format!("holds {}; allowed: {}", self.dtype, TYPES.join(", ")));
        }
        let elements = self.bytes.chunks_exact(self.dtype.bytes() as usize);
        Ok(elements.map(|bytes| ElementValue::of(self.dtype, bytes).as_f64()).collect())
    }

    /// Reads a `.npy` file.
    pub fn from_npy(path: &Path, unnamed: Option<Dtype>, most_bytes: u64) -> Result<Self, String> {
        let describe = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut file = File::open(path).map_err(|error| describe(&error))?;
        let length = file.metadata().map_err(|error| describe(&error))?.len();
        let header = npy::Header::read(&mut file, length, unnamed).map_err(|error| describe(&error))?;
        if header.is_fortran_order && header.shape.iter().filter(|&&extent| extent > 1).count() > 1 {
            return Err(describe(&"its axes are in Fortran order; save it with numpy.ascontiguousarray"));
        }
        let mut bytes = Vec::new();
        if length > most_bytes.saturating_add(NPY_HEADER_BYTES) {
            return Err(describe(&format!("has {length} bytes; a buffer has at most {most_bytes}")));
        }
        let file = file.take(most_bytes);
        let read = if header.is_big_endian {
            npy::Swapping::new(file, header.dtype.bytes() as usize).read_to_end(&mut bytes)
        } else {
            { file }.read_to_end(&mut bytes)
        };
        read.map_err(|error| describe(&error))?;
        Ok(Self { dtype: header.dtype, shape: header.shape, bytes })
    }
}

fn contents(spec: &BufferSpec, dtype: Dtype, count: u64) -> Result<Vec<u8>, Mistake> {
    let mut ways = Vec::new();
    ways.extend(spec.fill.as_ref().map(toml::Spanned::span));
    ways.extend(spec.values.as_ref().map(toml::Spanned::span));
    ways.extend(spec.ramp.as_ref().map(toml::Spanned::span));
    ways.extend(spec.random.as_ref().map(toml::Spanned::span));
    if let [_, second, ..] = ways.as_slice() {
        let message = "a buffer has one kind of initial values: fill, values, ramp, random or file";
        return Err(Mistake::new(second.clone(), message));
    }
    let mut out = Vec::new();
    let bytes = (count * dtype.bytes()) as usize;
    if out.try_reserve_exact(bytes).is_err() {
        let message = format!("this buffer has {bytes} bytes, more than this computer has free");
        return Err(Mistake::new(spec.name.span(), message));
    }
    let Some(span) = ways.pop() else {
        out.resize(bytes, 0);
        return Ok(out);
    };
    let wrong = |message: String| Mistake::new(span.clone(), message);
    if let Some(fill) = &spec.fill {
        let mut element = Vec::new();
        fill.get_ref().append(&mut element, dtype).map_err(wrong)?;
        (0..count).for_each(|_| out.extend_from_slice(&element));
        return Ok(out);
    }
    if let Some(values) = &spec.values {
        let values = values.get_ref();
        if values.len() as u64 != count {
            return Err(wrong(format!("{} values for {count} elements", values.len())));
        }
        return elements(out, dtype, values.iter().copied()).map_err(wrong);
    }
    if let Some(ramp) = &spec.ramp {
        check_ramp(ramp.get_ref()).map_err(wrong)?;
        let values = (0..count).map(|index| ramp_value(ramp.get_ref(), index));
        return elements(out, dtype, values).map_err(|message| {
            wrong(message).with_help("period = N starts the ramp again after N elements")
        });
    }
    if let Some(random) = &spec.random {
        let random = random.get_ref();
        random.check().map_err(wrong)?;
        let mut generator = Generator::new(random.seed);
        let values = (0..count).map(|_| generator.next_in(random, dtype));
        return elements(out, dtype, values).map_err(wrong);
    }
    Ok(out)
}

/// Elements one by one; the first that does not fit is named.
fn elements(mut out: Vec<u8>, dtype: Dtype, values: impl Iterator<Item = Number>) -> Result<Vec<u8>, String> {
    for (index, value) in values.enumerate() {
        value.append(&mut out, dtype).map_err(|message| format!("element {index}: {message}"))?;
    }
    Ok(out)
}

fn check_ramp(ramp: &Ramp) -> Result<(), String> {
    if ramp.period == Some(0) {
        return Err("period = 0: must be 1 or more".to_owned());
    }
    for (name, number) in [("start", ramp.start), ("step", ramp.step)] {
        if !number.as_f64().is_finite() {
            return Err(format!("{name} = {number}: must be a finite number"));
        }
    }
    Ok(())
}

fn ramp_value(ramp: &Ramp, index: u64) -> Number {
    let index = ramp.period.map_or(index, |period| index % period);
    if let (Number::Integer(start), Number::Integer(step)) = (ramp.start, ramp.step)
        && let Some(value) = step.checked_mul(index as i64).and_then(|way| start.checked_add(way))
    {
        return Number::Integer(value);
    }
    // Beyond 64 bits, where it fits no integer type, or of floats.
    Number::Float(ramp.start.as_f64() + ramp.step.as_f64() * index as f64)
}

/// One element of the named type; a number that the type cannot hold is refused.
pub fn element_bytes(type_name: &str, value: &toml::Value) -> Result<Vec<u8>, String> {
    let known: Vec<&str> = TYPES.iter().copied().chain(["buffer"]).collect();
    let dtype: Dtype = type_name
        .parse()
        .ok()
        .filter(|_| TYPES.contains(&type_name))
        .ok_or_else(|| format!("unknown type {type_name:?}: {}", suggestion(type_name, &known)))?;
    let number = match *value {
        toml::Value::Integer(integer) => Number::Integer(integer),
        toml::Value::Float(float) => Number::Float(float),
        _ => return Err(format!("{value} is not a number")),
    };
    let mut bytes = Vec::new();
    number.append(&mut bytes, dtype)?;
    Ok(bytes)
}
