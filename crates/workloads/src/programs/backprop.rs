//! One training step of a neural network's layer: forward pass and weight update.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "backprop",
    summary: "neural-net layer forward and weight update",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.BPP"), (Paper::E2mc, "BP"), (Paper::Latte, "BP")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("input", ElementType::F32),
        approximable("weights", ElementType::F32),
        approximable("partial", ElementType::F32),
        approximable("delta", ElementType::F32),
        approximable("momentum", ElementType::F32),
    ],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/backprop.ptx"),
    run,
};

const HIDDEN: usize = 16;
const TILE: usize = 16;
const ROW: usize = HIDDEN + 1;
const RATE: f32 = 0.3;
const INERTIA: f32 = 0.3;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let inputs: usize = host.scale().pick(256, 16_384, 65_536);
    let mut rng = host.rng(1);
    let mut input: Vec<f32> = (0..=inputs).map(|_| rng.uniform(0.0, 1.0)).collect();
    input[0] = 1.0;
    let weights: Vec<f32> = (0..(inputs + 1) * ROW).map(|_| rng.uniform(0.0, 1.0)).collect();
    // The momentum of a first step is zero.
    let momentum = vec![0.0f32; weights.len()];

    let input_buffer = host.upload("input", &input)?;
    let weight_buffer = host.upload("weights", &weights)?;
    let partial = host.zeros::<f32>("partial", inputs / TILE * HIDDEN)?;
    let (grid, block) = ([1, (inputs / TILE) as u32, 1], [HIDDEN as u32, TILE as u32, 1]);
    host.launch("forward", grid, block, args![input_buffer, weight_buffer, partial])?;

    let sums = host.download(partial)?;
    let hidden: Vec<f32> = (0..HIDDEN)
        .map(|unit| {
            let sum: f32 = sums.iter().skip(unit).step_by(HIDDEN).sum::<f32>() + weights[unit + 1];
            squash(sum / inputs as f32)
        })
        .collect();
    let delta: Vec<f32> =
        std::iter::once(0.0).chain(hidden.iter().map(|h| h * (1.0 - h) * (0.1 - h))).collect();
    let delta_buffer = host.upload("delta", &delta)?;
    let momentum_buffer = host.upload("momentum", &momentum)?;
    host.launch("adjust", grid, block, args![delta_buffer, input_buffer, weight_buffer, momentum_buffer])?;

    host.check_values("hidden", &hidden, &forward(&input, &weights), Tolerance::relative(1e-4))?;
    let mut expected = weights;
    for (from, value) in input.iter().enumerate() {
        for unit in 1..=HIDDEN {
            let at = from * ROW + unit;
            expected[at] += RATE * delta[unit] * value + INERTIA * momentum[at];
        }
    }
    host.check("weights", weight_buffer, &expected, Tolerance::relative(1e-5))
}

fn squash(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

fn forward(input: &[f32], weights: &[f32]) -> Vec<f32> {
    let inputs = input.len() - 1;
    let unit_sum = |unit: usize| {
        let terms = (0..=inputs).map(|from| f64::from(input[from]) * f64::from(weights[from * ROW + unit]));
        squash((terms.sum::<f64>() / inputs as f64) as f32)
    };
    (1..=HIDDEN).map(unit_sum).collect()
}
