//! Is the public surface of the simulator small enough to be read?
//!
//! Counted from the source: what a program outside can name (functions, types, traits, constants of public modules, and
//! what they re-export), and the public functions and constants of those types. Fields, enum variants and implementations
//! of traits do not count.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The most that the crate may show.
const MOST_ITEMS: usize = 350;

#[test]
fn the_simulator_shows_at_most_350_items() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names = BTreeSet::new();
    collect_module(&source.join("lib.rs"), &source, &mut names);
    let mut methods = BTreeSet::new();
    collect_methods(&source, &names, &mut methods).unwrap();
    assert!(
        names.contains("Gpu") && names.contains("MODEL_VERSION") && names.contains("OwnCodec"),
        "{names:?}"
    );
    assert!(methods.contains("Scheme::build") && methods.contains("Gpu::new"), "{methods:?}");
    assert!(!names.contains("Crossbar"), "private modules do not count");
    let count = names.len() + methods.len();
    assert!(count <= MOST_ITEMS, "{count} public items: {names:?} {methods:?}");
}

/// Adds the names that a public module shows; `folder` is where its submodules are.
fn collect_module(file: &Path, folder: &Path, names: &mut BTreeSet<String>) {
    let code = code_of(file);
    let statements = code.join(" ");
    for statement in statements.split("pub use ").skip(1).filter_map(|rest| rest.split_once(';')) {
        let path = statement.0;
        let (parent, leaves) = path.split_once('{').map_or_else(
            || path.rsplit_once("::").unwrap_or(("", path)),
            |(parent, leaves)| (parent, leaves.trim_end_matches([' ', '}'])),
        );
        for leaf in leaves.split(',').map(str::trim).filter(|leaf| !leaf.is_empty()) {
            match module_file(&folder.join(parent.replace("::", "/")).join(leaf)) {
                Some(file) => collect_module(&file, &file.with_extension(""), names),
                None => {
                    names.insert(leaf.to_owned());
                }
            }
        }
    }
    for line in code.iter().filter_map(|line| line.strip_prefix("pub ")) {
        if let Some(module) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            collect_module(&module_file(&folder.join(module)).unwrap(), &folder.join(module), names);
        } else if let Some(name) = item_name(line) {
            names.insert(name.to_owned());
        }
    }
}

/// Adds `Type::function` for the inherent implementations of the types in `names`.
fn collect_methods(
    folder: &Path,
    names: &BTreeSet<String>,
    methods: &mut BTreeSet<String>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_methods(&path, names, methods)?;
            continue;
        }
        let mut implemented: Option<String> = None;
        for line in code_of(&path) {
            if line.starts_with("impl") && line.ends_with('{') && !line.contains(" for ") {
                let name = implemented_type(&line).to_owned();
                implemented = Some(name).filter(|name| names.contains(name));
            } else if line == "}" {
                implemented = None;
            } else if let (Some(name), Some(item)) =
                (&implemented, line.strip_prefix("    pub ").and_then(item_name))
            {
                methods.insert(format!("{name}::{item}"));
            }
        }
    }
    Ok(())
}

/// `Type` of `impl<…> Type<…> {`.
fn implemented_type(line: &str) -> &str {
    let mut depth = 0;
    let is_outside = |c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && c == ' '
    };
    let start = line.find(is_outside).map_or(0, |space| space + 1);
    let rest = &line[start..];
    &rest[..rest.find(['<', ' ']).unwrap_or(rest.len())]
}

/// The name that a public item begins with, if it is one that counts.
fn item_name(line: &str) -> Option<&str> {
    let kinds =
        ["unsafe fn ", "const fn ", "fn ", "struct ", "enum ", "trait ", "type ", "static ", "const "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    Some(&rest[..rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())])
}

fn module_file(path: &Path) -> Option<PathBuf> {
    [path.with_extension("rs"), path.join("mod.rs")].into_iter().find(|file| file.is_file())
}

/// The lines of a file without comments and unit tests.
fn code_of(file: &Path) -> Vec<String> {
    let source = fs::read_to_string(file).unwrap();
    let code = source.split("#[cfg(test)]\nmod").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end().to_owned()).collect()
}
