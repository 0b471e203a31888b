//! From a name or a file, with overrides, to a checked [`GpuSpec`].
//!
//! A file that is based on a preset and the overrides of the command line are both lists of assignments. They are made
//! one at a time on a table that is known to be good, so the first that spoils it is the one to blame.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::check;
use super::{ConfigError, GpuSpec};

/// A GPU that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// What `--gpu` calls it.
    pub name: &'static str,
    text: &'static str,
}

/// All of them, the baseline first.
pub const PRESETS: [Preset; 5] = [
    Preset { name: "gtx480", text: include_str!("../../../../configs/gpus/gtx480.toml") },
    Preset { name: "e2mc-gtx580", text: include_str!("../../../../configs/gpus/e2mc-gtx580.toml") },
    Preset { name: "dsm-fermi", text: include_str!("../../../../configs/gpus/dsm-fermi.toml") },
    Preset { name: "latte-fermi", text: include_str!("../../../../configs/gpus/latte-fermi.toml") },
    Preset { name: "bpc-gtx480", text: include_str!("../../../../configs/gpus/bpc-gtx480.toml") },
];

/// The key that names the preset a file differs from.
const BASE_KEY: &str = "based_on";

/// The GPU called `name` (a preset, or a path to a file) with `overrides` of the form `section.key=value`.
pub fn load(name: &str, overrides: &[String]) -> Result<GpuSpec, ConfigError> {
    let source = Source::find(name)?;
    let mut table = source.table()?;
    for text in overrides {
        assign_override(&mut table, text)?;
    }
    let spec = parse(&table).map_err(|message| source.error(message))?;
    check::check(&spec).map_err(|fault| source.locate(fault, overrides))?;
    Ok(spec)
}

/// A file's name and text.
struct Source {
    file: String,
    text: String,
}

impl Source {
    fn find(name: &str) -> Result<Self, ConfigError> {
        if let Some(preset) = PRESETS.iter().find(|preset| preset.name == name) {
            return Ok(Self { file: format!("{name}.toml"), text: preset.text.to_owned() });
        }
        let looks_like_path = Path::new(name).extension().is_some() || name.contains('/');
        if !looks_like_path {
            let known = PRESETS.map(|preset| preset.name).join(", ");
            let message = format!("unknown GPU {name:?}; known: {known}, or a path to a .toml file");
            return Err(ConfigError::in_file("--gpu", message));
        }
        let text = std::fs::read_to_string(name)
            .map_err(|error| ConfigError::in_file(name, format!("cannot be read: {error}")))?;
        Ok(Self { file: name.to_owned(), text })
    }

    /// All keys: the file's own, on top of its base's if it has one.
    fn table(&self) -> Result<Table, ConfigError> {
        let mut own: Table = toml::from_str(&self.text).map_err(|error| self.toml_error(&error))?;
        let Some(base) = own.remove(BASE_KEY) else {
            // A complete file is read once with its text at hand, which gives the place of any fault.
            toml::from_str::<GpuSpec>(&self.text).map_err(|error| self.toml_error(&error))?;
            return Ok(own);
        };
        let mut table = self.base_table(&base)?;
        let mut leaves = Vec::new();
        collect_leaves(&own, "", &mut leaves);
        for (key, value) in leaves {
            assign(&mut table, &key, value).map_err(|fault| self.key_error(&key, fault))?;
        }
        Ok(table)
    }

    fn base_table(&self, base: &Value) -> Result<Table, ConfigError> {
        let known = || PRESETS.map(|preset| preset.name).join(", ");
        let preset = base.as_str().and_then(|name| PRESETS.iter().find(|preset| preset.name == name));
        let Some(preset) = preset else {
            let fault =
                Fault { message: format!("{base} is no preset"), help: Some(format!("known: {}", known())) };
            return Err(self.key_error(BASE_KEY, fault));
        };
        Source { file: format!("{}.toml", preset.name), text: preset.text.to_owned() }.table()
    }

    fn error(&self, message: String) -> ConfigError {
        ConfigError { source: self.text.as_str().into(), ..ConfigError::in_file(&self.file, message) }
    }

    fn toml_error(&self, error: &toml::de::Error) -> ConfigError {
        let span = error.span();
        let key = span.as_ref().and_then(|span| key_at(&self.text, span.start)).map(Into::into);
        ConfigError { span, key, ..self.error(error.message().to_owned()) }
    }

    fn key_error(&self, key: &str, fault: Fault) -> ConfigError {
        let span = span_of(&self.text, key);
        ConfigError {
            span,
            key: Some(key.into()),
            help: fault.help.map(Into::into),
            ..self.error(fault.message)
        }
    }

    /// Says where the key of a failed check was set last: on the command line or in the file.
    fn locate(&self, fault: check::Fault, overrides: &[String]) -> ConfigError {
        let Some(text) =
            overrides.iter().rev().find(|text| text.split('=').next() == Some(fault.key.as_str()))
        else {
            return self
                .key_error(&fault.key.clone(), Fault { message: fault.message, help: Some(fault.help) });
        };
        let mut error = ConfigError::in_file(&format!("--set {text}"), fault.message);
        error.key = Some(fault.key.into());
        error.help = Some(fault.help.into());
        error
    }
}

/// What is wrong with one key, before its place is known.
struct Fault {
    message: String,
    help: Option<String>,
}

fn assign_override(table: &mut Table, text: &str) -> Result<(), ConfigError> {
    let place = format!("--set {text}");
    let Some((key, value)) = text.split_once('=') else {
        return Err(ConfigError::in_file(
            &place,
            "has no '='; write --set section.key=value, as in --set l1.size_kib=48",
        ));
    };
    let (key, value) = (key.trim(), value.trim());
    // A bare word is a string: nobody wants to quote quotes on a command line.
    let parsed = format!("value = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    assign(table, key, parsed).map_err(|fault| {
        let mut error = ConfigError::in_file(&place, fault.message);
        error.key = Some(key.into());
        error.help = fault.help.map(Into::into);
        error
    })
}

/// Sets one existing key to a value of the right type.
fn assign(table: &mut Table, key: &str, value: Value) -> Result<(), Fault> {
    let slot = slot_of(table, key)?;
    if slot.type_str() != value.type_str() {
        let message = format!("expected {}, found {} {value}", slot.type_str(), value.type_str());
        return Err(Fault { message, help: None });
    }
    let before = std::mem::replace(slot, value);
    parse(table).map_err(|message| {
        // What the table held was good, so the new value is the fault.
        let help = Some(format!("it was {before}"));
        Fault { message, help }
    })?;
    Ok(())
}

fn slot_of<'a>(table: &'a mut Table, key: &str) -> Result<&'a mut Value, Fault> {
    let (section, name) = match key.rsplit_once('.') {
        Some((section, name)) => (section.split('.').collect::<Vec<_>>(), name),
        None => (Vec::new(), key),
    };
    let mut current = table;
    for part in section {
        let known = known_keys(current);
        match current.get_mut(part) {
            Some(Value::Table(inner)) => current = inner,
            _ => return Err(Fault { message: format!("no section {part:?}"), help: Some(known) }),
        }
    }
    let known = known_keys(current);
    match current.get_mut(name) {
        Some(Value::Table(_)) | None => Err(Fault { message: "unknown key".to_owned(), help: Some(known) }),
        Some(value) => Ok(value),
    }
}

fn known_keys(table: &Table) -> String {
    format!("known here: {}", table.keys().cloned().collect::<Vec<_>>().join(", "))
}

/// The keys with their sections, in the file's order, and their values.
fn collect_leaves(table: &Table, prefix: &str, leaves: &mut Vec<(String, Value)>) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(inner) => collect_leaves(inner, &key, leaves),
            leaf => leaves.push((key, leaf.clone())),
        }
    }
}

fn parse(table: &Table) -> Result<GpuSpec, String> {
    table.clone().try_into::<GpuSpec>().map_err(|error| error.message().to_owned())
}

/// Where the value of `key` stands in `text`.
fn span_of(text: &str, key: &str) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let mut span = None;
    let mut table = Some(root.get_ref());
    for part in key.split('.') {
        let (_, value) = table?.iter().find(|(name, _)| name.get_ref() == part)?;
        span = Some(value.span());
        table = match value.get_ref() {
            DeValue::Table(inner) => Some(inner),
            _ => None,
        };
    }
    span
}

/// The key whose name or value covers byte `at` of `text`.
fn key_at(text: &str, at: usize) -> Option<String> {
    fn search(table: &DeTable<'_>, at: usize, prefix: &str) -> Option<String> {
        for (name, value) in table {
            let key = if prefix.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{prefix}.{}", name.get_ref())
            };
            if let DeValue::Table(inner) = value.get_ref()
                && let Some(found) = search(inner, at, &key)
            {
                return Some(found);
            }
            if name.span().contains(&at) || value.span().contains(&at) {
                return Some(key);
            }
        }
        None
    }
    search(DeTable::parse(text).ok()?.get_ref(), at, "")
}

#[cfg(test)]
mod tests;
