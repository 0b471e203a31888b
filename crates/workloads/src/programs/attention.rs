//! One decode step of attention over a bf16 key/value cache.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::{Rng, bf16};
use crate::workload::{Class, ElementType, OURS, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "attention",
    summary: "bf16 attention decode step over a KV cache",
    class: Class::Float,
    papers: &[],
    is_cache_sensitive: false,
    buffers: &[
        approximable("query", ElementType::F32),
        approximable("keys", ElementType::Bf16),
        approximable("values", ElementType::Bf16),
        approximable("out", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/attention.ptx"),
    run,
};

const HEAD: usize = 64;
const THREADS: u32 = 256;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let (heads, length): (usize, usize) = host.scale().pick((2, 100), (24, 1024), (128, 2048));
    let mut rng = host.rng(1);
    let query: Vec<f32> = (0..heads * HEAD).map(|_| rng.normal() as f32).collect();
    let keys = cache(heads, length, &mut rng);
    let values = cache(heads, length, &mut rng);
    let scale = 1.0 / (HEAD as f32).sqrt();

    let query_buffer = host.upload("query", &query)?;
    let key_buffer = host.upload("keys", &keys)?;
    let value_buffer = host.upload("values", &values)?;
    let out = host.zeros::<f32>("out", heads * HEAD)?;
    let arguments = args![query_buffer, key_buffer, value_buffer, out, length, scale];
    host.launch("attention", [heads as u32, 1, 1], [THREADS, 1, 1], arguments)?;
    let expected: Vec<f32> = (0..heads)
        .flat_map(|head| {
            let part = head * length * HEAD..(head + 1) * length * HEAD;
            attend(&query[head * HEAD..(head + 1) * HEAD], &keys[part.clone()], &values[part], scale)
        })
        .collect();
    host.check("out", out, &expected, Tolerance::relative(1e-4))
}

/// A cache whose channels have their own scale and drift slowly along the sequence, as real keys and values do.
fn cache(heads: usize, length: usize, rng: &mut Rng) -> Vec<u16> {
    let mut entries = Vec::with_capacity(heads * length * HEAD);
    for _ in 0..heads {
        let scales: Vec<f64> = (0..HEAD).map(|_| 0.2 + rng.exponential() * 0.5).collect();
        let mut state = vec![0.0f64; HEAD];
        for _ in 0..length {
            for (value, scale) in state.iter_mut().zip(&scales) {
                *value = 0.7 * *value + 0.7 * rng.normal() * scale;
                entries.push(bf16::from_f32(*value as f32));
            }
        }
    }
    entries
}

fn attend(query: &[f32], keys: &[u16], values: &[u16], scale: f32) -> Vec<f32> {
    let dot = |key: &[u16]| -> f64 {
        key.iter().zip(query).map(|(&k, &q)| f64::from(bf16::to_f32(k)) * f64::from(q * scale)).sum()
    };
    let scores: Vec<f64> = keys.chunks_exact(HEAD).map(dot).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    let column = |c: usize| -> f64 {
        values
            .chunks_exact(HEAD)
            .zip(&weights)
            .map(|(value, weight)| f64::from(bf16::to_f32(value[c])) * weight)
            .sum()
    };
    (0..HEAD).map(|c| (column(c) / total) as f32).collect()
}
