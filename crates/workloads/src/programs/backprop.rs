//! One training step of a neural network's layer, as Rodinia's backprop: forward pass and weight update.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "backprop",
    summary: "neural-net layer forward and weight update",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.BPP"), (Paper::E2mc, "BP"), (Paper::Latte, "BP")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("input", ElementType::F32),
        approximable("hidden", ElementType::F32),
        approximable("weights", ElementType::F32),
        approximable("partial", ElementType::F32),
        approximable("delta", ElementType::F32),
        approximable("momentum", ElementType::F32),
    ],
    input: None,
    data_sets: &[
        DataSet::new("uniform", "Rodinia: uniform inputs and weights, whose sums saturate the hidden layer"),
        DataSet::new(
            "scaled",
            "the same with sums divided by the number of inputs, so that weights change: ours",
        ),
    ],
    ptx: include_str!("../../kernels/backprop.ptx"),
    run,
};

const HIDDEN: usize = 16;
const TILE: usize = 16;
const ROW: usize = HIDDEN + 1;
const RATE: f32 = 0.3;
const INERTIA: f32 = 0.3;
const TARGET: f32 = 0.1;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let inputs = host.size(host.scale().pick(256, 16_384, 65_536), 1..=1 << 22)?.next_multiple_of(TILE);
    let divisor = if host.data() == "scaled" { inputs as f32 } else { 1.0 };
    let mut rng = host.rng(1);
    let mut input: Vec<f32> = (0..=inputs).map(|_| rng.uniform(0.0, 1.0)).collect();
    input[0] = 1.0;
    let weights: Vec<f32> = (0..(inputs + 1) * ROW).map(|_| rng.uniform(0.0, 1.0)).collect();
    let output_weights: Vec<f32> = (0..=HIDDEN).map(|_| rng.uniform(0.0, 1.0)).collect();
    // The momentum of a first step is zero.
    let momentum = vec![0.0f32; weights.len()];

    let input_buffer = host.upload("input", &input)?;
    let hidden_buffer = host.zeros::<f32>("hidden", ROW)?;
    let weight_buffer = host.upload("weights", &weights)?;
    let partial = host.zeros::<f32>("partial", inputs / TILE * HIDDEN)?;
    let (grid, block) = ([1, (inputs / TILE) as u32, 1], [HIDDEN as u32, TILE as u32, 1]);
    let arguments = args![input_buffer, hidden_buffer, weight_buffer, partial, inputs, HIDDEN];
    host.launch("forward", grid, block, arguments)?;

    let sums = host.download(partial)?;
    let totals: Vec<f32> = (0..HIDDEN)
        .map(|unit| sums.iter().skip(unit).step_by(HIDDEN).sum::<f32>() + weights[unit + 1])
        .collect();
    host.check_values("sums", &totals, &forward(&input, &weights), Tolerance::relative(1e-4))?;
    let hidden: Vec<f32> = totals.iter().map(|total| squash(total / divisor)).collect();
    let delta = hidden_delta(&hidden, &output_weights);

    let delta_buffer = host.upload("delta", &delta)?;
    let momentum_buffer = host.upload("momentum", &momentum)?;
    // The forward pass left its sums in place of the weights.
    host.write(weight_buffer, &weights)?;
    let arguments = args![delta_buffer, HIDDEN, input_buffer, inputs, weight_buffer, momentum_buffer];
    host.launch("adjust", grid, block, arguments)?;

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
    1.0 / (1.0 + libm::expf(-x))
}

/// The error of each hidden unit, from that of the one output unit; entry 0 is the bias's.
fn hidden_delta(hidden: &[f32], output_weights: &[f32]) -> Vec<f32> {
    let sum: f32 = hidden.iter().zip(&output_weights[1..]).map(|(unit, weight)| unit * weight).sum();
    let output = squash(sum + output_weights[0]);
    let output_delta = output * (1.0 - output) * (TARGET - output);
    let units = hidden.iter().zip(&output_weights[1..]);
    std::iter::once(0.0).chain(units.map(|(h, weight)| h * (1.0 - h) * output_delta * weight)).collect()
}

/// The sum of every hidden unit, in double precision.
fn forward(input: &[f32], weights: &[f32]) -> Vec<f32> {
    let unit_sum = |unit: usize| {
        let terms = input
            .iter()
            .enumerate()
            .map(|(from, &value)| f64::from(value) * f64::from(weights[from * ROW + unit]));
        terms.sum::<f64>() as f32
    };
    (1..=HIDDEN).map(unit_sum).collect()
}
