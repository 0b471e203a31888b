//! What a GPU is made of: one TOML file for each, one key for each field, the unit in the key.
//!
//! The presets are part of the program; the text of a user's own file works in their place. A file either has every key
//! or names a preset with `based_on` and has only what differs. `--set section.key=value` changes single keys.

mod assign;
mod catalogue;
mod check;
pub(crate) mod codecs;
mod derived;
mod error;
mod limits;
mod load;
mod place;
mod presets;
pub mod scheme;
mod sm;
mod spec;

pub use crate::base::setting::Impossible;
pub use crate::compute::scheduler::SchedulerPolicy;
pub use crate::fabric::config::InterconnectConfig;
pub use crate::partition::controller::dram::config::{DramConfig, DramTiming};
pub use crate::partition::l2::config::L2Config;
pub use catalogue::{Catalogue, Preset};
pub use derived::Derived;
pub use error::ConfigError;
pub use load::{load, load_text};
pub use presets::{ENERGY_SETS, GPUS, SCHEMES};
pub use scheme::{SchemeSpec, load_scheme, load_scheme_text};
pub use spec::{
    CacheConfig, GpuSpec, L1Allocate, L1Config, L1WritePolicy, OpTiming, OpTimings, PipelineConfig, SmConfig,
};
