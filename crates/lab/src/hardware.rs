//! What a system costs in hardware, from the published figures of its parts.

pub mod e2mc;
pub mod latte;
