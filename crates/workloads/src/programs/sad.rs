//! Sums of absolute differences for motion search between two video frames.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::image::Image;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "sad",
    summary: "sum of absolute differences, motion search",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "P.SAD")],
    is_cache_sensitive: false,
    buffers: &[
        exact("current", ElementType::U16),
        exact("reference", ElementType::U16),
        exact("sums", ElementType::U16),
    ],
    input: None,
    data_sets: &[DataSet::new(
        "video",
        "two frames of a fractal picture that moves: generator of this suite",
    )],
    ptx: include_str!("../../kernels/sad.ptx"),
    run,
};

const REACH: isize = 16;
const SIDE: usize = 2 * REACH as usize + 1;
const POSITIONS: usize = SIDE * SIDE;
/// Room of a block's sums.
const PADDED: usize = 1096;
const PER_THREAD: usize = 18;
const MACROBLOCK: usize = 16;
/// Width and height of the block shapes, in the order of the array of sums.
const SHAPES: [[usize; 2]; 7] = [[16, 16], [16, 8], [8, 16], [8, 8], [8, 4], [4, 8], [4, 4]];

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (width, height): (usize, usize) = host.scale().pick((16, 16), (64, 48), (176, 144));
    let mut rng = host.rng(1);
    let reference = Image::fractal(width, height, &mut rng);
    let current = reference.moved(3, -2, 4, &mut rng);
    let (across, down) = (width / MACROBLOCK, height / MACROBLOCK);
    let wide = |image: &Image| -> Vec<u16> { image.pixels.iter().map(|&pixel| u16::from(pixel)).collect() };

    let current_buffer = host.upload("current", &wide(&current))?;
    let reference_buffer = host.upload("reference", &wide(&reference))?;
    let blocks: usize = SHAPES.iter().map(|[w, h]| width * height / (w * h)).sum();
    let sums = host.zeros::<u16>("sums", blocks * PADDED)?;
    let texture = host.texture_plane(reference_buffer, 1, width)?;
    let threads = POSITIONS.div_ceil(PER_THREAD) as u32;
    host.launch_with_shared(
        "sad_4x4",
        [(width / 4) as u32, (height / 4) as u32, 1],
        [threads, 1, 1],
        2 * PADDED as u32,
        args![sums, current_buffer, across, down, texture],
    )?;
    let grid = [across as u32, down as u32, 1];
    host.launch("sad_8x8", grid, [32, 4, 1], args![sums, across, down])?;
    host.launch("sad_16x16", grid, [32, 1, 1], args![sums, across, down])?;

    let mut expected = Vec::with_capacity(blocks * POSITIONS);
    for shape in SHAPES {
        for macroblock in 0..across * down {
            let corner = [macroblock % across * MACROBLOCK, macroblock / across * MACROBLOCK];
            for y in (0..MACROBLOCK).step_by(shape[1]) {
                for x in (0..MACROBLOCK).step_by(shape[0]) {
                    let at = [corner[0] + x, corner[1] + y];
                    expected.extend((0..POSITIONS).map(|p| difference(&current, &reference, at, shape, p)));
                }
            }
        }
    }
    let got: Vec<u16> =
        host.download(sums)?.chunks(PADDED).flat_map(|sums| sums[..POSITIONS].to_vec()).collect();
    host.check_values("sums", &got, &expected, Tolerance::Exact)
}

fn difference(
    current: &Image,
    reference: &Image,
    [bx, by]: [usize; 2],
    [width, height]: [usize; 2],
    position: usize,
) -> u16 {
    let (dx, dy) = ((position % SIDE) as isize - REACH, (position / SIDE) as isize - REACH);
    let shifted =
        |at: usize, by: isize, limit: usize| (at as isize + by).clamp(0, limit as isize - 1) as usize;
    let mut sum = 0;
    for y in by..by + height {
        for x in bx..bx + width {
            let other = shifted(y, dy, reference.height) * reference.width + shifted(x, dx, reference.width);
            sum += u16::from(current.pixels[y * current.width + x].abs_diff(reference.pixels[other]));
        }
    }
    sum
}
