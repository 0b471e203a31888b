//! What profiling runs moved, so that figures and tables are made again without running them.

use rusqlite::{OptionalExtension, params};
use shrinkwarp_sim::MODEL_VERSION;

use super::Store;
use crate::LabError;
use crate::profile::Profile;
use crate::run::Identity;

impl Store {
    /// A profile that was kept earlier. One that cannot be read is none: it is made again.
    pub fn profile(&self, identity: &Identity) -> Result<Option<Profile>, LabError> {
        let content: Option<Vec<u8>> = self
            .connection
            .prepare_cached("SELECT content FROM profiles WHERE profile = ?1")
            .and_then(|mut query| query.query_row([identity.as_str()], |row| row.get(0)).optional())
            .map_err(|error| self.context().explain(error))?;
        Ok(content.and_then(|content| Profile::from_bytes(&content)))
    }

    /// Keeps a profile.
    pub fn keep_profile(&self, identity: &Identity, profile: &Profile) -> Result<(), LabError> {
        let content = profile
            .to_bytes()
            .map_err(|error| LabError::Work(format!("a profile cannot be compressed: {error}")))?;
        self.connection
            .execute(
                "INSERT OR REPLACE INTO profiles (profile, model_version, content) VALUES (?1, ?2, ?3)",
                params![identity.as_str(), MODEL_VERSION, content],
            )
            .map(drop)
            .map_err(|error| self.context().explain(error))
    }
}
