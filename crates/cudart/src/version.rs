//! Which libcudart the program requested: structures grew from version to version.
//!
//! A program finds the library under the name it was linked with (`libcudart.so.11.0`, `.12` or `.13`), so the names
//! of the loaded objects tell. Without such a name (a test, a program linked under another name) it is the newest.

use std::ffi::{CStr, c_int, c_void};

/// A major version of the CUDA runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuntimeVersion {
    /// 11.x
    V11,
    /// 12.x
    V12,
    /// 13.x
    V13,
}

impl RuntimeVersion {
    /// Every version, with the name of its library.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::V11, "libcudart.so.11.0"), (Self::V12, "libcudart.so.12"), (Self::V13, "libcudart.so.13")];

    /// As `cudaRuntimeGetVersion` gives it.
    pub fn number(self) -> i32 {
        match self {
            Self::V11 => 11_080,
            Self::V12 => 12_090,
            Self::V13 => 13_000,
        }
    }

    /// The version of this process.
    pub fn of_process() -> Self {
        let mut found: Option<Self> = None;
        // SAFETY: the callback has the expected type, and `found` outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut found).cast()) };
        found.unwrap_or(Self::V13)
    }

    fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        Self::ALL.iter().find(|(_, library)| *library == name).map(|(version, _)| *version)
    }
}

unsafe extern "C" fn look_at(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader gives a valid object whose name ends with a NUL, and `found` is ours.
    let (path, found) =
        unsafe { (CStr::from_ptr((*info).dlpi_name), &mut *found.cast::<Option<RuntimeVersion>>()) };
    *found = (*found).max(RuntimeVersion::of_path(&path.to_string_lossy()));
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_library_is_its_version() {
        assert_eq!(RuntimeVersion::of_path("/some/where/libcudart.so.11.0"), Some(RuntimeVersion::V11));
        assert_eq!(RuntimeVersion::of_path("libcudart.so.12"), Some(RuntimeVersion::V12));
        assert_eq!(RuntimeVersion::of_path("/lib/libc.so.6"), None);
        assert_eq!(RuntimeVersion::of_process(), RuntimeVersion::V13);
    }
}
