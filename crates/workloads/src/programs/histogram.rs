//! A saturating histogram of values that lie close together.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "histogram",
    summary: "saturating histogram",
    class: Class::Integer,
    papers: &[(Paper::Dsm, "P-HIST")],
    is_cache_sensitive: false,
    buffers: &[
        exact("values", ElementType::U32),
        exact("span", ElementType::U32),
        exact("places", ElementType::U8),
        exact("partial", ElementType::U32),
        exact("outside", ElementType::U16),
        exact("overflow", ElementType::U32),
        exact("result", ElementType::U8),
    ],
    input: None,
    data_sets: &[DataSet::new(
        "wafer",
        "Parboil: measurements of wafers, roughly normal, in the middle of the bins",
    )
    .revised(2)],
    ptx: include_str!("../../kernels/histogram.ptx"),
    run,
};

/// The picture's width and the histogram's width are the original's; heights shrink with the scale.
const WIDTH: usize = 996;
const BINS_WIDTH: usize = 256;
/// Thread blocks that share the values, lines of a thread block of the second kernel, threads and blocks of the others.
const PARTS: u32 = 14;
const LINES: usize = 16;
const SPAN_BLOCKS: usize = 64;
const SPAN_THREADS: u32 = 512;
/// The first kernel looks at one value in this number, and its threads at one at least.
const SAMPLED: usize = 8;
const COUNT_THREADS: u32 = 768;
const FINISH_GRID: ([u32; 3], [u32; 3]) = ([PARTS * 3, 1, 1], [512, 1, 1]);
const DEVIATION: f64 = 2_000.0;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let height = host.size(host.scale().pick(64, 272, 1040), 1..=1 << 15)?.next_multiple_of(LINES);
    let bins_height: usize = host.scale().pick(512, 1024, 8192);
    let (count, bins) = (WIDTH * height, BINS_WIDTH * bins_height);
    let mut rng = host.rng(1);
    let values: Vec<u32> = (0..count)
        .map(|_| (bins as f64 / 2.0 + DEVIATION * rng.normal()).clamp(0.0, bins as f64 - 1.0) as u32)
        .collect();

    let value_buffer = host.upload("values", &values)?;
    let span = host.upload("span", &[u32::MAX, 0])?;
    let places = host.zeros::<u8>("places", 4 * count)?;
    // Each part has a byte for a bin, but a word for it is allocated, and all are as wide as the picture.
    let room = WIDTH * bins_height;
    let partial = host.zeros::<u32>("partial", PARTS as usize * room)?;
    let outside = host.zeros::<u16>("outside", room)?;
    let overflow = host.zeros::<u32>("overflow", room)?;
    let result = host.zeros::<u8>("result", room)?;
    let span_blocks = SPAN_BLOCKS.min(count / (SAMPLED * SPAN_THREADS as usize)) as u32;
    let arguments = args![value_buffer, count, span];
    host.launch("histogram_span", [span_blocks, 1, 1], [SPAN_THREADS, 1, 1], arguments)?;
    let ranges = host.download(span)?;
    let (first, last) = (ranges[0], ranges[1]);
    let arguments = args![value_buffer, height, WIDTH, WIDTH / 2, places];
    let grid = [(height / LINES) as u32, 1, 1];
    host.launch("histogram_places", grid, [WIDTH as u32 / 2, 1, 1], arguments)?;
    let arguments = args![places, count, first, last, bins, partial, outside, overflow];
    host.launch("histogram_count", [PARTS, last - first + 1, 1], [COUNT_THREADS, 1, 1], arguments)?;
    let arguments = args![first, last, bins, partial, outside, overflow, result];
    host.launch("histogram_finish", FINISH_GRID.0, FINISH_GRID.1, arguments)?;

    let mut expected = vec![0u8; bins];
    for value in values {
        let bin = &mut expected[value as usize];
        *bin = bin.saturating_add(1);
    }
    let got = host.download(result)?;
    host.check_values("result", &got[..bins], &expected, Tolerance::Exact)
}
