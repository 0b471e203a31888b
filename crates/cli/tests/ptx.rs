//! What does a user see of `ptx check` and `ptx show`?
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

const GOOD: &str = "\
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .b8 table[64];
.const .f32 factor = 0f3F800000;
.visible .entry choose(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    .shared .align 16 .b8 tile[256];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    setp.gt.u32 %p1, %r1, 7;
    @%p1 bra BIG;
    mov.u32 %r2, 1;
    bra.uni END;
BIG:
    mov.u32 %r2, 2;
END:
    st.global.u32 [%rd1], %r2;
    ret;
}
";

const BAD: &str = "\
.version 7.0
.target sm_70
.address_size 64
.entry broken()
{
    .reg .b32 %r<4>;
    add.s32 %r1, %r2;
    mov.u32 %r9, 1;
    addd.s32 %r1, %r2, %r3;
    bra NOWHERE;
    ret;
}
";

const MULTIPLY: &str = "\
.version 7.0
.target sm_70
.address_size 64
.entry scale(.param .u64 factor)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [factor];
    mad24.hi.sat.s32 %r1, %r1, %r2, %r3;
    ret;
}
";

/// Runs the command in a folder that holds `good.ptx` and `bad.ptx`.
fn run(arguments: &[&str]) -> Output {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("good.ptx"), GOOD).unwrap();
    fs::write(folder.path().join("bad.ptx"), BAD).unwrap();
    fs::write(folder.path().join("multiply.ptx"), MULTIPLY).unwrap();
    fs::write(folder.path().join("binary.ptx"), [0x7f, b'E', b'L', b'F', 0xff, 0xfe]).unwrap();
    let mut command = Command::cargo_bin("shrinkwarp").unwrap();
    command.current_dir(folder.path()).arg("ptx").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_good_file_is_summarised() {
    let output = run(&["check", "good.ptx"]);
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(
        text.starts_with("good.ptx: PTX 7.0 for sm_70, 1 kernel, 0 functions, 9 instructions\n"),
        "{text}"
    );
    let row: Vec<&str> =
        text.lines().find(|line| line.starts_with("choose")).unwrap().split_whitespace().collect();
    // Nine instructions in four blocks. At the branch the address (2 words) and n are live; 4 + 2 × 3 are declared.
    assert_eq!(row, ["choose", "9", "4", "3", "10", "1", "256", "0", "12"]);
    assert!(text.contains("module data: global 64 B, const 4 B, shared 0 B"), "{text}");
    assert!(text.contains("memory 33.3 %"), "{text}");
}

#[test]
fn what_cannot_be_executed_is_named_with_its_line() {
    let output = run(&["check", "multiply.ptx"]);
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(text.contains("not executable here:\n  line 9: "), "{text}");
    assert!(text.contains("mad24.hi.sat.s32"), "{text}");
    let files: Value =
        serde_json::from_str(&stdout(&run(&["check", "--json", "multiply.ptx", "good.ptx"]))).unwrap();
    assert_eq!(files[0]["unsupported"][0]["line"], 9);
    assert_eq!(files[1]["unsupported"], Value::Array(Vec::new()));
}

#[test]
fn every_mistake_is_shown_with_its_line_and_a_way_out() {
    let output = run(&["check", "bad.ptx"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    for part in [
        "bad.ptx:7:5",
        "'add.s32' has 2 operands",
        "expected add d, a, b",
        "bad.ptx:8:13",
        "'%r9' is not declared",
        "'%r<4>' declares %r0 to %r3",
        "bad.ptx:9:5",
        "unknown instruction 'addd.s32'",
        "did you mean 'add'?",
        "bad.ptx:10:9",
        "label 'NOWHERE' is not defined",
        "addd.s32 %r1, %r2, %r3;",
        "the file has mistakes",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn a_bad_file_does_not_hide_a_good_one() {
    let output = run(&["check", "bad.ptx", "good.ptx"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("good.ptx: PTX 7.0"));
    assert!(stderr(&output).contains("1 of 2 files have mistakes"));
}

#[test]
fn check_speaks_json() {
    let output = run(&["check", "--json", "good.ptx", "bad.ptx"]);
    assert_eq!(output.status.code(), Some(1));
    let files: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(files[0]["is_valid"], true);
    assert_eq!(files[0]["functions"][0]["shared_bytes"], 256);
    assert_eq!(files[0]["functions"][0]["opcodes"]["bra"], 2);
    assert_eq!(files[1]["is_valid"], false);
    assert_eq!(files[1]["mistakes"][0]["line"], 7);
    assert_eq!(files[1]["mistakes"].as_array().unwrap().len(), 4);
}

#[test]
fn what_is_not_text_is_refused() {
    let output = run(&["check", "binary.ptx"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("binary.ptx: byte 4 is not UTF-8 text; is this a PTX file?"));
    assert!(stderr(&run(&["check", "absent.ptx"])).contains("absent.ptx: "));
}

#[test]
fn show_prints_blocks_and_where_threads_meet() {
    let output = run(&["show", "good.ptx"]);
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(text.starts_with("choose: 4 blocks, 9 instructions\n"), "{text}");
    assert!(text.contains("B0  to B1, B2; threads meet at B3\n"), "{text}");
    assert!(text.contains("B1  to B3\n      16  mov.u32 %r2, 1\n      17  bra.uni END\n"), "{text}");
    assert!(text.contains("B3  to end\n"), "{text}");
}

#[test]
fn show_draws_and_speaks_json() {
    let svg = stdout(&run(&["show", "good.ptx", "--svg"]));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains("stroke-dasharray"), "{svg}");
    let dot = stdout(&run(&["show", "good.ptx", "--dot", "--kernel", "choose"]));
    assert!(dot.contains("b0 -> b3 [style=dashed"), "{dot}");
    let json: Value = serde_json::from_str(&stdout(&run(&["show", "good.ptx", "--json"]))).unwrap();
    assert_eq!(json["blocks"][0]["reconverges_at_block"], 3);
    assert_eq!(json["blocks"][1]["can_diverge"], false);
}

#[test]
fn show_names_the_kernels_there_are() {
    let output = run(&["show", "good.ptx", "--kernel", "chose"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--kernel: good.ptx defines no \"chose\" (it has: choose)"));
    assert_eq!(run(&["show", "bad.ptx"]).status.code(), Some(1));
}
