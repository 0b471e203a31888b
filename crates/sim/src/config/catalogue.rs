//! Presets of one sort that are part of the program, and how a name or a file becomes a checked description.
//!
//! A file that is based on a preset and the overrides of the command line are both lists of assignments. They are made
//! one at a time on a table that is known to be good, so the first that spoils it is the one to blame.

use serde::de::DeserializeOwned;
use shrinkwarp_suggestion::suggestion_among;
use toml::{Table, Value};

use super::ConfigError;
use super::assign::{Fault, assign, assign_override, collect_leaves, parse};
use super::limits::check_number;
use super::place::{key_at, span_of};
use crate::base::setting::Impossible;

/// The key that names the preset a file differs from.
const BASE_KEY: &str = "based_on";

/// The key that says what commands and reports call a description.
const NAME_KEY: &str = "name";

/// A description that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// What the command line calls it.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

/// All presets of one sort, and what makes a description of that sort impossible.
#[derive(Debug)]
pub struct Catalogue<T> {
    /// The sort, in words.
    pub what: &'static str,
    /// The flag that names one.
    pub flag: &'static str,
    /// The presets, the most important first.
    pub presets: &'static [Preset],
    /// Finds the first impossible value.
    pub check: fn(&T) -> Result<(), Impossible>,
}

impl<T: DeserializeOwned> Catalogue<T> {
    /// The preset called `name` with `overrides` of the form `section.key=value`.
    pub fn load(&self, name: &str, overrides: &[String]) -> Result<T, ConfigError> {
        let Some(preset) = self.presets.iter().find(|preset| preset.name == name) else {
            let (what, advice) = (self.what, self.advice(name, ", or a path to a .toml file"));
            let message = format!("unknown {what} {name:?}; {advice}");
            return Err(ConfigError::in_file(self.flag, message));
        };
        Self::read(&self.preset_source(preset), overrides)
    }

    /// The one that the text of `file` describes, with `overrides` of the form `section.key=value`.
    pub fn load_text(&self, file: &str, text: &str, overrides: &[String]) -> Result<T, ConfigError> {
        let source = Source { catalogue: self, file: file.to_owned(), text: text.to_owned() };
        source.check_name()?;
        Self::read(&source, overrides)
    }

    fn read(source: &Source<'_, T>, overrides: &[String]) -> Result<T, ConfigError> {
        let mut table = source.table()?;
        for text in overrides {
            assign_override::<T>(&mut table, text)?;
        }
        let description = parse(&table).map_err(|message| source.error(message))?;
        (source.catalogue.check)(&description).map_err(|fault| source.locate(fault, overrides))?;
        Ok(description)
    }

    fn preset_source(&self, preset: &Preset) -> Source<'_, T> {
        Source { catalogue: self, file: format!("{}.toml", preset.name), text: preset.text.to_owned() }
    }

    /// What could have been meant by a name that no preset has.
    fn advice(&self, wrong: &str, or_else: &str) -> String {
        let names: Vec<&str> = self.presets.iter().map(|preset| preset.name).collect();
        suggestion_among(wrong, &names, "known", or_else)
    }
}

/// A file's name and text.
pub(super) struct Source<'a, T> {
    pub catalogue: &'a Catalogue<T>,
    pub file: String,
    pub text: String,
}

impl<T: DeserializeOwned> Source<'_, T> {
    /// All keys: the file's own, on top of its base's if it has one.
    pub fn table(&self) -> Result<Table, ConfigError> {
        let mut own: Table = toml::from_str(&self.text).map_err(|error| self.toml_error(&error))?;
        let Some(base) = own.remove(BASE_KEY) else {
            // A complete file is read once with its text at hand, which gives the place of any fault.
            toml::from_str::<T>(&self.text).map_err(|error| self.toml_error(&error))?;
            let mut leaves = Vec::new();
            collect_leaves(&own, "", &mut leaves);
            for (key, value) in &leaves {
                check_number(key, value).map_err(|fault| self.key_error(key, fault))?;
            }
            return Ok(own);
        };
        let mut table = self.base_table(&base)?;
        // Two descriptions of one name would be taken for one in every table of results.
        own.entry(NAME_KEY).or_insert_with(|| Value::String(self.stem().to_owned()));
        let mut leaves = Vec::new();
        collect_leaves(&own, "", &mut leaves);
        for (key, value) in leaves {
            assign::<T>(&mut table, &key, value).map_err(|fault| self.key_error(&key, fault))?;
        }
        Ok(table)
    }

    /// The name of the file without folder and ending.
    fn stem(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        name.strip_suffix(".toml").unwrap_or(name)
    }

    /// Refuses a name that results could not be told apart by.
    fn check_name(&self) -> Result<(), ConfigError> {
        let own: Table = toml::from_str(&self.text).map_err(|error| self.toml_error(&error))?;
        let name = own.get(NAME_KEY).map_or(Some(self.stem()), Value::as_str).unwrap_or_default();
        let fault = if name.trim().is_empty() {
            "is empty".to_owned()
        } else if name.chars().any(char::is_control) {
            "has control characters".to_owned()
        } else if self.catalogue.presets.iter().any(|preset| preset.name == name) {
            format!("{name:?} is a preset")
        } else {
            return Ok(());
        };
        let help = Some("give the file a name of its own".to_owned());
        Err(self.key_error(NAME_KEY, Fault { message: fault, help }))
    }

    fn base_table(&self, base: &Value) -> Result<Table, ConfigError> {
        let presets = self.catalogue.presets;
        let preset = base.as_str().and_then(|name| presets.iter().find(|preset| preset.name == name));
        let Some(preset) = preset else {
            let help = Some(self.catalogue.advice(base.as_str().unwrap_or_default(), ""));
            return Err(self.key_error(BASE_KEY, Fault { message: format!("{base} is not a preset"), help }));
        };
        self.catalogue.preset_source(preset).table()
    }

    pub fn error(&self, message: String) -> ConfigError {
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
    pub fn locate(&self, fault: Impossible, overrides: &[String]) -> ConfigError {
        let Some(text) =
            overrides.iter().rev().find(|text| text.split('=').next() == Some(fault.key.as_str()))
        else {
            // A key of the file that no longer fits what was changed.
            let help = match overrides {
                [] => fault.help,
                changes => format!("{}; it must fit {}", fault.help, changes.join(", ")),
            };
            return self.key_error(&fault.key.clone(), Fault { message: fault.message, help: Some(help) });
        };
        let mut error = ConfigError::in_file(&format!("--set {text}"), fault.message);
        error.key = Some(fault.key.into());
        error.help = Some(fault.help.into());
        error
    }
}
