//! NumPy's `.npz`: a zip archive whose members are `.npy` files, stored or deflated.

use std::io::{self, Read, Seek};

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
pub fn read(archive: impl Read + Seek, spool: &mut Spool) -> Result<Vec<Member>, InputError> {
    let mut archive =
        ZipArchive::new(archive).map_err(|error| InputError(format!("zip archive: {error}")))?;
    let mut members = Vec::new();
    for index in 0..archive.len() {
        let mut member =
            archive.by_index(index).map_err(|error| InputError(format!("zip member {index}: {error}")))?;
        let full_name = member.name().to_owned();
        let Some(name) = full_name.strip_suffix(".npy") else {
            return Err(InputError(format!("member {full_name}: not an .npy file, so this is no .npz")));
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
        members.push(Member { name: name.to_owned(), is_expanded: !is_stored, offset, len });
    }
    Ok(members)
}
