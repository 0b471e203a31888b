//! The host side that every workload shares: typed buffers, launches, checks, and what happened.

mod inputs;
mod textures;

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::kernel::{Kernel, Module};
use shrinkwarp_emu::launch::{Dim3, Launch};

use crate::check::{Tolerance, compare};
use crate::error::{Failure, InputFileError};
use crate::setup::{Output, Setup};
use crate::workload::{BufferInfo, DataSet, Scale, Workload};

pub use textures::TextureObject;

/// Drives a device through one workload.
pub struct Host<'d> {
    device: &'d mut dyn Device,
    workload: &'static Workload,
    module: Arc<Module>,
    setup: Setup<'d>,
    data_set: &'static DataSet,
    outcome: WorkloadReport,
    live_bytes: u64,
    /// Whether the program has a size that can be requested.
    has_asked_size: Cell<bool>,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkloadReport {
    /// Kernel launches.
    pub launches: u64,
    /// PTX instructions times lanes that executed them.
    pub thread_instructions: u64,
    /// Core cycles of all launches; 0 on a device without time.
    pub cycles: u64,
    /// The device buffers in order of allocation.
    pub buffers: Vec<BufferUse>,
    /// Elements compared with the CPU reference.
    pub elements_checked: u64,
    /// The results as last checked, where the setup requested them.
    pub outputs: Vec<Output>,
    /// Whether the program was ended after the launches that the setup allows.
    pub is_cut: bool,
    /// The most bytes of device buffers that were allocated at a time.
    pub peak_bytes: u64,
}

/// Where a buffer lay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferUse {
    /// What it is.
    pub info: BufferInfo,
    /// Its device address.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
}

/// A typed device buffer.
#[derive(Debug)]
pub struct Buffer<T> {
    address: u64,
    len: usize,
    element: PhantomData<T>,
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Buffer<T> {}

impl<T: BufferElement> Buffer<T> {
    /// The buffer without its first elements.
    pub fn skip(self, elements: usize) -> Self {
        let skipped = elements.min(self.len);
        let address = self.address + (skipped * T::BYTES) as u64;
        Self { address, len: self.len - skipped, element: PhantomData }
    }
}

impl<T> Buffer<T> {
    /// Its device address, for records that hold pointers.
    pub fn address(self) -> u64 {
        self.address
    }
}

/// A kernel argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg {
    /// A device address.
    Address(u64),
    /// 32 bits, signed or not.
    Word(u32),
    /// 64 bits, signed or not.
    Long(u64),
    /// Single precision.
    F32(f32),
    /// Double precision.
    F64(f64),
}

impl Arg {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Word(value) => value.to_le_bytes().to_vec(),
            Self::Address(value) | Self::Long(value) => value.to_le_bytes().to_vec(),
            Self::F32(value) => value.to_le_bytes().to_vec(),
            Self::F64(value) => value.to_le_bytes().to_vec(),
        }
    }
}

impl<T> From<Buffer<T>> for Arg {
    fn from(buffer: Buffer<T>) -> Self {
        Self::Address(buffer.address)
    }
}

macro_rules! args_from {
    ($($ty:ty => $make:expr),* $(,)?) => {
        $(impl From<$ty> for Arg {
            fn from(value: $ty) -> Self {
                $make(value)
            }
        })*
    };
}

args_from! {
    u32 => Arg::Word,
    i32 => |value: i32| Arg::Word(value as u32),
    usize => |value: usize| Arg::Word(value as u32),
    u64 => Arg::Long,
    f32 => Arg::F32,
    f64 => Arg::F64,
}

/// The arguments of a launch: `args![buffer, n, 0.5f32]`.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => {
        &[$($crate::host::Arg::from($value)),*]
    };
}

/// A type that device buffers hold.
pub trait BufferElement: Copy + PartialEq + std::fmt::Debug {
    /// Its size in bytes.
    const BYTES: usize;
    /// Appends its little-endian bytes.
    fn put(self, out: &mut Vec<u8>);
    /// Reads its little-endian bytes.
    fn take(bytes: &[u8]) -> Self;
    /// Its value for comparisons under a tolerance.
    fn to_f64(self) -> f64;
}

macro_rules! elements {
    ($($ty:ty),*) => {
        $(impl BufferElement for $ty {
            const BYTES: usize = size_of::<$ty>();
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<$ty>()];
                array.copy_from_slice(bytes);
                Self::from_le_bytes(array)
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
        })*
    };
}

elements!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

impl Workload {
    /// Runs the workload on a device and checks its result.
    pub fn execute(
        &'static self,
        device: &mut dyn Device,
        scale: Scale,
        seed: u64,
        input: Option<&[u8]>,
    ) -> Result<WorkloadReport, Failure> {
        self.execute_with(device, Setup { input, ..Setup::usual(scale, seed) })
    }

    /// Runs the workload as set up.
    pub fn execute_with(
        &'static self,
        device: &mut dyn Device,
        setup: Setup<'_>,
    ) -> Result<WorkloadReport, Failure> {
        let data_set = match setup.data {
            None => self.default_data_set(),
            Some(name) => self.data_set(name).ok_or_else(|| self.unknown_data_set(name))?,
        };
        let module = device.load_module(self.ptx)?;
        let outcome = WorkloadReport::default();
        let has_asked_size = Cell::new(false);
        let mut host =
            Host { device, workload: self, module, setup, data_set, outcome, live_bytes: 0, has_asked_size };
        match (self.run)(&mut host) {
            Err(failure) if !host.outcome.is_cut => Err(failure),
            _ => Ok(host.outcome),
        }
    }

    fn unknown_data_set(&self, name: &str) -> Failure {
        let known: Vec<&str> = self.data_sets.iter().map(|data_set| data_set.name).collect();
        InputFileError::at(0, format!("{} has no data set {name:?} (known: {})", self.name, known.join(", ")))
            .into()
    }
}

impl Host<'_> {
    /// Allocates the next buffer of the workload's list and fills it.
    pub fn upload<T: BufferElement>(
        &mut self,
        name: &'static str,
        values: &[T],
    ) -> Result<Buffer<T>, Failure> {
        let buffer = self.zeros(name, values.len())?;
        self.write(buffer, values)?;
        Ok(buffer)
    }

    /// Allocates a buffer of zeros.
    pub fn zeros<T: BufferElement>(&mut self, name: &'static str, len: usize) -> Result<Buffer<T>, Failure> {
        let known = self.workload.buffers.iter().find(|info| info.name == name);
        let Some(&info) = known.filter(|info| info.element.bytes() == T::BYTES) else {
            let what = format!(
                "workload {}: buffer {name} is not listed with this element size",
                self.workload.name
            );
            return Err(Failure::Launch(what));
        };
        let bytes = (len * T::BYTES).max(1) as u64;
        let format = info.element.float_format().filter(|_| info.is_approximable);
        let address = match (format, self.setup.approximate_bits) {
            (None, _) | (_, 0) => self.device.alloc(bytes)?,
            (Some(format), bits) => self.device.alloc_approximable(bytes, format, bits)?,
        };
        self.outcome.buffers.push(BufferUse { info, address, bytes });
        self.live_bytes += bytes;
        self.outcome.peak_bytes = self.outcome.peak_bytes.max(self.live_bytes);
        Ok(Buffer { address, len, element: PhantomData })
    }

    /// Frees a buffer.
    pub fn free<T>(&mut self, buffer: Buffer<T>) -> Result<(), Failure> {
        let bytes = self.outcome.buffers.iter().find(|used| used.address == buffer.address);
        self.live_bytes -= bytes.map_or(0, |used| used.bytes);
        Ok(self.device.free(buffer.address)?)
    }

    /// Overwrites a buffer from its start.
    pub fn write<T: BufferElement>(&mut self, buffer: Buffer<T>, values: &[T]) -> Result<(), Failure> {
        let mut bytes = Vec::with_capacity(values.len() * T::BYTES);
        for value in values {
            value.put(&mut bytes);
        }
        Ok(self.device.copy_in(buffer.address, &bytes)?)
    }

    /// Reads a whole buffer back.
    pub fn download<T: BufferElement>(&mut self, buffer: Buffer<T>) -> Result<Vec<T>, Failure> {
        let mut bytes = vec![0; buffer.len * T::BYTES];
        self.device.copy_out(buffer.address, &mut bytes)?;
        Ok(bytes.chunks_exact(T::BYTES).map(T::take).collect())
    }

    /// Writes the `__constant__` or `__device__` variable `name` of the module from its start.
    pub fn write_symbol<T: BufferElement>(&mut self, name: &str, values: &[T]) -> Result<(), Failure> {
        let Some(variable) = self.module.variables.get(name).copied() else {
            return Err(Failure::Launch(format!(
                "workload {} has no variable {name}; is it used by a kernel?",
                self.workload.name
            )));
        };
        let mut bytes = Vec::new();
        for value in values {
            value.put(&mut bytes);
        }
        if bytes.len() as u64 > variable.bytes {
            let (size, room) = (bytes.len(), variable.bytes);
            return Err(Failure::Launch(format!("variable {name} has {room} bytes, not {size}")));
        }
        if variable.is_constant {
            return Ok(self.device.write_constants(variable.address, &bytes)?);
        }
        Ok(self.device.copy_in(variable.address, &bytes)?)
    }

    /// Launches a kernel and waits for it. `grid` and `block` are extents in x, y, z.
    pub fn launch(&mut self, kernel: &str, grid: Dim3, block: Dim3, args: &[Arg]) -> Result<(), Failure> {
        self.launch_with_shared(kernel, grid, block, 0, args)
    }

    /// How many SMs the device has.
    pub fn sm_count(&self) -> u32 {
        self.device.sm_count()
    }

    /// How many thread blocks of `threads` threads of a kernel the device holds at once.
    pub fn resident_blocks(&self, kernel: &str, threads: u32) -> Result<u32, Failure> {
        Ok(self.device.sm_count() * self.device.resident_blocks(self.kernel(kernel)?, threads))
    }

    fn kernel(&self, name: &str) -> Result<&Arc<Kernel>, Failure> {
        let unknown = || Failure::Launch(format!("workload {} has no kernel {name}", self.workload.name));
        self.module.kernels.get(name).ok_or_else(unknown)
    }

    /// Launches a kernel with dynamic shared memory.
    pub fn launch_with_shared(
        &mut self,
        kernel: &str,
        grid: Dim3,
        block: Dim3,
        shared_bytes: u32,
        args: &[Arg],
    ) -> Result<(), Failure> {
        if self.setup.max_launches.is_some_and(|limit| self.outcome.launches >= limit) {
            self.outcome.is_cut = true;
            return Err(Failure::Launch(format!("stopped after {} launches", self.outcome.launches)));
        }
        self.refuse_unused_size()?;
        let kernel = self.kernel(kernel)?.clone();
        let mut launch = Launch::new(grid, block, pack(&kernel, args)?);
        launch.dynamic_shared_bytes = shared_bytes;
        let report = self.device.launch(&kernel, &launch)?;
        self.outcome.launches += 1;
        self.outcome.thread_instructions += report.thread_instructions;
        self.outcome.cycles += report.cycles.unwrap_or(0);
        Ok(())
    }

    /// A program that reaches its first launch without having asked for a size has none that could be requested.
    fn refuse_unused_size(&self) -> Result<(), Failure> {
        if self.setup.requested_size().is_none() || self.has_asked_size.get() {
            return Ok(());
        }
        let name = self.workload.name;
        let what = match self.setup.input {
            Some(_) => format!("size: the input file of {name} has its own; leave one of them out"),
            None => format!("size: {name} has the sizes of its scales only (tiny, small, paper)"),
        };
        Err(InputFileError::at(0, what).into())
    }

    /// Launches a round, again and again, until none of its threads has set `flag`.
    pub fn launch_until_unchanged<T: BufferElement + Default>(
        &mut self,
        flag: Buffer<T>,
        mut round: impl FnMut(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        loop {
            self.write(flag, &[T::default()])?;
            round(self)?;
            if self.download(flag)? == [T::default()] {
                return Ok(());
            }
        }
    }

    /// Compares a device buffer with its CPU reference.
    pub fn check<T: BufferElement>(
        &mut self,
        name: &'static str,
        buffer: Buffer<T>,
        expected: &[T],
        tolerance: Tolerance,
    ) -> Result<(), Failure> {
        let got = self.download(buffer)?;
        self.check_values(name, &got, expected, tolerance)
    }

    /// Compares values already read back (perhaps put in order first) with their CPU reference.
    pub fn check_values<T: BufferElement>(
        &mut self,
        name: &'static str,
        got: &[T],
        expected: &[T],
        tolerance: Tolerance,
    ) -> Result<(), Failure> {
        self.outcome.elements_checked += expected.len() as u64;
        if self.setup.keeps_outputs {
            self.keep(name, got, expected);
            return Ok(());
        }
        compare(name, got, expected, tolerance).map_err(Failure::Mismatch)
    }

    /// Whether outputs are kept for a measure of their error, so that they must be the program's own and not what a check derives.
    pub fn keeps_outputs(&self) -> bool {
        self.setup.keeps_outputs
    }

    /// Keeps a result; of one that is checked again and again, the last.
    fn keep<T: BufferElement>(&mut self, name: &'static str, got: &[T], expected: &[T]) {
        let numbers = |values: &[T]| values.iter().map(|value| value.to_f64()).collect();
        self.outcome.outputs.retain(|output| output.name != name);
        self.outcome.outputs.push(Output { name, got: numbers(got), expected: numbers(expected) });
    }
}

/// Thread blocks of `threads` that cover `items`, as a one-dimensional grid.
pub fn grid_for(items: usize, threads: u32) -> Dim3 {
    [(items as u32).div_ceil(threads).max(1), 1, 1]
}

fn pack(kernel: &Kernel, args: &[Arg]) -> Result<Vec<u8>, Failure> {
    let wrong = |what: String| Failure::Launch(format!("{what}; its signature is {}", kernel.signature()));
    if args.len() != kernel.parameters.len() {
        return Err(wrong(format!("kernel {} got {} arguments", kernel.name, args.len())));
    }
    let mut parameters = vec![0; kernel.parameter_bytes as usize];
    for (arg, parameter) in args.iter().zip(&kernel.parameters) {
        let bytes = arg.bytes();
        if bytes.len() != parameter.bytes as usize {
            let (name, size) = (&parameter.name, parameter.bytes);
            return Err(wrong(format!(
                "argument {name} of {} has {} bytes, not {size}",
                kernel.name,
                bytes.len()
            )));
        }
        let offset = parameter.offset as usize;
        parameters[offset..offset + bytes.len()].copy_from_slice(&bytes);
    }
    Ok(parameters)
}
