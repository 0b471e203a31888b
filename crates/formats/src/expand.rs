//! gzip and zstd around a file, by its extension or its first bytes.

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use super::{InputError, Options, Spool};

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// The largest window that a zstd stream may ask for (2²⁷ bytes), which bounds the decoder's memory.
const ZSTD_WINDOW_LOG_MAX: u32 = 27;

/// The file with one layer of compression removed, and the name without its extension. A file whose name does not
/// promise compression is given back as it is.
pub fn expanded(file: File, name: &str, options: Options) -> Result<(File, String), InputError> {
    if let Some(inner) = name.strip_suffix(".gz") {
        let mut expanding = gzip_reader(file);
        return Ok((spooled(&mut expanding, "gzip", options)?, inner.to_owned()));
    }
    if let Some(inner) = name.strip_suffix(".zst") {
        let mut expanding = zstd_reader(file)?;
        return Ok((spooled(&mut expanding, "zstd", options)?, inner.to_owned()));
    }
    Ok((file, name.to_owned()))
}

/// The extension that a stream without a name would have had.
pub(super) fn sniff(file: &mut File) -> Result<&'static str, InputError> {
    let mut start = Vec::new();
    (&mut *file).take(4).read_to_end(&mut start)?;
    file.rewind()?;
    if start.starts_with(GZIP_MAGIC) {
        return Ok(".gz");
    }
    Ok(if start.starts_with(ZSTD_MAGIC) { ".zst" } else { "" })
}

/// A reader that expands gzip members.
pub fn gzip_reader(from: impl Read) -> impl Read {
    flate2::bufread::MultiGzDecoder::new(BufReader::new(from))
}

/// A reader that expands zstd frames.
pub fn zstd_reader(from: impl Read) -> Result<impl Read, InputError> {
    let mut decoder = zstd::stream::read::Decoder::new(from)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
    Ok(decoder)
}

fn spooled(expanding: &mut dyn Read, kind: &str, options: Options) -> Result<File, InputError> {
    let mut spool = Spool::new(options.expand_limit_bytes)?;
    spool.append(expanding).map_err(|error| match error.way_out {
        Some(_) => error,
        None => InputError::new(format!("damaged or truncated {kind} data: {error}")),
    })?;
    Ok(spool.into_file()?)
}
