//! Simulations on the command line: how their progress is shown, and their trace.
//!
//! | file  | question it answers                                      |
//! |-------|----------------------------------------------------------|
//! | `bar` | how far is it, and was Ctrl-C pressed?             |

mod bar;

pub use bar::{LaunchBar, interrupt_flag};

use std::io;

use shrinkwarp_sim::launch::RunReport;
use shrinkwarp_sim::timeline::write_trace;

/// The trace of all launches.
pub fn trace(launches: &[RunReport]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let blocks: Vec<_> = launches.iter().flat_map(|launch| launch.blocks.iter().copied()).collect();
    let samples: Vec<_> = launches.iter().flat_map(|launch| launch.samples.iter().copied()).collect();
    let kernel = launches.first().map_or("", |launch| launch.kernel.as_str());
    write_trace(&mut out, kernel, &blocks, &samples)?;
    Ok(out)
}
