//! Which part of the runs is this process's: part K of N of a list that every process makes for itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use shrinkwarp_formats::files::{MOST_TEXT_BYTES, read_text, replace};

use crate::LabError;
use crate::run::Run;

/// Part `index` of `count`, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part.
    pub index: usize,
    /// Of how many.
    pub count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Self { index, count }),
            _ => Err("expected K/N with K from 1 to N, as in 2/8".to_owned()),
        }
    }
}

impl Shard {
    /// Its part of a list: neighbours stay together, because they share profiles.
    pub fn of<'r, T>(&self, all: &'r [T]) -> &'r [T] {
        let start = (self.index - 1) * all.len() / self.count;
        let end = self.index * all.len() / self.count;
        all.get(start..end).unwrap_or_default()
    }

    /// The file that its results go to.
    pub fn file_name(&self) -> String {
        format!("shard-{}-of-{}.jsonl", self.index, self.count)
    }
}

/// The runs that are left when a sweep is divided: one identity a line in `todo.txt`, beside the results. Without the
/// file all runs are left.
#[derive(Debug)]
pub struct Todo {
    path: PathBuf,
}

impl Todo {
    /// In a folder of results.
    pub fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("todo.txt") }
    }

    /// Writes it.
    pub fn write(&self, runs: &[&Run]) -> Result<(), LabError> {
        let mut text = String::new();
        for run in runs {
            text += &format!("{}\n", run.identity()?);
        }
        replace(&self.path, |file| file.write_all(text.as_bytes()))
            .map_err(|error| LabError::Work(error.to_string()))
    }

    /// The runs that it names, in order.
    pub fn choose(&self, runs: Vec<Run>) -> Result<Vec<Run>, LabError> {
        if !self.path.exists() {
            return Ok(runs);
        }
        let text =
            read_text(&self.path, MOST_TEXT_BYTES).map_err(|error| LabError::file(&self.path, error))?;
        let wanted: BTreeSet<&str> = text.lines().collect();
        let mut chosen = Vec::new();
        for run in runs {
            if wanted.contains(run.identity()?.as_str()) {
                chosen.push(run);
            }
        }
        if chosen.len() < wanted.len() {
            let message =
                "names runs that this sweep does not have: the sweep file or the program is another one";
            return Err(LabError::file(&self.path, message));
        }
        Ok(chosen)
    }
}
