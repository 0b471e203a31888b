//! A private working folder: the program finds the files that it finds in the current folder, and what it writes is its
//! own.
//!
//! The path of the current folder is made again below a temporary one. The current folder, and every folder above it, is
//! filled with links to what is there, so that `data/graph.txt` and `../../data/graph.txt` are the same files as before. A
//! file that the program makes is in the private folder alone; one that is there already is written through its link,
//! unless it is named as an output.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

/// A folder with more entries than this is not filled with links, unless it is the current one.
const MOST_LINKS: usize = 4096;

/// A private folder; it goes when this goes.
#[derive(Debug)]
pub struct PrivateFolder {
    /// Where programs are run.
    pub path: PathBuf,
    _whole: TempDir,
}

impl PrivateFolder {
    /// A private copy of a folder without its `outputs`.
    pub fn of(current: &Path, outputs: &[PathBuf]) -> io::Result<Self> {
        let whole = tempfile::Builder::new().prefix("shrinkwarp-").tempdir()?;
        let (mut here, mut there) = (PathBuf::from("/"), whole.path().to_owned());
        let names: Vec<_> = current
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name),
                _ => None,
            })
            .collect();
        for name in names {
            fill(&here, &there, &[PathBuf::from(name)], MOST_LINKS)?;
            here.push(name);
            there.push(name);
            fs::create_dir(&there)?;
        }
        fill(&here, &there, outputs, usize::MAX)?;
        for output in outputs {
            if let Some(folder) = output.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                make_private(&here, &there, folder, outputs)?;
            }
        }
        Ok(Self { path: there, _whole: whole })
    }
}

/// Replaces the link to a subfolder by a folder of links, so that an output in it is private, too.
fn make_private(here: &Path, there: &Path, folder: &Path, outputs: &[PathBuf]) -> io::Result<()> {
    let (mut from, mut to, mut at) = (here.to_owned(), there.to_owned(), PathBuf::new());
    for part in folder.components() {
        let Component::Normal(name) = part else { return Ok(()) };
        from.push(name);
        to.push(name);
        at.push(name);
        if to.is_symlink() {
            fs::remove_file(&to)?;
        }
        if !to.exists() {
            fs::create_dir(&to)?;
            let inside: Vec<PathBuf> = outputs
                .iter()
                .filter_map(|output| output.strip_prefix(&at).ok())
                .map(Path::to_owned)
                .collect();
            if from.is_dir() {
                fill(&from, &to, &inside, usize::MAX)?;
            }
        }
    }
    Ok(())
}

/// Links from one folder to what another has, without some names. A folder that may not be read stays empty.
fn fill(from: &Path, to: &Path, without: &[PathBuf], most: usize) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(from) else { return Ok(()) };
    let names: Vec<_> =
        entries.take(most.saturating_add(1)).filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    if names.len() > most {
        return Ok(());
    }
    for name in names {
        if !without.iter().any(|other| other.as_path() == Path::new(&name)) {
            symlink(from.join(&name), to.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_as_before_and_new_ones_are_private() {
        let root = tempfile::tempdir().unwrap();
        let current = root.path().join("a/b");
        fs::create_dir_all(current.join("sub")).unwrap();
        fs::write(root.path().join("above.txt"), "above").unwrap();
        fs::write(current.join("beside.txt"), "beside").unwrap();
        fs::write(current.join("out.txt"), "old").unwrap();
        fs::write(current.join("sub/deep.txt"), "deep").unwrap();
        let outputs = [PathBuf::from("out.txt"), PathBuf::from("sub/new.txt")];
        let private = PrivateFolder::of(&current, &outputs).unwrap();
        let read = |path: &str| fs::read_to_string(private.path.join(path));
        assert_eq!(read("../../above.txt").unwrap(), "above");
        assert_eq!(read("beside.txt").unwrap(), "beside");
        assert_eq!(read("sub/deep.txt").unwrap(), "deep");
        assert!(read("out.txt").is_err());
        fs::write(private.path.join("out.txt"), "new").unwrap();
        fs::write(private.path.join("sub/new.txt"), "new").unwrap();
        assert_eq!(fs::read_to_string(current.join("out.txt")).unwrap(), "old");
        assert!(!current.join("sub/new.txt").exists());
        let place = private.path.clone();
        drop(private);
        assert!(!place.exists() && current.join("beside.txt").exists());
    }
}
