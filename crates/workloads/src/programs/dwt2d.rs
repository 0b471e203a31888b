//! Wavelet transform of a picture: three levels of the reversible 5/3 filter on integers or of the 9/7 filter on floats, a
//! component at a time.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::{Buffer, BufferElement, Host, grid_for};
use crate::input::image::{ColourImage, Image};
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "dwt2d",
    summary: "wavelet transform of a picture",
    class: Class::Integer,
    papers: &[(Paper::Bpc, "R.DWT")],
    is_cache_sensitive: false,
    buffers: &[
        exact("pixels", ElementType::U8),
        exact("bands", ElementType::I32),
        exact("backup", ElementType::I32),
        exact("component", ElementType::I32),
        approximable("bands97", ElementType::F32),
        approximable("backup97", ElementType::F32),
        approximable("component97", ElementType::F32),
    ],
    input: Some(InputKind::Picture),
    data_sets: &[
        DataSet::new("colours", "the original's run file: three components, 5/3 filter, three levels"),
        DataSet::new("grey", "the original with one component (-c 1), 5/3 filter"),
        DataSet::new("colours97", "the original with the 9/7 filter on floats (-9)"),
    ],
    ptx: include_str!("../../kernels/dwt2d.ptx"),
    run,
};

const LEVELS: usize = 3;
const LOAD_THREADS: u32 = 256;
/// The narrowest window. A narrower picture than half of it has no column to mirror.
const NARROWEST: usize = 64;
/// The original chooses the windows of a column so that a column has at most 15 thread blocks.
const MOST_BLOCKS_DOWN: usize = 15;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // Rodinia's run file: rgb.bmp, 1024 × 1024.
    let size: usize = host.size(host.scale().pick(144, 384, 1024), 136..=8192)?;
    let picture = match host.data() {
        "grey" => Picture::grey(host, size)?,
        _ => Picture::colours(host, size)?,
    };
    let Picture { width, height, .. } = picture;
    let (least_width, least_height) = ((NARROWEST / 2 + 2) << (LEVELS - 1), 16 << (LEVELS - 1));
    if width % (1 << LEVELS) != 0
        || height % (1 << LEVELS) != 0
        || width < least_width
        || height < least_height
    {
        let what = format!(
            "the picture is {width} × {height}; both must be multiples of {}, and at least {least_width} × {least_height}",
            1 << LEVELS
        );
        return Err(InputFileError::at(0, what).into());
    }
    match host.data() {
        "colours97" => transform::<f32>(host, &picture),
        _ => transform::<i32>(host, &picture),
    }
}

/// Bytes of a picture, pixel by pixel.
struct Picture {
    width: usize,
    height: usize,
    components: usize,
    bytes: Vec<u8>,
}

impl Picture {
    fn grey(host: &Host<'_>, size: usize) -> Result<Self, InputFileError> {
        let Image { width, height, pixels } = match host.input() {
            Some(bytes) => Image::parse(bytes)?,
            None => Image::fractal(size, size, &mut host.rng(1)),
        };
        Ok(Self { width, height, components: 1, bytes: pixels })
    }

    fn colours(host: &Host<'_>, size: usize) -> Result<Self, InputFileError> {
        let ColourImage { width, height, pixels } = match host.input() {
            Some(bytes) => ColourImage::parse(bytes)?,
            None => ColourImage::fractal(size, size, &mut host.rng(1)),
        };
        Ok(Self { width, height, components: 3, bytes: pixels })
    }
}

/// Samples of a filter: integers for 5/3, floats for 9/7.
trait Sample: BufferElement + Default {
    /// How its kernels' names end.
    const FILTER: &'static str;
    const BANDS: &'static str;
    const BACKUP: &'static str;
    const COMPONENT: &'static str;
    const TOLERANCE: Tolerance;
    fn from_byte(byte: u8) -> Self;
    /// Width and height of the window for a picture of this width.
    fn window(width: usize) -> (u32, usize);
    /// A level in place: rows and columns of `width` and `height` samples at the start of lines of `pitch`.
    fn level(samples: &mut [Self], pitch: usize, width: usize, height: usize);
}

/// Splits the picture into components and transforms one after the other.
fn transform<T: Sample>(host: &mut Host<'_>, picture: &Picture) -> Result<(), Failure> {
    let Picture { width, height, components, ref bytes } = *picture;
    let count = width * height;
    let mut bands = vec![host.zeros::<T>(T::BANDS, count)?];
    // The original copies each component before it is overwritten.
    let backup = host.zeros::<T>(T::BACKUP, count)?;
    for _ in 1..components {
        bands.push(host.zeros::<T>(T::BANDS, count)?);
    }
    let mut inputs = Vec::new();
    for _ in 0..components {
        inputs.push(host.zeros::<T>(T::COMPONENT, count)?);
    }
    load(host, &inputs, bytes, count)?;
    for (&input, &bands) in inputs.iter().zip(&bands) {
        let samples = host.download(input)?;
        host.write(backup, &samples)?;
        for level in 0..LEVELS {
            let (width, height) = (width >> level, height >> level);
            launch_level(host, input, bands, width, height)?;
            if level + 1 < LEVELS {
                // The lowest band is the next level's picture: a copy on the device in the original.
                let low = host.download(bands)?;
                host.write(input, &low[..count >> (2 * level + 2)])?;
            }
        }
    }
    for (component, &bands) in bands.iter().enumerate() {
        let expected = reference::<T>(picture, component);
        host.check(T::BANDS, bands, &expected, T::TOLERANCE)?;
    }
    Ok(())
}

/// Uploads the bytes, padded to whole thread blocks, and makes samples of them.
fn load<T: Sample>(
    host: &mut Host<'_>,
    inputs: &[Buffer<T>],
    bytes: &[u8],
    count: usize,
) -> Result<(), Failure> {
    let padded = count.next_multiple_of(LOAD_THREADS as usize) * inputs.len();
    let pixels = host.zeros::<u8>("pixels", padded)?;
    host.write(pixels, bytes)?;
    let kernel = format!("{}_{}", if inputs.len() == 1 { "load_grey" } else { "split_colours" }, T::FILTER);
    let mut arguments: Vec<_> = inputs.iter().map(|&input| input.into()).collect();
    arguments.extend_from_slice(args![pixels, count]);
    host.launch(&kernel, grid_for(count, LOAD_THREADS), [LOAD_THREADS, 1, 1], &arguments)?;
    host.free(pixels)
}

fn launch_level<T: Sample>(
    host: &mut Host<'_>,
    input: Buffer<T>,
    bands: Buffer<T>,
    width: usize,
    height: usize,
) -> Result<(), Failure> {
    let (threads, rows) = T::window(width);
    let windows = height.div_ceil(MOST_BLOCKS_DOWN * rows);
    let grid = [(width as u32).div_ceil(threads), height.div_ceil(rows * windows) as u32, 1];
    let kernel = format!("dwt{}_{threads}", T::FILTER);
    host.launch(&kernel, grid, [threads, 1, 1], args![input, bands, width, height, windows])
}

/// All levels of a component; after each its four bands lie one after the other.
fn reference<T: Sample>(picture: &Picture, component: usize) -> Vec<T> {
    let Picture { width, height, components, ref bytes } = *picture;
    let mut out: Vec<T> =
        bytes.iter().skip(component).step_by(components).map(|&byte| T::from_byte(byte)).collect();
    for level in 0..LEVELS {
        let (w, h) = (width >> level, height >> level);
        let mut samples = out[..w * h].to_vec();
        T::level(&mut samples, w, w, h);
        let band = |x: usize, y: usize| ((y % 2) * 2 + x % 2) * (w / 2) * (h / 2) + y / 2 * (w / 2) + x / 2;
        for (i, &value) in samples.iter().enumerate() {
            out[band(i % w, i / w)] = value;
        }
    }
    out
}

/// Applies a lifting step to the samples of one parity of every line; lines are mirrored at both ends.
fn lift<T: Sample>(samples: &mut [T], lines: Lines, parity: usize, step: impl Fn(T, T, T) -> T) {
    let Lines { count, between, length, stride } = lines;
    for line in 0..count {
        let at = |i: usize| line * between + i * stride;
        for i in (parity..length).step_by(2) {
            let before = samples[at(if i > 0 { i - 1 } else { 1 })];
            let after = samples[at(if i + 1 < length { i + 1 } else { i - 1 })];
            samples[at(i)] = step(before, samples[at(i)], after);
        }
    }
}

/// Rows or columns of a picture.
#[derive(Clone, Copy)]
struct Lines {
    count: usize,
    /// From a line to the next.
    between: usize,
    length: usize,
    /// From a sample to the next of its line.
    stride: usize,
}

impl Sample for i32 {
    const FILTER: &'static str = "53";
    const BANDS: &'static str = "bands";
    const BACKUP: &'static str = "backup";
    const COMPONENT: &'static str = "component";
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn from_byte(byte: u8) -> Self {
        Self::from(byte) - 128
    }

    fn window(width: usize) -> (u32, usize) {
        let threads = if width >= 960 {
            192
        } else if width >= 480 {
            128
        } else {
            64
        };
        (threads, 8)
    }

    fn level(samples: &mut [Self], pitch: usize, width: usize, height: usize) {
        let columns = Lines { count: width, between: 1, length: height, stride: pitch };
        let rows = Lines { count: height, between: pitch, length: width, stride: 1 };
        for lines in [columns, rows] {
            lift(samples, lines, 1, |before, odd, after| odd - Self::midpoint(before, after));
            lift(samples, lines, 0, |before, even, after| even + (before + after + 2) / 4);
        }
    }
}

/// The lifting steps of the 9/7 filter: parity of the samples that they change, and the factor.
const STEPS_97: [(usize, f32); 4] =
    [(1, -1.586_134_3), (0, -0.052_980_12), (1, 0.882_911_1), (0, 0.443_506_85)];
const WIDEN_97: f32 = 1.230_174_1;

impl Sample for f32 {
    const FILTER: &'static str = "97";
    const BANDS: &'static str = "bands97";
    const BACKUP: &'static str = "backup97";
    const COMPONENT: &'static str = "component97";
    const TOLERANCE: Tolerance = Tolerance::relative(2e-5);

    fn from_byte(byte: u8) -> Self {
        Self::from(byte) / 255.0 - 0.5
    }

    fn window(width: usize) -> (u32, usize) {
        if width >= 960 {
            (192, 8)
        } else if width >= 480 {
            (128, 6)
        } else {
            (64, 6)
        }
    }

    fn level(samples: &mut [Self], pitch: usize, width: usize, height: usize) {
        let columns = Lines { count: width, between: 1, length: height, stride: pitch };
        let rows = Lines { count: height, between: pitch, length: width, stride: 1 };
        for lines in [rows, columns] {
            for (parity, scale) in STEPS_97 {
                lift(samples, lines, parity, |before, middle, after| middle + scale * (before + after));
            }
            lift(samples, lines, 0, |_, even, _| even / WIDEN_97);
            lift(samples, lines, 1, |_, odd, _| odd * WIDEN_97);
        }
    }
}
