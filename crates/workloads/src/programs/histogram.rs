//! A saturating histogram of a picture's (position-dependent) grey values.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::workload::{Class, ElementType, OURS, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "histogram",
    summary: "saturating histogram",
    class: Class::Integer,
    papers: &[(Paper::Dsm, "P-HIST")],
    is_cache_sensitive: false,
    buffers: &[
        exact("pixels", ElementType::U32),
        exact("counts", ElementType::U32),
        exact("result", ElementType::U8),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/histogram.ptx"),
    run,
};

const THREADS: u32 = 256;
const BINS_PER_BLOCK: usize = 1024;
const PARTS: u32 = 15;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let bins: usize = host.scale().pick(2, 8, 32) * BINS_PER_BLOCK;
    let pixel_count: usize = host.scale().pick(1 << 12, 1 << 17, 1 << 20);
    // Values cluster around the middle bins, as the samples of an instrument do.
    let mut rng = host.rng(1);
    let pixels: Vec<u32> = (0..pixel_count)
        .map(|_| (bins as f64 * (0.5 + 0.12 * rng.normal())).clamp(0.0, bins as f64 - 1.0) as u32)
        .collect();

    let pixel_buffer = host.upload("pixels", &pixels)?;
    let counts = host.zeros::<u32>("counts", bins)?;
    let result = host.zeros::<u8>("result", bins)?;
    let grid = [bins.div_ceil(BINS_PER_BLOCK) as u32, PARTS, 1];
    let part = pixel_count.div_ceil(PARTS as usize);
    host.launch(
        "histogram_count",
        grid,
        [THREADS, 1, 1],
        args![pixel_buffer, counts, part, pixel_count, bins],
    )?;
    host.launch("histogram_saturate", grid_for(bins, THREADS), [THREADS, 1, 1], args![counts, result, bins])?;

    let mut expected = vec![0u8; bins];
    for pixel in pixels {
        let bin = &mut expected[pixel as usize];
        *bin = bin.saturating_add(1);
    }
    host.check("result", result, &expected, Tolerance::Exact)
}
