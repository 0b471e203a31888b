//! Does every instruction variant that real programs use execute?
//!
//! The list is the PTX front end's: one line for each of the 477 variants found in 196 public programs, then newer
//! ones.

use shrinkwarp_emu::load::unsupported;

const VARIANTS: &str = include_str!("../../ptx/tests/kernels/variants.ptx");

/// What is refused, by the start of its message: surface reductions, then newer instructions. The list of variants also calls functions that it only declares.
const REFUSED: [&str; 21] = [
    "sured.",
    "lop3.or.b32",
    "mma.sync.aligned.m8n8k16",
    "mma.sync.aligned.m16n8k256",
    "min.xorsign.abs.f32",
    "cvt.rn.satfinite.e4m3x2.f32",
    "cvt.pack.",
    "atom.global.v2.f32.add",
    "mad24.hi.sat.s32",
    "barrier.cluster.arrive",
    "barrier.cluster.wait",
    "tex.2d.v4.f32.f32: separate samplers",
    "cp.async.bulk.shared",
    "cp.async.bulk.commit_group",
    "wgmma.",
    "setmaxnreg.",
    "createpolicy.",
    "brkpt",
    "alloca.",
    "function callee is declared",
    "function callee2 is declared",
];

#[test]
fn only_what_is_listed_here_is_refused() {
    let module = shrinkwarp_ptx::parse(VARIANTS).unwrap();
    let refused: Vec<_> = unsupported(&module).into_iter().map(|error| error.message).collect();
    let is_listed = |message: &str| REFUSED.iter().any(|start| message.starts_with(start));
    let unexpected: Vec<_> = refused.iter().filter(|message| !is_listed(message)).cloned().collect();
    assert!(unexpected.is_empty(), "refused:\n{}", unexpected.join("\n"));
    for start in REFUSED {
        assert!(refused.iter().any(|message| message.starts_with(start)), "{start} is no longer refused");
    }
}
