//! What does a user see of `exec` around a program? Real CUDA programs are in `.ci/steps/cudart`.
#![expect(clippy::unwrap_used, reason = "tests")]

use assert_cmd::Command;

/// The command; any file will do as the library of programs that use none.
fn exec(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("shrinkwarp").unwrap();
    command.env("SHRINKWARP_CUDART", "/dev/null").arg("exec").args(arguments);
    command
}

fn standard_error(command: &mut Command, code: i32) -> String {
    String::from_utf8(command.assert().code(code).get_output().stderr.clone()).unwrap()
}

#[test]
fn the_exit_code_and_the_output_are_the_programs() {
    let assert = exec(&["--", "sh", "-c", "echo mine; exit 7"]).assert().code(7);
    assert_eq!(assert.get_output().stdout, b"mine\n");
}

#[test]
fn a_program_without_our_runtime_is_told_how_to_get_it() {
    let message = standard_error(&mut exec(&["--", "true"]), 1);
    assert!(message.contains("-cudart shared"), "{message}");
}

#[test]
fn a_wrong_flag_is_found_before_the_program_starts() {
    let mut command = exec(&["--gpu", "gtx481", "--", "sh", "-c", "echo started"]);
    let message = standard_error(&mut command, 2);
    assert!(message.contains("gtx480"), "{message}");
    assert!(!message.contains("started"));
}

#[test]
fn a_program_finds_the_settings_in_its_environment() {
    let script = "echo $SHRINKWARP_GPU $SHRINKWARP_SET; LC_ALL=C ls ${LD_LIBRARY_PATH%%:*}; exit 3";
    let mut command = exec(&["--set", "sm.count=4", "--set", "l1.size_kib=48", "--", "sh", "-c", script]);
    let assert = command.env_remove("LD_LIBRARY_PATH").assert().code(3);
    let output = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert_eq!(
        output,
        "gtx480 sm.count=4;l1.size_kib=48\nlibcuda.so.1\nlibcudart.so.11.0\nlibcudart.so.12\nlibcudart.so.13\n"
    );
}

#[test]
fn a_missing_library_is_named_with_the_way_out() {
    let message = standard_error(exec(&["--", "true"]).env("SHRINKWARP_CUDART", "/nowhere/lib.so"), 2);
    assert!(message.contains("SHRINKWARP_CUDART: /nowhere/lib.so"), "{message}");
}

#[test]
fn a_signal_is_128_and_its_number() {
    let message = standard_error(&mut exec(&["--", "sh", "-c", "kill -9 $$"]), 137);
    assert!(message.contains("signal 9 ended the program"), "{message}");
}

#[test]
fn failed_launches_end_the_summary_and_are_an_error_where_none_may_fail() {
    let result = r#"{"program": ["x"], "launches": [], "refused_launches": ["k: too large", "k: too large"],
        "faulted_launches": ["k: out of bounds: write of 4 bytes"], "stray_reads": 4, "stray_writes": 2}"#;
    let script = "cat > ${SHRINKWARP_RESULT%\\%p.json}$$.json; exit 0";
    for (flags, code) in [(&[][..], 0), (&["--strict"][..], 3)] {
        let arguments = [flags, &["--", "sh", "-c", script][..]].concat();
        let message = standard_error(exec(&arguments).write_stdin(result), code);
        let expected = "2 launches were refused:\n  2 x k: too large\n1 launches were ended by a fault:\n  1 x k: out of \
                        bounds: write of 4 bytes\n4 reads reached no memory and gave zeros; --stray-reads fault shows where\n2 writes reached no \
                        memory and were dropped; --stray-writes fault shows where\nexec --stray-writes \
                        drop goes on without such writes\n";
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_stray_read_is_one_of_three_things() {
    let message = standard_error(&mut exec(&["--stray-reads", "one", "--", "true"]), 2);
    assert!(["page", "fault", "zero"].iter().all(|value| message.contains(value)), "{message}");
}
