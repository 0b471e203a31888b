//! Online clustering, as Rodinia's streamcluster: whether opening a candidate centre pays, for several candidates.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::points;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "streamcluster",
    summary: "online clustering",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.SC"), (Paper::Latte, "SC")],
    is_cache_sensitive: false,
    buffers: &[
        exact("center_row", ElementType::I32),
        exact("switches", ElementType::U8),
        exact("points", ElementType::U32),
        approximable("coordinates", ElementType::F32),
        approximable("lower", ElementType::F32),
    ],
    input: None,
    data_sets: &[
        DataSet::new("uniform", "Rodinia: uniform in [0, 1)"),
        DataSet::new("clustered", "points around ten centres: generator of this suite"),
    ],
    ptx: include_str!("../../kernels/streamcluster.ptx"),
    run,
};

const THREADS: u32 = 512;
/// Centres that are open at first.
const CENTRES: usize = 15;
/// 32-bit words of a point's structure on the device.
const POINT_WORDS: usize = 8;
const OPENING_COST: f64 = 8.0;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (count, dimensions): (usize, usize) = host.scale().pick((300, 8), (16_384, 32), (4096, 32));
    let candidates: usize = host.scale().pick(3, 4, 200);
    let mut rng = host.rng(1);
    let by_point = match host.data() {
        "clustered" => points::clustered(count, dimensions, 10, 0.05, &mut rng),
        _ => (0..count * dimensions).map(|_| rng.uniform(0.0, 1.0)).collect(),
    };
    // Coordinates stand dimension by dimension on the device.
    let coordinates: Vec<f32> =
        (0..dimensions * count).map(|index| by_point[index % count * dimensions + index / count]).collect();
    let first: Vec<usize> = (0..CENTRES).map(|_| rng.below(count as u32) as usize).collect();
    let mut clusters = Clusters::around(first, &by_point, dimensions);

    let center_row = host.zeros::<i32>("center_row", count)?;
    let switches = host.zeros::<u8>("switches", count)?;
    let points = host.zeros::<u32>("points", count * POINT_WORDS)?;
    let coordinate_buffer = host.upload("coordinates", &coordinates)?;
    let lower = host.zeros::<f32>("lower", (count + 1) * (CENTRES + candidates + 1))?;
    for _ in 0..candidates {
        let candidate = rng.below(count as u32) as usize;
        let rows = clusters.centers.len() + 1;
        host.write(points, &clusters.points())?;
        host.write(center_row, &clusters.rows_by_point())?;
        host.write(lower, &vec![0.0f32; (count + 1) * rows])?;
        host.write(switches, &vec![0u8; count])?;
        let arguments = args![
            count,
            dimensions,
            candidate as u64,
            points,
            rows - 1,
            rows,
            coordinate_buffer,
            lower,
            center_row,
            switches
        ];
        host.launch("pgain", grid_for(count, THREADS), [THREADS, 1, 1], arguments)?;

        let work = host.download(lower)?;
        let sums = |row: usize| (0..count).map(|p| f64::from(work[p * rows + row])).sum::<f64>() as f32;
        let got: Vec<f32> = (0..rows).map(sums).collect();
        let Gain { sums: expected, moves, on_border } = clusters.gain(&by_point, dimensions, candidate);
        host.check_values("lower", &got, &expected, Tolerance::relative(1e-3))?;
        let mut got: Vec<u8> = host.download(switches)?;
        for (got, &moves) in
            got.iter_mut().zip(&moves).zip(&on_border).filter_map(|(pair, &on)| on.then_some(pair))
        {
            *got = moves;
        }
        host.check_values("switches", &got, &moves, Tolerance::Exact)?;
        if f64::from(expected[rows - 1]) + OPENING_COST < 0.0 {
            clusters.open(&by_point, dimensions, candidate, &moves);
        }
    }
    Ok(())
}

/// The open centres (numbers of points), and each point's centre and cost.
struct Clusters {
    centers: Vec<usize>,
    assigned: Vec<i32>,
    cost: Vec<f32>,
}

impl Clusters {
    /// Every point at the nearest of some centres.
    fn around(mut centers: Vec<usize>, points: &[f32], dimensions: usize) -> Self {
        centers.sort_unstable();
        centers.dedup();
        let nearest = |point: usize| {
            let costs =
                centers.iter().map(|&center| (squared(points, dimensions, point, center), center as i32));
            costs.fold((f32::INFINITY, 0), |best, next| if next.0 < best.0 { next } else { best })
        };
        let (cost, assigned) = (0..points.len() / dimensions).map(nearest).unzip();
        Self { centers, assigned, cost }
    }

    /// The device's structures: weight 1, no pointer to coordinates, centre, cost.
    fn points(&self) -> Vec<u32> {
        let point =
            |(&center, cost): (&i32, &f32)| [1.0f32.to_bits(), 0, 0, 0, center as u32, 0, cost.to_bits(), 0];
        self.assigned.iter().zip(&self.cost).flat_map(point).collect()
    }

    /// The row of the work matrix of each open centre, at its point's number.
    fn rows_by_point(&self) -> Vec<i32> {
        let mut rows = vec![0; self.cost.len()];
        for (row, &center) in self.centers.iter().enumerate() {
            rows[center] = row as i32;
        }
        rows
    }

    /// What opening a candidate would bring.
    fn gain(&self, points: &[f32], dimensions: usize, candidate: usize) -> Gain {
        let rows = self.rows_by_point();
        let mut sums = vec![0.0f64; self.centers.len() + 1];
        let mut moves = vec![0u8; self.cost.len()];
        let mut on_border = vec![false; self.cost.len()];
        for point in 0..self.cost.len() {
            let change = squared(points, dimensions, point, candidate) - self.cost[point];
            on_border[point] = change.abs() <= 1e-5 * self.cost[point];
            if change < 0.0 {
                moves[point] = 1;
                sums[self.centers.len()] += f64::from(change);
            } else {
                sums[rows[self.assigned[point] as usize] as usize] -= f64::from(change);
            }
        }
        Gain { sums: sums.iter().map(|&sum| sum as f32).collect(), moves, on_border }
    }

    fn open(&mut self, points: &[f32], dimensions: usize, candidate: usize, moves: &[u8]) {
        if self.centers.contains(&candidate) {
            return;
        }
        self.centers.push(candidate);
        for (point, _) in moves.iter().enumerate().filter(|&(_, &moves)| moves == 1) {
            self.assigned[point] = candidate as i32;
            self.cost[point] = squared(points, dimensions, point, candidate);
        }
    }
}

/// What opening a candidate would bring.
struct Gain {
    /// What each centre would lose, the gain of the candidate last.
    sums: Vec<f32>,
    /// 1 for each point that would move.
    moves: Vec<u8>,
    /// Points that may fall either way, because sums are rounded in another order on the device: those as far from the
    /// candidate as from their centre, which are all points of a centre that is drawn as a candidate again.
    on_border: Vec<bool>,
}

fn squared(points: &[f32], dimensions: usize, a: usize, b: usize) -> f32 {
    let at = |point: usize| &points[point * dimensions..(point + 1) * dimensions];
    at(a).iter().zip(at(b)).map(|(a, b)| (a - b) * (a - b)).sum()
}
