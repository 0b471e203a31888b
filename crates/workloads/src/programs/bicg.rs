//! The two matrix–vector products of the biconjugate gradient method.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::matrix::{self, Matrix};
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "bicg",
    summary: "two matrix-vector products of BiCG",
    class: Class::Float,
    papers: &[(Paper::Dsm, "P-BICG")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("a", ElementType::F32),
        approximable("r", ElementType::F32),
        approximable("p", ElementType::F32),
        approximable("s", ElementType::F32),
        approximable("q", ElementType::F32),
    ],
    input: Some(InputKind::Matrix),
    data_sets: &[
        DataSet::new("formula", "PolyBench: i · j / rows, and multiples of π"),
        DataSet::new("uniform", "DSM: uniform random numbers").of(&[Paper::Dsm]),
    ],
    ptx: include_str!("../../kernels/bicg.ptx"),
    run,
};

const THREADS: u32 = 256;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let Matrix { rows, columns, values } = host.factor_matrix(host.scale().pick(64, 768, 4096))?;
    let (r, p) = (host.factor_vector(rows, 8), host.factor_vector(columns, 9));

    let a = host.upload("a", &values)?;
    let r_buffer = host.upload("r", &r)?;
    let p_buffer = host.upload("p", &p)?;
    let s = host.zeros::<f32>("s", columns)?;
    let q = host.zeros::<f32>("q", rows)?;
    host.launch(
        "bicg_columns",
        grid_for(columns, THREADS),
        [THREADS, 1, 1],
        args![a, r_buffer, s, rows, columns],
    )?;
    host.launch("bicg_rows", grid_for(rows, THREADS), [THREADS, 1, 1], args![a, p_buffer, q, rows, columns])?;

    host.check("s", s, &matrix::multiply_transposed(&values, &r, columns), Tolerance::relative(1e-4))?;
    host.check("q", q, &matrix::multiply(&values, &p, columns), Tolerance::relative(1e-4))
}
