//! PTX text to checked kernels: scanner, parser, opcode table, control flow, liveness.
//!
//! PTX is NVIDIA's virtual instruction set ("Parallel Thread Execution ISA", versions 3.0 to 9.x). This crate
//! reads it as clang and nvcc write it and knows neither values nor cycles.
//!
//! | where         | question it answers                                                          |
//! |---------------|------------------------------------------------------------------------------|
//! | [`isa`]       | what does the standard allow? types, modifiers and opcodes as tables          |
//! | [`ast`]       | what did this file say? modules, functions, variables, instructions           |
//! | [`parse`]     | text to [`ast::Module`], or every mistake found                               |
//! | [`flow`]      | where can control go, where do threads meet again, what is live?              |
//! | [`Summary`]   | what does a function need and what is it made of?                             |
//!
//! ```
//! let module = shrinkwarp_ptx::parse(".version 7.0 .target sm_70 .address_size 64 .entry k() { ret; }")?;
//! assert_eq!(module.kernels().count(), 1);
//! # Ok::<(), Vec<shrinkwarp_ptx::Diagnostic>>(())
//! ```

pub mod ast;
pub mod flow;
pub mod isa;

mod diagnostic;
mod literal;
mod parser;
mod scanner;
mod summary;

pub use diagnostic::Diagnostic;
pub use parser::parse;
pub use summary::{Summary, bytes_in};
