//! Sparse matrix–vector product, in compressed sparse rows, ELLPACK-R and jagged diagonals.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::graph;
use crate::input::sparse::{self, Sparse};
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "spmv",
    summary: "sparse matrix-vector product (CSR, ELLPACK-R, JDS)",
    class: Class::Mixed,
    papers: &[(Paper::Bpc, "P.SPMV"), (Paper::E2mc, "SPMV")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("value", ElementType::F32),
        exact("column", ElementType::I32),
        approximable("x", ElementType::F32),
        approximable("y", ElementType::F32),
        exact("row_start", ElementType::I32),
        exact("row_length", ElementType::I32),
        exact("permutation", ElementType::I32),
    ],
    input: Some(InputKind::Graph),
    data_sets: &[
        DataSet::new(
            "uniform",
            "SHOC: 1 % of the entries, 10 × uniform; CSR scalar, CSR vector and ELLPACK-R",
        ),
        DataSet::new("csr-scalar", "SHOC: the same matrix, CSR scalar alone"),
        DataSet::new("jds", "Parboil: the matrix of a bicubic finite-element mesh (Dubcova3)")
            .of(&[Paper::Bpc]),
    ],
    ptx: include_str!("../../kernels/spmv.ptx"),
    run,
};

/// Threads of SHOC's thread blocks.
const THREADS: u32 = 128;
const BLOCK: [u32; 3] = [THREADS, 1, 1];
const WARP: usize = 32;
const LARGEST: f32 = 10.0;
/// Threads that the GPU of Parboil's time holds: below that, its thread blocks are one warp.
const RESIDENT_THREADS: usize = 15 * 1536;
const LARGE_BLOCK: u32 = 192;
const TOLERANCE: Tolerance = Tolerance::relative(1e-4);

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let matrix = matrix(host)?;
    let mut rng = host.rng(2);
    let largest = if host.data() == "jds" { 1.0 } else { LARGEST };
    let x: Vec<f32> = (0..matrix.rows()).map(|_| rng.uniform(0.0, largest)).collect();
    let expected = matrix.multiply(&x);
    match host.data() {
        "jds" => jagged_diagonals(host, &matrix, &x, &expected),
        "csr-scalar" => compressed_rows(host, &matrix, &x, &expected, false),
        _ => {
            compressed_rows(host, &matrix, &x, &expected, true)?;
            ellpack(host, &matrix, &x, &expected)
        }
    }
}

/// The user's matrix (edge weights are entries), or the data set's.
fn matrix(host: &Host<'_>) -> Result<Sparse, Failure> {
    if let Some(text) = host.input_text()? {
        let graph = graph::parse(text)?;
        let value = graph.weight.iter().map(|&weight| weight as f32).collect();
        return Ok(Sparse { row_start: graph.row, column: graph.col, value });
    }
    if host.data() == "jds" {
        return Ok(sparse::bicubic_laplacian(host.size(host.scale().pick(6, 48, 128), 1..=512)?));
    }
    let rows = host.size(host.scale().pick(512, 4096, 16384), 1..=65_536)?;
    Ok(sparse::uniform(rows, 0.01, LARGEST, &mut host.rng(1)))
}

fn compressed_rows(
    host: &mut Host<'_>,
    matrix: &Sparse,
    x: &[f32],
    expected: &[f32],
    has_vector_kernel: bool,
) -> Result<(), Failure> {
    let rows = matrix.rows();
    let value = host.upload("value", &matrix.value)?;
    let column = host.upload("column", &matrix.column)?;
    let x_buffer = host.upload("x", x)?;
    let y = host.zeros::<f32>("y", rows)?;
    let row_start = host.upload("row_start", &matrix.row_start)?;
    let texture = host.texture(x_buffer, 1)?;
    let arguments = args![value, column, row_start, rows, y, texture];
    host.launch("spmv_csr_scalar", grid_for(rows, THREADS), BLOCK, arguments)?;
    host.check("y", y, expected, TOLERANCE)?;
    host.launch("spmv_zero", grid_for(rows, THREADS), BLOCK, args![y, rows])?;
    if !has_vector_kernel {
        return Ok(());
    }
    host.launch("spmv_csr_vector", grid_for(rows * WARP, THREADS), BLOCK, arguments)?;
    host.check("y", y, expected, TOLERANCE)
}

fn ellpack(host: &mut Host<'_>, matrix: &Sparse, x: &[f32], expected: &[f32]) -> Result<(), Failure> {
    let rows = matrix.rows();
    let length: Vec<i32> = (0..rows).map(|row| matrix.entries(row).len() as i32).collect();
    let longest = length.iter().copied().max().unwrap_or(0) as usize;
    let (mut values, mut columns) = (vec![0.0f32; longest * rows], vec![0i32; longest * rows]);
    for row in 0..rows {
        for (k, entry) in matrix.entries(row).enumerate() {
            values[k * rows + row] = matrix.value[entry];
            columns[k * rows + row] = matrix.column[entry];
        }
    }
    let value = host.upload("value", &values)?;
    let column = host.upload("column", &columns)?;
    let x_buffer = host.upload("x", x)?;
    let y = host.zeros::<f32>("y", rows)?;
    let row_length = host.upload("row_length", &length)?;
    let texture = host.texture(x_buffer, 1)?;
    let arguments = args![value, column, row_length, rows, y, texture];
    host.launch("spmv_ellpack", grid_for(rows, THREADS), BLOCK, arguments)?;
    host.check("y", y, expected, TOLERANCE)
}

fn jagged_diagonals(
    host: &mut Host<'_>,
    matrix: &Sparse,
    x: &[f32],
    expected: &[f32],
) -> Result<(), Failure> {
    let rows = matrix.rows();
    let jagged = Jagged::of(matrix);
    host.write_symbol("diagonal_start", &jagged.diagonal_start)?;
    host.write_symbol("warp_length", &jagged.warp_length)?;
    let value = host.upload("value", &jagged.value)?;
    let column = host.upload("column", &jagged.column)?;
    let permutation = host.upload("permutation", &jagged.permutation)?;
    let x_buffer = host.upload("x", x)?;
    let y = host.zeros::<f32>("y", rows)?;
    let threads = if rows > RESIDENT_THREADS { LARGE_BLOCK } else { WARP as u32 };
    let arguments = args![y, value, column, permutation, x_buffer, rows];
    host.launch("spmv_jds", grid_for(rows, threads), [threads, 1, 1], arguments)?;
    host.check("y", y, expected, TOLERANCE)
}

/// Jagged diagonal storage: rows sorted by length, longest first, padded with zeros to the longest row of their warp; the k-th
/// entries of all rows lie together.
struct Jagged {
    diagonal_start: Vec<i32>,
    warp_length: Vec<i32>,
    permutation: Vec<i32>,
    column: Vec<i32>,
    value: Vec<f32>,
}

impl Jagged {
    fn of(matrix: &Sparse) -> Self {
        let mut order: Vec<usize> = (0..matrix.rows()).collect();
        order.sort_by_key(|&row| (usize::MAX - matrix.entries(row).len(), row));
        let lengths: Vec<usize> =
            order.chunks(WARP).map(|warp| matrix.entries(warp[0]).len().max(1)).collect();
        let (mut diagonal_start, mut column, mut value) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..lengths.first().copied().unwrap_or(0) {
            diagonal_start.push(column.len() as i32);
            for (warp, _) in order.chunks(WARP).zip(&lengths).take_while(|&(_, &length)| length > k) {
                for lane in 0..WARP {
                    let entry = warp.get(lane).and_then(|&row| matrix.entries(row).nth(k));
                    column.push(entry.map_or(0, |entry| matrix.column[entry]));
                    value.push(entry.map_or(0.0, |entry| matrix.value[entry]));
                }
            }
        }
        let warp_length = lengths.iter().map(|&length| length as i32).collect();
        let permutation = order.iter().map(|&row| row as i32).collect();
        Self { diagonal_start, warp_length, permutation, column, value }
    }
}
