//! `shrinkwarp completions SHELL`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use crate::failure::Failure;
use crate::files;

/// Print a completion script for a shell
///
/// For bash: shrinkwarp completions bash > ~/.local/share/bash-completion/completions/shrinkwarp
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(&self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "shrinkwarp", &mut script);
        files::print(&String::from_utf8_lossy(&script))
    }
}
