//! `cargo bench -p shrinkwarp-codec [-- --codec a,b] [--dataset x,y] [--mib N]`: speed beside memcpy.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::process::ExitCode;

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::datasets::{DATASETS, FULL_MIB};
use shrinkwarp_codec::measure::{Floor, Measurement, Operation, geometric_mean, measure};
use shrinkwarp_codec::registry::{CodecSpec, ENTRIES};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}

struct Options {
    codecs: Vec<String>,
    datasets: Vec<String>,
    mib: usize,
}

fn run() -> Result<(), String> {
    let options = parse(std::env::args().skip(1))?;
    let specs = specs(&options.codecs)?;
    let mut measurements = Vec::new();
    for set in DATASETS {
        if !options.datasets.is_empty() && !options.datasets.iter().any(|name| name == set.name) {
            continue;
        }
        let data = set.bytes(options.mib);
        for spec in &specs {
            let measured = measure(spec, set.name, &data)
                .map_err(|error| format!("{} on {}: {error}", spec.text(), set.name))?;
            measurements.extend(measured);
        }
    }
    println!("fractions of memcpy, and GB/s, for each operation; floors where the library promises one");
    for spec in &specs {
        print_codec(&spec.text(), &measurements);
    }
    Ok(())
}

/// A line for each data set, and one for the geometric means beside the floors.
fn print_codec(codec: &str, measurements: &[Measurement]) {
    let of_codec = || measurements.iter().filter(|m| m.codec == codec);
    for set in DATASETS {
        let cells = of_codec().filter(|m| m.dataset == set.name);
        let cells = cells.map(|m| format!("{} {:.3} ({:.2})", m.operation.name(), m.of_memcpy, m.gb_per_s));
        let line = cells.collect::<Vec<_>>().join("  ");
        if !line.is_empty() {
            println!("{codec:<16} {:<13} {line}", set.name);
        }
    }
    let means = Operation::ALL.map(|operation| {
        let of_operation = || of_codec().filter(|m| m.operation == operation);
        let fraction = geometric_mean(of_operation().map(|m| m.of_memcpy));
        let speed = geometric_mean(of_operation().map(|m| m.gb_per_s));
        let floor =
            Floor::of(codec).map_or(String::new(), |floor| format!(" floor {}", floor.fraction(operation)));
        format!("{} {fraction:.3} ({speed:.2}){floor}", operation.name())
    });
    println!("{codec:<16} {:<13} {}", "mean", means.join("  "));
}

/// The codecs requested, or all.
fn specs(names: &[String]) -> Result<Vec<CodecSpec>, String> {
    let all = ENTRIES.iter().map(|entry| entry.name.to_owned()).collect();
    let names = if names.is_empty() { all } else { names.to_vec() };
    let parse = |name: &String| CodecSpec::parse(name, BlockBytes::B128).map_err(|error| error.to_string());
    names.iter().map(parse).collect()
}

fn parse(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { codecs: Vec::new(), datasets: Vec::new(), mib: FULL_MIB };
    // Cargo itself passes --bench.
    let mut arguments = arguments.filter(|argument| argument != "--bench");
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or(format!("{flag} needs a value"))?;
        let list = || value.split(',').map(str::to_owned).collect();
        match flag.as_str() {
            "--codec" => options.codecs = list(),
            "--dataset" => options.datasets = list(),
            "--mib" => {
                options.mib = value.parse().map_err(|_| format!("--mib: {value:?} is not a number"))?;
            }
            _ => return Err(format!("unknown option {flag} (known: --codec, --dataset, --mib)")),
        }
    }
    Ok(options)
}
