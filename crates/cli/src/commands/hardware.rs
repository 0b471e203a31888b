//! `shrinkwarp hardware`: what a system costs in silicon, from the published figures of its parts.

use clap::{Args, Subcommand};
use serde::Serialize;
use shrinkwarp_lab::hardware::{e2mc, latte};

use crate::arguments::SchemeArgs;
use crate::failure::Failure;
use crate::files;

/// Estimate what a system costs in hardware: units, area, power, storage
#[derive(Args, Debug)]
pub struct Hardware {
    #[command(subcommand)]
    system: System,
}

#[derive(Subcommand, Debug)]
enum System {
    /// Compressors and decompressors of E2MC for a memory bandwidth, with their area and power
    ///
    /// Computed from the paper's area and power of one unit, for each symbol length; below each row are the paper's own
    /// numbers for a GTX 580.
    E2mc {
        /// Memory bandwidth of the GPU
        #[arg(long, value_name = "GB/S", default_value_t = e2mc::PUBLISHED_GB_PER_SECOND, value_parser = bandwidth)]
        gb_per_second: f64,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Storage that LATTE-CC adds to the L1 of each SM, and the tables of SC
    ///
    /// Derived from the GPU's L1 and the scheme's `[l1]` section, next to the paper's own numbers.
    #[command(mut_arg("gpu", |arg| arg.default_value("latte-fermi")))]
    #[command(mut_arg("scheme", |arg| arg.default_value("latte")))]
    Latte {
        #[command(flatten)]
        machine: SchemeArgs,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
}

impl Hardware {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.system {
            System::E2mc { gb_per_second, json } => {
                let estimate = e2mc::Estimate::of(*gb_per_second);
                print(&estimate, e2mc::Estimate::text, *json)
            }
            System::Latte { machine, json } => {
                let estimate = latte::Estimate::of(&machine.gpu()?, &machine.spec()?);
                print(&estimate, latte::Estimate::text, *json)
            }
        }
    }
}

fn print<T: Serialize>(estimate: &T, text: fn(&T) -> String, as_json: bool) -> Result<(), Failure> {
    if !as_json {
        return files::print(&text(estimate));
    }
    let value = serde_json::to_value(estimate).map_err(|error| Failure::Work(error.to_string()))?;
    files::print(&format!("{value:#}\n"))
}

fn bandwidth(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(gb_per_second) if gb_per_second > 0.0 && gb_per_second <= 1e6 => Ok(gb_per_second),
        _ => Err("expected a bandwidth in GB/s, above 0 and at most 1000000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bandwidth_that_is_none_is_refused() {
        for text in ["0", "-1", "fast", "inf", "NaN"] {
            assert!(bandwidth(text).is_err(), "{text}");
        }
    }
}
