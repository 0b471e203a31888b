//! Asynchronous copies, matrix products and matrix rows in time: does what waits really wait, and is each as fast as its unit?
#![expect(clippy::unwrap_used, reason = "tests")]

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_sim::config;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::run::RunOptions;

/// Runs `body` with `warps` warps in one thread block on a GPU with changes; `%d1` is an input of zeros, `%d2` the output, `%t` the
/// thread's number, `tile` shared memory. Returns the output's first words.
fn run(gpu: &str, changes: &[&str], warps: u32, body: &str) -> Vec<u64> {
    let ptx = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p1, .param .u64 p2)\n{{\n\
         .reg .b32 %a<8>;\n.reg .b32 %b<8>;\n.reg .b32 %s<64>;\n.reg .b32 %r<16>;\n.reg .b32 %t;\n\
         .reg .f64 %e<64>;\n.reg .b64 %d<16>;\n.reg .b64 %c<8>;\n.reg .pred %p<4>;\n.shared .align 128 .b8 tile[8192];\n\
         .shared .align 8 .b8 bar[8];\n\
         ld.param.u64 %d1, [p1];\nld.param.u64 %d2, [p2];\nmov.u32 %t, %tid.x;\n{body}\nret;\n}}\n"
    );
    let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
    let mut machine = Gpu::new(config::load(gpu, &changes).unwrap());
    let module = machine.load_module(&ptx).unwrap();
    let (input, output) = (machine.alloc(1 << 16).unwrap(), machine.alloc(64).unwrap());
    let arguments = [input.to_le_bytes(), output.to_le_bytes()].concat();
    let launch = Launch::new([1; 3], [32 * warps, 1, 1], arguments);
    machine.launch_watched(&module.kernels["k"], &launch, &mut RunOptions::default()).unwrap();
    let mut bytes = [0; 64];
    machine.copy_out(output, &mut bytes).unwrap();
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

/// A copy of 16 bytes for each lane, from 1 KiB times `part` on.
fn copy(part: u32) -> String {
    format!(
        "mul.wide.u32 %d3, %t, 16;\nadd.u64 %d3, %d3, %d1;\nadd.u64 %d3, %d3, {offset};\n\
         mov.u32 %r1, tile;\nmad.lo.u32 %r1, %t, 16, %r1;\nadd.u32 %r1, %r1, {offset};\n\
         cp.async.cg.shared.global [%r1], [%d3], 16;\n",
        offset = 1024 * part
    )
}

/// Stores the cycles between the two clocks.
const STORE: &str = "sub.u64 %c3, %c2, %c1;\nst.global.u64 [%d2], %c3;\n";

fn cycles_of(before: &str, timed: &str) -> u64 {
    let body = format!("{before}mov.u64 %c1, %clock64;\n{timed}mov.u64 %c2, %clock64;\n{STORE}");
    run("a100", &[], 1, &body)[0]
}

/// A load of DRAM takes 570 cycles on an A100; this is well below, and well above what needs no memory.
const LONG: u64 = 300;
const SHORT: u64 = 60;

#[test]
fn a_wait_for_a_group_takes_as_long_as_its_data_and_no_longer() {
    let commit = "cp.async.commit_group;\n";
    let one = copy(0) + commit;
    assert!(cycles_of(&one, "cp.async.wait_group 0;\n") > LONG);
    assert!(cycles_of(&one, "cp.async.wait_all;\n") > LONG);
    assert!(cycles_of(&one, "cp.async.wait_group 1;\n") < SHORT, "one group may be under way");
    assert!(cycles_of(&copy(0), "cp.async.wait_group 0;\n") < SHORT, "nothing is committed");
    assert!(cycles_of(&copy(0), "cp.async.wait_all;\n") > LONG, "what is not committed counts, too");
    let waited = one.clone() + "cp.async.wait_all;\n";
    assert!(cycles_of(&waited, "cp.async.wait_all;\n") < SHORT, "the data are there");
}

#[test]
fn the_second_of_two_groups_hides_behind_the_first() {
    let commit = "cp.async.commit_group;\n";
    let two = copy(0) + commit + &copy(1) + commit + "cp.async.wait_group 1;\n";
    assert!(cycles_of(&two, "cp.async.wait_group 0;\n") < SHORT);
    let apart = copy(0) + commit + "cp.async.wait_all;\n" + &copy(1) + commit;
    assert!(cycles_of(&apart, "cp.async.wait_group 0;\n") > LONG);
}

#[test]
fn a_barrier_object_completes_when_the_copies_have_come() {
    let begin = "mov.u32 %r2, bar;\nsetp.eq.u32 %p1, %t, 0;\n@%p1 mbarrier.init.shared.b64 [%r2], 32;\nbar.warp.sync -1;\n";
    let wait = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@!%p2 bra WAIT;\n";
    let arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n";
    assert!(cycles_of(&(begin.to_owned() + &copy(0) + arrive), wait) > LONG);
    assert!(
        cycles_of(&(begin.to_owned() + arrive), wait) < 2 * SHORT,
        "without a copy it is complete at once"
    );
    let counted = "cp.async.mbarrier.arrive.shared.b64 [%r2];\nmbarrier.arrive.shared.b64 %c4, [%r2];\n";
    assert!(cycles_of(&(begin.to_owned() + &copy(0) + counted), wait) > LONG);
    assert!(cycles_of(&(begin.to_owned() + &copy(0)), arrive) < SHORT, "the warp itself goes on");
}

#[test]
fn copies_that_nobody_waits_for_end_before_their_thread_block() {
    let words = run("a100", &[], 1, &(copy(0) + "st.global.u64 [%d2], 7;\n"));
    assert_eq!(words[0], 7);
}

/// Products of one warp in a round, into as many sums.
const PRODUCTS: u32 = 8;

/// Cycles of a product when every sub-core has a warp that multiplies, without or with dependences.
fn cycles_of_product(gpu: &str, changes: &[&str], spelling: &str, is_chain: bool) -> f64 {
    let product = |index: u32| {
        let first = if is_chain { 0 } else { 4 * (index % PRODUCTS) };
        let (kind, factors) = if spelling.contains("f64") {
            ("e", "{%e40, %e41, %e42, %e43}, {%e44, %e45}")
        } else {
            ("s", "{%a0, %a1, %a2, %a3}, {%b0, %b1}")
        };
        let sums: Vec<String> = (first..first + 4).map(|sum| format!("%{kind}{sum}")).collect();
        let sums = sums.join(", ");
        format!("{spelling} {{{sums}}}, {factors}, {{{sums}}};\n")
    };
    let cycles = |rounds: u32| {
        let timed: String = (0..rounds * PRODUCTS).map(product).collect();
        // The second clock waits for the last sums.
        let use_sums = if spelling.contains("f64") {
            "add.f64 %e50, %e0, %e28;\nadd.f64 %e50, %e50, %e50;\n"
        } else {
            "add.u32 %r3, %s0, %s28;\nadd.u32 %r3, %r3, 1;\n"
        };
        let body = format!("mov.u64 %c1, %clock64;\n{timed}{use_sums}mov.u64 %c2, %clock64;\n{STORE}");
        run(gpu, changes, 4, &body)[0] as f64
    };
    (cycles(16) - cycles(8)) / f64::from(8 * PRODUCTS)
}

#[test]
fn a_tensor_unit_multiplies_at_the_rate_of_the_type() {
    // Multiply-adds of the product over those that a unit of an A100 does in a cycle.
    for (spelling, cycles) in [
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2048.0 / 256.0),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2048.0 / 256.0),
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 1024.0 / 128.0),
        ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4096.0 / 512.0),
        ("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 1024.0 / 16.0),
    ] {
        let ours = cycles_of_product("a100", &[], spelling, false);
        // A cycle or two pass until the unit has taken the next product from its register; more where ten operands have 64 bits.
        let until_next = if spelling.contains("f64") { 6.0 } else { 2.0 };
        assert!((cycles..cycles + until_next).contains(&ours), "{spelling}: {ours} cycles, not {cycles}");
        let chained = cycles_of_product("a100", &[], spelling, true);
        assert!(chained > cycles + 14.0, "{spelling}: {chained} cycles for each of a chain");
    }
    let fixed = cycles_of_product("v100", &[], "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", false);
    assert!(
        (fixed / 64.0 - 1.0).abs() < 0.05,
        "the reference's Volta takes 64 cycles for any product: {fixed}"
    );
}

#[test]
fn rows_of_a_matrix_in_the_same_banks_are_read_one_after_the_other() {
    let load = |stride: u32| {
        let address =
            format!("mov.u32 %r1, tile;\nand.b32 %r2, %t, 31;\nmad.lo.u32 %r1, %r2, {stride}, %r1;\n");
        let loads = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%s0, %s1, %s2, %s3}, [%r1];\n".repeat(32);
        cycles_of(&address, &(loads + "add.u32 %r3, %s0, %s3;\nadd.u32 %r3, %r3, 1;\n"))
    };
    let (together, padded, same_banks) = (load(16), load(144), load(128));
    assert_eq!(together, padded);
    assert!(same_banks > together + 31 * 28, "{same_banks} and {together} cycles: 32 and 4 for each load");
}
