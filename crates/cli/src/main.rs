//! The `shrinkwarp` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(shrinkwarp_cli::main_with(std::env::args_os()))
}
