//! What does the parser say about malformed PTX? Each case is a source and the messages, in order.

use shrinkwarp_ptx::parse;

/// Messages for a kernel of that body, with the line inside the body and the column.
fn in_kernel(body: &str) -> Vec<String> {
    const LINES_BEFORE: u32 = 2;
    let source = format!(
        ".version 7.0 .target sm_70 .address_size 64 .func (.param .b32 r) callee (.param .b32 a);\n\
         .entry k(.param .u64 a) {{ .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n{body}\n}}"
    );
    let found = parse(&source).err().unwrap_or_default();
    found
        .iter()
        .map(|d| {
            let hint = d.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{}:{} {}{hint}", d.span.line as i32 - LINES_BEFORE as i32, d.span.column, d.message)
        })
        .collect()
}

fn at_module_level(source: &str) -> Vec<String> {
    parse(source).err().unwrap_or_default().iter().map(|diagnostic| diagnostic.message.clone()).collect()
}

#[track_caller]
fn assert_one(found: &[String], expected: &str) {
    assert_eq!(found, [expected]);
}

#[test]
fn wrong_instructions_name_what_the_table_has() {
    assert_one(&in_kernel("frobnicate.s32 %r1;"), "1:1 unknown instruction 'frobnicate.s32'");
    assert_one(&in_kernel("mvo.u32 %r1, %r2;"), "1:1 unknown instruction 'mvo.u32' (did you mean 'mov'?)");
    assert_one(
        &in_kernel("fma.f32 %f1, %f2, %f3, %f4;"),
        "1:1 'fma.f32': fma needs one of .rn, .rz, .rm, .rp, .rna, .rs, .rni, .rzi, .rmi, .rpi",
    );
    assert_one(&in_kernel("add.s32.ld %r1, %r2, %r3;"), "1:1 'add.s32.ld': add has no suffix '.ld'");
    assert_one(
        &in_kernel("and.f32 %f1, %f2, %f3;"),
        "1:1 'and.f32': and does not work on .f32 (one of .pred, .b16, .b32, .b64)",
    );
    assert_one(&in_kernel("bra.s32 END; END:"), "1:1 'bra.s32': one type too many, .s32");
    assert_one(&in_kernel("popc %r1, %r2;"), "1:1 'popc': popc needs a type (one of .b32, .b64)");
}

#[test]
fn wrong_operands_name_the_shape() {
    assert_one(&in_kernel("add.s32 %r1, %r2;"), "1:1 'add.s32' has 2 operands (expected add d, a, b)");
    assert_one(
        &in_kernel("add.s32 5, %r2, %r3;"),
        "1:1 operand 1 of 'add.s32' must be a register to write (expected add d, a, b)",
    );
    assert_one(
        &in_kernel("ld.global.u32 %r1, %rd1;"),
        "1:1 operand 2 of 'ld.global.u32' must be an address in brackets (expected ld d, [a]{, b})",
    );
    assert_one(
        &in_kernel("add.s32 %r1, [%rd1], 4;"),
        "1:1 operand 2 of 'add.s32' must be a register or a constant (expected add d, a, b)",
    );
    assert_one(&in_kernel("add.s32 %r1, %r2, ;"), "1:19 expected an operand, found ';'");
    assert_one(&in_kernel("@%r1 bra END; END:"), "1:2 expected a predicate register after '@', found '%r1'");
}

#[test]
fn unknown_names_say_how_to_declare_them() {
    assert_one(&in_kernel("mov.u32 %r8, 0;"), "1:9 '%r8' is not declared ('%r<8>' declares %r0 to %r7)");
    assert_one(&in_kernel("mov.u32 %x1, 0;"), "1:9 '%x1' is not declared (declare it with .reg)");
    assert_one(
        &in_kernel("mov.u64 %rd1, there;"),
        "1:15 'there' is not declared (declare it before it is used)",
    );
    assert_one(
        &in_kernel("mov.u32 %r1, %tid;"),
        "1:14 '%tid' is not declared (take an element of it, such as '%tid.x')",
    );
    assert_one(
        &in_kernel("call missing;"),
        "1:6 function 'missing' is not declared (declare it with .func or .extern .func)",
    );
    assert_one(&in_kernel("bra AWAY;"), "1:5 label 'AWAY' is not defined in this function");
    assert_one(&in_kernel("{ IN: ret; }\nbra IN;"), "2:5 label 'IN' is not defined in this function");
}

#[test]
fn a_forgotten_semicolon_costs_one_message() {
    let found = in_kernel("mov.u32 %r1, 0\nmov.u32 %r2, 0;\nret;");
    assert_one(
        &found,
        "2:1 expected ';' after the instruction, found 'mov.u32' (end the statement with ';')",
    );
}

#[test]
fn one_mistake_does_not_hide_the_next() {
    let found = in_kernel("bad1 %r1;\nmov.u32 %r1, {0;\nbad2 %r1;\nmov.u32 %r1, 0;\nbad3 %r1;");
    assert_eq!(
        found.iter().filter(|message| message.contains("unknown instruction")).count(),
        3,
        "{found:#?}"
    );
    assert_eq!(found.len(), 4, "{found:#?}");
}

#[test]
fn a_mistake_after_a_label_stays_alone() {
    assert_eq!(in_kernel("T: .branchtargets L, L.x;\nL: ret;").len(), 1);
    assert_eq!(in_kernel("bra L L;\nmov.u32 %r1, 0;\nL: ret;").len(), 1);
}

#[test]
fn names_are_declared_once() {
    assert_one(
        &in_kernel(".reg .b32 x; .reg .b64 x;"),
        "1:24 'x' is already declared in this scope (rename one of the two)",
    );
    assert_one(
        &in_kernel("L: ret; L: ret;"),
        "1:9 label 'L' is already defined in this scope (rename one of the two)",
    );
    assert_one(&at_module_level(".global .b32 a; .global .b32 a;"), "'a' is already declared in line 1");
    assert_one(&at_module_level(".entry k() { ret; } .entry k() { ret; }"), "'k' is already defined");
    assert!(in_kernel(".reg .b32 x; { .reg .b64 x; mov.u64 x, 0; } mov.u32 x, 0;").is_empty());
}

#[test]
fn module_mistakes_are_named() {
    assert_one(&at_module_level(".version seven"), "expected a version such as 7.8, found 'seven'");
    assert_one(&at_module_level(".address_size 16"), "expected an address size of 32 or 64, found '16'");
    assert_one(
        &at_module_level(".global .u32 a[2] = {1, 2, 3};"),
        "more initialisers than the variable has elements",
    );
    assert_one(
        &at_module_level(".global .u32 a = unknown;"),
        "'unknown' is not a variable or function of this module",
    );
    assert_one(
        &at_module_level(".global .align 3 .u32 a;"),
        "an alignment of 3 bytes; expected a power of two up to 65536",
    );
    assert_one(
        &at_module_level(".global .b8 a[0xffffffffffff][0xffffffff];"),
        "'a' is larger than 1099511627776 bytes",
    );
    assert_one(&at_module_level(".entry k() {"), "this '{' is never closed");
    assert_one(&at_module_level("}"), "expected a directive, found '}'");
    assert_one(
        &at_module_level(".entry k() .maxthreads 5 { ret; }"),
        "'.maxthreads' is not a directive of a function header",
    );
}

#[test]
fn hostile_nesting_and_size_end_in_an_error() {
    let deep = "{".repeat(200_000);
    assert!(!in_kernel(&deep).is_empty());
    assert!(!in_kernel(&format!("mov.u32 %r1, {}1;", "(".repeat(200_000))).is_empty());
    assert!(!at_module_level(&format!(".global .u32 a[1] = {deep}")).is_empty());
    assert!(!at_module_level(".global .b8 a[2][0x40000000] = {{1}, {2}};").is_empty());
    assert!(in_kernel(".reg .b32 %big<4294967295>; mov.u32 %big4294967294, 0;").is_empty());
    let many = "x;\n".repeat(10_000);
    assert_eq!(in_kernel(&many).len(), 100);
}

#[test]
fn every_truncation_of_a_real_file_is_survived() {
    let source = include_str!("kernels/variants.ptx");
    for end in (0..source.len()).step_by(61).filter(|end| source.is_char_boundary(*end)) {
        if let Err(found) = parse(&source[..end]) {
            assert!(found.iter().all(|diagnostic| diagnostic.span.end as usize <= end));
        }
    }
    if let Err(found) = parse(source) {
        panic!("{found:#?}");
    }
}

#[test]
fn sizes_that_no_memory_has_are_refused_before_anything_is_counted() {
    let too_large = ["'a' is larger than 1099511627776 bytes"];
    assert_eq!(at_module_level(".global .b8 a[][18446744073709551615][2] = {{}, {{1}}};"), too_large);
    assert_eq!(at_module_level(".global .b8 a[0][1099511627777];"), too_large);
    assert_eq!(at_module_level(".global .b64 a[4294967296][4294967296];"), too_large);
    assert!(at_module_level(".global .b8 a[0][1099511627776];").is_empty());
}

#[test]
fn sparse_initialisers_have_a_limit_together() {
    // Each reaches into its second row; 200,000,001 and 100,000,001 bytes are more than 2^28 = 268,435,456.
    let first = ".global .b8 a[2][200000000] = {{1}, {2}};";
    let second = ".global .b8 b[2][100000000] = {{1}, {2}};";
    assert_eq!(
        at_module_level(&format!("{first} {second}")),
        ["the initialisers cover more than 268435456 bytes"]
    );
    let rows = "{},".repeat(3);
    assert_eq!(
        at_module_level(&format!(".global .b8 a[][1000000000] = {{{rows}}};")),
        ["the initialisers cover more than 268435456 bytes"]
    );
}
