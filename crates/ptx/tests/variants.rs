//! Is every instruction variant that real programs use in the opcode table?
//!
//! `kernels/variants.ptx` has one line for each of the 477 variants found in 196 public programs (Rodinia, Parboil,
//! Polybench, Pannotia, LonestarGPU, SHOC and others, compiled by nvcc 11.8), then newer ones.
#![expect(clippy::panic, reason = "tests")]

use std::collections::BTreeSet;

use shrinkwarp_ptx::ast::Instruction;
use shrinkwarp_ptx::isa::{Kind, StateSpace};
use shrinkwarp_ptx::parse;

const VARIANTS: &str = include_str!("kernels/variants.ptx");
const FOUND_IN_PROGRAMS: usize = 477;
const NEWER: usize = 124;

fn instructions() -> Vec<Instruction> {
    let module = parse(VARIANTS).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"));
    module
        .functions
        .into_iter()
        .filter_map(|function| function.body)
        .flat_map(|body| body.instructions)
        .collect()
}

#[test]
fn every_variant_parses() {
    // The last line is the kernel's own `ret`.
    assert_eq!(instructions().len(), FOUND_IN_PROGRAMS + NEWER + 1);
}

#[test]
fn the_list_has_no_repetitions() {
    let spellings: BTreeSet<_> = instructions()
        .iter()
        .take(FOUND_IN_PROGRAMS)
        .map(|instruction| instruction.variant.spelling.clone())
        .collect();
    assert_eq!(spellings.len(), FOUND_IN_PROGRAMS);
}

#[test]
fn every_instruction_is_defined_by_its_row() {
    for instruction in instructions() {
        let row = instruction.opcode().info();
        let spelling = &instruction.variant.spelling;
        let modifiers = instruction.modifiers();
        assert!(row.needs.iter().all(|kind| modifiers.has(kind)), "{spelling}");
        assert!(modifiers.present.iter().all(|kind| row.allows.contains(kind)), "{spelling}");
        assert!(row.shape.accepts(instruction.operands.len()), "{spelling}");
    }
}

#[test]
fn an_asynchronous_copy_knows_both_spaces() {
    let copy = instructions().into_iter().find(|i| &*i.variant.spelling == "cp.async.ca.shared.global");
    let copy = copy.unwrap_or_else(|| panic!("no cp.async in the list"));
    assert_eq!(copy.modifiers().space, Some(StateSpace::Shared));
    assert_eq!(copy.modifiers().second_space, Some(StateSpace::Global));
    assert!(!copy.modifiers().has(Kind::Hint));
}
