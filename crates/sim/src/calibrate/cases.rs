//! The calibration cases: kernels, inputs by formula, launches.
//!
//! The kernels are in `reference/` at the root of the repository. A [`Case`] runs on any [`Device`]: prepare, launch,
//! checksum.

use std::sync::Arc;

use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::kernel::{Kernel, Module, ModuleVariable};
use shrinkwarp_emu::launch::{Dim3, Launch};
use shrinkwarp_emu::memory::{ChannelKind, TexelFormat, Texture};

use super::inputs::Input;

/// Kernels of the first set: arithmetic, shared memory, L1D, L2, DRAM.
pub const PTX: &str = include_str!("../../reference/calibration.ptx");
/// Kernels of the second set: further paths to memory.
pub const PATHS_PTX: &str = include_str!("../../reference/paths.ptx");

/// The texture reference and the constant array of [`PATHS_PTX`].
const TEXTURE: &str = "table_texture";
const CONSTANTS: &str = "table_constant";

/// One calibration case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name, as in the tables.
    pub name: &'static str,
    /// What it does and what that exercises, in one line.
    pub summary: &'static str,
    /// Kernel it launches.
    pub kernel: &'static str,
    /// Where the kernel is.
    ptx: &'static str,
    grid: Dim3,
    block: Dim3,
    /// Buffers in the order they are allocated.
    buffers: Vec<Input>,
    arguments: Vec<Argument>,
    /// Index of the buffer that the module's texture reference is bound to.
    texture: Option<usize>,
    /// Contents of the module's constant array.
    constants: Option<Input>,
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
        let mut prepared = self.prepare_with(device, self.ptx)?;
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
        if let Some(buffer) = self.texture {
            let (address, bytes) = addresses[buffer];
            let format = TexelFormat { channels: 1, channel_bits: 32, kind: ChannelKind::Float };
            let texels = Texture::line(address, (bytes / 4) as u32, format);
            device.bind_texture(variable(&module, TEXTURE)?.address, texels)?;
        }
        if let Some(contents) = self.constants {
            device.write_constants(variable(&module, CONSTANTS)?.address, &contents.bytes())?;
        }
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

fn variable<'a>(module: &'a Module, name: &str) -> Result<&'a ModuleVariable, DeviceError> {
    module.variables.get(name).ok_or_else(|| DeviceError::Launch(format!("there is no variable {name}")))
}

/// FNV-1a, 64 bits, with the offset basis that the reference's host program uses.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(1_469_598_103_934_665_603, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
    })
}

/// The case of that name, of either set.
pub fn case_named(name: &str) -> Option<Case> {
    cases().into_iter().chain(path_cases()).find(|case| case.name == name)
}

/// The first set, in the order of the tables.
pub fn cases() -> Vec<Case> {
    use Argument::{Buffer, Single, Word};
    use Input::{BfsColumns, BfsDistances, BfsRows, Collatz, Integers, PermutationStep, Ramp, Random, Zeros};
    let case = |(name, summary), grid, block, buffers: &[Input], arguments: &[Argument], output| Case {
        name,
        summary,
        kernel: if str::starts_with(name, "gather") { "gather" } else { name },
        ptx: PTX,
        grid,
        block,
        buffers: buffers.to_vec(),
        arguments: arguments.to_vec(),
        texture: None,
        constants: None,
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
            ("vecadd", "adds two vectors: coalesced reads and writes"),
            [512, 1, 1],
            line,
            &[Ramp(131_072), Ramp(131_072), Zeros(131_072)],
            &[Buffer(0), Buffer(1), Buffer(2), Word(131_072)],
            2,
        ),
        case(
            ("strided_copy", "copies with a stride of 33 words: a line for each lane"),
            [256, 1, 1],
            line,
            &[Integers(65_536), Zeros(65_536)],
            &[Buffer(0), Buffer(1), Word(65_536), Word(33)],
            1,
        ),
        matmul(("matmul_naive", "multiplies matrices from global memory: reuse in the L1D")),
        matmul((
            "matmul_tiled",
            "multiplies matrices through tiles in shared memory: barriers and arithmetic",
        )),
        case(
            ("reduce", "sums as a tree in shared memory: barriers, partly idle warps"),
            [256, 1, 1],
            line,
            &[Integers(65_536), Zeros(256)],
            &[Buffer(0), Buffer(1), Word(65_536)],
            1,
        ),
        case(
            ("histogram", "counts in 256 bins: atomics"),
            [60, 1, 1],
            line,
            &[Random(65_536), Zeros(256)],
            &[Buffer(0), Buffer(1), Word(65_536)],
            1,
        ),
        case(
            ("bfs_level", "one level of a breadth-first search: divergence and scattered reads"),
            [64, 1, 1],
            line,
            &[BfsRows, BfsColumns, BfsDistances, Zeros(1)],
            &[Buffer(0), Buffer(1), Buffer(2), Word(3), Buffer(3), Word(16_384)],
            2,
        ),
        case(
            ("pointer_chase", "reads that depend on one another: memory latency"),
            [15, 1, 1],
            [64, 1, 1],
            &[PermutationStep(262_144), Zeros(960)],
            &[Buffer(0), Buffer(1), Word(64)],
            1,
        ),
        case(
            ("stencil5", "five-point stencil: reuse of neighbours in the L1D"),
            [16, 32, 1],
            [32, 8, 1],
            &[Ramp(512 * 256), Zeros(512 * 256)],
            &[Buffer(0), Buffer(1), Word(512), Word(256)],
            1,
        ),
        case(
            ("transpose_conflict", "transposes through an unpadded tile: bank conflicts in shared memory"),
            [8, 8, 1],
            [32, 8, 1],
            &[Ramp(256 * 256), Zeros(256 * 256)],
            &[Buffer(0), Buffer(1), Word(256)],
            1,
        ),
        case(
            ("special", "sine and exponential: special-function units"),
            [60, 1, 1],
            line,
            &[Ramp(15_360), Zeros(15_360)],
            &[Buffer(0), Buffer(1), Word(15_360), Word(16)],
            1,
        ),
        fma(("fma_chain", "one chain of multiply-adds: latency of arithmetic")),
        fma(("fma_wide", "four chains of multiply-adds: issue bandwidth")),
        case(
            ("int_mix", "integer multiplication, division and remainder"),
            [60, 1, 1],
            line,
            &[Zeros(15_360)],
            &[Buffer(0), Word(65_521), Word(8)],
            0,
        ),
        gather(("gather_l1", "random reads from a table of 8 KiB: hits of the L1D"), 2048),
        gather(("gather_l2", "random reads from a table of 256 KiB: hits of the L2"), 65_536),
        gather(("gather_dram", "random reads from a table of 8 MiB: misses of both caches"), 2_097_152),
        case(
            ("l1_sweep", "each thread block reads its tile of 4 KiB eight times: hits of the L1D"),
            [30, 1, 1],
            [128, 1, 1],
            &[Ramp(1024 * 30), Zeros(30 * 128)],
            &[Buffer(0), Buffer(1), Word(1024), Word(8)],
            1,
        ),
        case(
            ("diverge", "a different number of iterations for every lane: divergence"),
            [60, 1, 1],
            line,
            &[Collatz(15_360), Zeros(15_360)],
            &[Buffer(0), Buffer(1), Word(15_360)],
            1,
        ),
    ]
}

/// The second set: rows per thread, partial stores, textures, constants.
pub fn path_cases() -> Vec<Case> {
    use Argument::{Buffer, Word};
    use Input::{Ramp, Random, Zeros};
    let case = |(name, summary),
                kernel,
                [blocks, threads]: [u32; 2],
                buffers: &[Input],
                arguments: &[Argument],
                output| Case {
        name,
        summary,
        kernel,
        ptx: PATHS_PTX,
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        buffers: buffers.to_vec(),
        arguments: arguments.to_vec(),
        texture: None,
        constants: None,
        output,
    };
    let row_walk = |name, threads: u32, columns: u32, passes| {
        let buffers = [Ramp((threads * columns) as usize), Zeros(threads as usize)];
        let arguments = [Buffer(0), Buffer(1), Word(columns), Word(passes)];
        case(name, "row_walk", [threads / 128, 128], &buffers, &arguments, 1)
    };
    let tex_gather = |name, words: u32| {
        let buffers = [Ramp(words as usize), Zeros(7680), Random(7680)];
        let arguments = [Buffer(2), Buffer(1), Word(words - 1), Word(8)];
        Case { texture: Some(0), ..case(name, "tex_gather", [30, 256], &buffers, &arguments, 1) }
    };
    let tex_stream = case(
        ("tex_stream", "reads a texture in order"),
        "tex_stream",
        [120, 256],
        &[Ramp(4 * 30_720), Zeros(30_720)],
        &[Buffer(1), Word(4), Word(30_720)],
        1,
    );
    vec![
        row_walk(("row_walk", "each thread reads a row of 512 B: a line for each lane"), 3840, 128, 1),
        row_walk(
            ("row_walk_reuse", "each thread reads a row of 128 B four times: reuse of lines"),
            1920,
            32,
            4,
        ),
        case(
            ("row_store", "each thread writes a row of 128 B: stores of parts of a line"),
            "row_store",
            [30, 256],
            &[Zeros(7680 * 32)],
            &[Buffer(0), Word(32)],
            0,
        ),
        Case { texture: Some(0), ..tex_stream },
        tex_gather(
            ("tex_gather_small", "random reads from a texture of 8 KiB: hits of the texture cache"),
            2048,
        ),
        tex_gather(
            ("tex_gather_large", "random reads from a texture of 4 MiB: misses of the texture cache"),
            1 << 20,
        ),
        Case {
            constants: Some(Ramp(1024)),
            ..case(
                ("const_walk", "constants: one for the whole warp, then eight different ones"),
                "const_walk",
                [60, 256],
                &[Zeros(15_360)],
                &[Buffer(0), Word(32)],
                0,
            )
        },
    ]
}
