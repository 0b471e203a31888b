//! The Q matrix of magnetic-resonance image reconstruction from a non-Cartesian trajectory.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable};

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
        approximable("samples", ElementType::F32),
        approximable("x", ElementType::F32),
        approximable("y", ElementType::F32),
        approximable("z", ElementType::F32),
        approximable("q_real", ElementType::F32),
        approximable("q_imaginary", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/mri-q.ptx"),
    run,
};

const THREADS: u32 = 256;
const CHUNK: usize = 512;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let sample_count: usize = host.scale().pick(64, 256, 2048);
    let side: usize = host.scale().pick(8, 12, 20);
    let voxels = side * side * side;
    let mut rng = host.rng(1);
    let real: Vec<f32> = (0..sample_count).map(|_| rng.normal() as f32).collect();
    let imaginary: Vec<f32> = (0..sample_count).map(|_| rng.normal() as f32).collect();
    // A spiral through k-space.
    let mut samples = vec![0.0f32; sample_count * 4];
    for (i, sample) in samples.chunks_exact_mut(4).enumerate() {
        let turn = i as f64 / sample_count as f64;
        let angle = 24.0 * std::f64::consts::TAU * turn;
        sample[0] = (turn * libm::cos(angle)) as f32;
        sample[1] = (turn * libm::sin(angle)) as f32;
        sample[2] = (2.0 * turn - 1.0) as f32;
    }
    let axis = |divisor: usize| -> Vec<f32> {
        (0..voxels).map(|voxel| (voxel / divisor % side) as f32 / side as f32 - 0.5).collect()
    };
    let (x, y, z) = (axis(1), axis(side), axis(side * side));

    let real_buffer = host.upload("real", &real)?;
    let imaginary_buffer = host.upload("imaginary", &imaginary)?;
    let sample_buffer = host.upload("samples", &samples)?;
    let x_buffer = host.upload("x", &x)?;
    let y_buffer = host.upload("y", &y)?;
    let z_buffer = host.upload("z", &z)?;
    let q_real = host.zeros::<f32>("q_real", voxels)?;
    let q_imaginary = host.zeros::<f32>("q_imaginary", voxels)?;
    let block = [THREADS, 1, 1];
    let arguments = args![real_buffer, imaginary_buffer, sample_buffer, sample_count];
    host.launch("magnitudes", grid_for(sample_count, THREADS), block, arguments)?;
    for first in (0..sample_count).step_by(CHUNK) {
        let arguments = args![
            sample_buffer,
            first,
            sample_count,
            x_buffer,
            y_buffer,
            z_buffer,
            q_real,
            q_imaginary,
            voxels
        ];
        host.launch("q_matrix", grid_for(voxels, THREADS), block, arguments)?;
    }

    let mut expected = (Vec::new(), Vec::new());
    for voxel in 0..voxels {
        let (mut re, mut im) = (0.0f64, 0.0f64);
        for (i, sample) in samples.chunks_exact(4).enumerate() {
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
