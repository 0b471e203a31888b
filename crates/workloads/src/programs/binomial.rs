//! Option prices by the binomial tree of Cox, Ross and Rubinstein.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "binomial",
    summary: "binomial option pricing",
    class: Class::Float,
    papers: &[(Paper::Latte, "BO")],
    is_cache_sensitive: false,
    buffers: &[approximable("prices", ElementType::F32), approximable("values", ElementType::F32)],
    input: None,
    data_sets: &[DataSet::new("uniform", "CUDA SDK: uniform prices, strikes and years").revised(2)],
    ptx: include_str!("../../kernels/binomial.ptx"),
    run,
};

const THREADS: u32 = 256;
/// Options that there is room for, however many there are.
const MOST_OPTIONS: usize = 1024;
const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.30;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let count = host.size(host.scale().pick(2, 128, 512), 1..=MOST_OPTIONS)?;
    // The sample has 2,048 steps; 512 options of them would be twelve billion thread instructions.
    let steps: usize = host.scale().pick(64, 128, 512);
    let mut rng = host.rng(1);
    let options: Vec<[f32; 3]> = (0..count)
        .map(|_| [rng.uniform(5.0, 30.0), rng.uniform(1.0, 100.0), rng.uniform(0.25, 10.0)])
        .collect();
    let trees: Vec<Tree> = options.iter().map(|&option| Tree::new(option, steps)).collect();
    let constants: Vec<f32> = trees
        .iter()
        .flat_map(|tree| [tree.stock, tree.strike, tree.drift, tree.up, tree.down].map(|value| value as f32))
        .collect();
    host.write_symbol("options", &constants)?;
    let prices = host.zeros::<f32>("prices", MOST_OPTIONS)?;
    let values = host.zeros::<f32>("values", MOST_OPTIONS * (steps + 16))?;
    host.launch("binomial", [count as u32, 1, 1], [THREADS, 1, 1], args![prices, values, steps])?;
    let expected: Vec<f32> = trees.iter().map(|tree| tree.price(steps)).collect();
    let got = host.download(prices)?;
    host.check_values("prices", &got[..count], &expected, Tolerance::Relative { relative: 1e-3, floor: 0.1 })
}

/// What the tree of an option needs: the size of a step, and the discounted chances of going up and down.
struct Tree {
    stock: f64,
    strike: f64,
    drift: f64,
    up: f64,
    down: f64,
}

impl Tree {
    fn new([stock, strike, years]: [f32; 3], steps: usize) -> Self {
        let dt = f64::from(years) / steps as f64;
        let (rate, drift) = (f64::from(RATE), f64::from(VOLATILITY) * dt.sqrt());
        let (up, down) = (drift.exp(), (-drift).exp());
        let chance = ((rate * dt).exp() - down) / (up - down);
        let discount = (-rate * dt).exp();
        let (stock, strike) = (f64::from(stock), f64::from(strike));
        Self { stock, strike, drift, up: chance * discount, down: (1.0 - chance) * discount }
    }

    fn price(&self, steps: usize) -> f32 {
        let mut value: Vec<f64> = (0..=steps)
            .map(|i| {
                let stock = self.stock * (self.drift * (2.0 * i as f64 - steps as f64)).exp();
                (stock - self.strike).max(0.0)
            })
            .collect();
        for last in (0..steps).rev() {
            for i in 0..=last {
                value[i] = self.up * value[i + 1] + self.down * value[i];
            }
        }
        value[0] as f32
    }
}
