//! Where do threads meet again, and what must a thread remember?
#![expect(clippy::panic, reason = "tests")]

use shrinkwarp_ptx::ast::{Function, Module};
use shrinkwarp_ptx::flow::{BlockId, ControlFlow, Liveness};
use shrinkwarp_ptx::parse;

/// A module with one kernel of that body.
fn kernel(body: &str) -> Module {
    let source = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n{body}\n}}\n"
    );
    parse(&source).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn only(module: &Module) -> &Function {
    &module.functions[0]
}

/// Reconvergence point of the instruction at `at`.
fn meets(body: &str, at: usize) -> Option<usize> {
    ControlFlow::of(only(&kernel(body))).reconvergence(at)
}

#[test]
fn both_sides_of_an_if_meet_after_it() {
    let body = "@%p1 bra ELSE;\n mov.u32 %r1, 1;\n bra.uni END;\nELSE: mov.u32 %r1, 2;\nEND: ret;";
    assert_eq!(meets(body, 0), Some(4));
}

#[test]
fn a_loop_meets_at_its_exit() {
    let body =
        "LOOP: add.s32 %r1, %r1, 1;\n setp.lt.s32 %p1, %r1, 10;\n @%p1 bra LOOP;\n mov.u32 %r2, 0;\n ret;";
    assert_eq!(meets(body, 2), Some(3));
}

#[test]
fn paths_that_leave_separately_meet_nowhere() {
    assert_eq!(meets("@%p1 bra B;\n exit;\nB: ret;", 0), None);
    assert_eq!(meets("@%p1 exit;\n mov.u32 %r1, 0;\n ret;", 0), None);
}

#[test]
fn an_infinite_loop_still_has_a_meeting_point_inside() {
    // Threads part and meet inside a loop that never ends.
    let body = "LOOP: setp.eq.s32 %p1, %r1, 0;\n @%p1 bra SKIP;\n add.s32 %r1, %r1, 1;\nSKIP: bra LOOP;";
    assert_eq!(meets(body, 1), Some(3));
}

#[test]
fn a_loop_beside_the_way_out_does_not_break_the_rest() {
    let body = "@%p1 bra SPIN;\n mov.u32 %r1, 0;\n ret;\nSPIN: bra SPIN;";
    assert_eq!(meets(body, 0), None);
}

#[test]
fn an_indexed_branch_meets_after_all_its_targets() {
    let body = "T: .branchtargets A, B, C, A;\n brx.idx %r1, T;\nA: bra.uni END;\nB: bra.uni END;\nC: \
                mov.u32 %r2, 1;\nEND: ret;";
    let module = kernel(body);
    let flow = ControlFlow::of(only(&module));
    assert_eq!(flow.blocks[0].successors, [BlockId(1), BlockId(2), BlockId(3)]);
    assert_eq!(flow.reconvergence(0), Some(4));
}

#[test]
fn a_branch_to_the_closing_brace_leaves() {
    let module = kernel("@%p1 bra END;\n mov.u32 %r1, 0;\nEND:");
    let flow = ControlFlow::of(only(&module));
    assert!(flow.blocks[0].leaves);
    assert_eq!(flow.reconvergence(0), None);
}

#[test]
fn unreachable_code_has_blocks_too() {
    let flow = ControlFlow::of(only(&kernel("ret;\nDEAD: bra DEAD;")));
    assert_eq!(flow.blocks.len(), 2);
    assert_eq!(flow.block_of(1), Some(BlockId(1)));
}

#[test]
fn an_empty_body_has_no_blocks() {
    let module = kernel("");
    let flow = ControlFlow::of(only(&module));
    assert!(flow.blocks.is_empty());
    assert_eq!(Liveness::of(only(&module), &flow).register_words, 0);
}

/// Registers and predicates needed at once.
fn needs(body: &str) -> (u32, u32) {
    let module = kernel(body);
    let flow = ControlFlow::of(only(&module));
    let liveness = Liveness::of(only(&module), &flow);
    (liveness.register_words, liveness.predicates)
}

#[test]
fn a_wide_register_counts_twice_and_a_predicate_apart() {
    // Both rd1 and rd2 are live before the add: four words.
    let body = "mov.u64 %rd1, 1;\n mov.u64 %rd2, 2;\n add.s64 %rd3, %rd1, %rd2;\n setp.eq.s64 %p1, %rd3, 0;\n @%p1 ret;";
    assert_eq!(needs(body), (4, 1));
}

#[test]
fn registers_of_disjoint_lives_share() {
    let body =
        "mov.u32 %r1, 1;\n add.s32 %r2, %r1, 1;\n add.s32 %r3, %r2, 1;\n st.global.u32 [0], %r3;\n ret;";
    assert_eq!(needs(body), (1, 0));
}

#[test]
fn a_value_carried_round_a_loop_stays_live() {
    let body = "mov.u32 %r1, 0;\n mov.u32 %r2, 5;\nLOOP: add.s32 %r1, %r1, %r2;\n setp.lt.s32 %p1, %r1, 100;\n \
                @%p1 bra LOOP;\n st.global.u32 [0], %r1;\n ret;";
    let module = kernel(body);
    let flow = ControlFlow::of(only(&module));
    let liveness = Liveness::of(only(&module), &flow);
    let body = only(&module).body.as_ref().map(|body| &body.registers);
    let names = |block: u32| -> Vec<&str> {
        let registers = body.into_iter().flatten().collect::<Vec<_>>();
        liveness.live_in(BlockId(block)).iter().map(|id| registers[id.index()].name.as_str()).collect()
    };
    assert_eq!(names(1), ["%r1", "%r2"]);
    assert_eq!(names(2), ["%r1"]);
    assert_eq!(liveness.register_words, 2);
}

#[test]
fn a_guarded_write_keeps_the_old_value_alive() {
    // Without the guard %r1 of the first line would be dead while %r2 lives.
    let body = "mov.u32 %r1, 1;\n mov.u32 %r2, 5;\n setp.eq.s32 %p1, %r2, 0;\n @%p1 mov.u32 %r1, 2;\n \
                st.global.u32 [0], %r1;\n ret;";
    assert_eq!(needs(body), (2, 1));
    let unguarded = body.replace("@%p1 mov", "mov");
    assert_eq!(needs(&unguarded), (1, 1));
}

#[test]
fn a_deep_chain_of_branches_is_not_recursive() {
    let mut body = String::new();
    for index in 0..20_000 {
        body.push_str(&format!("@%p1 bra L{index};\n mov.u32 %r1, {index};\nL{index}:\n"));
    }
    body.push_str("ret;");
    let flow = ControlFlow::of(only(&kernel(&body)));
    assert_eq!(flow.reconvergence(0), Some(2));
}
