//! Kernel-OPT: an oracle that knows the best mode of every kernel, made from the runs that use one mode throughout.

use std::collections::BTreeMap;

use super::{NONE, STATIC_BDI, STATIC_SC, run};
use crate::LabError;
use crate::figures::common::Member;
use crate::figures::{Measured, Scope};

/// What the oracle does for a workload.
pub struct KernelOpt {
    /// Cycles of all kernels, each in its best mode.
    pub cycles: u64,
    /// Share of these cycles in each mode: none, BDI, SC.
    pub mode_shares: [f64; 3],
}

/// Chooses the best of the recorded modes for each kernel of a workload.
pub fn kernel_opt(scope: Scope, member: &Member, measured: &Measured) -> Result<KernelOpt, LabError> {
    let mut cycles_by_kernel: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for (mode, variant) in [NONE, STATIC_BDI, STATIC_SC].iter().enumerate() {
        for launch in &measured.result(&run(scope, member, variant))?.launches {
            cycles_by_kernel.entry(&launch.kernel).or_default()[mode] += launch.cycles;
        }
    }
    let mut best_cycles = [0; 3];
    for cycles in cycles_by_kernel.values() {
        let best = (0..3).min_by_key(|&mode| cycles[mode]).unwrap_or(0);
        best_cycles[best] += cycles[best];
    }
    let all: u64 = best_cycles.iter().sum();
    let mode_shares = best_cycles.map(|cycles| cycles as f64 / all.max(1) as f64);
    Ok(KernelOpt { cycles: all, mode_shares })
}
