//! k-means clustering of feature vectors.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::matrix::Matrix;
use crate::input::points;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "kmeans",
    summary: "k-means clustering",
    class: Class::Mixed,
    papers: &[(Paper::Bpc, "R.KMN/P.KMN"), (Paper::E2mc, "KM1"), (Paper::Dsm, "R-KM"), (Paper::Latte, "KM")],
    is_cache_sensitive: true,
    buffers: &[
        approximable("points", ElementType::F32),
        approximable("features", ElementType::F32),
        exact("membership", ElementType::I32),
        approximable("centres", ElementType::F32),
    ],
    input: Some(InputKind::Matrix),
    data_sets: &[
        DataSet::new(
            "kdd",
            "records like those of KDD Cup 1999, which Rodinia's kmeans reads: mostly zeros and counts",
        ),
        DataSet::new("thesis", "the DSM thesis: records around the centres of clusters, without zeros")
            .of(&[Paper::Dsm]),
    ],
    ptx: include_str!("../../kernels/kmeans.ptx"),
    run,
};

const THREADS: u32 = 256;
const CLUSTERS: usize = 5;
const ROUNDS: usize = 3;
/// Deviation of the records of given properties from the centre of their cluster in the unit cube.
const SPREAD: f64 = 0.3;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (count, dimensions) = host.scale().pick((500, 8), (4096, 34), (196_608, 34));
    let (count, cluster_count) = (host.size(count), host.clusters(CLUSTERS));
    let generated = |host: &Host<'_>| Matrix {
        rows: count,
        columns: dimensions,
        values: if host.data() == "thesis" {
            // Rounding matters where records lie between centres and no feature is exactly zero.
            points::clustered(count, dimensions, cluster_count, SPREAD, &mut host.rng(1))
        } else {
            // Traffic records of an intrusion detector are counts; most of them are zero.
            points::mixed_records(count, dimensions, cluster_count, &mut host.rng(1))
        },
    };
    let matrix = host.matrix_input()?;
    let Matrix { rows: count, columns: dimensions, values } = matrix.unwrap_or_else(|| generated(host));

    let (grid, block) = (grid_for(count, THREADS), [THREADS, 1, 1]);
    let point_buffer = host.upload("points", &values)?;
    let features = host.zeros::<f32>("features", values.len())?;
    let membership = host.zeros::<i32>("membership", count)?;
    host.launch("invert", grid, block, args![point_buffer, features, count, dimensions])?;
    let mut centres = values[..cluster_count.min(count) * dimensions].to_vec();
    let clusters = centres.len() / dimensions;
    let centre_buffer = host.upload("centres", &centres)?;
    for _ in 0..ROUNDS {
        host.write(centre_buffer, &centres)?;
        let arguments = args![features, count, dimensions, centre_buffer, clusters, membership];
        host.launch("nearest", grid, block, arguments)?;
        let members = host.download(membership)?;
        host.check_values(
            "membership",
            &members,
            &nearest(&values, &centres, dimensions, &members),
            Tolerance::Exact,
        )?;
        centres = moved(&values, &centres, dimensions, &members);
    }
    Ok(())
}

/// The nearest centre of each point. Where two are equally near but for rounding, the device's choice counts.
fn nearest(values: &[f32], centres: &[f32], dimensions: usize, chosen: &[i32]) -> Vec<i32> {
    let squared = |point: &[f32], centre: &[f32]| -> f64 {
        point.iter().zip(centre).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum()
    };
    let choose = |(point, &chosen): (&[f32], &i32)| {
        let distances: Vec<f64> =
            centres.chunks_exact(dimensions).map(|centre| squared(point, centre)).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let is_as_near = distances.get(chosen as usize).is_some_and(|&d| d <= least * (1.0 + 1e-5) + 1e-9);
        let first = distances.iter().position(|&distance| distance == least).unwrap_or(0);
        if is_as_near { chosen } else { first as i32 }
    };
    values.chunks_exact(dimensions).zip(chosen).map(choose).collect()
}

fn moved(values: &[f32], centres: &[f32], dimensions: usize, members: &[i32]) -> Vec<f32> {
    let mut sums = vec![0.0f64; centres.len()];
    let mut counts = vec![0usize; centres.len() / dimensions];
    for (point, &member) in values.chunks_exact(dimensions).zip(members) {
        let cluster = (member as usize).min(counts.len() - 1);
        counts[cluster] += 1;
        for (sum, &value) in sums[cluster * dimensions..].iter_mut().zip(point) {
            *sum += f64::from(value);
        }
    }
    let mean = |(index, &sum): (usize, &f64)| match counts[index / dimensions] {
        0 => centres[index],
        count => (sum / count as f64) as f32,
    };
    sums.iter().enumerate().map(mean).collect()
}
