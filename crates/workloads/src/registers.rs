//! Registers per thread that the suite's kernels run with.
//!
//! `kernels/registers.csv` has the most words live at once in each kernel's PTX. All published figures of the suite were drawn with
//! these counts, and occupancy, hence every cycle, follows from them: the suite keeps them while the estimate for other programs
//! gets better.

use std::sync::Arc;

use shrinkwarp_emu::kernel::{Module, RegisterCount};

const TABLE: &str = include_str!("../kernels/registers.csv");

/// Gives the kernels of a workload's module their counts.
pub(crate) fn apply(workload: &str, module: &mut Arc<Module>) {
    let Some(module) = Arc::get_mut(module) else { return };
    for (kernel, registers) in of(workload) {
        if let Some(kernel) = module.kernels.get_mut(kernel).and_then(Arc::get_mut) {
            kernel.registers = RegisterCount::Given(registers);
        }
    }
}

/// The rows of a workload: kernel and registers.
fn of(workload: &str) -> impl Iterator<Item = (&'static str, u32)> {
    TABLE.lines().filter_map(move |row| {
        let (name, rest) = row.split_once(',')?;
        let (kernel, registers) = rest.split_once(',')?;
        Some((kernel, registers.parse().ok()?)).filter(|_| name == workload)
    })
}

#[cfg(test)]
mod tests {
    use shrinkwarp_emu::device::Device;
    use shrinkwarp_emu::functional::Functional;

    use super::*;
    use crate::WORKLOADS;

    #[test]
    fn every_kernel_of_the_suite_has_its_count_and_no_other_has() {
        for workload in WORKLOADS {
            let mut module = Functional::on_one_core().load_module(workload.ptx).expect(workload.name);
            apply(workload.name, &mut module);
            for kernel in module.kernels.values() {
                assert!(
                    matches!(kernel.registers, RegisterCount::Given(count) if count > 0),
                    "{}: {} has no row in kernels/registers.csv",
                    workload.name,
                    kernel.name
                );
            }
            for (kernel, _) in of(workload.name) {
                assert!(module.kernels.contains_key(kernel), "{}: there is no {kernel}", workload.name);
            }
        }
    }
}
