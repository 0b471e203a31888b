//! The calibration cases: kernels, inputs by formula, launches, and what a reference simulator measured.
//!
//! The files are in `reference/` at the root of the repository. A [`Case`] runs on any [`Device`]: prepare, launch,
//! checksum.

mod inputs;

use std::sync::Arc;

use crate::device::{Device, DeviceError, LaunchReport};
use crate::kernel::Kernel;
use crate::launch::{Dim3, Launch};
use inputs::Input;

/// The kernels.
pub const PTX: &str = include_str!("../../../reference/calibration.ptx");
/// What the reference simulator measured.
pub const RESULTS_CSV: &str = include_str!("../../../reference/results.csv");
/// The same with one thing changed at a time.
pub const SENSITIVITY_CSV: &str = include_str!("../../../reference/sensitivity.csv");

/// One calibration case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name, as in the tables.
    pub name: &'static str,
    /// Kernel it launches.
    pub kernel: &'static str,
    grid: Dim3,
    block: Dim3,
    /// Buffers in the order they are allocated.
    buffers: Vec<Input>,
    arguments: Vec<Argument>,
    /// Index of the buffer whose checksum counts.
    output: usize,
}

/// One kernel argument.
#[derive(Clone, Copy, Debug)]
enum Argument {
    Buffer(usize),
    Word(u32),
    Single(f32),
}

/// A case with its buffers on a device.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// The launch.
    pub launch: Launch,
    /// Address of the output.
    pub output: u64,
    /// Size of the output.
    pub output_bytes: u64,
}

impl Case {
    /// Loads the module and makes the inputs. Multiply-adds round as the reference's do, so that checksums compare.
    pub fn prepare(&self, device: &mut dyn Device) -> Result<Prepared, DeviceError> {
        let mut prepared = self.prepare_with(device, PTX)?;
        prepared.kernel = Arc::new(prepared.kernel.with_unfused_multiply_add());
        Ok(prepared)
    }

    /// The same with any PTX that has a kernel of this name and parameters, and with the standard's fused rounding.
    pub fn prepare_with(&self, device: &mut dyn Device, ptx: &str) -> Result<Prepared, DeviceError> {
        let mut addresses = Vec::new();
        for input in &self.buffers {
            let bytes = input.bytes();
            let address = device.alloc(bytes.len() as u64)?;
            device.copy_in(address, &bytes)?;
            addresses.push((address, bytes.len() as u64));
        }
        let module = device.load_module(ptx)?;
        let missing = || DeviceError::Launch(format!("there is no kernel {}", self.kernel));
        let kernel = Arc::clone(module.kernels.get(self.kernel).ok_or_else(missing)?);
        let mut parameters = vec![0; kernel.parameter_bytes as usize];
        for (argument, parameter) in self.arguments.iter().zip(&kernel.parameters) {
            let bytes = match *argument {
                Argument::Buffer(index) => addresses[index].0.to_le_bytes().to_vec(),
                Argument::Word(value) => value.to_le_bytes().to_vec(),
                Argument::Single(value) => value.to_le_bytes().to_vec(),
            };
            let start = parameter.offset as usize;
            if let Some(target) = parameters.get_mut(start..start + bytes.len()) {
                target.copy_from_slice(&bytes);
            }
        }
        let (output, output_bytes) = addresses[self.output];
        Ok(Prepared { kernel, launch: Launch::new(self.grid, self.block, parameters), output, output_bytes })
    }

    /// Prepares, launches and sums up.
    pub fn run(&self, device: &mut dyn Device) -> Result<(LaunchReport, u64), DeviceError> {
        let prepared = self.prepare(device)?;
        let report = device.launch(&prepared.kernel, &prepared.launch)?;
        Ok((report, prepared.checksum(device)?))
    }
}

impl Prepared {
    /// The output buffer.
    pub fn output(&self, device: &mut dyn Device) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = vec![0; self.output_bytes as usize];
        device.copy_out(self.output, &mut bytes)?;
        Ok(bytes)
    }

    /// FNV-1a over the output buffer.
    pub fn checksum(&self, device: &mut dyn Device) -> Result<u64, DeviceError> {
        Ok(fnv1a(&self.output(device)?))
    }
}

/// FNV-1a, 64 bits, with the offset basis that the reference's host program uses.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(1_469_598_103_934_665_603, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
    })
}

/// All cases, in the order of the tables.
pub fn cases() -> Vec<Case> {
    use Argument::{Buffer, Single, Word};
    use Input::{BfsColumns, BfsDistances, BfsRows, Collatz, Integers, PermutationStep, Ramp, Random, Zeros};
    let case = |name, grid, block, buffers: &[Input], arguments: &[Argument], output| Case {
        name,
        kernel: if str::starts_with(name, "gather") { "gather" } else { name },
        grid,
        block,
        buffers: buffers.to_vec(),
        arguments: arguments.to_vec(),
        output,
    };
    let gather = |name, words: u32| {
        let buffers = [Ramp(words as usize), Zeros(7680), Random(7680)];
        let arguments = [Buffer(0), Buffer(2), Buffer(1), Word(words - 1), Word(16)];
        case(name, [30, 1, 1], [256, 1, 1], &buffers, &arguments, 1)
    };
    let matmul = |name| {
        let buffers = [Ramp(96 * 96), Ramp(96 * 96), Zeros(96 * 96)];
        let arguments = [Buffer(0), Buffer(1), Buffer(2), Word(96)];
        case(name, [6, 6, 1], [16, 16, 1], &buffers, &arguments, 2)
    };
    let fma = |name| {
        let arguments = [Buffer(0), Single(0.999), Single(0.001), Word(8)];
        case(name, [60, 1, 1], [256, 1, 1], &[Zeros(15360)], &arguments, 0)
    };
    let line = [256, 1, 1];
    vec![
        case(
            "vecadd",
            [512, 1, 1],
            line,
            &[Ramp(131_072), Ramp(131_072), Zeros(131_072)],
            &[Buffer(0), Buffer(1), Buffer(2), Word(131_072)],
            2,
        ),
        case(
            "strided_copy",
            [256, 1, 1],
            line,
            &[Integers(65_536), Zeros(65_536)],
            &[Buffer(0), Buffer(1), Word(65_536), Word(33)],
            1,
        ),
        matmul("matmul_naive"),
        matmul("matmul_tiled"),
        case(
            "reduce",
            [256, 1, 1],
            line,
            &[Integers(65_536), Zeros(256)],
            &[Buffer(0), Buffer(1), Word(65_536)],
            1,
        ),
        case(
            "histogram",
            [60, 1, 1],
            line,
            &[Random(65_536), Zeros(256)],
            &[Buffer(0), Buffer(1), Word(65_536)],
            1,
        ),
        case(
            "bfs_level",
            [64, 1, 1],
            line,
            &[BfsRows, BfsColumns, BfsDistances, Zeros(1)],
            &[Buffer(0), Buffer(1), Buffer(2), Word(3), Buffer(3), Word(16_384)],
            2,
        ),
        case(
            "pointer_chase",
            [15, 1, 1],
            [64, 1, 1],
            &[PermutationStep(262_144), Zeros(960)],
            &[Buffer(0), Buffer(1), Word(64)],
            1,
        ),
        case(
            "stencil5",
            [16, 32, 1],
            [32, 8, 1],
            &[Ramp(512 * 256), Zeros(512 * 256)],
            &[Buffer(0), Buffer(1), Word(512), Word(256)],
            1,
        ),
        case(
            "transpose_conflict",
            [8, 8, 1],
            [32, 8, 1],
            &[Ramp(256 * 256), Zeros(256 * 256)],
            &[Buffer(0), Buffer(1), Word(256)],
            1,
        ),
        case(
            "special",
            [60, 1, 1],
            line,
            &[Ramp(15_360), Zeros(15_360)],
            &[Buffer(0), Buffer(1), Word(15_360), Word(16)],
            1,
        ),
        fma("fma_chain"),
        fma("fma_wide"),
        case("int_mix", [60, 1, 1], line, &[Zeros(15_360)], &[Buffer(0), Word(65_521), Word(8)], 0),
        gather("gather_l1", 2048),
        gather("gather_l2", 65_536),
        gather("gather_dram", 2_097_152),
        case(
            "l1_sweep",
            [30, 1, 1],
            [128, 1, 1],
            &[Ramp(1024 * 30), Zeros(30 * 128)],
            &[Buffer(0), Buffer(1), Word(1024), Word(8)],
            1,
        ),
        case(
            "diverge",
            [60, 1, 1],
            line,
            &[Collatz(15_360), Zeros(15_360)],
            &[Buffer(0), Buffer(1), Word(15_360)],
            1,
        ),
    ]
}

/// A column of `results.csv` for one case.
pub fn measured(case: &str, column: &str) -> Option<&'static str> {
    let mut lines = RESULTS_CSV.lines();
    let index = lines.next()?.split(',').position(|name| name == column)?;
    lines.find(|line| line.split(',').next() == Some(case))?.split(',').nth(index)
}
