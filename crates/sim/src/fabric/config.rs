//! The keys of `[interconnect]` in a GPU file.

#![expect(
    missing_docs,
    reason = "the fields are explained next to their values, in configs/gpus/gtx480.toml"
)]

use serde::{Deserialize, Serialize};

use super::InterconnectKind;

/// The two crossbars.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterconnectConfig {
    pub kind: InterconnectKind,
    pub queue_packets: usize,
    pub flit_bytes: u32,
    pub buffer_flits: usize,
    pub vc_allocation_cycles: u64,
    pub internal_speedup: usize,
    pub input_queue_flits: usize,
    pub boundary_flits: usize,
    pub sm_reply_packets: usize,
}
