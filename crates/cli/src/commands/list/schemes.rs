//! `shrinkwarp list schemes`: which codec can be at which point.

use clap::Args;
use shrinkwarp_lab::LabError;
use shrinkwarp_machine::configuration::scheme_with;
use shrinkwarp_sim::config::scheme::SCHEMES;

use super::configurations::{list, named, show};
use crate::failure::Failure;
use crate::files;

/// List the compression schemes, or show every key of one
#[derive(Args, Debug)]
pub struct Schemes {
    /// Show every key of this scheme: a name of the list, or a path to a .toml file
    name: Option<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Schemes {
    pub fn run(&self) -> Result<(), Failure> {
        if let Some(name) = &self.name {
            return files::print(&show(&named("schemes", scheme_with(name, &[]))?, self.json)?);
        }
        let all = SCHEMES.iter().map(|preset| scheme_with(preset.name, &[])).collect::<Result<Vec<_>, _>>();
        let all = all.map_err(LabError::from)?;
        let rows: Vec<(&str, &str)> = all.iter().map(|one| (&*one.name, &*one.description)).collect();
        let closing =
            "All keys of one: shrinkwarp list schemes NAME. Your own: a .toml file with based_on = \"none\".";
        files::print(&list("scheme", &rows, self.json, closing))
    }
}
