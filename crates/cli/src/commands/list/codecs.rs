//! `shrinkwarp list codecs`: the registry.

use clap::Args;
use serde_json::{Value, json};
use shrinkwarp_codec::registry::{self, ENTRIES, Entry, Make, Param};

use crate::failure::Failure;
use crate::files;

/// List the codecs, their block sizes and parameters
#[derive(Args, Debug)]
pub struct Codecs {
    /// Show only this codec
    name: Option<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Codecs {
    pub fn run(&self) -> Result<(), Failure> {
        let find = |name: &String| registry::find(name).map_err(|error| Failure::Usage(error.to_string()));
        let entries: Vec<&Entry> = match &self.name {
            Some(name) => vec![find(name)?],
            None => ENTRIES.iter().collect(),
        };
        files::print(&if self.json { json_list(&entries) } else { table(&entries) })
    }
}

fn table(entries: &[&Entry]) -> String {
    let mut text = format!("{:<12} {:<10} {:<8} {}\n", "codec", "blocks, B", "trained", "what it is");
    for entry in entries {
        let blocks: Vec<String> = entry.blocks.iter().map(|block| block.bytes().to_string()).collect();
        let trained = if is_trained(entry) { "yes" } else { "" };
        text += &format!("{:<12} {:<10} {:<8} {}\n", entry.name, blocks.join(" "), trained, entry.summary);
        for param in entry.params {
            text += &format!("{:<32} :{} {}\n", "", choices(param), param.meaning);
        }
    }
    text += "\nA codec with parameters is written name:key=value, for example in `--codec`.\n";
    text
}

/// `key=default|other|…`
fn choices(param: &Param) -> String {
    let values: Vec<String> = param.allowed.iter().map(u32::to_string).collect();
    format!("{}={}", param.key, values.join("|"))
}

fn json_list(entries: &[&Entry]) -> String {
    let entries: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let params: Vec<Value> = entry
                .params
                .iter()
                .map(|param| json!({"key": param.key, "allowed": param.allowed, "meaning": param.meaning}))
                .collect();
            let blocks: Vec<usize> = entry.blocks.iter().map(|block| block.bytes()).collect();
            json!({
                "codec": entry.name,
                "summary": entry.summary,
                "block_bytes": blocks,
                "trained": is_trained(entry),
                "params": params,
            })
        })
        .collect();
    format!("{:#}\n", Value::Array(entries))
}

fn is_trained(entry: &Entry) -> bool {
    matches!(entry.make, Make::Trained { .. })
}
