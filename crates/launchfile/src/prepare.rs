//! Everything that can be wrong with a launch file once it could be read, found before the first kernel runs: all
//! mistakes at once, each where it is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use shrinkwarp_emu::device::{Device, DeviceError};
use shrinkwarp_emu::functional::check_launch;
use shrinkwarp_emu::kernel::{Kernel, Module};
use shrinkwarp_emu::launch::{Dim3, Launch};
use shrinkwarp_report::suggestion::suggestion;
use toml::Spanned;

use super::arguments;
use super::initial::{HostBuffer, MOST_BUFFER_BYTES};
use super::spec::{BufferSpec, LaunchFile, LaunchSpec, ResultSpec};
use shrinkwarp_formats::files::parent_of;
use shrinkwarp_report::excerpt::Mistake;

/// Most launches of a file, repeated ones included: each leaves a report.
const MOST_LAUNCHES: u64 = 1_000_000;

/// What a launch file describes, ready to run.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// Buffers as the host made them, with their addresses.
    pub buffers: Vec<(HostBuffer, u64)>,
    /// Launches, in order.
    pub launches: Vec<(&'a LaunchSpec, Arc<Kernel>, Launch)>,
}

/// Makes the buffers on the device and packs the arguments; files are relative to `folder`.
pub fn prepare<'a>(
    file: &'a LaunchFile,
    folder: &Path,
    max_instructions: Option<u64>,
    module: &Module,
    device: &mut dyn Device,
) -> Result<Prepared<'a>, Vec<Mistake>> {
    prepare_with(file, folder, max_instructions, module, device, None)
}

/// The same with this number of approximated bits in the buffers that the file approximates; 0 is exact.
pub fn prepare_with<'a>(
    file: &'a LaunchFile,
    folder: &Path,
    max_instructions: Option<u64>,
    module: &Module,
    device: &mut dyn Device,
    approximate_bits: Option<u32>,
) -> Result<Prepared<'a>, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    if let Some(entries) = file.region_entries {
        device.set_region_entries(entries);
    }
    let mut buffers = Vec::new();
    let mut left_bytes = MOST_BUFFER_BYTES;
    // A buffer with a mistake keeps its name, so that its uses are no mistakes as well.
    let mut addresses: BTreeMap<&str, u64> = BTreeMap::new();
    for spec in &file.buffers {
        let name = spec.name.get_ref().as_str();
        if addresses.contains_key(name) {
            mistakes.push(Mistake::new(spec.name.span(), format!("buffer {name:?} is defined twice")));
            continue;
        }
        let made = make_buffer(spec, folder, &mut left_bytes, device, approximate_bits)
            .map_err(|mistake| mistakes.push(mistake));
        addresses.insert(name, made.as_ref().map_or(0, |(_, address)| *address));
        buffers.extend(made);
    }
    mistakes.extend(check_repeats(file));
    let mut launches = Vec::new();
    for spec in &file.launches {
        match prepare_launch(spec, module, &addresses, max_instructions) {
            Ok((kernel, launch)) => launches.push((spec, kernel, launch)),
            Err(found) => mistakes.extend(found),
        }
    }
    for spec in &file.results {
        mistakes.extend(check_result(spec, folder, &addresses));
    }
    if mistakes.is_empty() { Ok(Prepared { buffers, launches }) } else { Err(mistakes) }
}

/// A sequence that runs no time, or more often than its reports can be kept, is a mistake.
fn check_repeats(file: &LaunchFile) -> Option<Mistake> {
    let all = std::iter::once(&file.repeat).chain(file.launches.iter().map(|launch| &launch.repeat));
    if let Some(zero) = all.clone().find(|repeat| *repeat.get_ref() == 0) {
        return Some(Mistake::new(zero.span(), "repeat = 0 runs nothing; must be 1 or more"));
    }
    let once: u64 = file.launches.iter().map(|launch| u64::from(*launch.repeat.get_ref())).sum();
    let count = once * u64::from(*file.repeat.get_ref());
    let largest = all.max_by_key(|repeat| *repeat.get_ref())?;
    (count > MOST_LAUNCHES).then(|| {
        Mistake::new(largest.span(), format!("{count} launches; a file has at most {MOST_LAUNCHES}"))
    })
}

fn make_buffer(
    spec: &BufferSpec,
    folder: &Path,
    left_bytes: &mut u64,
    device: &mut dyn Device,
    approximate_bits: Option<u32>,
) -> Result<(HostBuffer, u64), Mistake> {
    let host = HostBuffer::new(spec, folder, *left_bytes)?;
    *left_bytes -= host.bytes.len() as u64;
    let address = allocate(device, spec, &host, approximate_bits)?;
    device.copy_in(address, &host.bytes).map_err(|error| refused(spec.name.span(), spec, &error))?;
    Ok((host, address))
}

fn allocate(
    device: &mut dyn Device,
    spec: &BufferSpec,
    host: &HostBuffer,
    approximate_bits: Option<u32>,
) -> Result<u64, Mistake> {
    let bytes = host.bytes.len() as u64;
    let (span, result) = match &spec.approximate_bits {
        Some(_) if approximate_bits == Some(0) => (spec.name.span(), device.alloc(bytes)),
        None => (spec.name.span(), device.alloc(bytes)),
        Some(bits) => {
            let Some(format) = host.dtype.float_format() else {
                let name = spec.name.get_ref();
                let message = format!("buffer {name:?} holds {}; only floats are approximated", host.dtype);
                return Err(Mistake::new(bits.span(), message).with_help("leave approximate_bits out"));
            };
            let chosen = approximate_bits.unwrap_or(*bits.get_ref());
            (bits.span(), device.alloc_approximable(bytes, format, chosen))
        }
    };
    result.map_err(|error| refused(span, spec, &error))
}

fn refused(span: std::ops::Range<usize>, spec: &BufferSpec, error: &DeviceError) -> Mistake {
    Mistake::new(span, format!("buffer {:?}: {error}", spec.name.get_ref()))
}

fn prepare_launch(
    spec: &LaunchSpec,
    module: &Module,
    addresses: &BTreeMap<&str, u64>,
    max_instructions: Option<u64>,
) -> Result<(Arc<Kernel>, Launch), Vec<Mistake>> {
    let name = spec.kernel.get_ref();
    let Some(kernel) = module.kernels.get(name) else {
        let known: Vec<_> = module.kernels.keys().map(String::as_str).collect();
        let mistake = Mistake::new(spec.kernel.span(), format!("unknown kernel {name:?}"));
        return Err(vec![mistake.with_help(suggestion(name, &known))]);
    };
    let mut mistakes = Vec::new();
    let parameters =
        arguments::pack(kernel, &spec.arguments, spec.kernel.span(), addresses).unwrap_or_else(|found| {
            mistakes.extend(found);
            Vec::new()
        });
    let mut extents = |given| {
        extents(given).unwrap_or_else(|mistake| {
            mistakes.push(mistake);
            [1; 3]
        })
    };
    let launch = Launch {
        interrupt: None,
        grid: extents(&spec.grid),
        block: extents(&spec.block),
        dynamic_shared_bytes: spec.shared_bytes,
        barrier_address: 0,
        parameters,
        max_thread_instructions: max_instructions,
    };
    if mistakes.is_empty()
        && let Err(error) = check_launch(kernel, &launch)
    {
        mistakes.push(Mistake::new(spec.kernel.span(), error.to_string()));
    }
    // Every thread executes an instruction, so such a launch would only work until it is stopped.
    let threads: u128 = launch.grid.iter().chain(&launch.block).map(|extent| u128::from(*extent)).product();
    if let Some(limit) = max_instructions.filter(|limit| threads > u128::from(*limit)) {
        let message =
            format!("the grid has {threads} threads; a launch executes at most {limit} thread instructions");
        mistakes.push(
            Mistake::new(spec.grid.span(), message)
                .with_help("make the grid smaller, or raise max_instructions"),
        );
    }
    if mistakes.is_empty() { Ok((Arc::clone(kernel), launch)) } else { Err(mistakes) }
}

fn extents(given: &Spanned<Vec<u32>>) -> Result<Dim3, Mistake> {
    match given.get_ref().as_slice() {
        [x] => Ok([*x, 1, 1]),
        [x, y] => Ok([*x, *y, 1]),
        [x, y, z] => Ok([*x, *y, *z]),
        other => {
            Err(Mistake::new(given.span(), format!("expected one to three extents, found {}", other.len())))
        }
    }
}

/// What is wrong with a `[[result]]`, as far as it can be known before the buffers have their results.
fn check_result(spec: &ResultSpec, folder: &Path, addresses: &BTreeMap<&str, u64>) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let name = spec.buffer.get_ref();
    if !addresses.contains_key(name.as_str()) {
        let known: Vec<&str> = addresses.keys().copied().collect();
        let mistake = Mistake::new(spec.buffer.span(), format!("unknown buffer {name:?}"));
        mistakes.push(mistake.with_help(suggestion(name, &known)));
    }
    if let Some(path) = spec.expect.as_ref().filter(|path| !folder.join(path.get_ref()).is_file()) {
        let message = format!("{}: the file does not exist", path.get_ref().display());
        mistakes.push(Mistake::new(path.span(), message));
    }
    if let Some(path) = &spec.write {
        let written = folder.join(path.get_ref());
        if !parent_of(&written).is_dir() {
            let message = format!("folder {} does not exist", parent_of(&written).display());
            mistakes.push(Mistake::new(path.span(), message));
        }
    }
    mistakes
}
