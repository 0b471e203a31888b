//! Speckle-reducing anisotropic diffusion of an ultrasound-like picture.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, approximable};

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
    ],
    input: Some(InputKind::Picture),
    data_sets: OURS,
    ptx: include_str!("../../kernels/srad.ptx"),
    run,
};

const TILE: u32 = 16;
const LAMBDA: f32 = 0.5;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let steps: usize = host.scale().pick(2, 2, 1);
    let (columns, rows, pixels) = host.picture_input(host.size(host.scale().pick(48, 256, 2048)))?;
    // The method works on the exponential of the picture, so that speckle becomes additive.
    let mut image: Vec<f32> = pixels.iter().map(|&pixel| libm::expf(pixel)).collect();

    let image_buffer = host.upload("image", &image)?;
    let c = host.zeros::<f32>("c", image.len())?;
    let north = host.zeros::<f32>("north", image.len())?;
    let south = host.zeros::<f32>("south", image.len())?;
    let west = host.zeros::<f32>("west", image.len())?;
    let east = host.zeros::<f32>("east", image.len())?;
    let grid = [(columns as u32).div_ceil(TILE), (rows as u32).div_ceil(TILE), 1];
    for _ in 0..steps {
        let q0 = speckle(&host.download(image_buffer)?);
        let arguments = args![image_buffer, c, north, south, west, east, columns, rows, q0];
        host.launch("coefficients", grid, [TILE, TILE, 1], arguments)?;
        let arguments = args![image_buffer, c, north, south, west, east, columns, rows, LAMBDA];
        host.launch("diffuse", grid, [TILE, TILE, 1], arguments)?;
    }
    for _ in 0..steps {
        image = step(&image, columns, rows, speckle(&image));
    }
    host.check("image", image_buffer, &image, Tolerance::relative(1e-4))
}

/// The squared coefficient of variation over the picture.
fn speckle(image: &[f32]) -> f32 {
    let count = image.len() as f64;
    let mean = image.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let square = image.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>() / count;
    ((square - mean * mean) / (mean * mean)) as f32
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
