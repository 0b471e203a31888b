//! Every number of a result under one flat name: `sm.thread_instructions`, `memory.dram.activates`, `energy.total_j`.
//!
//! The names are the field names of the machine's counters and of the energy report, joined by dots.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Number, Value};

use crate::MachineError;
use crate::names::{Counter, is_counter};

/// Names and numbers, by name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Counters(BTreeMap<String, f64>);

impl Counters {
    /// Adds every number of a structure under `prefix`.
    pub fn add(&mut self, prefix: &str, value: &Value) {
        match value {
            Value::Number(number) => {
                self.0.insert(prefix.to_owned(), number.as_f64().unwrap_or(0.0));
            }
            Value::Bool(flag) => {
                self.0.insert(prefix.to_owned(), f64::from(u8::from(*flag)));
            }
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| self.add(&join(prefix, name), value));
            }
            Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, value)| self.add(&join(prefix, &index.to_string()), value));
            }
            Value::Null | Value::String(_) => {}
        }
    }

    /// Sets one number.
    pub fn set(&mut self, name: &str, value: f64) {
        self.0.insert(name.to_owned(), value);
    }

    /// The number of a counter; what was never counted is zero.
    pub fn get(&self, counter: Counter) -> f64 {
        self.value(counter.name()).unwrap_or(0.0)
    }

    /// The number of this name, which was put together from parts; what was never counted is zero.
    ///
    /// # Errors
    ///
    /// No result can have a number of this name.
    pub fn find(&self, name: &str) -> Result<f64, MachineError> {
        match self.value(name) {
            Some(value) => Ok(value),
            None if is_counter(name) => Ok(0.0),
            None => Err(MachineError::Work(format!("no counter is called {name:?}"))),
        }
    }

    /// The number of this name, if this result has it.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// The sum of all numbers whose name begins and ends like this: `sum("l1.", ".hits")`.
    pub fn sum(&self, begin: &str, end: &str) -> f64 {
        self.iter().filter(|(name, _)| name.starts_with(begin) && name.ends_with(end)).map(|(_, n)| n).sum()
    }

    /// All names and numbers, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The numbers below a name as a structure again.
    pub fn nested(&self, below: &str) -> Value {
        let mut root = Map::new();
        let prefix = if below.is_empty() { String::new() } else { format!("{below}.") };
        for (name, value) in self.iter() {
            if let Some(rest) = name.strip_prefix(&prefix) {
                put(&mut root, rest, value);
            }
        }
        Value::Object(root)
    }
}

impl FromIterator<(String, f64)> for Counters {
    fn from_iter<I: IntoIterator<Item = (String, f64)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl Serialize for Counters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(name, value)| (name, number(value))))
    }
}

/// Counts are whole and are written so.
pub fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

fn put(map: &mut Map<String, Value>, name: &str, value: f64) {
    let Some((head, rest)) = name.split_once('.') else {
        map.insert(name.to_owned(), number(value));
        return;
    };
    let inner = map.entry(head).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        put(inner, rest, value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_structure_becomes_flat_and_comes_back() {
        let structure = json!({"sm": {"cycles": 7, "share": 0.5}, "total": 3});
        let mut counters = Counters::default();
        counters.add("", &structure);
        let names: Vec<&str> = counters.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["sm.cycles", "sm.share", "total"]);
        assert_eq!(counters.nested(""), structure);
        assert_eq!(counters.nested("sm"), structure["sm"]);
        assert_eq!(counters.find("sm.blocks").ok(), Some(0.0));
        assert_eq!(counters.find("sm.blobs").unwrap_err().to_string(), "no counter is called \"sm.blobs\"");
    }

    #[test]
    fn rows_of_one_ending_add_up() {
        let mut counters = Counters::default();
        counters.add("l1", &json!({"global_read": {"hits": 3}, "local_read": {"hits": 4, "misses": 9}}));
        assert_eq!(counters.sum("l1.", ".hits"), 7.0);
    }

    #[test]
    fn text_and_back_is_the_same() {
        let mut counters = Counters::default();
        counters.add("", &json!({"a": 1, "b": 0.1}));
        let text = serde_json::to_string(&counters).unwrap();
        assert_eq!(text, r#"{"a":1,"b":0.1}"#);
        assert_eq!(serde_json::from_str::<Counters>(&text).unwrap(), counters);
    }
}
