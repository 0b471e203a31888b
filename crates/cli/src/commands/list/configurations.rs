//! What the lists of schemes and energy sets share: presets with a description, each a TOML file.

use serde::Serialize;
use serde_json::{Value, json};
use shrinkwarp_lab::LabError;
use shrinkwarp_lab::run::configuration_text;
use shrinkwarp_sim::config::ConfigError;

use crate::failure::Failure;

/// Name and description of each, as a table or as JSON.
pub fn list(what: &str, rows: &[(&str, &str)], as_json: bool, closing: &str) -> String {
    if as_json {
        let brief = |(name, description): &(&str, &str)| json!({"name": name, "description": description});
        return format!("{:#}\n", rows.iter().map(brief).collect::<Value>());
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(what.len());
    let mut text = format!("{what:<width$}  what it is\n");
    for (name, description) in rows {
        text += &format!("{name:<width$}  {description}\n");
    }
    format!("{text}\n{closing}\n")
}

/// Every key of one, as TOML or as JSON.
pub fn show<T: Serialize>(configuration: &T, as_json: bool) -> Result<String, Failure> {
    if !as_json {
        return Ok(configuration_text(configuration)?);
    }
    let value = serde_json::to_value(configuration).map_err(|error| Failure::Work(error.to_string()))?;
    Ok(format!("{value:#}\n"))
}

/// A configuration by the name that follows `list WHAT`: there is no option that its error could name.
pub fn named<T>(what: &str, found: Result<T, ConfigError>) -> Result<T, Failure> {
    Ok(found.map_err(|mut error| {
        if ["--gpu", "--scheme", "--energy"].contains(&&*error.file) {
            error.file = format!("list {what}").into();
        }
        LabError::from(error)
    })?)
}
