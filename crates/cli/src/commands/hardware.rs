//! `shrinkwarp hardware`: what a system costs in silicon, from the published figures of its parts.
//!
//! Adding a system is its file, a `mod` line, a variant and an arm.

mod e2mc;
mod latte;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Reckon what a system costs in hardware: units, area, power, state
#[derive(Args, Debug)]
pub struct Hardware {
    #[command(subcommand)]
    system: System,
}

#[derive(Subcommand, Debug)]
enum System {
    E2mc(e2mc::E2mc),
    Latte(latte::Latte),
}

impl Hardware {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.system {
            System::E2mc(e2mc) => e2mc.run(),
            System::Latte(latte) => latte.run(),
        }
    }
}
