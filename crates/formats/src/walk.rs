//! The files behind the paths of a command line: a directory means the tensor files below it.

use std::path::{Path, PathBuf};

use super::{Format, InputError, WayOut};

/// All files in a stable order. Below a directory only files that are known to hold tensors count, or every file if
/// raw files can be read (`with_raw`). A directory without any is an error.
pub fn files_of(paths: &[PathBuf], with_raw: bool) -> Result<Vec<PathBuf>, InputError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        collect(path, with_raw, &mut files)?;
        if files.len() == before {
            let message = "has no .npy, .npz or .safetensors file";
            return Err(InputError::new(message).of_file(path).mended_by(WayOut::GiveElementType));
        }
    }
    Ok(files)
}

fn collect(folder: &Path, with_raw: bool, files: &mut Vec<PathBuf>) -> Result<(), InputError> {
    let failure = |error: std::io::Error| InputError::from(error).of_file(folder);
    let entries = std::fs::read_dir(folder).map_err(failure)?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(failure)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        // Links are followed to files but not to directories: these could form a circle.
        let kind = entry.file_type().map_err(failure)?;
        let path = entry.path();
        if kind.is_dir() {
            collect(&path, with_raw, files)?;
        } else if path.is_file() && (with_raw || holds_tensors(&path)) {
            files.push(path);
        }
    }
    Ok(())
}

fn holds_tensors(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let inner = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    Format::of_name(inner) != Format::Raw
}
