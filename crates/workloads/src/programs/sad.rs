//! Sums of absolute differences for motion search between two video frames.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::image::Image;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "sad",
    summary: "sum of absolute differences, motion search",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "P.SAD")],
    is_cache_sensitive: false,
    buffers: &[
        exact("current", ElementType::U8),
        exact("reference", ElementType::U8),
        exact("small", ElementType::U16),
        exact("large", ElementType::U16),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/sad.ptx"),
    run,
};

const REACH: isize = 8;
const SIDE: usize = 2 * REACH as usize + 1;
const POSITIONS: usize = SIDE * SIDE;
const THREADS: u32 = 64;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (width, height): (usize, usize) = host.scale().pick((32, 16), (88, 72), (176, 144));
    let mut rng = host.rng(1);
    let reference = Image::fractal(width, height, &mut rng);
    let current = reference.moved(3, -2, 4, &mut rng);
    let (blocks_x, blocks_y) = (width / 4, height / 4);

    let current_buffer = host.upload("current", &current.pixels)?;
    let reference_buffer = host.upload("reference", &reference.pixels)?;
    let small = host.zeros::<u16>("small", blocks_x * blocks_y * POSITIONS)?;
    let large = host.zeros::<u16>("large", blocks_x * blocks_y / 4 * POSITIONS)?;
    let grid = [blocks_x as u32, blocks_y as u32, 1];
    host.launch(
        "sad_4x4",
        grid,
        [THREADS, 1, 1],
        args![current_buffer, reference_buffer, small, width, height],
    )?;
    let half = [grid[0] / 2, grid[1] / 2, 1];
    host.launch("sad_8x8", half, [THREADS, 1, 1], args![small, large, blocks_x])?;

    let sums = |side: usize| -> Vec<u16> {
        let mut sums = Vec::new();
        for by in (0..height).step_by(side) {
            for bx in (0..width).step_by(side) {
                sums.extend((0..POSITIONS).map(|p| difference(&current, &reference, bx, by, side, p)));
            }
        }
        sums
    };
    host.check("small", small, &sums(4), Tolerance::Exact)?;
    host.check("large", large, &sums(8), Tolerance::Exact)
}

fn difference(current: &Image, reference: &Image, bx: usize, by: usize, side: usize, position: usize) -> u16 {
    let (dx, dy) = ((position % SIDE) as isize - REACH, (position / SIDE) as isize - REACH);
    let shifted =
        |at: usize, by: isize, limit: usize| (at as isize + by).clamp(0, limit as isize - 1) as usize;
    let mut sum = 0;
    for y in by..by + side {
        for x in bx..bx + side {
            let other = shifted(y, dy, reference.height) * reference.width + shifted(x, dx, reference.width);
            sum += u16::from(current.pixels[y * current.width + x].abs_diff(reference.pixels[other]));
        }
    }
    sum
}
