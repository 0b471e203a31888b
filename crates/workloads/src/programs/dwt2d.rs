//! Integer wavelet transform of a picture: three levels of the reversible 5/3 filter.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::{Host, grid_for};
use crate::input::image::Image;
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "dwt2d",
    summary: "integer wavelet transform of a picture",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "R.DWT")],
    is_cache_sensitive: false,
    buffers: &[
        exact("pixels", ElementType::U8),
        exact("samples", ElementType::I32),
        exact("rows", ElementType::I32),
    ],
    input: Some(InputKind::Picture),
    data_sets: OURS,
    ptx: include_str!("../../kernels/dwt2d.ptx"),
    run,
};

const LEVELS: usize = 3;
const TILE: [u32; 3] = [32, 8, 1];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let size: usize = host.scale().pick(64, 256, 1024);
    let image = match host.input() {
        Some(bytes) => Image::parse(bytes)?,
        None => Image::fractal(size, size, &mut host.rng(1)),
    };
    let (width, height) = (image.width, image.height);
    if width % (1 << LEVELS) != 0 || height % (1 << LEVELS) != 0 || width < 16 || height < 16 {
        let what = format!(
            "the picture is {width} × {height}; both must be multiples of {}, at least 16",
            1 << LEVELS
        );
        return Err(InputFileError::at(0, what).into());
    }
    let count = width * height;
    let pixels = host.upload("pixels", &image.pixels)?;
    let samples = host.zeros::<i32>("samples", count)?;
    let rows = host.zeros::<i32>("rows", count)?;
    host.launch("dwt_load", grid_for(count, 256), [256, 1, 1], args![pixels, samples, count])?;
    for level in 0..LEVELS {
        let (w, h) = (width >> level, height >> level);
        let grid = |x: usize, y: usize| [(x as u32).div_ceil(TILE[0]), (y as u32).div_ceil(TILE[1]), 1];
        host.launch("dwt_rows", grid(w / 2, h), TILE, args![samples, rows, width, w, h])?;
        host.launch("dwt_columns", grid(w, h / 2), TILE, args![rows, samples, width, w, h])?;
    }

    let mut expected: Vec<i32> = image.pixels.iter().map(|&pixel| i32::from(pixel) - 128).collect();
    for level in 0..LEVELS {
        let (w, h) = (width >> level, height >> level);
        for y in 0..h {
            transform(&mut expected, y * width, 1, w);
        }
        for x in 0..w {
            transform(&mut expected, x, width, h);
        }
    }
    host.check("samples", samples, &expected, Tolerance::Exact)
}

/// One line by lifting in place, then low half before high half.
fn transform(samples: &mut [i32], start: usize, stride: usize, length: usize) {
    let mut line: Vec<i32> = (0..length).map(|i| samples[start + i * stride]).collect();
    for odd in (1..length).step_by(2) {
        let after = line[if odd + 1 < length { odd + 1 } else { odd - 1 }];
        line[odd] -= (line[odd - 1] + after) >> 1;
    }
    for even in (0..length).step_by(2) {
        let before = line[if even > 0 { even - 1 } else { 1 }];
        line[even] += (before + line[even + 1] + 2) >> 2;
    }
    for (i, &value) in line.iter().enumerate() {
        samples[start + (i / 2 + i % 2 * length / 2) * stride] = value;
    }
}
