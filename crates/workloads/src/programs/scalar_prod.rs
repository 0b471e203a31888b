//! Dot products of many pairs of vectors.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, FACTORS_AND_PRODUCT, Paper, Workload};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "scalar-prod",
    summary: "dot products of vector pairs",
    class: Class::Float,
    papers: &[(Paper::Dsm, "N-SP")],
    is_cache_sensitive: false,
    buffers: FACTORS_AND_PRODUCT,
    input: None,
    data_sets: &[DataSet::new("uniform", "CUDA SDK: rand() / RAND_MAX")],
    ptx: include_str!("../../kernels/scalar-prod.ptx"),
    run,
};

const BLOCKS: u32 = 128;
const THREADS: u32 = 256;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let pairs: usize = host.scale().pick(4, 256, 256);
    let elements = host.size(host.scale().pick(1500, 4096, 4096), 1..=1 << 20)?;
    let mut rng = host.rng(1);
    let a: Vec<f32> = (0..pairs * elements).map(|_| rng.uniform(0.0, 1.0)).collect();
    let b: Vec<f32> = (0..pairs * elements).map(|_| rng.uniform(0.0, 1.0)).collect();

    let a_buffer = host.upload("a", &a)?;
    let b_buffer = host.upload("b", &b)?;
    let c = host.zeros::<f32>("c", pairs)?;
    host.launch(
        "scalar_prod",
        [BLOCKS, 1, 1],
        [THREADS, 1, 1],
        args![c, a_buffer, b_buffer, pairs, elements],
    )?;

    let dot = |(a, b): (&[f32], &[f32])| {
        a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() as f32
    };
    let expected: Vec<f32> = a.chunks_exact(elements).zip(b.chunks_exact(elements)).map(dot).collect();
    host.check("c", c, &expected, Tolerance::relative(1e-5))
}
