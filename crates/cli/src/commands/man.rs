//! `shrinkwarp man FOLDER`.

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory};

use super::Cli;
use crate::failure::Failure;
use crate::files;

/// Write the manual pages, one for every command
///
/// To read them without installing: shrinkwarp man /tmp/man && man -l /tmp/man/shrinkwarp-analyze.1
#[derive(Args, Debug)]
pub struct Man {
    /// Folder for the pages; it is created if it is missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Man {
    pub fn run(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.folder).map_err(|error| Failure::file(&self.folder, error))?;
        let pages = self.write(&whole_command())?;
        files::print(&format!("{pages} pages in {}\n", self.folder.display()))
    }

    /// Writes the page of a command and of those below it; says how many.
    fn write(&self, command: &clap::Command) -> Result<usize, Failure> {
        let page = clap_mangen::Man::new(command.clone());
        let path = self.folder.join(page.get_filename());
        let mut text = Vec::new();
        page.render(&mut text)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| Failure::file(&path, error))?;
        let below = command.get_subcommands().filter(|command| !command.is_hide_set());
        below.map(|command| self.write(command)).sum::<Result<usize, Failure>>().map(|pages| pages + 1)
    }
}

fn whole_command() -> clap::Command {
    let mut command = Cli::command().disable_help_subcommand(true);
    // Subcommands learn their full names when the tree is built.
    command.build();
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_that_says_what_it_does() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        Man { folder: folder.path().to_owned() }.write(&whole_command())?;
        for name in ["shrinkwarp", "shrinkwarp-analyze", "shrinkwarp-ptx-check"] {
            let page = fs::read_to_string(folder.path().join(format!("{name}.1")))?;
            assert!(page.contains(".SH DESCRIPTION"), "{name}: {page}");
        }
        Ok(())
    }
}
