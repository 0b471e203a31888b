//! Gaussian elimination of a dense system, as Rodinia's gaussian; the host solves the triangle.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::{Host, grid_for};
use crate::input::{Rng, matrix};
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "gaussian",
    summary: "Gaussian elimination",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.GE"), (Paper::Dsm, "R-GE")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("m", ElementType::F32),
        approximable("a", ElementType::F32),
        approximable("b", ElementType::F32),
    ],
    input: Some(InputKind::Matrix),
    data_sets: &[
        DataSet::new("decay", "Rodinia: 10 exp(-0.01 |i - j|), right-hand side of ones"),
        DataSet::new("file", "Rodinia's files: random numbers of one decimal place between -0.9 and 0.9")
            .of(&[Paper::Bpc, Paper::Dsm]),
    ],
    ptx: include_str!("../../kernels/gaussian.ptx"),
    run,
};

const ROW_THREADS: u32 = 512;
const TILE: u32 = 4;
/// How fast entries decay away from the diagonal.
const DECAY: f64 = 0.01;
/// No pivot of a random matrix is smaller.
const SMALLEST_PIVOT: f64 = 1e-3;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let size = host.size(host.scale().pick(32, 112, 208), 1..=4096)?;
    let a = match host.special_matrix(size)? {
        Some(given) if given.rows == given.columns => given.values,
        Some(_) => return Err(InputFileError::at(0, "the matrix must be square").into()),
        None if host.data() == "file" => regular(size, &mut host.rng(7)),
        None => matrix::decaying(size, DECAY),
    };
    let size = (a.len() as f64).sqrt() as usize;
    let b = vec![1.0f32; size];

    let m = host.zeros::<f32>("m", size * size)?;
    let a_buffer = host.upload("a", &a)?;
    let b_buffer = host.upload("b", &b)?;
    for pivot in 0..size - 1 {
        host.launch(
            "multipliers",
            grid_for(size, ROW_THREADS),
            [ROW_THREADS, 1, 1],
            args![m, a_buffer, size, pivot],
        )?;
        let tiles = (size as u32).div_ceil(TILE);
        host.launch(
            "eliminate",
            [tiles, tiles, 1],
            [TILE, TILE, 1],
            args![m, a_buffer, b_buffer, size, size - pivot, pivot],
        )?;
    }
    let triangle = host.download(a_buffer)?;
    if host.data() == "file" && !host.keeps_outputs() {
        // Without pivoting, the solution of a random system has few right digits; that the factors give the matrix must hold.
        let mut factors = triangle;
        let multipliers = host.download(m)?;
        for row in 0..size {
            factors[row * size..row * size + row].copy_from_slice(&multipliers[row * size..row * size + row]);
        }
        return host.check_values(
            "a",
            &matrix::triangles_product(&factors, size),
            &a,
            Tolerance::relative(1e-2),
        );
    }
    let right = host.download(b_buffer)?;
    host.check_values(
        "solution",
        &back_substitute(&triangle, &right),
        &solve(&a, &b),
        Tolerance::relative(1e-3),
    )
}

/// A matrix that can be eliminated without pivoting: with one decimal place, minors of zero are frequent.
fn regular(size: usize, rng: &mut Rng) -> Vec<f32> {
    loop {
        let a = matrix::one_decimal(size, rng);
        let mut triangle: Vec<f64> = a.iter().map(|&entry| f64::from(entry)).collect();
        eliminate(&mut triangle, &mut vec![0.0; size]);
        if (0..size).all(|pivot| triangle[pivot * size + pivot].abs() > SMALLEST_PIVOT) {
            return a;
        }
    }
}

fn back_substitute(triangle: &[f32], right: &[f32]) -> Vec<f32> {
    let size = right.len();
    let mut x = vec![0.0f64; size];
    for row in (0..size).rev() {
        let known: f64 =
            (row + 1..size).map(|column| f64::from(triangle[row * size + column]) * x[column]).sum();
        x[row] = (f64::from(right[row]) - known) / f64::from(triangle[row * size + row]);
    }
    x.iter().map(|&value| value as f32).collect()
}

/// The solution in double precision.
fn solve(a: &[f32], b: &[f32]) -> Vec<f32> {
    let size = b.len();
    let mut a: Vec<f64> = a.iter().map(|&entry| f64::from(entry)).collect();
    let mut b: Vec<f64> = b.iter().map(|&entry| f64::from(entry)).collect();
    eliminate(&mut a, &mut b);
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| a[row * size + column] * b[column]).sum();
        b[row] = (b[row] - known) / a[row * size + row];
    }
    b.iter().map(|&value| value as f32).collect()
}

/// The upper triangle of a system, in its place.
fn eliminate(a: &mut [f64], b: &mut [f64]) {
    let size = b.len();
    for pivot in 0..size {
        for row in pivot + 1..size {
            let multiplier = a[row * size + pivot] / a[pivot * size + pivot];
            for column in pivot..size {
                a[row * size + column] -= multiplier * a[pivot * size + column];
            }
            b[row] -= multiplier * b[pivot];
        }
    }
}
