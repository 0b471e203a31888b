//! What a scheme is called in results: what it is, not how it was requested.
//!
//! A changed scheme that says the same as a preset is that preset. Any other change becomes part of the name, so that
//! results under one name always come from one scheme.

use std::sync::OnceLock;

use shrinkwarp_sim::config::scheme::{SCHEMES, SchemeSpec, load_scheme};

use super::identity::content_text;
use crate::LabError;

/// A scheme with these changes, under the name of what it is.
pub(super) fn named(scheme: SchemeSpec, changes: &[String]) -> Result<SchemeSpec, LabError> {
    if changes.is_empty() {
        return Ok(scheme);
    }
    let content = content_text(&scheme)?;
    if let Some((_, preset)) = presets()?.iter().find(|(known, _)| *known == content) {
        return Ok(preset.clone());
    }
    let name = format!("{} {}", scheme.name, effective(changes).join(" "));
    Ok(SchemeSpec { name, ..scheme })
}

/// The changes without those that a later one of the same key replaces.
fn effective(changes: &[String]) -> Vec<&str> {
    let key = |change: &String| change.split_once('=').map(|(key, _)| key.trim().to_owned());
    let is_last =
        |&(nth, change): &(usize, &String)| !changes[nth + 1..].iter().any(|later| key(later) == key(change));
    changes.iter().enumerate().filter(is_last).map(|(_, change)| change.as_str()).collect()
}

/// Every preset with what it says, read once.
fn presets() -> Result<&'static [(String, SchemeSpec)], LabError> {
    static PRESETS: OnceLock<Vec<(String, SchemeSpec)>> = OnceLock::new();
    if let Some(known) = PRESETS.get() {
        return Ok(known);
    }
    let read = |preset: &shrinkwarp_sim::config::Preset| {
        let scheme = load_scheme(preset.name, &[])?;
        Ok((content_text(&scheme)?, scheme))
    };
    let all = SCHEMES.iter().map(read).collect::<Result<Vec<_>, LabError>>()?;
    Ok(PRESETS.get_or_init(|| all))
}
