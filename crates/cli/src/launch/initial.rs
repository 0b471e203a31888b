//! The bytes a buffer starts with.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use half::{bf16, f16};

use super::mistake::Mistake;
use super::spec::{BufferSpec, Distribution, Number, Ramp, Random, TYPES};
use crate::input::{Dtype, npy};
use shrinkwarp_lab::suggestion::suggestion;

/// Largest buffer, so that a misplaced zero does not exhaust the host.
const MAX_BYTES: u64 = 1 << 34;

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
    /// Makes the buffer a launch file describes; files are relative to `folder`.
    pub fn new(spec: &BufferSpec, folder: &Path) -> Result<Self, Mistake> {
        if let Some(file) = &spec.file {
            return Self::from_file(spec, &folder.join(file.get_ref()))
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
        let bytes =
            count.and_then(|count| count.checked_mul(dtype.bytes())).filter(|&bytes| bytes <= MAX_BYTES);
        let (Some(count), Some(_)) = (count, bytes) else {
            return Err(Mistake::new(named, format!("this buffer is larger than {MAX_BYTES} bytes")));
        };
        Ok(Self { dtype, shape: extents, bytes: contents(spec, dtype, count)? })
    }

    /// Reads a `.npy` file, or raw bytes under any other name.
    pub fn from_file(spec: &BufferSpec, path: &Path) -> Result<Self, String> {
        let dtype = spec.dtype().unwrap_or(None);
        let extents = spec.extents().unwrap_or(None);
        let read = if path.extension().is_some_and(|extension| extension == "npy") {
            Self::from_npy(path, dtype)?
        } else {
            let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let dtype = dtype.unwrap_or(Dtype::U8);
            let count = bytes.len() as u64 / dtype.bytes();
            Self { dtype, shape: vec![count], bytes }
        };
        if dtype.is_some_and(|wanted| wanted != read.dtype) {
            return Err(format!("{} holds {}, another type than the buffer's", path.display(), read.dtype));
        }
        let wanted = extents.as_ref().map(|extents| extents.iter().product::<u64>());
        let found = read.bytes.len() as u64 / read.dtype.bytes();
        match wanted {
            Some(wanted) if wanted != found => {
                Err(format!("{} holds {found} elements, the buffer {wanted}", path.display()))
            }
            _ => Ok(Self { shape: extents.unwrap_or(read.shape), ..read }),
        }
    }

    /// Reads a `.npy` file.
    pub fn from_npy(path: &Path, unnamed: Option<Dtype>) -> Result<Self, String> {
        let describe = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut file = File::open(path).map_err(|error| describe(&error))?;
        let length = file.metadata().map_err(|error| describe(&error))?.len();
        let header = npy::Header::read(&mut file, length, unnamed).map_err(|error| describe(&error))?;
        if header.is_fortran_order && header.shape.iter().filter(|&&extent| extent > 1).count() > 1 {
            return Err(describe(&"its axes are in Fortran order; save it with numpy.ascontiguousarray"));
        }
        let mut bytes = Vec::new();
        let read = if header.is_big_endian {
            npy::Swapping::new(file, header.dtype.bytes() as usize).read_to_end(&mut bytes)
        } else {
            file.read_to_end(&mut bytes)
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
    let mut out = Vec::with_capacity((count * dtype.bytes()) as usize);
    if let Some(fill) = &spec.fill {
        (0..count).for_each(|_| put(&mut out, dtype, *fill.get_ref()));
    } else if let Some(values) = &spec.values {
        if values.get_ref().len() as u64 != count {
            let message = format!("{} values for {count} elements", values.get_ref().len());
            return Err(Mistake::new(values.span(), message));
        }
        values.get_ref().iter().for_each(|&value| put(&mut out, dtype, value));
    } else if let Some(ramp) = &spec.ramp {
        (0..count).for_each(|index| put(&mut out, dtype, ramp_value(ramp.get_ref(), index)));
    } else if let Some(random) = &spec.random {
        let mut generator = Generator(random.get_ref().seed);
        (0..count).for_each(|_| put(&mut out, dtype, generator.next_in(random.get_ref(), dtype)));
    } else {
        out.resize((count * dtype.bytes()) as usize, 0);
    }
    Ok(out)
}

fn ramp_value(ramp: &Ramp, index: u64) -> Number {
    let index = ramp.period.map_or(index, |period| index % period.max(1));
    match (ramp.start, ramp.step) {
        (Number::Integer(start), Number::Integer(step)) => {
            Number::Integer(start.wrapping_add(step.wrapping_mul(index as i64)))
        }
        (start, step) => Number::Float(start.as_f64() + step.as_f64() * index as f64),
    }
}

/// Appends one element.
fn put(out: &mut Vec<u8>, dtype: Dtype, value: Number) {
    let integer = match value {
        Number::Integer(value) => value,
        Number::Float(value) => value as i64,
    };
    let float = value.as_f64();
    match dtype {
        Dtype::F64 => out.extend(float.to_le_bytes()),
        Dtype::F32 => out.extend((float as f32).to_le_bytes()),
        Dtype::F16 => out.extend(f16::from_f64(float).to_le_bytes()),
        Dtype::Bf16 => out.extend(bf16::from_f64(float).to_le_bytes()),
        _ => out.extend(&integer.to_le_bytes()[..dtype.bytes() as usize]),
    }
}

/// One element of the named type; a number that the type cannot hold is refused.
pub fn element_bytes(type_name: &str, value: &toml::Value) -> Result<Vec<u8>, String> {
    let known: Vec<&str> = TYPES.iter().copied().chain(["buffer"]).collect();
    let dtype: Dtype = type_name
        .parse()
        .ok()
        .filter(|_| TYPES.contains(&type_name))
        .ok_or_else(|| format!("unknown type {type_name:?}: {}", suggestion(type_name, &known)))?;
    let is_float = type_name.contains('f');
    let number = match *value {
        toml::Value::Integer(integer) => Number::Integer(integer),
        toml::Value::Float(float) if is_float => Number::Float(float),
        _ => return Err(format!("{value} is not {}", if is_float { "a number" } else { "an integer" })),
    };
    let mut bytes = Vec::new();
    put(&mut bytes, dtype, number);
    match number {
        Number::Integer(integer) if !is_float && !holds(dtype, integer) => {
            Err(format!("{integer} does not fit {type_name}"))
        }
        _ => Ok(bytes),
    }
}

fn holds(dtype: Dtype, integer: i64) -> bool {
    let bits = 8 * dtype.bytes() as u32;
    let is_signed = matches!(dtype, Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64);
    let (low, high) =
        if is_signed { (-(1i128 << (bits - 1)), 1i128 << (bits - 1)) } else { (0, 1i128 << bits) };
    (low..high).contains(&i128::from(integer))
}

/// SplitMix64 (Steele et al., 2014): small, seeded, the same everywhere.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn next_in(&mut self, random: &Random, dtype: Dtype) -> Number {
        let is_float = matches!(dtype, Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64);
        match (random.distribution, random.low, random.high) {
            (Distribution::Uniform, Number::Integer(low), Number::Integer(high)) if !is_float => {
                let width = high.wrapping_sub(low).max(1) as u64;
                Number::Integer(low.wrapping_add((self.next() % width) as i64))
            }
            (Distribution::Integers, low, high) => {
                let (low, high) = (low.as_f64() as i64, high.as_f64() as i64);
                let width = high.wrapping_sub(low).max(1) as u64;
                Number::Integer(low.wrapping_add((self.next() % width) as i64))
            }
            (Distribution::Uniform, low, high) => {
                Number::Float(low.as_f64() + (high.as_f64() - low.as_f64()) * self.unit())
            }
            (Distribution::Normal, ..) => {
                // Box and Muller's transform of two uniform numbers.
                let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
                let angle = std::f64::consts::TAU * self.unit();
                Number::Float(random.mean + random.deviation * radius * angle.cos())
            }
        }
    }
}
