//! One simulation: what is asked ([`RunSpec`]), what that means ([`Run`]), and what came out ([`RunResult`]).
//!
//! A spec names things as the command line does; resolving it reads every file and finds every mistake. A resolved run
//! holds values only, so that it means the same on every machine, and its [`Identity`] is the hash of them: runs of one
//! identity have one result.
//!
//! | file           | question it answers                                         |
//! |----------------|-------------------------------------------------------------|
//! | `spec`         | what is asked, and is it possible?                          |
//! | `identity`     | is it the same run as another?                              |
//! | `naming`       | what is its scheme called?                                  |
//! | `device`       | how is it watched while it runs?                            |
//! | `execute`      | how is it run?                                              |
//! | `approximated` | what are results worth whose loads were approximated?       |
//! | `result`       | what came out?                                              |
//! | `counters`     | what is each number called?                                 |
//! | `derived`      | which numbers follow from the counted ones?                 |
//! | `record`       | what is kept of it, and for how long is it true?            |

mod approximated;
mod counters;
mod derived;
mod device;
mod execute;
mod identity;
mod naming;
mod record;
mod result;
mod spec;

pub use counters::{Counters, number};
pub use derived::POINTS;
pub use device::{RecordedGpu, Watcher};
pub use execute::{Executed, Watching, execute, measure, result_of};
pub use identity::{Identity, configuration_text, hash};
pub use record::{Outcome, Provenance, Record};
pub use result::{LaunchResult, RunResult, Series};
pub use spec::{Input, Run, RunSpec, find_data_set, find_workload, gpu_overrides, parse_scale, scheme_with};
