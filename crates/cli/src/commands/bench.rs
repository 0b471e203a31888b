//! `shrinkwarp bench`: the numbers of `cargo bench -p shrinkwarp-codec`, on the user's machine.

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_analyze::speed;
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::datasets::{DATASETS, FULL_MIB};
use shrinkwarp_codec::measure::{Measurement, measure};
use shrinkwarp_codec::registry::{CodecSpec, ENTRIES};
use shrinkwarp_report::suggestion::suggestion;

use crate::arguments::parse_codec;
use crate::failure::Failure;
use crate::files;

/// Measure the speed of the codecs on this machine, compared with memcpy
///
/// One core; size only, compress and decompress; six generated data sets.
#[derive(Args, Debug)]
pub struct Bench {
    /// Codecs to measure, separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_name = "CODEC")]
    codec: Vec<String>,
    /// Data sets to measure on, separated by commas (see `shrinkwarp list bench-data`) [default: all]
    #[arg(long, alias = "dataset", value_delimiter = ',', value_name = "NAME")]
    data: Vec<String>,
    /// Length of each data set, in MiB
    #[arg(long, default_value_t = FULL_MIB as u32, value_parser = clap::value_parser!(u32).range(1..=4096))]
    mib: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Bench {
    pub fn run(&self) -> Result<(), Failure> {
        let specs = self.specs()?;
        self.check_datasets()?;
        let mut measurements = Vec::new();
        for set in DATASETS {
            if !self.data.is_empty() && !self.data.iter().any(|name| name == set.name) {
                continue;
            }
            let data = set.bytes(self.mib as usize);
            for spec in &specs {
                let measured = measure(spec, set.name, &data).map_err(|error| {
                    Failure::Work(format!("codec {} on data set {}: {error}", spec.text(), set.name))
                })?;
                measurements.extend(measured);
            }
        }
        measurements.sort_by_key(|m| specs.iter().position(|spec| spec.text() == m.codec));
        files::print(&if self.json { to_json(&measurements) } else { speed::table(&measurements) })
    }

    fn specs(&self) -> Result<Vec<CodecSpec>, Failure> {
        let all: Vec<String> = ENTRIES.iter().map(|entry| entry.name.to_owned()).collect();
        let names = if self.codec.is_empty() { &all } else { &self.codec };
        names.iter().map(|name| parse_codec(name, BlockBytes::B128)).collect()
    }

    fn check_datasets(&self) -> Result<(), Failure> {
        let known: Vec<&str> = DATASETS.iter().map(|set| set.name).collect();
        match self.data.iter().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(Failure::Usage(format!(
                "--data: unknown data set {name:?}; {}",
                suggestion(name, &known)
            ))),
        }
    }
}

fn to_json(measurements: &[Measurement]) -> String {
    let rows: Vec<Value> = measurements
        .iter()
        .map(|m| {
            json!({
                "codec": m.codec,
                "operation": m.operation.name(),
                "dataset": m.dataset,
                "gb_per_s": m.gb_per_s,
                "of_memcpy": m.of_memcpy,
                "ratio": m.ratio,
            })
        })
        .collect();
    format!("{:#}\n", Value::Array(rows))
}
