//! Template tracking of points on a heart's walls through ultrasound frames, as Rodinia's heartwall.

use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Arg, Buffer, Host};
use crate::input::image::Image;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "heartwall",
    summary: "template tracking through ultrasound frames",
    class: Class::Mixed,
    papers: &[(Paper::Bpc, "R.HW"), (Paper::E2mc, "HW"), (Paper::Dsm, "R-HW"), (Paper::Latte, "HTW")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("frame", ElementType::F32),
        exact("rows", ElementType::I32),
        exact("columns", ElementType::I32),
        exact("row_track", ElementType::I32),
        exact("column_track", ElementType::I32),
        approximable("templates", ElementType::F32),
        exact("window", ElementType::F32),
        exact("convolution", ElementType::F32),
        exact("padded", ElementType::F32),
        exact("padded_selection", ElementType::F32),
        exact("strip", ElementType::F32),
        exact("strip_selection", ElementType::F32),
        exact("sums", ElementType::F32),
        exact("squares", ElementType::F32),
        exact("square_sums", ElementType::F32),
        exact("template_squares", ElementType::F32),
        exact("place_mask", ElementType::F32),
        exact("masked", ElementType::F32),
    ],
    input: None,
    data_sets: &[DataSet::new(
        "beating",
        "a fractal picture that moves with noise, in Rodinia's frame size and points",
    )],
    ptx: include_str!("../../kernels/heartwall.ptx"),
    run,
};

const THREADS: u32 = 256;
/// Positions in each direction that are tried around the last one.
const REACH: i32 = 10;
const MEMORY: f32 = 0.87;
/// Frames between two adaptations of the template.
const ADAPTS_EVERY: usize = 10;
/// How far a correlation from single-precision sums may be off.
const UNCERTAINTY: f64 = 2e-3;
/// The movement of the heart, frame by frame.
const BEAT: [(isize, isize); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
/// Amplitude of the noise in every frame, in grey levels.
const NOISE: u32 = 3;

/// Sizes of a run: half sides of templates and windows, the frame, and the points of the inner and the outer wall.
#[derive(Clone, Copy)]
struct Shape {
    template_half: usize,
    window_half: usize,
    frame_rows: usize,
    frame_columns: usize,
    walls: [usize; 2],
    frames: usize,
}

impl Shape {
    fn template_rows(&self) -> usize {
        2 * self.template_half + 1
    }

    fn window_rows(&self) -> usize {
        2 * self.window_half + 1
    }

    fn convolution_rows(&self) -> usize {
        self.template_rows() + self.window_rows() - 1
    }

    fn padded_rows(&self) -> usize {
        self.window_rows() + 2 * self.template_rows()
    }

    /// Where the points of a wall are at first: on an ellipse, rows first.
    fn ring(&self, wall: usize) -> [Vec<i32>; 2] {
        // Centre and radius of the inner and the outer wall, as shares of the frame.
        let (centre, radius) = [([0.57, 0.43], [0.165, 0.12]), ([0.6, 0.41], [0.22, 0.2])][wall];
        let sides = [self.frame_rows as f64, self.frame_columns as f64];
        let place = |axis: usize, point: usize| {
            let angle = std::f64::consts::TAU * point as f64 / self.walls[wall] as f64;
            let wave = if axis == 0 { libm::sin(angle) } else { libm::cos(angle) };
            (sides[axis] * (centre[axis] + radius[axis] * wave)) as i32
        };
        [0, 1].map(|axis| (0..self.walls[wall]).map(|point| place(axis, point)).collect())
    }
}

/// The device's view of one wall's points.
struct Wall {
    rows: Buffer<i32>,
    columns: Buffer<i32>,
    row_track: Buffer<i32>,
    column_track: Buffer<i32>,
    templates: Buffer<f32>,
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let shape = host.scale().pick(
        Shape {
            template_half: 3,
            window_half: 9,
            frame_rows: 96,
            frame_columns: 100,
            walls: [1, 1],
            frames: 12,
        },
        Shape {
            template_half: 4,
            window_half: 9,
            frame_rows: 192,
            frame_columns: 218,
            walls: [20, 31],
            frames: 2,
        },
        Shape {
            template_half: 25,
            window_half: 40,
            frame_rows: 656,
            frame_columns: 744,
            walls: [20, 31],
            frames: 2,
        },
    );
    let mut rng = host.rng(1);
    let mut image = Image::fractal(shape.frame_columns, shape.frame_rows, &mut rng);
    let frame = host.zeros::<f32>("frame", shape.frame_rows * shape.frame_columns)?;
    let mut walls = Vec::new();
    let mut tracked: Vec<Vec<Tracked>> = Vec::new();
    for wall in 0..shape.walls.len() {
        let [rows, columns] = shape.ring(wall);
        let count = rows.len();
        walls.push(Wall {
            rows: host.upload("rows", &rows)?,
            columns: host.upload("columns", &columns)?,
            row_track: host.zeros::<i32>("row_track", count * shape.frames)?,
            column_track: host.zeros::<i32>("column_track", count * shape.frames)?,
            templates: host.zeros::<f32>("templates", count * shape.template_rows().pow(2))?,
        });
        tracked.push(rows.into_iter().zip(columns).map(Tracked::at).collect());
    }
    let (points, convolutions) = make_points(host, shape, &walls)?;
    host.write_symbol("points", &points)?;
    host.write_symbol("common", &common(shape))?;

    let blocks = shape.walls.iter().sum::<usize>() as u32;
    for number in 0..shape.frames {
        if number > 0 {
            let (dx, dy) = BEAT[number % BEAT.len()];
            image = image.moved(dx, dy, NOISE, &mut rng);
        }
        let pixels = by_columns(&image);
        host.write(frame, &pixels)?;
        let mut now = address(frame).to_le_bytes().to_vec();
        put(&mut now, &[number as i32, 0]);
        host.write_symbol("now", &now)?;
        host.launch("heartwall", [blocks, 1, 1], [THREADS, 1, 1], &[])?;
        for (wall, points) in walls.iter().zip(&mut tracked) {
            let device = [host.download(wall.row_track)?, host.download(wall.column_track)?];
            for (index, point) in points.iter_mut().enumerate() {
                let at = index * shape.frames + number;
                point.follow(&shape, &pixels, number, (device[0][at], device[1][at]));
            }
        }
        if number + 1 == shape.frames {
            check_convolutions(host, &shape, &pixels, &tracked, &convolutions)?;
        }
    }
    for (wall, points) in walls.iter().zip(&tracked) {
        let track = |axis: fn(&(i32, i32)) -> i32| -> Vec<i32> {
            points.iter().flat_map(|point| point.track.iter().map(axis)).collect()
        };
        host.check("row_track", wall.row_track, &track(|place| place.0), Tolerance::Exact)?;
        host.check("column_track", wall.column_track, &track(|place| place.1), Tolerance::Exact)?;
        let templates: Vec<f32> = points.iter().flat_map(|point| point.template.iter().copied()).collect();
        host.check("templates", wall.templates, &templates, Tolerance::relative(1e-4))?;
    }
    Ok(())
}

/// Pixels as floats, column after column.
fn by_columns(image: &Image) -> Vec<f32> {
    let (width, height) = (image.width, image.height);
    (0..width * height).map(|i| f32::from(image.pixels[i % height * width + i / height])).collect()
}

fn address<T>(buffer: Buffer<T>) -> u64 {
    match Arg::from(buffer) {
        Arg::Address(address) => address,
        Arg::Word(_) | Arg::Long(_) | Arg::F32(_) | Arg::F64(_) => 0,
    }
}

fn put(bytes: &mut Vec<u8>, values: &[i32]) {
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// The kernel's `Common`.
fn common(shape: Shape) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, &[shape.window_half as i32, shape.template_half as i32, REACH, MEMORY.to_bits() as i32]);
    let rows = [
        shape.frames,
        shape.frame_rows,
        shape.template_rows(),
        shape.window_rows(),
        shape.convolution_rows(),
        shape.padded_rows(),
        shape.convolution_rows(),
        shape.padded_rows(),
    ];
    put(&mut bytes, &rows.map(|value| value as i32));
    bytes
}

/// The kernel's `Point`s, with work space of their own, and where their convolutions are.
fn make_points(
    host: &mut Host<'_>,
    shape: Shape,
    walls: &[Wall],
) -> Result<(Vec<u8>, Vec<Buffer<f32>>), Failure> {
    let square = |rows: usize| rows * rows;
    let strip = shape.convolution_rows() * shape.padded_rows();
    let buffers = [
        ("window", square(shape.window_rows())),
        ("convolution", square(shape.convolution_rows())),
        ("padded", square(shape.padded_rows())),
        ("padded_selection", strip),
        ("strip", strip),
        ("strip_selection", square(shape.convolution_rows())),
        ("sums", square(shape.convolution_rows())),
        ("squares", square(shape.window_rows())),
        ("square_sums", square(shape.convolution_rows())),
        ("template_squares", square(shape.template_rows())),
        ("place_mask", square(shape.convolution_rows())),
        ("masked", square(shape.convolution_rows())),
    ];
    // The original allocates the buffers kind by kind.
    let count = shape.walls.iter().sum();
    let mut spaces = vec![Vec::new(); count];
    let mut convolutions = Vec::new();
    for (name, elements) in buffers {
        for space in &mut spaces {
            let buffer = host.zeros::<f32>(name, elements)?;
            space.push(address(buffer));
            if name == "convolution" {
                convolutions.push(buffer);
            }
        }
    }
    let mut bytes = Vec::new();
    let mut spaces = spaces.into_iter();
    for (wall, &points) in walls.iter().zip(&shape.walls) {
        let shared = [
            address(wall.rows),
            address(wall.columns),
            address(wall.row_track),
            address(wall.column_track),
            address(wall.templates),
        ];
        for (number, space) in spaces.by_ref().take(points).enumerate() {
            bytes.extend(shared.iter().chain(&space).flat_map(|address| address.to_le_bytes()));
            put(&mut bytes, &[number as i32, (number * square(shape.template_rows())) as i32]);
        }
    }
    Ok((bytes, convolutions))
}

/// Checks the convolution of each wall's first point in the last frame; the others differ in their data alone. Where a point is says
/// little about it: one best place is right with many wrong sums.
fn check_convolutions(
    host: &mut Host<'_>,
    shape: &Shape,
    frame: &[f32],
    tracked: &[Vec<Tracked>],
    convolutions: &[Buffer<f32>],
) -> Result<(), Failure> {
    let mut first = 0;
    for points in tracked {
        let (expected, floor) = points[0].convolution(shape, frame);
        let tolerance = Tolerance::Relative { relative: 1e-4, floor };
        host.check("convolution", convolutions[first], &expected, tolerance)?;
        first += points.len();
    }
    Ok(())
}

/// A point on the CPU.
struct Tracked {
    base: (i32, i32),
    track: Vec<(i32, i32)>,
    template: Vec<f32>,
}

impl Tracked {
    fn at(base: (i32, i32)) -> Self {
        Self { base, track: Vec::new(), template: Vec::new() }
    }

    /// Finds the point in the next frame. Where the device found another place that fits as well as single precision can
    /// tell, the device's is taken.
    fn follow(&mut self, shape: &Shape, frame: &[f32], number: usize, device: (i32, i32)) {
        if number == 0 {
            self.track.push(self.base);
            self.template = patch(shape, frame, self.base);
            return;
        }
        let last = self.track[number - 1];
        let range = |at: i32| at - REACH / 2..at + REACH - REACH / 2;
        let candidates = range(last.1).flat_map(|column| range(last.0).map(move |row| (row, column)));
        let mut best = (0.0, last);
        for place in candidates {
            let fit = self.fit(shape, frame, place);
            if fit > best.0 {
                best = (fit, place);
            }
        }
        let is_candidate = range(last.0).contains(&device.0) && range(last.1).contains(&device.1);
        let is_as_good = is_candidate && self.fit(shape, frame, device) >= best.0 - UNCERTAINTY;
        self.track.push(if is_as_good { device } else { best.1 });
        if number.is_multiple_of(ADAPTS_EVERY) {
            self.base = self.track[number];
            for (old, new) in self.template.iter_mut().zip(patch(shape, frame, self.base)) {
                *old = (f64::from(MEMORY * *old) + (1.0 - f64::from(MEMORY)) * f64::from(new)) as f32;
            }
        }
    }

    /// How far the template's product sum with every place of the window that it meets is from what the means alone would give, column
    /// after column, as long as the point has its first template; and the largest of the product sums.
    fn convolution(&self, shape: &Shape, frame: &[f32]) -> (Vec<f32>, f64) {
        let (rows, half) = (shape.template_rows() as i32, shape.window_half as i32);
        let (all, window) = (shape.convolution_rows() as i32, shape.window_rows() as i32);
        let mean = self.template.iter().copied().map(f64::from).sum::<f64>() / self.template.len() as f64;
        let pixel = |row: i32, column: i32| {
            let (row, column) = (self.base.0 - half + row, self.base.1 - half + column);
            f64::from(frame[column as usize * shape.frame_rows + row as usize])
        };
        let mut largest = 0.0_f64;
        let mut differences = Vec::new();
        for place in 0..all * all {
            // Where the template's first pixel is in the window.
            let (top, left) = (place % all - rows + 1, place / all - rows + 1);
            let inside = |from: i32| (-from).max(0)..(window - from).min(rows);
            let (mut products, mut pixels) = (0.0, 0.0);
            for (column, row) in inside(left).flat_map(|column| inside(top).map(move |row| (column, row))) {
                let value = pixel(top + row, left + column);
                products += value * f64::from(self.template[(column * rows + row) as usize]);
                pixels += value;
            }
            largest = largest.max(products);
            differences.push((products - pixels * mean) as f32);
        }
        (differences, largest)
    }

    /// The magnitude of the correlation of the template with the frame around a place. What lies outside the window
    /// counts as zero.
    fn fit(&self, shape: &Shape, frame: &[f32], place: (i32, i32)) -> f64 {
        let is_inside = |at: i32, base: i32| (at - base).unsigned_abs() as usize <= shape.window_half;
        let (rows, half) = (shape.template_rows(), shape.template_half as i32);
        let around = patch(shape, frame, place);
        let pixel = |i: usize| {
            let (row, column) = (place.0 - half + (i % rows) as i32, place.1 - half + (i / rows) as i32);
            if is_inside(row, self.base.0) && is_inside(column, self.base.1) {
                f64::from(around[i])
            } else {
                0.0
            }
        };
        let pairs = || (0..around.len()).map(|i| (pixel(i), f64::from(self.template[i])));
        let count = around.len() as f64;
        let (sum, own) = pairs().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        let product: f64 = pairs().map(|(x, y)| x * y).sum::<f64>() - sum * own / count;
        let spread: f64 = pairs().map(|(x, _)| x * x).sum::<f64>() - sum * sum / count;
        let own_variance: f64 = pairs().map(|(_, y)| y * y).sum::<f64>() / count - (own / count).powi(2);
        (product / (spread.max(0.0).sqrt() * ((count - 1.0) * own_variance).sqrt())).abs()
    }
}

/// The pixels of a template around a place, column after column.
fn patch(shape: &Shape, frame: &[f32], (row, column): (i32, i32)) -> Vec<f32> {
    let (rows, half) = (shape.template_rows(), shape.template_half as i32);
    let inside = |at: i32, length: usize| at.clamp(0, length as i32 - 1) as usize;
    let pixel = |i: usize| {
        let at = inside(column - half + (i / rows) as i32, shape.frame_columns);
        frame[at * shape.frame_rows + inside(row - half + (i % rows) as i32, shape.frame_rows)]
    };
    (0..rows * rows).map(pixel).collect()
}
