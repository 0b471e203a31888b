//! What the `shrinkwarp` command is made of: one file per subcommand in [`commands`], the file formats it reads and
//! writes beside them.

pub mod analyze;
pub mod commands;
pub mod container;
mod cpu_time;
mod exec;
mod failure;
mod files;
pub mod input;
mod keeping;
pub mod launch;
mod progress;
pub mod ptx;
mod run;
mod traffic;

pub use commands::Cli;
pub use failure::Failure;
