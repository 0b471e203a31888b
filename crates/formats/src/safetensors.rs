//! `.safetensors`: an 8-byte length, a JSON header, then the tensors.
//!
//! The header maps each name to `{"dtype", "shape", "data_offsets": [begin, end]}`, offsets counted from the end of
//! the header. As in the format's own library, tensors must cover the data without holes or overlaps.

use std::fmt;
use std::io::{self, Read};

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{Dtype, InputError};

/// The largest header that is read, the limit of the format's own library.
const MAX_HEADER_BYTES: u64 = 100_000_000;
const LENGTH_BYTES: u64 = 8;

/// One tensor of the header.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub dtype: Dtype,
    /// Its extents.
    pub shape: Vec<u64>,
    /// Where its bytes start, from the start of the file.
    pub offset: u64,
    /// Their count.
    pub len: u64,
}

/// Reads the header of a file of `file_len` bytes; entries come in the order of their bytes.
pub fn read(file: &mut dyn Read, file_len: u64) -> Result<Vec<Entry>, InputError> {
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => InputError::at(0, "the file ends inside its header length"),
        _ => error.into(),
    })?;
    let header_bytes = u64::from_le_bytes(length);
    if header_bytes > MAX_HEADER_BYTES.min(file_len.saturating_sub(LENGTH_BYTES)) {
        let what = format!("a header of {header_bytes} bytes does not fit a file of {file_len} (or 100 MB)");
        return Err(InputError::at(0, what));
    }
    let mut header = Vec::new();
    file.take(header_bytes).read_to_end(&mut header)?;
    let Header(tensors) = serde_json::from_slice(&header)
        .map_err(|error| InputError::at(LENGTH_BYTES, format!("the JSON header is damaged: {error}")))?;
    let data_at = LENGTH_BYTES + header_bytes;
    let mut entries =
        tensors.into_iter().map(|(name, info)| entry(name, &info, data_at)).collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(|entry| (entry.offset, entry.len));
    check_cover(&entries, data_at, file_len)?;
    Ok(entries)
}

fn entry(name: String, info: &Info, data_at: u64) -> Result<Entry, InputError> {
    let wrong = |what: String| InputError::new(format!("tensor {name:?}: {what}"));
    let [begin, end] = info.data_offsets;
    let dtype = Dtype::from_safetensors(&info.dtype)
        .ok_or_else(|| wrong(format!("element type {:?} is not supported", info.dtype)))?;
    let offset = data_at.checked_add(begin);
    let len = end.checked_sub(begin);
    let (Some(offset), Some(len)) = (offset, len) else {
        return Err(wrong(format!("data offsets {begin}..{end} are not a range")));
    };
    if dtype.bytes_of(&info.shape) != Some(len) {
        return Err(wrong(format!("shape {:?} of {dtype} does not take the {len} bytes it has", info.shape)));
    }
    Ok(Entry { name, dtype, shape: info.shape.clone(), offset, len })
}

fn check_cover(entries: &[Entry], data_at: u64, file_len: u64) -> Result<(), InputError> {
    let mut end = data_at;
    for entry in entries {
        if entry.offset != end {
            let what =
                if entry.offset < end { "overlaps the one before it" } else { "leaves a hole before it" };
            return Err(InputError::at(entry.offset, format!("tensor {:?} {what}", entry.name)));
        }
        // Lengths were compared with shapes, not with the file: an end past it is found here.
        end = entry.offset.saturating_add(entry.len);
        if end > file_len {
            let what = format!("tensor {:?} ends at byte {end}, past the file's {file_len}", entry.name);
            return Err(InputError::at(entry.offset, what));
        }
    }
    if end != file_len {
        return Err(InputError::at(end, format!("{} bytes follow the last tensor", file_len - end)));
    }
    Ok(())
}

#[derive(Deserialize)]
struct Info {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// The header's tensors in the order of the text, metadata left out.
struct Header(Vec<(String, Info)>);

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object that maps names to tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let mut tensors = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                map.next_value::<IgnoredAny>()?;
            } else {
                tensors.push((name, map.next_value()?));
            }
        }
        Ok(Header(tensors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(header: &str, data_bytes: usize) -> Result<Vec<Entry>, InputError> {
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend_from_slice(header.as_bytes());
        file.resize(file.len() + data_bytes, 0);
        read(&mut &*file, file.len() as u64)
    }

    #[test]
    fn tensors_come_in_the_order_of_their_bytes() {
        let header = r#"{"__metadata__": {"a": "b"},
            "late": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [4, 12]},
            "early": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}}"#;
        let entries = read_text(header, 12).unwrap();
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["early", "late"]);
        assert_eq!(entries[1].offset, 8 + header.len() as u64 + 4);
    }

    #[test]
    fn each_lie_in_a_header_is_named() {
        let one = |fields: &str| format!(r#"{{"t": {{{fields}}}}}"#);
        let cases = [
            (one(r#""dtype": "F32", "shape": [2], "data_offsets": [0, 4]"#), "does not take the 4 bytes"),
            (one(r#""dtype": "F32", "shape": [18446744073709551615, 2], "data_offsets": [0, 4]"#), "shape"),
            (one(r#""dtype": "F32", "shape": [1], "data_offsets": [4, 0]"#), "are not a range"),
            (
                one(
                    r#""dtype": "F32", "shape": [1], "data_offsets": [18446744073709551612, 18446744073709551615]"#,
                ),
                "are not a range",
            ),
            (one(r#""dtype": "F32", "shape": [2], "data_offsets": [0, 8]"#), "past the file"),
            (one(r#""dtype": "U8", "shape": [2], "data_offsets": [2, 4]"#), "leaves a hole"),
            (one(r#""dtype": "U8", "shape": [3], "data_offsets": [0, 3]"#), "1 bytes follow"),
            (one(r#""dtype": "Q4", "shape": [3], "data_offsets": [0, 3]"#), "\"Q4\" is not supported"),
            ("{".to_owned(), "JSON header is damaged"),
        ];
        for (header, expected) in cases {
            let error = read_text(&header, 4).unwrap_err().to_string();
            assert!(error.contains(expected), "{header}: {error}");
        }
    }

    #[test]
    fn a_header_longer_than_the_file_allocates_nothing() {
        let file = u64::MAX.to_le_bytes();
        assert!(read(&mut &file[..], 8).unwrap_err().to_string().contains("does not fit"));
    }
}
