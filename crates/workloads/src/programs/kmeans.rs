//! k-means clustering of feature vectors, as Rodinia's kmeans.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::{Host, grid_for};
use crate::input::matrix::Matrix;
use crate::input::{kdd, points};
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
            "records like those of KDD Cup 1999, which Rodinia reads: mostly zeros and counts",
        ),
        DataSet::new(
            "thesis",
            "the DSM thesis: 20,000 records around the centres of clusters, without zeros",
        )
        .of(&[Paper::Dsm]),
        DataSet::new(
            "profiles",
            "records around random profiles, half of the entries zero: generator of this suite",
        ),
    ],
    ptx: include_str!("../../kernels/kmeans.ptx"),
    run,
};

const THREADS: u32 = 256;
const CLUSTERS: usize = 5;
const FEATURES: usize = 34;
/// Floats of constant memory that the kernel keeps centres in.
const MOST_CENTRE_FLOATS: usize = 32 * FEATURES;
/// Deviation of the thesis's records from the centre of their cluster in the unit cube.
const SPREAD: f64 = 0.6;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // One round shows what the GPU does; the thesis's errors need centres that have moved.
    let most_rounds = host.scale().pick(3, if host.data() == "thesis" { 2 } else { 1 }, 2);
    let cluster_count = host.clusters(CLUSTERS);
    let Matrix { rows: count, columns: dimensions, values } = match host.matrix_input()? {
        Some(matrix) => matrix,
        None => generated(host, cluster_count)?,
    };
    let mut centres = values[..cluster_count.min(count) * dimensions].to_vec();
    if centres.len() > MOST_CENTRE_FLOATS {
        let most = MOST_CENTRE_FLOATS / cluster_count;
        return Err(InputFileError::at(
            0,
            format!("{dimensions} columns; at most {most} fit constant memory"),
        )
        .into());
    }

    let block = [THREADS, 1, 1];
    let side = (count.div_ceil(THREADS as usize) as f64).sqrt().ceil() as u32;
    let point_buffer = host.upload("points", &values)?;
    let features = host.zeros::<f32>("features", values.len())?;
    host.launch("invert", grid_for(count, THREADS), block, args![point_buffer, features, count, dimensions])?;
    let membership = host.upload("membership", &vec![-1i32; count])?;
    // The original copies the centres here too, and reads them from constant memory.
    let centre_buffer = host.zeros::<f32>("centres", centres.len())?;
    let texture = host.texture(features, 1)?;
    let mut before = vec![-1; count];
    for _ in 0..most_rounds {
        host.write(centre_buffer, &centres)?;
        host.write_symbol("centres", &centres)?;
        let clusters = centres.len() / dimensions;
        let arguments = args![texture, dimensions, count, clusters, membership];
        host.launch("nearest", [side, side, 1], block, arguments)?;
        let members = host.download(membership)?;
        host.check_values(
            "membership",
            &members,
            &nearest(&values, &centres, dimensions, &members),
            Tolerance::Exact,
        )?;
        if members == before {
            break;
        }
        centres = moved(&values, &centres, dimensions, &members);
        before = members;
    }
    Ok(())
}

fn generated(host: &Host<'_>, clusters: usize) -> Result<Matrix, InputFileError> {
    let mut rng = host.rng(1);
    let (tiny, small) = (500, 23_040);
    let mut features = FEATURES;
    let (count, values) = match host.data() {
        "thesis" => {
            // Rounding matters where records lie between centres and no feature is exactly zero.
            let count = host.size(host.scale().pick(tiny, small / 2, 20_000), 1..=1 << 22)?;
            features = host.features(FEATURES);
            (count, points::clustered(count, features, clusters, SPREAD, &mut rng))
        }
        "profiles" => {
            let count = host.size(host.scale().pick(tiny, small, 494_020), 1..=1 << 22)?;
            (count, points::mixed_records(count, FEATURES, clusters, &mut rng))
        }
        _ => {
            let count = host.size(host.scale().pick(tiny, small, 494_020), 1..=1 << 22)?;
            (count, kdd::records(count, &mut rng))
        }
    };
    Ok(Matrix { rows: count, columns: features, values })
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
