//! Dyadic convolution of a long vector with a short one, by three fast Walsh–Hadamard transforms.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Buffer, Host};
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "fwt",
    summary: "fast Walsh transform",
    class: Class::Float,
    papers: &[(Paper::E2mc, "FWT"), (Paper::Latte, "FWT")],
    is_cache_sensitive: false,
    buffers: &[approximable("filter", ElementType::F32), approximable("data", ElementType::F32)],
    input: None,
    data_sets: &[
        DataSet::new("uniform", "CUDA SDK: rand() / RAND_MAX"),
        DataSet::new("walsh", "E2MC: Walsh functions").of(&[Paper::E2mc]),
    ],
    ptx: include_str!("../../kernels/fwt.ptx"),
    run,
};

const THREADS: u32 = 256;
/// Sub-vectors up to this power of two fit shared memory.
const SHARED_LOG2: u32 = 11;
const FILTER_LOG2: u32 = 7;
const MODULATE_BLOCKS: u32 = 128;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let log2 = host.size(host.scale().pick(13, 17, 23), 10..=26)? as u32;
    let count = 1usize << log2;
    let mut rng = host.rng(1);
    let mut vector = |len: usize| -> Vec<f32> {
        match host.data() {
            "walsh" => walsh_function(len, rng.below(len as u32)),
            _ => (0..len).map(|_| rng.uniform(0.0, 1.0)).collect(),
        }
    };
    let (filter, data) = (vector(1 << FILTER_LOG2), vector(count));
    let mut padded = filter.clone();
    padded.resize(count, 0.0);

    let filter_buffer = host.upload("filter", &padded)?;
    let data_buffer = host.upload("data", &data)?;
    transform(host, data_buffer, log2)?;
    transform(host, filter_buffer, log2)?;
    let arguments = args![data_buffer, filter_buffer, count];
    host.launch("fwt_modulate", [MODULATE_BLOCKS, 1, 1], [THREADS, 1, 1], arguments)?;
    transform(host, data_buffer, log2)?;
    host.check("data", data_buffer, &convolve(&data, &filter), Tolerance::relative(1e-3))
}

/// The Walsh function of this number in natural order: 1 and -1.
fn walsh_function(len: usize, number: u32) -> Vec<f32> {
    (0..len as u32)
        .map(|index| if (index & number).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 })
        .collect()
}

/// Transforms a vector in place: `vectors` counts the independent sub-vectors that the passes leave.
fn transform(host: &mut Host<'_>, data: Buffer<f32>, log2: u32) -> Result<(), Failure> {
    let blocks = (1u32 << log2) / (4 * THREADS);
    let (mut left, mut vectors) = (log2, 1);
    while left > SHARED_LOG2 {
        let stride = (1i32 << left) / 4;
        // Every pass has a thread for four elements of the whole vector, so the strides decide what a sub-vector is.
        host.launch("fwt_pass", [blocks, 1, 1], [THREADS, 1, 1], args![data, data, stride])?;
        left -= 2;
        vectors *= 4;
    }
    let count = 1u32 << left;
    host.launch_with_shared(
        "fwt_shared",
        [vectors, 1, 1],
        [count / 4, 1, 1],
        4 * count,
        args![data, data, left as i32],
    )
}

/// The definition: every output is the sum over the filter of the elements whose numbers differ by exclusive or.
fn convolve(data: &[f32], filter: &[f32]) -> Vec<f32> {
    let at = |index: usize| -> f64 {
        filter.iter().enumerate().map(|(j, &weight)| f64::from(weight) * f64::from(data[index ^ j])).sum()
    };
    (0..data.len()).map(|index| at(index) as f32).collect()
}
