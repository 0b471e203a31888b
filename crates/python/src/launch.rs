//! Kernels of the user's own on arrays of the user's own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use shrinkwarp_cli::Failure;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::fault::FaultKind;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::kernel::{Kernel, Module, Parameter};
use shrinkwarp_emu::launch::{Dim3, Launch};
use shrinkwarp_lab::LabError;
use shrinkwarp_lab::run::{Executed, RecordedGpu, measure};
use shrinkwarp_launchfile::{LaunchError, Number, number_bytes, ptx_mistakes};
use shrinkwarp_machine::configuration::{energy_set_for, gpu_with, scheme_with};
use shrinkwarp_report::excerpt::Mistake;
use shrinkwarp_report::suggestion::suggestion;
use shrinkwarp_sim::config::GpuSpec;
use shrinkwarp_sim::energy::EnergySet;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::scheme::{Scheme, Tables};

use crate::arrays::SharedBytes;
use crate::failure::{exception, usage, work};
use crate::own_codec::own_codecs;
use crate::simulation::LaunchProgress;
use crate::watch::Watch;

/// What a kernel is called with: an array by its bytes, a structure by its bytes, or a number.
#[derive(FromPyObject)]
pub enum Argument<'py> {
    #[pyo3(transparent)]
    Array(Bound<'py, PyArray1<u8>>),
    #[pyo3(transparent)]
    Structure(Bound<'py, PyBytes>),
    #[pyo3(transparent)]
    Integer(i64),
    #[pyo3(transparent)]
    Unsigned(u64),
    #[pyo3(transparent)]
    Float(f64),
}

/// The same without Python: arrays are numbers of [`Buffers`].
enum Value64 {
    Array(usize),
    Structure(Vec<u8>),
    Number(Number),
}

/// A launch as Python asks for it.
#[derive(FromPyObject)]
pub struct Asked<'py> {
    ptx: String,
    /// What messages call the PTX.
    name: String,
    kernel: Option<String>,
    grid: Dim3,
    block: Dim3,
    shared_bytes: u32,
    arguments: Vec<Argument<'py>>,
    /// Whether parameters behind the last argument are 0.
    fills_with_zeros: bool,
    max_instructions: Option<u64>,
    machine: Option<Machine<'py>>,
}

/// A GPU to simulate, with a scheme.
#[derive(FromPyObject)]
pub struct Machine<'py> {
    gpu: String,
    scheme: String,
    changes: Vec<String>,
    own: BTreeMap<String, Bound<'py, PyAny>>,
    tables: BTreeMap<String, Vec<u8>>,
    energy: String,
    sample_cycles: Option<u64>,
    verify: bool,
}

/// Runs a kernel; arrays that can be written are then what the kernel made of them. Gives the result as JSON and what the
/// kernel printed.
#[pyfunction]
pub fn launch<'py>(
    py: Python<'py>,
    asked: Asked<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let watch = Arc::new(Watch::default());
    let machine = asked.machine.as_ref().map(|machine| machine.build(&watch)).transpose()?;
    let arrays = arrays_of(&asked.arguments);
    let shared = arrays.iter().map(SharedBytes::of).collect::<PyResult<Vec<_>>>()?;
    let call = Call {
        path: PathBuf::from(&asked.name),
        ptx: &asked.ptx,
        kernel: asked.kernel.as_deref(),
        launch: Launch {
            dynamic_shared_bytes: asked.shared_bytes,
            max_thread_instructions: asked.max_instructions,
            ..Launch::new(asked.grid, asked.block, Vec::new())
        },
        values: values_of(&asked.arguments),
        fills_with_zeros: asked.fills_with_zeros,
        shared,
    };
    let done = watch.supervise(py, progress, || match machine {
        None => call.compute(&watch),
        Some(machine) => call.simulate(machine, &watch),
    })?;
    let done = done.map_err(exception)?;
    for (index, (array, bytes)) in arrays.iter().zip(&done.arrays).enumerate() {
        write_back(index, array, bytes)?;
    }
    Ok((done.result.to_string(), PyBytes::new(py, &done.printed)))
}

/// Copies what a kernel left into the array.
fn write_back(index: usize, array: &Bound<'_, PyArray1<u8>>, bytes: &[u8]) -> PyResult<()> {
    let is_writable: bool = array.getattr("flags")?.getattr("writeable")?.extract()?;
    if is_writable {
        // SAFETY: the array is contiguous, which `SharedBytes` has checked, and nothing else looks at it while the GIL
        // is held.
        let target = unsafe { array.as_slice_mut() }.map_err(work)?;
        target.copy_from_slice(bytes);
        return Ok(());
    }
    if SharedBytes::of(array)?.as_ref() != bytes {
        return Err(work(format!("array {index} is read-only, and the kernel wrote to it")));
    }
    Ok(())
}

fn arrays_of<'py>(arguments: &[Argument<'py>]) -> Vec<Bound<'py, PyArray1<u8>>> {
    let array = |argument: &Argument<'py>| match argument {
        Argument::Array(array) => Some(array.clone()),
        _ => None,
    };
    arguments.iter().filter_map(array).collect()
}

fn values_of(arguments: &[Argument<'_>]) -> Vec<Value64> {
    let mut arrays = 0;
    let value = |argument: &Argument<'_>| match argument {
        Argument::Array(_) => {
            arrays += 1;
            Value64::Array(arrays - 1)
        }
        Argument::Structure(bytes) => Value64::Structure(bytes.as_bytes().to_vec()),
        Argument::Integer(value) => Value64::Number(Number::Integer(*value)),
        // Parameters of 64 bits hold it as it is; others refuse what is negative or too large alike.
        Argument::Unsigned(value) => Value64::Number(Number::Integer(*value as i64)),
        Argument::Float(value) => Value64::Number(Number::Float(*value)),
    };
    arguments.iter().map(value).collect()
}

/// A machine that is ready to be made.
struct Built {
    gpu: GpuSpec,
    scheme: Scheme,
    energy: EnergySet,
    sample_cycles: Option<u64>,
}

impl Machine<'_> {
    fn build(&self, watch: &Arc<Watch>) -> PyResult<Built> {
        let wrong = |error| exception(LabError::from(error));
        let gpu = gpu_with(&self.gpu, &self.changes).map_err(wrong)?;
        let scheme = scheme_with(&self.scheme, &self.changes).map_err(wrong)?;
        let energy = energy_set_for(&self.energy, &gpu).map_err(wrong)?;
        let own = own_codecs(&self.own, watch, self.verify)?;
        let mut tables = Tables::new();
        for (codec, bytes) in &self.tables {
            let code = CodecSpec::parse(codec, BlockBytes::B128).map_err(usage)?.table_name();
            tables.insert(code, bytes.clone());
        }
        let scheme = Scheme::build_with(scheme, &tables, &own, self.verify).map_err(|error| {
            exception(Failure::Usage(format!("{error}; give trained codecs with tables=")))
        })?;
        Ok(Built { gpu, scheme, energy, sample_cycles: self.sample_cycles })
    }
}

/// Everything about a launch that needs no Python.
struct Call<'a> {
    path: PathBuf,
    ptx: &'a str,
    kernel: Option<&'a str>,
    launch: Launch,
    values: Vec<Value64>,
    fills_with_zeros: bool,
    shared: Vec<SharedBytes>,
}

/// What a launch did.
struct Done {
    result: Value,
    printed: Vec<u8>,
    arrays: Vec<Vec<u8>>,
}

impl Call<'_> {
    /// Without time.
    fn compute(&self, watch: &Watch) -> Result<Done, Failure> {
        let mut device = Functional::new();
        let (report, arrays) = self.run(&mut device, watch)?;
        let result = json!({
            "thread_instructions": report.thread_instructions,
            "warp_instructions": report.warp_instructions,
        });
        Ok(Done { result, printed: report.output, arrays })
    }

    /// Cycle by cycle.
    fn simulate(&self, machine: Built, watch: &Watch) -> Result<Done, Failure> {
        let Built { gpu, scheme, energy, sample_cycles } = machine;
        let name = scheme.spec.name.clone();
        let gpu_name = gpu.name.clone();
        let mut watcher = LaunchProgress(watch);
        let gpu = Gpu::with_scheme(gpu, scheme);
        let mut device = RecordedGpu::new(gpu, sample_cycles, Some(&*watch.interrupt), &mut watcher);
        let (report, arrays) = self.run(&mut device, watch)?;
        let Executed { result, .. } = measure(device, &energy)?;
        let mut result = serde_json::to_value(&result).map_err(|error| Failure::Work(error.to_string()))?;
        result["gpu"] = gpu_name.into();
        result["scheme"] = name.into();
        result["warp_instructions"] = report.warp_instructions.into();
        Ok(Done { result, printed: report.output, arrays })
    }

    fn run(&self, device: &mut dyn Device, watch: &Watch) -> Result<(LaunchReport, Vec<Vec<u8>>), Failure> {
        let module = self.load(device)?;
        let kernel = self.find(&module)?;
        let addresses = self.place(device)?;
        let mut launch = self.launch.clone();
        launch.parameters = self.pack(kernel, &addresses)?;
        launch.interrupt = Some(Arc::clone(&watch.interrupt));
        let report = device.launch(kernel, &launch).map_err(|error| self.failed(&error, &addresses))?;
        let mut arrays = Vec::new();
        for (address, bytes) in addresses.iter().zip(&self.shared) {
            let mut out = vec![0; bytes.as_ref().len()];
            device.copy_out(*address, &mut out).map_err(refused)?;
            arrays.push(out);
        }
        Ok((report, arrays))
    }

    fn load(&self, device: &mut dyn Device) -> Result<Arc<Module>, Failure> {
        if let Err(found) = shrinkwarp_ptx::parse(self.ptx) {
            return Err(self.in_ptx("the PTX has mistakes", ptx_mistakes(&found)));
        }
        device.load_module(self.ptx).map_err(|error| match error {
            DeviceError::Load(errors) => {
                let mistake = |error: &shrinkwarp_emu::device::LoadError| {
                    Mistake::on_line(self.ptx, error.line, error.to_string())
                };
                self.in_ptx("the PTX cannot be executed", errors.iter().map(mistake).collect())
            }
            other => refused(other),
        })
    }

    /// The kernel of this name, or the only one.
    fn find<'m>(&self, module: &'m Module) -> Result<&'m Arc<Kernel>, Failure> {
        let known: Vec<&str> = module.kernels.keys().map(String::as_str).collect();
        let Some(name) = self.kernel else {
            return match module.kernels.values().next() {
                Some(kernel) if known.len() == 1 => Ok(kernel),
                _ => Err(Failure::Usage(format!(
                    "{}: say which kernel to launch (it has: {})",
                    self.path.display(),
                    known.join(", ")
                ))),
            };
        };
        module.kernels.get(name).ok_or_else(|| {
            let advice = suggestion(name, &known);
            Failure::Usage(format!("{}: unknown kernel {name:?}; {advice}", self.path.display()))
        })
    }

    /// Copies the arrays to the device and gives the address of each. Arrays that share memory share it there, too.
    fn place(&self, device: &mut dyn Device) -> Result<Vec<u64>, Failure> {
        let starts: Vec<usize> = self.shared.iter().map(|bytes| bytes.as_ref().as_ptr() as usize).collect();
        let mut order: Vec<usize> = (0..starts.len()).collect();
        order.sort_by_key(|&index| starts[index]);
        let mut addresses = vec![0; starts.len()];
        let mut rest = &*order;
        while let [first, ..] = *rest {
            let mut end = starts[first];
            let mut members = 0;
            for &index in rest {
                if members > 0 && starts[index] >= end {
                    break;
                }
                end = end.max(starts[index] + self.shared[index].as_ref().len());
                members += 1;
            }
            let base = device.alloc((end - starts[first]) as u64).map_err(refused)?;
            for &index in &rest[..members] {
                addresses[index] = base + (starts[index] - starts[first]) as u64;
                let bytes = self.shared[index].as_ref();
                if !bytes.is_empty() {
                    device.copy_in(addresses[index], bytes).map_err(refused)?;
                }
            }
            rest = &rest[members..];
        }
        Ok(addresses)
    }

    /// The parameter space of the kernel.
    fn pack(&self, kernel: &Kernel, addresses: &[u64]) -> Result<Vec<u8>, Failure> {
        let (given, needed) = (self.values.len(), kernel.parameters.len());
        if given > needed || (given < needed && !self.fills_with_zeros) {
            return Err(Failure::Usage(format!(
                "{given} arguments are given, {needed} are needed; the kernel is {}",
                kernel.signature()
            )));
        }
        let mut bytes = vec![0; kernel.parameter_bytes as usize];
        for (index, (value, parameter)) in self.values.iter().zip(&kernel.parameters).enumerate() {
            let packed = value.bytes(parameter, addresses).map_err(|message| {
                Failure::Usage(format!(
                    "argument {index}: {message} (parameter {} of {})",
                    parameter.name,
                    kernel.signature()
                ))
            })?;
            let start = parameter.offset as usize;
            bytes[start..start + packed.len()].copy_from_slice(&packed);
        }
        Ok(bytes)
    }

    fn in_ptx(&self, what: &str, found: Vec<Mistake>) -> Failure {
        let headline = format!("{}: {what}", self.path.display());
        let source = self.ptx.to_owned();
        LaunchError::Mistakes { headline, path: self.path.clone(), source, found }.into()
    }

    /// A fault of the kernel is shown with its line.
    fn failed(&self, error: &DeviceError, addresses: &[u64]) -> Failure {
        let DeviceError::Fault(fault) = error else { return refused(error) };
        let mut mistake = Mistake::on_line(self.ptx, fault.line, fault.to_string());
        if matches!(fault.kind, FaultKind::Memory(_)) {
            let ranges: Vec<String> = addresses
                .iter()
                .zip(&self.shared)
                .enumerate()
                .map(|(index, (start, bytes))| {
                    format!("array {index} [{start:#x}, {:#x})", start + bytes.as_ref().len() as u64)
                })
                .collect();
            mistake.help = Some(format!("arrays: {}", ranges.join(", ")));
        }
        self.in_ptx(&format!("kernel {} was stopped", fault.kernel), vec![mistake])
    }
}

impl Value64 {
    /// As many bytes as the parameter has.
    fn bytes(&self, parameter: &Parameter, addresses: &[u64]) -> Result<Vec<u8>, String> {
        let ty = parameter.ty.as_str();
        match self {
            Self::Array(index) if matches!(ty, "u64" | "b64" | "s64") => {
                Ok(addresses[*index].to_le_bytes().to_vec())
            }
            Self::Array(_) => Err(format!("an array is a 64-bit address; this parameter is .{ty}")),
            Self::Structure(bytes) if bytes.len() == parameter.bytes as usize => Ok(bytes.clone()),
            Self::Structure(bytes) => {
                Err(format!("{} bytes for a parameter of {}", bytes.len(), parameter.bytes))
            }
            Self::Number(number) => number_bytes(*number, parameter),
        }
    }
}

fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::Work(error.to_string())
}
