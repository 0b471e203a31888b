//! Tables of trained codecs, as a file.
//!
//! | field      | what it holds                                                                   |
//! |------------|---------------------------------------------------------------------------------|
//! | `format`   | `shrinkwarp-tables`                                                             |
//! | `version`  | 1                                                                               |
//! | `made_from`| a line that says what was profiled: workload, scale, data set, seed and GPU     |
//! | `tables`   | the codec (`e2mc16`, whatever its decoding ways) and its tables in hexadecimal, for each codec |
//!
//! The file is JSON, so that a person can see what is in it; tables are a few kilobytes each.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_formats::files;
use shrinkwarp_report::toml_words::plain_sentence;
use shrinkwarp_sim::scheme::Tables;

use crate::MachineError;

const FORMAT: &str = "shrinkwarp-tables";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct TablesFile {
    format: String,
    version: u32,
    made_from: String,
    tables: BTreeMap<String, String>,
}

/// The text of a file with these tables.
pub fn file_text(made_from: String, tables: &Tables) -> Result<String, MachineError> {
    let file = TablesFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        made_from,
        tables: tables.iter().map(|(codec, bytes)| (codec.clone(), hexadecimal(bytes))).collect(),
    };
    serde_json::to_string_pretty(&file)
        .map(|text| text + "\n")
        .map_err(|error| MachineError::Work(format!("the tables cannot be written: {error}")))
}

/// The tables of a file; each is loaded once, so that a wrong one is found before anything runs.
pub fn read(path: &Path) -> Result<Tables, MachineError> {
    let text =
        files::read_text(path, files::MOST_TEXT_BYTES).map_err(|error| MachineError::file(path, error))?;
    parse(&text).map_err(|message| MachineError::Usage(format!("{}: {message}", path.display())))
}

fn parse(text: &str) -> Result<Tables, String> {
    let file: TablesFile = serde_json::from_str(text).map_err(|error| {
        let error = plain_sentence(&error.to_string());
        format!("no tables file: {error}; `shrinkwarp profile` makes one")
    })?;
    if file.format != FORMAT || file.version != VERSION {
        return Err(format!(
            "is {} version {}, expected {FORMAT} version {VERSION}; make it anew with `shrinkwarp profile`",
            file.format, file.version
        ));
    }
    let mut tables = Tables::new();
    for (codec, digits) in file.tables {
        let spec = CodecSpec::parse(&codec, BlockBytes::B128).map_err(|error| error.to_string())?;
        let bytes = from_hexadecimal(&digits).ok_or_else(|| format!("tables of {codec}: not hexadecimal"))?;
        spec.load(&bytes).map_err(|error| format!("tables of {codec}: {error}"))?;
        tables.insert(spec.table_name(), bytes);
    }
    Ok(tables)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hexadecimal(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_back_from_their_file() {
        let train = |codec: &str| {
            let spec = CodecSpec::parse(codec, BlockBytes::B128).unwrap();
            (spec.table_name(), spec.build(&[1, 2, 3, 4].repeat(64)).tables())
        };
        let tables = Tables::from(["e2mc16:ways=4", "sc"].map(train));
        let text = file_text("histogram".to_owned(), &tables).unwrap();
        assert!(text.contains("\"made_from\": \"histogram\""), "{text}");
        assert_eq!(parse(&text).unwrap(), tables);
    }

    #[test]
    fn another_file_is_refused_with_the_way_out() {
        assert!(parse("{}").unwrap_err().contains("`shrinkwarp profile` makes one"));
        let newer = r#"{"format":"shrinkwarp-tables","version":9,"made_from":"","tables":{}}"#;
        assert!(parse(newer).unwrap_err().contains("version 9, expected"));
        let broken = r#"{"format":"shrinkwarp-tables","version":1,"made_from":"","tables":{"sc":"0z"}}"#;
        assert!(parse(broken).unwrap_err().contains("not hexadecimal"));
    }
}
