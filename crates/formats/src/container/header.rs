//! The header: which codec, which blocks, which tables.

use std::io::{self, Read, Write};

use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BlockBytes, BlockCodec};

use super::{ContainerError, MAGIC, MAX_SPEC_BYTES, MAX_TABLES_BYTES, VERSION, crc32, has_checksum};

const FIXED_BYTES: usize = 18;
const SPEC_AT: u64 = FIXED_BYTES as u64;

/// Writes the header for a codec made from `spec`.
pub(super) fn write(spec: &CodecSpec, codec: &dyn BlockCodec, out: &mut dyn Write) -> io::Result<()> {
    let text = spec.text();
    let tables = codec.tables();
    if tables.len() > MAX_TABLES_BYTES {
        return Err(io::Error::other(format!("the tables of codec {text} take more than 64 MiB")));
    }
    let mut header = Vec::with_capacity(FIXED_BYTES + text.len() + tables.len());
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&VERSION.to_le_bytes());
    header.extend_from_slice(&(spec.params.block.bytes() as u16).to_le_bytes());
    header.extend_from_slice(&(text.len() as u16).to_le_bytes());
    header.extend_from_slice(&(tables.len() as u32).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header.extend_from_slice(&tables);
    let checksum = crc32(&[&header]);
    out.write_all(&header)?;
    out.write_all(&checksum.to_le_bytes())
}

/// A header that was read and found sound.
pub(super) struct Header {
    pub spec: CodecSpec,
    pub codec: Box<dyn BlockCodec>,
    pub len_bytes: u64,
}

/// Reads the header and makes the codec.
pub(super) fn read(input: &mut dyn Read) -> Result<Header, ContainerError> {
    let mut fixed = [0; FIXED_BYTES];
    read_exactly(input, &mut fixed, 0, "the header")?;
    if fixed[..8] != *MAGIC {
        let what = "this is not a shrinkwarp container (it starts with other bytes than SHRNKWRP)";
        return Err(ContainerError::format(0, what));
    }
    let u16_at = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
    let version = u16_at(8);
    if version != VERSION {
        let what = format!("container version {version}; this program reads version {VERSION}");
        return Err(ContainerError::format(8, what));
    }
    let block_bytes = u16_at(10);
    let Some(block) = BlockBytes::from_bytes(block_bytes as usize) else {
        return Err(ContainerError::format(
            10,
            format!("blocks of {block_bytes} B (32, 64 or 128 expected)"),
        ));
    };
    let spec_bytes = u16_at(12) as usize;
    if spec_bytes == 0 || spec_bytes > MAX_SPEC_BYTES {
        return Err(ContainerError::format(
            12,
            format!("a codec spec of {spec_bytes} bytes (1 to 256 expected)"),
        ));
    }
    let tables_bytes = u32::from_le_bytes([fixed[14], fixed[15], fixed[16], fixed[17]]) as usize;
    if tables_bytes > MAX_TABLES_BYTES {
        return Err(ContainerError::format(14, format!("tables of {tables_bytes} bytes (at most 64 MiB)")));
    }
    // Growing with what is really there: a hostile length allocates nothing.
    let mut rest = Vec::new();
    let wanted = spec_bytes + tables_bytes + 4;
    (&mut *input).take(wanted as u64).read_to_end(&mut rest)?;
    if rest.len() < wanted {
        let end = SPEC_AT + rest.len() as u64;
        return Err(ContainerError::format(end, "the container ends inside its header"));
    }
    let (described, checksum) = rest.split_at(spec_bytes + tables_bytes);
    if !has_checksum(&[&fixed, described], checksum) {
        let what = "the header's checksum does not match: it is damaged";
        return Err(ContainerError::format(SPEC_AT + described.len() as u64, what));
    }
    let (text, tables) = described.split_at(spec_bytes);
    let (spec, codec) = make_codec(text, tables, block)?;
    Ok(Header { spec, codec, len_bytes: SPEC_AT + wanted as u64 })
}

fn make_codec(
    text: &[u8],
    tables: &[u8],
    block: BlockBytes,
) -> Result<(CodecSpec, Box<dyn BlockCodec>), ContainerError> {
    let text =
        str::from_utf8(text).map_err(|_| ContainerError::format(SPEC_AT, "the codec spec is not text"))?;
    let spec =
        CodecSpec::parse(text, block).map_err(|error| ContainerError::format(SPEC_AT, error.to_string()))?;
    let tables_at = SPEC_AT + text.len() as u64;
    let codec = spec.load(tables).map_err(|error| ContainerError::format(tables_at, error.to_string()))?;
    Ok((spec, codec))
}

/// Fills `buffer`, or says that the container ends inside `what`.
pub(super) fn read_exactly(
    input: &mut dyn Read,
    buffer: &mut [u8],
    at_byte: u64,
    what: &str,
) -> Result<(), ContainerError> {
    match input.read_exact(buffer) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(ContainerError::format(at_byte, format!("the container ends inside {what} that starts here")))
        }
        other => Ok(other?),
    }
}
