//! How much a kernel may declare. More is refused when it is loaded, with the line of the function.
//!
//! | what                                        | limit               | as                                 |
//! |---------------------------------------------|---------------------|------------------------------------|
//! | registers of a kernel and its functions     | 65,535              | decoded instructions number them   |
//! | parameters of a kernel                      | 32,764 bytes        | CUDA 12.1                          |
//! | shared variables of a kernel                | 228 KiB             | the largest of any GPU             |
//! | local variables and parameters of a function | 512 KiB            | CUDA's local memory of a thread    |

use shrinkwarp_ptx::ast::FunctionId;

use super::builder::Builder;
use crate::device::LoadError;
use crate::functional::MAX_SHARED_BYTES;
use crate::inst::RegisterNumber;

const MAX_PARAMETER_BYTES: u64 = 32_764;
const MAX_FRAME_BYTES: u64 = 512 * 1024;

impl Builder<'_> {
    /// What this kernel has too much of.
    pub(super) fn over_limit(&self, kernel: FunctionId, parameter_bytes: u64) -> Vec<LoadError> {
        let mut errors = Vec::new();
        let mut check = |function: FunctionId, what: &str, found: u64, limit: u64| {
            let function = &self.module.functions[function.index()];
            if found > limit {
                let message = format!("{} needs {found} {what}; at most {limit} are allowed", function.name);
                errors.push(LoadError { line: function.span.line, message });
            }
        };
        let registers = u64::from(self.kernel.register_count);
        check(kernel, "registers", registers, u64::from(RegisterNumber::MAX));
        check(kernel, "bytes of parameters", parameter_bytes, MAX_PARAMETER_BYTES);
        check(kernel, "bytes of shared memory", self.shared.static_bytes, MAX_SHARED_BYTES);
        let cluster = self.module.functions[kernel.index()].performance.required_cluster.unwrap_or([1; 3]);
        let blocks = cluster.iter().map(|&extent| u64::from(extent.max(1))).product();
        check(kernel, "thread blocks in a cluster", blocks, 1);
        for unit in &self.units {
            check(unit.id, "bytes of local variables", unit.frame.bytes, MAX_FRAME_BYTES);
        }
        errors
    }
}
