//! Do real kernels parse? The calibration kernels as nvcc 11.8 and clang 19 (at three levels) write them.
#![expect(clippy::panic, reason = "tests")]

use shrinkwarp_ptx::ast::Module;
use shrinkwarp_ptx::isa::{Opcode, StateSpace};
use shrinkwarp_ptx::parse;

const NVCC: &str = include_str!("kernels/calibration.ptx");
const CLANG: [&str; 3] = [
    include_str!("kernels/calibration_clang_O0.ptx"),
    include_str!("kernels/calibration_clang_O1.ptx"),
    include_str!("kernels/calibration_clang_O3.ptx"),
];

const KERNELS: [&str; 17] = [
    "vecadd",
    "strided_copy",
    "matmul_naive",
    "matmul_tiled",
    "reduce",
    "histogram",
    "bfs_level",
    "pointer_chase",
    "stencil5",
    "transpose_conflict",
    "special",
    "fma_chain",
    "fma_wide",
    "int_mix",
    "gather",
    "l1_sweep",
    "diverge",
];

fn read(source: &str) -> Module {
    parse(source).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn kernel_names(module: &Module) -> Vec<&str> {
    module.kernels().map(|kernel| kernel.name.as_str()).collect()
}

#[test]
fn kernels_of_nvcc_parse() {
    let module = read(NVCC);
    assert_eq!(module.version, (7, 8));
    assert_eq!(module.target, ["sm_35"]);
    assert_eq!(module.address_size_bits, 64);
    assert_eq!(kernel_names(&module), KERNELS);
}

#[test]
fn kernels_of_clang_parse_at_every_level() {
    for source in CLANG {
        assert_eq!(kernel_names(&read(source)), KERNELS);
    }
}

#[test]
fn a_kernel_is_read_instruction_by_instruction() {
    let module = read(NVCC);
    let (_, kernel) = module.function("vecadd").unwrap();
    let body = kernel.body.as_ref().unwrap();
    let spellings: Vec<&str> = body.instructions.iter().map(|i| &*i.variant.spelling).collect();
    assert_eq!(spellings.len(), 22);
    assert_eq!(&spellings[..5], ["ld.param.u64", "ld.param.u64", "ld.param.u64", "ld.param.u32", "mov.u32"]);
    assert_eq!(body.instructions[9].opcode(), Opcode::Bra);
    assert_eq!(body.labels[0].instruction, 21);
    assert_eq!((body.declared_register_words, body.declared_predicates), (4 + 6 + 2 * 11, 2));
    let sizes: Vec<u64> = kernel.parameters.iter().map(|parameter| parameter.size_bytes).collect();
    assert_eq!(sizes, [8, 8, 8, 4]);
}

#[test]
fn shared_arrays_know_their_size() {
    let module = read(NVCC);
    let (_, kernel) = module.function("matmul_tiled").unwrap();
    let variables = kernel.body.as_ref().unwrap().variables.iter();
    let shared: u64 = variables.filter(|v| v.space == StateSpace::Shared).map(|v| v.size_bytes).sum();
    assert_eq!(shared, 2 * 16 * 16 * 4);
}
