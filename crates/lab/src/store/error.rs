//! What is wrong with a store, and what can be done about it.

use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Error, ErrorCode};

use super::location::{StoreLocation, WAY_OUT};
use crate::LabError;

const NO_ROOM: &str = "there is no room left on the disk; what was kept before is whole. \
                       Make room and start the same command again: it continues";

/// The store that an error is about.
pub struct Context<'a>(pub &'a StoreLocation);

impl Context<'_> {
    /// An error of SQLite in the user's words.
    #[expect(clippy::needless_pass_by_value, reason = "as map_err hands it over")]
    pub fn explain(&self, error: Error) -> LabError {
        let Error::SqliteFailure(failure, _) = &error else { return self.say(&error.to_string()) };
        let what = match failure.code {
            ErrorCode::NotADatabase => {
                format!("is not a SQLite database and is not changed; {WAY_OUT}")
            }
            ErrorCode::DatabaseCorrupt => format!(
                "is damaged ({error}) and is not changed; `sqlite3 {} .recover` may save what is left; {WAY_OUT}",
                self.0
            ),
            ErrorCode::ReadOnly => return self.read_only(),
            ErrorCode::DiskFull => NO_ROOM.to_owned(),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                "another process has been writing for too long; try again when it has ended".to_owned()
            }
            ErrorCode::CannotOpen => format!("cannot be opened ({error}); {WAY_OUT}"),
            // The index of the write-ahead log is a file, which has to grow even to read.
            ErrorCode::SystemIoFailure if failure.extended_code == SQLITE_IOERR_SHMSIZE => NO_ROOM.to_owned(),
            ErrorCode::SystemIoFailure => format!("cannot be read or written ({error}); {WAY_OUT}"),
            _ => error.to_string(),
        };
        self.say(&what)
    }

    /// Results cannot be kept here.
    pub fn read_only(&self) -> LabError {
        self.say(&format!("may not be written; make it writable, or {WAY_OUT}"))
    }

    /// There is nothing to read.
    pub fn missing(&self) -> LabError {
        self.say(
            "has no runs yet; `shrinkwarp compare` or `shrinkwarp sweep` makes some, or give --store PATH",
        )
    }

    /// A sentence about the store.
    pub fn say(&self, what: &str) -> LabError {
        LabError::Work(format!("store {}: {what}", self.0))
    }
}
