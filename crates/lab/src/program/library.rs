//! Where the runtime library is.

use std::path::{Path, PathBuf};

use crate::LabError;

/// File name of the library.
const LIBRARY: &str = "libshrinkwarp_cudart.so";
/// Names another place.
const VARIABLE: &str = "SHRINKWARP_CUDART";

/// The library: where `SHRINKWARP_CUDART` says, or next to this program, or in the `lib` folder next to its own.
pub fn find_library() -> Result<PathBuf, LabError> {
    if let Some(path) = std::env::var_os(VARIABLE) {
        return Path::new(&path).canonicalize().map_err(|error| {
            LabError::Usage(format!("{VARIABLE}: {}: {error}", Path::new(&path).display()))
        });
    }
    let program = std::env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
    places.iter().find_map(|place| place.canonicalize().ok()).ok_or_else(|| {
        LabError::Usage(format!(
            "{LIBRARY} is neither in {} nor in ../lib; build it with `cargo build --release -p shrinkwarp-cudart` or say \
             with {VARIABLE} where it is",
            folder.display()
        ))
    })
}
