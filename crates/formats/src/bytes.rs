//! The content of a tensor, seen through a window that moves over it; and the temporary file for what must be expanded.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Deref;
use std::sync::Arc;

use memmap2::{Mmap, MmapOptions};

use super::{InputError, WayOut};

/// How much of a file is mapped at a time: a multiple of every block size.
pub const WINDOW_BYTES: u64 = 16 << 20;

/// The content of a tensor: a range of a file, or memory that the caller keeps.
#[derive(Clone)]
pub struct Bytes {
    source: Source,
    offset: u64,
    len: u64,
}

/// Memory that stays where it is for as long as this lives.
pub type SharedMemory = Arc<dyn AsRef<[u8]> + Send + Sync>;

#[derive(Clone)]
enum Source {
    File(Arc<File>),
    Memory(SharedMemory),
}

/// Some of the content.
pub enum Window<'a> {
    /// Mapped from a file.
    Mapped(Mmap),
    /// Where it is.
    Memory(&'a [u8]),
}

impl Deref for Window<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Memory(bytes) => bytes,
        }
    }
}

impl Bytes {
    /// A range that lies inside the file.
    pub fn new(file: Arc<File>, offset: u64, len: u64) -> Self {
        Self { source: Source::File(file), offset, len }
    }

    /// All of some memory, which is not copied.
    pub fn in_memory(memory: SharedMemory) -> Self {
        let len = (*memory).as_ref().len() as u64;
        Self { source: Source::Memory(memory), offset: 0, len }
    }

    /// The length in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The windows over the first `len` bytes, one mapped at a time.
    pub fn windows(&self, len: u64) -> impl Iterator<Item = io::Result<Window<'_>>> + '_ {
        let end = self.offset + len.min(self.len);
        let mut start = self.offset;
        std::iter::from_fn(move || {
            let window = (end - start).min(WINDOW_BYTES);
            if window == 0 {
                return None;
            }
            let seen = self.window(start, window as usize);
            start += window;
            Some(seen)
        })
    }

    fn window(&self, start: u64, len: usize) -> io::Result<Window<'_>> {
        match &self.source {
            Source::File(file) => map(file, start, len).map(Window::Mapped),
            Source::Memory(memory) => {
                let bytes = (**memory).as_ref().get(start as usize..start as usize + len);
                bytes
                    .map(Window::Memory)
                    .ok_or_else(|| io::Error::other("the data became shorter while they were read"))
            }
        }
    }
}

fn map(file: &File, offset: u64, len: usize) -> io::Result<Mmap> {
    if file.metadata()?.len() < offset + len as u64 {
        return Err(io::Error::other("the file was truncated while it was read"));
    }
    // SAFETY: the map is read-only and private to this process. Another process that shortens the file at this very
    // moment can end us with SIGBUS; no bytes are trusted beyond being bytes.
    unsafe { MmapOptions::new().offset(offset).len(len).map(file) }
}

/// An unnamed temporary file to which expanded content is appended, up to a limit.
pub struct Spool {
    file: File,
    len: u64,
    limit_bytes: u64,
}

impl Spool {
    /// An empty one.
    pub fn new(limit_bytes: u64) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile()?, len: 0, limit_bytes })
    }

    /// Appends a stream to its end and gives the range it takes.
    pub fn append(&mut self, from: &mut dyn Read) -> Result<(u64, u64), InputError> {
        let room = self.limit_bytes - self.len;
        let copied = io::copy(&mut from.take(room + 1), &mut self.file)?;
        if copied > room {
            let message = format!("expands to more than the limit of {} bytes", self.limit_bytes);
            return Err(InputError::new(message).mended_by(WayOut::RaiseExpandLimit));
        }
        let offset = self.len;
        self.len += copied;
        Ok((offset, copied))
    }

    /// The file, to be read from its start.
    pub fn into_file(mut self) -> io::Result<File> {
        self.file.flush()?;
        self.file.rewind()?;
        Ok(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_is_stopped_at_the_limit() {
        let mut spool = Spool::new(1000).unwrap();
        assert_eq!(spool.append(&mut &[7; 600][..]).unwrap(), (0, 600));
        assert_eq!(spool.append(&mut &[7; 400][..]).unwrap(), (600, 400));
        let error = spool.append(&mut io::repeat(0)).unwrap_err();
        assert_eq!(error.way_out, Some(WayOut::RaiseExpandLimit), "{error}");
    }

    #[test]
    fn windows_cover_a_range_once_and_in_order() {
        let file = tempfile::tempfile().unwrap();
        let len = 2 * WINDOW_BYTES + 5000;
        file.set_len(len).unwrap();
        let bytes = Bytes::new(Arc::new(file), 100, len - 100);
        let lens: Vec<u64> = bytes.windows(u64::MAX).map(|window| window.unwrap().len() as u64).collect();
        assert_eq!(lens, [WINDOW_BYTES, WINDOW_BYTES, 4900]);
        assert_eq!(bytes.windows(0).count(), 0);
    }

    #[test]
    fn windows_over_memory_are_the_memory_itself() {
        let memory = Arc::new(vec![7; WINDOW_BYTES as usize + 3]);
        let start = memory.as_ptr();
        let bytes = Bytes::in_memory(memory);
        let windows: Vec<Window<'_>> = bytes.windows(u64::MAX).map(Result::unwrap).collect();
        assert_eq!(windows.iter().map(|window| window.len()).collect::<Vec<_>>(), [WINDOW_BYTES as usize, 3]);
        assert_eq!(windows[0].as_ptr(), start);
    }

    #[test]
    fn a_file_that_shrinks_is_an_error() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(100).unwrap();
        let bytes = Bytes::new(Arc::new(file.try_clone().unwrap()), 0, 100);
        file.set_len(10).unwrap();
        assert!(bytes.windows(100).next().unwrap().is_err());
    }
}
