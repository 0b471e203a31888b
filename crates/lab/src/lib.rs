//! Experiments: what turns the simulator into answers.
//!
//! | module       | question it answers                                            |
//! |--------------|----------------------------------------------------------------|
//! | [`run`]      | what exactly is simulated, and what came out of it?            |
//! | [`store`]    | where are results kept?                                        |
//! | [`approximation`] | what does approximation cost a program of one's own?     |
//! | [`batch`]    | how are many runs run, none twice?                             |
//! | [`compare`]  | what do schemes give, relative to a baseline?                  |
//! | [`suite`]    | which workloads does a name mean?                              |
//! | [`sweep`]    | which runs are all combinations, and who runs them?            |
//! | [`fingerprint`] | how like its original is a workload?                       |
//! | [`program`]  | how is a user's own CUDA program run, and what does it leave?  |
//! | [`profile`]  | what does a run move to and from DRAM?                    |
//! | [`traffic`]  | how well do codecs shrink what workloads move to and from DRAM? |
//! | [`hardware`] | what does a system cost in area, power and state?              |
//! | [`tables`]   | which tables do the trained codecs of a run have?              |
//! | [`figures`]  | which runs does each figure of the papers need, and what do they show? |
//! | [`reproduce`]| how are figures drawn from the store?                          |
//! | [`serve`]    | how are the runs of a store looked at in a browser?            |

pub mod approximation;
pub mod batch;
pub mod calibration;
pub mod compare;
mod error;
pub mod figures;
pub mod fingerprint;
pub mod hardware;
pub mod profile;
pub mod program;
pub mod reproduce;
pub mod run;
pub mod serve;
pub mod store;
pub mod suite;
pub mod sweep;
pub mod tables;
pub mod traffic;

pub use error::LabError;
