//! Measurements that were made before, one small file for each data set.
//!
//! A file's name is a hash of everything that decides the numbers; its first line says all of it in full, so that neither a
//! collision nor a change of the program can bring back numbers of something else. A cache that cannot be read or
//! written costs time, never a result.

use std::fs;
use std::path::{Path, PathBuf};

use crate::BITS;
use crate::measure::Measurement;
use crate::plan::PlannedInput;
use crate::table;

/// Changes whenever measuring changes: metrics, generators, what a load sees.
const MEASURING_VERSION: u32 = 2;

/// A folder of measurements.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// A cache in this folder, which is made when something is stored.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// What was measured on this data set before.
    pub fn load(&self, planned: &PlannedInput) -> Option<Vec<Measurement>> {
        let identity = identity(planned);
        let text = fs::read_to_string(self.path(&identity)).ok()?;
        let (first, rest) = text.split_once('\n')?;
        if first != identity {
            return None;
        }
        table::parse(rest).ok().filter(|rows| !rows.is_empty())
    }

    /// What was measured before, or else what measuring gives now.
    pub fn load_or(
        &self,
        planned: &PlannedInput,
        measure: impl FnOnce(&PlannedInput) -> Result<Vec<Measurement>, String>,
    ) -> Result<Vec<Measurement>, String> {
        if let Some(rows) = self.load(planned) {
            return Ok(rows);
        }
        let rows = measure(planned)?;
        self.store(planned, &rows);
        Ok(rows)
    }

    /// Keeps what was measured.
    pub fn store(&self, planned: &PlannedInput, rows: &[Measurement]) {
        let identity = identity(planned);
        let path = self.path(&identity);
        if fs::create_dir_all(&self.folder).is_err() {
            return;
        }
        // Another process may write the same file: it appears whole or not at all.
        let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
        let is_written = fs::write(&unfinished, format!("{identity}\n{}", table::format(rows))).is_ok();
        if !is_written || fs::rename(&unfinished, &path).is_err() {
            let _ = fs::remove_file(&unfinished);
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, identity: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.csv", fnv1a(identity.as_bytes())))
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
    fn what_was_stored_comes_back_and_anything_else_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("deep"));
        let plan = Plan::usual(shrinkwarp_workloads::find("atax").unwrap(), Scale::Tiny, 2).unwrap();
        let [first, second] = plan.data_sets().try_into().unwrap();
        assert_eq!(cache.load(&first), None);
        let rows = measure(&first).unwrap();
        cache.store(&first, &rows);
        assert_eq!(cache.load(&first), Some(rows));
        assert_eq!(cache.load(&second), None);

        let path = cache.path(&identity(&first));
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("measuring 2", "measuring 1")).unwrap();
        assert_eq!(cache.load(&first), None);
    }
}
