//! What a kernel says to this machine in pragmas, which other tools leave alone.
//!
//! | pragma                              | meaning                                                                       |
//! |-------------------------------------|-------------------------------------------------------------------------------|
//! | `.pragma "shrinkwarp registers N";` | a thread has N 32-bit registers, as `ptxas -v` may have said, and no estimate |

use shrinkwarp_ptx::ast::Function;

use crate::device::LoadError;

const REGISTERS: &str = "shrinkwarp registers ";

/// The most that an instruction can name.
const MOST_REGISTERS: u32 = 255;

/// The registers of a thread that a kernel asks for.
pub(super) fn registers(function: &Function) -> Result<Option<u32>, LoadError> {
    let mut pragmas = function.performance.pragmas.iter();
    let Some(count) = pragmas.find_map(|pragma| pragma.strip_prefix(REGISTERS)) else { return Ok(None) };
    match count.trim().parse() {
        Ok(registers @ 1..=MOST_REGISTERS) => Ok(Some(registers)),
        _ => Err(LoadError {
            line: function.span.line,
            message: format!(
                "{}: .pragma \"{REGISTERS}{count}\": the count must be 1 to {MOST_REGISTERS}",
                function.name
            ),
        }),
    }
}
