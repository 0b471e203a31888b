//! Which file: the user's data directory, a path, or none.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::LabError;

/// The word for a store that vanishes with the process.
const NOWHERE: &str = "none";

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreLocation {
    /// A file.
    File(PathBuf),
    /// This process only.
    Memory,
}

impl StoreLocation {
    /// What `--store` asks for: a path, `none`, or nothing for the user's data directory.
    pub fn asked(path: Option<&Path>) -> Result<Self, LabError> {
        match path {
            Some(path) if path == Path::new(NOWHERE) => Ok(Self::Memory),
            Some(path) => Ok(Self::File(path.to_owned())),
            None => data_folder().map(|folder| Self::File(folder.join("shrinkwarp/runs.sqlite"))).ok_or_else(
                || {
                    let message = "neither XDG_DATA_HOME nor HOME says where data are kept; \
                                   give --store PATH, or --store none to keep nothing";
                    LabError::Usage(message.to_owned())
                },
            ),
        }
    }

    /// Refuses what cannot be a store's file.
    pub(super) fn check(&self) -> Result<(), LabError> {
        match self {
            Self::File(path) if path.is_dir() => {
                let message =
                    format!("store {self}: is a folder; name a file in it, as in {self}/runs.sqlite");
                Err(LabError::Usage(message))
            }
            _ => Ok(()),
        }
    }

    /// Makes the folder that the file is to be in.
    pub(super) fn make_folder(&self) -> Result<(), LabError> {
        let Self::File(path) = self else { return Ok(()) };
        let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
            return Ok(());
        };
        std::fs::create_dir_all(folder).map_err(|error| {
            let message = format!("store {self}: the folder cannot be made: {error}; {WAY_OUT}");
            LabError::Work(message)
        })
    }
}

/// What a user can always do.
pub(super) const WAY_OUT: &str = "give --store PATH for another place, or --store none to keep nothing";

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Memory => f.write_str(NOWHERE),
        }
    }
}

/// The user's data directory, as the XDG base directory specification defines it.
fn data_folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
}
