//! Changes of single keys in a table that is known to be good: whatever spoils it is the change's fault.

use serde::de::DeserializeOwned;
use shrinkwarp_suggestion::suggestion_among;
use toml::{Table, Value};

use super::ConfigError;
use super::limits::check_number;

/// What is wrong with one key, before its place is known.
pub struct Fault {
    pub message: String,
    pub help: Option<String>,
}

/// Makes the change that `--set` asks for: `section.key=value`.
pub fn assign_override<T: DeserializeOwned>(table: &mut Table, text: &str) -> Result<(), ConfigError> {
    let place = format!("--set {text}");
    let Some((key, value)) = text.split_once('=') else {
        return Err(ConfigError::in_file(
            &place,
            "has no '='; write --set section.key=value, as in --set l1.size_kib=48",
        ));
    };
    let (key, value) = (key.trim(), value.trim());
    // A bare word is a string: quotes inside quotes are hard to write on a command line.
    let parsed = format!("value = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    assign::<T>(table, key, parsed).map_err(|fault| {
        let mut error = ConfigError::in_file(&place, fault.message);
        error.key = Some(key.into());
        error.help = fault.help.map(Into::into);
        error
    })
}

/// Sets one existing key; some take values of more than one type, so what reads the table has the last word.
pub fn assign<T: DeserializeOwned>(table: &mut Table, key: &str, value: Value) -> Result<(), Fault> {
    let slot = slot_of(table, key)?;
    check_number(key, &value)?;
    let of_other_type = (slot.type_str() != value.type_str())
        .then(|| format!("expected {}, found {} {value}", slot.type_str(), value.type_str()));
    let before = std::mem::replace(slot, value);
    parse::<T>(table).map_err(|message| {
        // What the table held was good, so the new value is the fault.
        let help = Some(format!("it was {before}"));
        Fault { message: of_other_type.unwrap_or(message), help }
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
        // What could have been meant takes long to find, and most keys are right.
        let known = (!current.get(part).is_some_and(Value::is_table)).then(|| suggestion(current, part));
        match current.get_mut(part) {
            Some(Value::Table(inner)) => current = inner,
            _ => return Err(Fault { message: format!("no section {part:?}"), help: known }),
        }
    }
    let known = (!current.contains_key(name)).then(|| suggestion(current, name));
    match current.get_mut(name) {
        Some(Value::Table(inner)) => {
            let first = inner.keys().next().cloned().unwrap_or_default();
            let message = "is a section".to_owned();
            Err(Fault { message, help: Some(format!("set one of its keys, as in {key}.{first}=…")) })
        }
        None if key.is_empty() => {
            let help = Some("write section.key=value".to_owned());
            Err(Fault { message: "there is no key before \"=\"".to_owned(), help })
        }
        None => Err(Fault { message: "unknown key".to_owned(), help: known }),
        Some(value) => Ok(value),
    }
}

/// What could have been meant: the nearest key if one is near, and what there is.
fn suggestion(table: &Table, wrong: &str) -> String {
    let keys: Vec<&str> = table.keys().map(String::as_str).collect();
    suggestion_among(wrong, &keys, "known here", "")
}

/// The keys with their sections, in the file's order, and their values.
pub fn collect_leaves(table: &Table, prefix: &str, leaves: &mut Vec<(String, Value)>) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(inner) => collect_leaves(inner, &key, leaves),
            leaf => leaves.push((key, leaf.clone())),
        }
    }
}

/// The table as what it describes.
pub fn parse<T: DeserializeOwned>(table: &Table) -> Result<T, String> {
    table.clone().try_into::<T>().map_err(|error| error.message().to_owned())
}
