//! What a workload does to a machine, in the columns that its original was measured in, and how far the two are apart.
//!
//! `reference/originals.csv` has what the programs that the papers ran did on our machines. A fingerprint has the same
//! columns of one of our workloads; [`Comparison`] puts both side by side and marks what is further apart than
//! [`allowance`] permits. Besides the columns of the originals a fingerprint has thread instructions per launch and the
//! compression ratios of the DRAM traffic.

mod columns;
mod comparison;
mod measurement;
mod originals;
mod text;

pub use columns::{COLUMNS, Columns, allowance};
pub use comparison::{Comparison, Difference};
pub use measurement::{Fingerprint, Measurement};
pub use originals::{Original, SameInput, machine, original_of, originals, same_input};
