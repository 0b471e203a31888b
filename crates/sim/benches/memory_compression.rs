//! What a codec in the memory controllers costs the simulation: processor time of a run with it, divided by that of the
//! run without it.
//!
//! `cargo bench -p shrinkwarp-sim --bench memory_compression`, with names of reference cases to run only those.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark")]

use std::sync::{Arc, Mutex};

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::measure::thread_cpu_seconds;
use shrinkwarp_codec::registry;
use shrinkwarp_sim::calibrate::case_named;
use shrinkwarp_sim::config;
use shrinkwarp_sim::config::scheme::load_scheme;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::run::RunOptions;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_sim::tap::DramTap;
use shrinkwarp_sim::{Block, Packet};

const CODECS: [&str; 5] = ["bdi", "fpc", "dsm", "bpc", "e2mc16:ways=4"];

/// Cases whose speed memory decides.
const CASES: [&str; 5] = ["vecadd", "strided_copy", "bfs_level", "transpose_conflict", "gather_dram"];

/// Each run is repeated so often; the fastest counts.
const REPETITIONS: usize = 5;

/// Collects the blocks that cross the link.
#[derive(Debug)]
struct TapSample(Arc<Mutex<Vec<u8>>>);

impl DramTap for TapSample {
    fn transfer(&mut self, _: &Packet, block: &Block) {
        self.0.lock().unwrap().extend_from_slice(&**block);
    }
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    print!("case                 none, ms");
    for codec in CODECS {
        print!("{codec:>15}");
    }
    println!("   (processor time, x that of none)");
    for case in CASES.iter().filter(|case| wanted.is_empty() || wanted.iter().any(|name| name == *case)) {
        let sample = Arc::new(Mutex::new(Vec::new()));
        run(case, Scheme::none(), Some(Box::new(TapSample(sample.clone()))));
        let sample = sample.lock().unwrap();
        let none = fastest(case, &Scheme::none());
        print!("{case:20} {:8.1}", none * 1e3);
        for codec in CODECS {
            print!("{:15.2}", fastest(case, &scheme(codec, &sample)) / none);
        }
        println!();
    }
}

fn scheme(codec: &str, sample: &[u8]) -> Scheme {
    let spec = load_scheme("none", &[format!("memory.codec={codec}")]).unwrap();
    let train =
        |codec: String| (codec.clone(), registry::build(&codec, BlockBytes::B128, sample).unwrap().tables());
    let tables: Tables = spec.profiled_codecs().into_iter().map(train).collect();
    Scheme::build(spec, &tables, false).unwrap()
}

fn fastest(case: &str, scheme: &Scheme) -> f64 {
    (0..REPETITIONS).map(|_| run(case, scheme.clone(), None)).fold(f64::MAX, f64::min)
}

/// Processor seconds of a reference case, copies of its inputs included.
fn run(case: &str, scheme: Scheme, tap: Option<Box<dyn DramTap>>) -> f64 {
    let case = case_named(case).unwrap();
    let start = thread_cpu_seconds();
    let mut gpu = Gpu::with_scheme(config::load("e2mc-gtx580", &[]).unwrap(), scheme);
    gpu.set_tap(tap);
    let prepared = case.prepare(&mut gpu).unwrap();
    gpu.launch_watched(&prepared.kernel, &prepared.launch, &mut RunOptions::default()).unwrap();
    thread_cpu_seconds() - start
}
