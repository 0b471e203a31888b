//! How well each codec would shrink tensors.
//!
//! - Every tensor is cut into blocks from its first byte. A tail that does not fill a block is counted as stored raw.
//! - Sizes are bit-exact, tags and masks included, and capped at the raw block; the one bit that says *raw* lives
//!   outside the data (tag, metadata cache, packet head) and is not counted.
//! - Trained codecs learn one set of tables per input, from the training share of each of its tensors. Ratios
//!   leave the tables out, as hardware loads them once; the ranking counts them, or tiny tensors would always favour
//!   a codec that memorises them.

mod choose;
pub mod csv;
mod engine;
mod error;
pub mod html;
pub mod json;
pub mod report;
pub mod speed;
pub mod table;
mod tally;
mod training;
mod watch;

pub use choose::Choice;
pub use engine::{Plan, analyze};
pub use error::AnalyzeError;
pub use training::TrainingShare;
pub use watch::Watch;
