//! PTX text to checked kernels: scanner, parser, opcode table, control flow, liveness.
//!
//! PTX is NVIDIA's virtual instruction set ("Parallel Thread Execution ISA", versions 3.0 to 9.x). This crate
//! reads it as clang and nvcc write it and knows neither values nor cycles.
//!
//! | folder        | question it answers                                                          |
//! |---------------|------------------------------------------------------------------------------|
//! | [`isa`]       | what does the standard allow? types, modifiers and opcodes as tables          |
//! | [`ast`]       | what did this file say? modules, functions, variables, instructions           |

pub mod ast;
pub mod isa;
