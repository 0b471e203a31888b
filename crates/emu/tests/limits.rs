//! How much may a module declare, and is more refused with its line instead of exhausting the host?

use shrinkwarp_emu::device::{Device, DeviceError};
use shrinkwarp_emu::functional::Functional;

const HEADER: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// The refusals of a module, each with its line. The text starts on line 4.
fn refusals(text: &str) -> Vec<String> {
    match Functional::on_one_core().load_module(&format!("{HEADER}{text}")) {
        Err(DeviceError::Load(errors)) => errors.iter().map(ToString::to_string).collect(),
        Err(other) => vec![format!("another error: {other}")],
        Ok(_) => Vec::new(),
    }
}

#[test]
fn global_variables_must_fit_the_device() {
    assert_eq!(
        refusals(".global .b8 a[1024];\n.global .b8 b[1000000000000];\n"),
        ["PTX line 5: 'b' has no room: cannot allocate 1000000000000 bytes: \
          68719475712 of the device's 68719476736 are free"]
    );
}

#[test]
fn constants_must_fit_their_bank() {
    assert_eq!(
        refusals(".const .b8 a[1024];\n.const .b8 b[16777216];\n"),
        ["PTX line 5: 'b' has no room: more than 16777216 bytes of .const variables"]
    );
}

#[test]
fn a_cluster_is_one_thread_block() {
    let kernel = |extents: &str| format!(".visible .entry k()\n.reqnctapercluster {extents}\n{{\nret;\n}}\n");
    assert_eq!(
        refusals(&kernel("2, 2, 1")),
        ["PTX line 4: k needs 4 thread blocks in a cluster; at most 1 are allowed"]
    );
    assert!(refusals(&kernel("1, 1, 1")).is_empty());
}

#[test]
fn a_count_of_registers_is_one_that_instructions_can_name() {
    let kernel = |count: &str| {
        format!(".visible .entry k()\n{{ .pragma \"shrinkwarp registers {count}\";\nret;\n}}\n")
    };
    for count in ["0", "256", "-1", "many", ""] {
        let expected =
            format!("PTX line 4: k: .pragma \"shrinkwarp registers {count}\": the count must be 1 to 255");
        assert_eq!(refusals(&kernel(count)), [expected]);
    }
    assert!(refusals(&kernel("255")).is_empty());
    let other = ".visible .entry k()\n{ .pragma \"nounroll\";\nret;\n}\n";
    assert!(refusals(other).is_empty());
}

#[test]
fn shared_variables_must_fit_a_block() {
    let kernel = ".visible .entry k() {\n.shared .b8 a[4294967296];\n.shared .b8 b[16];\nret;\n}\n";
    assert_eq!(
        refusals(kernel),
        ["PTX line 4: k needs 4294967312 bytes of shared memory; at most 233472 are allowed"]
    );
}

#[test]
fn local_variables_must_fit_a_thread_in_every_function() {
    let module = ".func f() {\n.local .b8 a[4294967296];\n.local .b8 b[1099511627776];\nret;\n}\n\
                  .visible .entry k() {\n.local .b8 a[524289];\ncall f;\nret;\n}\n";
    assert_eq!(
        refusals(module),
        [
            "PTX line 4: f needs 1103806595072 bytes of local variables; at most 524288 are allowed"
                .to_owned(),
            "PTX line 9: k needs 524304 bytes of local variables; at most 524288 are allowed".to_owned(),
        ]
    );
}

#[test]
fn parameters_must_fit_a_launch() {
    let kernel = ".visible .entry k(.param .b8 a[4294967295], .param .u64 b) {\nret;\n}\n";
    assert_eq!(
        refusals(kernel),
        ["PTX line 4: k needs 4294967304 bytes of parameters; at most 32764 are allowed"]
    );
}

#[test]
fn a_bound_on_threads_beyond_all_blocks_is_no_bound() {
    let module = Functional::on_one_core()
        .load_module(&format!("{HEADER}.visible .entry k() .maxntid 65536, 65536, 2 {{\nret;\n}}\n"))
        .unwrap();
    assert_eq!(module.kernels["k"].max_threads, Some(u32::MAX));
}

#[test]
fn an_offset_wraps_around_as_addresses_do() {
    let kernel = ".global .b32 a;\n.visible .entry k() {\n.reg .b32 %r<2>;\n\
                  ld.global.b32 %r1, [a+9223372036854775807];\nret;\n}\n";
    assert_eq!(refusals(kernel), Vec::<String>::new());
}

#[test]
fn ten_thousand_functions_that_call_each_other_load_quickly() {
    let mut module = String::new();
    for index in 0..10_000 {
        module += &format!(".func f{index}();\n");
    }
    for index in 0..10_000 {
        module += &format!(".func f{index}() {{\ncall f{};\nret;\n}}\n", (index + 1) % 10_000);
    }
    module += ".visible .entry k() {\ncall f0;\nret;\n}\n";
    assert_eq!(refusals(&module), Vec::<String>::new());
}
