//! Energy: events times joules, plus what flows as long as the GPU is on.
//!
//! An [`EnergySet`] names the source of its figures; a report names the set, and no report mixes two.

mod events;
mod report;
mod set;

pub use crate::config::ENERGY_SETS;
pub use events::Events;
pub use report::{EnergyReport, Part, report};
pub use set::{EnergySet, default_energy, load_energy, load_energy_text};
