//! PTX without running it.
//!
//! | module    | question it answers                                                        |
//! |-----------|----------------------------------------------------------------------------|
//! | [`check`] | what does each kernel need, and which of its instructions cannot run?      |
//! | [`graph`] | which basic blocks has a kernel, and where do diverged threads meet again? |
//! | [`dot`]   | the graph for Graphviz                                                     |
//! | [`svg`]   | the graph as a drawing                                                     |

pub mod check;
pub mod dot;
pub mod graph;
pub mod svg;
