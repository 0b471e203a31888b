//! NumPy's `.npz`: a zip archive whose members are `.npy` files, stored or deflated.

use std::io::{self, Read, Seek, SeekFrom};

use zip::CompressionMethod;
use zip::ZipArchive;

use super::{InputError, Spool};

/// Where the `.npy` file of one member lies.
pub struct Member {
    /// The array's name: the member's without `.npy`.
    pub name: String,
    /// Whether it lies in the spool; else in the archive itself.
    pub is_expanded: bool,
    /// Where it starts.
    pub offset: u64,
    /// Its length in bytes.
    pub len: u64,
}

/// Lists the members in the archive's order. Deflated ones are expanded into the spool; stored ones are read once to
/// check their CRC and stay where they are.
pub fn read(mut archive: impl Read + Seek, spool: &mut Spool) -> Result<Vec<Member>, InputError> {
    let archive_len = archive.seek(SeekFrom::End(0)).map_err(InputError::from)?;
    let mut archive =
        ZipArchive::new(archive).map_err(|error| InputError::new(format!("zip archive: {error}")))?;
    let mut members = Vec::new();
    for index in 0..archive.len() {
        let mut member = archive
            .by_index(index)
            .map_err(|error| InputError::new(format!("zip member {index}: {error}")))?;
        let full_name = member.name().to_owned();
        let Some(name) = full_name.strip_suffix(".npy") else {
            return Err(InputError::new(format!(
                "member {full_name}: not an .npy file, so this is not an .npz archive"
            )));
        };
        let is_stored = member.compression() == CompressionMethod::Stored;
        let stored_at = member.data_start();
        let placed = if is_stored {
            let offset = stored_at;
            io::copy(&mut member, &mut io::sink()).map(|len| (offset, len)).map_err(InputError::from)
        } else {
            spool.append(&mut member)
        };
        let (offset, len) = placed.map_err(|error| error.inside(&full_name))?;
        // An empty member may claim any place.
        if is_stored && offset.saturating_add(len) > archive_len {
            return Err(InputError::new(format!("member {full_name}: lies outside the archive")));
        }
        members.push(Member { name: name.to_owned(), is_expanded: !is_stored, offset, len });
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    #[test]
    fn an_empty_member_that_claims_a_place_outside_is_refused() {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        archive.start_file("a.npy", stored).unwrap();
        archive.write_all(&[]).unwrap();
        let mut bytes = archive.finish().unwrap().into_inner();
        // The length of the local header's extra field: the data begin behind it.
        bytes[28..30].copy_from_slice(&u16::MAX.to_le_bytes());
        let mut spool = Spool::new(1 << 10).unwrap();
        assert!(read(Cursor::new(bytes), &mut spool).is_err());
    }
}
