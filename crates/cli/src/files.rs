//! Standard output, and output files that Ctrl-C leaves no part of.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use shrinkwarp_formats::files::{STANDARD, check_place, open_rereadable, replace};
use shrinkwarp_formats::files::{is_special, parent_of, persist, temporary_in};
use shrinkwarp_report::text::printable;
use tempfile::NamedTempFile;

use crate::failure::{Failure, INTERRUPTED};

/// Writes text to standard output; names in it cannot reach the terminal's controls.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(printable(text).as_bytes())
}

/// Writes bytes to standard output.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    write_out(bytes).map_err(|error| Failure::output(&error))
}

/// Writes bytes to standard output, at once.
pub fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush())
}

/// Writes text to standard error as it is. A standard error that cannot be written is not a failure.
pub fn print_aside(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Where a command writes: a file under a temporary name until it is complete, or standard output.
pub enum Output {
    /// A temporary file in the folder of the final name.
    Pending {
        /// The file so far.
        file: NamedTempFile,
        /// Its name once complete.
        path: PathBuf,
    },
    /// A device or a pipe, which is not replaced.
    Special(std::fs::File, PathBuf),
    /// Standard output.
    Standard(io::Stdout),
}

impl Output {
    /// Opens `path`; an existing file is replaced only with `force`. Ctrl-C removes the temporary file.
    pub fn create(path: &Path, force: bool) -> Result<Self, Failure> {
        if path == Path::new(STANDARD) {
            return Ok(Self::Standard(io::stdout()));
        }
        if is_special(path) {
            let file = std::fs::OpenOptions::new().write(true).open(path);
            let file = file.map_err(|error| Failure::file(path, error))?;
            return Ok(Self::Special(file, path.to_owned()));
        }
        if path.exists() && !force {
            let message = "exists; give --force to replace it, or another name with --output";
            return Err(Failure::Usage(format!("{}: {message}", path.display())));
        }
        let parent = parent_of(path);
        let file = pending_file(parent)
            .map_err(|error| Failure::Work(format!("{}: cannot write here: {error}", parent.display())))?;
        Ok(Self::Pending { file, path: path.to_owned() })
    }

    /// Gives the complete file its final name.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Standard(mut stdout) => stdout.flush().map_err(|error| Failure::output(&error)),
            Self::Special(..) => Ok(()),
            Self::Pending { file, path } => persist(file, &path).map_err(|error| Failure::file(&path, error)),
        }
    }

    /// A failure to write, in the words of this output.
    pub fn failure(&self, error: &io::Error) -> Failure {
        match self {
            Self::Standard(_) => Failure::output(error),
            Self::Pending { path, .. } | Self::Special(_, path) => Failure::file(path, error),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(stdout) => stdout.write(bytes),
            Self::Pending { file, .. } => file.write(bytes),
            Self::Special(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(stdout) => stdout.flush(),
            Self::Pending { file, .. } => file.flush(),
            Self::Special(file, _) => file.flush(),
        }
    }
}

/// A temporary file that Ctrl-C removes.
fn pending_file(parent: &Path) -> io::Result<NamedTempFile> {
    let to_remove = Arc::new(Mutex::new(None));
    remove_when_interrupted(Arc::clone(&to_remove))?;
    // Locked while the file comes into being: Ctrl-C waits until its name is known.
    let mut path = to_remove.lock().unwrap_or_else(PoisonError::into_inner);
    let file = temporary_in(parent)?;
    *path = Some(file.path().to_owned());
    Ok(file)
}

#[expect(clippy::exit, reason = "the process was told to stop; nothing else may run")]
fn remove_when_interrupted(path: Arc<Mutex<Option<PathBuf>>>) -> io::Result<()> {
    ctrlc::set_handler(move || {
        if let Some(path) = &*path.lock().unwrap_or_else(PoisonError::into_inner) {
            // The file may be complete and renamed by now; then there is nothing to remove.
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(i32::from(INTERRUPTED));
    })
    .map_err(io::Error::other)
}
