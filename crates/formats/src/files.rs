//! Files that appear whole or not at all, and input that can be read twice.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// The path that means standard input or output.
pub const STANDARD: &str = "-";

/// The most bytes of a description that a person writes: a configuration, a sweep, a launch file.
pub const MOST_DESCRIPTION_BYTES: u64 = 16 << 20;
/// The most bytes of a file of tables, results or PTX.
pub const MOST_TEXT_BYTES: u64 = 256 << 20;
/// The most bytes of a file of data that is read whole.
pub const MOST_DATA_BYTES: u64 = 4 << 30;

/// Why a file cannot be written.
#[derive(Debug)]
pub struct WriteError {
    path: PathBuf,
    why: String,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for WriteError {}

/// Writes a file under a temporary name and then gives it its own: what was there before is replaced at once, and stays
/// when the disk is full. A device or a pipe, which cannot be replaced, is written to.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    let written = if is_special(path) {
        std::fs::OpenOptions::new().write(true).open(path).and_then(|file| write_all_of(&file, write))
    } else {
        // A link stays a link: the file that it names is replaced.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        temporary_in(parent_of(&place)).and_then(|file| {
            write_all_of(file.as_file(), write)?;
            persist(file, &place)
        })
    };
    written.map_err(|error| unwritable(path, &error))
}

/// Gives a complete file its name. Some file systems find out only now that there is no room.
pub fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Whether there is something at a path that is neither a file nor a folder, such as `/dev/null`.
pub fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn write_all_of(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = io::BufWriter::new(file);
    write(&mut buffered)?;
    buffered.flush()
}

/// Fails if [`replace`] could not write this file: before hours of work, not after.
pub fn check_place(path: &Path) -> Result<(), WriteError> {
    if path.is_dir() {
        let why = "is a folder; name a file in it".to_owned();
        return Err(WriteError { path: path.to_owned(), why });
    }
    if is_special(path) {
        return Ok(());
    }
    temporary_in(parent_of(path)).map(drop).map_err(|error| unwritable(path, &error))
}

/// What keeps a file from being written, without its temporary name.
fn unwritable(path: &Path, error: &io::Error) -> WriteError {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
        io::ErrorKind::StorageFull => "there is no room left on the disk".to_owned(),
        io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    };
    WriteError { path: path.to_owned(), why: format!("cannot be written: {why}") }
}

/// The folder a file is in.
pub fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file that other users may read once it has its name, as far as the user's umask lets them.
pub fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".shrinkwarp-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Opens a file, or keeps standard input (`-`) in an unnamed temporary file, so that both can be read more than once.
pub fn open_rereadable(path: &Path) -> io::Result<File> {
    if path == Path::new(STANDARD) {
        return kept(&mut io::stdin().lock());
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::other("is a directory; name a file inside it"));
    }
    // A pipe or a device has no length and cannot be rewound.
    if metadata.is_file() { Ok(file) } else { kept(&mut &file) }
}

/// All bytes of a file of at most `most_bytes`; a longer or endless one is refused, not read to its end.
pub fn read_bounded(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("is larger than {} MiB", most_bytes >> 20));
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    if length > most_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize)?;
    file.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes { Err(too_large()) } else { Ok(bytes) }
}

/// The same as text.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    String::from_utf8(read_bounded(path, most_bytes)?).map_err(|error| {
        io::Error::other(format!("byte {} is not UTF-8 text", error.utf8_error().valid_up_to()))
    })
}

/// Copies a stream into an unnamed temporary file, which vanishes with the process.
fn kept(from: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(from, &mut file)?;
    file.rewind()?;
    Ok(file)
}
