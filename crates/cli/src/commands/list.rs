//! `shrinkwarp list`: everything that has a name, as tables or JSON; `list X NAME` shows one.

mod bench_data;
mod cases;
mod codecs;
mod configurations;
mod energy;
mod figures;
mod gpus;
mod schemes;
mod workloads;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// List what has a name: codecs, workloads, GPUs, schemes, energy sets, figures, calibration cases, data sets of bench
///
/// `shrinkwarp list WHAT NAME` shows everything about one.
#[derive(Args, Debug)]
pub struct List {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Codecs(codecs::Codecs),
    Workloads(workloads::Workloads),
    Gpus(gpus::Gpus),
    Schemes(schemes::Schemes),
    Energy(energy::Energy),
    Figures(figures::Figures),
    Cases(cases::Cases),
    BenchData(bench_data::BenchData),
}

impl List {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Codecs(codecs) => codecs.run(),
            What::Workloads(workloads) => workloads.run(),
            What::Gpus(gpus) => gpus.run(),
            What::Schemes(schemes) => schemes.run(),
            What::Energy(energy) => energy.run(),
            What::Figures(figures) => figures.run(),
            What::Cases(cases) => cases.run(),
            What::BenchData(sets) => sets.run(),
        }
    }
}
