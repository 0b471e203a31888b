//! Do the modules of the simulator name each other in one direction only?
//!
//! Read from the source: every `crate::MODULE` outside of comments and unit tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

/// The stations of the data path, which `gpu` and `memory_side` connect.
const STATIONS: [&str; 3] = ["compute", "fabric", "partition"];

/// The modules that each module names, itself left out.
type Layers = BTreeMap<String, BTreeSet<String>>;

#[test]
fn stations_name_base_only() {
    let layers = layers().unwrap();
    for station in STATIONS {
        let named = &layers[station];
        assert!(named.iter().all(|module| module == "base"), "{station} names {named:?}");
    }
    assert!(layers["base"].is_empty(), "base names {:?}", layers["base"]);
}

#[test]
fn no_module_names_itself_through_others() {
    let mut layers = layers().unwrap();
    assert!(layers.len() > 10, "{layers:?}");
    // Modules that name no remaining module go, until none is left; what cannot go is in a cycle or above one.
    while let Some(lowest) = layers.iter().find(|(_, named)| named.is_empty()).map(|(name, _)| name.clone()) {
        layers.remove(&lowest);
        for named in layers.values_mut() {
            named.remove(&lowest);
        }
    }
    assert!(layers.is_empty(), "cycle in {layers:?}");
}

#[test]
fn names_in_comments_and_unit_tests_do_not_count() {
    let source = "use crate::base::Cycle;\n// crate::gpu\nlet a = crate::run::B + 1; // crate::tap\n\
                  #[cfg(test)]\nmod tests {\n    use crate::config::load;\n}\n";
    let mut named = BTreeSet::new();
    collect_names(source, &mut named);
    assert_eq!(named.into_iter().collect::<Vec<_>>(), ["base", "run"]);
}

fn layers() -> io::Result<Layers> {
    let mut layers = Layers::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut layers)?;
    for (module, named) in &mut layers {
        named.remove(module);
    }
    Ok(layers)
}

/// Adds what the files of a folder name to the modules that they are part of: `module`, or those of the crate's root.
fn collect(folder: &Path, module: Option<&str>, layers: &mut Layers) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let module = module.unwrap_or(stem);
        if path.is_dir() {
            collect(&path, Some(module), layers)?;
        } else if !["lib", "tests"].contains(&stem) {
            let source = fs::read_to_string(&path)?;
            collect_names(&source, layers.entry(module.to_owned()).or_default());
        }
    }
    Ok(())
}

/// Adds every `MODULE` of `crate::MODULE`; unit tests are the end of a file.
fn collect_names(source: &str, named: &mut BTreeSet<String>) {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    for line in code.lines().map(|line| line.split("//").next().unwrap_or_default()) {
        for rest in line.split("crate::").skip(1) {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            named.insert(rest[..end].to_owned());
        }
    }
}
