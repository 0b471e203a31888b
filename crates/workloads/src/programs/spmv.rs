//! Sparse matrix–vector product, in compressed sparse rows and in jagged diagonals.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph::{self, Csr};
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "spmv",
    summary: "sparse matrix-vector product (CSR, JDS)",
    class: Class::Mixed,
    papers: &[(Paper::Bpc, "P.SPMV"), (Paper::E2mc, "SPMV")],
    is_cache_sensitive: false,
    buffers: &[
        exact("row", ElementType::I32),
        exact("col", ElementType::I32),
        approximable("value", ElementType::F32),
        approximable("x", ElementType::F32),
        approximable("y", ElementType::F32),
        exact("diagonal", ElementType::I32),
        exact("length", ElementType::I32),
        exact("permutation", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: OURS,
    ptx: include_str!("../../kernels/spmv.ptx"),
    run,
};

const THREADS: u32 = 256;
const BLOCK: [u32; 3] = [THREADS, 1, 1];
const WARP: usize = 32;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let pattern = match host.input_text()? {
        Some(text) => graph::parse(text)?,
        None => graph::rmat(host.scale().pick(8, 13, 17), 10, 100, &mut host.rng(1)),
    };
    let rows = pattern.nodes();
    // A diffusion-like matrix: entries are small negative conductances.
    let value: Vec<f32> = pattern.weight.iter().map(|&weight| -(weight as f32) / 128.0).collect();
    let mut rng = host.rng(2);
    let x: Vec<f32> = (0..rows).map(|_| rng.uniform(0.0, 1.0)).collect();
    let expected: Vec<f32> = (0..rows)
        .map(|r| {
            pattern
                .out_edges(r)
                .map(|i| f64::from(value[i]) * f64::from(x[pattern.col[i] as usize]))
                .sum::<f64>() as f32
        })
        .collect();

    let row = host.upload("row", &pattern.row)?;
    let col = host.upload("col", &pattern.col)?;
    let values = host.upload("value", &value)?;
    let x_buffer = host.upload("x", &x)?;
    let y = host.zeros::<f32>("y", rows)?;
    host.launch(
        "spmv_csr",
        grid_for(rows * WARP, THREADS),
        BLOCK,
        args![row, col, values, x_buffer, y, rows],
    )?;
    host.check("y", y, &expected, Tolerance::relative(1e-4))?;

    let jagged = Jagged::of(&pattern, &value);
    let diagonal = host.upload("diagonal", &jagged.diagonal)?;
    let length = host.upload("length", &jagged.length)?;
    let permutation = host.upload("permutation", &jagged.permutation)?;
    let jagged_col = host.upload("col", &jagged.col)?;
    let jagged_value = host.upload("value", &jagged.value)?;
    let again = host.zeros::<f32>("y", rows)?;
    let arguments = args![diagonal, length, permutation, jagged_col, jagged_value, x_buffer, again, rows];
    host.launch("spmv_jds", grid_for(rows, THREADS), BLOCK, arguments)?;
    host.check("y", again, &expected, Tolerance::relative(1e-4))
}

/// Jagged diagonal storage: rows sorted by length, longest first; the k-th entries of all rows stand together.
struct Jagged {
    diagonal: Vec<i32>,
    length: Vec<i32>,
    permutation: Vec<i32>,
    col: Vec<i32>,
    value: Vec<f32>,
}

impl Jagged {
    fn of(matrix: &Csr, values: &[f32]) -> Self {
        let mut order: Vec<usize> = (0..matrix.nodes()).collect();
        order.sort_by_key(|&r| (usize::MAX - matrix.out_edges(r).len(), r));
        let length: Vec<i32> = order.iter().map(|&r| matrix.out_edges(r).len() as i32).collect();
        let longest = length.first().copied().unwrap_or(0) as usize;
        let (mut diagonal, mut col, mut value) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..longest {
            diagonal.push(col.len() as i32);
            for &r in order.iter().take_while(|&&r| matrix.out_edges(r).len() > k) {
                let at = matrix.out_edges(r).start + k;
                col.push(matrix.col[at]);
                value.push(values[at]);
            }
        }
        let permutation = order.iter().map(|&r| r as i32).collect();
        Self { diagonal, length, permutation, col, value }
    }
}
