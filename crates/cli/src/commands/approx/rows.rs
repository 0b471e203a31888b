//! Rows of any kind as CSV: a column for each field.

use serde::Serialize;
use serde_json::Value;
use shrinkwarp_report::text::quoted;

/// The rows with a header line.
pub fn csv(rows: &impl Serialize) -> Result<String, serde_json::Error> {
    let value = serde_json::to_value(rows)?;
    let objects: Vec<_> = value.as_array().into_iter().flatten().filter_map(Value::as_object).collect();
    let mut text = String::new();
    if let Some(first) = objects.first() {
        text += &(first.keys().map(String::as_str).collect::<Vec<_>>().join(",") + "\n");
    }
    for object in &objects {
        text += &(object.values().map(cell).collect::<Vec<_>>().join(",") + "\n");
    }
    Ok(text)
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        value: Option<f64>,
    }

    #[test]
    fn a_row_is_a_line_and_what_is_missing_is_empty() {
        let rows = [Row { name: "a", value: Some(0.5) }, Row { name: "b", value: None }];
        assert_eq!(csv(&rows).unwrap(), "name,value\na,0.5\nb,\n");
    }
}
