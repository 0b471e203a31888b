//! Does a program that copies a workload's kernels get the workload's numbers in an experiment, and is it a run like any
//! other: kept, found again, profiled, judged, failed?
#![expect(clippy::unwrap_used, reason = "tests")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use shrinkwarp_cudart::fat_binary::{Packing, Ptx, write};
use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::kernel::Kernel;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_lab::batch::{Options, run_all};
use shrinkwarp_lab::compare::Question;
use shrinkwarp_lab::program::ProgramSpec;
use shrinkwarp_lab::run::{Record, RunSpec, SubjectSpec};
use shrinkwarp_lab::store::{Store, StoreLocation};
use shrinkwarp_workloads::{Scale, Setup};

/// A device that writes down what the host does to it.
#[derive(Default)]
struct Recorder {
    device: Functional,
    trace: Vec<u8>,
    allocations: Vec<(u64, u64)>,
}

impl Recorder {
    fn put(&mut self, numbers: &[u64]) {
        self.trace.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        self.put(&[bytes.len() as u64]);
        self.trace.extend_from_slice(bytes);
    }
}

impl Device for Recorder {
    fn device_memory(&mut self) -> &mut Memory {
        self.device.device_memory()
    }

    fn note_allocation(&mut self, address: u64, bytes: u64) {
        self.allocations.push((address, bytes));
        self.trace.push(b'A');
        self.put(&[address, bytes]);
    }

    fn note_host_write(&mut self, address: u64, bytes: u64) {
        // Variables of the module are written when it is loaded.
        if !self.allocations.iter().any(|(start, length)| (*start..start + length).contains(&address)) {
            return;
        }
        let mut content = vec![0; bytes as usize];
        self.device.copy_out(address, &mut content).unwrap();
        self.trace.push(b'W');
        self.put(&[address]);
        self.put_bytes(&content);
    }

    fn launch(&mut self, kernel: &Arc<Kernel>, launch: &Launch) -> Result<LaunchReport, DeviceError> {
        self.trace.push(b'L');
        self.put_bytes(kernel.name.as_bytes());
        self.put(
            &[launch.grid, launch.block].concat().iter().map(|&extent| u64::from(extent)).collect::<Vec<_>>(),
        );
        self.put(&[u64::from(launch.dynamic_shared_bytes), kernel.parameters.len() as u64]);
        for parameter in &kernel.parameters {
            let value = &launch.parameters[parameter.offset as usize..][..parameter.bytes as usize];
            self.put_bytes(value);
        }
        self.device.launch(kernel, launch)
    }
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The program that replays traces, compiled once.
fn replay() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let tests = std::env::current_exe().unwrap();
        let library = tests.parent().unwrap().join("libshrinkwarp_cudart.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/replay.c");
        let program = folder().join("cudart-replay");
        let status = Command::new("cc").arg(source).arg(library).arg("-o").arg(&program).status().unwrap();
        assert!(status.success());
        program
    })
}

/// A program that copies a tiny workload.
fn copy_of(name: &str) -> ProgramSpec {
    // Tests run side by side: each reads files of its own.
    static COPIES: AtomicUsize = AtomicUsize::new(0);
    let workload = shrinkwarp_workloads::find(name).unwrap();
    let mut recorder = Recorder::default();
    workload.execute_with(&mut recorder, Setup::usual(Scale::Tiny, 1)).unwrap();
    let nth = COPIES.fetch_add(1, Ordering::Relaxed);
    let [binary, trace] = ["fatbin", "trace"].map(|end| folder().join(format!("copy-{nth}-of-{name}.{end}")));
    let ptx = Ptx::new(70, workload.ptx.to_owned());
    std::fs::write(&binary, write(&[ptx], Packing::Zstd).unwrap()).unwrap();
    std::fs::write(&trace, recorder.trace).unwrap();
    let command = [replay(), &binary, &trace].map(OsString::from).to_vec();
    ProgramSpec { command, input_files: vec![binary, trace], ..ProgramSpec::default() }
}

fn run(store: &mut Store, subjects: Vec<SubjectSpec>, schemes: &[&str]) -> (Vec<Record>, usize) {
    let base = RunSpec::new("", Scale::Tiny);
    let schemes = schemes.iter().map(|&scheme| scheme.to_owned()).collect();
    let runs = Question { base, subjects, schemes }.runs().unwrap();
    let tally = run_all(store, &runs, &Options::default(), &mut |_, _| {}).unwrap();
    let record = |run: &shrinkwarp_lab::run::Run| store.get(&run.identity().unwrap()).unwrap().unwrap();
    (runs.iter().map(record).collect(), tally.known)
}

fn memory() -> Store {
    Store::open(&StoreLocation::Memory).unwrap()
}

fn shell(script: &str) -> ProgramSpec {
    ProgramSpec { command: ["sh", "-c", script].map(OsString::from).to_vec(), ..ProgramSpec::default() }
}

#[test]
fn a_program_that_copies_a_workload_has_its_numbers_under_every_kind_of_scheme() {
    const SCHEMES: [&str; 7] = ["none", "bdi-memory", "e2mc16", "latte", "dsm", "bpc-link-packed", "bdi-l2"];
    for name in ["transpose", "histogram"] {
        let mut store = memory();
        let subjects = vec![name.into(), copy_of(name).into()];
        let (records, _) = run(&mut store, subjects, &SCHEMES);
        let (workload, program) = records.split_at(SCHEMES.len());
        for (one, other) in workload.iter().zip(program) {
            let [one, other] =
                [one, other].map(|record| record.result().unwrap_or_else(|| panic!("{record:?}")));
            assert_eq!(one.cycles, other.cycles, "{name}");
            assert_eq!(one, other, "{name}");
        }
    }
}

#[test]
fn a_program_is_kept_with_its_output_and_found_again_until_something_of_it_changes() {
    let mut store = memory();
    let program = copy_of("transpose");
    let known =
        |store: &mut Store, program: &ProgramSpec| run(store, vec![program.clone().into()], &["none"]).1;
    let (records, _) = run(&mut store, vec![program.clone().into()], &["none"]);
    assert_eq!(records[0].output.as_deref(), Some("8 kernels\n"));
    assert!(records[0].workload.starts_with("cudart-replay "), "{}", records[0].workload);
    assert_eq!(known(&mut store, &program), 1);
    let changed = [
        ProgramSpec { env: vec!["SEED=2".into()], ..program.clone() },
        ProgramSpec { command: [&program.command[..], &["out.bin".into()]].concat(), ..program.clone() },
        ProgramSpec { input_files: vec![program.input_files[0].clone()], ..program.clone() },
        ProgramSpec { check: Some("true".into()), ..program.clone() },
    ];
    for other in changed {
        assert_eq!(known(&mut store, &other), 0, "{other:?}");
    }
    assert_eq!(known(&mut store, &program), 1);
}

#[test]
fn a_program_that_fails_is_a_failed_run_and_the_others_go_on() {
    let mut store = memory();
    let subjects = vec![
        shell("echo sorry; exit 7").into(),
        shell("kill -SEGV $$").into(),
        ProgramSpec { timeout_s: Some(1), ..shell("sleep 60") }.into(),
        shell("true").into(),
        ProgramSpec { check: Some("cat stdout.txt; false".into()), ..copy_of("transpose") }.into(),
        copy_of("transpose").into(),
    ];
    let (records, _) = run(&mut store, subjects, &["none"]);
    let parts = [
        "exit code 7; its output ends with\n  sorry",
        "signal 11 ended the program",
        "did not end within 1 s",
        "nvcc links the runtime statically unless it is given -cudart shared",
        "says no",
    ];
    for (record, part) in records.iter().zip(parts) {
        let error = record.error().unwrap();
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(records[4].error().unwrap().ends_with("  8 kernels"), "{records:?}");
    assert!(records[5].result().is_some());
}

#[test]
fn an_approximated_program_has_its_error_against_the_exact_one() {
    let mut program = copy_of("transpose");
    program.command.push("out.bin".into());
    program.approximable = vec!["0:f32:16".into()];
    program.metric = Some("nrmse:out.bin:f32".into());
    program.check = Some("test -s out.bin".into());
    let (records, _) = run(&mut memory(), vec![program.into()], &["none"]);
    let errors = records[0].result().unwrap_or_else(|| panic!("{records:?}")).approximation_errors();
    let [(file, metric, error)] = errors[..] else { panic!("{errors:?}") };
    assert_eq!((file, metric), ("out.bin", "nrmse"));
    assert!(error > 1e-4 && error < 0.1, "{error}");
    assert!(!Path::new("out.bin").exists(), "a run writes into a folder of its own");
}
