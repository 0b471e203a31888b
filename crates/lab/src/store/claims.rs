//! Which process is at which run, so that batches on one store divide the work.
//!
//! A claim is a lease: its owner renews it while it works, and when the lease has ended, the run is free again. A claim
//! of a process of this machine that is gone is free at once, so a killed batch goes on without a wait.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{OptionalExtension, TransactionBehavior, params};

use super::Store;
use crate::LabError;
use crate::run::{Identity, host_name};

/// How long a claim holds that is not renewed.
const LEASE: Duration = Duration::from_mins(1);

/// The owner of claims: a process, and which of its stores.
pub(super) fn owner() -> String {
    static STORES: AtomicU64 = AtomicU64::new(0);
    let pid = std::process::id();
    let started = start_time(pid).unwrap_or_default();
    format!("{} {pid} {started} {}", host_name(), STORES.fetch_add(1, Ordering::Relaxed))
}

impl Store {
    /// Claims a run for this process; `false` if another process is at it.
    pub fn claim(&mut self, identity: &Identity) -> Result<bool, LabError> {
        let place = self.place.clone();
        let explain = |error| super::Context(&place).explain(error);
        // Most questions for a run of others are answered without the lock that writing needs.
        if self.is_claimed_elsewhere(identity).map_err(explain)? {
            return Ok(false);
        }
        let owner = self.owner.clone();
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(explain)?;
        let found = claim_of(&transaction, identity).map_err(explain)?;
        if found.is_some_and(|(other, until)| other != owner && holds(&other, until)) {
            return Ok(false);
        }
        transaction
            .execute(
                "INSERT OR REPLACE INTO claims (identity, owner, until_unix_s) VALUES (?1, ?2, ?3)",
                params![identity.as_str(), owner, lease_end()],
            )
            .map_err(explain)?;
        transaction.commit().map_err(explain)?;
        Ok(true)
    }

    /// Lets the claims of this process hold for another lease.
    pub fn renew_claims(&self) -> Result<(), LabError> {
        self.change_claims(
            "UPDATE claims SET until_unix_s = ?2 WHERE owner = ?1",
            params![self.owner, lease_end()],
        )
    }

    /// Gives a run back.
    pub fn release(&self, identity: &Identity) -> Result<(), LabError> {
        let sql = "DELETE FROM claims WHERE owner = ?1 AND identity = ?2";
        self.change_claims(sql, params![self.owner, identity.as_str()])
    }

    /// Gives all runs of this process back.
    pub fn release_claims(&self) -> Result<(), LabError> {
        self.change_claims("DELETE FROM claims WHERE owner = ?1", params![self.owner])
    }

    fn change_claims(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<(), LabError> {
        self.connection.execute(sql, values).map(drop).map_err(|error| self.context().explain(error))
    }

    fn is_claimed_elsewhere(&self, identity: &Identity) -> rusqlite::Result<bool> {
        let found = claim_of(&self.connection, identity)?;
        Ok(found.is_some_and(|(other, until)| other != self.owner && holds(&other, until)))
    }
}

fn claim_of(
    connection: &rusqlite::Connection,
    identity: &Identity,
) -> rusqlite::Result<Option<(String, i64)>> {
    connection
        .prepare_cached("SELECT owner, until_unix_s FROM claims WHERE identity = ?1")?
        .query_row([identity.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// Whether a claim of another owner still holds.
fn holds(owner: &str, until_unix_s: i64) -> bool {
    until_unix_s > now_unix_s() && !is_gone(owner)
}

/// Whether the owner is known to be gone: a process of this machine that does not run any more.
fn is_gone(owner: &str) -> bool {
    let mut words = owner.rsplit(' ').skip(1);
    let (Some(started), Some(pid)) = (words.next(), words.next()) else { return false };
    let Ok(pid) = pid.parse::<u32>() else { return false };
    let is_here = owner.starts_with(&format!("{} {pid} ", host_name()));
    // Where there is no such file even of this process, nothing is known of others.
    is_here
        && start_time(std::process::id()).is_some()
        && start_time(pid).is_none_or(|running| running != started)
}

/// When a process started, in the kernel's ticks: it tells it from a later one with the same number.
fn start_time(pid: u32) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in brackets and may hold anything; 19 fields follow before the start.
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(19).map(str::to_owned)
}

fn now_unix_s() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64
}

fn lease_end() -> i64 {
    now_unix_s() + LEASE.as_secs() as i64
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::store::StoreLocation;

    fn identity() -> Identity {
        Identity::from("abc".to_owned())
    }

    fn two(folder: &TempDir) -> [Store; 2] {
        let place = StoreLocation::File(folder.path().join("runs.sqlite"));
        [0, 1].map(|_| Store::open(&place).unwrap())
    }

    #[test]
    fn a_run_has_one_owner_until_it_is_given_back() {
        let folder = TempDir::new().unwrap();
        let [mut one, mut other] = two(&folder);
        assert!(one.claim(&identity()).unwrap());
        assert!(one.claim(&identity()).unwrap(), "an owner may ask twice");
        assert!(!other.claim(&identity()).unwrap());
        one.release_claims().unwrap();
        assert!(other.claim(&identity()).unwrap());
    }

    #[test]
    fn a_lease_that_has_ended_is_free_and_one_that_is_renewed_is_not() {
        let folder = TempDir::new().unwrap();
        let [mut one, mut other] = two(&folder);
        one.claim(&identity()).unwrap();
        one.connection.execute("UPDATE claims SET until_unix_s = 5", []).unwrap();
        one.renew_claims().unwrap();
        assert!(!other.claim(&identity()).unwrap());
        one.connection.execute("UPDATE claims SET until_unix_s = 5", []).unwrap();
        assert!(other.claim(&identity()).unwrap());
    }

    #[test]
    fn a_claim_of_a_process_that_is_gone_is_free() {
        let folder = TempDir::new().unwrap();
        let [mut one, mut other] = two(&folder);
        one.claim(&identity()).unwrap();
        let elsewhere = format!("not-{} 1 1 0", host_name());
        one.connection.execute("UPDATE claims SET owner = ?1", [&elsewhere]).unwrap();
        assert!(!other.claim(&identity()).unwrap(), "of another machine only the lease is known");
        let gone = format!("{} {} 1 0", host_name(), std::process::id());
        one.connection.execute("UPDATE claims SET owner = ?1", [&gone]).unwrap();
        assert!(other.claim(&identity()).unwrap(), "this process has another start time");
    }
}
