//! The Q matrix of magnetic-resonance image reconstruction from a non-Cartesian trajectory.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "mri-q",
    summary: "MRI Q-matrix",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.MRIQ")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("real", ElementType::F32),
        approximable("imaginary", ElementType::F32),
        approximable("magnitude", ElementType::F32),
        approximable("x", ElementType::F32),
        approximable("y", ElementType::F32),
        approximable("z", ElementType::F32),
        approximable("q_real", ElementType::F32),
        approximable("q_imaginary", ElementType::F32),
    ],
    input: None,
    data_sets: &[DataSet::new("spiral", "a spiral through k-space, normal samples").revised(2)],
    ptx: include_str!("../../kernels/mri-q.ptx"),
    run,
};

const MAGNITUDE_THREADS: u32 = 512;
const THREADS: u32 = 256;
/// Samples that constant memory holds at once.
const CHUNK: usize = 1024;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // Parboil's small data set has 3,072 samples and a side of 32 voxels.
    let sample_count = host.size(host.scale().pick(64, 96, 3072), 1..=1 << 16)?.next_multiple_of(2);
    let side: usize = host.scale().pick(8, 16, 32);
    let voxels = side * side * side;
    let mut rng = host.rng(1);
    let real: Vec<f32> = (0..sample_count).map(|_| rng.normal() as f32).collect();
    let imaginary: Vec<f32> = (0..sample_count).map(|_| rng.normal() as f32).collect();
    let samples: Vec<[f32; 3]> = (0..sample_count)
        .map(|i| {
            let turn = i as f64 / sample_count as f64;
            let angle = 24.0 * std::f64::consts::TAU * turn;
            [turn * libm::cos(angle), turn * libm::sin(angle), 2.0 * turn - 1.0].map(|value| value as f32)
        })
        .collect();
    let axis = |divisor: usize| -> Vec<f32> {
        (0..voxels).map(|voxel| (voxel / divisor % side) as f32 / side as f32 - 0.5).collect()
    };
    let (x, y, z) = (axis(1), axis(side), axis(side * side));

    let real_buffer = host.upload("real", &real)?;
    let imaginary_buffer = host.upload("imaginary", &imaginary)?;
    let magnitude_buffer = host.zeros::<f32>("magnitude", sample_count)?;
    let arguments = args![real_buffer, imaginary_buffer, magnitude_buffer, sample_count];
    let grid = grid_for(sample_count, MAGNITUDE_THREADS);
    host.launch("magnitudes", grid, [MAGNITUDE_THREADS, 1, 1], arguments)?;
    let magnitudes = host.download(magnitude_buffer)?;
    host.free(real_buffer)?;
    host.free(imaginary_buffer)?;
    host.free(magnitude_buffer)?;

    let x_buffer = host.upload("x", &x)?;
    let y_buffer = host.upload("y", &y)?;
    let z_buffer = host.upload("z", &z)?;
    let q_real = host.zeros::<f32>("q_real", voxels)?;
    let q_imaginary = host.zeros::<f32>("q_imaginary", voxels)?;
    let constants: Vec<[f32; 4]> =
        samples.iter().zip(&magnitudes).map(|(&[x, y, z], &magnitude)| [x, y, z, magnitude]).collect();
    for (chunk, constants) in constants.chunks(CHUNK).enumerate() {
        host.write_symbol("samples", constants.as_flattened())?;
        let arguments = args![sample_count, chunk * CHUNK, x_buffer, y_buffer, z_buffer, q_real, q_imaginary];
        host.launch("q_matrix", grid_for(voxels, THREADS), [THREADS, 1, 1], arguments)?;
    }

    let mut expected = (Vec::new(), Vec::new());
    for voxel in 0..voxels {
        let (mut re, mut im) = (0.0f64, 0.0f64);
        for (i, sample) in samples.iter().enumerate() {
            let phase = sample[0] * x[voxel] + sample[1] * y[voxel] + sample[2] * z[voxel];
            let (sin, cos) = (std::f64::consts::TAU * f64::from(phase)).sin_cos();
            let magnitude = f64::from(real[i]).powi(2) + f64::from(imaginary[i]).powi(2);
            re += magnitude * cos;
            im += magnitude * sin;
        }
        expected.0.push(re as f32);
        expected.1.push(im as f32);
    }
    let tolerance = Tolerance::Relative { relative: 1e-4, floor: sample_count as f64 };
    host.check("q_real", q_real, &expected.0, tolerance)?;
    host.check("q_imaginary", q_imaginary, &expected.1, tolerance)
}
