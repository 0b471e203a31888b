//! Where results are kept: one SQLite database, in the user's data directory or where `--store` says.
//!
//! A run is there once, under its identity. Writing is one transaction a run in write-ahead mode: several processes may
//! use a store at once, and whatever ends one of them, what was written stays whole. `docs/runs.md` explains the tables.
//!
//! | file        | question it answers                                             |
//! |-------------|-----------------------------------------------------------------|
//! | `place`     | which file?                                                     |
//! | `schema`    | which tables, in which version?                                 |
//! | `write`     | how is a run put in?                                            |
//! | `read`      | which runs are there, and what is known of one?                 |
//! | `reader`    | how is a file read that may not be written?                     |
//! | `claims`    | which process is at which run?                                  |
//! | `profiles`  | what did profiling runs move?                                   |
//! | `approximation_errors` | what does approximation cost a workload?             |
//! | `remove`    | how do runs leave, and how do two stores become one?            |
//! | `functions` | what can SQL do here that it cannot elsewhere?                  |
//! | `query`     | what does a query of the user's own give?                       |
//! | `parquet`   | how do data frames read it?                                     |
//! | `export`    | how do others read it?                                          |
//! | `text`      | how does a person read it?                                      |
//! | `error`     | what is wrong with the file, and what can be done?              |

mod approximation_errors;
mod claims;
mod error;
mod export;
mod functions;
mod location;
mod parquet;
mod profiles;
mod query;
mod read;
mod reader;
mod remove;
mod schema;
mod text;
mod write;

pub use self::parquet::parquet;
pub use approximation_errors::KeptErrors;
pub use export::{Grid, csv, json, wide_grid};
pub use location::StoreLocation;
pub use read::{Filter, RunRow};
pub use text::{columns, counted, list, show};

use std::time::Duration;

use rusqlite::Connection;

use crate::LabError;
use error::Context;

/// How long a process waits for another that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    place: StoreLocation,
    /// Who claims runs through it.
    owner: String,
}

impl Store {
    /// Opens a store to read and write; one that is not there is made.
    pub fn open(place: &StoreLocation) -> Result<Self, LabError> {
        let context = Context(place);
        place.check()?;
        place.make_folder()?;
        let connection = match place {
            StoreLocation::Memory => Connection::open_in_memory(),
            StoreLocation::File(path) => Connection::open(path),
        };
        let mut store = Self::prepared(connection.map_err(|error| context.explain(error))?, place)?;
        if store.connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(false) {
            return Err(context.read_only());
        }
        schema::migrate(&mut store.connection, &context)?;
        let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;";
        store.connection.execute_batch(settings).map_err(|error| context.explain(error))?;
        Ok(store)
    }

    /// Opens a store to read; it must be there and is not changed.
    pub fn open_to_read(place: &StoreLocation) -> Result<Self, LabError> {
        let StoreLocation::File(path) = place else { return Self::open(place) };
        let context = Context(place);
        place.check()?;
        if !path.exists() {
            return Err(context.missing());
        }
        let store = Self::prepared(reader::open(path, &context)?, place)?;
        schema::require_current(&store.connection, &context)?;
        Ok(store)
    }

    fn prepared(connection: Connection, place: &StoreLocation) -> Result<Self, LabError> {
        let explain = |error| Context(place).explain(error);
        connection.busy_timeout(BUSY_TIMEOUT).map_err(explain)?;
        functions::register(&connection).map_err(explain)?;
        Ok(Self { connection, place: place.clone(), owner: claims::owner() })
    }

    /// Where it is.
    pub fn place(&self) -> &StoreLocation {
        &self.place
    }

    fn context(&self) -> Context<'_> {
        Context(&self.place)
    }
}

#[cfg(test)]
mod tests;
