//! How a store is read, also one that may not be written.
//!
//! A process that reads a database in write-ahead mode takes part in its locking, through a file beside it that SQLite makes. On a
//! read-only medium or in a folder of another user it cannot; there no other process is likely to write either, and the file is read
//! as one that does not change. A log beside the file says that a process writes it, or was killed while writing: what it holds
//! would be missing, so then the store is refused.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::Context;
use crate::LabError;

/// Opens a file to read. Whether it is a store is for others to find out.
pub(super) fn open(path: &Path, context: &Context<'_>) -> Result<Connection, LabError> {
    let explain = |error| context.explain(error);
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(explain)?;
    if can_lock(&connection) {
        return Ok(connection);
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        let log = Path::new(&log).display();
        let message = format!(
            "cannot be read without writing, because {log} has results that it lacks; copy both elsewhere"
        );
        return Err(context.say(&message));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(unchanging(path), flags).map_err(explain)
}

/// Whether the files that readers share are there or can be made; any other fault is none of locking.
fn can_lock(connection: &Connection) -> bool {
    let looked = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    let code = looked.err().and_then(|error| error.sqlite_error_code());
    !matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// The address of a file that no process changes.
fn unchanging(path: &Path) -> String {
    let escape = |character: char| match character {
        '%' => "%25".to_owned(),
        '?' => "%3f".to_owned(),
        '#' => "%23".to_owned(),
        other => other.to_string(),
    };
    let path: String = path.to_string_lossy().chars().map(escape).collect();
    format!("file:{path}?immutable=1")
}
