//! Fast Walsh–Hadamard transform of a long vector.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "fwt",
    summary: "fast Walsh transform",
    class: Class::Float,
    papers: &[(Paper::E2mc, "FWT"), (Paper::Latte, "FWT")],
    is_cache_sensitive: false,
    buffers: &[approximable("data", ElementType::F32)],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/fwt.ptx"),
    run,
};

const THREADS: u32 = 256;
const LOCAL: usize = 1024;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // A power of four times the part that fits shared memory.
    let count: usize = LOCAL * host.scale().pick(4, 256, 64);
    let mut rng = host.rng(1);
    // Small counts, as the spectra of Boolean functions start from.
    let values: Vec<f32> = (0..count).map(|_| rng.below(16) as f32).collect();
    let data = host.upload("data", &values)?;
    let mut stride = count / 4;
    while stride >= LOCAL {
        host.launch(
            "fwt_pass",
            grid_for(count / 4, THREADS),
            [THREADS, 1, 1],
            args![data, count / 4, stride],
        )?;
        stride /= 4;
    }
    host.launch("fwt_local", [(count / LOCAL) as u32, 1, 1], [THREADS, 1, 1], args![data])?;
    host.check("data", data, &transform(values), Tolerance::relative(1e-5))
}

fn transform(mut values: Vec<f32>) -> Vec<f32> {
    let mut stride = 1;
    while stride < values.len() {
        for base in (0..values.len()).filter(|index| index & stride == 0) {
            let (a, b) = (values[base], values[base + stride]);
            values[base] = a + b;
            values[base + stride] = a - b;
        }
        stride *= 2;
    }
    values
}
