//! `shrinkwarp list energy`: what each event costs in energy, by source.

use clap::Args;
use shrinkwarp_lab::LabError;
use shrinkwarp_machine::configuration::energy_set;
use shrinkwarp_sim::energy::ENERGY_SETS;

use super::configurations::{list, named, show};
use crate::failure::Failure;
use crate::files;

/// List the energy sets, or show every key of one
#[derive(Args, Debug)]
pub struct Energy {
    /// Show every key of this set: a name of the list, or a path to a .toml file
    name: Option<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Energy {
    pub fn run(&self) -> Result<(), Failure> {
        if let Some(name) = &self.name {
            return files::print(&show(&named("energy", energy_set(name))?, self.json)?);
        }
        let all = ENERGY_SETS.iter().map(|preset| energy_set(preset.name)).collect::<Result<Vec<_>, _>>();
        let all = all.map_err(LabError::from)?;
        let rows: Vec<(&str, &str)> = all.iter().map(|one| (&*one.name, &*one.description)).collect();
        let closing = "All keys of one: shrinkwarp list energy NAME. Your own: a .toml file with based_on and what differs.";
        files::print(&list("set", &rows, self.json, closing))
    }
}
