//! y = Aᵀ(A x), dense and in single precision.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::matrix::{self, Matrix};
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "atax",
    summary: "matrix transpose and vector multiplication, AᵀAx",
    class: Class::Float,
    papers: &[(Paper::Dsm, "P-ATAX")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("a", ElementType::F32),
        approximable("x", ElementType::F32),
        approximable("y", ElementType::F32),
        approximable("product", ElementType::F32),
    ],
    input: Some(InputKind::Matrix),
    data_sets: &[
        DataSet::new("formula", "PolyBench: i · j / rows, and multiples of π"),
        DataSet::new("uniform", "DSM: uniform random numbers").of(&[Paper::Dsm]),
    ],
    ptx: include_str!("../../kernels/atax.ptx"),
    run,
};

const THREADS: u32 = 256;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let Matrix { rows, columns, values } = host.factor_matrix(host.scale().pick(64, 768, 4096))?;
    let x = host.factor_vector(columns, 8);

    let a = host.upload("a", &values)?;
    let x_buffer = host.upload("x", &x)?;
    let y = host.zeros::<f32>("y", columns)?;
    let product = host.zeros::<f32>("product", rows)?;
    host.launch(
        "atax_rows",
        grid_for(rows, THREADS),
        [THREADS, 1, 1],
        args![a, x_buffer, product, rows, columns],
    )?;
    host.launch(
        "atax_columns",
        grid_for(columns, THREADS),
        [THREADS, 1, 1],
        args![a, y, product, rows, columns],
    )?;

    let product = matrix::multiply(&values, &x, columns);
    let expected = matrix::multiply_transposed(&values, &product, columns);
    host.check("y", y, &expected, Tolerance::relative(1e-4))
}
