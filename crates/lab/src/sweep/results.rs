//! How processes without a common store keep results: each writes a file of its own, one JSON object a line, and a
//! collector puts them into the store.
//!
//! A line is written at once. A process that is killed may leave half a line at the end; the process that opens the file next
//! takes it away, and the run is run again. So no database is written over a network file system.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shrinkwarp_sim::scheme::Tables;

use crate::LabError;
use crate::batch::{Known, Sink};
use crate::run::{Identity, Record};
use crate::store::Store;

/// One line.
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
    known: BTreeMap<Identity, (Known, Option<u64>)>,
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
        let (lines, whole_bytes) = read_lines(path)?;
        results.file.set_len(whole_bytes).map_err(fail)?;
        for line in lines {
            results.note(line);
        }
        Ok(results)
    }

    fn note(&mut self, line: Line) {
        match line {
            Line::Run(record) => {
                let known = if record.error().is_some() { Known::Failed } else { Known::Done };
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
    fn known(&self, identity: &Identity, sample_cycles: Option<u64>) -> Result<Known, LabError> {
        Ok(match self.known.get(identity) {
            Some((Known::Done, kept)) if sample_cycles.is_some() && sample_cycles != *kept => Known::Absent,
            Some((known, _)) => *known,
            None => Known::Absent,
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

/// Puts what the files of a folder and its subfolders hold into a store; returns how many runs were new to it.
pub fn collect(folder: &Path, store: &mut Store) -> Result<usize, LabError> {
    let mut new = 0;
    for path in result_files(folder)? {
        for line in read_lines(&path)?.0 {
            match line {
                Line::Tables { profile, tables } => store.keep_tables(&profile, &tables)?,
                Line::Run(record) => {
                    let known = store.known(&record.identity, record.sample_cycles)?;
                    // A failure does not replace a result.
                    if known == Known::Absent || known == Known::Failed && record.error().is_none() {
                        store.record(&record)?;
                        new += 1;
                    }
                }
            }
        }
    }
    Ok(new)
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

/// The lines of a file, and the bytes that they take; half a line at the end is no line.
fn read_lines(path: &Path) -> Result<(Vec<Line>, u64), LabError> {
    let text = fs::read(path).map_err(|error| LabError::file(path, error))?;
    let whole_bytes = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let mut lines = Vec::new();
    for (index, line) in text[..whole_bytes].split(|byte| *byte == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let line = serde_json::from_slice(line).map_err(|error| {
            let message = format!("line {}: {error}; this is not a result of this program", index + 1);
            LabError::file(path, message)
        })?;
        lines.push(line);
    }
    Ok((lines, whole_bytes as u64))
}
