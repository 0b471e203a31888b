//! Are declarations, initialisers, scopes, calls and debug directives read as they are meant?
#![expect(clippy::panic, reason = "tests")]

use shrinkwarp_ptx::ast::{
    Address, AddressBase, FunctionId, Immediate, Linkage, Module, Operand, Relocation, Symbol, Variable,
    VariableId, VariableType,
};
use shrinkwarp_ptx::isa::{ScalarType, StateSpace};
use shrinkwarp_ptx::parse;

fn read(source: &str) -> Module {
    parse(&format!(".version 7.0\n.target sm_70, debug\n.address_size 64\n{source}"))
        .unwrap_or_else(|found| panic!("{found:#?}"))
}

/// The first module variable and its initial bytes.
fn initialised(source: &str) -> (Variable, Vec<u8>) {
    let variable = read(source).globals.remove(0);
    let bytes = variable.initializer.as_ref().map(|initializer| initializer.bytes.clone());
    (variable, bytes.unwrap_or_default())
}

/// Operands of instruction `at` of a kernel of that body.
fn operands(module: &Module, at: usize) -> &[Operand] {
    let body = module.functions.iter().find_map(|function| function.body.as_ref());
    body.map_or(&[], |body| &body.instructions[at].operands)
}

#[test]
fn an_initialiser_becomes_bytes_in_memory_order() {
    assert_eq!(initialised(".global .u32 a = 0x01020304;").1, [4, 3, 2, 1]);
    assert_eq!(initialised(".global .u16 a[3] = {1, 0x203};").1, [1, 0, 3, 2]);
    assert_eq!(initialised(".const .f32 a = 1.0;").1, 1.0f32.to_le_bytes());
    assert_eq!(initialised(".const .f64 a = 0d3FF0000000000000;").1, 1.0f64.to_le_bytes());
    assert_eq!(initialised(".global .s8 a[2] = {-1, 6*7};").1, [255, 42]);
}

#[test]
fn inner_braces_start_at_their_row() {
    let (variable, bytes) = initialised(".global .b8 a[2][3] = {{1, 2}, {3}};");
    assert_eq!((variable.size_bytes, bytes), (6, vec![1, 2, 0, 3]));
    let (variable, bytes) = initialised(".global .v2 .u8 a[2] = {{1, 2}, {3, 4}};");
    assert_eq!((variable.size_bytes, bytes), (4, vec![1, 2, 3, 4]));
}

#[test]
fn an_open_array_takes_its_size_from_the_initialiser() {
    let (variable, _) = initialised(".global .u32 a[] = {1, 2, 3};");
    assert_eq!((variable.dimensions, variable.size_bytes), (vec![3], 12));
}

#[test]
fn addresses_in_initialisers_wait_for_the_loader() {
    let module = read(
        ".global .u32 a[4];\n.global .u64 p[] = {a, a+8, generic(a)-4};\n.global .u8 q[] = {0xff(a), 0xff00(generic(a))};",
    );
    let relocations = |index: usize| -> Vec<Relocation> {
        module.globals[index]
            .initializer
            .as_ref()
            .map(|initializer| initializer.relocations.clone())
            .unwrap_or_default()
    };
    let symbol = Symbol::Global(VariableId(0));
    let word = |at_byte, addend, is_generic| Relocation {
        at_byte,
        width_bytes: 8,
        symbol,
        addend,
        is_generic,
        byte_of_address: None,
    };
    assert_eq!(relocations(1), [word(0, 0, false), word(8, 8, false), word(16, -4, true)]);
    let bytes: Vec<_> = relocations(2).iter().map(|each| (each.byte_of_address, each.is_generic)).collect();
    assert_eq!(bytes, [(Some(0), false), (Some(1), true)]);
}

#[test]
fn linkage_alignment_and_opaque_types_are_kept() {
    let module = read(
        ".extern .shared .align 16 .b8 dynamic[];\n.visible .global .align 8 .b8 data[20];\n.global .texref image;\n\
         .weak .const .u32 limit;\n.global .attribute(.managed) .u32 shared_with_host;\n\
         .global .samplerref s = { filter_mode = nearest };",
    );
    let [dynamic, data, image, limit, managed, sampler] = &module.globals[..] else {
        panic!("six variables")
    };
    assert_eq!((dynamic.linkage, dynamic.size_bytes, dynamic.align_bytes), (Linkage::Extern, 0, 16));
    assert_eq!((data.linkage, data.size_bytes, data.align_bytes), (Linkage::Visible, 20, 8));
    assert_eq!(image.element, VariableType::Texture);
    assert_eq!((limit.linkage, limit.space), (Linkage::Weak, StateSpace::Constant));
    assert_eq!(managed.size_bytes, 4);
    assert_eq!(sampler.element, VariableType::Sampler);
}

#[test]
fn an_extern_declaration_and_its_definition_are_one_variable() {
    let module = read(".extern .global .u32 a;\n.visible .global .u32 a = 7;");
    assert_eq!(module.globals.len(), 1);
    assert_eq!(module.globals[0].linkage, Linkage::Visible);
}

#[test]
fn parameters_and_performance_directives_are_kept() {
    let module = read(
        ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 4 .b8 s[12])\n\
         .maxntid 128, 2\n.minnctapersm 3\n.maxnreg 64\n.pragma \"nounroll\";\n{ ret; }",
    );
    let kernel = &module.functions[0];
    assert_eq!(kernel.parameters[0].points_to, Some((Some(StateSpace::Global), 16)));
    assert_eq!((kernel.parameters[1].size_bytes, kernel.parameters[1].align_bytes), (12, 4));
    assert_eq!(kernel.performance.max_threads, Some([128, 2, 1]));
    assert_eq!(kernel.performance.min_blocks_per_sm, Some(3));
    assert_eq!(kernel.performance.max_registers, Some(64));
    assert_eq!(kernel.performance.pragmas, ["nounroll"]);
}

#[test]
fn a_recursive_function_calls_itself() {
    let module = read(
        ".func (.param .b32 r) f (.param .b32 n)\n{\n .reg .b32 %r<2>;\n { .param .b32 a; .param .b32 b;\n \
         st.param.b32 [a], %r1;\n call.uni (b),\n f,\n (a\n);\n ld.param.b32 %r1, [b]; }\n ret;\n}",
    );
    let expected = [
        Operand::List([Operand::Symbol(Symbol::Local(VariableId(1)), 0)].into()),
        Operand::Symbol(Symbol::Function(FunctionId(0)), 0),
        Operand::List([Operand::Symbol(Symbol::Local(VariableId(0)), 0)].into()),
    ];
    assert_eq!(operands(&module, 1), expected);
}

#[test]
fn a_declared_function_is_completed_by_its_definition() {
    let module = read(".func f (.param .b32 a);\n.entry k() { ret; }\n.func f (.param .b32 a) { ret; }");
    assert_eq!(module.functions.len(), 2);
    assert!(module.functions[0].body.is_some());
}

#[test]
fn registers_of_one_name_in_two_scopes_are_two() {
    let module = read(
        ".entry k() {\n .reg .b32 x;\n mov.u32 x, 1;\n { .reg .b64 x; mov.u64 x, 2; }\n mov.u32 x, 3;\n}",
    );
    let targets: Vec<&Operand> = (0..3).map(|at| &operands(&module, at)[0]).collect();
    assert_eq!(targets[0], targets[2]);
    assert_ne!(targets[0], targets[1]);
}

#[test]
fn the_innermost_label_wins_even_before_its_definition() {
    let module = read(".entry k() {\nL: ret;\n { bra L;\n L: exit; }\n bra L;\n}");
    let body = module.functions[0].body.as_ref();
    let target = |at: usize| match (&operands(&module, at)[0], body) {
        (Operand::Label(label), Some(body)) => body.label_target(*label),
        other => panic!("{other:?}"),
    };
    assert_eq!((target(1), target(3)), (2, 0));
}

#[test]
fn a_vector_register_is_its_elements() {
    let module = read(
        ".entry k() {\n .reg .v2 .f32 %v;\n .reg .f32 %f;\n ld.global.v2.f32 %v, [16];\n mov.f32 %f, %v.y;\n}",
    );
    let Operand::Vector(elements) = &operands(&module, 0)[0] else { panic!("a vector") };
    assert_eq!(elements.len(), 2);
    assert_eq!(operands(&module, 1)[1], elements[1]);
    let absolute = Address { base: AddressBase::Absolute, offset_bytes: 16 };
    assert_eq!(operands(&module, 0)[1], Operand::Address(absolute));
}

#[test]
fn offsets_indices_and_literals_have_their_values() {
    let module = read(
        ".global .u32 a[8];\n.entry k() {\n .reg .b64 %rd<2>; .reg .f32 %f<2>;\n mov.u64 %rd1, a+4;\n \
         mov.u64 %rd1, a[3];\n ld.global.f32 %f1, [%rd1+-8];\n mov.f32 %f1, 0f3F800000;\n mov.b64 %rd1, -1;\n}",
    );
    let symbol = Symbol::Global(VariableId(0));
    assert_eq!(operands(&module, 0)[1], Operand::Symbol(symbol, 4));
    assert_eq!(operands(&module, 1)[1], Operand::Symbol(symbol, 12));
    assert!(matches!(operands(&module, 2)[1], Operand::Address(Address { offset_bytes: -8, .. })));
    assert_eq!(operands(&module, 3)[1], Operand::Immediate(Immediate::F32(0x3F80_0000)));
    assert_eq!(operands(&module, 4)[1], Operand::Immediate(Immediate::Integer(u64::MAX)));
}

#[test]
fn debug_directives_are_skipped_whole() {
    let module = read(
        ".file 1 \"a.cu\", 123, 45\n.entry k() {\n .loc 1 7 3, function_name $L__info0, inlined_at 1 2 3\n ret;\n\
         $L__end: }\n.section .debug_str {\n$L__info0:\n.b8 1,2,3\n.b32 .debug_abbrev\n}\n.global .u32 after;",
    );
    assert_eq!(module.functions[0].body.as_ref().map(|body| body.instructions.len()), Some(1));
    assert_eq!(module.globals[0].element, VariableType::Scalar(ScalarType::U32));
}

#[test]
fn an_alias_names_a_function() {
    assert_eq!(read(".func f () { ret; }\n.alias g, f;").aliases, [("g".to_string(), FunctionId(0))]);
}

/// What separate compilation makes of two source files.
const LINKED: &str = ".version 7.0 .target sm_70 .address_size 64
    .extern .func (.param .b32 r) twice (.param .b32 x);
    .extern .global .align 4 .u32 calls;
    .global .align 1 .b8 text[2] = {104, 0};
    .weak .func shared_template () { ret; }
    .visible .entry k () { .reg .b64 %rd<3>; mov.u64 %rd1, calls; mov.u64 %rd2, text; ret; }
    .version 7.5 .target sm_75 .address_size 64
    .visible .global .align 4 .u32 calls = 5;
    .global .align 1 .b8 text[3] = {111, 107, 0};
    .weak .func shared_template () { ret; }
    .visible .func (.param .b32 r) twice (.param .b32 x) { .reg .b64 %rd<2>; mov.u64 %rd1, text; ret; }";

#[test]
fn files_after_each_other_are_linked() {
    let module = parse(LINKED).unwrap();
    assert_eq!((module.version, module.target.as_slice()), ((7, 5), &["sm_75".to_owned()][..]));
    let (_, twice) = module.function("twice").unwrap();
    assert!(twice.body.is_some(), "an .extern declaration takes the definition of another file");
    let calls: Vec<_> = module.globals.iter().filter(|variable| variable.name == "calls").collect();
    assert!(calls.len() == 1 && calls[0].initializer.is_some());
    assert_eq!(module.functions.iter().filter(|function| function.name == "shared_template").count(), 1);
}

#[test]
fn a_name_without_linkage_belongs_to_its_file() {
    let module = parse(LINKED).unwrap();
    let sizes: Vec<_> = module
        .globals
        .iter()
        .filter(|variable| variable.name == "text")
        .map(|text| text.size_bytes)
        .collect();
    assert_eq!(sizes, [2, 3]);
    let reads = |function: &str| {
        let (_, function) = module.function(function).unwrap();
        let instructions = &function.body.as_ref().unwrap().instructions;
        format!("{:?}", instructions[instructions.len() - 2].operands[1])
    };
    assert_ne!(reads("k"), reads("twice"));
    let alone = LINKED.replace(".version 7.5", "");
    assert!(parse(&alone.replace(".target sm_75 .address_size 64", "")).is_err(), "one file has one text");
}
