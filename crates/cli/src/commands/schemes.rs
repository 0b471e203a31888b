//! `shrinkwarp list schemes`: which codec can sit where.

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_lab::LabError;
use shrinkwarp_lab::run::configuration_text;
use shrinkwarp_machine::configuration::scheme_with;
use shrinkwarp_sim::config::scheme::{SCHEMES, SchemeSpec};

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
        let load = |name: &str| scheme_with(name, &[]).map_err(LabError::from);
        if let Some(name) = &self.name {
            let scheme = load(name)?;
            let text =
                if self.json { format!("{:#}\n", value(&scheme)?) } else { configuration_text(&scheme)? };
            return files::print(&text);
        }
        let schemes: Vec<SchemeSpec> =
            SCHEMES.iter().map(|preset| load(preset.name)).collect::<Result<_, _>>()?;
        if self.json {
            let brief = |scheme: &SchemeSpec| json!({"name": scheme.name, "description": scheme.description});
            return files::print(&format!("{:#}\n", schemes.iter().map(brief).collect::<Value>()));
        }
        let width = schemes.iter().map(|scheme| scheme.name.len()).max().unwrap_or(0);
        let mut text = format!("{:<width$}  what it is\n", "scheme");
        for scheme in &schemes {
            text += &format!("{:<width$}  {}\n", scheme.name, scheme.description);
        }
        files::print(
            &(text
                + "\nAll keys of one: shrinkwarp list schemes NAME. Your own: a .toml file with based_on = \"none\".\n"),
        )
    }
}

fn value(scheme: &SchemeSpec) -> Result<Value, Failure> {
    serde_json::to_value(scheme).map_err(|error| Failure::Work(error.to_string()))
}
