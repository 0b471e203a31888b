//! Cosine similarity of all pairs of documents.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::input::matrix::Matrix;
use crate::input::points;
use crate::workload::{Class, ElementType, InputKind, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "similarity-score",
    summary: "pairwise document similarity (MapReduce)",
    class: Class::Float,
    papers: &[(Paper::Dsm, "M-SS"), (Paper::Latte, "SS")],
    is_cache_sensitive: true,
    buffers: &[
        approximable("documents", ElementType::F32),
        approximable("lengths", ElementType::F32),
        approximable("scores", ElementType::F32),
    ],
    input: Some(InputKind::Matrix),
    data_sets: OURS,
    ptx: include_str!("../../kernels/similarity-score.ptx"),
    run,
};

const THREADS: u32 = 256;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (count, features): (usize, usize) = host.scale().pick((24, 32), (128, 96), (896, 256));
    let mut rng = host.rng(1);
    let generated = || {
        // Every document has at least one word, so that no length is zero.
        let mut values = points::sparse_counts(count, features, 0.15, &mut rng);
        values.iter_mut().step_by(features).for_each(|first| *first += 1.0);
        Matrix { rows: count, columns: features, values }
    };
    let Matrix { rows: count, columns: features, values } = host.matrix_input()?.unwrap_or_else(generated);
    let documents = host.upload("documents", &values)?;
    let lengths = host.zeros::<f32>("lengths", count)?;
    let scores = host.zeros::<f32>("scores", count * count)?;
    let block = [THREADS, 1, 1];
    host.launch(
        "vector_lengths",
        grid_for(count, THREADS),
        block,
        args![documents, lengths, count, features],
    )?;
    let grid = grid_for(count * count, THREADS);
    host.launch("pair_scores", grid, block, args![documents, lengths, scores, count, features])?;

    let vector = |document: usize| &values[document * features..(document + 1) * features];
    let dot = |a: usize, b: usize| -> f64 {
        vector(a).iter().zip(vector(b)).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    let length: Vec<f64> = (0..count).map(|document| dot(document, document).sqrt()).collect();
    let score = |pair: usize| {
        (dot(pair / count, pair % count) / (length[pair / count] * length[pair % count])) as f32
    };
    let expected: Vec<f32> = (0..count * count).map(score).collect();
    host.check("scores", scores, &expected, Tolerance::relative(1e-5))
}
