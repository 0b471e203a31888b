//! One simulation: what is asked ([`RunSpec`]), what that means ([`Run`]), and what came out ([`RunResult`]).
//!
//! A spec names things as the command line does; resolving it reads every file and finds every mistake. A resolved run
//! holds values only, so that it means the same on every machine, and its [`Identity`] is the hash of them: runs of one
//! identity have one result.
//!
//! | file           | question it answers                                         |
//! |----------------|-------------------------------------------------------------|
//! | `spec`         | what is asked, and is it possible?                          |
//! | `subject`      | what is run: a workload, a launch file or a program?        |
//! | `identity`     | is it the same run as another?                              |
//! | `naming`       | what is its scheme called?                                  |
//! | `device`       | how is it watched while it runs?                            |
//! | `execute`      | how is it run?                                              |
//! | `approximated` | what are results worth whose loads were approximated?       |
//! | `record`       | what is kept of it, and for how long is it true?            |

mod approximated;
mod device;
mod execute;
mod identity;
mod naming;
mod record;
mod spec;
mod subject;

pub use device::{RecordedGpu, Watcher};
pub use execute::{Performed, Watching, execute, execute_with_findings, measure, perform};
pub(crate) use identity::hash_file;
pub use identity::{Identity, configuration_text, hash};
pub use record::{Provenance, Record, RunOutcome, host_name};
pub use shrinkwarp_machine::counters::{Counters, number};
pub use shrinkwarp_machine::derived::POINTS;
pub use shrinkwarp_machine::result::{Executed, LaunchResult, RunResult, Series};
pub use spec::{Run, RunSpec, parse_scale};
pub use subject::{
    Input, LaunchFileSubject, OWN_INPUT, Subject, SubjectSpec, WorkloadInput, at_scale, find_data_set,
    find_workload, is_launch_file,
};
