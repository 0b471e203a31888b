//! Measurements that were made before: the rows of each data set, kept as text under an identity.
//!
//! An identity says everything that decides the numbers, in full and on one line, so that neither a collision nor a change of the
//! program can bring back numbers of something else. What cannot be read or written costs time, never a result.

use std::fs;
use std::path::{Path, PathBuf};

use crate::BITS;
use crate::measure::Measurement;
use crate::plan::PlannedInput;
use crate::table;

/// Changes whenever measuring changes: metrics, generators, what a load sees.
const MEASURING_VERSION: u32 = 2;

/// Where measurements are kept.
pub trait Cache: Sync {
    /// The rows that were kept under an identity, as text.
    fn load(&self, identity: &str) -> Option<String>;

    /// Keeps rows as text.
    fn keep(&self, identity: &str, rows: &str);
}

/// What was measured on this data set before, or else what measuring gives now.
pub fn load_or(
    cache: &dyn Cache,
    planned: &PlannedInput,
    measure: impl FnOnce(&PlannedInput) -> Result<Vec<Measurement>, String>,
) -> Result<Vec<Measurement>, String> {
    let identity = identity(planned);
    let kept = cache.load(&identity).and_then(|rows| table::parse(&rows).ok());
    if let Some(rows) = kept.filter(|rows| !rows.is_empty()) {
        return Ok(rows);
    }
    let rows = measure(planned)?;
    cache.keep(&identity, &table::format(&rows));
    Ok(rows)
}

/// A folder with a small file for each data set. Its name is a hash of the identity, its first line the identity.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Measurements in this folder, which is made when something is kept.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn file(&self, identity: &str) -> PathBuf {
        self.path.join(format!("{:016x}.csv", fnv1a(identity.as_bytes())))
    }
}

impl Cache for Folder {
    fn load(&self, identity: &str) -> Option<String> {
        let text = fs::read_to_string(self.file(identity)).ok()?;
        let (first, rows) = text.split_once('\n')?;
        (first == identity).then(|| rows.to_owned())
    }

    fn keep(&self, identity: &str, rows: &str) {
        if fs::create_dir_all(&self.path).is_err() {
            return;
        }
        // Another process may write the same file: it appears whole or not at all.
        let path = self.file(identity);
        let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
        let is_written = fs::write(&unfinished, format!("{identity}\n{rows}")).is_ok();
        if !is_written || fs::rename(&unfinished, &path).is_err() {
            let _ = fs::remove_file(&unfinished);
        }
    }
}

/// Everything that decides the numbers, on one line.
fn identity(planned: &PlannedInput) -> String {
    let PlannedInput { workload, scale, seed, properties } = planned;
    format!(
        "measuring {MEASURING_VERSION}, shrinkwarp {}, {} {:016x}, {}, seed {seed}, {properties:?}, bits {BITS:?}",
        env!("CARGO_PKG_VERSION"),
        workload.name,
        fnv1a(workload.ptx.as_bytes()),
        scale.name(),
    )
}

/// FNV-1a, 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::measure;
    use crate::plan::Plan;
    use shrinkwarp_workloads::Scale;

    #[test]
    fn what_was_kept_comes_back_and_anything_else_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Folder::new(folder.path().join("deep"));
        let plan = Plan::usual(shrinkwarp_workloads::find("atax").unwrap(), Scale::Tiny, 2).unwrap();
        let [first, second] = plan.data_sets().try_into().unwrap();
        let not_kept = |_: &PlannedInput| Err("not kept".to_owned());
        assert!(load_or(&cache, &first, not_kept).is_err());
        let rows = load_or(&cache, &first, measure).unwrap();
        assert_eq!(load_or(&cache, &first, not_kept), Ok(rows));
        assert!(load_or(&cache, &second, not_kept).is_err());

        let path = cache.file(&identity(&first));
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("measuring 2", "measuring 1")).unwrap();
        assert!(load_or(&cache, &first, not_kept).is_err());
    }
}
