//! What the `shrinkwarp` command is made of: one file per subcommand in `commands`; progress and printing beside them.

mod arguments;
mod commands;
mod cpu_time;
mod exec;
mod failure;
mod files;
mod http;
mod keeping;
mod progress;
mod run;

pub use commands::Cli;
pub use failure::Failure;
