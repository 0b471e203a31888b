//! A folder in which a program's loader finds our library under the names of NVIDIA's.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::shim::shim;
use crate::LabError;

/// The names under which programs ask for the runtime and for the driver.
const NAMES: [&str; 4] = ["libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libcuda.so.1"];

/// Puts a shim for each name into a folder.
pub fn make_links(folder: &Path, library: &Path) -> Result<(), LabError> {
    for name in NAMES {
        let path = folder.join(name);
        std::fs::write(&path, shim(name, library.as_os_str().as_bytes()))
            .map_err(|error| LabError::file(&path, error))?;
    }
    Ok(())
}
