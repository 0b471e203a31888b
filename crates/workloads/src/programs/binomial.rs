//! Option prices by the binomial tree of Cox, Ross and Rubinstein.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "binomial",
    summary: "binomial option pricing",
    class: Class::Float,
    papers: &[(Paper::Latte, "BO")],
    is_cache_sensitive: false,
    buffers: &[approximable("options", ElementType::F32), approximable("prices", ElementType::F32)],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/binomial.ptx"),
    run,
};

const STEPS: usize = 256;
const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.30;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let count: usize = host.scale().pick(2, 24, 512);
    let mut rng = host.rng(1);
    let options: Vec<f32> = (0..count)
        .flat_map(|_| [rng.uniform(5.0, 30.0), rng.uniform(1.0, 100.0), rng.uniform(0.25, 10.0)])
        .collect();
    let option_buffer = host.upload("options", &options)?;
    let prices = host.zeros::<f32>("prices", count)?;
    let arguments = args![option_buffer, prices, RATE, VOLATILITY];
    host.launch("binomial", [count as u32, 1, 1], [STEPS as u32, 1, 1], arguments)?;
    let expected: Vec<f32> =
        options.chunks_exact(3).map(|option| price(option[0], option[1], option[2])).collect();
    host.check("prices", prices, &expected, Tolerance::Relative { relative: 1e-3, floor: 0.1 })
}

fn price(stock: f32, strike: f32, years: f32) -> f32 {
    let (stock, strike, dt) = (f64::from(stock), f64::from(strike), f64::from(years) / STEPS as f64);
    let (rate, drift) = (f64::from(RATE), f64::from(VOLATILITY) * dt.sqrt());
    let (up, down) = (drift.exp(), (-drift).exp());
    let chance = ((rate * dt).exp() - down) / (up - down);
    let discount = (-rate * dt).exp();
    let mut value: Vec<f64> = (0..=STEPS)
        .map(|i| (stock * (drift * (2.0 * i as f64 - STEPS as f64)).exp() - strike).max(0.0))
        .collect();
    for last in (0..STEPS).rev() {
        for i in 0..=last {
            value[i] = discount * (chance * value[i + 1] + (1.0 - chance) * value[i]);
        }
    }
    value[0] as f32
}
