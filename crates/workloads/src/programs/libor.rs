//! LIBOR market model: Monte-Carlo paths of forward rates, a swaption portfolio and its sensitivity.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "libor",
    summary: "LIBOR Monte-Carlo paths",
    class: Class::Float,
    papers: &[(Paper::E2mc, "LIB")],
    is_cache_sensitive: false,
    buffers: &[approximable("values", ElementType::F32), approximable("slopes", ElementType::F32)],
    input: None,
    data_sets: &[DataSet::new("constants", "ISPASS-2009: every path starts from the same constants")],
    ptx: include_str!("../../kernels/libor.ptx"),
    run,
};

const THREADS: u32 = 64;
const MOST_RATES: usize = 80;
/// Forward rates, and what the program takes instead of normal random numbers: every path computes the same.
const START_RATE: f32 = 0.05;
const SHOCK: f32 = 0.3;
const VOLATILITY: f32 = 0.2;
const INTERVAL: f32 = 0.25;
/// Intervals that the swaps last, of 40 beyond the last step; they grow and shrink with that number.
const MATURITIES: [usize; 15] = [4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40];
const SWAP_RATES: [f32; 3] = [0.045, 0.05, 0.055];

/// What is valued: forward rates, steps to the first swap, and the swaps.
struct Portfolio {
    rates: usize,
    steps: usize,
    maturities: [usize; 15],
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let steps = host.size(host.scale().pick(4, 4, 40), 1..=MOST_RATES - 1)?;
    let rates = host.scale().pick(24, 24, MOST_RATES).max(steps + 1);
    let blocks: u32 = host.scale().pick(4, 64, 64);
    let paths = (blocks * THREADS) as usize;
    let maturities = MATURITIES.map(|maturity| (maturity * (rates - steps) / 40).max(1));
    let portfolio = Portfolio { rates, steps, maturities };
    let swap_rates: Vec<f32> = (0..MATURITIES.len()).map(|option| SWAP_RATES[option % 3]).collect();

    host.write_symbol("rates", &[rates as i32])?;
    host.write_symbol("steps", &[steps as i32])?;
    host.write_symbol("options", &[MATURITIES.len() as i32])?;
    host.write_symbol("maturities", &maturities.map(|maturity| maturity as i32))?;
    host.write_symbol("interval", &[INTERVAL])?;
    host.write_symbol("swap_rates", &swap_rates)?;
    host.write_symbol("volatility", &[VOLATILITY; MOST_RATES])?;
    let values = host.zeros::<f32>("values", paths)?;
    let slopes = host.zeros::<f32>("slopes", paths)?;
    let tolerance = Tolerance::Relative { relative: 1e-3, floor: 0.1 };
    let value = portfolio.value(&[f64::from(START_RATE); MOST_RATES]);
    host.launch("libor_value", [blocks, 1, 1], [THREADS, 1, 1], args![values, paths])?;
    host.check("values", values, &vec![value as f32; paths], tolerance)?;
    host.write(values, &vec![0.0; paths])?;
    host.launch("libor_slope", [blocks, 1, 1], [THREADS, 1, 1], args![values, slopes, paths])?;
    host.check("values", values, &vec![value as f32; paths], tolerance)?;
    host.check("slopes", slopes, &vec![portfolio.slope() as f32; paths], tolerance)
}

impl Portfolio {
    /// The value of the swaptions when the forward rates start like this.
    fn value(&self, start: &[f64; MOST_RATES]) -> f64 {
        let mut rate = start[..self.rates].to_vec();
        let (volatility, interval) = (f64::from(VOLATILITY), f64::from(INTERVAL));
        let step_volatility = volatility * interval;
        for step in 0..self.steps {
            let mut drift = 0.0;
            for rate in &mut rate[step + 1..] {
                drift += step_volatility * *rate / (1.0 + interval * *rate);
                let shock = interval.sqrt() * f64::from(SHOCK);
                *rate *= (step_volatility * drift + volatility * (shock - 0.5 * step_volatility)).exp();
            }
        }
        let (mut bond, mut annuity, mut value) = (1.0, 0.0, 0.0);
        for (years, rate) in rate[self.steps..].iter().enumerate() {
            bond /= 1.0 + interval * rate;
            annuity += interval * bond;
            for (option, _) in self.maturities.iter().enumerate().filter(|&(_, &m)| m == years + 1) {
                let swap = bond + f64::from(SWAP_RATES[option % 3]) * annuity - 1.0;
                value += 100.0 * (-swap).max(0.0);
            }
        }
        rate[..self.steps].iter().fold(value, |value, rate| value / (1.0 + interval * rate))
    }

    /// The derivative of the value by the last forward rate, by a central difference.
    fn slope(&self) -> f64 {
        let step = 1e-6;
        let shifted = |by: f64| {
            let mut start = [f64::from(START_RATE); MOST_RATES];
            start[self.rates - 1] += by;
            self.value(&start)
        };
        (shifted(step) - shifted(-step)) / (2.0 * step)
    }
}
