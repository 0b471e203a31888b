//! Does every long option mean the same in all commands?
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::shrinkwarp;
use tempfile::TempDir;

/// Options whose text says more in one command than in another, and what all of their texts say.
const REFINED: &[(&str, &str)] = &[
    ("approximate-bits", "the k least significant"),
    ("clusters", "cluster"),
    ("codec", "codec"),
    ("data", "data set"),
    ("data-sets", "number of inputs"),
    ("gpu", "gpu"),
    ("help", "print help"),
    ("html", "also write a self-contained html page"),
    ("input", "input"),
    ("json", "json"),
    ("output", "write"),
    ("scale", "scale"),
    ("scheme", "scheme"),
    ("seed", "seed of the random numbers"),
    ("set", "change a field of the gpu"),
    ("store", "store of results: a file"),
    ("symmetric", "symmetric"),
    ("threads", "threads of the simulation"),
    ("train", "on which"),
];

/// One option of one command.
struct Help {
    command: String,
    option: String,
    value: String,
    text: String,
}

#[test]
fn an_option_has_one_meaning_and_one_kind_of_value() {
    let mut options: BTreeMap<String, Vec<Help>> = BTreeMap::new();
    let folder = TempDir::new().unwrap();
    collect(&folder, &[], &mut options);
    options.retain(|_, uses| uses.len() > 1);
    for (refined, _) in REFINED {
        assert!(options.contains_key(*refined), "--{refined} is in one command at most");
    }
    for (option, uses) in &options {
        // What is written is a file in most commands and a folder in one.
        let shown = |help: &Help| format!("\n  {} --{option} <{}>: {}", help.command, help.value, help.text);
        let all: String = uses.iter().map(shown).collect();
        let values: BTreeSet<&str> =
            uses.iter().map(|help| help.value.split(['.', ':']).next().unwrap()).collect();
        assert!(values.len() == 1 || option == "output", "--{option}:{all}");
        let texts: BTreeSet<&str> = uses.iter().map(|help| help.text.as_str()).collect();
        let common = REFINED.iter().find(|(name, _)| name == option).map(|(_, common)| *common);
        match common {
            None => assert_eq!(texts.len(), 1, "--{option}:{all}"),
            Some(common) => {
                assert!(texts.iter().all(|text| text.to_lowercase().contains(common)), "--{option}:{all}");
            }
        }
    }
}

/// Adds the options of a command and of its subcommands, as `-h` shows them.
fn collect(folder: &TempDir, path: &[&str], options: &mut BTreeMap<String, Vec<Help>>) {
    let output = shrinkwarp(folder.path()).args(path).arg("-h").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let section = |name: &str| {
        let part = text.split_once(&format!("\n{name}:\n")).map_or("", |(_, part)| part);
        part.split("\n\n").next().unwrap_or_default()
    };
    let mut found: Vec<Help> = Vec::new();
    for line in section("Options").lines() {
        let words = line.trim_start();
        match words.split_once("--").filter(|(short, _)| short.is_empty() || short.ends_with(", ")) {
            Some((_, rest)) => {
                let (usage, help) = rest.split_once("  ").unwrap_or((rest, ""));
                let (option, value) = usage.split_once(' ').unwrap_or((usage, ""));
                found.push(Help {
                    command: path.join(" "),
                    option: option.to_owned(),
                    value: value.trim_matches(['<', '>']).to_owned(),
                    text: help.trim().to_owned(),
                });
            }
            None => {
                if let Some(last) = found.last_mut() {
                    last.text.push(' ');
                    last.text.push_str(words);
                }
            }
        }
    }
    for help in found {
        let text = help.text.trim().split(" [default").next().unwrap_or_default().to_owned();
        options.entry(help.option.clone()).or_default().push(Help { text, ..help });
    }
    let commands = section("Commands").lines().filter(|line| !line.starts_with("   "));
    for command in commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        collect(folder, &[path, &[command]].concat(), options);
    }
}
