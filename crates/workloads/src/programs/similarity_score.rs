//! Cosine similarity of all pairs of documents, as MapReduce.

use super::mars::{self, Input, address_words};
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::input::matrix::Matrix;
use crate::workload::{BufferInfo, Class, DataSet, ElementType, InputKind, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "similarity-score",
    summary: "pairwise document similarity (MapReduce)",
    class: Class::Float,
    papers: &[(Paper::Dsm, "M-SS"), (Paper::Latte, "SS")],
    is_cache_sensitive: true,
    buffers: &BUFFERS,
    input: Some(InputKind::Matrix),
    data_sets: &[DataSet::new("mars", "as Mars generates: rand() % 100 as floats")],
    ptx: include_str!("../../kernels/similarity-score.ptx"),
    run,
};

const BUFFERS: [BufferInfo; 13] = mars::sort_buffers(
    &[approximable("documents", ElementType::F32)],
    approximable("keys", ElementType::F32),
);

/// Features are whole numbers below this.
const NUMBERS: u32 = 100;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (count, features): (usize, usize) = host.scale().pick((24, 36), (256, 96), (1024, 256));
    let (count, features) = (host.size(count, 1..=8192)?, if host.has_properties() { 256 } else { features });
    let mut rng = host.rng(1);
    let generated = || {
        let values = (0..count * features).map(|_| rng.below(NUMBERS) as f32).collect();
        Matrix { rows: count, columns: features, values }
    };
    let Matrix { rows: count, columns: features, values } = host.matrix_input()?.unwrap_or_else(generated);
    if !features.is_multiple_of(4) {
        let what = format!("{features} columns; the kernel reads rows of a multiple of 4");
        return Err(InputFileError::at(0, what).into());
    }
    let documents = host.upload("documents", &values)?;
    let pairs: Vec<[usize; 2]> =
        (0..count).flat_map(|first| (first + 1..count).map(move |second| [first, second])).collect();
    let input = Input {
        keys: address_words(documents).repeat(pairs.len()),
        values: pairs
            .iter()
            .flat_map(|[first, second]| [*first, *second, features, 0].map(|number| number as i32))
            .collect(),
        key_words: 2,
        value_words: 4,
    };
    let scored = mars::map::<f32>(host, &input)?;
    let vector = |document: usize| &values[document * features..(document + 1) * features];
    let dot = |a: usize, b: usize| -> f64 {
        vector(a).iter().zip(vector(b)).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    let length: Vec<f64> = (0..count).map(|document| dot(document, document).sqrt()).collect();
    let score = |&[a, b]: &[usize; 2]| (dot(a, b) / (length[a] * length[b])) as f32;
    let expected: Vec<f32> = pairs.iter().map(score).collect();
    host.check("keys", scored.keys, &expected, Tolerance::relative(1e-5))?;
    // The sort takes over a hundred launches and is the larger part of the original only for short documents.
    if host.scale().pick(true, false, true) {
        let before = host.download(scored.keys)?;
        let (sorted, groups) = mars::group(host, &scored)?;
        let mut expected = before;
        expected.sort_by(|a, b| b.total_cmp(a));
        // Scores that differ by less than the original's 10⁻⁷ are equal to it and may be in any order.
        host.check("keys", sorted.keys, &expected, Tolerance::relative(1e-6))?;
        let last = groups.last().map_or(0, |group| group[1]);
        host.check_values("groups", &[last], &[sorted.count as i32], Tolerance::Exact)?;
    }
    Ok(())
}
