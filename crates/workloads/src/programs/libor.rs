//! LIBOR market model: Monte-Carlo paths of forward rates and a swaption portfolio.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::{Host, grid_for};
use crate::workload::{Class, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "libor",
    summary: "LIBOR Monte-Carlo paths",
    class: Class::Float,
    papers: &[(Paper::E2mc, "LIB")],
    is_cache_sensitive: false,
    buffers: &[approximable("normals", ElementType::F32), approximable("values", ElementType::F32)],
    input: None,
    ptx: include_str!("../../kernels/libor.ptx"),
    run,
};

const THREADS: u32 = 64;
const RATES: usize = 40;
const STEPS: usize = 20;
const MATURITIES: [usize; 15] = [2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14, 16, 18];
const SWAP_RATES: [f64; 3] = [0.045, 0.05, 0.055];
const START_RATE: f32 = 0.05;
const VOLATILITY: f32 = 0.2;
const INTERVAL: f32 = 0.25;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let paths: usize = host.scale().pick(64, 512, 4096);
    let mut rng = host.rng(1);
    let normals: Vec<f32> = (0..STEPS * paths).map(|_| rng.normal() as f32).collect();
    let normal_buffer = host.upload("normals", &normals)?;
    let values = host.zeros::<f32>("values", paths)?;
    let arguments = args![normal_buffer, values, paths, START_RATE, VOLATILITY, INTERVAL];
    host.launch("libor", grid_for(paths, THREADS), [THREADS, 1, 1], arguments)?;
    let expected: Vec<f32> = (0..paths)
        .map(|path| {
            portfolio(&(0..STEPS).map(|n| f64::from(normals[n * paths + path])).collect::<Vec<_>>()) as f32
        })
        .collect();
    host.check("values", values, &expected, Tolerance::relative(1e-3))
}

fn portfolio(shocks: &[f64]) -> f64 {
    let (volatility, interval) = (f64::from(VOLATILITY), f64::from(INTERVAL));
    let mut rate = [f64::from(START_RATE); RATES];
    for (n, shock) in shocks.iter().enumerate() {
        let mut drift = 0.0;
        for rate in &mut rate[n + 1..] {
            drift += volatility * volatility * interval * *rate / (1.0 + interval * *rate);
            *rate *= (drift + volatility * (interval.sqrt() * shock - 0.5 * volatility * interval)).exp();
        }
    }
    let (mut bond, mut annuity, mut value) = (1.0, 0.0, 0.0);
    for (years, rate) in rate[STEPS..].iter().enumerate() {
        bond /= 1.0 + interval * rate;
        annuity += interval * bond;
        for (option, _) in MATURITIES.iter().enumerate().filter(|&(_, &maturity)| maturity == years + 1) {
            value += 100.0 * (1.0 - bond - SWAP_RATES[option % 3] * annuity).max(0.0);
        }
    }
    rate[..STEPS].iter().fold(value, |value, rate| value / (1.0 + interval * rate))
}
