//! Where measurements are kept from one command to the next.

use std::path::PathBuf;

use clap::Args;
use shrinkwarp_approx::cache::{Cache, Folder};

/// The cache's options, shared by the commands that measure.
#[derive(Args, Debug)]
pub struct Store {
    /// Folder of earlier measurements [default: shrinkwarp/approx in the user's cache folder]
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// Do not read or write earlier measurements
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,
}

impl Store {
    /// The cache to use, if any: nothing is kept where the user has no cache folder.
    pub fn cache(&self) -> Option<Box<dyn Cache>> {
        if self.no_cache {
            return None;
        }
        let folder = self.cache.clone().or_else(user_folder)?;
        Some(Box::new(Folder::new(folder)))
    }
}

fn user_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("shrinkwarp/approx"))
}
