//! Files that appear whole or not at all, and input that can be read twice.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// The path that stands for standard input or output.
pub const STANDARD: &str = "-";

/// Writes text to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| Failure::output(&error))
}

/// Writes text to standard error, beside the output of a program that was run.
#[expect(clippy::print_stderr, reason = "the program has standard output to itself")]
pub fn print_aside(text: &str) {
    eprint!("{text}");
}

/// Where a command writes: a file under a temporary name until it is complete, or standard output.
pub enum Output {
    /// A temporary file beside the final name.
    Pending {
        /// The file so far.
        file: NamedTempFile,
        /// Its name once complete.
        path: PathBuf,
    },
    /// Standard output.
    Standard(io::Stdout),
}

impl Output {
    /// Opens `path`; an existing file is replaced only with `force`. Ctrl-C removes the temporary file.
    pub fn create(path: &Path, force: bool) -> Result<Self, Failure> {
        if path == Path::new(STANDARD) {
            return Ok(Self::Standard(io::stdout()));
        }
        if path.exists() && !force {
            let message = "exists already; give --force to replace it or -o for another name";
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
            Self::Pending { file, path } => {
                file.persist(&path).map(drop).map_err(|error| Failure::file(&path, error.error))
            }
        }
    }

    /// A failure to write, in the words of this output.
    pub fn failure(&self, error: &io::Error) -> Failure {
        match self {
            Self::Standard(_) => Failure::output(error),
            Self::Pending { path, .. } => Failure::file(path, error),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(stdout) => stdout.write(bytes),
            Self::Pending { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(stdout) => stdout.flush(),
            Self::Pending { file, .. } => file.flush(),
        }
    }
}

/// Writes a file under a temporary name and then gives it its own: what was there before is replaced at once.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let parent = parent_of(path);
    let written = temporary_builder().tempfile_in(parent).and_then(|mut file| {
        let mut buffered = io::BufWriter::new(&mut file);
        write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        file.persist(path).map(drop).map_err(|error| error.error)
    });
    written.map_err(|error| unwritable(path, &error))
}

/// Fails if [`replace`] could not write this file: before hours of work, not after.
pub fn check_place(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::file(path, "is a folder; name a file in it"));
    }
    let attempt = temporary_builder().tempfile_in(parent_of(path));
    attempt.map(drop).map_err(|error| unwritable(path, &error))
}

/// What keeps a file from being written, without the temporary name that nobody asked for.
fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "its folder is not there".to_owned(),
        io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    };
    Failure::file(path, format!("cannot be written: {why}"))
}

/// The folder a file is in.
pub fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Temporary files that others may read once they have their names, as far as the user's umask lets them.
fn temporary_builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".shrinkwarp-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// A temporary file that Ctrl-C removes.
fn pending_file(parent: &Path) -> io::Result<NamedTempFile> {
    let builder = temporary_builder();
    let to_remove = Arc::new(Mutex::new(None));
    remove_when_interrupted(Arc::clone(&to_remove))?;
    // Locked while the file comes into being: Ctrl-C waits until its name is known.
    let mut path = to_remove.lock().unwrap_or_else(PoisonError::into_inner);
    let file = builder.tempfile_in(parent)?;
    *path = Some(file.path().to_owned());
    Ok(file)
}

#[expect(clippy::exit, reason = "the process was asked to stop; nothing else may run")]
fn remove_when_interrupted(path: Arc<Mutex<Option<PathBuf>>>) -> io::Result<()> {
    /// 128 + SIGINT, as shells report it.
    const INTERRUPTED: i32 = 130;
    ctrlc::set_handler(move || {
        if let Some(path) = &*path.lock().unwrap_or_else(PoisonError::into_inner) {
            // The file may be complete and renamed by now; then there is nothing to remove.
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(INTERRUPTED);
    })
    .map_err(io::Error::other)
}

/// Opens a file, or keeps standard input in an unnamed temporary file, so that both can be read more than once.
pub fn open_rereadable(path: &Path) -> Result<File, Failure> {
    if path == Path::new(STANDARD) {
        return spool(&mut io::stdin().lock(), u64::MAX).map_err(|error| Failure::file(path, error));
    }
    let file = File::open(path).map_err(|error| Failure::file(path, error))?;
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            Err(Failure::file(path, "is a directory; name a file inside it"))
        }
        Ok(metadata) if metadata.is_file() => Ok(file),
        // A pipe or a device has no length and cannot be rewound.
        Ok(_) => spool(&mut &file, u64::MAX).map_err(|error| Failure::file(path, error)),
        Err(error) => Err(Failure::file(path, error)),
    }
}

/// Copies at most `limit_bytes` of a stream into an unnamed temporary file, which vanishes with the process.
pub fn spool(from: &mut dyn Read, limit_bytes: u64) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let copied = io::copy(&mut from.take(limit_bytes.saturating_add(1)), &mut file)?;
    if copied > limit_bytes {
        let message = format!("expands past {limit_bytes} bytes; raise the limit with --expand-limit-gib");
        return Err(io::Error::other(message));
    }
    file.rewind()?;
    Ok(file)
}
