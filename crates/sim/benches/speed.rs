//! How fast the machine simulates: thread instructions per processor second, over all reference cases, over the
//! compute-bound ones and over the scattered ones, beside the reference simulator's processor seconds.
//!
//! `cargo bench -p shrinkwarp-sim --bench speed` runs all cases; `… -- vecadd reduce` some of them; `… -- --once` each
//! case once, as an instruction count wants it. `… -- --against BINARY` also runs another build of this benchmark, case by
//! case in turn with this one, and prints how many times faster this one is.
//!
//! `… -- --gpu v100` runs the cases on the Volta machine, `… -- --gpus` on both GPUs in turn and prints how they compare.
//!
//! `… -- --counters` prints all counters of each case and of some workloads under some schemes instead: two builds that are
//! meant to simulate the same print the same. With names it prints those of these workloads only; `all` names all.
//!
//! `… -- --threads 2 --scale small sgemm mri-q` prints how many times faster several threads are than one on workloads, each way
//! as often as there are repetitions, in turn.
//!
//! Without names of cases it goes on with what compression costs, what launches cost and what threads gain.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use shrinkwarp_codec::measure::thread_cpu_seconds;
use shrinkwarp_codec::{BlockBytes, registry};
use shrinkwarp_sim::calibrate::{Case, CaseResult, Machine, cases, run_case};
use shrinkwarp_sim::config::scheme::SCHEMES;
use shrinkwarp_sim::config::{load, load_scheme};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::run::RunOptions;
use shrinkwarp_sim::scheme::{Scheme, Tables};
use shrinkwarp_sim::tap::DramTap;
use shrinkwarp_sim::threads::Threads;
use shrinkwarp_sim::{Block, Packet};
use shrinkwarp_workloads::{Scale, Setup, WORKLOADS, find};

/// Cases whose speed the execution of instructions decides.
const COMPUTE_BOUND: [&str; 6] =
    ["fma_chain", "fma_wide", "matmul_naive", "matmul_tiled", "diverge", "reduce"];

/// Cases whose warps each touch many lines.
const SCATTERED: [&str; 3] = ["gather_dram", "pointer_chase", "bfs_level"];

/// Each case runs this often; the fastest counts.
const REPETITIONS: usize = 3;

/// Turns of a scheme and of no compression; the fastest of each counts.
const ROUNDS_OF_SCHEMES: usize = 5;

/// Workloads that compression is measured on: streams, reuse, scattered accesses, arithmetic.
const COMPRESSED: [&str; 8] =
    ["bfs", "kmeans", "matmul", "scalar-prod", "spmv", "srad", "stencil", "transpose"];

/// A workload of many short launches, one of several, and two of one long kernel.
const LAUNCHED: [&str; 4] = ["gaussian", "bfs", "mri-q", "spmv"];

/// A workload of more than 20 million thread instructions at the small scale.
const LARGE: &str = "sgemm";

/// Numbers of threads that are compared with one.
const THREADS: [usize; 3] = [2, 4, 8];

/// Schemes whose counters are printed: no compression, and at least one with a codec at each point.
const COUNTED_SCHEMES: [&str; 7] =
    ["none", "latte", "dsm", "bpc-memory", "bpc-everywhere", "bpc-link-packed", "hmc-link"];

/// GPUs whose cases are timed and whose counters are printed.
const GPUS: [&str; 2] = ["gtx480", "v100"];

/// What the command line asks for.
struct Options {
    /// Names of cases; all if empty.
    wanted: Vec<String>,
    repetitions: usize,
    /// Another build of this benchmark.
    against: Option<String>,
    prints_counters: bool,
    compares_gpus: bool,
    /// Threads that are compared with one.
    threads: Option<usize>,
    scale: Scale,
    machine: Machine,
}

/// A case in both builds.
struct Row {
    result: CaseResult,
    seconds_before: Option<f64>,
}

fn main() {
    let options = Options::read(std::env::args().skip(1));
    if options.prints_counters {
        if options.wanted.is_empty() {
            print_case_counters();
        }
        print_workload_counters(&options.wanted);
        return;
    }
    if options.compares_gpus {
        print_gpus(&options);
        return;
    }
    if let Some(threads) = options.threads {
        print_gain(threads, &options);
        return;
    }
    let mut rows = Vec::new();
    println!("case                 Minstr   cycles  cpu ms  M instr/s  us/cycle  x reference  x before");
    for case in options.cases() {
        let result = fastest(&case, options.machine, options.repetitions);
        let other = options.against.as_deref();
        let seconds_before = other.and_then(|binary| seconds_of(binary, case.name, options.machine));
        let row = Row { result, seconds_before };
        print_row(&row);
        rows.push(row);
    }
    print_total("all cases", &rows, |_| true);
    print_total("compute-bound", &rows, |name| COMPUTE_BOUND.contains(&name));
    print_total("scattered", &rows, |name| SCATTERED.contains(&name));
    if options.wanted.is_empty() {
        print_gpus(&options);
        print_schemes(options.repetitions);
        print_launches(options.repetitions);
        print_threads(options.repetitions);
    }
}

/// All counters of the cases, one line for each run.
fn print_case_counters() {
    for machine in [Machine::Hashed, Machine::Volta] {
        let spec = machine.spec(&[]).expect("the preset is part of the program");
        for case in cases() {
            let mut gpu = Gpu::new(spec.clone());
            let prepared = case.prepare(&mut gpu).expect("the inputs fit");
            let mut options = RunOptions::default();
            let report = gpu.launch_watched(&prepared.kernel, &prepared.launch, &mut options);
            println!("{machine:?} {} {:?}", case.name, report.expect("a reference case runs").counters);
        }
    }
}

/// The same of the workloads with these names; of some if there is none.
fn print_workload_counters(wanted: &[String]) {
    let usual = COMPRESSED.iter().chain(&LAUNCHED).copied();
    let names: Vec<&str> = if wanted.is_empty() {
        usual.collect()
    } else {
        let is_wanted = |name: &str| wanted.iter().any(|wanted| wanted == name || wanted == "all");
        WORKLOADS.iter().map(|workload| workload.name).filter(|name| is_wanted(name)).collect()
    };
    for gpu_name in GPUS {
        for scheme_name in COUNTED_SCHEMES {
            let spec = load_scheme(scheme_name, &[]).expect("a preset");
            let scheme = Scheme::build(spec, &Tables::new(), false).expect("it needs no tables");
            for &name in &names {
                let mut gpu = Gpu::with_scheme(load(gpu_name, &[]).expect("a preset"), scheme.clone());
                let workload = find(name).expect("a workload of the suite");
                let outcome = workload.execute_with(&mut gpu, Setup::usual(Scale::Tiny, 1));
                let outcome = outcome.map(|outcome| outcome.launches).map_err(|error| error.to_string());
                println!("{gpu_name} {scheme_name} {name} {outcome:?} {:?}", gpu.machine_counters());
            }
        }
    }
}

/// Each case on both GPUs in turn: a thread instruction costs the host more on a machine of more parts.
fn print_gpus(options: &Options) {
    println!("\ncase               gtx480 M instr/s   v100 M instr/s   v100 / gtx480");
    let rows: Vec<_> = options
        .cases()
        .map(|case| {
            let results =
                [Machine::Hashed, Machine::Volta].map(|machine| fastest(&case, machine, options.repetitions));
            print_comparison(case.name, &[&results]);
            (case.name, results)
        })
        .collect();
    let group = |names: &[&str]| {
        let members = rows.iter().filter(|(name, _)| names.is_empty() || names.contains(name));
        members.map(|(_, results)| results).collect::<Vec<_>>()
    };
    for (title, names) in
        [("all", &[][..]), ("compute-bound", COMPUTE_BOUND.as_slice()), ("scattered", SCATTERED.as_slice())]
    {
        let members = group(names);
        if !members.is_empty() {
            print_comparison(title, &members);
        }
    }
}

/// The speeds of some cases together on two machines, and their ratio.
fn print_comparison(title: &str, results: &[&[CaseResult; 2]]) {
    let [fermi, volta] = [0, 1].map(|machine| {
        let instructions: u64 = results.iter().map(|result| result[machine].thread_instructions).sum();
        let seconds: f64 = results.iter().map(|result| result[machine].cpu_seconds).sum();
        instructions as f64 / 1e6 / seconds
    });
    println!("{title:18} {fermi:16.1} {volta:16.1} {:15.2}", volta / fermi);
}

/// One workload on one machine.
struct WorkloadTime {
    cpu_seconds: f64,
    wall_seconds: f64,
    cycles: u64,
    thread_instructions: u64,
    launches: u64,
}

/// The fastest of some runs of a workload.
fn time_workload(
    name: &str,
    scale: Scale,
    scheme: &Scheme,
    threads: usize,
    repetitions: usize,
) -> WorkloadTime {
    let workload = find(name).expect("a workload of the suite");
    let run = || {
        let mut gpu = Gpu::with_scheme(load("gtx480", &[]).expect("a preset"), scheme.clone());
        gpu.set_threads(Threads::new(threads));
        let (cpu, wall) = (thread_cpu_seconds(), Instant::now());
        let outcome = workload.execute_with(&mut gpu, Setup::usual(scale, 1)).expect("the workload runs");
        WorkloadTime {
            cpu_seconds: thread_cpu_seconds() - cpu,
            wall_seconds: wall.elapsed().as_secs_f64(),
            cycles: gpu.machine_counters().core_cycles,
            thread_instructions: gpu.machine_counters().sm.thread_instructions,
            launches: outcome.launches,
        }
    };
    let runs = (0..repetitions).map(|_| run());
    runs.min_by(|a, b| a.wall_seconds.total_cmp(&b.wall_seconds)).expect("at least one repetition")
}

/// Processor time per simulated cycle of every scheme, as a ratio to that of no compression. The scheme and `none` take turns,
/// so that a machine that changes its speed does so for both.
fn print_schemes(repetitions: usize) {
    println!("\nscheme                      x time of none per cycle (geometric mean, worst)");
    let samples: Vec<Vec<u8>> = COMPRESSED.iter().map(|name| traffic_of(name)).collect();
    for preset in SCHEMES {
        let ratio = |(name, sample): (&&str, &Vec<u8>)| {
            let scheme = trained(preset.name, sample);
            let rounds = (0..repetitions.max(ROUNDS_OF_SCHEMES)).map(|_| {
                let both = [&Scheme::none(), &scheme];
                both.map(|scheme| {
                    let time = time_workload(name, Scale::Tiny, scheme, 1, 1);
                    time.cpu_seconds / time.cycles as f64
                })
            });
            let [none, with] = rounds.fold([f64::MAX; 2], |[a, b], [c, d]| [a.min(c), b.min(d)]);
            with / none
        };
        let ratios: Vec<f64> = COMPRESSED.iter().zip(&samples).map(ratio).collect();
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("{:26} {mean:6.2} {:6.2}", preset.name, ratios.iter().copied().fold(0.0, f64::max));
    }
}

/// Collects the blocks that cross the DRAM link.
#[derive(Debug)]
struct TapSample(Arc<Mutex<Vec<u8>>>);

impl DramTap for TapSample {
    fn transfer(&mut self, _: &Packet, block: &Block) {
        self.0.lock().expect("no thread fails with it").extend_from_slice(&**block);
    }
}

/// The blocks that a workload moves, from which codecs are trained.
fn traffic_of(name: &str) -> Vec<u8> {
    let sample = Arc::new(Mutex::new(Vec::new()));
    let mut gpu = Gpu::with_scheme(load("gtx480", &[]).expect("a preset"), Scheme::none());
    gpu.set_tap(Some(Box::new(TapSample(Arc::clone(&sample)))));
    let workload = find(name).expect("a workload of the suite");
    workload.execute_with(&mut gpu, Setup::usual(Scale::Tiny, 1)).expect("the workload runs");
    std::mem::take(&mut *sample.lock().expect("no thread fails with it"))
}

/// A scheme whose codecs are trained on a sample.
fn trained(scheme: &str, sample: &[u8]) -> Scheme {
    let spec = load_scheme(scheme, &[]).expect("a preset");
    let table = |codec: String| {
        let trained = registry::build(&codec, BlockBytes::B128, sample).expect("a codec of the registry");
        (codec, trained.tables())
    };
    let tables: Tables = spec.profiled_codecs().into_iter().map(table).collect();
    Scheme::build(spec, &tables, false).expect("it has its tables")
}

/// What a simulated cycle costs in programs of short and of long launches.
fn print_launches(repetitions: usize) {
    println!("\nworkload              launches   cycles  us/launch  us/cycle");
    for name in LAUNCHED {
        let time = time_workload(name, Scale::Tiny, &Scheme::none(), 1, repetitions);
        println!(
            "{name:20} {:9} {:8} {:10.1} {:9.2}",
            time.launches,
            time.cycles,
            time.cpu_seconds * 1e6 / time.launches as f64,
            time.cpu_seconds * 1e6 / time.cycles as f64,
        );
    }
}

/// How much sooner several threads are done than one, by the clock on the wall.
fn print_threads(repetitions: usize) {
    let time = |threads, name, scale| time_workload(name, scale, &Scheme::none(), threads, repetitions);
    println!("\nthreads              x one thread, {LARGE} small and bfs tiny");
    let alone = [(LARGE, Scale::Small), ("bfs", Scale::Tiny)]
        .map(|(name, scale)| (name, scale, time(1, name, scale)));
    for threads in THREADS {
        let ratios = alone
            .iter()
            .map(|(name, scale, alone)| alone.wall_seconds / time(threads, name, *scale).wall_seconds);
        let ratios: Vec<String> = ratios.map(|ratio| format!("{ratio:6.2}")).collect();
        println!("{threads:7}              {}", ratios.join(" "));
    }
}

/// What several threads gain on the workloads that are named.
fn print_gain(threads: usize, options: &Options) {
    println!("workload                 Minstr    cycles   one thread s  {threads} threads s  x one thread");
    for name in &options.wanted {
        let mut seconds = [Vec::new(), Vec::new()];
        let (mut cycles, mut instructions) = (0, 0);
        for pair in 0..options.repetitions {
            // Which way comes first takes turns, too.
            for way in [pair % 2, 1 - pair % 2] {
                let time = time_workload(name, options.scale, &Scheme::none(), [1, threads][way], 1);
                seconds[way].push(time.wall_seconds);
                (cycles, instructions) = (time.cycles, time.thread_instructions);
            }
        }
        let list =
            |values: &[f64]| values.iter().map(|value| format!("{value:.3}")).collect::<Vec<_>>().join(" ");
        let ratios: Vec<f64> =
            seconds[0].iter().zip(&seconds[1]).map(|(one, several)| one / several).collect();
        let [one, several, ratios] = [&seconds[0], &seconds[1], &ratios].map(|values| list(values));
        println!("{name:20} {:10.1} {cycles:9}   {one}   {several}   {ratios}", instructions as f64 / 1e6);
    }
}

impl Options {
    /// The cases that are asked for.
    fn cases(&self) -> impl Iterator<Item = Case> {
        let is_wanted =
            |name: &str| self.wanted.is_empty() || self.wanted.iter().any(|wanted| wanted == name);
        cases().into_iter().filter(move |case| is_wanted(case.name))
    }

    /// Other flags are the test harness's own and mean nothing here.
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self {
            wanted: Vec::new(),
            repetitions: REPETITIONS,
            against: None,
            prints_counters: false,
            compares_gpus: false,
            threads: None,
            scale: Scale::Small,
            machine: Machine::Hashed,
        };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--once" => options.repetitions = 1,
                "--counters" => options.prints_counters = true,
                "--against" => options.against = arguments.next(),
                "--gpus" => options.compares_gpus = true,
                "--pairs" => options.repetitions = number_of(arguments.next()),
                "--threads" => options.threads = Some(number_of(arguments.next())),
                "--scale" => options.scale = scale_of(arguments.next().as_deref()),
                "--gpu" => options.machine = machine_of(arguments.next().as_deref()),
                flag if flag.starts_with('-') => {}
                name => options.wanted.push(name.to_owned()),
            }
        }
        options
    }
}

fn number_of(argument: Option<String>) -> usize {
    argument.and_then(|argument| argument.parse().ok()).expect("a number behind the option")
}

fn scale_of(argument: Option<&str>) -> Scale {
    match argument {
        Some("tiny") => Scale::Tiny,
        Some("paper") => Scale::Paper,
        _ => Scale::Small,
    }
}

/// The machine of a GPU's name: the first that the reference measured on it.
fn machine_of(gpu: Option<&str>) -> Machine {
    *Machine::of_gpu(gpu.unwrap_or_default()).first().expect("the reference measured gtx480 and v100")
}

fn fastest(case: &Case, machine: Machine, repetitions: usize) -> CaseResult {
    let spec = machine.spec(&[]).expect("the preset is part of the program");
    let run = || run_case(case, machine, &spec, &thread_cpu_seconds).expect("a reference case runs");
    let runs = (0..repetitions).map(|_| run());
    runs.min_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds)).expect("at least one repetition")
}

/// What the other build needs for a case; `None` if it prints no such row.
fn seconds_of(binary: &str, case: &str, machine: Machine) -> Option<f64> {
    let gpu = GPUS.into_iter().find(|name| Machine::of_gpu(name).contains(&machine))?;
    let output = Command::new(binary).args([case, "--gpu", gpu]).output().expect("the other build runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = text.lines().find(|line| line.split_whitespace().next() == Some(case))?;
    let milliseconds: f64 = row.split_whitespace().nth(3)?.parse().ok()?;
    Some(milliseconds / 1e3)
}

fn print_row(row: &Row) {
    let result = &row.result;
    println!(
        "{:18} {:8.2} {:8} {:7.1} {:10.1} {:9.2} {:12.0} {:>9}",
        result.case,
        result.thread_instructions as f64 / 1e6,
        result.cycles,
        result.cpu_seconds * 1e3,
        result.thread_instructions as f64 / 1e6 / result.cpu_seconds,
        result.cpu_seconds * 1e6 / result.cycles as f64,
        result.speed_ratio(),
        row.seconds_before.map(|before| format!("{:.2}", before / result.cpu_seconds)).unwrap_or_default(),
    );
}

fn print_total(name: &str, rows: &[Row], is_meant: impl Fn(&str) -> bool) {
    let rows = || rows.iter().filter(|row| is_meant(row.result.case));
    let instructions: u64 = rows().map(|row| row.result.thread_instructions).sum();
    let seconds: f64 = rows().map(|row| row.result.cpu_seconds).sum();
    if seconds == 0.0 {
        return;
    }
    let reference: f64 = rows().map(|row| row.result.reference_cpu_seconds).sum();
    let before: Option<f64> = rows().map(|row| row.seconds_before).sum();
    println!(
        "{name}: {:.1} M thread instructions per processor second, {:.0} x reference{}",
        instructions as f64 / 1e6 / seconds,
        reference / seconds,
        before.map(|before| format!(", {:.2} x before", before / seconds)).unwrap_or_default(),
    );
}
