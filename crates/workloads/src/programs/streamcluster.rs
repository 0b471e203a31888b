//! Online clustering, as Rodinia's streamcluster: a local search, in which the kernel says of each candidate whether opening it pays.

mod search;

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Buffer, Host, grid_for};
use crate::input::points;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable, exact};

use search::{Clusters, Gain, Trial};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "streamcluster",
    summary: "online clustering",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.SC"), (Paper::Latte, "SC")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("lower", ElementType::F32),
        exact("center_row", ElementType::I32),
        exact("switches", ElementType::U8),
        exact("points", ElementType::U32),
        approximable("coordinates", ElementType::F32),
    ],
    input: None,
    data_sets: &[
        DataSet::new("uniform", "Rodinia: uniform in [0, 1)").revised(2),
        DataSet::new("clustered", "points around ten centres: generator of this suite").revised(2),
    ],
    ptx: include_str!("../../kernels/streamcluster.ptx"),
    run,
};

const THREADS: u32 = 512;
/// 32-bit words of a point's structure on the device.
const POINT_WORDS: usize = 8;
/// Where the coordinates of the first point are in the host's memory: a point's structure has this pointer.
const HOST_COORDINATES: u64 = 0x7fff_d000_0010;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (count, dimensions): (usize, usize) = host.scale().pick((300, 8), (16_384, 32), (4096, 32));
    let count = host.size(count, 256..=1 << 20)?;
    let limit = host.scale().pick(Some(3), Some(4), None);
    let mut random = host.rand48(1);
    let by_point = match host.data() {
        "clustered" => points::clustered(count, dimensions, 10, 0.05, &mut host.rng(1)),
        _ => (0..count * dimensions).map(|_| random.unit()).collect(),
    };
    let mut clusters = Clusters::of(by_point, dimensions);
    clusters.search(&mut random, &mut Launches { host, limit, made: 0, buffers: None })
}

/// A launch for each candidate.
struct Launches<'a, 'd> {
    host: &'a mut Host<'d>,
    /// Launches after which the search is over.
    limit: Option<usize>,
    made: usize,
    buffers: Option<Buffers>,
}

/// What is on the device from the first candidate on.
struct Buffers {
    center_row: Buffer<i32>,
    switches: Buffer<u8>,
    points: Buffer<u32>,
    coordinates: Buffer<f32>,
    /// A row for each point, with what each centre loses by it and what the candidate gains.
    lower: Buffer<f32>,
}

impl Trial for Launches<'_, '_> {
    type Error = Failure;

    fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| self.made >= limit)
    }

    fn attempt(&mut self, clusters: &mut Clusters, candidate: usize, gain: &Gain) -> Result<(), Failure> {
        let rows = clusters.centers + 1;
        let buffers = self.buffers_for(clusters, rows)?;
        let (host, count) = (&mut *self.host, clusters.len());
        host.write(buffers.center_row, &clusters.rows)?;
        host.write(buffers.points, &structures(clusters))?;
        host.write(buffers.switches, &vec![0u8; count])?;
        host.write(buffers.lower, &vec![0.0f32; (count + 1) * rows])?;
        let arguments = args![
            count,
            clusters.dimensions,
            candidate as u64,
            buffers.points,
            rows - 1,
            rows,
            buffers.coordinates,
            buffers.lower,
            buffers.center_row,
            buffers.switches
        ];
        host.launch("pgain", grid_for(count, THREADS), [THREADS, 1, 1], arguments)?;
        let work = host.download(buffers.lower)?;
        let sums = |row: usize| (0..count).map(|p| f64::from(work[p * rows + row])).sum::<f64>() as f32;
        let got: Vec<f32> = (0..rows).map(sums).collect();
        host.check_values("lower", &got, &gain.sums, Tolerance::relative(1e-3))?;
        let mut got: Vec<u8> = host.download(buffers.switches)?;
        for (got, &moves) in
            got.iter_mut().zip(&gain.moves).zip(&gain.on_border).filter_map(|(pair, &on)| on.then_some(pair))
        {
            *got = moves;
        }
        host.check_values("switches", &got, &gain.moves, Tolerance::Exact)?;
        host.free(buffers.lower)?;
        self.made += 1;
        self.buffers = Some(buffers);
        Ok(())
    }
}

impl Launches<'_, '_> {
    /// The buffers, with a new matrix of losses: it is allocated and freed for every candidate.
    fn buffers_for(&mut self, clusters: &Clusters, rows: usize) -> Result<Buffers, Failure> {
        let (host, count) = (&mut *self.host, clusters.len());
        let matrix = (count + 1) * rows;
        if let Some(mut buffers) = self.buffers.take() {
            buffers.lower = host.zeros("lower", matrix)?;
            return Ok(buffers);
        }
        let lower = host.zeros("lower", matrix)?;
        let center_row = host.zeros("center_row", count)?;
        let switches = host.zeros("switches", count)?;
        let points = host.zeros("points", count * POINT_WORDS)?;
        // Coordinates stand dimension by dimension on the device.
        let dimensions = clusters.dimensions;
        let by_dimension: Vec<f32> = (0..dimensions * count)
            .map(|index| clusters.coordinates[index % count * dimensions + index / count])
            .collect();
        let coordinates = host.upload("coordinates", &by_dimension)?;
        Ok(Buffers { center_row, switches, points, coordinates, lower })
    }
}

/// The device's structures: weight 1, the host's pointer to the coordinates, centre, cost.
fn structures(clusters: &Clusters) -> Vec<u32> {
    let point = |point: usize| {
        let offset = clusters.places[point] * clusters.dimensions * size_of::<f32>();
        let pointer = HOST_COORDINATES + offset as u64;
        let (low, high) = (pointer as u32, (pointer >> 32) as u32);
        let center = clusters.assigned[point] as u32;
        [1.0f32.to_bits(), 0, low, high, center, 0, clusters.cost[point].to_bits(), 0]
    };
    (0..clusters.len()).flat_map(point).collect()
}
