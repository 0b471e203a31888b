//! How far are estimated registers from those that ptxas 11.8 gives? `reference/registers.csv` has both for kernels of nvcc and clang.
#![expect(clippy::expect_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;

use shrinkwarp_ptx::ast::Module;
use shrinkwarp_ptx::flow::RegisterEstimate;
use shrinkwarp_ptx::parse;

struct Row {
    file: String,
    kernel: String,
    sm: u32,
    ptxas: u32,
    estimate: u32,
}

impl Row {
    fn error(&self) -> f64 {
        (f64::from(self.estimate) - f64::from(self.ptxas)).abs() / f64::from(self.ptxas)
    }
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect(path)
}

fn rows() -> Vec<Row> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse().expect(line);
        Row {
            file: fields[0].into(),
            kernel: fields[1].into(),
            sm: number(2),
            ptxas: number(3),
            estimate: number(4),
        }
    };
    read("reference/registers.csv").lines().skip(1).map(row).collect()
}

/// Mean and worst error of the rows of one folder and architecture.
fn errors(folder: &str, sm: u32) -> (f64, f64) {
    let errors: Vec<f64> =
        rows().iter().filter(|row| row.file.starts_with(folder) && row.sm == sm).map(Row::error).collect();
    (errors.iter().sum::<f64>() / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max))
}

#[test]
fn the_table_has_what_is_estimated_today() {
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    // The PTX of other folders is made by .ci/steps/registers.
    let is_here = |row: &Row| row.file.starts_with("crates/") || row.file.starts_with("reference/");
    for row in rows().into_iter().filter(is_here) {
        let module =
            modules.entry(row.file.clone()).or_insert_with(|| parse(&read(&row.file)).expect(&row.file));
        let kernel = module.kernels().find(|kernel| kernel.name == row.kernel).expect(&row.kernel);
        let estimate = RegisterEstimate::of(module, kernel).on(row.sm);
        assert_eq!(estimate, row.estimate, "{} of {} on sm_{}", row.kernel, row.file, row.sm);
    }
}

#[test]
fn errors_are_within_what_was_reached() {
    // Folder, architecture, mean error, worst error.
    let reached = [
        ("breadth/", 35, 0.221, 2.00),
        ("breadth/", 50, 0.274, 2.00),
        ("breadth/", 70, 0.123, 0.70),
        ("breadth/", 80, 0.115, 0.70),
        ("crates/", 35, 0.141, 0.50),
        ("crates/", 50, 0.125, 0.38),
        ("crates/", 70, 0.102, 0.40),
        ("crates/", 80, 0.108, 0.83),
        ("polybench/", 35, 0.097, 0.32),
        ("polybench/", 50, 0.112, 0.25),
        ("polybench/", 70, 0.068, 0.17),
        ("polybench/", 80, 0.067, 0.17),
        ("programs/", 35, 0.185, 0.50),
        ("programs/", 50, 0.203, 0.40),
        ("programs/", 70, 0.096, 0.25),
        ("programs/", 80, 0.117, 0.30),
        ("reference/", 35, 0.196, 0.66),
        ("reference/", 50, 0.201, 0.55),
        ("reference/", 70, 0.132, 0.39),
        ("reference/", 80, 0.130, 0.39),
    ];
    for (folder, sm, mean, worst) in reached {
        let (is_mean, is_worst) = errors(folder, sm);
        assert!(is_mean <= mean, "{folder}, sm_{sm}: a mean error of {is_mean:.4}, it was {mean}");
        assert!(is_worst <= worst, "{folder}, sm_{sm}: a worst error of {is_worst:.4}, it was {worst}");
    }
}

#[test]
fn a_parameter_and_a_constant_need_no_register() {
    let with = |more: &str| {
        let source = format!(
            ".version 7.0 .target sm_70 .address_size 64 .entry k(.param .u64 a, .param .u32 b) {{
             .reg .b64 %rd<4>; .reg .b32 %r<8>;
             ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; {more}
             mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret; }}"
        );
        let module = parse(&source).expect("PTX");
        let kernel = module.kernels().next().expect("a kernel");
        RegisterEstimate::of(&module, kernel)
    };
    let plain = with("");
    let folded = with("ld.param.u32 %r2, [b]; mov.u32 %r3, %r2; add.s32 %r1, %r1, %r3;");
    assert_eq!(folded, plain);
    let held = with("ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+4]; add.s32 %r1, %r2, %r3;");
    assert!(held.since_volta > plain.since_volta, "loads under way hold registers");
}

#[test]
fn a_call_brings_the_calling_convention() {
    let source = ".version 7.0 .target sm_70 .address_size 64 .func f() { ret; } .entry k() { call f; ret; }";
    let module = parse(source).expect("PTX");
    let kernel = module.kernels().next().expect("a kernel");
    assert_eq!(RegisterEstimate::of(&module, kernel), RegisterEstimate { before_volta: 18, since_volta: 24 });
}

#[test]
fn an_offset_of_itself_ends() {
    let source = ".version 7.0 .target sm_70 .address_size 64 .entry k() { .reg .b64 %rd<2>; .reg .b32 %r<2>;
        add.s64 %rd1, %rd1, 4; ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1; ret; }";
    let module = parse(source).expect("PTX");
    let kernel = module.kernels().next().expect("a kernel");
    assert!(RegisterEstimate::of(&module, kernel).since_volta < 16);
}

/// Eight addresses of a space that live until the end, and the accesses through them.
fn with_addresses_in(space: &str) -> u32 {
    let each = |line: &dyn Fn(u32) -> String| (1..9).map(line).collect::<String>();
    let addresses = each(&|n| {
        format!(
            "mul.wide.u32 %rd{n}, %r0, {}; add.s64 %rd1{n}, %rd{n}, %rd0; ld.{space}.u32 %r{n}, [%rd1{n}];",
            4 * n
        )
    });
    let stores = each(&|n| format!("st.{space}.u32 [%rd1{n}], %r{n};"));
    let source = format!(
        ".version 7.0 .target sm_70 .address_size 64 .entry k() {{ .reg .b64 %rd<20>; .reg .b32 %r<10>;
         mov.u32 %r0, %tid.x; mul.wide.u32 %rd0, %r0, 64; {addresses} bar.sync 0; {stores} ret; }}"
    );
    let module = parse(&source).expect("PTX");
    let kernel = module.kernels().next().expect("a kernel");
    RegisterEstimate::of(&module, kernel).since_volta
}

#[test]
fn an_address_in_shared_memory_is_one_word() {
    assert!(with_addresses_in("shared") + 7 <= with_addresses_in("global"));
}

/// A loop that sums what a pointer steps over.
fn with_loop(pragma: &str, more: &str) -> u32 {
    let source = format!(
        ".version 7.0 .target sm_70 .address_size 64 .entry k(.param .u64 a) {{
         .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .pred %p<2>;
         ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0; mov.u32 %r0, %tid.x; mov.f32 %f0, 0f00000000;
         again: {pragma}
         ld.global.f32 %f1, [%rd1]; {more} add.f32 %f0, %f0, %f1;
         add.s64 %rd1, %rd1, 4; add.s32 %r0, %r0, -1; setp.ne.s32 %p0, %r0, 0; @%p0 bra again;
         st.global.f32 [%rd1], %f0; ret; }}"
    );
    let module = parse(&source).expect("PTX");
    let kernel = module.kernels().next().expect("a kernel");
    RegisterEstimate::of(&module, kernel).since_volta
}

#[test]
fn a_loop_is_repeated_but_for_a_pragma_or_a_division() {
    let kept = ".pragma \"nounroll\";";
    assert!(with_loop("", "") > with_loop(kept, ""));
    let division = "div.rn.f32 %f1, %f1, %f0;";
    assert_eq!(with_loop("", division), with_loop(kept, division));
}

#[test]
fn loads_pass_stores_behind_the_same_address_with_another_offset() {
    let with = |second: &str| {
        let pair = |n: u32| {
            format!("ld.global.u32 %r{n}, [{second}+{}]; st.global.u32 [%rd1+{}], %r{n};", 4 * n, 64 + 4 * n)
        };
        let pairs: String = (1..13).map(pair).collect();
        let source = format!(
            ".version 7.0 .target sm_70 .address_size 64 .entry k() {{ .reg .b64 %rd<3>; .reg .b32 %r<13>;
             mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 8; mul.wide.u32 %rd2, %r0, 16;
             {pairs} st.global.u32 [%rd2], %r0; ret; }}"
        );
        let module = parse(&source).expect("PTX");
        let kernel = module.kernels().next().expect("a kernel");
        RegisterEstimate::of(&module, kernel).since_volta
    };
    assert!(with("%rd1") > with("%rd2"));
}

/// Registers of a body.
fn with_body(body: &str) -> u32 {
    let source = format!(
        ".version 7.0 .target sm_70 .address_size 64 .entry k() {{ .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<2>;
         .local .align 4 .b8 frame[64]; {body} ret; }}"
    );
    let module = parse(&source).expect("PTX");
    let kernel = module.kernels().next().expect("a kernel");
    RegisterEstimate::of(&module, kernel).since_volta
}

#[test]
fn an_address_in_a_variable_needs_no_register() {
    let with = |address: &str| {
        with_body(&format!(
            "mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; mov.u64 %rd2, frame; add.s64 %rd3, {address};
             st.local.u32 [%rd3], %r0; bar.sync 0; st.global.u32 [%rd1], %r0; st.local.u32 [%rd3], %r0;"
        ))
    };
    assert!(with("%rd2, 16") < with("%rd2, %rd1"));
}

#[test]
fn stored_values_are_in_one_bank() {
    let stored = |width: &str| {
        let values: String = (1..9).map(|n| format!("mul.lo.s32 %r{n}, %r0, %r{};", n - 1)).collect();
        let stores: String = match width {
            "" => (1..9).map(|n| format!("st.global.u32 [%rd1+{}], %r{n};", 4 * n)).collect(),
            _ => "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%rd1+16], {%r5, %r6, %r7, %r8};".into(),
        };
        with_body(&format!("mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 64; {values} bar.sync 0; {stores}"))
    };
    assert!(stored("") > stored("v4") + 2);
}

#[test]
fn constants_that_were_loaded_stay() {
    let stores = |first: u32| -> String {
        (0..6).map(|n| format!("st.global.u32 [%rd1+{}], {};", 4 * n, first + n)).collect()
    };
    let sums: String = (1..9).map(|n| format!("mul.lo.s32 %r1, %r1, %r{};", 1 + n % 4)).collect();
    let with = |second: u32| {
        with_body(&format!(
            "mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; {} setp.eq.s32 %p1, %r0, 0; @%p1 bra end;
             ld.global.u32 %r1, [%rd1+4]; ld.global.u32 %r2, [%rd1+8]; ld.global.u32 %r3, [%rd1+12];
             ld.global.u32 %r4, [%rd1+16]; {sums} st.global.u32 [%rd1+20], %r1; bar.sync 0; {} end:",
            stores(10),
            stores(second)
        ))
    };
    assert!(with(10) > with(20));
}
