//! How processes without a common store keep results: each writes a file of its own, one JSON object a line, and a
//! collector puts them into the store.
//!
//! A line is written at once. A process that is killed may leave half a line at the end; the process that opens the file next
//! takes it away, and the run is run again. So no database is written over a network file system.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shrinkwarp_sim::scheme::Tables;

use crate::LabError;
use crate::batch::{CachedState, Sink};
use crate::run::{Identity, Record};
use crate::store::Store;

/// The longest line: a run with a long time series.
const MOST_LINE_BYTES: u64 = 256 << 20;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// A run.
    Run(Box<Record>),
    /// Tables of trained codecs.
    Tables { profile: Identity, tables: Tables },
}

/// A file of one process.
#[derive(Debug)]
pub struct ResultsFile {
    path: PathBuf,
    file: File,
    known: BTreeMap<Identity, (CachedState, Option<u64>)>,
    tables: BTreeMap<(Identity, String), Vec<u8>>,
}

impl ResultsFile {
    /// Opens a file to go on where it ends; one that is not there is made.
    pub fn open(path: &Path) -> Result<Self, LabError> {
        let fail = |error: std::io::Error| LabError::file(path, error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(fail)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(fail)?;
        let mut results =
            Self { path: path.to_owned(), file, known: BTreeMap::new(), tables: BTreeMap::new() };
        let Lines { lines, whole_bytes, .. } = read_lines(path)?;
        results.file.set_len(whole_bytes).map_err(fail)?;
        for line in lines {
            results.note(line);
        }
        Ok(results)
    }

    fn note(&mut self, line: Line) {
        match line {
            Line::Run(record) => {
                let known = if record.error().is_some() { CachedState::Failed } else { CachedState::Done };
                self.known.insert(record.identity, (known, record.sample_cycles));
            }
            Line::Tables { profile, tables } => {
                let tables = tables.into_iter().map(|(codec, bytes)| ((profile.clone(), codec), bytes));
                self.tables.extend(tables);
            }
        }
    }

    fn append(&mut self, line: Line) -> Result<(), LabError> {
        let mut text = serde_json::to_string(&line).map_err(|error| LabError::file(&self.path, error))?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).map_err(|error| LabError::file(&self.path, error))?;
        self.note(line);
        Ok(())
    }
}

impl Sink for ResultsFile {
    fn known(&self, identity: &Identity, sample_cycles: Option<u64>) -> Result<CachedState, LabError> {
        Ok(match self.known.get(identity) {
            Some((CachedState::Done, kept)) if sample_cycles.is_some() && sample_cycles != *kept => {
                CachedState::Absent
            }
            Some((known, _)) => *known,
            None => CachedState::Absent,
        })
    }

    fn keep(&mut self, record: &Record) -> Result<(), LabError> {
        self.append(Line::Run(Box::new(record.clone())))
    }

    fn tables(&self, profile: &Identity, codec: &str) -> Result<Option<Vec<u8>>, LabError> {
        Ok(self.tables.get(&(profile.clone(), codec.to_owned())).cloned())
    }

    fn keep_tables(&mut self, profile: &Identity, tables: &Tables) -> Result<(), LabError> {
        self.append(Line::Tables { profile: profile.clone(), tables: tables.clone() })
    }
}

/// What came out of the result files of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Runs that were new to the store.
    pub new: usize,
    /// Lines that cannot be read as results, each with its place; what they held is run again.
    pub unreadable: Vec<String>,
}

/// Puts what the files of a folder and its subfolders hold into a store. A line that cannot be read costs no other.
pub fn collect(folder: &Path, store: &mut Store) -> Result<Collected, LabError> {
    let mut collected = Collected::default();
    for path in result_files(folder)? {
        let Lines { lines, unreadable, .. } = read_lines(&path)?;
        collected.unreadable.extend(unreadable);
        for line in lines {
            match line {
                Line::Tables { profile, tables } => store.keep_tables(&profile, &tables)?,
                Line::Run(record) => {
                    let known = store.known(&record.identity, record.sample_cycles)?;
                    // A failure does not replace a result.
                    if known == CachedState::Absent
                        || known == CachedState::Failed && record.error().is_none()
                    {
                        store.record(&record)?;
                        collected.new += 1;
                    }
                }
            }
        }
    }
    Ok(collected)
}

fn result_files(folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    let entries = fs::read_dir(folder).map_err(|error| LabError::file(folder, error))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| LabError::file(folder, error))?.path();
        if path.is_dir() {
            files.extend(result_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// What a file holds.
struct Lines {
    lines: Vec<Line>,
    /// Places of lines that cannot be read as results.
    unreadable: Vec<String>,
    /// The bytes of all whole lines.
    whole_bytes: u64,
}

/// Reads a file line by line; half a line at the end is no line.
fn read_lines(path: &Path) -> Result<Lines, LabError> {
    let fail = |error: std::io::Error| LabError::file(path, error);
    let mut reader = BufReader::new(File::open(path).map_err(fail)?);
    let mut found = Lines { lines: Vec::new(), unreadable: Vec::new(), whole_bytes: 0 };
    let mut text = Vec::new();
    for number in 1.. {
        text.clear();
        let bytes = reader.by_ref().take(MOST_LINE_BYTES).read_until(b'\n', &mut text).map_err(fail)?;
        if text.last() != Some(&b'\n') {
            if bytes as u64 == MOST_LINE_BYTES {
                let message = format!("line {number} is longer than {} MiB", MOST_LINE_BYTES >> 20);
                return Err(LabError::file(path, message));
            }
            return Ok(found);
        }
        found.whole_bytes += bytes as u64;
        if text == b"\n" {
            continue;
        }
        match serde_json::from_slice(&text) {
            Ok(line) => found.lines.push(line),
            Err(_) => found.unreadable.push(format!("{}:{number}", path.display())),
        }
    }
    Ok(found)
}
