//! Simulations on the command line: a GPU that shows its progress, and its trace.
//!
//! | file           | question it answers                                    |
//! |----------------|--------------------------------------------------------|
//! | `approximated` | what are results worth whose loads were approximated?  |
//! | `watched`      | how far is it, and has somebody pressed Ctrl-C?        |

mod approximated;
mod watched;

pub use approximated::execute_approximated;
pub use watched::WatchedGpu;

use std::io;

use shrinkwarp_sim::timeline::write_trace;

/// The trace of all launches.
pub fn trace(device: &WatchedGpu) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let blocks: Vec<_> = device.launches().iter().flat_map(|launch| launch.blocks.iter().copied()).collect();
    let samples: Vec<_> =
        device.launches().iter().flat_map(|launch| launch.samples.iter().copied()).collect();
    let kernel = device.launches().first().map_or("", |launch| launch.kernel.as_str());
    write_trace(&mut out, kernel, &blocks, &samples)?;
    Ok(out)
}
