//! Is every size, number and file that a user gives checked before memory or time is spent on it, and does a script see it?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command as Process, Output, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use common::{shrinkwarp, stderr};
use tempfile::TempDir;

/// Address space for a command, in KiB: enough for any honest one.
const ADDRESS_SPACE_KIB: u32 = 6_000_000;

const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
                   .visible .entry k(.param .u64 p){ ret; }\n\
                   .visible .entry endless(.param .u64 p){ L: bra L; }\n";

/// The command with an address space that an unchecked size exhausts.
fn bounded(folder: &Path, arguments: &[&str]) -> Output {
    let script = format!("ulimit -v {ADDRESS_SPACE_KIB}; exec \"$0\" \"$@\"");
    let mut command = Process::new("sh");
    command.args(["-c", &script]).arg(cargo_bin("shrinkwarp")).args(arguments);
    command.current_dir(folder).env("XDG_DATA_HOME", folder).output().unwrap()
}

/// That it was refused with an exit code and words, not aborted.
fn refused(output: &Output, code: i32, words: &str) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(words), "no {words:?} in:\n{said}");
    for word in [
        "usize",
        "expected u",
        "unknown variant",
        "unknown field",
        "struct ",
        "panicked",
        "target type",
        "digit found",
    ] {
        assert!(!said.contains(word), "{word:?} in:\n{said}");
    }
}

/// A folder with a launch file of one buffer and one launch.
fn launch_file(top: &str, buffer: &str, launch: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("k.ptx"), PTX).unwrap();
    let text = format!(
        "module = \"k.ptx\"\n{top}\n[[buffer]]\nname = \"a\"\ntype = \"f32\"\n{buffer}\n\
         [[launch]]\ngrid = [1]\nblock = [1]\narguments = [\"a\"]\n{launch}\n"
    );
    fs::write(folder.path().join("l.toml"), text).unwrap();
    folder
}

#[test]
fn sizes_of_the_machine_are_refused_before_memory_is_asked_for() {
    let folder = TempDir::new().unwrap();
    for (change, words) in [
        ("l1.size_kib=999999999", "l1.size_kib: 999999999 is out of range; must be 0 to 65536"),
        ("l1.latency_cycles=1000000000", "l1.latency_cycles: 1000000000 is out of range"),
        ("dram.channels=100000", "dram.channels: 100000 is out of range; must be 1 to 128"),
        ("sm.pipeline.sp_units=0", "sm.pipeline.sp_units: 0 is out of range"),
        ("sm.scheduler=fifo", "\"fifo\" is not allowed; allowed: gto, lrr, two_level"),
        ("sm.count=many", "sm.count: expected integer, found string \"many\""),
    ] {
        let arguments = ["run", "transpose", "--scale", "tiny", "--store", "none", "--set", change];
        refused(&bounded(folder.path(), &arguments), 2, words);
    }
}

#[test]
fn numbers_and_names_of_options_are_refused_in_plain_words() {
    let folder = TempDir::new().unwrap();
    let run = ["run", "bfs", "--scale", "tiny", "--store", "none"];
    let data = folder.path().join("x.f32");
    fs::write(&data, [0; 4096]).unwrap();
    let compare = ["compare", "bfs", "--scale", "tiny", "--store", "none"];
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("sweep.toml"), "[axes]\nworkload = \"bfs\"\n").unwrap();
    fs::write(folder.path().join("mine.toml"), "based_on = \"latte\"\n").unwrap();
    fs::write(folder.path().join("other/mine.toml"), "based_on = \"dsm\"\n").unwrap();
    for (arguments, words) in [
        ([&run[..], &["--seed", "99999999999999999999999"]].concat(), "the number is too large"),
        ([&run[..], &["--seed", "many"]].concat(), "is not a whole number"),
        ([&run[..], &["--set", "l1=3"]].concat(), "l1: is a section; set one of its keys, as in l1."),
        ([&run[..], &["--set", "=3"]].concat(), "there is no key before \"=\""),
        (vec!["bench", "--codec", "nope"], "unknown codec \"nope\"; nearest of "),
        (vec!["calibrate", "--case", "nope"], "unknown case \"nope\"; nearest of "),
        (
            vec!["analyze", "x.f32", "--dtype", "f32", "--approximate-bits", "3"],
            "--approximate-bits 3: no tensor",
        ),
        (vec!["store", "list", "--store", "none"], "nothing to read"),
        (vec!["sweep", "sweep.toml", "--store", "none"], "would be lost"),
        ([&compare[..], &["--schemes", "none,dsm,dsm"]].concat(), "\"dsm\" twice"),
        (
            [&compare[..], &["--schemes", "none,mine.toml,other/mine.toml"]].concat(),
            "\"mine.toml\" and \"other/mine.toml\" are both called \"mine\"",
        ),
    ] {
        refused(&bounded(folder.path(), &arguments), 2, words);
    }
}

#[test]
fn the_largest_machine_that_is_allowed_can_be_made() {
    let folder = TempDir::new().unwrap();
    // A 64 MiB L1 in each of 240 SMs would take more than a process may have.
    let both = ["run", "transpose", "--store", "none", "--set", "sm.count=240", "--set", "l1.size_kib=65536"];
    refused(&bounded(folder.path(), &both), 2, "l1.size_kib: takes ");
    let largest = [
        "sm.count=240",
        "dram.channels=64",
        "l1.size_kib=65536",
        "l2.size_kib=65536",
        "l1.latency_cycles=10000",
        "l2.latency_cycles=10000",
        "l1.mshr_entries=65535",
    ];
    for change in largest {
        let arguments = ["run", "transpose", "--scale", "tiny", "--store", "none", "--set", change];
        let output = bounded(folder.path(), &arguments);
        // A number may not fit the other keys; it may not end the process.
        assert!(matches!(output.status.code(), Some(0..=2)), "{change}: {}", stderr(&output));
    }
}

#[test]
fn a_launch_buffer_larger_than_the_limit_is_a_mistake_in_the_file() {
    for (buffer, words) in [
        ("count = 4_000_000_000", "16000000000 bytes; 4294967296 are left"),
        ("shape = [4_000_000_000, 4_000_000_000, 4]", "more than 2^64 bytes"),
        ("count = 4\n[[buffer]]\nname = \"b\"\ntype = \"u8\"\ncount = 4_294_967_290", "4294967280 are left"),
        ("file = \"/dev/zero\"", "/dev/zero: "),
        // Within the limit, and more than the address space has with what is there already.
        (
            "count = 1_000_000_000\nfill = 1.0\n[[buffer]]\nname = \"b\"\ntype = \"u8\"\ncount = 200_000_000",
            "allocate",
        ),
    ] {
        let folder = launch_file("", buffer, "kernel = \"k\"");
        refused(&bounded(folder.path(), &["launch", "l.toml"]), 1, words);
    }
}

#[test]
fn numbers_that_cannot_be_meant_are_mistakes_in_the_file() {
    let random = |what: &str| format!("count = 4\nrandom = {{ seed = 1, {what} }}");
    for (top, buffer, launch, words) in [
        ("", random("low = nan, high = inf").as_str(), "", "low = NaN: must be a finite number"),
        ("", &random("high = inf"), "", "high = inf: must be a finite number"),
        ("", &random("distribution = \"normal\", mean = nan"), "", "mean = NaN"),
        ("", &random("distribution = \"normal\", deviation = -1.0"), "", "deviation = -1"),
        ("", &random("distribution = \"integers\", low = 0.2, high = 0.8"), "", "there is no integer"),
        ("", &random("distribution = \"bell\""), "", "allowed: uniform, normal, integers"),
        ("", "count = 4\nrandom = { low = 0 }", "", "the key \"seed\" is missing"),
        ("", "count = -4", "", "expected an integer from 0, found -4"),
        ("", "count = 4\nramp = { period = 0 }", "", "period = 0"),
        ("repeat = 0", "count = 4", "", "repeat = 0 runs nothing"),
        ("", "count = 4", "repeat = 0", "repeat = 0 runs nothing"),
        (
            "repeat = 4_000_000_000",
            "count = 4",
            "repeat = 4_000_000_000",
            "launches; a file has at most 1000000",
        ),
        ("", "count = 4", "[[result]]\nbuffer = \"a\"\ntolerance = nan", "a finite number from 0"),
    ] {
        let folder = launch_file(top, buffer, &format!("kernel = \"k\"\n{launch}"));
        refused(&bounded(folder.path(), &["launch", "l.toml"]), 1, words);
    }
}

#[test]
fn a_kernel_that_never_ends_is_stopped_at_the_files_limit() {
    // A grid that cannot end within the limit does not begin.
    let folder = launch_file("", "count = 4", "kernel = \"k\"");
    let path = folder.path().join("l.toml");
    let text = fs::read_to_string(&path).unwrap().replace("grid = [1]", "grid = [4294967295, 65535, 65535]");
    fs::write(&path, text).unwrap();
    refused(
        &bounded(folder.path(), &["launch", "l.toml"]),
        1,
        "18446181123756261375 threads; a launch executes",
    );
    let folder = launch_file("max_instructions = 100000", "count = 4", "kernel = \"endless\"");
    refused(&bounded(folder.path(), &["launch", "l.toml"]), 1, "100000");
}

#[test]
fn a_sweep_of_millions_of_runs_is_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let seeds: Vec<String> = (0..2000).map(|seed| seed.to_string()).collect();
    let sizes: Vec<String> = (1..1250).map(|size| size.to_string()).collect();
    let text = format!(
        "[axes]\nworkload = \"all\"\nseed = [{}]\n\"l1.size_kib\" = [{}]\n",
        seeds.join(","),
        sizes.join(",")
    );
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let started = Instant::now();
    let output = bounded(folder.path(), &["sweep", "s.toml", "--dry-run"]);
    refused(&output, 2, "combinations; a sweep has at most 10000000");
    let text = format!("[axes]\nworkload = \"all\"\nseed = [{}]\n", seeds.join(","));
    fs::write(folder.path().join("s.toml"), text).unwrap();
    refused(
        &bounded(folder.path(), &["sweep", "s.toml", "--dry-run"]),
        2,
        "runs; a sweep has at most 100000",
    );
    assert!(started.elapsed() < Duration::from_mins(1));
}

#[test]
fn an_empty_or_endless_file_is_an_error() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("blank.ptx"), " \n").unwrap();
    fs::write(folder.path().join("comment.ptx"), "// nothing\n").unwrap();
    for (arguments, code, words) in [
        (&["ptx", "check", "blank.ptx"][..], 1, "is empty; a PTX file begins with .version"),
        (&["ptx", "check", "comment.ptx"], 1, "has no PTX"),
        (&["ptx", "check", "/dev/zero"], 1, "is larger than 256 MiB"),
        (&["launch", "/dev/zero"], 1, "is larger than 16 MiB"),
        (&["sweep", "/dev/zero"], 1, "is larger than 16 MiB"),
        (&["run", "bfs", "--scheme", "/dev/zero"], 2, "is larger than 16 MiB"),
        (&["run", "bfs", "--tables", "/dev/zero", "--scheme", "e2mc16"], 1, "is larger than 256 MiB"),
        (&["run", "bfs", "--input", "/dev/zero"], 1, "/dev/zero: "),
    ] {
        refused(&bounded(folder.path(), arguments), code, words);
    }
}

#[test]
fn escapes_in_names_do_not_reach_the_terminal() {
    let folder = TempDir::new().unwrap();
    let evil = "\u{1b}[2Jx\u{9b}1m";
    let header = format!("{{\"w{evil}\":{{\"dtype\":\"F32\",\"shape\":[32],\"data_offsets\":[0,128]}}}}");
    let header = header.replace('\u{1b}', "\\u001b");
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.resize(file.len() + 128, 0);
    fs::write(folder.path().join("m.safetensors"), file).unwrap();
    fs::write(folder.path().join("g.toml"), format!("based_on = \"gtx480\"\n[l{evil}]\n")).unwrap();
    let launch = format!("kernel = \"{}\"", evil.replace('\u{1b}', "\\u001b"));
    let launches = launch_file("", "count = 4", &launch);
    fs::copy(launches.path().join("l.toml"), folder.path().join("l.toml")).unwrap();
    fs::copy(launches.path().join("k.ptx"), folder.path().join("k.ptx")).unwrap();
    for arguments in [
        &["analyze", "m.safetensors"][..],
        &["analyze", "m.safetensors", "--json"],
        &["run", evil],
        &["run", "bfs", "--gpu", "g.toml"],
        &["run", "bfs", "--scheme", evil],
        &["run", "bfs", "--set", evil],
        &["launch", "l.toml"],
        &["ptx", "check", "g.toml"],
        &["store", "list", "--store", evil],
    ] {
        let output = shrinkwarp(folder.path()).args(arguments).output().unwrap();
        for bytes in [&output.stdout, &output.stderr] {
            let said = String::from_utf8_lossy(bytes);
            assert!(!said.contains(['\u{1b}', '\u{9b}']), "{arguments:?}: {said:?}");
        }
    }
}

#[test]
fn a_standard_error_that_takes_nothing_is_no_panic() {
    let folder = TempDir::new().unwrap();
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for (arguments, code) in [
        (&["run", "no-such"][..], 2),
        (&["ptx", "check", "no.ptx"], 1),
        (&["run", "transpose", "--scale", "tiny"], 0),
    ] {
        let status = Process::new(cargo_bin("shrinkwarp"))
            .args(arguments)
            .current_dir(folder.path())
            .env("XDG_DATA_HOME", folder.path())
            .stdout(Stdio::null())
            .stderr(full())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn a_script_sees_that_runs_of_a_sweep_failed_and_where_the_others_are() {
    let folder = TempDir::new().unwrap();
    let sweep = "[run]\nscale = \"tiny\"\n[axes]\nworkload = \"transpose\"\n\"sm.threads\" = [32, 1536]\n";
    fs::write(folder.path().join("s.toml"), sweep).unwrap();
    let output =
        shrinkwarp(folder.path()).args(["sweep", "s.toml", "--store", "mine.sqlite"]).output().unwrap();
    refused(&output, 1, "1 run failed");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("shrinkwarp store list --store mine.sqlite"), "{said}");
}

#[test]
fn a_run_that_ctrl_c_stops_ends_with_130() {
    let folder = TempDir::new().unwrap();
    let child = Process::new(cargo_bin("shrinkwarp"))
        .args(["run", "heartwall", "--scale", "paper", "--store", "none"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let killed = Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
}

#[test]
fn tables_of_a_profile_serve_every_scheme_with_that_code() {
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str]| {
        let output = shrinkwarp(folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(&["profile", "histogram", "--scale", "tiny", "--codec", "e2mc16", "--output", "t.json"]);
    let with = run(&["run", "histogram", "--scale", "tiny", "--scheme", "e2mc16", "--tables", "t.json"]);
    assert_eq!(with, run(&["run", "histogram", "--scale", "tiny", "--scheme", "e2mc16"]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_a_device_stays_one() {
    use std::os::unix::fs::FileTypeExt;
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("data.raw"), vec![7; 1 << 16]).unwrap();
    // What is written through a link to the device finds no room.
    std::os::unix::fs::symlink("/dev/full", folder.path().join("full")).unwrap();
    let commands: [&[&str]; 5] = [
        &["encode", "data.raw", "--codec", "bdi", "--output", "full"],
        &["analyze", "data.raw", "--dtype", "f32", "--codec", "bdi", "--html", "full"],
        &["compare", "transpose", "--scale", "tiny", "--schemes", "none", "--html", "full"],
        &["store", "export", "--output", "full"],
        &["profile", "histogram", "--scale", "tiny", "--output", "full"],
    ];
    for arguments in commands {
        let output = bounded(folder.path(), arguments);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("full: ") && said.to_lowercase().contains("no "), "{arguments:?}: {said}");
    }
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with(".shrinkwarp-")), "{names:?}");
}
