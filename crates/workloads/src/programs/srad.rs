//! Speckle-reducing anisotropic diffusion: versions 1 and 2 of Rodinia's srad.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::{Host, grid_for};
use crate::input::image::Image;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "srad",
    summary: "speckle-reducing anisotropic diffusion",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.SRAD"), (Paper::Dsm, "R-SRAD2"), (Paper::Latte, "SR1")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("image", ElementType::F32),
        approximable("c", ElementType::F32),
        approximable("north", ElementType::F32),
        approximable("south", ElementType::F32),
        approximable("west", ElementType::F32),
        approximable("east", ElementType::F32),
        exact("above", ElementType::I32),
        exact("below", ElementType::I32),
        exact("right", ElementType::I32),
        exact("left", ElementType::I32),
        approximable("sums", ElementType::F32),
        approximable("squares", ElementType::F32),
    ],
    input: Some(InputKind::Picture),
    data_sets: &[
        DataSet::new(
            "random",
            "version 2 on exp of uniform numbers, 2048 x 2048 at paper scale: Rodinia (DSM)",
        ),
        DataSet::new("v1", "version 1 on a picture, 502 x 458 at paper scale: Rodinia (LATTE-CC)")
            .of(&[Paper::Latte]),
        DataSet::new("picture", "version 2 on a fractal picture: generator of this suite"),
    ],
    ptx: include_str!("../../kernels/srad.ptx"),
    run,
};

const TILE: usize = 16;
const THREADS: u32 = 512;
const LAMBDA: f32 = 0.5;
const STEPS: usize = 2;
/// Side of the square whose speckle version 2 measures.
const SPECKLE_SIDE: usize = 128;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    match host.data() {
        "v1" => run_v1(host),
        _ => run_v2(host),
    }
}

fn run_v2(host: &mut Host<'_>) -> Result<(), Failure> {
    let (columns, rows, mut image) = picture_v2(host)?;
    let image_buffer = host.upload("image", &image)?;
    let c = host.zeros::<f32>("c", image.len())?;
    let east = host.zeros::<f32>("east", image.len())?;
    let west = host.zeros::<f32>("west", image.len())?;
    let south = host.zeros::<f32>("south", image.len())?;
    let north = host.zeros::<f32>("north", image.len())?;
    let grid = [(columns / TILE) as u32, (rows / TILE) as u32, 1];
    let block = [TILE as u32, TILE as u32, 1];
    let corner = |image: &[f32]| -> Vec<f64> {
        let row =
            |row: &[f32]| row.iter().take(SPECKLE_SIDE).map(|&value| f64::from(value)).collect::<Vec<_>>();
        image.chunks_exact(columns).take(SPECKLE_SIDE).flat_map(row).collect()
    };
    for _ in 0..STEPS {
        let q0 = speckle(&corner(&host.download(image_buffer)?));
        let arguments = args![east, west, north, south, image_buffer, c, columns, rows, q0];
        host.launch("coefficients_v2", grid, block, arguments)?;
        let arguments = args![east, west, north, south, image_buffer, c, columns, rows, LAMBDA];
        host.launch("diffuse_v2", grid, block, arguments)?;
    }
    for _ in 0..STEPS {
        image = step(&image, columns, rows, speckle(&corner(&image)));
    }
    host.check("image", image_buffer, &image, Tolerance::relative(1e-4))
}

/// Columns, rows and pixels, whole tiles of them: exp of values in [0, 1], so that speckle becomes additive.
fn picture_v2(host: &Host<'_>) -> Result<(usize, usize, Vec<f32>), Failure> {
    let size = host.size(host.scale().pick(48, 256, 2048), 1..=16_384)?.next_multiple_of(TILE);
    if host.data() == "random" && host.input().is_none() {
        let mut rng = host.rng(1);
        return Ok((size, size, (0..size * size).map(|_| libm::expf(rng.uniform(0.0, 1.0))).collect()));
    }
    let (width, height, pixels) = host.picture_input(size)?;
    let (columns, rows) = (width / TILE * TILE, height / TILE * TILE);
    if columns * rows == 0 {
        return Err(InputFileError::at(0, "the picture must have at least 16 rows and columns").into());
    }
    let rows_of_pixels = pixels.chunks_exact(width).take(rows);
    let image =
        rows_of_pixels.flat_map(|row| row[..columns].iter().map(|&pixel| libm::expf(pixel))).collect();
    Ok((columns, rows, image))
}

fn run_v1(host: &mut Host<'_>) -> Result<(), Failure> {
    let (rows, columns, pixels) = picture_v1(host)?;
    let count = pixels.len();
    let image = host.upload("image", &pixels)?;
    let before = |length: usize| -> Vec<i32> { (0..length).map(|i| i.saturating_sub(1) as i32).collect() };
    let after = |length: usize| -> Vec<i32> { (0..length).map(|i| (i + 1).min(length - 1) as i32).collect() };
    let above = host.upload("above", &before(rows))?;
    let below = host.upload("below", &after(rows))?;
    let right = host.upload("right", &after(columns))?;
    let left = host.upload("left", &before(columns))?;
    let sums = host.zeros::<f32>("sums", count)?;
    let squares = host.zeros::<f32>("squares", count)?;
    let north = host.zeros::<f32>("north", count)?;
    let south = host.zeros::<f32>("south", count)?;
    let west = host.zeros::<f32>("west", count)?;
    let east = host.zeros::<f32>("east", count)?;
    let c = host.zeros::<f32>("c", count)?;

    let (grid, block) = (grid_for(count, THREADS), [THREADS, 1, 1]);
    let pixel_count = count as u64;
    host.launch("extract", grid, block, args![pixel_count, image])?;
    let mut speckles = Vec::new();
    for _ in 0..STEPS {
        host.launch("prepare", grid, block, args![pixel_count, image, sums, squares])?;
        let (mut left_over, mut stride) = (count, 1);
        loop {
            let grid = grid_for(left_over, THREADS);
            host.launch("reduce", grid, block, args![pixel_count, left_over, stride, sums, squares])?;
            if grid[0] == 1 {
                break;
            }
            (left_over, stride) = (grid[0] as usize, stride * THREADS as usize);
        }
        let totals = [host.download(sums)?[0], host.download(squares)?[0]];
        let q0 = variation(totals.map(f64::from), count);
        speckles.push(q0);
        let arguments = args![
            rows,
            columns,
            pixel_count,
            above,
            below,
            right,
            left,
            north,
            south,
            east,
            west,
            q0,
            c,
            image
        ];
        host.launch("coefficients_v1", grid, block, arguments)?;
        let arguments =
            args![LAMBDA, rows, columns, pixel_count, below, right, north, south, east, west, c, image];
        host.launch("diffuse_v1", grid, block, arguments)?;
    }
    host.launch("compress", grid, block, args![pixel_count, image])?;

    let mut expected: Vec<f32> = pixels.iter().map(|&pixel| libm::expf(pixel / 255.0)).collect();
    let mut expected_speckles = Vec::new();
    for _ in 0..STEPS {
        let values: Vec<f64> = expected.iter().map(|&value| f64::from(value)).collect();
        let squares: Vec<f64> = values.iter().map(|value| value * value).collect();
        let q0 = variation([reduced(values), reduced(squares)], count);
        expected_speckles.push(q0);
        expected = step(&expected, rows, columns, q0);
    }
    host.check_values("speckle", &speckles, &expected_speckles, Tolerance::relative(1e-3))?;
    let expected: Vec<f32> = expected.iter().map(|&value| libm::logf(value) * 255.0).collect();
    host.check("image", image, &expected, Tolerance::relative(2e-3))
}

/// Rows, columns and grey values from 0 to 255, column after column.
fn picture_v1(host: &Host<'_>) -> Result<(usize, usize, Vec<f32>), Failure> {
    let (rows, columns) = host.scale().pick((36, 30), (224, 256), (502, 458));
    let (rows, columns) = match host.size(0, 0..=16_384)? {
        0 => (rows, columns),
        side => (side, side),
    };
    let image = match host.input() {
        Some(bytes) => Image::parse(bytes)?,
        None => Image::fractal(columns, rows, &mut host.rng(1)),
    };
    let (width, height) = (image.width, image.height);
    let pixel = |i: usize| f32::from(image.pixels[i % height * width + i / height]);
    Ok((height, width, (0..width * height).map(pixel).collect()))
}

/// The sum as version 1 of the original leaves it: in the last thread block of a pass, which has fewer than 512 elements,
/// what a power of two leaves over is taken from neighbouring elements, also where the partial sums lie further apart.
fn reduced(mut sums: Vec<f64>) -> f64 {
    let threads = THREADS as usize;
    let (mut count, mut stride) = (sums.len(), 1);
    loop {
        let blocks = count.div_ceil(threads);
        for block in 0..blocks {
            let (first, own) = (block * threads, threads.min(count - block * threads));
            let whole = if own < 2 { 0 } else { 1 << own.ilog2() };
            if whole > 0 {
                let halved: f64 = (first..first + whole).map(|i| sums[i * stride]).sum();
                let rest: f64 = sums[first + whole..first + own].iter().sum();
                sums[first * stride] = halved + rest;
            }
        }
        if blocks == 1 {
            return sums[0];
        }
        (count, stride) = (blocks, stride * threads);
    }
}

/// The squared coefficient of variation from a sum and a sum of squares.
fn variation([sum, squares]: [f64; 2], count: usize) -> f32 {
    let mean = sum / count as f64;
    ((squares / count as f64 - mean * mean) / (mean * mean)) as f32
}

/// The same of some values.
fn speckle(values: &[f64]) -> f32 {
    variation([values.iter().sum(), values.iter().map(|value| value * value).sum()], values.len())
}

fn step(image: &[f32], columns: usize, rows: usize, q0: f32) -> Vec<f32> {
    let at = |field: &[f32], y: usize, x: usize| field[y.min(rows - 1) * columns + x.min(columns - 1)];
    let differences = |y: usize, x: usize| {
        let j = at(image, y, x);
        let around = [
            at(image, y.saturating_sub(1), x),
            at(image, y + 1, x),
            at(image, y, x.saturating_sub(1)),
            at(image, y, x + 1),
        ];
        around.map(|value| value - j)
    };
    let coefficient = |index: usize| {
        let (y, x) = (index / columns, index % columns);
        let (j, d) = (at(image, y, x), differences(y, x));
        let gradient = d.iter().map(|value| value * value).sum::<f32>() / (j * j);
        let laplacian = d.iter().sum::<f32>() / j;
        let q = (0.5 * gradient - 0.0625 * laplacian * laplacian) / (1.0 + 0.25 * laplacian).powi(2);
        (1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)))).clamp(0.0, 1.0)
    };
    let c: Vec<f32> = (0..image.len()).map(coefficient).collect();
    let updated = |index: usize| {
        let (y, x) = (index / columns, index % columns);
        let [n, s, w, e] = differences(y, x);
        let here = at(&c, y, x);
        image[index] + 0.25 * LAMBDA * (here * n + at(&c, y + 1, x) * s + here * w + at(&c, y, x + 1) * e)
    };
    (0..image.len()).map(updated).collect()
}
