//! Experiments: what turns the simulator into answers.
//!
//! | module       | question it answers                                            |
//! |--------------|----------------------------------------------------------------|
//! | [`run`]      | what exactly is simulated, and what came out of it?            |
//! | [`store`]    | where are results kept?                                        |
//! | [`batch`]    | how are many runs run, none twice?                             |
//! | [`compare`]  | what do schemes give, relative to a baseline?                  |
//! | [`suite`]    | which workloads does a name stand for?                         |
//! | [`sweep`]    | which runs are all combinations, and who runs them?            |
//! | [`fingerprint`] | how like its original is a workload?                       |
//! | [`profile`]  | what does a workload move to and from DRAM?                    |
//! | [`tables`]   | which tables do the trained codecs of a run have?              |
//! | [`figures`]  | which runs does each figure of the papers need, and what do they show? |
//! | [`figure`]   | what does a paper show and claim, and what did we find?        |
//! | [`reproduce`]| how are figures drawn from the store?                          |
//! | [`chart`]    | how is it drawn?                                               |
//! | [`page`]     | how is it shown?                                               |
//! | [`serve`]    | how are the runs of a store looked at in a browser?            |

pub mod batch;
pub mod chart;
pub mod compare;
mod error;
pub mod figure;
pub mod figures;
pub mod fingerprint;
pub mod markup;
pub mod page;
pub mod profile;
pub mod reproduce;
pub mod run;
pub mod serve;
pub mod store;
pub mod suggestion;
pub mod suite;
pub mod sweep;
pub mod tables;

pub use error::LabError;
