//! What a PTX instruction means: warps, lanes, SIMT stack, memory spaces.
//!
//! This crate knows no cycles. A timing model asks it, one warp instruction at a time, what happens
//! ([`step`](exec::step)).
//!
//! | module         | question it answers                                                        |
//! |----------------|-----------------------------------------------------------------------------|
//! | [`inst`]       | what does one decoded instruction tell the timing model?                    |
//! | [`kernel`]     | what is loaded: code, parameters, sizes, module data?                       |
//! | [`launch`]     | with which grid, thread block and arguments does a kernel run?              |
//! | [`warp`], [`simt`], [`thread_block`] | what is the architectural state?                      |
//! | [`memory`]     | where do addresses lead, and which are valid?                               |
//! | [`effects`], [`fault`] | what did an instruction do, what went wrong?                        |
//! | [`device`]     | what does host code see?                                                    |
//! | [`device_work`] | what do kernels ask the host to run?                                       |

mod call;
mod decode;
pub mod device;
pub mod device_work;
pub mod effects;
pub mod exec;
pub mod fault;
mod format;
pub mod functional;
mod grid;
pub mod inst;
pub mod kernel;
mod lanes;
pub mod launch;
pub mod load;
mod matrix;
mod mbarrier;
pub mod memory;
pub mod op;
pub mod registers;
mod runner;
pub mod simt;
mod texture;
pub mod thread_block;
mod turns;
pub mod warp;

/// Threads of a warp.
pub const LANES: usize = 32;

/// One bit per lane of a warp; bit 0 is lane 0.
pub type LaneMask = u32;
